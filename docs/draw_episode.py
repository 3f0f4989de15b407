"""Drawing of an episode, as SVG: goals, tactic, reward, step by step.

    python docs/draw_episode.py

writes `docs/episode.svg`, the picture at the head of README.md. minilean plays the tactics of `TACTICS`, so the goals
and the message are what the environment shows. The drawing follows the reader's light or dark colours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STATEMENT = "theorem and_swap (p q : Prop) (h : p ∧ q) : q ∧ p"
TACTICS = ("exact h", "constructor", "exact h.2", "exact h.1")
"""The first one is refused."""

WIDTH = 860
LINE = 19
PAD = 14
GOALS_X, TACTIC_X, REWARD_X = 24, 430, 770
STYLE = """
text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.page { fill: #ffffff; stroke: #d0d7de } .row { fill: #f6f8fa }
.head { font: 600 12px system-ui, sans-serif; fill: #59636e } .target { font-weight: 700 }
.tactic { fill: #0550ae; font-weight: 600 } .error { fill: #b42318; font-size: 12px }
.reward { font-weight: 700 } .won { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .page { fill: #0d1117; stroke: #3d444d } .row { fill: #161b22 }
  .head { fill: #9198a1 } .tactic { fill: #79c0ff } .error { fill: #ff9492 } .won { fill: #56d364 }
}
"""


@dataclass(frozen=True)
class Row:
    """One step: the goals before it, the tactic, Lean's message if it was refused, the reward."""

    goals: str
    tactic: str
    error: str
    reward: float


def play() -> list[Row]:
    """Play the episode; a last row without a tactic has the goals at the end."""
    sys.path.insert(0, str(ROOT))
    from lean_gym import LeanProofEnv

    env = LeanProofEnv(theorems=[STATEMENT], backend="minilean")
    goals, _ = env.reset()
    rows = []
    for tactic in TACTICS:
        after, reward, *_, info = env.step(tactic)
        rows.append(Row(goals, tactic, info["error"] or "", float(reward)))
        goals = after
    outcome = info["outcome"]
    env.close()
    return [*rows, Row(goals, "", f"outcome: {outcome}", 0.0)]


def drawing(rows: Sequence[Row]) -> str:
    """Return the drawing as SVG."""
    parts, y = list(_heading()), 96
    for row in rows:
        lines = row.goals.split("\n")
        message = row.error.split("\n") if row.error else []
        height = LINE * max(len(lines), len(message) + bool(row.tactic)) + 2 * PAD - 6
        parts.append(f'<rect class="row" x="12" y="{y}" width="{WIDTH - 24}" height="{height}" rx="6"/>')
        for number, line in enumerate(lines):
            kind = ' class="target"' if line.startswith("⊢") else ""
            parts.append(_text(GOALS_X, y + PAD + 8 + LINE * number, line, kind))
        first = y + PAD + 8
        if row.tactic:
            parts.append(_text(TACTIC_X, first, row.tactic, ' class="tactic"'))
            parts.append(
                _text(REWARD_X, first, f"{row.reward:g}", f' class="reward{" won" * (row.reward > 0)}"')
            )
        kind = ' class="error"' if row.tactic else ' class="reward won"'
        for number, line in enumerate(message):
            parts.append(_text(TACTIC_X, first + LINE * (number + bool(row.tactic)), line, kind))
        y += height + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 6}" role="img" aria-label="{_LABEL}">'
    page = f'<rect class="page" x="1" y="1" width="{WIDTH - 2}" height="{y + 4}" rx="10"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", page, *parts, "</svg>"]) + "\n"


_LABEL = "An episode: the goals, the tactic tried on them, and the reward, step by step"


def _heading() -> Iterator[str]:
    yield _text(GOALS_X, 40, STATEMENT, ' class="target"')
    for x, title in (
        (GOALS_X, "observation: the goals"),
        (TACTIC_X, "action: a tactic"),
        (REWARD_X, "reward"),
    ):
        yield _text(x, 80, title, ' class="head"')


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text x="{x}" y="{y}"{kind}>{escape(text)}</text>'


def main() -> int:
    """Write the drawing and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder to write to")
    out = parser.parse_args().out / "episode.svg"
    out.write_text(drawing(play()), encoding="utf-8")
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
