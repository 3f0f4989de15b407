"""`where` and an outermost `let rec`: functions inside a definition become declarations that take what they mention."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

REPLICATE = """def replicate (n : Nat) (a : α) : List α :=
  let rec loop : Nat → List α → List α
    | 0, as => as
    | n + 1, as => loop n (a :: as)
  loop n []
"""

LENGTH = """theorem length_replicate (n : Nat) (a : α) : (replicate n a).length = n := by
  exact aux n []
where
  aux (n : Nat) (as : List α) : (replicate.loop a n as).length = n + as.length := by
    induction n generalizing as with
    | zero => simp [replicate.loop]
    | succ n ih => simp [replicate.loop, ih]; omega
"""

SUM = """def sumTo (n : Nat) : Nat := go n 0
where
  /-- The numbers up to `n`, added to `acc`. -/
  go : Nat → Nat → Nat
    | 0, acc => acc
    | n + 1, acc => go n (acc + n + 1)
"""

TWO = """def two (n : Nat) : Nat := f n + g n
where
  f (k : Nat) : Nat := k + n
  g (k : Nat) : Nat := f k * 2
"""

COUNT = """def count [DecidableEq α] (x : α) (xs : List α) : Nat := go xs
where go : List α → Nat
  | [] => 0
  | y :: ys => if x = y then go ys + 1 else go ys
"""


@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        (REPLICATE, "@replicate.loop", "{α : Type u_1} → α → Nat → List α → List α"),
        (SUM, "@sumTo.go", "Nat → Nat → Nat"),
        (TWO, "@two.g", "Nat → Nat → Nat"),
        (COUNT, "@count.go", "{α : Type u_1} → [DecidableEq α] → α → List α → Nat"),
        (
            "def id' {α : Type} (x : α) : α := go x\nwhere go (y : α) : α := y\n",
            "@id'.go",
            "{α : Type} → α → α",
        ),
        (
            REPLICATE + LENGTH,
            "@length_replicate.aux",
            "∀ {α : Type u_1} (a : α) (n : Nat) (as : List α), (replicate.loop a n as).length = n + as.length",
        ),
    ],
)
def test_a_function_takes_the_parameters_that_it_mentions(
    text: str, name: str, type_: str, messages: Check
) -> None:
    (message,) = messages(f"{text}#check {name}")
    assert message.partition(" info ")[2].removeprefix("@") == f"{name[1:]} : {type_}"


@pytest.mark.parametrize(
    "text",
    [
        f"{REPLICATE}example : replicate 2 5 = [5, 5] := rfl",
        f"{REPLICATE}example (a : Nat) : replicate.loop a 1 [] = [a] := by simp [replicate.loop]",
        f"{SUM}example : sumTo 10 = 55 := by decide",
        f"{SUM}example (k : Nat) : sumTo.go (k + 1) 0 = sumTo.go k (0 + k + 1) := rfl",
        f"{TWO}example : two 3 = 18 := rfl",
        f"{COUNT}example : count 2 [1, 2, 2] = 2 := rfl",
        # a variable of the same name hides the function
        "def f (n : Nat) : Nat := (fun go => go + 1) (go n)\nwhere go (k : Nat) : Nat := k * k\n"
        "example : f 4 = 17 := rfl",
        "structure S where\n  x : Nat\ndef s : S where\n  x := 1\nexample : s.x = 1 := rfl",
    ],
)  # fmt: skip
def test_the_functions_compute(text: str, messages: Check) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theorem t : False := h\nwhere h : False := h", "no parameters suitable for structural recursion"),
        ("theorem t : False := h\nwhere h : True := trivial", "mismatch"),
        ("theorem t : 1 = 2 := go 1\nwhere go (n : Nat) : n = 2 := by omega", "omega"),
        ("def f (n : Nat) : Nat := go n\nwhere go (k : Nat) : Nat := f k", "mutual recursion of `go`"),
        ("def f (n : Nat) : Nat := a n\nwhere\n  a (k : Nat) : Nat := b k\n  b (k : Nat) : Nat := k", "of `a`"),
        ("example (n : Nat) : Nat := n + (let rec f (x : Nat) : Nat := x; f n)", "without a name"),
        ("example : Nat := go 1\nwhere go (n : Nat) : Nat := n", "without a name"),
        ("def f : Nat := go 1\nwhere\n  go (n : Nat) : Nat := n\n  go (n : Nat) : Nat := n", "already been declared"),
        ("def f.go := 1\ndef f : Nat := go 1\nwhere go (n : Nat) : Nat := n", "already been declared"),
        ("def f : Nat := go 1\nwhere", "unknown identifier `go`"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, message: str, messages: Check) -> None:
    found = [line for line in messages(text) if " error " in line]
    assert found and message in found[0].lower() + found[0]


def test_nothing_is_declared_if_the_definition_fails(messages: Check) -> None:
    text = "def f : Nat := true\nwhere go (n : Nat) : Nat := n\n#check f.go"
    assert [line.partition(":")[0] for line in messages(text)] == ["1", "3"]
