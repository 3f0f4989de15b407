"""Untrusted services that build terms: contexts, metavariables, unification, instances.

Nothing here can make a false statement true: a finished proof is a closed term that `kernel/` checks again.
Names follow Lean's `Lean.Meta` (`infer_type whnf_core whnf is_def_eq instantiate_mvars synth_instance`).
"""
