import pytest

from lean_gym.datasets import load_theorems
from lean_gym.datasets.redefinitions import redefined
from lean_gym.types import Theorem


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ('notation "False" => True', ["False"]),
        ('local notation:max "False" => True', ["False"]),
        ('infixl:65 " + " => Nat.mul', ["+"]),
        ('local infix:50 (priority := high) " ≤ " => f', ["≤"]),
        ('notation a " = " b => True', ["="]),
        ('macro "Nat" : term => `(Unit)', ["Nat"]),
        ("macro_rules | `($a + $b) => `($a * $b)", ["macro_rules"]),
        ("namespace A\ndef False := True\nend A\nopen A", ["False"]),
        ("def A.Nat.max := 1\nopen A", ["A.Nat.max"]),
        ("def Tri.and := 1\nopen Tri in\n", ["Tri.and"]),
        ("local instance : Add Nat := ⟨Nat.mul⟩", ["Add Nat"]),
        ("instance (priority := high) foo : LE Int := ⟨f⟩", ["LE Int"]),
        ("variable (False : Prop) (h : False)", ["False"]),
        ("universe u variable {α : Type} {x Nat\n  : Type}", ["Nat"]),
        ("open A renaming b → False", ["False"]),
        ("open A renaming b -> c, d->True", ["True"]),
        ("structure A where\n  False : Prop\nopen A", ["False"]),
        ("inductive A : Type\n  | one | Nat\nopen\n  A", ["Nat"]),
        ("class B.A where\n  (x True : Prop)\nopen B.A", ["True"]),
        ("def «Nat» := Int", ["Nat"]),
        ("def Τrue : Prop := 1 = 2", ["True"]),  # Tau
        ("abbrev «Fаlse» := 1 = 1", ["False"]),  # a Cyrillic letter
        # What is new changes nothing that was there.
        ("variable (h : False) (n : Nat) (P : Nat → Prop)", []),
        ("variable {f : (x : Nat) → Fin x} [h : Decidable True]", []),
        ("open A renaming b → c", []),
        ("inductive Formula | and | or | not\nopen Form", []),
        ("def f : Bool → Nat\n  | true => 1\n  | false => 0\nopen Nat", []),
        ("structure A where\n  one : Nat\n  two : True ∧ True\nopen A", []),
        ("variable (Τ ν : Type) (Ο : Nat)", []),
        ("", []),
        ("def Tri.and := 1\nopen Three", []),
        ("open Nat\nvariable (p : Prop)", []),
        ('local notation "φ" => Nat.totient', []),
        ('infixl:85 " ≫ " => f', []),
        ("def double (n : Nat) := n + n\ninductive Tree | leaf", []),
        ("instance : Add Tree := ⟨f⟩", []),
        ("instance : Inhabited (List Nat) := ⟨[]⟩", []),
        ('-- notation "False" => True', []),
    ],
)
def test_what_a_context_redefines(context, words):
    assert redefined(context) == words


@pytest.mark.parametrize(
    ("name", "context", "words"),
    [
        ("A.t", "def A.False : Prop := True", ["A.False"]),
        ("A.B.t", "def A.Not (p : Prop) : Prop := p", ["A.Not"]),
        ("Nat.t", "inductive Nat.False : Prop | h", ["Nat.False"]),
        ("«A».t", "def A.False : Prop := True", ["A.False"]),
        ("A.t", "structure A where\n  False : Prop", ["False"]),
        ("A", "def A.False : Prop := True", []),
        ("B.t", "def A.False : Prop := True", []),
    ],
)
def test_the_namespace_of_the_name_of_a_theorem_is_open_in_it(name, context, words):
    assert redefined(context, name) == words


def test_loading_a_theorem_that_means_something_else_warns_once():
    rows = [
        Theorem(name, f"theorem {name} : False", context='notation "False" => True') for name in ("a", "b")
    ]
    with pytest.warns(UserWarning, match=r"theorem 'a' may give `False` another meaning \(2 such") as caught:
        assert load_theorems([*rows, Theorem("c", "theorem c : True")])
    assert len(caught) == 1
    assert caught[0].filename == __file__
