"""Two processes that divide a model: its precision, an engine beside each of them, and checkpoints of divided weights.

The processes are started once: loading torch and the other libraries takes longer than all that they do here.
"""

from __future__ import annotations

import copy
import gc
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from tests.trainers.distributed.test_processes import launch
from trainers.algorithms import create_algorithm
from trainers.config.lora import parse_lora
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig
from trainers.distributed.launcher import find_processes
from trainers.distributed.processes import FSDP, Processes
from trainers.distributed.shards import ShardWriter, StoredRows
from trainers.errors import ConfigError
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.adapters import Adapter
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy
from trainers.run.checkpoint import CheckpointWriter, RunState, load_checkpoint
from trainers.run.models import LoadedModel

pytestmark = pytest.mark.timeout(300)

PROGRAM = """
import sys
from pathlib import Path
from tests.trainers.distributed.test_divided import find_everything

find_everything(Path(sys.argv[1]))
"""
ROWS = [Sample((9, 8, 7), (5, 6 + number), (-1.0, -1.0), number - 1.5, number) for number in range(4)]


def find_everything(folder: Path) -> None:
    """Write into the folder what a process of the launched ones finds."""
    torch.set_num_threads(1)
    processes = find_processes()
    find_precision(processes, folder)
    find_shards(processes, folder)
    find_engines(processes, folder)
    os.environ[FSDP] = "false"  # the same processes once more, each with the whole model
    with find_processes() as processes:
        gc.collect()
        find_engines(processes, folder)


def make_model(seed: int) -> LoadedModel:
    tokenizer = train_tokenizer(["p q : Prop", "intro h", "simp"] * 3, 319)
    assert len(tokenizer) % 2 == 1  # so that one process holds more rows than the other
    return build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed), tokenizer


def make_learner(processes: Processes, seed: int) -> Learner:
    model, tokenizer = make_model(seed)
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=4))
    settings = LearnerConfig(warmup_steps=0, sync_ref_model=True, ref_model_sync_steps=1)
    return Learner(policy, create_algorithm("grpo", beta=0.1), settings, processes)


def find_precision(processes: Processes, folder: Path) -> None:
    found = {(bits, lora): update_in(processes, bits, lora) for bits in ("16", "32") for lora in ("", "r=4")}
    if processes.main:
        torch.save(found, folder / "precision")


def update_in(processes: Processes, bits: str, lora: str) -> dict[str, Any]:
    """Sample with a model of 16 or 32 bits and learn from it, and return what was seen."""
    dtype = torch.bfloat16 if bits == "16" else None
    model, tokenizer = make_model(0)
    adapter = Adapter(model.to(dtype), parse_lora(lora), "tiny", 0) if lora else None
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=6), adapter, dtype)
    # The rate is too small for steps of 16 bits: they would be rounded away.
    settings = LearnerConfig(learning_rate=1e-5, warmup_steps=0, minibatches=1)
    learner = Learner(policy, create_algorithm("grpo"), settings, processes)
    seen: set[torch.dtype] = set()
    projection = model.get_decoder().layers[0].mlp.up_proj
    getattr(projection, "base_layer", projection).register_forward_pre_hook(
        lambda module, _: seen.add(module.weight.dtype)
    )
    found: dict[str, Any] = {"before": learner.weights()}
    with policy.seeded(processes.rank), processes.whole(policy):
        found["sampled with"] = {weight.dtype for weight in policy.model.parameters()}
        drawn = policy.sample(["p q : Prop", "p : Prop", "simp"] * 4)
    drawn = [row for part in processes.gather(drawn) for row in part]
    rows = [Sample(c.prompt_ids, c.token_ids, c.logprobs, i % 3 - 1.0, i) for i, c in enumerate(drawn)]
    found["metrics"] = learner.update(rows, 0.0, torch.Generator())
    found |= {"after": learner.weights(), "computed with": seen}
    found["saved in 16"] = {w.dtype for w in learner.weights(torch.bfloat16).values() if w is not None}
    found["trained"] = {weight.dtype for weight in learner.policy.model.parameters() if weight.requires_grad}
    return found


