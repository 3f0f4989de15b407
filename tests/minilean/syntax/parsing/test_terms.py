"""Text of a term and the tree it must give; operators come first in the trees, see `conftest`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_term

Shown = Callable[[object], str]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("p → q → r", "(→ p (→ q r))"),
        ("p ∧ q ∧ r", "(∧ p (∧ q r))"),
        ("p ∧ q ∨ r ∧ s", "(∨ (∧ p q) (∧ r s))"),
        ("p ∨ q → r ↔ s", "(↔ (→ (∨ p q) r) s)"),
        ("p ↔ q → r", "(↔ p (→ q r))"),
        ("¬p ∧ q", "(∧ (¬ p) q)"),
        ("¬a = b", "(¬ (= a b))"),
        ("¬¬p → q", "(→ (¬ (¬ p)) q)"),
        ("a = b ∧ c ≤ d", "(∧ (= a b) (≤ c d))"),
        ("a = b → c", "(→ (= a b) c)"),
        ("a + b + c", "(+ (+ a b) c)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("a * b / c % d", "(% (/ (* a b) c) d)"),
        ("a ^ b ^ c", "(^ a (^ b c))"),
        ("a * b ^ 2 + c", "(+ (* a (^ b 2)) c)"),
        ("-a + b", "(+ (- a) b)"),
        ("-a ^ 2", "(- (^ a 2))"),
        ("a * -b", "(* a (- b))"),
        ("- a * b", "(* (- a) b)"),
        ("a - -1", "(- a (- 1))"),
        ("a :: b :: c ++ d", "(++ (:: a (:: b c)) d)"),
        ("a ++ b ++ c = d", "(= (++ (++ a b) c) d)"),
        ("a ∈ b ∧ c ∉ d", "(∧ (∈ a b) (∉ c d))"),
        ("a ∈ l ++ m", "(∈ a (++ l m))"),
        ("a ∣ b + c", "(∣ a (+ b c))"),
        ("α × β × γ → δ", "(→ (× α (× β γ)) δ)"),
        ("f ∘ g ∘ h", "(∘ f (∘ g h))"),
        ("a && b || !c && d", "(|| (&& a b) (&& (! c) d))"),
        ("a && b && c", "(&& (&& a b) c)"),
        ("a == b", "(== a b)"),
        ("a != b", "(!= a b)"),
        ("a ≍ b", "(≍ a b)"),
        ("h ▸ g ▸ e", "(▸ h (▸ g e))"),
        ("a = h ▸ b", "(= a (▸ h b))"),
        ("f <| g <| x", "(<| f (<| g x))"),
        ("x |> f |> g", "(|> (|> x f) g)"),
        ("f x <| a ∧ b", "(<| (f x) (∧ a b))"),
        ("xs |>.map f |>.length", "(. ((. xs map) f) length)"),
        ("p |>.1", "(. p 1)"),
        ("p /\\ q \\/ r -> s <-> t", "(↔ (→ (∨ (∧ p q) r) s) t)"),
        ("a <= b", "(≤ a b)"),
    ],
)
def test_operators(text: str, tree: str, shown: Shown) -> None:
    assert shown(parse_term(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("f x y", "(f x y)"),
        ("f x + g y", "(+ (f x) (g y))"),
        ("f (g x) _ ?_ ?a", "(f (paren (g x)) _ ?_ ?a)"),
        ("f (n := 1) x", "(f (n := 1) x)"),
        ("@f _ x", "((@ f) _ x)"),
        ("@h.left", "(@ h.left)"),
        ("f ¬p", "(f (¬ p))"),
        ("f ¬p ∧ q", "(∧ (f (¬ p)) q)"),
        ("f -x", "(- f x)"),
        ("f .zero", "(f .zero)"),
        (".succ n", "(.succ n)"),
        ("f fun x => x", "(f (fun (x) => x))"),
        ("f x fun y => y + 1", "(f x (fun (y) => (+ y 1)))"),
        ("p ∧ ∀ x, q x", "(∧ p (∀ (x), (q x)))"),
        ("p → ∃ x, q ∧ r", "(→ p (∃ (x), (∧ q r)))"),
        ("¬∃ x, p x", "(¬ (∃ (x), (p x)))"),
        ("h.1", "(. h 1)"),
        ("h.1.2", "(. (. h 1) 2)"),
        ("h.left.1.right", "(. (. h.left 1) right)"),
        ("(f x).symm.trans", "(. (. (paren (f x)) symm) trans)"),
        ("f h.1 (g x).2", "(f (. h 1) (. (paren (g x)) 2))"),
        ("⟨a, b⟩.1", "(. ⟨a b⟩ 1)"),
        ("f.{u, v + 1} x", "(f.{u (v + 1)} x)"),
        ("↑x + ↑(f y)", "(+ (↑ x) (↑ (paren (f y))))"),
        ("Prop", "Prop"),
        ("Type", "Type"),
        ("Type u → Sort (max u (v + 1))", "(→ (Type u) (Sort (max u (v + 1))))"),
        ("Type _", "(Type _)"),
        ("Sort (imax u 0)", "(Sort (imax u 0))"),
        ("f Type u", "(f Type u)"),
        ("sorry", "sorry"),
        ("f sorry", "(f sorry)"),
        ("nofun", "(NoFun)"),
        ("nomatch h", "(NoFun term=h)"),
        (r'f "a\n\"b\" \x41 \u03b1"', r"""(f 'a\n"b" A α')"""),
        ("0x1F + 0b101", "(+ 31 5)"),
    ],
)
def test_application_and_atoms(text: str, tree: str, shown: Shown) -> None:
    assert shown(parse_term(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(x)", "(paren x)"),
        ("()", "(tuple)"),
        ("(a, b + 1, c)", "(tuple a (+ b 1) c)"),
        ("(x : Nat)", "(: x Nat)"),
        ("(f x _ : Nat)", "(: (f x _) Nat)"),
        ("(1 + 1 : Nat)", "(: (+ 1 1) Nat)"),
        ("(· + 1)", "(paren (+ · 1))"),
        ("⟨⟩", "⟨⟩"),
        ("⟨a, ⟨b, c⟩,⟩", "⟨a ⟨b c⟩⟩"),
        ("[]", "(list)"),
        ("[a, b + 1]", "(list a (+ b 1))"),
        ("{}", "(StructInst [])"),
        ("{ x := 1, y := f 2 }", "(StructInst [[x 1] [y (f 2)]])"),
        ("{ x := 1, y : P }", "(StructInst [[x 1] [y y]] type=P)"),
        ("{ x := 1\n  y := 2 }", "(StructInst [[x 1] [y 2]])"),
        ("{n // 0 < n}", "(Subtype (fun (n) => (< 0 n)))"),
        ("{n : Nat // 0 < n}", "(Subtype (fun (n : Nat) => (< 0 n)))"),
        ("‹p ∧ q›", "(: (by {(Simple assumption)}) (∧ p q))"),
        ("(x : A) → B x", "(→ (x : A) (B x))"),
        ("(x y : A) → B → C", "(→ (x y : A) (→ B C))"),
        ("{x : A} → B", "(→ {x : A} B)"),
        ("⦃x : A⦄ → B", "(→ ⦃x : A⦄ B)"),
        ("[C α] → B", "(→ [ : (C α)] B)"),
        ("[inst : C α] → B", "(→ [inst : (C α)] B)"),
        ("(x : A) → B ↔ C", "(→ (x : A) (↔ B C))"),
        ("p ∧ (x : A) → B", "(→ (∧ p (: x A)) B)"),
        ("f (x : A) → B", "(→ (f (: x A)) B)"),
    ],
)
def test_brackets(text: str, tree: str, shown: Shown) -> None:
    assert shown(parse_term(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("fun x y => x", "(fun (x) (y) => x)"),
        ("fun (x y : A) _ => x", "(fun (x y : A) (_) => x)"),
        ("fun x y : Nat => x", "(fun (x y : Nat) => x)"),
        ("fun {x} ⦃y : A⦄ [C x] [i : D] => x", "(fun {x} ⦃y : A⦄ [ : (C x)] [i : D] => x)"),
        ("fun ⟨x, y⟩ (a, b) => x", "(fun pattern:⟨x y⟩ pattern:(tuple a b) => x)"),
        ("fun x ↦ x", "(fun (x) => x)"),
        ("λ x => x", "(fun (x) => x)"),
        ("fun | 0 => a | n + 1 => b", "(FunMatch [(MatchAlt [0] a) (MatchAlt [(+ n 1)] b)])"),
        ("∀ x y, p", "(∀ (x) (y), p)"),
        ("∀ x y : A, p", "(∀ (x y : A), p)"),
        ("∀ (x : A) {y} [C x], p", "(∀ (x : A) {y} [ : (C x)], p)"),
        ("forall x, p", "(∀ (x), p)"),
        ("∀ x ∈ l, p", "(∀ (x ∈ l), p)"),
        ("∀ x > 0, p", "(∀ (x > 0), p)"),
        ("∃ x < n + 1, p", "(∃ (x < (+ n 1)), p)"),
        ("∃ x y, p", "(∃ (x) (y), p)"),
        ("∃ x y : A, p", "(∃ (x y : A), p)"),
        ("∃ (x : A) (y z : B), p", "(∃ (x : A) (y z : B), p)"),
        ("exists x, p", "(∃ (x), p)"),
        ("show p from h", "(ShowTerm p h)"),
        ("show p by exact h", "(ShowTerm p (by {(TermTactic exact h)}))"),
        ("have h : p := a; b", "(HaveTerm h [] p a b)"),
        ("have : p := a; b", "(HaveTerm None [] p a b)"),
        ("have := a; b", "(HaveTerm None [] None a b)"),
        ("have h x (y : A) : p := a; b", "(HaveTerm h [(x) (y : A)] p a b)"),
        ("have ⟨x, y⟩ := a; b", "(HaveTerm None [] None a b pattern=⟨x y⟩)"),
        ("suffices h : p from a; b", "(HaveTerm h [] p a b is_suffices=True)"),
        ("let x : A := a; b", "(LetTerm x [] A a b)"),
        ("let f x := a; b", "(LetTerm f [(x)] None a b)"),
        ("let ⟨x, _⟩ := a; b", "(LetTerm  [] None a b pattern=⟨x _⟩)"),
        ("if c then a else b", "(If None c a b)"),
        ("if h : c then a else b", "(If h c a b)"),
        ("match x, y with | 0, _ => a | .succ n, m => b",
         "(Match [[None x] [None y]] [(MatchAlt [0 _] a) (MatchAlt [(.succ n) m] b)])"),
        ("match h : x with | 0 | 1 => a", "(Match [[h x]] [(MatchAlt [0] a) (MatchAlt [1] a)])"),
        ("calc a = b := h\n  _ = c := g", "(Calc [(CalcStep (= a b) h) (CalcStep (= _ c) g)])"),
        ("calc a\n  _ = c := g", "(Calc [(CalcStep a None) (CalcStep (= _ c) g)])"),
        ("by exact h", "(by {(TermTactic exact h)})"),
        ("f <| by simp", "(<| f (by {(Simp simp False [])}))"),
    ],
)  # fmt: skip
def test_binding(text: str, tree: str, shown: Shown) -> None:
    assert shown(parse_term(text)) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<input>:1:0: unexpected end of input"),
        ("a +", "<input>:1:3: unexpected end of input"),
        ("(a", "<input>:1:2: unexpected end of input; expected ')', ',' or ':'"),
        ("a)", "<input>:1:1: expected end of input"),
        ("a = b = c", "<input>:1:6: expected end of input"),
        ("p ↔ q ↔ r", "<input>:1:6: expected end of input"),
        ("f(x)", "<input>:1:1: expected end of input"),
        ("f by simp", "<input>:1:2: expected end of input"),
        ("f ∀ x, p", "<input>:1:2: expected end of input"),
        ("a ^ -b", "<input>:1:4: unexpected token '-'; expected term"),
        ("fun => x", "<input>:1:4: unexpected token '=>'; expected '[', '{', '|', '⦃' or term"),
        ("∃ x (y : A), p", "<input>:1:4: unexpected token '('; expected ','"),
        ("∀ x y ∈ l, p", "<input>:1:6: unexpected token '∈'; expected ','"),
        ("have h : p := a b", "<input>:1:17: unexpected end of input; expected ';' or line break"),
        ("(at)", "<input>:1:1: unexpected token 'at'; expected ')', '_', identifier or term"),
        ("[a ⟩", "<input>:1:3: unexpected token '⟩'; expected ']'"),
        ("Type (u + 99)", "<input>:1:12: unsupported: universe levels above 32"),
        (
            "{x, y}",
            "<input>:1:5: unsupported: `{ .. }` other than `{ x := a, .. }`, `{ e with .. }` and `{x : A // p}`",
        ),
        ("let rec ⟨x, y⟩ := a; b", "<input>:1:8: unsupported: `let rec` of a pattern"),
        ("(x :)", "<input>:1:4: unsupported: `(e :)`"),
        (r'"\q"', "<input>:1:0: invalid escape sequence"),
        ("a\n  + \n   )", "<input>:3:3: unexpected token ')'; expected term"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_term(text)
    assert str(caught.value) == message
