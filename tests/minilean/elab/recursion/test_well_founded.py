"""Well-founded recursion: what is compiled, the goals that are shown, and the equations of the functions."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

DIV = """def div (x y : Nat) : Nat :=
  if h : 0 < y ∧ y ≤ x then
    have : x - y < x := Nat.sub_lt (Nat.lt_of_lt_of_le h.1 h.2) h.1
    div (x - y) y + 1
  else
    0
"""
ACK = """def ack : Nat → Nat → Nat
  | 0, y => y + 1
  | x + 1, 0 => ack x 1
  | x + 1, y + 1 => ack x (ack (x + 1) y)
termination_by x y => (x, y)
"""


def texts(source: str) -> list[str]:
    """Return the messages of a file, without places."""
    return [message.text for message in check_text(source)]


def test_recursion_with_a_proof_in_the_context() -> None:
    assert texts(DIV + "#eval div 17 5\n#print axioms div") == ["3", "'div' does not depend on any axioms"]


def test_lexicographic_recursion() -> None:
    assert texts(ACK + "#eval ack 2 2\n#check @ack.eq_3") == [
        "7",
        "ack.eq_3 : ∀ (x y : Nat), ack x.succ y.succ = ack x (ack (x + 1) y)",
    ]


@pytest.mark.parametrize(
    "proof",
    [
        "by rw [div]; simp [h]",
        "by\n  conv => lhs; unfold div\n  simp [h]",
        "by\n  conv => lhs; rw [div]\n  simp [h]",
    ],
)
def test_unfolding(proof: str) -> None:
    statement = "example (x y : Nat) (h : 0 < y ∧ y ≤ x) : div x y = div (x - y) y + 1 := "
    assert texts(DIV + statement + proof) == []


def test_simp_computes_by_the_equations() -> None:
    assert texts(DIV + "example : div 8 2 = 4 := by simp [div]") == []


@pytest.mark.parametrize("proof", ["rfl", "by rfl", "by decide"])
def test_the_function_is_irreducible(proof: str) -> None:
    assert len(texts(DIV + f"example : div 8 2 = 4 := {proof}")) == 1


def test_the_goals_of_decreasing_by() -> None:
    body = ACK + "decreasing_by all_goals (trace_state; decreasing_tactic)"
    order = "Prod.Lex (fun a₁ a₂ => a₁ < a₂) (fun a₁ a₂ => a₁ < a₂)"
    (goals,) = texts(body)
    assert goals.startswith(
        f"x : Nat\n⊢ {order} (x, 1) (x.succ, 0)\nx y : Nat\n⊢ {order} (x + 1, y) (x.succ, y.succ)\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        # the measure is guessed: the size of an argument, a difference, two arguments in lexicographic order
        "def f : List Nat → List Nat → Nat\n  | [], _ => 0\n  | _ :: xs, ys => f ys xs + 1\n"
        "termination_by a b => a.length + b.length",
        "def up (n : Nat) : Nat := if n < 10 then up (n + 1) else n",
        "def g (a b : Nat) : Nat := if a = 0 then b else if b = 0 then g (a - 1) 5 else g a (b - 1)",
        # a theorem
        ACK
        + "theorem pos : ∀ n m, 0 < ack n m\n  | 0, m => by simp [ack]\n  | n + 1, 0 => by rw [ack]; exact pos n 1\n"
        "  | n + 1, m + 1 => by rw [ack]; exact pos n _\ntermination_by n m => (n, m)",
        # tactics of the user
        "def h (m n : Nat) : Nat := if m = 0 then n else h (n % m) m\ntermination_by m\n"
        "decreasing_by exact Nat.mod_lt _ (by omega)",
        "def h (m n : Nat) : Nat := if m = 0 then n else h (n % m) m\ntermination_by m\n"
        "decreasing_by decreasing_with exact Nat.mod_lt _ (by omega)",
        # a relation of the user
        "structure P where\n  a : Nat\ninstance : WellFoundedRelation P := measure P.a\n"
        "def k (p : P) : Nat := if p.a = 0 then 0 else k ⟨p.a - 1⟩\ntermination_by p\n"
        "decreasing_by\n  show p.a - 1 < p.a\n  omega",
        "def s (n : Nat) : Nat := match n with | 0 => 0 | n + 1 => s n\ntermination_by structural n",
    ],
)
def test_accepted(source: str) -> None:
    assert texts(source) == []


def test_the_table_of_measures() -> None:
    (text,) = texts("def M (n : Nat) : Nat :=\n  if n > 100 then n - 10 else M (M (n + 11))")
    assert text == (
        "fail to show termination for\n  M\nwith errors\nfailed to infer structural recursion:\n"
        "Cannot use parameter n:\n  failed to eliminate recursive application\n    M (n + 11)\n\n\n"
        "Could not find a decreasing measure.\n"
        "The basic measures relate at each recursive call as follows:\n"
        "(<, ≤, =: relation proved, ? all proofs failed, _: no proof attempted)\n"
        "   n #1\n1) ?  ≤\n2) _  ?\n\n#1: 100 - n\n\n"
        "Please use `termination_by` to specify a decreasing measure."
    )


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def f (n : Nat) : Nat :=\n  if n = 0 then 1 else\n    f (n + 1)\ntermination_by n", (3, 4)),
        # the first call decreases, the one in the argument of the other does not
        (
            "def f (n : Nat) : Nat :=\n  if n = 0 then 1 else f (n - 1) +\n    f (f (n + 1) % n)\ntermination_by n",
            (3, 7),
        ),
        # `x.f` is no name that stands alone: the declaration
        ("def Nat.f (n : Nat) : Nat :=\n  if n = 0 then 1 else\n    (n + 1).f\ntermination_by n", (1, 0)),
    ],
)
def test_a_call_that_does_not_decrease_is_reported_where_it_stands(
    source: str, place: tuple[int, int]
) -> None:
    (message,) = check_text(source)
    assert message.text.startswith("failed to prove termination, possible solutions:")
    assert (message.line, message.column) == place


def test_an_unused_hint_is_a_warning() -> None:
    (message,) = check_text("def f (n : Nat) : Nat := n\ntermination_by n")
    assert (message.severity, message.line) == ("warning", 2)
    assert message.text == "unused `termination_by`, function is not recursive"


def test_sorry_in_decreasing_by_is_an_axiom() -> None:
    source = "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by sorry\n#print axioms t"
    assert texts(source) == ["declaration uses `sorry`", "'t' depends on axioms: [sorryAx]"]