def find_shards(processes: Processes, folder: Path) -> None:
    path = folder / "checkpoint.pt"

    def train(learner: Learner, seed: int) -> Any:
        return learner.update(ROWS, 0.0, torch.Generator().manual_seed(seed))

    learner = make_learner(processes, 0)
    writer = CheckpointWriter(path, processes)
    learner.use_reference(make_model(1)[0])
    for seed in range(3):
        train(learner, seed)
    saved = copy.deepcopy(learner.state_dict())
    state = RunState(iteration=3, shown=["one"])
    policies: list[object] = []
    writer.write(state, learner, policies.append)
    state.iteration, state.shown[0] = 4, "two"  # the run goes on while the files are written
    later = train(learner, 3)
    writer.finish()
    names = sorted(file.name for file in folder.glob("*shards*/*"))
    found: dict[str, Any] = {"saved": saved, "names": names, "policies": policies}

    state, stored = load_checkpoint(path, processes)
    found["state"] = (state.iteration, state.shown)
    again = make_learner(processes, 7)
    again.load_state_dict(stored)
    found["before any use"] = copy.deepcopy(again.state_dict())
    again.use_reference(make_model(2)[0])
    found |= {"again": copy.deepcopy(again.state_dict()), "later": later, "repeated": train(again, 3)}

    # One that cannot write: all processes say so, and the checkpoint before stays.
    def full(*_: object) -> None:
        raise ConfigError("cannot write shards: No space left on device")

    with pytest.MonkeyPatch.context() as patched:
        if not processes.main:
            patched.setattr(ShardWriter, "_write", full)
        with pytest.raises(ConfigError) as caught:
            writer.write(state, learner, policies.append)
            writer.finish()
    found["failure"] = str(caught.value)
    found["after the failure"] = load_checkpoint(path, processes)[0].iteration
    writer.close()
    torch.save(found, folder / f"shards.{processes.rank}")


class Engine:
    """An engine that counts what it is asked, and keeps the weights that it is given."""

    def __init__(self) -> None:
        self.loads: list[dict[str, torch.Tensor]] = []
        self.asked = 0

    def generate(self, prompts: list[Any], settings: object, seeds: object) -> list[Any]:
        self.asked += len(prompts)
        return [((5, 6), (-1.0, -1.0)) for _ in prompts]

    def load_weights(self, weights: Iterable[tuple[str, torch.Tensor]]) -> None:
        self.loads.append({name: weight.clone() for name, weight in weights})  # each is whole when it comes

    def rest(self) -> bool:
        return False


def find_engines(processes: Processes, folder: Path) -> None:
    model, tokenizer = make_model(0)
    engine = Engine()
    policy = VllmPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=4), engine)
    settings = LearnerConfig(learning_rate=1e-2, warmup_steps=0)
    learner = Learner(policy, create_algorithm("grpo"), settings, processes)
    found = []
    for _ in range(3):
        with processes.whole(policy):
            for _ in range(2 * processes.rank):  # the first process has no episode
                policy.sample(["p : Prop"])
        weights = learner.weights()  # of the first process
        found.append({name: weight.clone() for name, weight in weights.items() if processes.main})
        learner.update(ROWS, 0.0, torch.Generator())
    path = folder / f"engine.{type(processes).__name__}.{processes.rank}"
    torch.save({"loads": engine.loads, "asked": engine.asked, "weights": found}, path)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what two processes found, with their checkpoint."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = launch(str(folder / "program.py"), str(folder), kind="--use_fsdp")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("lora", ["", "r=4"])
