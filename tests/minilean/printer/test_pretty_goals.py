"""Goals as Lean prints them: hypotheses, tags, and line breaks at 120 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from minilean.kernel.expr import Lam, mk_app, mk_const, mk_lam
from minilean.printer.pretty import PrintCache, format_goal

if TYPE_CHECKING:
    from printing_world import World


def chain(op: str, item: str, count: int) -> str:
    """`op item (op item (... item))`."""
    return item if count == 1 else f"{op} ({item}) ({chain(op, item, count - 1)})"


@pytest.fixture
def w(world: World) -> World:
    for text in (
        "x y n m : Nat", "xs : List Nat", "p q : Prop", "splitList : List Nat → Prod (List Nat) (List Nat)",
        "longFunction : Nat → Nat → Nat", "LongPredicate : Nat → Nat → Prop", "f : Nat → Nat",
    ):  # fmt: skip
        world.local(text)
    return world


def test_neighbours_of_one_type_share_a_line(world: World) -> None:
    rows = [
        "α : Type", "a b c : Nat", "h1 h2 : Eq Nat a a", "h3 : Eq Nat b b", "d : Nat",
    ]  # fmt: skip
    assert world.goal("Eq Nat a d", rows) == (
        "α : Type\na b c : Nat\nh1 h2 : a = a\nh3 : b = b\nd : Nat\n⊢ a = d"
    )


def test_bound_names_do_not_matter_for_sharing_a_line(world: World) -> None:
    target = world.read("True")
    rows = [("h", world.read("(x : Nat) → P x"), None), ("h'", world.read("(y : Nat) → P y"), None)]
    assert format_goal(target, rows, world, "") == "h h' : ∀ (x : Nat), P x\n⊢ True"


def test_tag_and_no_hypotheses(world: World) -> None:
    assert world.goal("True", [], "succ.left") == "case succ.left\n⊢ True"
    assert world.goal("True", [], None) == "⊢ True"


def test_let_variables_stand_alone(world: World) -> None:
    rows = ["a : Nat", "x : Nat := + a 1", "y : Nat := x", "b c : Nat"]
    assert world.goal("P x", rows) == "a : Nat\nx : Nat := a + 1\ny : Nat := x\nb c : Nat\n⊢ P x"


def test_a_very_deep_value_is_not_shown(world: World) -> None:
    deep = world.read("Nat.zero")
    for _ in range(254):
        deep = mk_app(mk_const("Nat.succ"), deep)
    nat = world.read("Nat")
    rows = [("x", nat, deep), ("y", nat, mk_app(mk_const("Nat.succ"), deep))]
    lines = format_goal(world.read("True"), rows, world, None).split("\n")
    assert lines[0].startswith("x : Nat :=") and lines[-2] == "y : Nat := ⋯"


def test_daggered_names_are_shown_as_given(world: World) -> None:
    world.local("n : Nat")
    world.names[world.locals["n"].id] = "n✝"
    decls = [("n✝", world.read("Nat"), None), ("a✝", world.read("P n"), None)]
    # a binder `n` does not clash with the inaccessible `n✝`
    target = world.read("(k : Nat) → Eq Nat n k")
    assert format_goal(target, decls, world, "zero") == (
        "case zero\nn✝ : Nat\na✝ : P n✝\n⊢ ∀ (k : Nat), n✝ = k"
    )


def test_names_of_all_hypotheses_count(world: World) -> None:
    world.local("n n_1 : Nat")
    nat = world.read("Nat")
    decls = [("n", nat, None), ("n_1", nat, None)]
    equal = world.read("fun (z : Nat) => Eq Nat z n")
    assert type(equal) is Lam
    # `n_1` does not occur in the term, but is taken all the same
    renamed = mk_lam("n", equal.type, equal.body)
    assert format_goal(renamed, decls, world, None) == "n n_1 : Nat\n⊢ fun n_2 => n_2 = n"
    assert format_goal(world.read("Nat → Nat"), [("Nat", world.read("Type"), None)], world, None) == (
        "Nat : Type\n⊢ _root_.Nat → _root_.Nat"
    )


def test_the_layout_of_a_long_conjunction(w: World) -> None:
    both = "List.cons Nat x (List.cons Nat y xs)"
    first = f"List.length Nat (Prod.fst (List Nat) (List Nat) (splitList ({both})))"
    part = f"< ({first}) (List.length Nat ({both}))"
    assert w.goal(f"And ({part}) ({part})", []) == (
        "⊢ (splitList (x :: y :: xs)).fst.length < (x :: y :: xs).length ∧\n"
        "    (splitList (x :: y :: xs)).fst.length < (x :: y :: xs).length"
    )


def test_exactly_120_columns_fit(world: World) -> None:
    long, short = "a" * 58, "b" * 57
    world.local(f"{long} {short} : Nat")
    assert world.goal(f"Eq Nat {long} {short}", []) == f"⊢ {long} = {short}"
    assert world.goal(f"Eq Nat {long} {long}", []) == f"⊢ {long} =\n    {long}"


LONG = "LongPredicate (longFunction (longFunction n m) m) (longFunction m (f (f n)))"
ITEM = "longFunction (longFunction n m) (longFunction m (f (f n)))"
SHORT = "longFunction (longFunction n m) (longFunction m n)"


def test_a_long_hypothesis_starts_on_the_next_line(w: World) -> None:
    assert w.goal("True", ["h : " + chain("Or", LONG, 3)]) == (
        f"h :\n  {LONG} ∨\n    {LONG} ∨\n      {LONG}\n⊢ True"
    )


def test_a_long_value_starts_on_the_next_line(w: World) -> None:
    # 11 + 58 + 3 + 50 columns on one line, 2 + 111 on the next
    assert w.goal("True", [f"v : Nat := + ({ITEM}) ({SHORT})"]) == (f"v : Nat :=\n  {ITEM} + {SHORT}\n⊢ True")


def test_implications_step_to_the_right(w: World) -> None:
    assert w.goal(f"(n m : Nat) → {LONG} → {LONG} → p", []) == (
        f"⊢ ∀ (n m : Nat),\n    {LONG} →\n      {LONG} → p"
    )


def test_quantifiers_break_after_the_comma(w: World) -> None:
    body = f"Exists Nat (fun (y : Nat) => And ({LONG}) (Eq Nat y (longFunction x (longFunction x y))))"
    assert w.goal(f"Exists Nat (fun (x : Nat) => {body})", []) == (
        f"⊢ ∃ x y,\n    {LONG} ∧ y = longFunction x (longFunction x y)"
    )


def test_an_equation_breaks_after_its_sign_first(w: World) -> None:
    assert w.goal(f"Eq Nat (+ (+ ({ITEM}) ({SHORT})) n) (* ({ITEM}) ({SHORT}))", []) == (
        f"⊢ {ITEM} + {SHORT} + n =\n    {ITEM} * {SHORT}"
    )


def test_long_sums_step_to_the_left(w: World) -> None:
    # as Lean prints the product of two sums of four squares
    w.local("x₁ x₂ x₃ x₄ y₁ y₂ y₃ y₄ : Nat")

    def left(*parts: str) -> str:
        term = parts[0]
        for op, right in zip(parts[1::2], parts[2::2], strict=True):
            term = f"({op} {term} {right})"
        return term

    def square(term: str) -> str:
        return f"(^ {term} 2)"

    def squares(v: str) -> str:
        first, *others = [square(f"{v}{i}") for i in "₁₂₃₄"]
        return left(first, *[part for other in others for part in ("+", other)])

    def row(signs: str, order: str) -> str:
        products = [f"(* x{i} y{j})" for i, j in zip("₁₂₃₄", order, strict=True)]
        flat = [products[0]]
        for sign, product in zip(signs, products[1:], strict=True):
            flat += [sign, product]
        return square(left(*flat))

    total = left(
        row("---", "₁₂₃₄"), "+", row("++-", "₂₁₄₃"), "+", row("-++", "₃₄₁₂"), "+", row("+-+", "₄₃₂₁")
    )
    assert w.pp(f"Eq Nat (* {squares('x')} {squares('y')}) {total}") == (
        "(x₁ ^ 2 + x₂ ^ 2 + x₃ ^ 2 + x₄ ^ 2) * (y₁ ^ 2 + y₂ ^ 2 + y₃ ^ 2 + y₄ ^ 2) =\n"
        "  (x₁ * y₁ - x₂ * y₂ - x₃ * y₃ - x₄ * y₄) ^ 2 + (x₁ * y₂ + x₂ * y₁ + x₃ * y₄ - x₄ * y₃) ^ 2 +\n"
        "      (x₁ * y₃ - x₂ * y₄ + x₃ * y₁ + x₄ * y₂) ^ 2 +\n"
        "    (x₁ * y₄ + x₂ * y₃ - x₃ * y₂ + x₄ * y₁) ^ 2"
    )


def test_long_arguments_go_below_the_function(w: World) -> None:
    assert w.goal(f"LongPredicate (longFunction ({SHORT}) ({SHORT})) (+ ({SHORT}) n)", []) == (
        f"⊢ LongPredicate\n    (longFunction ({SHORT})\n      ({SHORT}))\n    ({SHORT} + n)"
    )


def test_a_function_may_start_on_the_line_of_its_application(w: World) -> None:
    assert w.pp(f"id (Nat → Nat) (fun (z : Nat) => + ({ITEM}) ({SHORT}))") == (
        f"id fun z =>\n  {ITEM} + {SHORT}"
    )


def test_a_conditional_puts_else_on_a_line_of_its_own(w: World) -> None:
    assert w.goal(f"Eq Nat (ite Nat p (dec p) (+ ({ITEM}) n) ({ITEM})) m", []) == (
        f"⊢ (if p then {ITEM} + n\n    else {ITEM}) =\n    m"
    )


def test_width_and_indentation_of_terms_in_messages(w: World) -> None:
    text = "Eq Nat (longFunction n m) (longFunction m n)"
    assert w.pp(text, width=40) == "longFunction n m = longFunction m n"
    assert w.pp(text, width=30) == "longFunction n m =\n  longFunction m n"
    assert w.pp(text, width=36, indent=2) == "longFunction n m =\n    longFunction m n"


def test_the_cache_gives_the_same_goals(w: World) -> None:
    cache = PrintCache()
    nat, hyp, target = w.read("Nat"), w.read("P n"), w.read("Eq Nat n m")
    rows = [("n", nat, None), ("m", nat, None), ("h", hyp, None)]
    first = format_goal(target, rows, w, None, cache=cache)
    assert first == format_goal(target, rows, w, None, cache=cache) == "n m : Nat\nh : P n\n⊢ n = m"
    # another variable `P` in scope, another name for `n`: the cached text does not apply any more
    shadowed = [("P", nat, None), *rows]
    assert "h : _root_.P n" in format_goal(target, shadowed, w, None, cache=cache)
    w.names[w.locals["n"].id] = "k"
    assert format_goal(target, [("k", nat, None), *rows[1:]], w, None, cache=cache).endswith(
        "h : P k\n⊢ k = m"
    )
