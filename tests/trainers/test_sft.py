"""`python -m trainers.sft` on the game of conftest.py."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from transformers.models.llama.modeling_llama import LlamaMLP
from trl.trainer.sft_trainer import SFTTrainer

from lean_gym import Theorem
from lean_gym.datasets import load_theorems, proof_steps
from trainers.curriculum.difficulty import CATEGORIES, categories, ratings_of
from trainers.evaluate import main as evaluate
from trainers.learning.consolidation import Consolidation
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.runtime import terminal
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.sft import main

WORDS = (
    *("--backend", "fake", "--workers", "1", "--torch-threads", "1", "--hidden-size", "32", "--layers", "2"),
    *("--attention-heads", "2", "--vocabulary", "320", "--learning-rate", "5e-3", "--batch-size", "8"),
)

pytestmark = pytest.mark.usefixtures("no_workers")


def sft(theorem_file: Path, folder: Path, *words: str) -> int:
    return main(["--theorems", str(theorem_file), "--run-dir", str(folder), *WORDS, *words])


def weights(folder: Path) -> dict[str, torch.Tensor]:
    model, _ = load_pretrained(str(folder / "policy"))
    return dict(model.named_parameters())


with_trl = pytest.mark.filterwarnings("default")  # TRL and transformers warn of each other


@with_trl
def test_it_learns_proofs_of_the_training_part(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert sft(theorem_file, folder, "--epochs", "12") == 0
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["proofs"] == 20  # five of the 25 theorems are of the test split
    assert summary["refused_proofs"] == []
    assert summary["loss"] < 0.3
    assert yaml.safe_load((folder / "config.yaml").read_text())["backend"] == "fake"
    assert list(folder.glob("events.out.tfevents.*"))
    output = capsys.readouterr().out
    assert "epoch 12/12" in output

    words = ["--theorems", f"{theorem_file}:train", "--k", "1", "--samples", "4", "--workers", "1"]
    assert evaluate(["--policy", str(folder), *words, "--out-dir", str(tmp_path / "measured")]) == 0
    found = json.loads((tmp_path / "measured" / "result.json").read_text())
    assert found["overall"]["pass@1"]["value"] > 0.6


@pytest.fixture(scope="module")
def whole(theorem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as `with_trl`, which fixtures do not see
        assert sft(theorem_file, folder, "--epochs", "2") == 0
    return folder


@with_trl
@pytest.mark.parametrize("stop_at", [12, 25])
def test_an_interruption_changes_nothing(
    theorem_file: Path, whole: Path, tmp_path: Path, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = []
    broken = tmp_path / "broken"

    def check(self: StopRequest) -> None:
        # A signal that came stays: every later check meets it too.
        checks.append(None)
        if len(checks) >= stop_at:
            raise Interrupted(15)

    with monkeypatch.context() as patched:
        patched.setattr(StopRequest, "check", check)
        assert sft(theorem_file, broken, "--epochs", "2") == 128 + 15
    assert not (broken / "summary.json").exists()
    (broken / "checkpoints" / "checkpoint-999").mkdir(parents=True)  # as a kill leaves it while it is written
    assert main(["--resume", str(broken)]) == 0
    summaries = [json.loads((run / "summary.json").read_text()) for run in (broken, whole)]
    assert summaries[0]["pairs"] == summaries[1]["pairs"]
    one, two = weights(broken), weights(whole)
    assert all(torch.allclose(one[name], two[name], atol=1e-6) for name in two)


@with_trl
def test_a_damaged_checkpoint_is_named(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) >= 20:  # past the replay of the proofs
            raise Interrupted(15)

    with monkeypatch.context() as patched:
        patched.setattr(StopRequest, "check", check)
        assert sft(theorem_file, tmp_path / "run", "--epochs", "2") == 128 + 15
    shown = capsys.readouterr().out.replace("\n", "")
    assert f"to resume: python -m trainers.sft --resume {tmp_path / 'run'}" in shown
    (checkpoint,) = (tmp_path / "run" / "checkpoints").glob("checkpoint-*")
    for name in ("model.safetensors", "optimizer.pt", "rng_state.pth"):
        content = (checkpoint / name).read_bytes()
        (checkpoint / name).write_bytes(
            content[: len(content) // 2]
        )  # what says how far it has come is whole
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(["--resume", str(tmp_path / "run")])
        assert caught.value.code == 2
        error = capsys.readouterr().err
        assert f"{checkpoint} is damaged, or of another run" in error, name
        assert error.count("\n") == 1
        (checkpoint / name).write_bytes(content)
    assert main(["--resume", str(tmp_path / "run")]) == 0


@with_trl
def test_replaying_the_proofs_is_not_silent(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = []
    monkeypatch.setattr(terminal, "LONGEST_SILENCE", 0.01)
    monkeypatch.setattr(terminal.Bars, "advance", lambda _, task: counted.append(task))
    assert sft(theorem_file, tmp_path / "run") == 0
    total = re.search(r"replaying proofs 0/(\d+)", capsys.readouterr().out)
    assert total is not None
    assert len(counted) == int(total[1])


@with_trl
def test_an_interruption_before_the_start(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:

    def check(self: StopRequest) -> None:
        raise Interrupted(2)

    monkeypatch.setattr(StopRequest, "check", check)
    assert sft(theorem_file, tmp_path / "run") == 130
    assert "interrupted by SIGINT before anything was done" in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


@with_trl
def test_an_adapter_is_merged_into_the_policy(
    theorem_file: Path, tmp_path: Path, trained: TransformersPolicy
) -> None:
    trained.save(tmp_path / "start" / "policy")
    words = ["--model", str(tmp_path / "start" / "policy"), "--epochs", "1", "--lora", "r=2,targets=q_proj"]
    assert sft(theorem_file, tmp_path / "run", *words) == 0
    before, after = weights(tmp_path / "start"), weights(tmp_path / "run")
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {name for name in before if "q_proj" in name}
    for name in changed:
        assert torch.linalg.matrix_rank(after[name] - before[name], tol=1e-4) <= 2
    # A finished run stays as it is: its adapter is not merged a second time.
    assert main(["--resume", str(tmp_path / "run")]) == 0
    again = weights(tmp_path / "run")
    assert all(torch.equal(after[name], again[name]) for name in after)


@with_trl
def test_found_proofs_teach_and_forged_ones_do_not(
    theorem_file: Path, tmp_path: Path, theorems: tuple[Theorem, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    held_out = next(theorem for theorem in theorems if theorem.split == "test")
    train = [theorem for theorem in theorems if theorem.split == "train"][:2]
    rows = [
        {"name": train[0].name, "tactics": train[0].proof.splitlines()},
        {"name": train[1].name, "tactics": ["sorry"]},
        {"name": held_out.name, "tactics": held_out.proof.splitlines()},
    ]
    (tmp_path / "found.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["--proofs", str(tmp_path / "found.jsonl"), "--reference-share", "0", "--epochs", "1"]
    assert sft(theorem_file, tmp_path / "run", *words) == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["proofs"] == 1
    assert summary["pairs"] == len(train[0].proof.splitlines())
    assert summary["refused_proofs"] == [train[1].name]
    assert "1 of other theorems left out" in capsys.readouterr().out

    only = {
        "others": (rows[2:], "there are none of these theorems (of others: 1)"),
        "forged": (rows[1:2], "accepted none of 1"),
    }
    for name, (kept, message) in only.items():
        (tmp_path / "found.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
        with pytest.raises(SystemExit):
            sft(theorem_file, tmp_path / name, *words)
        assert message in capsys.readouterr().err
        assert not (tmp_path / name).exists()


@with_trl
def test_long_rows_are_left_out(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sft(theorem_file, tmp_path / "all", "--epochs", "1") == 0
    assert "left out" not in capsys.readouterr().out
    pairs = json.loads((tmp_path / "all" / "summary.json").read_text())["pairs"]
    with pytest.raises(SystemExit):
        sft(theorem_file, tmp_path / "none", "--epochs", "1", "--max-seq-len", "1")
    error = capsys.readouterr().err
    assert "max_seq_len: expected at least" in error and not (tmp_path / "none").exists()
    shortest = int(error.split("at least ")[1].split(",")[0])
    assert sft(theorem_file, tmp_path / "short", "--epochs", "1", "--max-seq-len", str(shortest)) == 0
    left = json.loads((tmp_path / "short" / "summary.json").read_text())["pairs"]
    assert 0 < left < pairs
    assert (
        f"{pairs - left} of {pairs} pairs have more than {shortest} tokens, left out"
        in capsys.readouterr().out
    )


def moved(start: Path, end: Path) -> float:
    before, after = weights(start), weights(end)
    return max(float((before[name] - after[name]).abs().max()) for name in before)


@with_trl
def test_the_learning_rate_rises_over_warmup_steps(
    theorem_file: Path, tmp_path: Path, trained: TransformersPolicy
) -> None:
    trained.save(tmp_path / "start" / "policy")
    words = ["--model", str(tmp_path / "start" / "policy"), "--epochs", "1", "--warmup-steps"]
    for steps in ("0", "1000"):
        assert sft(theorem_file, tmp_path / steps, *words, steps) == 0
    assert 0 < moved(tmp_path / "start", tmp_path / "1000") < 0.1 * moved(tmp_path / "start", tmp_path / "0")


@with_trl
def test_gradient_checkpointing_computes_blocks_twice(
    theorem_file: Path, tmp_path: Path, trained: TransformersPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained.save(tmp_path / "start" / "policy")
    words = ["--model", str(tmp_path / "start" / "policy"), "--epochs", "1"]
    forward, calls = LlamaMLP.forward, []

    def counted(self: LlamaMLP, x: torch.Tensor) -> torch.Tensor:
        calls.append(None)
        return torch.as_tensor(forward(self, x))

    monkeypatch.setattr(LlamaMLP, "forward", counted)
    counts = {}
    for flag in ("--no-gradient-checkpointing", "--gradient-checkpointing"):
        calls.clear()
        assert sft(theorem_file, tmp_path / flag, *words, flag) == 0
        counts[flag] = len(calls)
    # Not quite twice: the model is tried out once without gradients.
    assert counts["--gradient-checkpointing"] > 1.5 * counts["--no-gradient-checkpointing"] > 0
    assert moved(*(tmp_path / flag for flag in counts)) < 1e-5
    one, two = ((tmp_path / flag / "policy" / "config.json").read_text() for flag in counts)
    assert one == two


@with_trl
def test_only_the_tactic_has_labels() -> None:
    from trainers.imitation.sft import rows

    assert rows([((1, 2, 3), (4, 0))]) == [{"input_ids": [1, 2, 3, 4, 0], "labels": [-100, -100, -100, 4, 0]}]


@with_trl
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--reference-share", "0"], "proofs: there are none; raise --reference-share"),
        (["--lora", "r=4,targets=qproj"], "lora: unknown layer 'qproj'; did you mean 'q_proj'?"),
        (["--model", "./missing"], "cannot load the model './missing': no such folder"),
        (["--theorems", "logic:test"], "no training theorem is left in 'logic:test'"),
        (["--backend", "minilaen"], "did you mean 'minilean'"),
        (["--resume", "missing"], "drop --theorems"),
    ],
)
def test_mistakes_end_with_one_line(
    theorem_file: Path, tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        sft(theorem_file, tmp_path / "run", *words)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--epoch", "3"], "unknown flag --epoch; did you mean --epochs?"),
        (["--lora", "rank=3"], "--lora: unknown setting 'rank'"),
        (["--run-dir", " "], "--run-dir: expected a folder, got ' '"),
        (["--run-dir", "a\0b"], r"--run-dir: expected a folder, got 'a\x00b'"),
        (["--group-size", "8"], "unknown flag --group-size"),
        (["--canaries", "1"], "unknown flag --canaries"),
        (["--temperature", "0.5"], "unknown flag --temperature"),
        (["--epochs", "0"], "--epochs: expected a whole number at least 1, got 0"),
    ],
)
def test_wrong_settings_need_no_trl(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@with_trl
@pytest.mark.parametrize("curriculum", ["easy_first", "percentile"])
def test_a_curriculum_orders_the_proofs_of_each_pass(
    theorem_file: Path, tmp_path: Path, curriculum: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []
    plain = SFTTrainer.compute_loss

    def compute_loss(self: Any, model: Any, inputs: Any, *args: Any, **options: Any) -> Any:
        seen.extend(inputs["input_ids"].tolist())
        return plain(self, model, inputs, *args, **options)

    monkeypatch.setattr(SFTTrainer, "compute_loss", compute_loss)
    folder = tmp_path / "run"
    assert sft(theorem_file, folder, "--epochs", "2", "--curriculum", curriculum, "--batch-size", "1") == 0
    _, tokenizer = load_pretrained(str(folder / "policy"))
    theorems = [theorem for theorem in load_theorems(str(theorem_file)) if theorem.split == "train"]
    # The target of a goal tells the theorem: the first goal of each proof is its statement.
    steps = {theorem.statement.partition(" : ")[2]: len(proof_steps(theorem.proof)) for theorem in theorems}
    begun = [str(tokenizer.decode(row)).partition("⊢ ")[2].partition(":::")[0] for row in seen]
    lengths = [steps[goal] for goal in begun if goal in steps and " ∧ " in goal]
    assert len(lengths) == 2 * len(theorems)
    first, second = lengths[: len(theorems)], lengths[len(theorems) :]
    assert first == second
    if curriculum == "easy_first":
        assert first == sorted(first)
    else:
        order = [categories(ratings_of(theorems))[[*steps.values()].index(length)] for length in first]
        assert order == sorted(order, key=CATEGORIES.index)
        assert first != sorted(first)  # shuffled within a category


@with_trl
def test_elastic_weight_consolidation_keeps_weights(theorem_file: Path, whole: Path, tmp_path: Path) -> None:
    model, _ = load_pretrained(str(whole / "policy"))
    weights_of = dict(model.named_parameters())
    fisher = {name: torch.ones_like(value) for name, value in weights_of.items()}
    kept = Consolidation(fisher, {name: value.detach() for name, value in weights_of.items()})
    kept.save(tmp_path / "kept.safetensors")
    moved = []
    for name, words in (("free", []), ("bound", ["--ewc", str(tmp_path / "kept.safetensors")])):
        start = ["--model", str(whole / "policy"), "--epochs", "1", *words]
        assert sft(theorem_file, tmp_path / name, *start) == 0
        trained, _ = load_pretrained(str(tmp_path / name / "policy"))
        moved.append(kept.penalty(trained, 1.0))
    assert moved[1] < 0.2 * moved[0]
