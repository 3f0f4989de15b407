"""Statements that do not say what they show: each context that gives words of Lean another meaning is told."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest

from minilean.library import library
from minilean.proof import Context, Problem, ProofError

FALSE, LESS = "theorem t : False", "theorem t : (1 : Nat) < 0"
TRUE_RELATION = "⟨fun _ _ => True⟩"

TRICKS = {
    # the namespace of the theorem's own name, and open ones
    "the namespace of the name": ("theorem A.t : False", "def A.False : Prop := True", "False"),
    "a namespace around it": ("theorem A.B.t : False", "def A.False : Prop := True", "False"),
    "a namespace of Lean": ("theorem Nat.t : False", "def Nat.False : Prop := True", "False"),
    "a function in the namespace": ("theorem A.t : Not True", "def A.Not (p : Prop) : Prop := p", "Not"),
    "a dotted name in the namespace": (
        "theorem A.t : Nat.succ 1 = 5", "def A.Nat.succ (n : Nat) : Nat := 5", "Nat.succ",
    ),
    "a namespace that is left open": (FALSE, "namespace A\ndef False : Prop := True", "False"),
    "a constructor": ("theorem A.t : true = false", "inductive A where | true | false", "true"),
    # notations
    "a word": (FALSE, 'notation "False" => True', "False"),
    "a local word": (FALSE, 'local notation "False" => True', "False"),
    "a macro": (FALSE, 'macro "False" : term => `(True)', "False"),
    "a macro with arguments": (
        "theorem t : Not True", 'macro "Not" p:term:max : term => `(True ∨ $p)', "Not",
    ),
    "syntax with rules": (FALSE, 'syntax "False" : term\nmacro_rules | `(False) => `(True)', "False"),
    "a tactic below `by`": (
        "theorem t : (by exact True : Prop) ∧ True", 'macro "exact" p:term : tactic => `(tactic| apply $p)', "by",
    ),
    "a scoped word": (FALSE, 'namespace A\nscoped notation "False" => True\nend A\nopen A', "False"),
    "a symbol": ("theorem t : ∅ = 1", 'notation "∅" => 1', "∅"),
    "a numeral": (LESS, 'notation "1" => (0 : Nat)', "1"),
    "several tokens": ("theorem t : 1<0", 'notation:50 "1<0" => True', "1<0"),
    "a relation": (
        "theorem t : (true : Bool) < false", 'notation:50 x:51 " < " y:51 => (x || y) = true', "<",
    ),
    "a keyword": ("theorem t : (fun x : Nat => x) = id", 'prefix:max "fun" => id', "fun"),
    # instances
    "an instance under another name": (LESS, f"@[instance] def x : LT Nat := {TRUE_RELATION}", "instance x"),
    "an instance by an attribute": (
        LESS, f"def x : LT Nat := {TRUE_RELATION}\nattribute [instance] x", "instance x",
    ),
    "a local instance": (
        LESS, f"def x : LT Nat := {TRUE_RELATION}\nattribute [local instance] x", "instance x",
    ),
    "an instance for all types": (LESS, f"instance x {{α : Type}} : LT α := {TRUE_RELATION}", "instance x"),
    "an instance through a class of its own": (
        LESS,
        f"class F (α : Type)\ninstance x : F Nat := ⟨⟩\ninstance {{α : Type}} [F α] : LT α := {TRUE_RELATION}",
        "instance x",
    ),
    "an instance of an operation": (
        "theorem t : (2 : Nat) + 2 = 5", "instance x : HAdd Nat Nat Nat := ⟨fun _ _ => 5⟩", "instance x",
    ),
    "a coercion": ("theorem t : (false : Prop)", "instance x : Coe Bool Prop := ⟨fun _ => True⟩", "instance x"),
    "a default instance": (
        "theorem t : 1 = 2",
        "inductive U where | a\n@[default_instance 2000] instance x (n : Nat) : OfNat U n := ⟨.a⟩",
        "instance x",
    ),
    # variables
    "a variable of the name": (FALSE, "variable (False : Prop) (h : False)\ninclude h", "False"),
    "a hidden hypothesis": ("theorem t : 1 = 2", "variable (h : False)\ninclude h", "variable h"),
    "a hidden value of an empty type": ("theorem t : 1 = 2", "variable (e : Empty)\ninclude e", "variable e"),
    "a hidden instance": (
        "theorem t : 1 = 2",
        "class F (p : Prop) : Prop where h : p\nvariable [i : F False]\ninclude i",
        "variable i",
    ),
}  # fmt: skip

REFUSED = {
    "an opened name": (FALSE, "namespace A\ndef False : Prop := True\nend A\nopen A"),
    "a quoted name": ("theorem t : «False»", "namespace A\ndef False : Prop := True\nend A\nopen A"),
    "a renamed name": (FALSE, "namespace A\ndef B : Prop := True\nend A\nopen A renaming B → False"),
    "an exported name": (FALSE, "namespace A\ndef False : Prop := True\nend A\nexport A (False)"),
    "a private name": (FALSE, "private def A.False : Prop := True\nopen A"),
    "an operator": ("theorem t : 1 + 1 = 3", 'infixl:65 " + " => fun (a b : Nat) => 3'),
    "a relation": (LESS, 'notation:50 x:51 " < " y:51 => x ≤ 5 ∧ y ≤ 5'),
    "brackets": ("theorem t : [1] = []", 'notation "[" x "]" => x'),
    "an instance of a numeral": ("theorem t : 5 = 0", "instance x : OfNat Nat 5 := ⟨(0 : Nat)⟩"),
    "an instance of the same name": (LESS, f"instance : LT Nat := {TRUE_RELATION}"),
}

HONEST = {
    "an open namespace": ("theorem t (n : Nat) : n + 0 = n", "open Nat"),
    "a definition": ("theorem t : two = 2", "def two : Nat := 2"),
    "a full name": ("theorem t (a b : T) : T.and a b = b", "inductive T where | x\ndef T.and (_ b : T) : T := b"),
    "a field": ("theorem t (a b : T) : a.and b = b", "inductive T where | x\ndef T.and (_ b : T) : T := b"),
    "a name in its namespace": ("theorem A.t : Fine", "def A.Fine : Prop := True"),
    "a variable": ("theorem t : P → P", "variable (P : Prop)\ninclude P"),
    "variables with an instance": ("theorem t (x : α) : x = x", "variable {α : Type} [Inhabited α]"),
    "instances of a type of its own": (
        "theorem t (a b : T) : a + b = b", "inductive T where | x\ninstance : Add T := ⟨fun _ b => b⟩",
    ),
    "a class that extends one of Lean": (
        "theorem t (a : G) : a * a = a",
        "class Grp (G : Type) extends Mul G where\n  h : ∀ a : G, a * a = a\nvariable {G : Type} [Grp G]",
    ),
    "derived instances": ("theorem t (a : T) : a = a", "inductive T where | x | y\nderiving DecidableEq, Repr"),
    "an operator of its own": ("theorem t : 1 ⊕⊕ 2 = 3", 'infixl:65 " ⊕⊕ " => Nat.add'),
    "an operator of known signs": ("theorem t : 1 <+> 2 = 3", 'infixl:65 " <+> " => Nat.add'),
    "brackets of its own": ("theorem t : ⟪1, 2⟫ = 1", 'notation "⟪" x ", " y "⟫" => x'),
    "a definition named as an operator's": ("theorem A.t : ¬ False", "def A.Not (p : Prop) : Prop := p"),
    "a definition named as a binder's": ("theorem A.t : ∃ x, x = 1", "def A.Exists (p : Nat → Prop) : Prop := False"),
}  # fmt: skip


@cache
def context(commands: str) -> Context:
    return Context(library(), commands)


def problem(statement: str, commands: str) -> Problem:
    return context(commands).problem(statement)


@pytest.mark.parametrize("trick", TRICKS)
def test_a_word_with_another_meaning_is_told(trick: str) -> None:
    statement, commands, word = TRICKS[trick]
    assert word in problem(statement, commands).redefined


@pytest.mark.parametrize("trick", REFUSED)
def test_what_lean_finds_ambiguous_is_refused(trick: str) -> None:
    statement, commands = REFUSED[trick]
    with pytest.raises(ProofError, match=r"Ambiguous|stuck|already been declared"):
        problem(statement, commands)


@pytest.mark.parametrize("honest", HONEST)
def test_a_statement_that_says_what_it_shows_has_no_such_word(honest: str) -> None:
    assert problem(*HONEST[honest]).redefined == ()


def test_a_replay_knows_them_too() -> None:
    assert problem("theorem A.t : False", "def A.False : Prop := True").again().redefined == ("False",)


def _pairs() -> list[tuple[str, str]]:
    """Return statements in words of the library with contexts drawn from all pieces above."""
    statements = [
        *(
            "False",
            "¬ True",
            "Not True",
            "(1 : Nat) < 0",
            "1 + 1 = 3",
            "∃ x : Nat, x < x",
            "2 ∣ 3",
            "(5 : Nat) = 0",
        ),
        *(
            "(false : Bool) = true",
            "[1] = []",
            "∀ n : Nat, n = 0",
            "Nat.succ 1 = 5",
            "(1, 2) = (2, 1)",
            "True ∧ False",
        ),
    ]
    names = ("t", "A.t", "Nat.t", "A.B.t", "F.t", "T.t")
    commands = sorted(
        {commands for _, commands, _ in TRICKS.values()} | {given for _, given in HONEST.values()}
    )
    random = Random(0)
    found = [
        (f"theorem {name} : {body}", given) for name, body, given in product(names, statements, commands)
    ]
    return random.sample(found, 700)


def test_without_such_a_word_the_library_alone_gives_the_same_statement() -> None:
    told = same = 0
    for statement, commands in _pairs():
        try:
            found = problem(statement, commands)
        except ProofError:
            continue  # ambiguous, or a name that is taken
        told += bool(found.redefined)
        if not found.redefined:
            same += 1
            assert found.signature.type is problem(statement, "").signature.type, (statement, commands)
    assert told > 50
    assert same > 50
