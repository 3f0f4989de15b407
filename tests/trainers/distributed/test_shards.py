"""Checkpoints of divided weights: written by two processes in the background, read by any number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from tests.trainers.distributed.test_processes import launch
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig
from trainers.distributed.processes import Processes
from trainers.distributed.shards import StoredRows
from trainers.errors import ConfigError
from trainers.learning.learner import Learner
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.run.checkpoint import CheckpointWriter, RunState, load_checkpoint
from trainers.run.models import LoadedModel

PROGRAM = """
import copy, sys, torch
from pathlib import Path
torch.set_num_threads(1)
from tests.trainers.distributed.test_shards import make_learner, make_model
from trainers.distributed.launcher import find_processes
from trainers.distributed.shards import ShardWriter
from trainers.errors import ConfigError
from trainers.learning.samples import Sample
from trainers.run.checkpoint import CheckpointWriter, RunState, load_checkpoint

folder = Path(sys.argv[1])
path = folder / "checkpoint.pt"
rows = [Sample((9, 8, 7), (5, 6 + number), (-1.0, -1.0), number - 1.5, number) for number in range(4)]


def train(learner, seed):
    return learner.update(rows, 0.0, torch.Generator().manual_seed(seed))


with find_processes() as processes:
    learner = make_learner(processes, 0)
    writer = CheckpointWriter(path, processes)
    learner.use_reference(make_model(1)[0])
    for seed in range(3):
        train(learner, seed)
    saved = copy.deepcopy(learner.state_dict())
    state = RunState(iteration=3, shown=["one"])
    policies = []
    writer.write(state, learner, policies.append)
    state.iteration, state.shown[0] = 4, "two"  # the run goes on while the files are written
    later = train(learner, 3)
    writer.finish()
    found = {"saved": saved, "names": sorted(p.name for p in folder.glob("*shards*/*")), "policies": policies}

    state, stored = load_checkpoint(path, processes)
    found["state"] = (state.iteration, state.shown)
    again = make_learner(processes, 7)
    again.load_state_dict(stored)
    found["before any use"] = copy.deepcopy(again.state_dict())
    again.use_reference(make_model(2)[0])
    found |= {"again": copy.deepcopy(again.state_dict()), "later": later, "repeated": train(again, 3)}

    # One that cannot write: all processes say so, and the checkpoint before stays.
    if not processes.main:
        def full(*arguments):
            raise ConfigError("cannot write shards: No space left on device")
        ShardWriter._write = full
    try:
        writer.write(state, learner, policies.append)
        writer.finish()
    except ConfigError as error:
        found["failure"] = str(error)
    found["after the failure"] = load_checkpoint(path, processes)[0].iteration
    writer.close()
    torch.save(found, folder / f"found.{processes.rank}")
"""


def make_model(seed: int) -> LoadedModel:
    tokenizer = train_tokenizer(["p q : Prop", "intro h", "simp"] * 3, 319)
    assert len(tokenizer) % 2 == 1  # so that one process holds more rows than the other
    return build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed), tokenizer


def make_learner(processes: Processes, seed: int) -> Learner:
    model, tokenizer = make_model(seed)
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=4))
    settings = LearnerConfig(warmup_steps=0, sync_ref_model=True, ref_model_sync_steps=1)
    return Learner(policy, create_algorithm("grpo", beta=0.1), settings, processes)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a checkpoint of two processes, with what each of them found."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = launch(str(folder / "program.py"), str(folder), kind="--use_fsdp")
    assert done.returncode == 0, done.stderr
    return folder


def test_processes_write_their_shards_and_read_them(written: Path) -> None:
    first, second = (torch.load(written / f"found.{rank}") for rank in range(2))
    for found in (first, second):
        assert found["names"] == ["00000.safetensors", "00001.safetensors"]
        assert found["state"] == (3, ["one"])
        assert found["repeated"] == found["later"]
        assert found["failure"] == "cannot write shards: No space left on device"
        assert found["after the failure"] == 3
    for again in (first["again"], first["before any use"]):
        torch.testing.assert_close(again, first["saved"], rtol=0, atol=0)
    (policy, _) = first["policies"]
    torch.testing.assert_close(policy, first["saved"]["model"], rtol=0, atol=0)
    assert second["policies"] == []


def test_one_process_reads_the_shards_of_two_and_writes_one_file(written: Path, tmp_path: Path) -> None:
    saved = torch.load(written / "found.0")["saved"]
    state, stored = load_checkpoint(written / "checkpoint.pt")
    learner = make_learner(Processes(), 7)
    learner.load_state_dict(stored)
    torch.testing.assert_close(learner.state_dict(), saved, rtol=0, atol=0)
    (tmp_path / "shards-1").mkdir()
    writer = CheckpointWriter(tmp_path / "checkpoint.pt", Processes())
    writer.write(state, learner, lambda weights: None)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]  # the shards have no use any more
    torch.testing.assert_close(load_checkpoint(tmp_path / "checkpoint.pt")[1], saved, rtol=0, atol=0)


@pytest.mark.parametrize("damage", ["a byte", "missing"])
def test_damaged_shards_are_one_line(damage: str, written: Path, tmp_path: Path) -> None:
    folder = next(written.glob("shards-*"))
    copied = tmp_path / folder.name
    copied.mkdir()
    for path in (written / "checkpoint.pt", *folder.iterdir()):
        target = copied if path.parent == folder else tmp_path
        (target / path.name).write_bytes(path.read_bytes())
    load_checkpoint(tmp_path / "checkpoint.pt")
    broken = copied / "00001.safetensors"
    if damage == "missing":
        broken.unlink()
    else:
        content = bytearray(broken.read_bytes())
        content[-5] ^= 1
        broken.write_bytes(content)
    with pytest.raises(ConfigError, match=r"1/00001\.safetensors is missing or damaged; start the run again"):
        load_checkpoint(tmp_path / "checkpoint.pt")


def test_any_rows_are_those_of_the_whole(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for case in range(30):
        parts = [torch.randn(int(rows), 3) for rows in random.integers(0, 5, size=random.integers(1, 5))]
        files = tuple(tmp_path / f"{case}-{at}.safetensors" for at in range(len(parts)))
        for part, path in zip(parts, files, strict=True):
            save_file({"/a": part}, path)
        whole = torch.cat(parts)
        stored = StoredRows(files, "/a", whole.shape, whole.dtype)
        assert torch.equal(stored.read(), whole)
        for first in range(len(whole) + 1):
            for end in range(first, len(whole) + 1):
                assert torch.equal(stored.read(first, end), whole[first:end])


def test_without_division_a_checkpoint_is_one_file(tmp_path: Path) -> None:
    learner = make_learner(Processes(), 0)
    policies: list[object] = []
    writer = CheckpointWriter(tmp_path / "checkpoint.pt", Processes())
    writer.write(RunState(iteration=2), learner, policies.append)
    assert len(policies) == 1
    assert load_checkpoint(tmp_path / "checkpoint.pt")[0].iteration == 2
