"""For every text the parser returns a tree or raises `ParseError`, with correct offsets."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minilean
from minilean.syntax import ast
from minilean.syntax.cursor import MAX_DEPTH
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_commands, parse_statement, parse_tactics, parse_term

PARSERS = (parse_commands, parse_statement, parse_tactics, parse_term)
TOO_DEEP = "maximum recursion depth has been reached"


def attempt(parse: Callable[[str], object], text: str) -> str:
    """The error's message, or `ok`."""
    try:
        parse(text)
    except ParseError as error:
        return error.message
    return "ok"


def at_depth(frames: int, call: Callable[[], str]) -> str:
    """Return the result of `call` with that many frames on the stack, independently of the test runner."""

    def descend(missing: int) -> str:
        return descend(missing - 1) if missing > 0 else call()

    return descend(frames - sum(1 for _ in traceback.walk_stack(None)))


# The repeated text and its closing text, for every construct that nests.
NESTING_TERMS = [
    "(", "⟨", "[", "f (", "f (x : ", "f (n := ", "@", "↑ ", "¬", "! ", "- ", "p → ", "p ∧ ", "p ↔ (", "p = (",
    "fun x => ", "fun (x : ", "fun | x => ", "∀ x, ", "∀ x : ", "∀ (x : ", "∃ x ∈ ", "have x := ",
    "have x (y : ", "let x := ", "suffices p from ", "show p from ", "if ", "if p then x else ", "match ",
    "match x with | x => ", "calc ", "calc a = b := ", "by exact ", "by simp [",
    "by cases x with | a => exact ", "by match x with | x => exact ", "{x : ", "{x // ", "{x := ", "⦃x : ",
    "[x : ", "‹", "nomatch ", "x <| ", "h ▸ ", "x :: ", "2 ^ ",
]  # fmt: skip
NESTING_TACTICS = [
    "· ", "(", "{ ", "try ", "all_goals ", "iterate 2 ", "first | ", "case x => ", "cases x with | x => ",
    "cases x with ", "match x with | x => ", "rcases x with ⟨x : by ", "rintro ⟨x : by rintro ",
    "have x := by ", "suffices p by ", "calc a = b := by ", "rw [by ", "simp [by ", "generalize by ",
    "intro (by ", "exact by ",
]  # fmt: skip


@pytest.mark.parametrize("unit", NESTING_TERMS)
@pytest.mark.parametrize("repeats", [MAX_DEPTH - 1, 10_000])
def test_deep_terms(unit: str, repeats: int) -> None:
    assert sys.getrecursionlimit() <= 1000
    message = at_depth(300, lambda: attempt(parse_term, unit * repeats + "x"))
    if repeats > MAX_DEPTH:
        assert message == TOO_DEEP


@pytest.mark.parametrize("unit", NESTING_TACTICS)
@pytest.mark.parametrize("repeats", [MAX_DEPTH - 1, 10_000])
def test_deep_tactics(unit: str, repeats: int) -> None:
    message = at_depth(300, lambda: attempt(parse_tactics, unit * repeats + "skip"))
    if repeats > MAX_DEPTH:
        assert message == TOO_DEEP


@pytest.mark.parametrize(
    "text",
    [
        "x" + " + x" * 10_000,
        "x" + ".1" * 10_000,
        "(x)" + ".a" * 10_000,
        "x" + " |> f" * 10_000,
        "x" + " |>.f" * 10_000,
        "f" + " x" * 10_000,
        "[" + "x, " * 10_000 + "x]",
        "(" + "x, " * 10_000 + "x)",
        "fun" + " x" * 10_000 + " => x",
        "∀ (" + "x " * 10_000 + ": A), x",
        "rcases x with " + "⟨" * 10_000,
        "Type " + "(" * 10_000,
        "Type (" + "max " * 10_000,
        "skip" + " <;> skip" * 10_000,
    ],
)
def test_tall_trees_are_refused_even_when_nothing_nests(text: str) -> None:
    assert TOO_DEEP in {attempt(parse_term, text), attempt(parse_tactics, text)}


