"""The picture of an episode at the head of the README is the one that the script makes now."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def test_the_committed_drawing_is_up_to_date(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "docs" / "draw_episode.py", "--out", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    drawn, committed = tmp_path / "episode.svg", ROOT / "docs" / "episode.svg"
    assert drawn.read_text("utf-8") == committed.read_text("utf-8"), (
        "run `make docs` and commit docs/episode.svg"
    )
    assert committed.stat().st_size < 200_000


def test_the_drawing_shows_goals_tactics_and_the_reward() -> None:
    picture = ElementTree.parse(ROOT / "docs" / "episode.svg")
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert {
        "⊢ q ∧ p",
        "case left",
        "⊢ p",
        "constructor",
        "exact h.2",
        "1",
        "no goals",
        "outcome: proved",
    } <= set(texts)
    assert {"exact h", "Type mismatch"} <= set(texts)  # the one that is refused
    head = (ROOT / "README.md").read_text("utf-8").splitlines()[:4]
    assert any("docs/episode.svg" in line for line in head)


def test_no_text_leaves_the_drawing() -> None:
    picture = ElementTree.parse(ROOT / "docs" / "episode.svg")
    width, height = map(float, picture.getroot().attrib["viewBox"].split()[2:])
    for text in picture.iter(f"{SVG}text"):
        assert float(text.attrib["x"]) + 8.5 * len(text.text or "") < width, text.text
        assert float(text.attrib["y"]) < height
