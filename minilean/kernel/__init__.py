"""The trusted kernel: a proof is a term that `Environment.add_theorem` accepts, and nothing else.

Names follow Lean's own, so that both can be read side by side:

    Lean 4 (C++ kernel)          here
    level, expr                  level.py, level_order.py, expr.py, traversal.py (alpha_eq)
    (none)                       interning.py (trims the tables in which terms are interned)
    instantiate, abstract        instantiate.py
    declaration                  declaration.py
    type_checker                 typechecker.py (infer_type, whnf_core, whnf, is_def_eq: caches and bounds)
    .. its steps                 inference.py, reduction.py, def_eq.py (lazy_delta_reduction, eta, ..)
    .. interfaces of the parts   judgements.py
    inductive                    inductive.py (the checks), recursors.py, nested.py (List Tree), telescope.py, groups.py
    quot                         quot.py
    nat literals, reduce_nat     literals.py
    heartbeats                   fuel.py
    (none)                       validate.py (checks that terms are well formed; recomputes what nodes cache)
    environment                  checks.py, environment.py (add_definition, add_theorem, add_inductive, ...)

Imports only the standard library and itself.
"""