def test_trees_up_to_the_bounds_are_accepted() -> None:
    assert attempt(parse_term, "p → " * (MAX_DEPTH - 1) + "p") == "ok"
    assert attempt(parse_term, "x" + " + x" * 200) == "ok"
    assert attempt(parse_term, "(" * (MAX_DEPTH - 1) + "x" + ")" * (MAX_DEPTH - 1)) == "ok"
    assert attempt(parse_tactics, "skip\n" * 10_000) == "ok"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000, "x" * 10**6, " " * 10**6, "\n" * 10**6, "/-" * 500_000, '"' + "\\a" * 500_000,
        "«" * 10**6, "exact " * 170_000, "a." * 500_000, "9" * 10**6, "\0" * 10**6, "--" * 500_000,
        "| " * 500_000, "]" * 10**6,
    ],
    ids=lambda text: repr(text[:6]),
)  # fmt: skip
def test_a_megabyte_of_garbage(text: str) -> None:
    for parse in (parse_commands, parse_statement, parse_tactics):
        message = attempt(parse, text)
        assert message != "ok" or (parse is parse_commands and not text.strip(" \n-"))


SCRIPTS = [
    "intro h\ncases h with\n| inl a => exact Or.inr a\n| inr b =>\n  left\n  exact b",
    "induction n with\n| zero => rfl\n| succ n ih => rw [Nat.add_succ, ih]",
    "obtain ⟨x, hx | hy⟩ := h <;> simp_all [f, ← g] at *",
    "have h : ∀ x ∈ l, p x := by\n  intro x hx\n  exact (fun y => ⟨y, by simp⟩) x\ncalc a = b := h\n"
    "  _ = c := by omega",
    "refine ⟨?_, fun (x : Nat) => ?_⟩\n· exact h.1.2\n· first | rfl | (ring; skip)",
    "theorem t (p q : Prop) [inst : C p] : p ∧ q → q ∧ p := fun ⟨a, b⟩ => ⟨b, a⟩",
    "structure S (α : Type u) extends T α where\n  mk ::\n  x : α := {y := 1}.y\n  deriving R",
    'fun | 0 => a | n + 1 => if h : n > 0 then "x" else match n with | _ => -1 ^ 2 ▸ b',
]
VOCABULARY = (
    sorted(set(" ".join(SCRIPTS).split()))
    + list("()[]{}⟨⟩|;·,.:_@?\\\"'«»\t\0")
    + ["\n", "\n  ", " by ", ":=", "=>", "<;>"]
)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_random_text(text: str) -> None:
    for parse in PARSERS:
        attempt(parse, text)


@given(st.lists(st.sampled_from(VOCABULARY), max_size=25), st.sampled_from([" ", "", "\n"]))
@settings(max_examples=600, deadline=None)
def test_random_tokens(words: list[str], glue: str) -> None:
    for parse in PARSERS:
        attempt(parse, glue.join(words))


@given(st.sampled_from(SCRIPTS), st.data())
@settings(max_examples=600, deadline=None)
def test_mutated_scripts(script: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(script)))
    end = data.draw(st.integers(start, min(len(script), start + 12)))
    middle = data.draw(st.one_of(st.just(""), st.sampled_from(VOCABULARY), st.just(script[start:end] * 2)))
    mutated = script[:start] + middle + script[end:]
    for parse in PARSERS:
        try:
            tree = parse(mutated)
        except ParseError as error:
            assert 0 <= error.offset <= len(mutated)
            assert str(error).startswith(f"<input>:{error.line}:{error.column}: ")
            continue
        for top in tree if isinstance(tree, list) else [tree]:
            check_offsets(top, mutated)


def children(value: object) -> Iterator[ast.Node]:
    if isinstance(value, tuple):
        for item in value:
            yield from children(item)
    elif isinstance(value, ast.Node):
        yield value


def below(node: ast.Node) -> Iterator[ast.Node]:
    for field in fields(node):
        yield from children(getattr(node, field.name))


def check_offsets(node: ast.Node, text: str) -> None:
    """No node is empty or begins or ends with white space, and each lies within its parent."""
    piece = text[node.start : node.end]
    assert 0 <= node.start < node.end <= len(text)
    assert piece == piece.strip()
    for child in below(node):
        assert node.start <= child.start
        assert child.end <= node.end
        check_offsets(child, text)


