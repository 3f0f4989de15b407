"""Agents on a menu of tactics: the table, and that masks are obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import menu_agents
from benchmarks.menu_agents import AGENTS, Settings, main, masked_random, proved, random_agent


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(menu_agents.PPO_OPTIONS, "n_steps", 32)
    monkeypatch.setitem(menu_agents.PPO_OPTIONS, "batch_size", 32)


def test_the_table(
    game: Path, small: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The default menu has no `split`, so the game is played with its own.
    monkeypatch.setattr(menu_agents, "MENU", ("split", "trivial", "right"))
    assert main([str(game), "--steps", "64", "--seeds", "0,1", "--backend", "fake"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"| agent | {game}:test, of 3 |")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert [row[0] for row in rows] == list(AGENTS)
    for _, mean, per_seed, _ in rows:
        counts = [int(count) for count in per_seed.split(",")]
        assert len(counts) == 2
        assert all(0 <= count <= 3 for count in counts)
        assert float(mean) == sum(counts) / 2


def test_masks_are_obeyed(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accepted tactics of this menu lead straight to the proof; others waste the steps."""
    settings = Settings(str(game), max_steps=8, backend="fake")
    monkeypatch.setattr(menu_agents, "MENU", ("split", "trivial", "right", "nonsense"))
    assert proved(settings, masked_random(settings, 0), masked=True, seed=0) == 3
    assert proved(settings, random_agent(settings, 0), masked=False, seed=0) < 3


def test_an_unknown_agent(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["logic", "--agents", "pop"])
    assert ended.value.code == 2
    assert "unknown agent 'pop'; did you mean 'ppo'?" in capsys.readouterr().err
