"""Rewards of whole proofs: eight ways to write one proof, and answers that prove something else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lean_gym import Theorem
from trainers.integrations.trl import make_reward_func
from trainers.integrations.trl_reward import LeanReward

STATEMENT = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
BLOCK = "  constructor\n  · exact h.2\n  · exact h.1"
THEOREMS = [
    Theorem("swap", STATEMENT),
    Theorem("fact", "theorem fact : double 2 = 4", context="def double (n : Nat) : Nat := n + n"),
]
HEADER = "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\nopen BigOperators Real Nat Topology Rat\n\n"


@pytest.fixture(scope="module")
def reward() -> Iterator[LeanReward]:
    made = make_reward_func(THEOREMS, backend="minilean", num_workers=0)
    yield made
    made.close()


WAYS = {
    "script": "constructor\n· exact h.2\n· exact h.1",
    "by block": f"by\n{BLOCK}",
    "theorem": f"{STATEMENT} := by\n{BLOCK}",
    "term": f"{STATEMENT} :=\n  have right := h.2\n  ⟨right, h.1⟩",
    "with imports": f"```lean4\n{HEADER}/-- Swaps. -/\n{STATEMENT} := by\n  -- both\n{BLOCK}\n```",
    "after thinking": f"<think>\n```lean\nsimp\n```\nNo.\n</think>\n```lean\n{BLOCK}\n```",
    "last of two fences": "Try\n```lean\nby sorry\n```\nand better\n```lean4\ntheorem swap (p q : Prop)\n"
    f"    (h : p ∧ q) :\n    q ∧ p := by\n{BLOCK}\n```\nDone.",
    "going on in the prompt's block": f"{BLOCK}\n```\n",
}  # fmt: skip


def test_eight_ways_to_write_one_proof(reward: LeanReward) -> None:
    assert len(WAYS) == 8
    assert reward(completions=list(WAYS.values()), theorem=["swap"] * 8) == [1.0] * 8
    chat = [[{"role": "assistant", "content": text}] for text in WAYS.values()]
    assert reward(completions=chat, theorem=["swap"] * 8) == [1.0] * 8
    assert reward(
        completions=[f"{THEOREMS[1].context}\ntheorem fact : double 2 = 4 := rfl"], theorem=["fact"]
    ) == [1.0]


# The tactics of nearly all of these prove the asked statement: the reward of 0 comes from what stands around them.
PROOF = ":= by\n  exact ⟨h.2, h.1⟩"
ATTACKS = {
    "weaker": ("theorem swap (p q : Prop) (h : p ∧ q) : q ∨ p := by\n  exact ⟨h.2, h.1⟩", "other_statement"),
    "no conclusion": (f"theorem swap (p q : Prop) (h : p ∧ q) : True {PROOF}", "other_statement"),
    "another name": (f"theorem swop (p q : Prop) (h : p ∧ q) : q ∧ p {PROOF}", "other_theorem"),
    "extra hypothesis": (f"theorem swap (p q : Prop) (h : p ∧ q) (f : False) : q ∧ p {PROOF}", "other_statement"),
    "extra hypothesis after": (f"{STATEMENT} ∨ False → q ∧ p {PROOF}", "other_statement"),
    "binder type": (f"theorem swap (p q : Bool) (h : p ∧ q) : q ∧ p {PROOF}", "other_statement"),
    "implicit binder": (f"theorem swap {{p q : Prop}} (h : p ∧ q) : q ∧ p {PROOF}", "other_statement"),
    "notation": (f'local notation "q" => True\n{STATEMENT} {PROOF}', "extra_command"),
    "indented notation": (f'open Nat\n  local notation "q" => True\n{STATEMENT} {PROOF}', "extra_command"),
    "macro": (f"macro_rules | `($a ∧ $b) => `(True)\n{STATEMENT} {PROOF}", "extra_command"),
    "local instance": (f"local instance : Inhabited False := ⟨sorry⟩\n{STATEMENT} {PROOF}", "extra_command"),
    "variable": (f"variable (f : False)\n{STATEMENT} {PROOF}", "extra_command"),
    "axiom": (f"axiom cheat : False\n{STATEMENT} {PROOF}", "extra_command"),
    "opaque": (f"opaque cheat : Nat\n{STATEMENT} {PROOF}", "extra_command"),
    "option": (f"set_option debug.skipKernelTC true\n{STATEMENT} {PROOF}", "extra_command"),
    "namespace": (f"namespace A\n{STATEMENT} {PROOF}\nend A", "extra_command"),
    "name in a comment": (f"theorem X : True := trivial -- {STATEMENT} {PROOF[:5]}", "other_theorem"),
    "statement in a comment": (f"/- {STATEMENT} {PROOF} -/\ntheorem swap : True := trivial", "other_statement"),
    "statement in a string": (f'def s := "\n{STATEMENT} {PROOF}"\ntheorem X : True := trivial', "extra_command"),
    "the second is right": (f"theorem X : True := trivial\n\n{STATEMENT} {PROOF}", "extra_theorem"),
    "the first is right": (f"{STATEMENT} {PROOF}\n\ntheorem X : True := trivial", "extra_theorem"),
    "lemma before": (f"lemma help : True := trivial\n\n{STATEMENT} {PROOF}", "extra_theorem"),
    "instead of a theorem": (f"def{STATEMENT.removeprefix('theorem')} {PROOF}", "no_theorem"),
    "without a name": (f"example (p q : Prop) (h : p ∧ q) : q ∧ p {PROOF}", "no_theorem"),
    "Cyrillic name": (f"theorem sw\u0430p (p q : Prop) (h : p ∧ q) : q ∧ p {PROOF}", "other_theorem"),
    "another and": (f"theorem swap (p q : Prop) (h : p ∧ q) : q \u22c0 p {PROOF}", "other_statement"),
    "ratio for a colon": (f"theorem swap (p q : Prop) (h : p ∧ q) \u2236 q ∧ p {PROOF}", "other_statement"),
    "no-break space": (f"theorem swap (p q : Prop) (h : p ∧ q) :\u00a0q ∧ p {PROOF}", "tab"),
    "zero-width space": (f"theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p\u200b {PROOF}", "other_statement"),
    "statement alone": (STATEMENT, "no_proof"),
    "sorry": (f"{STATEMENT} := sorry", "tactic_error"),
    "sorry in a tactic": (f"{STATEMENT} := by\n  constructor\n  · exact h.2\n  · sorry", "tactic_error"),
    "wrong term": (f"{STATEMENT} := h", "tactic_error"),
    "closed bracket": (f"{STATEMENT} := trivial) <;> exact (⟨h.2, h.1⟩", "tactic_error"),
    "half of it": ("constructor\n· exact h.2", "goals_left"),
    "too much of it": ("exact ⟨h.2, h.1⟩\nrfl", "tactic_error"),
    "a theorem after the proof": ("exact ⟨h.2, h.1⟩\n axiom cheat : False", "tactic_error"),
    "thinking that never ends": (f"<think>{STATEMENT} {PROOF}", "unfinished_thinking"),
    "another language": (f"```python\n{STATEMENT} {PROOF}\n```", "other_language"),
    "prose": (f"The proof:\n\n{STATEMENT} {PROOF}", "other_text"),
    "nothing": ("", "empty"),
}  # fmt: skip


def test_other_answers_earn_nothing_and_are_counted_by_reason(reward: LeanReward) -> None:
    before = dict(reward.results)
    logged: dict[str, float] = {}
    names = ["swap"] * len(ATTACKS)
    texts = [text for text, _ in ATTACKS.values()]
    rewards = reward(completions=texts, theorem=names, log_metric=logged.__setitem__)
    found = {
        name: (result, value)
        for name, (result, _), value in zip(ATTACKS, reward.latest, rewards, strict=True)
    }
    assert found == {name: (result, 0.0) for name, (_, result) in ATTACKS.items()}
    assert all(reason for _, reason in reward.latest)
    results = [result for _, result in ATTACKS.values()]
    for result in set(results):
        assert reward.results[result] - before.get(result, 0) == results.count(result)
        assert logged[f"answers/{result}"] == pytest.approx(results.count(result) / len(results))


def test_a_result_that_was_seen_is_logged_from_then_on() -> None:
    reward = make_reward_func([Theorem("one", "theorem one : True")], backend="fake", num_workers=0)
    logged: dict[str, float] = {}
    reward(completions=["", "trivial"], theorem=["one", "two"], log_metric=logged.__setitem__)
    assert logged == {"answers/empty": 0.5, "answers/unknown_theorem": 0.5}
    assert reward(completions=["trivial"], theorem=["one"], log_metric=logged.__setitem__) == [1.0]
    assert logged == {"answers/empty": 0.0, "answers/unknown_theorem": 0.0, "answers/proved": 1.0}
    assert reward.latest == [("proved", "")]
    reward.close()
