"""Text of a tactic and the tree it must give, for every tactic; `conftest` shows trees as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.syntax.ast import Refused
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_tactics

Shown = Callable[[object], str]


def tree_of(text: str, shown: Shown) -> str:
    return (
        shown(parse_tactics(text).tactics[0]) if len(parse_tactics(text).tactics) == 1 else "not one tactic"
    )


@pytest.mark.parametrize(
    "name",
    [
        "ac_rfl", "and_intros", "apply?", "assumption", "constructor", "contradiction", "done", "eq_refl",
        "exact?", "exfalso", "infer_instance", "left", "rfl", "right", "skip", "subst_vars", "symm",
        "trivial",
    ],
)  # fmt: skip
def test_tactics_without_arguments(name: str, shown: Shown) -> None:
    assert tree_of(name, shown) == f"(Simple {name})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("symm at h", "(Simple symm location=(Location hyps=[h]))"),
        ("exact f x", "(TermTactic exact (f x))"),
        ("apply h.1", "(TermTactic apply (. h 1))"),
        ("refine ⟨?_, _⟩", "(TermTactic refine ⟨?_ _⟩)"),
        ("refine' f _", "(TermTactic refine' (f _))"),
        ("specialize h a b", "(TermTactic specialize (h a b))"),
        ("show p ∧ q", "(TermTactic show (∧ p q))"),
        ("change p at h ⊢", "(TermTactic change p location=(Location hyps=[h] target=True))"),
        ("nofun", "(TermTactic exact (NoFun))"),
        ("nomatch h", "(TermTactic exact (NoFun term=h))"),
        ("exists 0, f x", "(TermsTactic exists [0 (f x)])"),
        ("exacts [a, b]", "(TermsTactic exacts [a b])"),
        ("clear h g", "(NamesTactic clear [h g])"),
        ("revert x", "(NamesTactic revert [x])"),
        ("subst h", "(NamesTactic subst [h])"),
        ("rename_i x _ y", "(NamesTactic rename_i [x _ y])"),
        ("rename a = b => h", "(Rename (= a b) h)"),
        ("ext x", "(Ext [x] 100)"),
        ("ext ⟨x, _⟩ y : 2", "(Ext [⟨x _⟩ y] 2)"),
        ("funext x y", "(TermsTactic funext [x y])"),
        ("injections", "(NamesTactic injections [])"),
        ("intros", "(NamesTactic intros [])"),
        ("intros x _", "(NamesTactic intros [x _])"),
        ("unfold f g at h", "(NamesTactic unfold [f g] location=(Location hyps=[h]))"),
        ("delta f", "(NamesTactic delta [f])"),
        ("congr", "(NumTactic congr)"),
        ("congr 2", "(NumTactic congr num=2)"),
        ("rotate_left", "(NumTactic rotate_left)"),
        ("rotate_right 3", "(NumTactic rotate_right num=3)"),
        ("decide", "(Omega decide)"),
        ("decide +revert", "(Omega decide config=[+revert])"),
        ("omega", "(Omega omega)"),
        ("fail", "(Fail None)"),
        ('fail "no"', "(Fail no)"),
        ("intro", "(Intro [])"),
        ("intro x _ ⟨a, b⟩ (h : p) rfl", "(Intro [x _ ⟨a b⟩ (: h p) rfl])"),
        ("rintro x ⟨y, _⟩ (a | b) -", "(RIntro [x ⟨y _⟩ (a | b) -])"),
        ("rintro (x y : A) z", "(RIntro [(x : A) (y : A) z])"),
        ("rintro x y : A", "(RIntro [(x : A) (y : A)])"),
        ("rcases h with ⟨x, hx | rfl, _⟩ | ⟨⟩", "(RCases rcases None h (⟨x (hx | rfl) _⟩ | ⟨⟩))"),
        ("rcases e : f x with ⟨y : A⟩", "(RCases rcases e (f x) ⟨(y : A)⟩)"),
        ("rcases h", "(RCases rcases None h None)"),
        ("obtain ⟨x, hx⟩ := h", "(RCases obtain None h ⟨x hx⟩)"),
        ("obtain ⟨x⟩ | h : p ∨ q := e", "(RCases obtain None e (⟨x⟩ | h) type=(∨ p q))"),
        ("obtain ⟨x⟩ : p", "(RCases obtain None None ⟨x⟩ type=p)"),
        ("obtain ⟨x⟩", "(RCases obtain None None ⟨x⟩)"),
        ("by_cases h : p", "(ByCases h p)"),
        ("by_cases p ∧ q", "(ByCases None (∧ p q))"),
        ("split", "(Split)"),
        ("split at h", "(Split location=(Location hyps=[h]))"),
        ("injection h", "(Injection h [])"),
        ("injection h x with a _", "(Injection (h x) [a _])"),
        ("generalize f x = y", "(Generalize [[None (f x) y]])"),
        ("generalize h : a + b = y, c = z at g",
         "(Generalize [[h (+ a b) y] [None c z]] location=(Location hyps=[g]))"),
        ("have h : p := e", "(HaveTac have h [] p e)"),
        ("have : p := e", "(HaveTac have None [] p e)"),
        ("have := e", "(HaveTac have None [] None e)"),
        ("have h (x : A) : p := e", "(HaveTac have h [(x : A)] p e)"),
        ("have ⟨x, y⟩ : p := e", "(HaveTac have None [] p e pattern=⟨x y⟩)"),
        ("have (a, _) := e", "(HaveTac have None [] None e pattern=⟨a _⟩)"),
        ("replace h := e", "(HaveTac replace h [] None e)"),
        ("let x : A := e", "(HaveTac let x [] A e)"),
        ("let ⟨x, y⟩ := e", "(HaveTac let None [] None e pattern=⟨x y⟩)"),
        ("suffices h : p from e", "(HaveTac suffices h [] p e)"),
        ("suffices p by exact e", "(HaveTac suffices None [] p (by {(TermTactic exact e)}))"),
        ("rw [a, ← b x, <- c]", "(Rw rw [(RwRule False a) (RwRule True (b x)) (RwRule True c)])"),
        ("rw [a] at h", "(Rw rw [(RwRule False a)] location=(Location hyps=[h]))"),
        ("rw [a,] at *", "(Rw rw [(RwRule False a)] location=(Location wildcard=True))"),
        ("rewrite [a] at h g |-",
         "(Rw rewrite [(RwRule False a)] location=(Location hyps=[h g] target=True))"),
        ("rw (occs := .pos [1]) [a]", "(Rw rw [(RwRule False a)] config=[(occs := .pos [1])])"),
        ("rwa [a]", "(Rw rwa [(RwRule False a)])"),
        ("erw []", "(Rw erw [])"),
        ("simp", "(Simp simp False [])"),
        ("simp only [a, ← b, -c, *, ↓d]",
         "(Simp simp True [(SimpArg a) (SimpArg b symm=True) (SimpArg c erase=True) (SimpArg None)"
         " (SimpArg d post=False)])"),
        ("simp only at h ⊢", "(Simp simp True [] location=(Location hyps=[h] target=True))"),
        ("simp +arith -zeta (config := { x := 1 }) [a] at *",
         "(Simp simp False [(SimpArg a)] location=(Location wildcard=True)"
         " config=[+arith -zeta (config := { x := 1 })])"),
        ("simp? [a]", "(Simp simp? False [(SimpArg a)])"),
        ("simp_all [a]", "(Simp simp_all False [(SimpArg a)])"),
        ("simp_arith", "(Simp simp_arith False [])"),
        ("dsimp only [f]", "(Simp dsimp True [(SimpArg f)])"),
        ("simpa", "(Simp simpa False [])"),
        ("simpa only [a] using f h", "(Simp simpa True [(SimpArg a)] using=(f h))"),
    ],
)  # fmt: skip
def test_tactics_without_blocks(text: str, tree: str, shown: Shown) -> None:
    assert tree_of(text, shown) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("· skip", "(Bullet {(Simple skip)})"),
        (". skip", "(Bullet {(Simple skip)})"),
        ("{ skip; done }", "(Bullet {(Simple skip); (Simple done)})"),
        ("(skip; done)", "(Seq1 {(Simple skip); (Simple done)})"),
        ("try skip", "(Block try {(Simple skip)})"),
        ("repeat skip; done", "(Block repeat {(Simple skip); (Simple done)})"),
        ("repeat' skip", "(Block repeat' {(Simple skip)})"),
        ("repeat1' skip", "(Block repeat1' {(Simple skip)})"),
        ("all_goals skip", "(Block all_goals {(Simple skip)})"),
        ("any_goals skip", "(Block any_goals {(Simple skip)})"),
        ("focus skip", "(Block focus {(Simple skip)})"),
        ("fail_if_success skip", "(Block fail_if_success {(Simple skip)})"),
        ("show_term skip", "(Block show_term {(Simple skip)})"),
        ("iterate 3 skip", "(Block iterate {(Simple skip)} count=3)"),
        ("iterate skip", "(Block iterate {(Simple skip)})"),
        ("first | rfl | skip; done", "(First [{(Simple rfl)} {(Simple skip); (Simple done)}])"),
        ("case a x _ => skip", "(CaseTac case [[a [x _]]] {(Simple skip)})"),
        ("case a | b y => skip", "(CaseTac case [[a []] [b [y]]] {(Simple skip)})"),
        ("case' _ => skip", "(CaseTac case' [[_ []]] {(Simple skip)})"),
        ("next x => skip", "(CaseTac next [[_ [x]]] {(Simple skip)})"),
        ("rfl <;> skip <;> done", "(AndThen (AndThen (Simple rfl) (Simple skip)) (Simple done))"),
        ("try rfl <;> skip", "(Block try {(AndThen (Simple rfl) (Simple skip))})"),
        ("cases h", "(Cases cases [[None h]])"),
        ("cases e : f x using r", "(Cases cases [[e (f x)]] using=r)"),
        ("induction n, m generalizing x y", "(Cases induction [[None n] [None m]] generalizing=[x y])"),
        ("cases h with | inl a => rfl | inr _ => skip; done",
         "(Cases cases [[None h]] alts=[(CaseAlt [[inl [a]]] {(Simple rfl)})"
         " (CaseAlt [[inr [_]]] {(Simple skip); (Simple done)})])"),
        ("cases h with skip | a => rfl",
         "(Cases cases [[None h]] pre=(Simple skip) alts=[(CaseAlt [[a []]] {(Simple rfl)})])"),
        ("cases h with | @a x | _ => ?_", "(Cases cases [[None h]] alts="
         "[(CaseAlt [[a [x]] [_ []]] None explicit=True hole=?_)])"),
        ("cases h with | a => _", "(Cases cases [[None h]] alts=[(CaseAlt [[a []]] None hole=_)])"),
        ("induction n with | zero | succ n ih",
         "(Cases induction [[None n]] alts=[(CaseAlt [[zero []] [succ [n ih]]] None)])"),
        ("cases h with", "(Cases cases [[None h]] alts=[])"),
        ("match x with | 0 => rfl | n + 1 => ?_",
         "(MatchTac (Match [[None x]] [(MatchAlt [0] (by {(Simple rfl)})) (MatchAlt [(+ n 1)] ?_)]))"),
        ("calc a = b := h", "(CalcTac (Calc [(CalcStep (= a b) h)]))"),
    ],
)  # fmt: skip
def test_tactics_with_blocks(text: str, tree: str, shown: Shown) -> None:
    assert tree_of(text, shown) == tree


@pytest.mark.parametrize("word", ["left", "right", "exact", "simp", "constructor", "this", "intro"])
def test_words_that_open_tactics_are_names_elsewhere(word: str, shown: Shown) -> None:
    assert tree_of(f"exact h.{word} {word}", shown) == f"(TermTactic exact (h.{word} {word}))"
    assert tree_of(f"intro {word}", shown) == f"(Intro [{word}])"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        ("sorry", "sorry", "`sorry` is refused: it proves nothing"),
        ("admit", "admit", "`admit` is refused: it proves nothing"),
        ("native_decide", "native_decide", "`native_decide` is refused: it trusts compiled code"),
        ("run_tac foo (x := 1) => y", "run_tac", "`run_tac` is refused: it runs arbitrary code"),
        ("#eval 1 + 1", "#eval", "`#eval` is refused: it is a command"),
        ("open Nat in exact h", "open", "unsupported: the tactic `open`"),
        ("conv' => lhs", "conv'", "unsupported: the tactic `conv'`"),
        ("norm_cast at h ⊢", "norm_cast", "unsupported: the tactic `norm_cast`"),
        ("ring", "ring", "unsupported: `ring` belongs to Mathlib"),
        ("nlinarith [sq_nonneg x, h]", "nlinarith", "unsupported: `nlinarith` belongs to Mathlib"),
        ("use 1, 2", "use", "unsupported: `use` belongs to Mathlib"),
        ("contrapose! h", "contrapose!", "unsupported: `contrapose!` belongs to Mathlib"),
        ("by_contra h : p", "by_contra", "unsupported: `by_contra` belongs to Mathlib"),
        ("set x := 5 with hx", "set", "unsupported: `set` belongs to Mathlib"),
        ("simp_rw [a,\n  b]\n  at h", "simp_rw", "unsupported: `simp_rw` belongs to Mathlib"),
    ],
)
def test_known_tactics_that_are_not_run(text: str, name: str, reason: str) -> None:
    (tactic,) = parse_tactics(text).tactics
    assert tactic == Refused(name, reason, start=0, end=len(text))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("ring; skip", "{Refused; Simple}"),
        ("ring_nf at h\nskip", "{Refused; Simple}"),
        ("linarith <;> skip", "{AndThen}"),
        ("exact ⟨by ring, by norm_num [h]⟩", "{TermTactic}"),
        ("exact (by ring : a = b)", "{TermTactic}"),
        ("first | ring | skip", "{First}"),
        ("exact if c then by ring else x", "{TermTactic}"),
        ("· sorry\n· skip", "{Bullet; Bullet}"),
    ],
)
def test_a_refused_tactic_ends_where_the_next_begins(text: str, tree: str) -> None:
    names = [type(tactic).__name__ for tactic in parse_tactics(text).tactics]
    assert "{" + "; ".join(names) + "}" == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<input>:1:0: unexpected end of input"),
        ("foo", "<input>:1:1: unknown tactic"),
        ("  foo h", "<input>:1:3: unknown tactic"),
        ("intro h\nfoo", "<input>:2:1: unknown tactic"),
        ("skip <;> Nat.foo", "<input>:1:10: unknown tactic"),
        (")", "<input>:1:0: unexpected token ')'; expected tactic"),
        ("exact", "<input>:1:5: unexpected end of input"),
        ("exact at", "<input>:1:6: unexpected token 'at'; expected term"),
        ("rw h", "<input>:1:3: unexpected identifier; expected '['"),
        ("rw [h] at", "<input>:1:9: unexpected end of input; expected '*', '|' or '⊢'"),
        ("constructor h", "<input>:1:12: expected end of input"),
        ("apply h at g", "<input>:1:8: expected end of input"),
        ("show p from h", "<input>:1:7: expected end of input"),
        ("have h : p", "<input>:1:10: unexpected end of input; expected ':='"),
        ("suffices h : p", "<input>:1:14: unexpected end of input; expected 'by' or 'from'"),
        ("have .inl x := h", "<input>:1:5: unsupported: the pattern `.inl x`"),
        ("clear", "<input>:1:5: unexpected end of input"),
        ("simp_all at h", "<input>:1:9: expected end of input"),
        (
            "induction n with k ih",
            "<input>:1:17: Invalid syntax for induction tactic: The `with` keyword must be followed by a "
            "tactic or by an alternative (e.g. `| zero =>`), but here it is followed by the identifier `k`.",
        ),
        ("cases h with | inl a =>", "<input>:1:23: unexpected end of input; expected '?', '_' or '{'"),
        ("first", "<input>:1:5: unexpected end of input; expected '|'"),
        ("exact h /- x", "<input>:1:8: unterminated comment"),
        ("foo /- x", "<input>:1:1: unknown tactic"),
        ("exact h /-- x -/", "<input>:1:8: expected end of input"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_tactics(text)
    assert str(caught.value) == message
