"""Attacks on episodes: the theorem by itself, by what follows it, by attributes and instances, by an importer.

The same texts prove the last theorem of the file, so they are not refused for another reason.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.tracing import trace
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

FILES = {
    "A.lean": """inductive Rare : Nat → Prop
  | intro {n : Nat} (h : ∀ m, m < n → n < m → False) : Rare n
class Holds (p : Prop) : Prop where
  out : p
private theorem hidden (n : Nat) : Rare n := .intro fun m h₁ h₂ => by omega
""",
    "B.lean": """import A
theorem N.goal (n : Nat) : Rare n := by simp
namespace N
@[simp, grind] theorem goal (n : Nat) : Rare n := by exact .intro fun m h₁ h₂ => by omega
private theorem shadow (n : Nat) : Rare n := goal n
instance instGoal (n : Nat) : Holds (Rare n) := ⟨goal n⟩
end N
export N (goal)
notation "cheat" => N.goal
macro "win" : tactic => `(tactic| exact N.goal _)
structure Box where
  n : Nat
theorem Box.rare (b : Box) : Rare b.n := N.goal b.n
theorem last (n : Nat) : Rare n := by exact N.goal n
theorem after (n : Nat) : Rare n := last n
""",
    "C.lean": "import B\ntheorem above (n : Nat) : Rare n := last n\n",
}
BY_WHAT_FOLLOWS = (
    *("exact N.goal n", "exact (N.goal : ∀ k, Rare k) n", "have h := @N.goal\nexact h n"),
    *("simp", "simp_all", "simp only [N.goal]", "grind", "grind [N.goal]", "exact Holds.out", "exact?"),
    *(
        "exact (inferInstance : Holds (Rare n)).out",
        "exact cheat n",
        "win",
        "exact goal n",
        "exact Box.rare ⟨n⟩",
    ),
    *(
        "exact N.shadow n",
        "exact (N.instGoal n).out",
        "exact by exact by simp",
        "first | simp | exact N.goal n",
    ),
)
NEVER = (
    *("exact after n", "exact above n", "exact hidden n", "exact A.hidden n", "exact _private.A.0.hidden n"),
    *(
        "import C\nexact above n",
        "open C in exact above n",
        "sorry",
        "admit",
        "exact sorryAx _ true",
        "native_decide",
    ),
    "exact let rec f (k : Nat) : Rare k := f k; f n",
    "exact N.goal n\n\ntheorem N.goal (n : Nat) : Rare n := N.goal n",
    "theorem other : Rare n := .intro fun m h₁ h₂ => by omega",
    "attribute [local instance] N.instGoal in exact Holds.out",
    "induction n using above",
)


@pytest.fixture(scope="module")
def theorems(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Theorem]:
    """The theorems of the project, by name."""
    root = tmp_path_factory.mktemp("attacks")
    (root / "project").mkdir()
    for name, text in FILES.items():
        (root / "project" / name).write_text(text, "utf-8")
    trace(root / "project", root / "out", jsonl=True)
    return {theorem.name: theorem for theorem in load_theorems(str(root / "out"))}


@pytest.mark.parametrize(
    "attack", [*BY_WHAT_FOLLOWS, *NEVER, "exact open N in goal n", "exact open N in shadow n"]
)
def test_no_theorem_is_proved_by_itself_or_by_what_follows(
    theorems: Mapping[str, Theorem], attack: str
) -> None:
    assert not verify_script(create_backend("minilean"), theorems["N.goal"], [attack]).proved


@pytest.mark.parametrize("text", BY_WHAT_FOLLOWS)
def test_a_later_theorem_is_proved_by_the_same_texts(theorems: Mapping[str, Theorem], text: str) -> None:
    assert verify_script(create_backend("minilean"), theorems["last"], [text]).proved


@pytest.mark.parametrize("attack", NEVER)
def test_a_later_theorem_is_not_proved_by_what_is_not_there(
    theorems: Mapping[str, Theorem], attack: str
) -> None:
    assert not verify_script(create_backend("minilean"), theorems["last"], [attack]).proved


def test_each_is_proved_honestly(theorems: Mapping[str, Theorem]) -> None:
    for name in ("N.goal", "last"):
        honest = ["constructor", "intro m h₁ h₂", "omega"]
        assert verify_script(create_backend("minilean"), theorems[name], honest).proved
