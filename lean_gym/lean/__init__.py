"""Lean's own library, through ctypes: its kernel judges exported proofs, its tactics run one step at a time.

    library.py           the file: where it is looked for, which versions are known
    objects.py values.py objects of Lean's runtime; values with counted references, calls of any function
    kernel.py child.py   exports through Lean's kernel, each in a process of its own; `python -m lean_gym.lean`
    symbols.py bridge.py what the file holds of core's syntax, given back as Lean text
    lean_main.py compiled_library.py   Lean's command line; minilean's library compiled by it, once
    frontend.py tactics.py   files and statements, states of proofs and steps
    export.py judge.py   what a proof declares, as rows; the verdict of a process that never saw its script
    positions.py         theorems at a place of minilean's library
    repl.py              Pantograph's protocol over all of it; `python -m lean_gym.lean.repl`

The library runs in processes of its own: a crash of it costs one judgement, or a step that is replayed.
"""
