"""Proofs imitated beside the loss: what the settings change. That an interruption changes nothing is tested beside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from trainers.config.replay import ReplayConfig
from trainers.run.checkpoint import load_checkpoint


def scalars(folder: Path, tag: str) -> list[float]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return [event.value for event in events.Scalars(tag)] if tag in events.Tags()["scalars"] else []


def test_the_weight_falls_to_nothing() -> None:
    weights = [
        ReplayConfig(replay_weight=0.4, replay_share=0.5).weight_at(completed)
        for completed in (0, 0.25, 0.5, 1)
    ]
    assert weights == pytest.approx([0.4, 0.2, 0.0, 0.0])
    assert ReplayConfig(replay_weight=0.4).weight_at(0.5) == pytest.approx(0.2)


def test_proofs_are_kept_and_imitated(start: Callable[..., int], tmp_path: Path) -> None:
    for name, *words in (["with"], ["half", "--replay-share", "0.5"], ["none", "--replay-weight", "0"]):
        assert start(name, "--max-iterations", "2", *words) == 0
    folders = {name: tmp_path / name for name in ("with", "half", "none")}
    losses = {name: scalars(folder, "policy/imitation_loss") for name, folder in folders.items()}
    assert {name: len(values) for name, values in losses.items()} == {"with": 2, "half": 1, "none": 0}
    kept = [json.loads(line) for line in (folders["with"] / "kept_proofs.jsonl").read_text().splitlines()]
    assert len(kept) >= scalars(folders["with"], "buffer/proofs")[-1] > 0
    found = {json.loads(line)["name"] for line in (folders["with"] / "proofs.jsonl").read_text().splitlines()}
    assert {proof["theorem"] for proof in kept} <= found | set(
        load_checkpoint(folders["with"] / "checkpoint.pt")[0].shown
    )
    assert not (folders["none"] / "kept_proofs.jsonl").exists()
    models = [load_checkpoint(folder / "checkpoint.pt")[1]["model"] for folder in folders.values()]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert not all(torch.equal(models[first][name], models[second][name]) for name in models[first])
