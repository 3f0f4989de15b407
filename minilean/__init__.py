"""minilean: a small, sound Lean 4, embedded.

The packages, in the order in which they may know each other:

    kernel/    TRUSTED: terms, type checker, inductive types, the environment. Imports the standard library only.
    syntax/    source text to syntax trees, terms to source text
    meta/      metavariables, unifier, instances: the untrusted services that build terms
    elab/      syntax trees to terms and commands
    tactics/   one family a file; each builds a term for a goal
    library/   Lean 4 source, proved when it is loaded
"""
