"""Tactics that a text may use on real Lean, with the shape of their arguments.

Every head has one shape, which says where other tactics may stand among its arguments. Everything else there is terms,
names and locations, which Lean does not evaluate, and options, for which `evaluated_options` looks. A tactic belongs
here if no argument of another kind runs what a text says. A head stands for itself with `?` or `!` behind it, too.

Source: the tactics of Lean 4, Batteries, Aesop and Mathlib (4.29).
"""

from __future__ import annotations

from typing import Final

WITH_ARGUMENTS: Final = frozenset([
    "absurd", "apply", "apply'", "apply_at", "apply_fun", "apply_mod_cast", "borelize", "by_cases", "calc",
    "cases'", "casesm", "cases_type", "change", "choose", "clear", "clear_value", "congrm", "convert", "convert_to",
    "delta", "eapply", "erw", "exact", "exact_mod_cast", "exacts", "exists", "existsi", "fapply", "filter_upwards",
    "fin_cases", "generalize", "generalize'", "grewrite", "grw", "guard_expr", "guard_hyp", "guard_target", "have",
    "have'", "haveI", "induction'", "injection", "interval_cases", "let", "let'", "letI", "lift", "move_add",
    "move_mul", "move_oper", "nomatch", "nth_grewrite", "nth_grw", "nth_rewrite", "nth_rw", "observe", "obtain",
    "peel", "pick_goal", "rcases", "reduce_mod_char", "refine", "refine'", "refine_lift", "refine_lift'", "rename'",
    "rename_bvar", "rename_i", "replace", "revert", "rewrite", "rintro", "rsuffices", "rw", "rw_mod_cast", "rwa", "set",
    "show", "simp_rw", "specialize", "subst", "suffices", "swap_var", "trans", "transitivity", "unfold", "unfold_let",
    "use", "wlog",
])  # fmt: skip
"""Tactics that take a term or a name."""
ALONE: Final = frozenset([
    "abel", "abel1", "abel_nf", "ac_nf", "ac_nf0", "ac_rfl", "admit", "aesop", "aesop_cat", "aesop_graph", "algebraize",
    "and_intros", "apply_assumption", "apply_rfl", "apply_rules", "apply?", "arith_mult", "assumption", "assumption'",
    "assumption_mod_cast", "beta_reduce", "bicategory", "bicategory_nf", "bound", "bv_normalize", "bv_omega",
    "by_contra", "by_contra'", "cancel_denoms", "cat_disch", "cc", "cfc_cont_tac", "cfc_tac", "cfc_zero_tac",
    "clean_wf", "coherence", "compute_degree", "congr", "constructor", "constructorm", "continuity", "contradiction",
    "contrapose", "cutsat", "decide", "decreasing_tactic", "decreasing_trivial", "done", "dsimp", "econstructor",
    "enat_to_nat", "eq_refl", "eta_expand", "eta_reduce", "eta_struct", "exact?", "exfalso", "expose_names", "ext",
    "ext1", "extract_goal", "extract_lets", "false_or_by_contra", "fconstructor", "field", "field_simp", "fin_omega",
    "finiteness", "finiteness_nonterminal", "fun_prop", "funext", "gcongr", "generalize_proofs", "get_elem_tactic",
    "grind", "grobner", "group", "have?", "infer_instance", "infer_param", "inhabit", "injections", "intro", "intros",
    "isBoundedDefault", "itauto", "left", "lia", "lift_lets", "linarith", "linear_combination", "linear_combination'",
    "linear_combination2", "measurability", "mfld_set_tac", "mod_cases", "module", "monicity", "mono", "monoidal",
    "monoidal_nf", "nlinarith", "nofun", "noncomm_ring", "nontriviality", "norm_cast", "norm_cast0", "norm_num",
    "norm_num1", "omega", "order", "positivity", "pull", "pure_coherence", "push", "push_cast", "push_neg", "qify",
    "rcongr", "rel", "rfl", "rfl'", "rify", "right", "ring", "ring1", "ring1_nf", "ring_nf", "rotate_left",
    "rotate_right", "rw?", "rw_search", "saturate", "simp", "simp_all", "simp_all_arith", "simp_arith", "simp_intro",
    "simp_wf",
    "simpa", "skip", "solve_by_elim", "sorry", "split", "split_ands", "split_ifs", "subsingleton", "subst_eqs",
    "subst_vars", "substs", "swap", "symm", "symm_saturate", "symmetry", "tauto", "tauto_set", "tfae_finish",
    "tfae_have", "toFinite_tac", "trace_state", "trivial", "try?", "unfold_projs", "volume_tac", "whisker_simps",
    "zify",
])  # fmt: skip
"""Tactics that may stand without arguments; their arguments are terms, names, options and locations."""
SEQUENCE: Final = frozenset([
    "all_goals", "any_goals", "any_goals'", "checkpoint", "classical", "decreasing_with", "fail_if_success",
    "fail_if_no_progress", "focus", "iterate", "recover", "repeat", "repeat'", "repeat1", "repeat1'", "show_term",
    "try", "unhygienic", "with_reducible", "with_reducible_and_instances", "with_unfolding_all", "with_unfolding_none",
])  # fmt: skip
"""Tactics that take tactics, `iterate` behind a number."""
ALTERNATIVES: Final = frozenset(["first", "solve"])
"""Tactics that take tactics, each behind `|`."""
ARMS: Final = frozenset(["cases", "fun_cases", "fun_induction", "induction", "match"])
"""Tactics that take terms, and tactics behind `with | pattern =>`."""
BEFORE_ARROW: Final = frozenset(["case", "case'", "next", "on_goal", "work_on_goal"])
"""Tactics that take names or numbers, and tactics behind `=>`."""
CONV: Final = frozenset(["conv", "conv'", "conv_lhs", "conv_rhs", "slice_lhs", "slice_rhs"])
"""Tactics that take terms, and conversions behind `=>`."""
CONVERSIONS: Final = frozenset([
    "abel_nf", "all_goals", "any_goals", "apply", "arg", "args", "beta_reduce", "bv_normalize", "case", "case'",
    "change", "congr", "conv", "conv'", "delta", "done", "dsimp", "enter", "equals", "erw", "eta_expand", "eta_reduce",
    "exact", "ext",
    "ext1", "extract_lets", "fail_if_success", "field_simp", "first", "focus", "fun", "grw", "in", "intro", "iota",
    "left", "lhs", "lift_lets", "next", "norm_cast", "norm_num", "norm_num1", "nth_rewrite", "nth_rw", "pattern",
    "pull", "push", "push_cast", "push_neg", "reduce", "repeat", "rewrite", "rfl", "rhs", "right", "ring_nf", "rw",
    "simp",
    "simp_all", "simp_match", "skip", "tactic", "tactic'", "trace_state", "try",
    "unfold", "whnf", "whnfR", "zeta", "zify",
])  # fmt: skip
"""Tactics inside of `conv`. `tactic => ...` and `equals t => ...` take tactics again."""
LITERAL_NAMES: Final = frozenset([
    "all", "bottomUp", "default", "exact", "first", "full", "implies", "instances", "neg", "none",
    "nonDependentFirst", "nonDependentOnly", "pos", "raw", "reducible", "ring", "simplexAlgorithmDense",
    "simplexAlgorithmSparse", "some", "topDown",
])  # fmt: skip
"""Constructors that are values of options."""
TACTIC_VALUES: Final = frozenset(["disch", "discharger", "norm"])
"""Options whose value is a tactic."""

KNOWN: Final = (
    WITH_ARGUMENTS | ALONE | SEQUENCE | ALTERNATIVES | ARMS | BEFORE_ARROW | CONV | {"rename", "trace"}
)
"""All heads outside of `conv`."""
