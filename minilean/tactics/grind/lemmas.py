"""Lemmas of the rules of `grind`; each is proved where it is used.

The premises and conclusions are equations, as the closure has them: `p = True` says that `p` holds.

Source: Lean 4 `src/Init/Grind/Lemmas.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import Expr, mk_apps
from minilean.meta.extension import LeanEnv
from minilean.tactics.omega.lemmas import elaborated

_BOTH = "propext (Iff.intro (fun x => {0}) (fun x => {1}))"
_YES, _NO = "of_eq_true h", "of_eq_false h"
_CONTRA = "eq_true (Classical.byContradiction (fun x => {0}))"

# The statements over propositions, by their variables. `h` is the first premise.
_OVER_P = {
    "not_true": ("p = True → (¬p) = False", f"eq_false (fun x => x ({_YES}))"),
    "not_false": ("p = False → (¬p) = True", f"eq_true ({_NO})"),
    "of_not_true": ("(¬p) = True → p = False", f"eq_false ({_YES})"),
    "of_not_false": ("(¬p) = False → p = True", _CONTRA.format(f"{_NO} x")),
}
_OVER_NOTHING = {
    "clash": ("True = False → False", "Eq.mp h True.intro"),
    "clash_turned": ("False = True → False", "Eq.mpr h True.intro"),
}
_OVER_P_Q = {
    "and_left_true": ("p = True → (p ∧ q) = q", _BOTH.format("x.right", f"And.intro ({_YES}) x")),
    "and_right_true": ("q = True → (p ∧ q) = p", _BOTH.format("x.left", f"And.intro x ({_YES})")),
    "and_left_false": ("p = False → (p ∧ q) = False", f"eq_false (fun x => {_NO} x.left)"),
    "and_right_false": ("q = False → (p ∧ q) = False", f"eq_false (fun x => {_NO} x.right)"),
    "of_and_left": ("(p ∧ q) = True → p = True", f"eq_true ({_YES}).left"),
    "of_and_right": ("(p ∧ q) = True → q = True", f"eq_true ({_YES}).right"),
    "not_or_not": ("(p ∧ q) = False → ¬p ∨ ¬q", f"Classical.not_and_iff_not_or_not.mp ({_NO})"),
    "or_left_true": ("p = True → (p ∨ q) = True", f"eq_true (Or.inl ({_YES}))"),
    "or_right_true": ("q = True → (p ∨ q) = True", f"eq_true (Or.inr ({_YES}))"),
    "or_left_false": (
        "p = False → (p ∨ q) = q",
        _BOTH.format(f"Or.elim x (fun y => absurd y ({_NO})) id", "Or.inr x"),
    ),
    "or_right_false": (
        "q = False → (p ∨ q) = p",
        _BOTH.format(f"Or.elim x id (fun y => absurd y ({_NO}))", "Or.inl x"),
    ),
    "of_or_left": ("(p ∨ q) = False → p = False", f"eq_false (fun x => {_NO} (Or.inl x))"),
    "of_or_right": ("(p ∨ q) = False → q = False", f"eq_false (fun x => {_NO} (Or.inr x))"),
    "imp_left_true": ("p = True → (p → q) = q", _BOTH.format(f"x ({_YES})", "fun _ => x")),
    "imp_left_false": ("p = False → (p → q) = True", f"eq_true (fun x => absurd x ({_NO}))"),
    "imp_right_true": ("q = True → (p → q) = True", f"eq_true (fun _ => {_YES})"),
    "of_imp_left": ("(p → q) = False → p = True", _CONTRA.format(f"{_NO} (fun y => absurd y x)")),
    "of_imp_right": ("(p → q) = False → q = False", f"eq_false (fun x => {_NO} (fun _ => x))"),
    "of_imp": (
        "(p → q) = True → q = False → p = False",
        f"fun k => eq_false (fun x => of_eq_false k ({_YES} x))",
    ),
    "iff_left_true": (
        "p = True → (p ↔ q) = q",
        _BOTH.format(f"x.mp ({_YES})", f"Iff.intro (fun _ => x) (fun _ => {_YES})"),
    ),
    "iff_right_true": (
        "q = True → (p ↔ q) = p",
        _BOTH.format(f"x.mpr ({_YES})", f"Iff.intro (fun _ => {_YES}) (fun _ => x)"),
    ),
    "iff_same": ("p = q → (p ↔ q) = True", "eq_true (Iff.of_eq h)"),
    "of_iff": ("(p ↔ q) = True → p = q", f"propext ({_YES})"),
    "of_iff_left": (
        "(p ↔ q) = False → p = False → q = True",
        "fun k => "
        + _CONTRA.format(f"{_NO} (Iff.intro (fun y => absurd y (of_eq_false k)) (fun y => absurd y x))"),
    ),
    "of_iff_right": (
        "(p ↔ q) = False → q = False → p = True",
        "fun k => "
        + _CONTRA.format(f"{_NO} (Iff.intro (fun y => absurd y x) (fun y => absurd y (of_eq_false k)))"),
    ),
    "eq_is_iff": ("True → (p = q) = (p ↔ q)", "propext (Iff.intro Iff.of_eq propext)"),
}

_IN = "Eq.subst (motive := fun x => {0}) h.symm ({1})"
_OVER_A = {
    "bnot_true": ("a = true → (!a) = false", _IN.format("(!x) = false", "rfl")),
    "bnot_false": ("a = false → (!a) = true", _IN.format("(!x) = true", "rfl")),
    "of_bnot_true": ("(!a) = true → a = false", "Eq.mp (Bool.not_eq_true' a) h"),
    "of_bnot_false": ("(!a) = false → a = true", "Eq.mp (Bool.not_eq_false' a) h"),
    "of_not_eq_true": ("(a = true) = False → a = false", f"Eq.mp (Bool.not_eq_true a) ({_NO})"),
    "of_not_eq_false": ("(a = false) = False → a = true", f"Eq.mp (Bool.not_eq_false a) ({_NO})"),
}
_OVER_A_B = {
    "band_left_true": ("a = true → (a && b) = b", _IN.format("(x && b) = b", "Bool.true_and b")),
    "band_right_true": ("b = true → (a && b) = a", _IN.format("(a && x) = a", "Bool.and_true a")),
    "band_left_false": ("a = false → (a && b) = false", _IN.format("(x && b) = false", "Bool.false_and b")),
    "band_right_false": ("b = false → (a && b) = false", _IN.format("(a && x) = false", "Bool.and_false a")),
    "of_band_left": ("(a && b) = true → a = true", "(Bool.and_eq_true_iff.mp h).left"),
    "of_band_right": ("(a && b) = true → b = true", "(Bool.and_eq_true_iff.mp h).right"),
    "bor_left_true": ("a = true → (a || b) = true", _IN.format("(x || b) = true", "Bool.true_or b")),
    "bor_right_true": ("b = true → (a || b) = true", _IN.format("(a || x) = true", "Bool.or_true a")),
    "bor_left_false": ("a = false → (a || b) = b", _IN.format("(x || b) = b", "Bool.false_or b")),
    "bor_right_false": ("b = false → (a || b) = a", _IN.format("(a || x) = a", "Bool.or_false a")),
    "of_bor_left": ("(a || b) = false → a = false", "(Bool.or_eq_false_iff.mp h).left"),
    "of_bor_right": ("(a || b) = false → b = false", "(Bool.or_eq_false_iff.mp h).right"),
}
_RULES = {
    name: (f"fun {letters} h => {proof}", f"{letters and f'∀ {letters} : {sort}, '}{statement}")
    for letters, sort, group in (
        ("", "", _OVER_NOTHING),
        ("p", "Prop", _OVER_P),
        ("p q", "Prop", _OVER_P_Q),
        ("a", "Bool", _OVER_A),
        ("a b", "Bool", _OVER_A_B),
    )
    for name, (statement, proof) in group.items()
}


def rule(env: LeanEnv, name: str, *args: Expr) -> Expr:
    """Apply a lemma to its propositions or Boolean values and to proofs of its premises, `h` first."""
    proof, statement = _RULES[name]
    value, _ = elaborated(env, f"grind.{name}", proof, statement)
    return mk_apps(value, args)
