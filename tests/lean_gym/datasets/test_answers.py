"""Reading of answers; that the tactics in them are judged is tested with the reward functions that use it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_gym.datasets import Answer, Refusal, proof_in, tactic_in
from lean_gym.types import Theorem

STATEMENT = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
SWAP = Theorem("swap", STATEMENT)
FACT = Theorem("fact", "theorem fact : double 2 = 4", context="open Nat\ndef double (n : Nat) := n + n")


@pytest.mark.parametrize(
    ("text", "tactic"),
    [
        ("  simp \n", "simp"),
        ("```lean\nintro h\n```", "intro h"),
        (
            "Sure:\n```lean4\ncases h with\n| inl a => exact a\n```\nas asked",
            "cases h with\n| inl a => exact a",
        ),
        ("```\nrfl```", "rfl"),
        ("```tactics\nrfl\n```", "rfl"),
        ("```lean\nrfl", "rfl"),
        ("```lean4 simp```\nThis closes it.", "simp"),
        ("`omega`", "omega"),
        ("First\n```lean\nsimp\n```\nNo:\n```lean\nomega\n```", "omega"),
        ("```lean\nsimp\n```\nIt prints\n```\nno goals\n```", "simp"),
        ("```lean\nsimp\n```\n```python\nprint(1)\n```", "simp"),
        ("by simp", "simp"),
        (":= by\n  intro x\n  simp", "intro x\nsimp"),
        ("by\n    constructor\n    · simp -- left\n    · omega", "constructor\n· simp\n· omega"),
        ("bypass", "bypass"),
        ("by_cases h : p", "by_cases h : p"),
        ("simp [a -- b", "simp [a"),
        ("open Nat in\nsimp", "open Nat in\nsimp"),
        ("<think>simp?</think>omega", "omega"),
        ("<thinking>a <think>b</think> c</thinking>\nomega", "omega"),
        ("it began in the prompt</think>omega", "omega"),
        ("omega <think> never mind", "omega"),
        ("◁think▷a◁/think▷omega", "omega"),
        ("[THINK]a[/THINK]omega", "omega"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>omega<|return|>",
            "omega",
        ),
        ("omega<|im_end|>\n<|im_start|>user", "omega"),
        ("omega\n[/TAC]", "omega"),
        ("omega<｜end▁of▁sentence｜>", "omega"),
        ("simp\r\nomega", "simp\nomega"),
        ("simp -- a\ttab", "simp"),
        ('have : "\t" = "\t" := rfl', 'have : "\t" = "\t" := rfl'),
    ],
)
def test_one_tactic(text: str, tactic: str) -> None:
    assert tactic_in(text) == Answer((tactic,))
    assert tactic_in(text).text == tactic


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", Refusal.EMPTY),
        ("-- nothing", Refusal.EMPTY),
        ("```lean\n```", Refusal.EMPTY),
        ("by", Refusal.EMPTY),
        ("<think>simp", Refusal.UNFINISHED_THINKING),
        ("<think>```lean\nsimp\n```", Refusal.UNFINISHED_THINKING),
        ("<think>a<think>b</think>simp", Refusal.UNFINISHED_THINKING),
        ("```python\nsimp\n```", Refusal.OTHER_LANGUAGE),
        ("\tsimp", Refusal.TAB),
        ("simp\t", Refusal.TAB),
        ("by\n\tintro h\n\tsimp", Refusal.TAB),
        ("```lean\nintro h\n\xa0simp\n```", Refusal.TAB),
        ("```lean\nintro h\n\x0csimp\n```", Refusal.TAB),
    ],
)
def test_no_tactic(text: str, refusal: Refusal) -> None:
    answer = tactic_in(text)
    assert (answer.tactics, answer.refusal, answer.text) == ((), refusal, "")
    assert answer.detail
    assert proof_in(text, SWAP).refusal is refusal


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (f"{STATEMENT} := ⟨h.2, h.1⟩", ["exact (⟨h.2, h.1⟩)"]),
        (f"{STATEMENT} :=\n  have a := h.1\n  ⟨h.2, a⟩", ["exact (\n    have a := h.1\n    ⟨h.2, a⟩)"]),
        (f"{STATEMENT} := by exact ⟨h.2, h.1⟩", ["exact ⟨h.2, h.1⟩"]),
        (f"{STATEMENT} := by\n  constructor\n  · simp\n  · exact h.1", ["constructor", "· simp", "· exact h.1"]),
        (f"{STATEMENT}:=by simp [h,\n  and_comm]", ["simp [h,\n  and_comm]"]),
        ("lemma swap (p  q:Prop)\n    (h : p∧q) :\n  q ∧ p := h.symm", ["exact (h.symm)"]),
        ("theorem swap (p q : Prop) /- both -/ (h : p ∧ q) : -- so\n q ∧ p := h.symm", ["exact (h.symm)"]),
        (f"/-- Swaps. -/ {STATEMENT} := h.symm\n\n#print axioms swap", ["exact (h.symm)"]),
        (f"section\nopen Nat Real in\n{STATEMENT} := by\n  simp\n  done\nend", ["simp", "done"]),
        ("constructor <;>\nsimp\nconstructor\n<;> simp", ["constructor <;>\nsimp", "constructor\n<;> simp"]),
        ("calc a = b := x\n_ = c := y\nsimp [\n  a\n]", ["calc a = b := x\n_ = c := y", "simp [\n  a\n]"]),
        ("  -- goes on in the prompt's block\n  constructor\n  · simp\n```\n", ["constructor", "· simp"]),
    ],
)  # fmt: skip
def test_whole_proofs(text: str, steps: list[str]) -> None:
    assert proof_in(text, SWAP) == Answer(tuple(steps))
    header = (
        "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 400000\n\nopen BigOperators Real Nat\n\n"
    )
    if text.startswith(("theorem", "lemma")):
        assert proof_in(f"<think>?</think>```lean4\n{header}{text}\n```", SWAP) == Answer(tuple(steps))
        indented = "\n".join(f"  {line}" for line in (header + text).split("\n"))
        assert proof_in(indented, SWAP) == Answer(tuple(steps))


def test_commands_of_the_context_may_be_repeated() -> None:
    proof = "theorem fact : double 2 = 4 := rfl"
    assert proof_in(f"{FACT.context}\n{proof}", FACT) == Answer(("exact (rfl)",))
    assert proof_in(f"def double  (n : Nat) := -- twice\n  n + n\n{proof}", FACT).refusal is None
    assert proof_in(f"def double (n : Nat) := 4\n{proof}", FACT).refusal is Refusal.EXTRA_COMMAND


@pytest.mark.parametrize(
    ("statement", "copy", "same"),
    [
        ("theorem t (x : Nat) : x = 1", "theorem t (x:Nat):x=1", True),
        ("theorem t : f [1] = 2", "theorem t : f [ 1 ] = 2", False),
        ("theorem t : f [1] = 2", "theorem t : f[1] = 2", False),
        ("theorem t : (x).1 = 2", "theorem t : (x) .1 = 2", False),
        ("theorem t : a.b = 2", "theorem t : a .b = 2", False),
        ("theorem t : a - b = 2", "theorem t : a -b = 2", True),
        ("theorem t : a ≤ -b", "theorem t : a ≤-b", False),
        ('theorem t : s = "a  b"', 'theorem t : s = "a b"', False),
        ('theorem t : s = "-- b"', 'theorem t : s = "-- b"', True),
        ("theorem t : |a| = b", "theorem t : | a| = b", False),
        ("theorem t : let x := 1; x = 1", "theorem t :\n  let x := 1\n  x = 1", False),
        ("theorem t : let x := 1; x = 1", "theorem t : let x := 1; x = 1", True),
        ("theorem t.{u} (α : Type u) : p α", "theorem t.{v} (α : Type v) : p α", False),
        ("theorem t : ∅", "theorem t : ∅", True),
    ],
)
def test_statements_are_compared_by_tokens(statement: str, copy: str, same: bool) -> None:
    for start in (" := by simp", ":= by simp"):
        answer = proof_in(copy + start, Theorem("t", statement))
        assert answer == Answer(("simp",)) if same else answer.refusal is Refusal.OTHER_STATEMENT


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (f"{STATEMENT} := by\n\texact h.symm", Refusal.TAB),
        (f"{STATEMENT} :=\n\th.symm", Refusal.TAB),
        (STATEMENT.replace(" ", "\t") + " := h.symm", Refusal.TAB),
        (STATEMENT, Refusal.NO_PROOF),
        (f"{STATEMENT} :=", Refusal.NO_PROOF),
        (f"{STATEMENT} := by", Refusal.NO_PROOF),
        (f"{STATEMENT}\n  | p, q => h.symm", Refusal.PATTERN_MATCHING),
        (f"Here it is.\n{STATEMENT} := h.symm", Refusal.OTHER_TEXT),
        ("example : True := trivial", Refusal.NO_THEOREM),
        (f"@[simp] {STATEMENT} := h.symm", Refusal.OTHER_STATEMENT),
        (f"private {STATEMENT} := h.symm", Refusal.OTHER_STATEMENT),
        (f"namespace A\n{STATEMENT} := h.symm", Refusal.EXTRA_COMMAND),
        (f"set_option quotPrecheck false\n{STATEMENT} := h.symm", Refusal.EXTRA_COMMAND),
        (f"open Nat\n  axiom f\n{STATEMENT} := h.symm", Refusal.EXTRA_COMMAND),
        (f"{STATEMENT} := h.symm\n#eval 1", Refusal.EXTRA_COMMAND),
        (f"{STATEMENT} := h.symm\nopen Nat", Refusal.EXTRA_COMMAND),
    ],
)
def test_refused_files(text: str, refusal: Refusal) -> None:
    answer = proof_in(text, SWAP)
    assert (answer.tactics, answer.refusal) == ((), refusal)
    assert answer.detail
    assert "\n" not in answer.detail


PIECES = st.sampled_from(
    ["```", "lean", "\n", " ", "<think>", "</think>", "theorem swap", STATEMENT, ":=", "by", "/-", "-/", "--", '"', "«",
     "|", "open Nat in", "import", "set_option", "simp", "(", ")", "@[", "]", "`", "\t", "\r",
     "\x00", "\ud800", "<|end|>", "'"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=14).map("".join))
def test_no_text_raises(text: str) -> None:
    for answer in (
        proof_in(text, SWAP),
        proof_in(text, FACT),
        proof_in(text, Theorem("x", text)),
        tactic_in(text),
    ):
        assert bool(answer.tactics) == (answer.refusal is None) == (answer.detail == "")
        assert all(tactic.strip() for tactic in answer.tactics)