def test_shards_keep_32_bits_and_compute_in_16(lora: str, found: Path) -> None:
    runs = torch.load(found / "precision")
    half, full = runs["16", lora], runs["32", lora]
    assert half["computed with"] == half["sampled with"] == {torch.bfloat16}
    assert full["computed with"] == full["sampled with"] == {torch.float32}
    assert half["saved in 16"] == {torch.float32 if lora else torch.bfloat16}
    assert half["trained"] == full["trained"] == {torch.float32}
    # Sampler and learner are rounded alike: far below what 16 bits lose.
    assert abs(half["metrics"]["sampler_kl"]) < 1e-3
    steps, wanted = (
        torch.cat([(run["after"][name] - run["before"][name]).flatten() for name in sorted(run["before"])])
        for run in (half, full)
    )
    # Adam's first step is the sign of the gradient times the rate.
    assert (steps[wanted != 0].sign() == wanted[wanted != 0].sign()).float().mean() > 0.9
    before = torch.cat([half["before"][name].flatten() for name in sorted(half["before"])])
    small = (steps != 0) & ((before + steps).bfloat16() == before.bfloat16())
    assert small.any() == (not lora)  # an adapter starts at 0, where 16 bits have small numbers too


@pytest.mark.parametrize("kind", ["LaunchedProcesses", "ShardingProcesses"])
def test_engines_have_the_weights_of_each_iteration(kind: str, found: Path) -> None:
    """All engines get the weights of every update, whatever each of them samples."""
    first, second = (torch.load(found / f"engine.{kind}.{rank}") for rank in range(2))
    assert (first["asked"], second["asked"]) == (0, 6)
    assert len(first["weights"]) == 3
    assert len(first["loads"]) == len(second["loads"]) == 3
    for weights, one, other in zip(first["weights"], first["loads"], second["loads"], strict=True):
        assert one.keys() == other.keys() == weights.keys()
        for key, value in weights.items():
            assert torch.equal(one[key], value)
            assert torch.equal(other[key], value)
    assert not torch.equal(*(loaded["model.embed_tokens.weight"] for loaded in first["loads"][:2]))


def test_processes_write_their_shards_and_read_them(found: Path) -> None:
    first, second = (torch.load(found / f"shards.{rank}") for rank in range(2))
    for shards in (first, second):
        assert shards["names"] == ["00000.safetensors", "00001.safetensors"]
        assert shards["state"] == (3, ["one"])
        assert shards["repeated"] == shards["later"]
        assert shards["failure"] == "cannot write shards: No space left on device"
        assert shards["after the failure"] == 3
    for again in (first["again"], first["before any use"]):
        torch.testing.assert_close(again, first["saved"], rtol=0, atol=0)
    (policy, _) = first["policies"]
    torch.testing.assert_close(policy, first["saved"]["model"], rtol=0, atol=0)
    assert second["policies"] == []


def test_one_process_reads_the_shards_of_two_and_writes_one_file(found: Path, tmp_path: Path) -> None:
    saved = torch.load(found / "shards.0")["saved"]
    state, stored = load_checkpoint(found / "checkpoint.pt")
    learner = make_learner(Processes(), 7)
    learner.load_state_dict(stored)
    torch.testing.assert_close(learner.state_dict(), saved, rtol=0, atol=0)
    (tmp_path / "shards-1").mkdir()
    writer = CheckpointWriter(tmp_path / "checkpoint.pt", Processes())
    writer.write(state, learner, lambda weights: None)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]  # the shards have no use any more
    torch.testing.assert_close(load_checkpoint(tmp_path / "checkpoint.pt")[1], saved, rtol=0, atol=0)


@pytest.mark.parametrize("damage", ["a byte", "missing"])
def test_damaged_shards_are_one_line(damage: str, found: Path, tmp_path: Path) -> None:
    folder = next(found.glob("shards-*"))
    copied = tmp_path / folder.name
    copied.mkdir()
    for path in (found / "checkpoint.pt", *folder.iterdir()):
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
