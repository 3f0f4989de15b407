"""The HTML file: what it holds, and that no text of a run becomes markup or script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from trainers.reporting.gather import gather
from trainers.reporting.page import (
    colours,
    differing_settings,
    overview,
    page_data,
    render,
    shown_value,
    unpacked,
)
from trainers.reporting.run_folder import read_run

PAGE = Path(__file__).resolve().parents[3] / "trainers" / "reporting" / "page"


class Reader(HTMLParser):
    """Elements with their attributes, texts outside of scripts, and the scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data


def read(*folders: Path) -> Reader:
    return Reader(render([gather(read_run(folder, folder.name)) for folder in folders]))


def test_hostile_texts_stay_texts(write_run: Any, write_evaluation: Any, samples: Any) -> None:
    bad = samples.hostile
    folder = write_run(
        config={"rollout": {"note" + bad: bad}},
        trajectories=[samples.attack, samples.lost, samples.episode(bad, bad, [(bad, bad, True)])],
        proofs=[{"name": bad, "statement": bad, "tactics": [bad], "split": bad, "iteration": 1}],
    )
    (folder / "run.json").write_text(json.dumps({"backend": "minilean", bad: bad}))
    (folder.parent / "e1").mkdir()
    write_evaluation("e2", str(folder), {bad: 1}, [{"name": bad, "statement": bad, "tactics": [bad]}])
    plain = [name for name, _ in read(write_run("honest")).elements]
    page = read(folder)
    names = [name for name, _ in page.elements]
    assert names.count("script") == plain.count("script") == 2
    assert "img" not in names
    assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")]
    assert bad in page.text
    assert bad in unpacked(json.loads(page.scripts[0]))["texts"]
    assert "window.hacked" not in "".join(page.scripts)


def test_the_browser_is_told_the_scripts_of_the_page(write_run: Any) -> None:
    page = read(write_run())
    [policy] = [each["content"] or "" for _, each in page.elements if "http-equiv" in each]
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in page.scripts[1:]]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_nothing_is_loaded(write_run: Any) -> None:
    page = read(write_run())
    links = [each.get("src") or each.get("href") or "" for _, each in page.elements]
    assert all(link.startswith(("#", "data:")) for link in links if link)
    assert not [name for name, _ in page.elements if name in ("iframe", "object", "embed", "base")]


def test_the_script_makes_no_markup_of_texts() -> None:
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


def test_the_data_of_the_script(write_run: Any) -> None:
    report = gather(read_run(write_run(), "run"))
    data = page_data([report])
    stored = unpacked(data)
    texts = stored["texts"]
    assert [chart["title"] for chart in data["more"]] == ["Entropy of a sampled token, nats"]
    assert [chart["lines"][0]["y"] for chart in data["main"]] == [[0.25, 0.5], [0.125, 0.5], [0.25, 0.5]]
    swap = stored["episodes"][0][[line.name for line in report.lines].index("swap")]
    [proof] = swap["proofs"]
    assert proof["about"] == "iteration 2: proved"
    assert [texts[number] for number in proof["script"]] == ["constructor", "exact h.2", "exact h.1"]
    parents = [(parent, texts[tactic]) for parent, _, tactic, _, _ in proof["goals"]]
    assert parents == [(-1, "constructor"), (0, "exact h.2"), (0, "exact h.1")]
    assert swap["failed"][0]["about"] == "iteration 1: out of steps"
    assert len(texts) == len(set(texts))


def test_the_figures_at_the_head(write_run: Any) -> None:
    found = overview(gather(read_run(write_run(), "run")))
    assert found["rates"] == {"pass@1": (0.125, 0.5), "pass@8": (0.25, 0.5)}
    assert (found["solve"], found["iterations"], found["tactics"]) == ((0.25, 0.5), 2, 7)
    # The proof of the folder is of a held-out theorem.
    assert (found["new"], found["held_out"], found["minutes"]) == (0, 1, 1.5)


def test_a_run_that_has_just_begun_has_figures_too(write_run: Any) -> None:
    folder = write_run(finished=False, trajectories=None, scalars={"eval/pass_at_1": {0: 0.125}})
    found = overview(gather(read_run(folder, "run")))
    assert found["rates"] == {"pass@1": (0.125, None), "pass@8": (None, None)}
    assert (found["solve"], found["iterations"], found["minutes"]) == (None, 0, None)
    assert "no summary.json: the run did not end" in read(folder).text


def test_settings_that_differ(write_run: Any) -> None:
    runs = [
        read_run(write_run("a", config={"seed": 0, "stem": None, "rollout": {"k": True}}), "a"),
        read_run(write_run("b", config={"seed": 1, "rollout": {"k": True}}), "b"),
    ]
    assert differing_settings(runs) == [("seed", ["0", "1"]), ("stem", ["none", "–"])]


def test_runs_that_differ_in_the_seed_alone_have_one_colour(write_run: Any) -> None:
    configs = [
        {"seed": 0},
        {"seed": 1, "stem": "a"},
        {"seed": 2},
        {"seed": 3, "stem": "a"},
        {"seed": 4, "stem": "b"},
    ]
    runs = [read_run(write_run(f"r{at}", config=own), f"r{at}") for at, own in enumerate(configs)]
    assert colours(runs) == [0, 1, 0, 1, 4]
    [chart, *_] = page_data([gather(run) for run in runs])["main"]
    names = [line["name"] for line in chart["lines"]]
    assert names == ["mean and range of 2 runs: r0, r2", "mean and range of 2 runs: r1, r3", "r4"]


def test_a_theorem_without_episodes_cannot_be_unfolded(write_run: Any) -> None:
    buttons = [own for name, own in read(write_run()).elements if own.get("class") == "unfold"]
    assert {"disabled" in own for own in buttons} == {True, False}


def test_a_comparison_has_the_settings_that_differ_and_each_run(write_run: Any) -> None:
    text = read(write_run("a"), write_run("b", config={"seed": 1})).text
    assert "Comparison of 2 runs" in text
    assert "Settings that differ" in text
    assert "Theorems: a" in text and "Theorems: b" in text
    assert "Settings that differ" not in read(write_run("c")).text


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (None, "none"), ("", '""'), ("x", "x"), (0.5, "0.5"), ([], "[]")]
)
def test_values_of_settings(value: object, text: str) -> None:
    assert shown_value(value) == text
