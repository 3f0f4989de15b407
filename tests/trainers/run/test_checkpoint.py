from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from lean_gym import LeanProofVectorEnv
from trainers.distributed.shared_rollouts import SharedStop
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.learning.learner import Learner
from trainers.run import loop
from trainers.run.checkpoint import RunState, load_checkpoint, save_checkpoint
from trainers.run.loop import TrainingRun
from trainers.runtime.signals import Interrupted, StopRequest


def test_state_and_tensors_come_back(tmp_path: Path) -> None:
    state = RunState(stage="train", iteration=7, shown=["a"], solve_rates={"a": 0.5})
    state.proofs["b"] = {"name": "b", "tactics": ["rfl"], "axioms": None}
    learner = {"model": {"w": torch.arange(3.0)}, "optimizer": {"state": {0: {"step": torch.tensor(2.0)}}}}
    save_checkpoint(tmp_path / "c.pt", state, learner)
    loaded, tensors = load_checkpoint(tmp_path / "c.pt")
    assert loaded == state
    assert torch.equal(tensors["model"]["w"], torch.arange(3.0))
    assert list(tmp_path.iterdir()) == [tmp_path / "c.pt"]


@pytest.mark.parametrize("kind", ["nothing", "garbage", "junk", "another"])
def test_what_is_no_checkpoint_is_one_clear_line(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint.pt"
    if kind in ("garbage", "junk"):  # which torch fails to read in different ways
        path.write_text(kind)
    elif kind == "another":
        plain = torch.save
        monkeypatch.setattr(torch, "save", lambda _, file: plain({"run": {"stages": 1}, "learner": {}}, file))
        save_checkpoint(path, RunState(), {})
    message = (
        "the run has no checkpoint" if kind == "nothing" else "checkpoint.pt is damaged, or no checkpoint"
    )
    with pytest.raises(ConfigError, match=f"--resume .*: {message}"):
        load_checkpoint(path)


def test_a_flipped_bit_anywhere_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, RunState(iteration=3, shown=["a"]), {"model": {"w": torch.arange(100.0)}})
    content = path.read_bytes()
    for position in range(0, len(content), max(1, len(content) // 60)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        with pytest.raises(ConfigError, match=r"--resume .*: checkpoint.pt is damaged, .*checksum"):
            load_checkpoint(path)
    path.write_bytes(content[:-1])
    with pytest.raises(ConfigError, match="is damaged"):
        load_checkpoint(path)
    path.write_bytes(content)
    assert load_checkpoint(path)[0].shown == ["a"]
    assert torch.load(path, weights_only=True)["run"]["iteration"] == 3


def test_a_full_disk_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`/dev/full` instead of a file: every write fails, and torch fails again as it closes its archive."""
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, RunState(iteration=3), {})
    plain = Path.open
    monkeypatch.setattr(Path, "open", lambda self, mode: plain(Path("/dev/full"), mode, buffering=0))
    with pytest.raises(ConfigError, match=r"cannot write .*checkpoint.pt: No space left on device"):
        save_checkpoint(path, RunState(iteration=4), {"weights": torch.zeros(10000)})
    monkeypatch.undo()
    assert load_checkpoint(path)[0].iteration == 3


def disturb() -> None:
    """Change the state of the global random generators."""
    torch.manual_seed(12345)
    np.random.seed(12345)


# (stage, iterations done) at which the run is interrupted, each on its second check there: in a replay or a step of
# the warm start, within an evaluation before, between and after, within the rollouts.
@pytest.mark.parametrize(
    "where",
    [
        "warm_start",
        "rollout",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("before", "between", "after")),
    ],
)
def test_an_interrupted_run_ends_as_if_it_had_not_been(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    within: list[str] = []
    plain_evaluate = TrainingRun._evaluate
    plain_check = StopRequest.check

    def evaluate(self: TrainingRun) -> Any:
        within.append({0: "before", 2: "between", 4: "after"}[self.state.iteration])
        result = plain_evaluate(self)
        within.append("rollout")
        return result

    def check(self: StopRequest) -> None:
        seen.append(within[-1] if within else "warm_start")
        if seen.count(where) == 5:
            raise Interrupted(15)
        plain_check(self)

    seen: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(TrainingRun, "_evaluate", evaluate)
        patched.setattr(StopRequest, "check", check)
        assert start("broken") == 128 + 15
    _, learner = load_checkpoint(tmp_path / "broken" / "checkpoint.pt")
    saved = load_file(tmp_path / "broken" / "policy" / "model.safetensors")
    assert all(torch.equal(saved[name], learner["model"][name]) for name in saved)
    disturb()
    assert main(["--resume", str(tmp_path / "broken")]) == 0
    assert outcome(tmp_path / "broken") == whole


def test_the_warm_start_can_be_interrupted_after_each_step(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An epoch of a large model takes minutes."""
    checks: list[None] = []

    def check(self: SharedStop) -> None:
        checks.append(None)
        if len(checks) == 12:
            raise Interrupted(15)

    with monkeypatch.context() as patched:
        patched.setattr(SharedStop, "check", check)
        assert start("broken") == 128 + 15
    state, _ = load_checkpoint(tmp_path / "broken" / "checkpoint.pt")
    assert state.stage == "warm_start" and state.warm_start_step > 0 and state.warm_start_loss[1] > 0
    disturb()
    assert main(["--resume", str(tmp_path / "broken")]) == 0
    assert outcome(tmp_path / "broken") == whole


# Of the first iteration, which follows a checkpoint; of the third one, which follows one where updates are long, and is
# waited for where they are not.
@pytest.mark.parametrize(("update", "long", "done"), [(1, False, 0), (3, True, 2), (3, False, 3)])
def test_an_update_that_is_interrupted_is_done_again(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    update: int,
    long: bool,
    done: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[int] = []
    plain_update, plain_step = Learner.update, Learner._step

    def counting(self: Learner, *arguments: Any, **named: Any) -> Any:
        steps.append(0)
        return plain_update(self, *arguments, **named)

    def step(self: Learner, rate: float) -> float:
        if steps:
            steps[-1] += 1
        return plain_step(self, rate)

    def check(self: SharedStop) -> None:
        if len(steps) == update and steps[-1] >= 2:
            raise Interrupted(15)

    with monkeypatch.context() as patched:
        patched.setattr(Learner, "update", counting)
        patched.setattr(Learner, "_step", step)
        patched.setattr(SharedStop, "check", check)
        if long:
            patched.setattr(loop, "_LONG_UPDATE_S", 0.0)
            patched.setattr(loop, "_SAVES", 0)
        assert start("broken") == 128 + 15
    assert (steps[-1] == 2) == (done < update)
    assert load_checkpoint(tmp_path / "broken" / "checkpoint.pt")[0].iteration == done
    disturb()
    assert main(["--resume", str(tmp_path / "broken")]) == 0
    assert outcome(tmp_path / "broken") == whole


# In the warm start; in the first iteration; in the last one, which follows a checkpoint.
@pytest.mark.parametrize(
    ("phase", "call"), [("_step", 5), pytest.param("update", 1, marks=pytest.mark.slow), ("update", 4)]
)
def test_a_run_that_died_goes_on_from_its_last_checkpoint(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    phase: str,
    call: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[None] = []
    plain = getattr(Learner, phase)

    def die(self: Learner, *arguments: Any, **named: Any) -> Any:
        calls.append(None)
        result = plain(self, *arguments, **named)  # its changes in memory are lost
        if len(calls) == call:
            raise MemoryError
        return result

    with monkeypatch.context() as patched:
        patched.setattr(Learner, phase, die)
        with pytest.raises(SystemExit):  # with one line, see `minilean.command_line.ending_in_want`
            start("dead")
    disturb()
    assert main(["--resume", str(tmp_path / "dead")]) == 0
    assert outcome(tmp_path / "dead") == whole


def test_the_cache_changes_no_metric(
    start: Callable[..., int],
    whole: dict[str, Any],
    outcome: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A resumed run starts with an empty cache; a run without any cache gives the same results."""
    plain = LeanProofVectorEnv.__init__

    def forgetful(self: LeanProofVectorEnv, *arguments: Any, **options: Any) -> None:
        plain(self, *arguments, **options | {"cache_size": 0})

    monkeypatch.setattr(LeanProofVectorEnv, "__init__", forgetful)
    assert start("forgetful") == 0
    assert outcome(tmp_path / "forgetful") == whole
    events = EventAccumulator(str(tmp_path / "forgetful"))
    events.Reload()
    assert {event.value for event in events.Scalars("pool/tactic_hit_share")} == {0.0}
