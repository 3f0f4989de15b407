"""minilean: a small, sound Lean 4, embedded.

The packages, in the order in which they may know each other:

    kernel/    TRUSTED: terms, type checker, inductive types, the environment. Imports the standard library only.
    meta/      metavariables, unifier, instances: the untrusted services that build terms
    syntax/    source text to syntax trees
    printer/   terms back to Lean's text
    elab/      syntax trees to terms
    commands/  declarations, attributes, sections, queries, deriving handlers
    tactics/   one family a file; each builds a term for a goal
    library/   Lean 4 source, proved when it is loaded
    proof.py   a proof step by step, and the kernel's check of it
    project/   files that import each other
    command_line.py check_command.py  wrong usage in one line; `python -m minilean check`
    export/    finished proofs for other checkers, and the judge of such files
    repl/      Pantograph's protocol
    api.py     what other packages import
"""
