"""`grind` with lemmas: arguments, modifiers, the attribute `@[grind]`, and options."""

from __future__ import annotations

import pytest

from lean_gym.verification.forbidden import AUTOMATION, refused_head
from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem, ProofError, prove

CLAMP = "def g (x : Nat) := min x 3\ntheorem gg (x : Nat) : g (g x) = g x := by unfold g; omega\n"
GOAL = "(a : Nat) : g (g (g a)) = g a"


def _error(tactic: str, statement: str = GOAL, context: str = CLAMP) -> str | None:
    problem = Problem.from_source(f"theorem t {statement}", library(), context)
    return problem.apply(problem.start(), tactic).error


@pytest.mark.parametrize(
    "tactic", ["grind [gg]", "grind [= gg]", "grind only [gg]", "grind only [= gg, List.append_nil]"]
)
def test_a_lemma_is_instantiated(tactic: str) -> None:
    assert _error(tactic) is None
    assert str(_error("grind")).startswith("`grind` failed")


@pytest.mark.parametrize(
    ("modifier", "outcome"),
    [("= ", True), ("", True), ("=_ ", False), ("_=_ ", True)],
)
def test_the_side_of_an_equation_is_the_pattern(modifier: str, outcome: bool) -> None:
    context = "def f (x : Nat) := x\ndef h (x : Nat) := x\ntheorem fh (x : Nat) : f x = h x := rfl\n"
    statement = "(u : Nat → Nat) (k : ∀ y, u (h y) = 1) (a : Nat) (l : u (f a) = 2) : False"
    assert (_error(f"grind [{modifier}fh]", statement, context) is None) is outcome


def test_forward_and_backward() -> None:
    context = "def P (n : Nat) : Prop := n < 5\ndef Q (n : Nat) : Prop := n < 9\n"
    context += "theorem pq {n : Nat} (h : P n) : Q n := by unfold P at h; unfold Q; omega\n"
    for arrow in ("→", "←", ""):
        assert _error(f"grind [{arrow} pq]", "(n : Nat) (h : P n) : Q n", context) is None
    assert "does not have propositional hypotheses" in str(_error("grind [→ gg]"))


def test_the_attribute() -> None:
    tagged = CLAMP.replace("theorem", "@[grind =] theorem")
    assert _error("grind", context=tagged) is None
    assert _error("grind only", context=tagged) is not None
    assert _error("grind [-gg]", context=tagged) is not None
    assert _error("grind [-gg]") == "`gg` is not marked with the `[grind]` attribute"
    assert _error("grind", context=CLAMP + "attribute [grind] gg") is None
    erased = tagged + "attribute [-grind] gg"
    assert _error("grind", context=erased) is not None
    assert _error("grind", context=CLAMP + "section\nattribute [local grind] gg\nend") is not None
    assert _error("grind", context=CLAMP.replace("def", "@[grind] def")) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "@[grind] inductive T | a",
            "unsupported: `@[grind]` on `T`, which is neither a theorem nor a definition",
        ),
        ("@[grind cases] theorem t : True := trivial", "unsupported: the modifier `cases` of `grind`"),
        ("@[grind →] def f := 1", "invalid `grind` modifier `→` for the definition `f`"),
        (
            "theorem t : True := trivial\nattribute [-grind] t",
            "`t` is not marked with the `[grind]` attribute",
        ),
    ],
)
def test_attributes_that_are_refused(text: str, message: str) -> None:
    assert [m.text for m in check_text(text)] == [message]


@pytest.mark.parametrize(
    ("tactic", "message"),
    [
        ("grind +ring", "unsupported: the option `ring` of `grind`"),
        ("grind (ring := true)", "unsupported: the option `ring` of `grind`"),
        ("grind (config := { splits := 2, ring := true })", "unsupported: the option `ring` of `grind`"),
        ("grind (splits := x)", "the option `splits` of `grind` is `x`; expected a numeral up to 100000"),
        ("grind [cases Nat]", "unsupported: the modifier `cases` of `grind`"),
        ("grind [! gg]", "unsupported: the modifier `!` of `grind`"),
        ("grind [absent]", "Unknown identifier `absent`"),
        ("grind [Nat]", "invalid `grind` theorem, `Nat` is not a theorem or definition"),
        ("grind [=_ Nat.add_sub_cancel]", "invalid `grind` theorem"),
        ("grind?", "unsupported: the tactic `grind?`"),
    ],
)
def test_what_is_refused(tactic: str, message: str) -> None:
    assert message in str(_error(tactic))


def test_the_limits() -> None:
    split = "(p q r s : Prop) (h : p ∨ q) (h2 : p → r) (h3 : q → s) (h4 : r → s) : s"
    two = "(p q r s : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : p → r → False) (h3 : p → s → False) (h4 : q → r → False)"
    two += " (h5 : q → s → False) : False"
    assert _error("grind", split) is None
    assert _error("grind (splits := 2)", two) is None
    assert _error("grind (splits := 1)", two) is None
    assert _error("grind (splits := 0)", two) is not None
    assert _error("grind (config := { splits := 0 })", two) is not None
    chain = "(f : Nat → Nat) (p : Nat → Prop) (h : ∀ x, p x → p (f x)) (h0 : p 0) : p (f (f (f 0)))"
    assert _error("grind", chain) is None
    far = "(p : Nat → Prop) (h : ∀ x, p x → p (x + 1)) (h0 : p 0) : p 4"
    assert _error("grind", far) is None
    assert _error("grind (ematch := 1)", far) is not None
    assert _error("grind (gen := 1)", far) is not None
    assert _error("grind (instances := 1)", far) is not None


def test_a_proof_by_grind_is_checked_in_a_context_with_other_instances() -> None:
    context = "def odd : LE Nat := ⟨fun _ _ => True⟩"
    with pytest.raises(ProofError):
        prove("theorem t (a b : Nat) (h : @LE.le Nat odd b a) : b ≤ a", ["grind"], library(), context)
    with pytest.raises(ProofError):
        prove("theorem t [BEq Nat] (a b : Nat) (h : (a == b) = true) : a = b", ["grind"], library())


def test_automation_that_is_forbidden_names_it() -> None:
    assert "grind" in AUTOMATION
    assert "grind" in str(refused_head("intros; grind [gg]", AUTOMATION))
