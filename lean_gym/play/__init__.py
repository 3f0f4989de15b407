"""Proving by hand, in the terminal and in a web browser: `python -m lean_gym play THEOREM`, `play --web`.

program.py     the command line and the loop
hand_proof.py  a proof under way: tactics, undo, the verdict
words.py       tactics that may apply, words that complete a line
web/           the page, which runs the embedded Lean in the browser
"""
