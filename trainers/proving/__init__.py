"""Proofs by a policy: for theorems, for the `sorry`s of files, and for clients.

search/   trees of proof states, and rules that choose the states to expand
editing/  the `sorry`s of Lean files, filled in and checked
serving/  one policy behind the protocols of its clients
"""
