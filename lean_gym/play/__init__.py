"""Proving by hand in the terminal: `python -m lean_gym play THEOREM`.

program.py     the command line and the loop
hand_proof.py  a proof under way: tactics, undo, the verdict
words.py       tactics that may apply, words that complete a line
"""
