from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_commands, parse_statement

Shown = Callable[[object], str]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("theorem t.{u} (p : Prop) {α : Type u} : p → p := h",
         "(Decl theorem t [u] [(p : Prop) {α : (Type u)}] (→ p p) h)"),
        ("lemma t : p := by\n  simp", "(Decl lemma t [] [] p (by {(Simp simp False [])}))"),
        ("example : p := h", "(Decl example  [] [] p h)"),
        ("example (x : A) : p := h", "(Decl example  [] [(x : A)] p h)"),
        ("axiom A.b : p", "(Decl axiom A.b [] [] p None)"),
        ("def f (n : Nat) := n", "(Decl def f [] [(n : Nat)] None n)"),
        ("abbrev f : Nat := 0", "(Decl abbrev f [] [] Nat 0)"),
        ("def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => n",
         "(Decl def f [] [] (→ Nat Nat) [(MatchAlt [0] 1) (MatchAlt [(+ n 1)] n)])"),
        ("instance : C Nat := ⟨0⟩", "(Decl instance  [] [] (C Nat) ⟨0⟩)"),
        ("instance (priority := 10) i [C a] : D a := x",
         "(Decl instance i [] [[ : (C a)]] (D a) x priority=10)"),
        ("instance : C Nat where\n  x := 0\n  f y := y",
         "(Decl instance  [] [] (C Nat) (StructInst [[x 0] [f (fun (y) => y)]]))"),
        ("@[simp, local instance 5, simp ←] private theorem t : p := h",
         "(Decl theorem t [] [] p h attrs=[[simp ] [instance local 5] [simp ←]] modifiers=[private])"),
        ("def f (h : p := by simp) (n := 0) := n",
         "(Decl def f [] [(h : p := (by {(Simp simp False [])})) (n := 0)] None n)"),
        ("inductive N | z | s (n : N)",
         "(InductiveCmd N [] [] None [(Ctor z [] None) (Ctor s [(n : N)] None)])"),
        ("inductive L.{u} (α : Type u) : Type u where\n"
         "  /-- doc -/\n  | nil : L α\n  | cons (a : α) : L α → L α\nderiving A, B",
         "(InductiveCmd L [u] [(α : (Type u))] (Type u) [(Ctor nil [] (L α))"
         " (Ctor cons [(a : α)] (→ (L α) (L α)))] deriving=[A B])"),
        ("structure P (α : Type) where\n  mk ::\n  x : α\n  (y z : α := x)\n  f (a : α) : α\n",
         "(StructureCmd structure P [] [(α : Type)] [] None mk"
         " [(x : α) (y z : α := x) (f : (∀ (a : α), α))])"),
        ("structure P extends A, B x : Prop where\n  (x y : A)\n  [c : C]",
         "(StructureCmd structure P [] [] [A (B x)] Prop None [(x y : A) [c : C]])"),
        ("class C (α : Type)", "(StructureCmd class C [] [(α : Type)] [] None None [])"),
        ("variable {α : Type} (x y : α) [C α]", "(VariableCmd [{α : Type} (x y : α) [ : (C α)]])"),
        ("universe u v", "(ScopeCmd universe [u v])"),
        ("namespace A.B", "(ScopeCmd namespace [A.B])"),
        ("section", "(ScopeCmd section [])"),
        ("noncomputable section S", "(ScopeCmd noncomputable section [S])"),
        ("end A", "(ScopeCmd end [A])"),
        ("open A B.C", "(OpenCmd [A B.C])"),
        ("attribute [simp, -inst] a b", "(AttributeCmd [[simp ] [-inst ]] [a b])"),
        ("init_quot", "(InitQuot)"),
        ("#check f x", "(Hash check (f x))"),
        ("#print axioms t", "(Hash print axioms t)"),
        ("#eval 1 + 1", "(Hash eval (+ 1 1))"),
    ],
)  # fmt: skip
def test_commands(text: str, tree: str, shown: Shown) -> None:
    (command,) = parse_commands(text)
    assert shown(command) == tree


def test_a_file(shown: Shown) -> None:
    text = """
/-! About this file. -/
namespace A
variable (p : Prop)

/-- The first. -/
theorem a : p → p := fun h => h

@[simp] theorem b : p ∧ p → p := by
  intro h
  cases h with
  | intro a b => exact a
/- nothing -/
theorem c (h : p) : p := show p from
  h

end A
"""
    assert [type(command).__name__ for command in parse_commands(text)] == [
        "ScopeCmd", "VariableCmd", "Decl", "Decl", "Decl", "ScopeCmd",
    ]  # fmt: skip


def test_long_files_are_not_deep_ones() -> None:
    text = "theorem t (a b c d : p) : a ∧ b := by\n" + "  skip <;> skip\n" * 300
    assert len(parse_commands(text * 3)) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo", "<input>:1:0: unexpected identifier; expected command"),
        ("theorem t := h", "<input>:1:10: unexpected token ':='; expected ':'"),
        ("theorem t : p", "<input>:1:13: unexpected end of input; expected ':=', 'where' or '|'"),
        ("theorem : p := h", "<input>:1:8: unexpected token ':'; expected identifier"),
        ("theorem t : p := h)\ntheorem", "<input>:1:18: unexpected token ')'; expected command"),
        ('notation "x y" => z', "<input>:1:9: invalid atom"),
        ("import A", "<input>:1:0: unsupported: the command `import`"),
        ("def f := g where\n  1", "<input>:2:2: unexpected token; expected command"),
        ("open A in theorem", "<input>:1:17: unexpected end of input; expected identifier"),
        ("@[simp theorem", "<input>:1:14: unexpected end of input; expected ']'"),
        ("#help", "<input>:1:0: unsupported: the command `#help`"),
        ("@[simp] section", "<input>:1:8: unexpected token 'section'; expected declaration"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_commands(text)
    assert str(caught.value) == message


def test_statements(shown: Shown) -> None:
    assert shown(parse_statement("theorem add_zero (n : Nat) : n + 0 = n")) == (
        "(Decl theorem add_zero [] [(n : Nat)] (= (+ n 0) n) None)"
    )
    assert (
        shown(parse_statement("/-- doc -/ @[simp] lemma a : p"))
        == "(Decl lemma a [] [] p None attrs=[[simp ]])"
    )
    assert shown(parse_statement("example (p : Prop) : p")) == "(Decl example  [] [(p : Prop)] p None)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theorem t : p := h", "<input>:1:14: the statement must end before `:=`"),
        ("theorem t : p := by", "<input>:1:14: the statement must end before `:=`"),
        ("theorem t : p :=", "<input>:1:14: the statement must end before `:=`"),
        ("theorem t", "<input>:1:9: unexpected end of input; expected ':'"),
        ("theorem t : p theorem", "<input>:1:14: expected end of input"),
        ("n + 0 = n", "<input>:1:0: unexpected identifier; expected 'theorem'"),
        ("def f : p", "<input>:1:0: unexpected token 'def'; expected 'theorem'"),
        ("", "<input>:1:0: unexpected end of input; expected 'theorem'"),
    ],
)
def test_statement_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_statement(text)
    assert str(caught.value) == message
