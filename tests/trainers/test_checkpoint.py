from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

from trainers.checkpoint import (
    Interrupted,
    RunState,
    StopRequest,
    load_checkpoint,
    replacing,
    save_checkpoint,
)
from trainers.seeding import derive_seed


def test_state_and_tensors_come_back(tmp_path: Path) -> None:
    state = RunState(stage="train", iteration=7, shown=["a"], solve_rates={"a": 0.5})
    state.proofs["b"] = {"name": "b", "tactics": ["rfl"], "axioms": None}
    learner = {"model": {"w": torch.arange(3.0)}, "optimizer": {"state": {0: {"step": torch.tensor(2.0)}}}}
    save_checkpoint(tmp_path / "c.pt", state, learner)
    loaded, tensors = load_checkpoint(tmp_path / "c.pt")
    assert loaded == state
    assert torch.equal(tensors["model"]["w"], torch.arange(3.0))
    assert list(tmp_path.iterdir()) == [tmp_path / "c.pt"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_met_at_the_next_check(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with StopRequest() as stop:
        stop.check()
        os.kill(os.getpid(), number)
        # a second signal is no longer held back
        assert signal.getsignal(number) is before
        with pytest.raises(Interrupted, match=number.name) as caught:
            stop.check()
        assert caught.value.signal_number == number
    assert signal.getsignal(number) is before


def test_derived_seeds_differ_in_each_argument() -> None:
    seeds = {derive_seed(*key) for key in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1))}
    assert len(seeds) == 4
    assert derive_seed(3, "rollout", 5) == derive_seed(3, "rollout", 5)
    assert all(0 <= seed < 2**63 for seed in seeds)
