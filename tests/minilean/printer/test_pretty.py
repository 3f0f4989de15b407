"""Terms as Lean prints them: the texts that 4.34's delaborator, parenthesizer and core notations give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from minilean.kernel.expr import mk_app, mk_apps, mk_bvar, mk_const, mk_lit, mk_pi
from minilean.printer.pretty import PrintCache, format_expr

if TYPE_CHECKING:
    from printing_world import World


@pytest.fixture
def w(world: World) -> World:
    for text in (
        "n m k : Nat", "p q r : Prop", "xs ys : List Nat", "b : Bool", "f : Nat → Nat", "g : Nat → Nat → Nat",
        "pr : Prod Nat Nat", "i : Fin n", "h : And p q", "hp : p", "he : Eq Nat n m", "a : (x : Nat) → P x",
        "H : (x : Nat) → {y : Nat} → P x → P y",
    ):  # fmt: skip
        world.local(text)
    return world


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("And p (And q r)", "p ∧ q ∧ r"),
        ("And (And p q) r", "(p ∧ q) ∧ r"),
        ("Or (And p q) r", "p ∧ q ∨ r"),
        ("And (Or p q) r", "(p ∨ q) ∧ r"),
        ("Iff p (Iff q r)", "p ↔ (q ↔ r)"),
        ("Not (Not p)", "¬¬p"),
        ("Not (And p q)", "¬(p ∧ q)"),
        ("Not (Eq Nat n m)", "¬n = m"),
        ("Ne Nat n m", "n ≠ m"),
        ("Not (< n m)", "¬n < m"),
        ("And (Not p) q", "¬p ∧ q"),
        ("Eq Prop (Not p) q", "(¬p) = q"),
        ("Not p → False", "¬p → False"),
        ("(p → q) → r", "(p → q) → r"),
        ("p → q → r", "p → q → r"),
        ("Or p (q → r)", "p ∨ (q → r)"),
        ("+ n (+ m k)", "n + (m + k)"),
        ("+ (+ n m) k", "n + m + k"),
        ("* (+ n m) k", "(n + m) * k"),
        ("+ n (* m k)", "n + m * k"),
        ("- n (- m k)", "n - (m - k)"),
        ("^ n (^ m k)", "n ^ m ^ k"),
        ("^ (^ n m) k", "(n ^ m) ^ k"),
        ("% n 2", "n % 2"),
        ("Eq Bool (Bool.and (Bool.not b) b) Bool.true", "(!b && b) = true"),
        ("Eq Bool (Bool.not b) Bool.false", "(!b) = false"),
        ("Eq Bool (Decidable.decide p (dec p)) Bool.true", "decide p = true"),
        ("Neg.neg Nat instInh 1", "-1"),
        ("Neg.neg Nat instInh (Neg.neg Nat instInh n)", "- -n"),
        ("+ (Neg.neg Nat instInh n) m", "-n + m"),
        ("^ (Neg.neg Nat instInh n) m", "(-n) ^ m"),
        ("f (Neg.neg Nat instInh n)", "f (-n)"),
        ("Function.comp Nat Nat Nat f (Function.comp Nat Nat Nat f f)", "f ∘ f ∘ f"),
        ("Function.comp Nat Nat Nat f f n", "(f ∘ f) n"),
        ("Prod Nat (Prod Nat Nat)", "Nat × Nat × Nat"),
        ("Prod (Prod Nat Nat) Nat", "(Nat × Nat) × Nat"),
        ("Membership.mem Nat (List Nat) instInhL xs n", "n ∈ xs"),
        ("Not (Membership.mem Nat (List Nat) instInhL xs n)", "¬n ∈ xs"),
        ("≥ n m", "n ≥ m"),
        ("HAppend.hAppend (List Nat) (List Nat) (List Nat) instInhL xs ys", "xs ++ ys"),
        ("Eq.ndrec Nat n (fun (x : Nat) => Nat) k m he", "he ▸ k"),
    ],
)
def test_operators_and_parentheses(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("(x : Nat) → P x", "∀ (x : Nat), P x"),
        ("(x : Nat) → (y : Nat) → P (+ x y)", "∀ (x y : Nat), P (x + y)"),
        ("(x : Nat) → (c : Bool) → Eq Nat x 1", "∀ (x : Nat) (c : Bool), x = 1"),
        ("(x : Nat) → (y : Fin x) → Eq Nat x 1", "∀ (x : Nat) (y : Fin x), x = 1"),
        ("{x : Nat} → P x", "∀ {x : Nat}, P x"),
        ("{x : Nat} → (y : Nat) → P (+ x y)", "∀ {x : Nat} (y : Nat), P (x + y)"),
        ("⦃x : Nat⦄ → P x", "∀ ⦃x : Nat⦄, P x"),
        ("[inst : Inhabited Nat] → P n", "∀ [inst : Inhabited Nat], P n"),
        ("[inst✝ : Inhabited Nat] → P n", "∀ [Inhabited Nat], P n"),
        ("(x : Nat) → True", "∀ (x : Nat), True"),
        ("Nat → Nat → (c : Nat) → P c", "∀ (a a c : Nat), P c"),
        ("(x : Nat) → Eq Nat x 1 → P x", "∀ (x : Nat), x = 1 → P x"),
        ("(x : Nat) → P x → (y : Nat) → P y", "∀ (x : Nat), P x → ∀ (y : Nat), P y"),
        ("(s t : Prop) → s → t → And s t", "∀ (s t : Prop), s → t → s ∧ t"),
        ("(α : Type u) → (x : α) → True", "∀ (α : Type u) (x : α), True"),
        ("(x : Nat) → Nat", "Nat → Nat"),
        ("(x : Nat) → Fin x", "(x : Nat) → Fin x"),
        ("(x y : Nat) → Fin (+ x y)", "(x y : Nat) → Fin (x + y)"),
        ("{x : Nat} → Fin x → Nat", "{x : Nat} → Fin x → Nat"),
        ("(T : Type) → [inst : C T] → Nat", "(T : Type) → [inst : C T] → Nat"),
        ("And ((x : Nat) → P x) q", "(∀ (x : Nat), P x) ∧ q"),
        ("And q ((x : Nat) → P x)", "q ∧ ∀ (x : Nat), P x"),
        ("((x : Nat) → P x) → q", "(∀ (x : Nat), P x) → q"),
        ("Exists Nat (fun (x : Nat) => P x)", "∃ x, P x"),
        ("Exists Nat (fun (x : Nat) => Exists Nat (fun (y : Nat) => Eq Nat x y))", "∃ x y, x = y"),
        ("And (Exists Nat (fun (x : Nat) => P x)) q", "(∃ x, P x) ∧ q"),
        ("Exists Nat (fun (x : Nat) => And (P x) q)", "∃ x, P x ∧ q"),
        ("Exists Nat P", "Exists P"),
        ("fun (x y : Nat) => + x y", "fun x y => x + y"),
        ("fun (x : Nat) => fun (c : Bool) => x", "fun x c => x"),
        ("fun {x : Nat} => x", "fun {x} => x"),
        ("fun {x y : Nat} (z : Nat) => x", "fun {x y} z => x"),
        ("fun [inst : Inhabited Nat] => n", "fun [Inhabited Nat] => n"),
        ("fun (x✝ : Nat) => 0", "fun x => 0"),
        ("fun (_ : Nat) => 0", "fun x => 0"),
        ("(fun (x : Nat) => x) n", "(fun x => x) n"),
        ("Subtype Nat (fun (x : Nat) => P x)", "{ x // P x }"),
        ("Sigma Nat (fun (x : Nat) => Fin x)", "(x : Nat) × Fin x"),
        ("Sigma Nat (fun (x : Nat) => Nat)", "(_ : Nat) × Nat"),
        ("let x : Nat := 1; + x 1", "let x := 1;\nx + 1"),
        ("have x : Nat := 1; + x 1", "have x := 1;\nx + 1"),
        ("+ n (let x : Nat := + n n; + n x)", "n +\n  let x := n + n;\n  n + x"),
    ],
)
def test_binders(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("(n : Nat) → P n", "∀ (n : Nat), P n"),
        ("(x : Nat) → (x : Nat) → P x", "∀ (x x : Nat), P x"),
        ("fun (x x : Nat) => 0", "fun x x_1 => 0"),
        ("fun (x : Nat) => id (Nat → Nat) (fun (x : Nat) => 0)", "fun x => id fun x => 0"),
        ("fun (n : Nat) => + n 1", "fun n => n + 1"),
        ("let x : Nat := 0; let x : Nat := 5; x", "let x := 0;\nlet x := 5;\nx"),
    ],
)  # fmt: skip
def test_binders_may_hide_what_is_not_used(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


def test_a_binder_never_captures(w: World) -> None:
    body = w.read("g")
    captured = mk_pi("n", w.read("Nat"), mk_app(w.read("P"), mk_apps(body, [mk_bvar(0), w.read("n")])))
    assert format_expr(captured, w) == "∀ (n_1 : Nat), P (g n_1 n)"
    w.local("n_1 : Nat")
    both = w.read("g n n_1")
    inner = mk_app(w.read("P"), mk_apps(body, [mk_bvar(0), both]))
    assert format_expr(mk_pi("n", w.read("Nat"), inner), w) == "∀ (n_2 : Nat), P (g n_2 (g n n_1))"
    outer = mk_pi("x", w.read("Nat"), mk_pi("x", w.read("Nat"), mk_app(w.read("P"), mk_bvar(1))))
    assert format_expr(outer, w) == "∀ (x x_1 : Nat), P x"


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Nat.succ n", "n.succ"),
        ("Nat.succ (f n)", "(f n).succ"),
        ("Nat.succ (Nat.succ n)", "n.succ.succ"),
        ("Nat.succ (+ n 1)", "(n + 1).succ"),
        ("Nat.succ 0", "Nat.succ 0"),
        ("Nat.succ (raw 0)", "Nat.succ 0"),
        ("Nat.zero", "Nat.zero"),
        ("Nat.le n m", "n.le m"),
        ("Nat.le 0 m", "Nat.le 0 m"),
        ("Nat.plus 0 k", "Nat.plus 0 k"),
        ("Nat.le_refl n", "Nat.le_refl n"),
        ("List.length Nat xs", "xs.length"),
        ("List.length Nat (List.cons Nat n xs)", "(n :: xs).length"),
        ("List.length Nat (List.cons Nat 1 (List.nil Nat))", "[1].length"),
        ("List.length Nat (List.map Nat Nat f (List.reverse Nat xs))", "(List.map f xs.reverse).length"),
        ("Prod.fst Nat Nat pr", "pr.fst"),
        ("Prod.fst Nat Nat (Prod.mk Nat Nat 1 2)", "(1, 2).fst"),
        ("And.left p q h", "h.left"),
        ("proj And 0 h", "h.1"),
        ("Nat.rec (fun (x : Nat) => Nat) 0 (fun (n ih : Nat) => Nat.succ ih) n",
         "Nat.rec 0 (fun n ih => ih.succ) n"),
        ("Nat.rec (fun (x : Nat) => Nat → Nat) f (fun (n : Nat) (ih : Nat → Nat) => ih) n m",
         "Nat.rec (motive := fun x => Nat → Nat) f (fun n ih => ih) n m"),
        ("Fin.val n i", "↑i"),
        ("f (Fin.val n i)", "f ↑i"),
        ("g (Fin.val n i) n", "g (↑i) n"),
        ("Nat.succ (Fin.val n i)", "(↑i).succ"),
        ("Nat.cast Nat instInh (+ n 1)", "↑(n + 1)"),
    ],
)  # fmt: skip
def test_field_notation_and_coercions(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("List.nil Nat", "[]"),
        ("List.cons Nat 1 (List.cons Nat 2 (List.nil Nat))", "[1, 2]"),
        ("List.cons Nat n (List.cons Nat m xs)", "n :: m :: xs"),
        ("Prod.mk Nat (Prod Nat Nat) 1 (Prod.mk Nat Nat 2 3)", "(1, 2, 3)"),
        ("Prod.mk (Prod Nat Nat) Nat pr 3", "(pr, 3)"),
        ("Foo.mk 3 (Eq.refl Nat 3) xs", "{ val := 3, ok := ⋯, deep := xs }"),
        ("Fin.mk n 0 (sorryAx (< 0 n) Bool.true)", "⟨0, ⋯⟩"),
        ("Subtype.mk Nat P n (a n)", "⟨n, ⋯⟩"),
        ("fun (hx : P n) => Subtype.mk Nat P n hx", "fun hx => ⟨n, hx⟩"),
        ("ite Nat p (dec p) 1 2", "if p then 1 else 2"),
        ("+ (ite Nat p (dec p) 1 2) 1", "(if p then 1 else 2) + 1"),
        ("dite Nat p (dec p) (fun (h : p) => 1) (fun (h : Not p) => 2)", "if h : p then 1 else 2"),
        ("Unit.unit", "()"),
        ("Bool.true", "true"),
        ("Inhabited.default Nat instInh", "default"),
        ("sorryAx Nat Bool.true", "sorry"),
    ],
)
def test_data(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


def test_string_literals(w: World) -> None:
    assert format_expr(mk_lit('a "b"\n\\\t\x01é'), w) == r'"a \"b\"\n\\\t\x01é"'


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("And.intro p q hp (And.left q p (sorryAx (And q p) Bool.true))", "⟨hp, sorry.left⟩"),
        ("Eq.refl Nat (+ n 1)", "Eq.refl (n + 1)"),
        ("Exists.intro Nat P n (a n)", "Exists.intro n (a n)"),
        ("Iff.intro p p (fun (x : p) => x) (fun (x : p) => x)", "{ mp := fun x => x, mpr := fun x => x }"),
    ],
)
def test_a_proof_shows_the_proofs_in_it(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Eq", "@Eq"),
        ("rfl", "@rfl"),
        ("List.nil", "@List.nil"),
        ("Eq Nat", "Eq"),
        ("Eq Nat n", "Eq n"),
        ("List.cons Nat n", "List.cons n"),
        ("HAdd.hAdd Nat Nat Nat instHAdd n", "HAdd.hAdd n"),
        ("ite Nat p", "@ite Nat p"),
        ("Implicit n", "@Implicit n"),
        ("f", "f"),
        ("H n", "@H n"),
        ("id Nat n", "id n"),
        ("id (Nat → Nat) f n", "id f n"),
        ("g (f n) (g n 1)", "g (f n) (g n 1)"),
        ("List.map Nat Nat (fun (x : Nat) => + x 1) xs", "List.map (fun x => x + 1) xs"),
        ("Decidable.decide (Not p) (dec p)", "decide ¬p"),
    ],
)
def test_implicit_arguments_and_where_an_at_sign_is_needed(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Prop", "Prop"),
        ("Type", "Type"),
        ("Type u", "Type u"),
        ("Type (u + 1)", "Type (u + 1)"),
        ("Sort u", "Sort u"),
        ("Sort (max 1 u)", "Sort (max 1 u)"),
        ("Sort (max (u + 1) (v + 1))", "Type (max u v)"),
        ("Type (max u (max v w))", "Type (max u v w)"),
        ("Type ?u", "Type ?u.7"),
        ("C (Type u)", "C (Type u)"),
        ("C Type → Prop", "C Type → Prop"),
    ],
)
def test_sorts(w: World, term: str, expected: str) -> None:
    assert w.pp(term) == expected


def test_metavariables(w: World) -> None:
    w.mvar("w", "Nat")
    w.mvar("m.5", "Nat → Nat")
    w.mvar("strange")
    w.mvar("later", "Nat → Nat", delayed="w")
    assert w.pp("Eq Nat (f ?w) (?m.5 n)") == "f ?w = ?m.5 n"
    assert w.pp("Nat.succ ?w") == "Nat.succ ?w"
    assert w.pp("Nat.succ (?m.5 n)") == "Nat.succ (?m.5 n)"
    assert w.pp("f (?later n)") == "f ?w"
    assert w.pp("?later (f n)") == "?later (f n)"
    # its type is unknown: all arguments are explicit, and none is a proof
    assert w.pp("?strange n (f n)") == "?strange n (f n)"


def test_names_that_mean_something_else_here(w: World) -> None:
    w.local("P : Nat → Prop")
    taken = mk_apps(mk_const("And"), [mk_app(mk_const("P"), w.read("n")), w.read("P n")])
    assert format_expr(taken, w) == "_root_.P n ∧ P n"
    assert format_expr(mk_const("Unknown.constant"), w) == "Unknown.constant"
    w.view = ("Nat",)
    assert w.pp("Nat.succ 0") == "succ 0"
    assert w.pp("Nat.zero") == "zero"
    assert w.pp("List.length Nat xs") == "xs.length"


def test_deep_terms_are_cut_as_lean_cuts_them(w: World) -> None:
    chain = w.read("p")
    for _ in range(5000):
        chain = mk_app(mk_const("Not"), chain)
    assert format_expr(chain, w) == "¬" * 51 + "⋯"
    shallow = w.read("p")
    for _ in range(60):
        shallow = mk_app(mk_const("Not"), shallow)
    assert format_expr(shallow, w) == "¬" * 60 + "p"


def test_long_terms_are_cut_after_5000_subterms(w: World) -> None:
    wide = w.read("g n n")
    for _ in range(14):
        wide = mk_apps(w.read("g"), [wide, wide])
    text = format_expr(wide, w)
    # a step for each application, one for its head `g`, one for each `n`; the rest is left out
    assert 2 * text.count("g") + text.count("n") == 5000
    assert text.endswith("⋯")


def test_large_numbers_print_whole(w: World) -> None:
    assert format_expr(mk_lit(10**10_000), w) == "1" + "0" * 10_000


def test_loose_variables_print_as_such(w: World) -> None:
    assert format_expr(mk_app(w.read("f"), mk_bvar(2)), w) == "f #2"


def test_the_cache_changes_nothing(w: World) -> None:
    cache = PrintCache(limit=3)
    terms = [w.read(text) for text in ("P n", "(x : Nat) → P x", "Eq Nat n m", "And p q", "P n")]
    for _ in range(2):
        assert [format_expr(t, w, cache=cache) for t in terms] == [format_expr(t, w) for t in terms]
    w.names[w.locals["n"].id] = "n✝"
    assert format_expr(terms[0], w, cache=cache) == "P n✝"
