"""Episodes on a REPL that breaks in every way we know: they must end as they do on the prover without a REPL."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from lean_gym import LeanProofVectorEnv
from lean_gym.datasets import load_theorems, proof_steps
from minilean.library import library

REPL = Path(__file__).with_name("faulty_repl.py")
KINDS = ("die", "late", "twice", "garbage", "huge", "forge", "deaf", "leak", "chatter", "mute")


def play(episodes, backend="minilean", *, num_workers=0, num_envs=8, tactic_seconds=4.0, **backend_options):
    """Replay reference proofs, each after a tactic that fails; returns the results by episode, and the counters."""
    theorems = [one for name in ("logic", "nat") for one in load_theorems(name) if one.proof]
    chosen = [theorems[index % len(theorems)] for index in range(0, 7 * episodes, 7)]
    results = {}
    with LeanProofVectorEnv(
        num_envs,
        theorems,
        backend,
        num_workers=num_workers,
        # Every step reaches the prover.
        cache_size=0,
        tactic_seconds=tactic_seconds,
        # A process grows by some 200 MiB before garbage is collected, and there are two for each worker.
        memory_mib=1500,
        backend_options=backend_options,
    ) as vec:
        waiting = list(enumerate(chosen))[::-1]
        playing = {}
        moving = list(range(num_envs))
        while waiting or playing:
            starting = {slot: waiting.pop() for slot in moving if slot not in playing and waiting}
            if starting:
                names = [starting[slot][1].name if slot in starting else None for slot in range(num_envs)]
                mask = np.array([slot in starting for slot in range(num_envs)])
                vec.reset(options={"reset_mask": mask, "theorem": names})
            for slot, (number, theorem) in starting.items():
                playing[slot] = (number, ["exact no_such_name", *proof_steps(theorem.proof)])
                results[number] = []
            moving = [slot for slot in moving if slot in playing]
            vec.step_async([playing[slot][1].pop(0) for slot in moving], moving)
            ready = vec.recv()
            moving = ready.env_ids.tolist()
            for index, slot in enumerate(moving):
                number, script = playing[slot]
                info = ready.infos[index]
                row = (
                    info["outcome"],
                    info["error"],
                    float(ready.rewards[index]),
                    info["tactics"],
                    ready.observations[index],
                )
                results[number].append(row)
                if ready.terminated[index] or not script:
                    del playing[slot]
        return results, vec.stats()


def assert_same(got, expected):
    assert got.keys() == expected.keys()
    different = [number for number in got if got[number] != expected[number]]
    assert not different, "\n".join(
        f"episode {number} ends with\n  {got[number][-2:]}\nand without a REPL with\n  {expected[number][-2:]}"
        for number in different[:3]
    )
    assert all(rows[-1][0] == "proved" for rows in got.values())


def storm(folder, expected, *, kinds=KINDS, least, most, start_seconds=20.0, tactic_seconds=4.0):
    """Play with faults, hold the results against those without, and return the kinds that occurred, and counters."""
    library()  # Elaborated once, then read from its cache by every process: they start in a second.
    results, stats = play(
        len(expected),
        "pantograph",
        num_workers=2,
        tactic_seconds=tactic_seconds,
        repl_command=[sys.executable, str(REPL), str(folder), ",".join(kinds), str(least), str(most), "0"],
        start_seconds=start_seconds,
        sandbox="off",
    )
    assert_same(results, expected)
    assert stats["quarantined"] == 0
    return (folder / "faults.txt").read_text().split(), stats


@pytest.mark.timeout(300)
def test_a_storm_of_all_faults_changes_no_result(tmp_path):
    """Every third episode or so is hit. Two workers and their judge have a REPL each, and each counts its commands."""
    expected, _ = play(40)
    faults, stats = storm(tmp_path, expected, least=30, most=45)
    assert set(faults) == set(KINDS)
    # All but the late, the long and the talkative cost a process; where it is the judge's, only the judge knows.
    assert stats["backend_restarts"] + stats["worker_restarts"] >= 1


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_of_fault_changes_no_result(tmp_path, kind):
    expected, _ = play(40)
    faults, _ = storm(tmp_path, expected, kinds=[kind], least=50, most=90)
    assert set(faults) == {kind}


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_two_thousand_episodes_of_which_every_twentieth_is_hit(tmp_path):
    """An episode takes about 15 commands, so a fault after 300 of them hits one episode in 20."""
    # It runs beside other programs: a starved process must not pass for a hung REPL.
    patient = {"start_seconds": 60.0, "tactic_seconds": 30.0}
    expected, _ = play(2000)
    faults, stats = storm(tmp_path, expected, least=100, most=500, **patient)
    print(
        Counter(faults), {name: count for name, count in stats.items() if count}
    )  # seen with -s, for docs/log.md
    assert len(faults) >= 60
    assert set(faults) == set(KINDS)
