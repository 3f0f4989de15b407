"""Patterns in `let`, `have` and `fun` expand to `match`; cases ruled out by hypotheses; projections of a `match`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

HALVES = """def halves : List α → List α × List α
  | [] => ([], [])
  | x :: xs =>
    let (a, b) := halves xs
    (x :: b, a)
"""


def test_a_pattern_in_let_is_shown_as_match(messages: Check) -> None:
    shown = "=\n    match p with\n    | (a, b) => b + a"
    for body in ("let (a, b) := p; b + a", "have (a, b) := p; b + a", "match p with | (a, b) => b + a"):
        text = f"def f (p : Nat × Nat) : Nat := {body}\n#check @f.eq_def"
        assert messages(text) == [f"2:0 info f.eq_def : ∀ (p : Nat × Nat),\n  f p {shown}"]


def test_patterns_of_functions(messages: Check) -> None:
    assert messages(
        "#eval (fun (a, b) (c, d) => a + 2 * b + 3 * c + 4 * d : Nat × Nat → Nat × Nat → Nat) (1, 1) (1, 2)"
    ) == ["1:0 info 14"]
    text = "example : (∃ x : Nat, x > 3 ∧ x < 5) → ∃ y, y > 3 := fun ⟨x, h, _⟩ => by\n  trace_state\n  exact ⟨x, h⟩"
    assert messages(text) == [
        "2:2 trace x✝ : ∃ x, x > 3 ∧ x < 5\nx : Nat\nh : x > 3\nright✝ : x < 5\n⊢ ∃ y, y > 3"
    ]


def test_what_is_matched_must_fit_the_pattern(messages: Check) -> None:
    (message,) = messages("example (h : True ∨ False) : True := have ⟨x, y⟩ := h; trivial")
    assert message.startswith("1:42 error Invalid `⟨...⟩` notation: The expected type")
    assert messages("def f (n : Nat) : Nat := let (0) := n; 1") == ["1:25 error Missing cases:\n(Nat.succ _)"]


@pytest.mark.parametrize(
    "simp", ["simp [halves]", "simp only [halves]", "rw [halves]; simp", "rw [halves]; dsimp only"]
)
def test_a_projection_of_a_match_on_a_pair_is_one_of_the_pair(messages: Check, simp: str) -> None:
    text = (
        HALVES
        + f"example (x : Nat) (xs : List Nat) : (halves (x :: xs)).snd = [5] := by\n  {simp}\n  trace_state\n  sorry"
    )
    assert messages(text)[0] == "8:2 trace x : Nat\nxs : List Nat\n⊢ (halves xs).fst = [5]"


def test_pairs_are_not_taken_apart_by_simp_without_need(messages: Check) -> None:
    text = "example (p : Nat × Nat) : (match p with | (a, b) => (b, a)) = p := by\n  simp\n  trace_state\n  sorry"
    assert messages(text)[0] == "3:2 trace p : Nat × Nat\n⊢ (p.snd, p.fst) = p"


def test_hypotheses_rule_alternatives_out(messages: Check) -> None:
    text = "example (l : List α) (_ : l.length ≥ 2) : True := by\n  match l with\n  | x :: y :: xs => "
    text += "trace_state; trivial"
    assert messages(text) == [
        "3:20 trace α : Type u_1\nl : List α\nx y : α\nxs : List α\nx✝ : (x :: y :: xs).length ≥ 2\n⊢ True"
    ]
    text = (
        "def f (n : Nat) (h : n > 0) : Nat := match n with\n  | k + 1 => k\n#eval f 5 (by decide)\n#print f"
    )
    assert messages(text) == [
        "3:0 info 4",
        "4:0 info def f : (n : Nat) → n > 0 → Nat :=\nfun n h =>\n  match n, h with\n  | k.succ, h => k",
    ]
    assert messages(
        "example (l : List α) (_ : l.length ≥ 1) : True := by\n  match l with\n  | x :: y :: xs => trivial"
    ) == ["2:2 error Missing cases:\n(List.cons _ []), _"]


def test_funext_over_types(messages: Check) -> None:
    text = "def A {α : Type u} (x : List α) := x\ndef B {α : Type u} (x : List α) := x\n"
    assert messages(text + "theorem t : @A = @B := by\n  funext α x\n  rfl") == []
    text += "theorem t : @A = @B := by\n  funext α\n  rfl"
    assert messages(text) == []


def test_the_expected_type_is_used_before_an_instance_behind_it(messages: Check) -> None:
    text = "example {n : Nat} (P : Fin n → Prop) [DecidablePred P] : Decidable (∀ i, P i) :=\n"
    text += "  decidable_of_iff (∀ k h, P ⟨k, h⟩) ⟨fun h k => match k with | ⟨k, l⟩ => h k l, fun h k l => h ⟨k, l⟩⟩"
    assert messages(text) == []


INDEXED = """inductive Alternating (α : Type u) : Bool → Type u where
  | nil : Alternating α true
  | cons : α → Alternating α b → Alternating α (!b)
def Alternating.length : Alternating α b → Nat
  | .nil => 0
  | .cons _ xs => xs.length + 1
