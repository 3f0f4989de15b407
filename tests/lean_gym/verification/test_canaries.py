"""False theorems stay unproved under every exploit, and an alarm is raised when one counts as proved."""

import gymnasium as gym
import pytest

from lean_gym.backends import create_backend
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, CanaryProved, canary_theorems, watch_canary

THEOREMS = {theorem.name: theorem for theorem in canary_theorems()}


@pytest.fixture(scope="module")
def env():
    made = gym.make(
        "LeanProof-v0",
        theorems=list(THEOREMS.values()),
        backend="minilean",
        reward="binary",
        tactic_seconds=5.0,
    )
    yield made
    made.close()


@pytest.mark.parametrize("exploit", EXPLOITS, ids=lambda exploit: exploit.name)
def test_no_exploit_earns_a_reward(env, exploit):
    for name, theorem in THEOREMS.items():
        env.reset(options={"theorem": name})
        for tactic in exploit.against(theorem):
            _, reward, terminated, _, info = env.step(tactic)
            assert reward == 0.0
            assert info["outcome"] != "proved"
            if terminated:
                break


@pytest.mark.parametrize("name", THEOREMS)
def test_no_exploit_is_verified(name):
    backend = create_backend("minilean")
    theorem = THEOREMS[name]
    assert backend.start(theorem).goals
    for exploit in EXPLOITS:
        verdict = backend.verify(theorem, exploit.against(theorem), 10.0)
        assert not verdict.proved, exploit.name
        assert verdict.reason


def test_the_alarm():
    for theorem in canary_theorems():
        watch_canary(theorem, "rejected")
        watch_canary(theorem, "running")
        with pytest.raises(CanaryProved, match=f"the false theorem '{theorem.name}' was accepted as proved"):
            watch_canary(theorem, "proved")
    watch_canary(Theorem("t", "theorem t : True"), "proved")


def test_exploits_are_told_apart():
    assert len({exploit.name for exploit in EXPLOITS}) == len(EXPLOITS)
    assert len(THEOREMS) == len(canary_theorems())
    itself = next(exploit for exploit in EXPLOITS if exploit.name == "itself")
    assert itself.against(THEOREMS["canary_false"]) == ("exact canary_false",)
