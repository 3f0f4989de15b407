"""Syntax trees to terms and declarations: `term.Elab` is the elaborator, `command` runs whole files.

Tactic blocks inside terms are run through `Elab.run_tactics`, a callback that `tactics` provides.
"""
