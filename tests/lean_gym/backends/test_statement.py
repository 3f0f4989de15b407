import pytest

from lean_gym.backends.statement import (
    commands,
    declared_name,
    file_with,
    flush_left,
    rooted_name,
    scope_prefix,
    tactic_body,
    without_comments,
)
from lean_gym.errors import DataError
from lean_gym.types import Theorem


def theorem(statement, context=""):
    return Theorem("t", statement, context=context)


def test_comments_nest():
    assert without_comments("a /- b /- c -/ d -/ e").split() == ["a", "e"]
    assert without_comments("a -- b /- c\nd").split() == ["a", "d"]
    assert without_comments("a /- b -- c -/ d").split() == ["a", "d"]
    assert without_comments("a /- never closed").split() == ["a"]


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("theorem foo : True", "foo"),
        ("@[simp] theorem Nat.foo' (n : Nat) : n = n", "Nat.foo'"),
        ("/-- theorem no : -/ private lemma bar{α : Type} : True", "bar"),
        ("theorem foo.{u, v} (α : Type u) : True", "foo"),
        ("theorem «a b».c : True", "«a b».c"),
    ],
)
def test_declared_name(statement, name):
    assert declared_name(theorem(statement)) == name


def test_a_statement_without_a_name():
    with pytest.raises(DataError, match="declares no name, expected `theorem NAME"):
        declared_name(theorem("example : True"))


def test_files():
    assert file_with(theorem("theorem t : True"), ":= sorry") == "theorem t : True := sorry"
    assert (
        file_with(theorem("theorem t : True ", "open Nat\n"), ":= sorry")
        == "open Nat\n\ntheorem t : True := sorry"
    )
    assert (
        file_with(theorem("theorem t : True -- so it is"), ":= sorry")
        == "theorem t : True -- so it is\n:= sorry"
    )
    windows = theorem("theorem t :\r\n  True\r\n", "open Nat\r\nopen A\r\n")
    assert file_with(windows, ":= sorry") == "open Nat\nopen A\n\ntheorem t :\n  True := sorry"
    assert tactic_body(["intro h", "cases h with\n| inl h => exact h\n\n| inr h => exact h"]) == (
        ":= by\n  intro h\n  cases h with\n  | inl h => exact h\n\n  | inr h => exact h"
    )


@pytest.mark.parametrize(
    ("tactic", "flush"),
    [
        ("exact h", "exact h"),
        ("  exact h \n", "exact h"),
        ("  constructor\r\n  · rfl\r\n", "constructor\n· rfl"),
        ("-- a note\n-- and one more\nexact h -- so", "exact h -- so"),
        ("/- a /- b -/\nc -/\n  constructor\n  · rfl", "constructor\n· rfl"),
        ("  /- a -/ -- b\n  /- c -/ constructor\n  · rfl", "constructor\n· rfl"),
        ("-- nothing else", ""),
        ("/-- a doc comment -/ exact h", "/-- a doc comment -/ exact h"),
        ("/- never closed\nexact h", "/- never closed\nexact h"),
        ("-1 -- is no comment", "-1 -- is no comment"),
        ("\n  constructor\n  · exact h\n\n  · rfl", "constructor\n· exact h\n\n· rfl"),
        ("cases h with\n  | inl h => exact h", "cases h with\n  | inl h => exact h"),
        ("  cases h with\n| inl h => exact h", "cases h with\n| inl h => exact h"),
    ],
)
def test_blocks_stand_flush_left(tactic, flush):
    assert flush_left(tactic) == flush
    assert tactic_body([tactic]) == ":= by\n" + "\n".join(
        f"  {line}" if line else "" for line in flush.split("\n")
    )


def test_commands_begin_where_nothing_is_indented():
    assert list(commands("open Nat\n  Real\n-- note\nvariable (n : Nat)\n")) == [
        "open Nat Real",
        "variable (n : Nat)",
    ]


@pytest.mark.parametrize(
    ("context", "prefix"),
    [
        ("", ""),
        ("variable (n : Nat)", ""),
        ("open Nat Real\nopen scoped BigOperators", "open Nat Real in\nopen scoped BigOperators in\n"),
        ("set_option maxRecDepth 2000\nopen Nat", "set_option maxRecDepth 2000 in\nopen Nat in\n"),
        ("section\nopen Nat\nend\nopen Real", "open Real in\n"),
        ("namespace A\nnamespace B", "open A in\nopen A.B in\n"),
        ("namespace A\nnamespace B\nend B", "open A in\n"),
        ("noncomputable section\nopen Nat", "open Nat in\n"),
        ("open Nat in\ntheorem u : True := trivial", ""),
    ],
)
def test_scope_prefix(context, prefix):
    assert scope_prefix(context) == prefix


@pytest.mark.parametrize(
    ("context", "statement", "name"),
    [
        ("", "theorem t : True", "_root_.t"),
        ("namespace A.B\nopen C\nsection D\nnamespace E", "theorem «x y».t : True", "_root_.A.B.E.«x y».t"),
        ("namespace A\nend A\nnamespace B", "theorem _root_.t.{u} : True", "_root_.t"),
    ],
)
def test_rooted_name(context, statement, name):
    assert rooted_name(theorem(statement, context)) == name
