"""Lean projects as corpora: their premises, their theorems one repository after another, LeanDojo-v2's classes.

retrieval/  premises that may help in a state, out of those accessible there
lifelong/   the store of repositories and their theorems, the stages of each, what is forgotten
agents/     LeanDojo-v2's classes over the programs
"""
