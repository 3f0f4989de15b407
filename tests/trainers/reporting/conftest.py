"""Folders of runs, written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from torch.utils.tensorboard import SummaryWriter

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>&lt;b&gt;"
"""A text that must stay text wherever it stands on the page."""
THEOREMS = [
    {"name": "swap", "statement": "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p", "split": "train"},
    {"name": "pick", "statement": "theorem pick (p q : Prop) (h : p ∧ q) : p", "split": "train"},
    {"name": "keep", "statement": "theorem keep (p : Prop) (h : p) : p", "split": "test"},
    {"name": "hard", "statement": "theorem hard (p : Prop) : p", "split": "test"},
]

Row = dict[str, Any]
Write = Callable[..., Path]


class Samples:
    """Lines of `trajectories.jsonl`."""

    hostile = HOSTILE
    start = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    left = "case left\np q : Prop\nh : p ∧ q\n⊢ q"
    right = "case right\np q : Prop\nh : p ∧ q\n⊢ p"

    def episode(
        self, theorem: str, outcome: str, steps: Sequence[tuple[str, str, bool]], iteration: int = 1
    ) -> Row:
        """A line; a step is (goals shown, tactic, refused)."""
        return {
            "iteration": iteration,
            "group": 0,
            "theorem": theorem,
            "outcome": outcome,
            "return": float(outcome == "proved"),
            "tactics": [tactic for _, tactic, refused in steps if not refused],
            "steps": [
                {"shown": shown, "tactic": tactic, "token_ids": [1], "reward": 0.0, "refused": refused}
                for shown, tactic, refused in steps
            ],
        }

    @property
    def swapped(self) -> Row:
        """A proof with two branches, in iteration 2."""
        steps = [
            (self.start, "exact g", True),
            (self.start, "constructor", False),
            (f"{self.left}\n\n{self.right}", "exact h.2", False),
            (self.right, "exact h.1", False),
        ]
        return self.episode("swap", "proved", steps, iteration=2)

    @property
    def lost(self) -> Row:
        """A failure in iteration 1."""
        return self.episode(
            "swap", "step_limit", [(self.start, "exact g", True), (self.start, HOSTILE, True)]
        )

    @property
    def picked(self) -> Row:
        """A proof of another theorem in iteration 1."""
        return self.episode("pick", "proved", [("p q : Prop\nh : p ∧ q\n⊢ p", "exact h.1", False)])

    @property
    def attack(self) -> Row:
        """A proof whose every text is hostile, in iteration 2."""
        return self.episode(HOSTILE, "proved", [(f"x : {HOSTILE}\n⊢ {HOSTILE}", HOSTILE, False)], iteration=2)


@pytest.fixture
def samples() -> Samples:
    """Episodes."""
    return Samples()


@pytest.fixture
def write_run(tmp_path: Path, samples: Samples) -> Write:
    """Writes the folder of a finished run; each part can be replaced, and left out with `None`."""

    def write(
        name: str = "run",
        *,
        config: Mapping[str, Any] | None = None,
        trajectories: Sequence[Row] | None = (samples.lost, samples.picked, samples.swapped),
        proofs: Sequence[Mapping[str, Any]] = (),
        summary: Mapping[str, Any] | str | None = None,
        finished: bool = True,
        scalars: Mapping[str, Mapping[int, float]] | None = None,
        measurements: Sequence[Row] = (),
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        theorems = tmp_path / "theorems.jsonl"
        rows = [{"context": "", "imports": [], **row} for row in THEOREMS]
        theorems.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        settings = {
            "theorems": str(theorems),
            "seed": 0,
            "evaluation": {"held_out": "test", "eval_samples": 8},
        }
        (folder / "config.yaml").write_text(yaml.safe_dump({**settings, **(config or {})}), encoding="utf-8")
        (folder / "run.json").write_text(json.dumps({"seed": 0, "backend": "minilean", "git": None}))
        known = [
            *proofs,
            {"name": "keep", "statement": THEOREMS[2]["statement"], "tactics": ["exact h"], "iteration": 2},
        ]
        (folder / "proofs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in known))
        if trajectories is not None:
            lines = "".join(json.dumps(row) + "\n" for row in trajectories)
            (folder / "trajectories.jsonl").write_text(lines, encoding="utf-8")
        if measurements:
            lines = "".join(json.dumps(row) + "\n" for row in measurements)
            (folder / "measurements.jsonl").write_text(lines, encoding="utf-8")
        if finished:
            content = {
                "eval": {
                    "before": {"pass@1": 0.125, "pass@8": 0.25},
                    "after": {"pass@1": 0.5, "pass@8": 0.5},
                },
                "automation": {"best": 0.75, "any": 0.875},
                "seconds": {"total": 90.0},
                "new_proofs": 1,
                "tactics": 7,
            }
            text = summary if isinstance(summary, str) else json.dumps({**content, **(summary or {})})
            (folder / "summary.json").write_text(text)
        write_scalars(
            folder,
            scalars
            if scalars is not None
            else {
                "proof/solve_rate": {1: 0.25, 2: 0.5},
                "eval/pass_at_1": {0: 0.125, 2: 0.5},
                "eval/pass_at_8": {0: 0.25, 2: 0.5},
                "policy/entropy": {1: 1.5, 2: 1.25},
            },
        )
        return folder

    return write


def write_scalars(folder: Path, scalars: Mapping[str, Mapping[int, float]]) -> None:
    """Write an event file."""
    with SummaryWriter(str(folder)) as writer:
        for name, points in scalars.items():
            for step, value in points.items():
                writer.add_scalar(name, value, step)


@pytest.fixture
def write_evaluation(tmp_path: Path) -> Write:
    """Writes the folder of an evaluation beside the runs."""

    def write(name: str, policy: str, by_theorem: Mapping[str, int], proofs: Sequence[Any] = ()) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "settings.yaml").write_text(yaml.safe_dump({"policy": policy}))
        rate = {"value": 0.5, "low": 0.25, "high": 0.75}
        result = {
            "policy": policy,
            "theorems": "mine",
            "samples": 4,
            "confidence": 0.95,
            "overall": {"theorems": len(by_theorem), "pass@1": rate},
            "by_theorem": by_theorem,
            "outcomes": {"proved": 2, "step_limit": 6},
            "refused_share": 0.5,
            "automation": None,
            "failures": {},
        }
        (folder / "result.json").write_text(json.dumps(result))
        (folder / "proofs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in proofs))
        return folder

    return write
