"""Keys of the group cache, on episodes written out by hand."""

from __future__ import annotations

import pytest

from lean_gym.types import Outcome
from trainers.rollouts import cache_stats as cache_keys
from trainers.rollouts.cache_stats import count_keys
from trainers.rollouts.player import Step, Trajectory
from trainers.rollouts.replay import Scripted


def episode(
    tried: str, theorem: str = "t", before: tuple[str, ...] = (), outcome: Outcome = Outcome.STEP_LIMIT
) -> Trajectory[Scripted]:
    """An episode with one tactic per letter; Lean refuses capitals."""
    steps = [Step("", Scripted(letter), 0.0, letter.isupper()) for letter in tried]
    last = tried[-1:] if outcome is Outcome.REJECTED else ""
    accepted = tuple(letter for letter in tried if letter.islower() or letter == last)
    return Trajectory(theorem, steps, outcome, before + accepted)


def test_the_path_of_accepted_tactics_decides() -> None:
    known: dict[int, None] = {}
    # a, ab, aX, abc: 4 keys in 8 tries; the refused X does not change the path
    counted = count_keys([episode("abc"), episode("aXXb"), episode("a")], known)
    assert counted == {"repeated": pytest.approx(4 / 8), "earlier": 0.0}
    assert len(known) == 4
    # later: a and ab are known, ad and its like are not; another theorem shares nothing
    assert count_keys([episode("ab"), episode("ad"), episode("a", theorem="u")], known) == {
        "repeated": pytest.approx(3 / 5),
        "earlier": pytest.approx(3 / 5),
    }


def test_text_is_not_run_together() -> None:
    known: dict[int, None] = {}
    count_keys([Trajectory("t", [Step("", Scripted("ab"), 0.0, False)], tactics=("ab",))], known)
    assert count_keys([episode("ab")], known)["earlier"] == 0.0


def test_a_branch_goes_on_from_the_path_it_began_with() -> None:
    known: dict[int, None] = {}
    count_keys([episode("abc")], known)
    assert count_keys([episode("c", before=("a", "b"))], known)["earlier"] == 1.0
    assert count_keys([episode("c", before=("b",))], known)["earlier"] == 0.0


def test_a_rejected_proof_was_accepted_to_its_end() -> None:
    known: dict[int, None] = {}
    count_keys([episode("ab")], known)
    assert count_keys([episode("abX", outcome=Outcome.REJECTED)], known)["earlier"] == pytest.approx(2 / 3)


def test_the_oldest_keys_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_keys, "MOST_KEYS", 2)
    known: dict[int, None] = {}
    count_keys([episode("abc")], known)
    assert count_keys([episode("a")], known) == {"repeated": 0.0, "earlier": 0.0}
    assert len(known) == 2


def test_nothing_was_tried() -> None:
    assert count_keys([], {}) == {"repeated": 0.0, "earlier": 0.0}
