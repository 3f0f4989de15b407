"""Folders of runs, written by hand, and a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
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


class Browser:
    """Chromium without a window, driven through the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, address: str, options: Mapping[str, Any]) -> None:
        self._client = httpx.Client(base_url=address, timeout=60, trust_env=False)
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{session['sessionId']}"

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        answer = self._client.request(method, path, json=body).json()["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", self._session)
        self._client.close()

    def open(self, page: Path) -> None:
        """Load a file."""
        self._ask("POST", f"{self._session}/url", {"url": page.resolve().as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """Return the result of the body of a JavaScript function; a promise is waited for."""
        body = {"script": script, "args": list(arguments)}
        return self._ask("POST", f"{self._session}/execute/sync", body)

    def click(self, selector: str) -> None:
        """Click on the first element, as a user does: it must be visible and not covered."""
        self._ask("POST", f"{self._element(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        place = self._element(selector)
        self._ask("POST", f"{place}/clear", {})
        self._ask("POST", f"{place}/value", {"text": text})

    def _element(self, selector: str) -> str:
        found = self._ask("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return f"{self._session}/element/{next(iter(found.values()))}"

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Return the answer to a command of the DevTools protocol."""
        body = {"cmd": command, "params": parameters}
        return self._ask("POST", f"{self._session}/goog/cdp/execute", body)

    def screen(self, width: int, dark: bool) -> None:
        """Set the width of the screen in pixels and the preferred colours."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def console(self) -> list[str]:
        """Return the messages of the console since the last call."""
        return [
            entry["message"] for entry in self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        ]


@contextmanager
def started_driver(driver: str) -> Iterator[str]:
    """Start the driver on a free port and yield its address."""
    with subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            ports = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
            port = next(found[1] for found in ports if found)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser; the test fails where there is none."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.fail(
            "needs Chromium and its driver; on Debian: apt-get install chromium chromium-driver", False
        )
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"]
    arguments.append(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # it does not start as root otherwise
    with started_driver(driver) as address:
        made = Browser(address, {"binary": program, "args": arguments})
        yield made
        made.close()