"""


def test_what_types_say_about_an_index_is_not_checked(messages: Check) -> None:
    text = INDEXED + "example : (Alternating.cons 1 (.cons 2 .nil)).length = 2 := rfl\n"
    text += "theorem t (xs : Alternating α b) : b = (xs.length % 2 = 0) := by\n  induction xs\n"
    text += "  · simp [Alternating.length]\n  next b' _ xs ih =>\n    simp [Alternating.length]\n"
    text += "    cases b' <;> simp only [Bool.true_eq_false, false_iff, true_iff] <;> simp at ih <;> omega"
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#eval (3#8)", "1:8 error unsupported: literals of bit vectors"),
        ("#check #v[1, 2]", "1:7 error unsupported: literals of vectors"),
        ("example (xs : Vector Nat 2) : 1 = 1 := rfl", "1:14 error unsupported: Vector is not in minilean's library"),
        ("theorem t [Hashable m] : True := trivial", "1:11 error unsupported: Hashable is not in minilean's library"),
        ("#check repr 3", "1:7 error unsupported: repr is not in minilean's library"),
        ("open ExceptT", "1:0 error unsupported: ExceptT is not in minilean's library"),
        ("example (f : Foo → Nat) : Foo → Nat\n  | .a => 1",
         "2:4 error Invalid dotted identifier notation: The expected type of `.a`\n  Foo\n"
         "is not of the form `C ...` or `... → C ...` where C is a constant"),
    ],
)  # fmt: skip
def test_what_is_outside_is_refused_by_name(messages: Check, text: str, message: str) -> None:
    assert messages(text) == [message]


@pytest.mark.parametrize(
    "text",
    [
        "example : List.attach [1] = [1] := rfl",
        "example (xs : List Nat) : xs.attach = xs := rfl",
        "example : (.attach [1] : List Nat) = [1] := rfl",
        "open List in\nexample (h : attach) : attach := h",
        "namespace List\nexample : attach [1] = [1] := rfl\nend List",
        "#print List.attach",
        "attribute [simp] List.attach",
        *(command.format("List.attach") for command in (
            "#check {}", "#check @{}", "#print axioms {}", "#eval {} [1]", "#reduce {}", "#synth {}", "open {}",
            "attribute [local simp] {}", "attribute [-simp] {}", "attribute [reducible] {}", "attribute [ext] {}",
            "attribute [grind =] {}", "attribute [induction_eliminator] {}", "inductive A | a deriving {}",
            "inductive A | a\nderiving instance {} for A", "deriving instance DecidableEq for {}",
            "structure A extends {}", "variable (x : {})", "axiom x : {}", "instance : {} Nat := 1",
            "def f : Nat → Nat\n  | {} => 1\n  | _ => 2", "def f : Nat → Nat\n  | {} x => 1\n  | _ => 2",
        )),
        *(f"open List {names}" for names in ("(attach)", "hiding attach", "renaming attach → m")),
        "export List (attach)",
        *(f"example (xs : List Nat) : xs.length = 0 := by {step.format('List.attach')}" for step in (
            "simp [{}]", "simp [← {}]", "simp only [{}]", "simp [-{}]", "simp_all [{}]", "dsimp [{}]",
            "simpa using {}", "rw [{}]", "rw [← {}]", "unfold {}", "delta {}", "grind [{}]", "grind [-{}]",
            "conv => unfold {}", "conv => delta {}", "conv => rw [{}]", "exact {}.symm", "apply {}",
            "induction xs using {}", "induction xs using {} (n := 1)", "cases xs using {}", "rcases {} with x",
            "fun_induction {} xs", "fun_cases {} xs", "have := {} xs",
        )),
    ],
)  # fmt: skip
def test_names_of_core_that_the_library_has_not_are_unsupported(messages: Check, text: str) -> None:
    (message,) = messages(text)
    assert message.endswith("error unsupported: List.attach is not in minilean's library")


def test_names_that_the_user_declares_or_binds_are_not_taken_for_names_of_core(messages: Check) -> None:
    assert messages("theorem t (xs : List attach) : xs = xs := rfl") == []
    own = "def List.attach (xs : List Nat) : List Nat := xs\n"
    assert messages(own + "example (xs : List Nat) : xs.attach = xs := rfl") == []
    assert "Unknown constant `List.attachs`" in messages("#check List.attachs")[0]


def test_evaluation_does_not_rest_on_sorry(messages: Check) -> None:
    assert messages("def f : Nat := sorry\n#eval f + 1")[1].startswith(
        "2:0 error Aborting evaluation since the expression depends on the 'sorry' axiom"
    )
    assert messages("#eval! 1 + 1") == ["1:0 info 2"]


@pytest.mark.parametrize(
    "term",
    ["Ord.toLT", '"a".splitToList', "Array.modify #[1] 0 id"],
)
def test_words_and_functions_of_core_that_are_not_here_are_named(messages: Check, term: str) -> None:
    (said,) = messages(f"example (n : Nat) : Nat := {term}")
    assert "error unsupported: " in said
    assert said.endswith("is not in minilean's library")
