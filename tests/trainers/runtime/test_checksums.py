"""Checksums of a folder: written in the format of `sha256sum`, and what a change of any file does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from trainers.config.rollout import SamplingConfig
from trainers.config.run import TinyConfig
from trainers.errors import PolicyError
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.runtime.checksums import SUMS, damaged_file, write_checksums


def test_sha256sum_reads_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "a b.bin").write_bytes(bytes(range(256)))
    (tmp_path / "c").write_text("é")
    write_checksums(tmp_path)
    done = subprocess.run(["sha256sum", "-c", SUMS], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "a b.bin: OK\nc: OK\n"
    assert damaged_file(tmp_path) is None
    assert damaged_file(tmp_path / "nothing") is None


def test_one_bit_in_any_file_of_a_policy_is_found(tmp_path: Path) -> None:
    tiny = TinyConfig(hidden_size=32, layers=1, attention_heads=2, vocabulary=320)
    tokenizer = train_tokenizer(["⊢ p"], tiny.vocabulary)
    policy = TransformersPolicy(build_model(tiny, tokenizer, 0), tokenizer, SamplingConfig())
    policy.save(tmp_path / "policy")
    written = [path for path in (tmp_path / "policy").iterdir() if path.name != SUMS]
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= {path.name for path in written}
    load_pretrained(str(tmp_path / "policy"))
    for path in written:
        content = path.read_bytes()
        at = len(content) - 5
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(PolicyError, match=f"{path.name} is damaged .its checksum is not that in {SUMS}"):
            load_pretrained(str(tmp_path / "policy"))
        path.write_bytes(content)
    (tmp_path / "policy" / "README.md").write_text("mine")
    load_pretrained(str(tmp_path / "policy"))
