"""Programs of docs/integrations.md that need the packages of trainers, on a tiny model; see also tests/frameworks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import trl

from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer
from trainers.run.folder import RunFolder

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "integrations.md").read_text(encoding="utf-8")
MODEL = "Qwen/Qwen3-0.6B"


def programs(heading: str) -> list[str]:
    section = re.search(rf"^## {heading}\n.*?(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert section is not None
    return re.findall(r"^```python\n(.*?)^```", section[0], re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("default")  # TRL warns of its own experimental parts
@pytest.mark.timeout(600)
def test_the_four_ways_into_trl(
    policy: TransformersPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    policy.tokenizer.chat_template = template.read_text()
    policy.save(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    shown: dict[str, Any] = {}
    ways = programs("TRL")
    assert len(ways) == 4
    for program in ways:
        assert MODEL in program
        exec(compile(program.replace(MODEL, str(tmp_path / "model")), "integrations.md", "exec"), shown)
        logged = [entry for entry in shown["trainer"].state.log_history if "train_loss" in entry]
        assert [entry["step"] for entry in logged] == [1]


def test_rows_with_advantages(
    player: EpisodePlayer, policy: TransformersPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs" / "first").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    run = RunFolder.__new__(RunFolder)
    run._trajectories = Path("runs/first/trajectories.jsonl")
    groups = player.sample_groups(["t1", "t7"], [8, 8], policy)
    run.append_trajectories(0, groups, 2)
    [program] = programs("Rows with advantages")
    exec(compile(program, "integrations.md", "exec"), {})
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == sum(len(episode.steps) for group in groups for episode in group.trajectories)
    assert any(row["advantage"] for row in rows)
