"""docs/environment.md: its tables are those of the code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import gymnasium as gym

from lean_gym.envs.options import EpisodeOptions
from lean_gym.types import Outcome

DOCS = Path(__file__).resolve().parents[2] / "docs"
STATEMENT = "theorem t (p : Prop) (h : p) : p"


def column(document: str, heading: str) -> dict[str, str]:
    """Return the first two columns of the first table below a heading, without the quotes of code."""
    text = (DOCS / document).read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (?:`([^`]+)`)?", text, re.MULTILINE))


def test_options_and_their_defaults() -> None:
    options = EpisodeOptions()
    shown = {one.name: getattr(options, one.name) for one in fields(EpisodeOptions)}
    shown |= {name: dict(shown[name]) for name in ("backend_options", "reward_options")}
    assert {name: eval(default) for name, default in column("environment.md", "Options").items()} == shown


def test_keys_of_info() -> None:
    env = gym.make("lean_gym:LeanProof-v0", theorems=[STATEMENT], backend="minilean")
    _, info = env.reset()
    env.close()
    assert list(column("environment.md", "Keys of `info`")) == list(info)


def test_outcomes() -> None:
    assert set(column("concepts.md", "Episode, outcome")) == {outcome.value for outcome in Outcome}
