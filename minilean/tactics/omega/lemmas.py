"""Lemmas that `omega` needs and core Lean does not have: their proofs are inserted where they are used.

Integers are expressed over `Nat`: `e + ↑n = ↑p` says that the integer `e` is `p - n`.
"""

from __future__ import annotations

from minilean.elab.holes import check_no_holes
from minilean.elab.names import Scope
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, mk_apps
from minilean.kernel.instantiate import instantiate1
from minilean.meta.extension import LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.syntax.parser import parse_term

_IF = (
    "fun (c : Prop) (i : Decidable c) (a b : {0}) => Or.elim (Classical.em c)"
    " (fun h => Or.inl (And.intro h (if_pos h))) (fun h => Or.inr (And.intro h (if_neg h)))",
    "∀ (c : Prop) (i : Decidable c) (a b : {0}), (c ∧ @ite {0} c i a b = a) ∨ (¬c ∧ @ite {0} c i a b = b)",
)
_OF = "a + (n : Int) = (p : Int) → b + (m : Int) = (q : Int)"

_LEMMAS = {
    "merge_left": (
        "fun (h t b s : Nat) e => Eq.trans (Nat.add_assoc h t b) (congrArg (fun x => h + x) e)",
        "∀ h t b s : Nat, t + b = s → (h + t) + b = h + s",
    ),
    "merge_right": (
        "fun (a h t s : Nat) e => Eq.trans (Nat.add_left_comm a h t) (congrArg (fun x => h + x) e)",
        "∀ a h t s : Nat, a + t = s → a + (h + t) = h + s",
    ),
    "merge_same": (
        "fun (k n m x a b s : Nat) hm hs => hm ▸ hs ▸ (Eq.trans (Nat.add_add_add_comm (k * x) a (n * x) b)"
        " (congrArg (fun y => y + (a + b)) (Nat.add_mul k n x).symm))",
        "∀ k n m x a b s : Nat, k + n = m → a + b = s → (k * x + a) + (n * x + b) = m * x + s",
    ),
    "scale": (
        "fun (k c d x t s : Nat) hd hs => hd ▸ hs ▸ (Eq.trans (Nat.mul_add k (c * x) t)"
        " (congrArg (fun y => y + k * t) (Nat.mul_assoc k c x).symm))",
        "∀ k c d x t s : Nat, k * c = d → k * t = s → k * (c * x + t) = d * x + s",
    ),
    "sum": (
        "fun (a b x y s : Nat) ha hb hs => Eq.trans (congr (congrArg (fun u v : Nat => u + v) ha) hb) hs",
        "∀ a b x y s : Nat, a = x → b = y → x + y = s → a + b = s",
    ),
    "multiple": (
        "fun (k a x s : Nat) ha hs => Eq.trans (congrArg (fun y => k * y) ha) hs",
        "∀ k a x s : Nat, a = x → k * x = s → k * a = s",
    ),
    "le": (
        "fun (a b l r : Nat) h hl hr => hl ▸ hr ▸ h",
        "∀ a b l r : Nat, a ≤ b → a = l → b = r → l ≤ r",
    ),
    "le_sum": (
        "fun (a b c d l r : Nat) h g hl hr => hl ▸ hr ▸ Nat.add_le_add h g",
        "∀ a b c d l r : Nat, a ≤ b → c ≤ d → a + c = l → b + d = r → l ≤ r",
    ),
    "le_multiple": (
        "fun (k a b l r : Nat) h hl hr => hl ▸ hr ▸ Nat.mul_le_mul_left k h",
        "∀ k a b l r : Nat, a ≤ b → k * a = l → k * b = r → l ≤ r",
    ),
    "le_cancel": (
        "fun (c a b l r : Nat) h hl hr => Nat.le_of_add_le_add_left (Eq.subst (motive := fun x => c + a ≤ x) hr.symm"
        " (Eq.subst (motive := fun x => x ≤ r) hl.symm h))",
        "∀ c a b l r : Nat, l ≤ r → c + a = l → c + b = r → a ≤ b",
    ),
    "le_divided": (
        "fun (g x y l r low high b t p q : Nat) h k hb ht hx hp hy hq => Nat.le_of_lt_succ (Nat.lt_of_not_le"
        " (fun n => Nat.not_le_of_gt (Eq.subst (motive := fun u => g * x + 1 ≤ u)"
        " (Eq.trans (Nat.mul_succ g y) (Eq.trans (congrArg (fun u => u + g) hy) hq)).symm"
        " (Eq.subst (motive := fun u => u ≤ t) (Eq.trans (congrArg (fun u => u + 1) hx) hp).symm"
        " (hb ▸ ht ▸ Nat.add_le_add h k))) (Nat.mul_le_mul_left g n)))",
        "∀ g x y l r low high b t p q : Nat, l ≤ r → low ≤ high → l + low = b → r + high = t →"
        " g * x = p → p + 1 = b → g * y = q → q + g = t → x ≤ y",
    ),
    "sub": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge a b)"
        " (fun h => Or.inr (And.intro h (Nat.sub_eq_zero_of_le (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.add_sub_of_le h)))",
        "∀ a b : Nat, (b ≤ a ∧ b + (a - b) = a) ∨ (a < b ∧ a - b = 0)",
    ),
    "min": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge b a)"
        " (fun h => Or.inr (And.intro h (Nat.min_eq_right (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.min_eq_left h)))",
        "∀ a b : Nat, (a ≤ b ∧ Min.min a b = a) ∨ (b < a ∧ Min.min a b = b)",
    ),
    "max": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge b a)"
        " (fun h => Or.inr (And.intro h (Nat.max_eq_left (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.max_eq_right h)))",
        "∀ a b : Nat, (a ≤ b ∧ Max.max a b = b) ∨ (b < a ∧ Max.max a b = a)",
    ),
    "iff": (
        "fun (p q : Prop) (h : p ↔ q) => Or.elim (Classical.em p)"
        " (fun hp => Or.inl (And.intro hp (h.mp hp)))"
        " (fun hp => Or.inr (And.intro hp (fun hq => hp (h.mpr hq))))",
        "∀ p q : Prop, (p ↔ q) → (p ∧ q) ∨ (¬p ∧ ¬q)",
    ),
    "not_iff": (
        "fun (p q : Prop) (h : ¬(p ↔ q)) => Or.elim (Classical.em p)"
        " (fun hp => Or.inl (And.intro hp (fun hq => h (Iff.intro (fun _ => hq) (fun _ => hp)))))"
        " (fun hp => Or.inr (And.intro hp (Classical.byContradiction"
        " (fun hq => h (Iff.intro (fun x => absurd x hp) (fun x => absurd x hq))))))",
        "∀ p q : Prop, ¬(p ↔ q) → (p ∧ ¬q) ∨ (¬p ∧ q)",
    ),
    "Int.atom": (
        "fun (x : Int) (p n : Nat) hp hn => hp ▸ hn ▸ (Eq.trans"
        " (congrArg (fun y => y + ((-x).toNat : Int)) (Int.toNat_sub_toNat_neg x).symm)"
        " (Int.sub_add_cancel (x.toNat : Int) ((-x).toNat : Int)))",
        "∀ (x : Int) (p n : Nat), x.toNat = p → (-x).toNat = n → x + (n : Int) = (p : Int)",
    ),
    "Int.cast": (
        "fun (t s : Nat) h => Eq.trans (Int.add_zero (t : Int)) (congrArg (fun x : Nat => (x : Int)) h)",
        "∀ t s : Nat, t = s → (t : Int) + ((0 : Nat) : Int) = (s : Int)",
    ),
    "Int.neg": (
        "fun (a : Int) (p n : Nat) h => Eq.trans (congrArg (fun x => -a + x) h.symm)"
        " (Int.neg_add_cancel_left a (n : Int))",
        "∀ (a : Int) (p n : Nat), a + (n : Int) = (p : Int) → -a + (p : Int) = (n : Int)",
    ),
    "Int.add": (
        "fun (a b : Int) (p n q m s t : Nat) h k hs ht => hs ▸ ht ▸ (Eq.trans"
        " (Eq.trans (Int.add_assoc a b (↑n + ↑m)) (Eq.trans (congrArg (fun x => a + x)"
        " (Int.add_left_comm b (n : Int) (m : Int))) (Int.add_assoc a (n : Int) (b + ↑m)).symm))"
        " (congr (congrArg (fun (x y : Int) => x + y) h) k))",
        f"∀ (a b : Int) (p n q m s t : Nat), {_OF} → p + q = s → n + m = t → (a + b) + (t : Int) = (s : Int)",
    ),
    "Int.mul": (
        "fun (c a : Int) (k p n s t : Nat) hc h hs ht => hs ▸ ht ▸ hc ▸ (Eq.trans"
        " (Int.mul_add (k : Int) a (n : Int)).symm (congrArg (fun x => (k : Int) * x) h))",
        "∀ (c a : Int) (k p n s t : Nat), c = (k : Int) → a + (n : Int) = (p : Int) → k * p = s → k * n = t →"
        " c * a + (t : Int) = (s : Int)",
    ),
    "Int.neg_mul": (
        "fun (c k a : Int) (p n : Nat) hc h => hc ▸ (Eq.trans"
        " (congrArg (fun x => x + (p : Int)) (Int.neg_mul k a)) (Eq.trans"
        " (congrArg (fun x => -(k * a) + x) h.symm) (Int.neg_add_cancel_left (k * a) (n : Int))))",
        "∀ (c k a : Int) (p n : Nat), c = -k → k * a + (n : Int) = (p : Int) → c * a + (p : Int) = (n : Int)",
    ),
    "Int.le": (
        "fun (a b : Int) (p n q m : Nat) h k hab => Int.ofNat_le.mp (Eq.subst"
        " (motive := fun x => x + (m : Int) ≤ (q : Int) + (n : Int)) h (Eq.subst"
        " (motive := fun x => a + (n : Int) + (m : Int) ≤ x + (n : Int)) k (Eq.subst"
        " (motive := fun x => a + (n : Int) + (m : Int) ≤ x) (Int.add_right_comm b (n : Int) (m : Int))"
        " (Int.add_le_add_right (Int.add_le_add_right hab (n : Int)) (m : Int)))))",
        f"∀ (a b : Int) (p n q m : Nat), {_OF} → a ≤ b → p + m ≤ q + n",
    ),
    "Int.ediv": (
        "fun (x c : Int) (k : Nat) hk hc => And.intro (Int.mul_ediv_self_le"
        " (Int.ne_of_gt (Eq.subst hc.symm (Int.ofNat_lt.mpr hk))))"
        " (Int.lt_mul_ediv_self_add (Eq.subst hc.symm (Int.ofNat_lt.mpr hk)))",
        "∀ (x c : Int) (k : Nat), 0 < k → c = (k : Int) → c * (x / c) ≤ x ∧ x < c * (x / c) + c",
    ),
    "Nat.mod": (
        "fun (m n q r : Nat) hq h => Nat.add_left_cancel (Eq.trans (Eq.subst"
        " (motive := fun x => n * x + m % n = m) hq (Nat.div_add_mod m n)) h.symm)",
        "∀ m n q r : Nat, m / n = q → n * q + r = m → m % n = r",
    ),
    "Int.divided": (
        "fun (x q : Int) (k r : Nat) hr h => (Int.ediv_emod_unique"
        " (Int.ofNat_lt.mpr (Nat.lt_of_le_of_lt (Nat.zero_le r) hr))).mpr"
        " (And.intro h (And.intro (Int.ofNat_zero_le r) (Int.ofNat_lt.mpr hr)))",
        "∀ (x q : Int) (k r : Nat), r < k → (r : Int) + (k : Int) * q = x →"
        " x / (k : Int) = q ∧ x % (k : Int) = (r : Int)",
    ),
    "Int.equal": (
        "fun (e f : Int) (p n : Nat) he h => Eq.trans (congrArg (fun x => x + (n : Int)) he) h",
        "∀ (e f : Int) (p n : Nat), e = f → f + (n : Int) = (p : Int) → e + (n : Int) = (p : Int)",
    ),
    "Int.toNat": (
        "fun x : Int => Or.elim (Int.lt_or_le x 0)"
        " (fun h => Or.inr (And.intro h (Int.toNat_of_nonpos (Int.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Int.toNat_of_nonneg h)))",
        "∀ x : Int, (0 ≤ x ∧ (x.toNat : Int) = x) ∨ (x < 0 ∧ x.toNat = 0)",
    ),
    "Int.natAbs": (
        "fun x : Int => Or.elim (Int.lt_or_le x 0)"
        " (fun h => Or.inr (And.intro h (Int.ofNat_natAbs_of_nonpos (Int.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Int.natAbs_of_nonneg h)))",
        "∀ x : Int, (0 ≤ x ∧ (x.natAbs : Int) = x) ∨ (x < 0 ∧ (x.natAbs : Int) = -x)",
    ),
}
_LEMMAS.update({f"{_kind}.ite": tuple(text.format(_kind) for text in _IF) for _kind in ("Nat", "Int")})  # type: ignore[misc]


def elaborated(env: LeanEnv, key: str, proof: str, statement: str) -> tuple[Expr, Expr]:
    """Return a proof and its statement, elaborated once in the library, so that no instance of the user is found.

    Args:
        env: The environment; its library is used.
        key: The name under which the result is kept. No other lemma has it.
        proof: The source of the proof.
        statement: The source of the statement.
    """
    env = env.root
    hit = env.inline_lemmas.get(key)
    if hit is None:
        m = MetaM(env)
        el = Elab(m, Scope())
        type_ = el.elab_type(parse_term(statement))
        el.synthesize()
        type_ = m.instantiate_mvars(type_)
        value = check_no_holes(el, el.elab_closed(parse_term(proof), type_))
        hit = env.inline_lemmas[key] = (value, type_)
    return hit


def inline(env: LeanEnv, name: str) -> Expr:
    """Return the proof of a lemma."""
    return elaborated(env, name, *_LEMMAS[name])[0]


def apply_inline(env: LeanEnv, name: str, *args: Expr) -> tuple[Expr, Expr]:
    """Return proof and statement of a lemma at these arguments."""
    value, type_ = elaborated(env, name, *_LEMMAS[name])
    for arg in args:
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    return mk_apps(value, args), type_
