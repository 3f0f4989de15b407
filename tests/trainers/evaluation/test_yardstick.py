"""The yardstick beside the results."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_gym.errors import BackendError
from lean_gym.types import Theorem
from trainers.config.tasks import EvaluateConfig
from trainers.errors import ConfigError
from trainers.evaluation.yardstick import automation_share, measure_automation

THEOREMS = [
    Theorem("easy", "theorem easy (a b : Nat) : a < b → a + 1 ≤ b"),
    Theorem("hard", "theorem hard (f : Nat → Nat) : (∀ n, f (n + 1) = f n) → ∀ n, f n = f 0"),
]
PROVER = EvaluateConfig(policy="p", backend="minilean", workers=1)


def test_the_best_script_and_any_script() -> None:
    seen: list[int] = []
    found = measure_automation(THEOREMS, PROVER, seen.append)
    assert (found.best, found.any) == (0.5, 0.5)
    assert found.line == f"automation: best single script 50.0% (`{found.script}`), any script 50.0%"
    assert found.plain == {"best": 0.5, "any": 0.5, "script": found.script}
    assert measure_automation(THEOREMS, PROVER, lambda done: pytest.fail("it was measured again")) == found


def test_what_the_rows_say_is_not_tried_again() -> None:
    known = [replace(theorem, automation=False) for theorem in THEOREMS]
    found = measure_automation(known, PROVER, lambda done: pytest.fail("it was measured"))
    assert found.plain == {"best": 0.0, "any": 0.0, "script": ""}
    assert found.line == "automation: best single script 0.0%, any script 0.0%"
    # Where nothing is said, or the row says that a script exists, the scripts are tried.
    both = [THEOREMS[0], replace(THEOREMS[1], automation=False)]
    assert measure_automation(both, PROVER, lambda done: None).any == 0.5
    both[0] = replace(THEOREMS[0], automation=True)
    assert measure_automation(both, PROVER, lambda done: None).best == 0.5


def test_flags_of_minilean_do_not_hold_for_another_prover() -> None:
    flagged = [Theorem("t", "theorem t : True", automation=False)]
    with pytest.raises(BackendError):
        measure_automation(
            flagged,
            EvaluateConfig(
                policy="p",
                backend="pantograph",
                workers=1,
                env={"backend_options": {"repl_command": ["no-such-program"]}},
            ),
            lambda done: None,
        )


def test_an_unknown_prover_is_one_line() -> None:
    with pytest.raises(ConfigError, match="did you mean 'minilean'"):
        measure_automation(THEOREMS, EvaluateConfig(policy="p", backend="minilaen"), lambda done: None)


def test_the_share_of_proofs_that_use_automation() -> None:
    proofs = [
        {"tactics": ["intro h", "exact ⟨h, by simp⟩"]},
        {"tactics": ["rfl"]},
        {"tactics": ["exact simp_h"]},
    ]
    assert automation_share(proofs) == pytest.approx(1 / 3)
    assert automation_share([]) is None


def test_options_of_the_prover_reach_it() -> None:
    foreign = [Theorem("m", "theorem m (a b : Nat) : a < b → a + 1 ≤ b", imports=("Mathlib",))]
    assert measure_automation(foreign, PROVER, lambda done: None).any == 0.0
    ignoring = EvaluateConfig(policy="p", backend="minilean", workers=1, env={"ignore_imports": True})
    assert measure_automation(foreign, ignoring, lambda done: None).any == 1.0
