"""`python -m trainers.presets`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainers.policies.presets.catalogue import PRESETS
from trainers.presets import main


def test_a_line_for_each_preset_within_112_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(PRESETS)
    assert max(map(len, lines)) <= 112


@pytest.mark.parametrize("name", PRESETS)
def test_a_page_with_the_prompt(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", name]) == 0
    printed = capsys.readouterr().out
    assert "theorem and_swap" in printed or "⊢ q ∧ p" in printed
    assert f"--policy preset:{name}" in printed


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(PRESETS)
    assert main(["--json", "--show", "bfs-prover-v2"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["prompt"], row["samples"], row["temperature"]) == (
        "p q : Prop\nh : p ∧ q\n⊢ q ∧ p:::",
        4,
        1.3,
    )


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--show", "kimin"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith(
        "error: unknown preset 'kimin'; did you mean 'kimina'? (known: "
    )


def test_the_page_lists_what_the_presets_say() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "trainers" / "presets.md").read_text(
        encoding="utf-8"
    )
    listed = [line for line in page.splitlines() if line.startswith("| `")]
    expected = []
    for name, preset in PRESETS.items():
        decoding = f"{preset.decoding.method} {preset.decoding.samples}"
        score = preset.search.score if preset.search.method == "best_first" else "-"
        cells = [f"`{name}`", preset.action, decoding, score, preset.licence, preset.reported]
        expected.append(f"| {' | '.join(cells)} |")
    assert listed == expected
