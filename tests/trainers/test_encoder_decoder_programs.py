"""The programs with an encoder-decoder model, a small ByT5 in ReProver's format, on the game of conftest.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

from trainers import evaluate, grpo, prove, sft
from trainers.policies.transformers import load_pretrained

with_trl = pytest.mark.filterwarnings("default")  # transformers warns of its own older names
GAME = ("--backend", "fake", "--workers", "1", "--torch-threads", "1")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model in a folder."""
    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": 384,
        "d_model": 48,
        "d_kv": 12,
        "d_ff": 96,
        "num_layers": 2,
        "num_decoder_layers": 2,
        "num_heads": 4,
        "dropout_rate": 0.0,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 1,
    }
    folder = tmp_path_factory.mktemp("byt5") / "model"
    T5ForConditionalGeneration(T5Config(**shape)).save_pretrained(folder)
    ByT5Tokenizer().save_pretrained(folder)
    return folder


def tuned(base: Path, theorem_file: Path, folder: Path, *words: str) -> Path:
    named = ["--model", f"preset:reprover={base}", "--theorems", str(theorem_file), "--run-dir", str(folder)]
    assert sft.main([*named, *GAME, "--batch-size", "8", "--warmup-steps", "0", *words]) == 0
    return folder


@with_trl
def test_fine_tuning_proves_and_a_run_keeps_the_format(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = "split\ntrivial\nright\ntrivial"
    row = {"name": "t", "statement": "theorem t : True ∧ False ∨ True", "proof": proof}
    (tmp_path / "one.jsonl").write_text(json.dumps(row) + "\n")
    words: tuple[str, ...] = ("--epochs", "80", "--learning-rate", "5e-3")
    run = tuned(base, tmp_path / "one.jsonl", tmp_path / "run", *words)
    assert json.loads((run / "summary.json").read_text())["loss"] < 0.1
    capsys.readouterr()
    # the beam and the score of paths come from the preset that the run recorded
    words = ("--policy", str(run), *GAME, "--samples", "4", "--max-tactic-tokens", "12", "--json")
    assert prove.main([row["statement"], *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tactics"] == proof.split("\n")
    assert found["spent"]["model_calls"] == 4 * 4  # four states, each with the four best tactics
    words = (
        "--policy",
        str(run),
        "--theorems",
        str(tmp_path / "one.jsonl"),
        *GAME,
        "--k",
        "1",
        "--samples",
        "4",
    )
    measured = tmp_path / "measured"
    assert evaluate.main([*words, "--max-tactic-tokens", "12", "--out-dir", str(measured)]) == 0
    assert json.loads((measured / "result.json").read_text())["overall"]["pass@1"]["value"] > 0.5


@with_trl
def test_an_adapter_is_merged(base: Path, theorem_file: Path, tmp_path: Path) -> None:
    words = ("--epochs", "1", "--learning-rate", "1e-2", "--lora", "r=4")
    run = tuned(base, theorem_file, tmp_path / "run", *words, "--gradient-checkpointing")
    before = dict(load_pretrained(str(base))[0].named_parameters())
    after = dict(load_pretrained(str(run / "policy"))[0].named_parameters())
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert any("SelfAttention.q" in name for name in changed)
    assert not any("shared" in name or "lm_head" in name or "layer_norm" in name for name in changed)


def test_it_is_trained_by_reinforcement(base: Path, theorem_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = [
        "--max-iterations",
        "1",
        "--theorems-per-iteration",
        "3",
        "--group-size",
        "2",
        "--eval-every",
        "0",
    ]
    words += [
        "--max-tactic-tokens",
        "8",
        "--warm-start-epochs",
        "1",
        "--max-steps",
        "3",
        "--report-to",
        "none",
    ]
    words += ["--no-automation"]
    named = ["--model", f"preset:reprover={base}", "--theorems", str(theorem_file), "--run-dir", str(run)]
    assert grpo.main([*named, *GAME, *words]) == 0
    before, after = load_pretrained(str(base))[0], load_pretrained(str(run / "policy"))[0]
    assert isinstance(after, T5ForConditionalGeneration)
    assert any(
        not torch.equal(one, other)
        for one, other in zip(before.parameters(), after.parameters(), strict=True)
    )
    assert "preset: reprover\n" in (run / "config.yaml").read_text()
