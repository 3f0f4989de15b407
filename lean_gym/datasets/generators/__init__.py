"""Generators of theorems: unlimited theorems, each with a proof.

base.py                    the loop and the difficulty measure that the generators share
propositional_theorems.py  tautologies; those with a proof that uses no axiom
propositional.py           propositional formulas and their prover
first_order.py             first-order theorems with witnesses
inductive_predicates.py    theorems about inductively defined predicates
invariants.py              theorems that need an invented induction hypothesis
algebra.py                 equations in algebraic structures, proved by rewriting with their laws
cancellation.py            theorems proved by operations on both sides of an equation
relations.py               theorems about a relation that `rw` does not know
equations.py               equations, proved by rewriting or by induction
rewriting.py               random equations whose proof is a known chain of rewriting steps
procedural.py              the generators by name, as data sets of questions that score their answers
"""
