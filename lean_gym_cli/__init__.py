"""The command `lean-gym`: one verb for each program of the project, which is the program of some `python -m`.

`verbs.py` is the table. Nothing but the standard library is imported before the program of a verb is, so that the list
of the verbs and the answers to the shell's completion are there at once.
"""