def placed_at_zero(node: ast.Node) -> ast.Node:
    """The tree with all offsets zero, for comparing two."""

    def stripped(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(stripped(item) for item in value)
        return placed_at_zero(value) if isinstance(value, ast.Node) else value

    inner = {f.name: stripped(getattr(node, f.name)) for f in fields(node) if f.name not in ("start", "end")}
    return replace(node, start=0, end=0, **inner)


def all_terms(node: ast.Node) -> Iterator[ast.Term]:
    if isinstance(node, ast.Term):
        yield node
    for child in below(node):
        yield from all_terms(child)


ONE_LINERS = [
    "exact f.{u} (x : A) (n := 1) h.left.1.b.2 (g _ ?_ ?a .succ) |>.map k",
    "exact fun x (y : A) {z} ⟨a, b⟩ [C x] => ∀ u ∈ l, ∃ v w : B, ¬u = v ∧ -w + 1 ≤ 2 * 3 ^ n",
    "exact (x y : A) → {z : B} → [C z] → ⦃w : D⦄ → if h : p then [a, b] else (1, \"s\")",
    "rw [← f x, g] at h; simp only [a, -b, ← c d] at *; rcases h with ⟨x, (y | z) : p ∧ q⟩",
    "exact show p from (match x, y with | 0, _ => a | n + 1, .c m => by simpa [h] using k e)",
    "induction n using r generalizing x with | zero => exact a b | succ n ih => cases (f n) with | c => rfl",
    "generalize h : a + b = c; by_cases k : p ∨ q <;> first | exact (· + 1) | apply @f _ (sorry)",
]  # fmt: skip


@pytest.mark.parametrize("script", ONE_LINERS)
def test_the_text_of_a_term_parses_to_that_term(script: str) -> None:
    tree = parse_tactics(script)
    check_offsets(tree, script)
    for term in all_terms(tree):
        assert placed_at_zero(parse_term(script[term.start : term.end])) == placed_at_zero(term)


LIBRARY = Path(minilean.__file__).parent / "library"


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.lean")), ids=lambda path: path.stem)
def test_offsets_in_the_library(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    commands = parse_commands(text)
    for command in commands:
        check_offsets(command, text)
    ends = [command.end for command in commands]
    assert ends == sorted(ends)


SIDE_BY_SIDE = [
    "inductive T where\n" + "  | c (a b c d e f g : Nat)\n" * 60,
    "mutual\n"
    + ("inductive T : Nat → Prop where\n" + "  | c (a b c d : Nat) (h : a = b) : T a → T b\n" * 60) * 3
    + "end\n",
    "def f : T → Nat\n" + "  | .c a b c d e f g => a + b + c + d\n" * 300,
    "def f (x : T) : Nat := match x with\n" + "  | .c a b c d e f g => fun a b c d => a\n" * 300,
    "def f (x : T) : T := { x with " + ", ".join(f"a{i} := g 1 2 3" for i in range(300)) + " }",
    "def f (x : T) : T where\n" + "".join(f"  a{i} := g 1 2 3\n" for i in range(300)),
    "def f : Nat := 1\nwhere\n" + "".join(f"  g{i} (a b c : Nat) : Nat := a + b\n" for i in range(300)),
    "theorem t : p := by\n  cases x with\n" + "  | c a b c d e f g => exact h a b c d\n" * 300,
    "theorem t : p := by\n" + "  have h (a b c d : Nat) : a + b = b := g a b c d\n" * 300 + "  exact h\n",
    "theorem t : p := by\n  induction x\n" + "  case c a b c d e f g => exact h a b c d\n" * 300,
    "theorem t : p := by\n" + "  · exact h a b c d e f g\n" * 300,
    "theorem t : p := by\n  simp [" + ", ".join(["f a b c d"] * 300) + "]\n",
]


@pytest.mark.parametrize("text", SIDE_BY_SIDE)
def test_parts_side_by_side_are_not_deep(text: str) -> None:
    """Only what is inside something else counts, however many parts there are."""
    assert attempt(parse_commands, text) == "ok"
