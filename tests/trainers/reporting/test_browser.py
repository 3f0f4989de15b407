"""The page in a browser: charts, the table of theorems, proof trees, colours, widths, print."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from lean_gym.play.web.serving import HOST, PORT, fragment
from lean_gym.types import Theorem
from trainers.report import write_report

pytestmark = pytest.mark.browser

VISIBLE = """return [...document.querySelectorAll("#theorems-0 tr[data-row]")]
    .filter((row) => row.getClientRects().length).map((row) => row.querySelector(".unfold code").textContent)"""
SCREENS = [(1200, False), (1200, True), (360, False), (360, True)]


@pytest.fixture
def page(write_run: Any, samples: Any) -> Path:
    """A report whose run has hostile texts."""
    stored = [samples.lost, samples.picked, samples.swapped, samples.attack]
    proofs = [{"name": samples.hostile, "statement": samples.hostile, "tactics": [samples.hostile]}]
    folder: Path = write_run(trajectories=stored, proofs=proofs, config={"note": samples.hostile})
    write_report([folder], folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def opened(browser: Any, page: Path) -> Any:
    browser.console()
    browser.screen(1200, dark=False)
    browser.open(page)
    return browser


def unfold(browser: Any, name: str) -> str:
    """Unfold a theorem and return the selector of its details."""
    number = browser.run(
        """const row = [...document.querySelectorAll("#theorems-0 tr[data-row]")]
            .find((row) => row.querySelector(".unfold code").textContent === arguments[0]);
        row.scrollIntoView({block: "center", behavior: "instant"});
        return row.dataset.row""",
        name,
    )
    detail = f'#theorems-0 tr[data-row="{number}"] + tr.detail'
    browser.click(f'#theorems-0 tr[data-row="{number}"] .unfold')
    browser.wait(f"return document.querySelector('{detail}')?.textContent")
    return detail


def settle(browser: Any) -> None:
    """Wait until the events of unfolding have arrived and the page is laid out."""
    browser.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_page_is_whole_on_every_screen(width: int, dark: bool, browser: Any, page: Path) -> None:
    browser.console()
    browser.screen(width, dark)
    browser.open(page)
    edges = """return [...document.querySelectorAll(".chart svg")].map((chart) => [
        chart.getBoundingClientRect().right, chart.closest("section").getBoundingClientRect().right,
        ...[...chart.querySelectorAll("text")].map((each) => each.getBoundingClientRect().right)])"""
    charts = browser.run(edges)
    assert len(charts) == 3
    assert all(max(own) <= card for chart, card, *labels in charts for own in [[chart, *labels]])
    browser.screen(width - 40, dark)
    settle(browser)
    assert all(chart <= card for chart, card, *_ in browser.run(edges))
    browser.screen(width, dark)
    unfold(browser, "swap")
    settle(browser)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    light = browser.run(
        """const numbers = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
        return numbers.reduce((sum, each) => sum + each) / 3"""
    )
    assert (light < 64) == dark and (light > 192) != dark
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.console() == []


def test_hostile_texts_run_nothing(opened: Any, samples: Any) -> None:
    detail = unfold(opened, samples.hostile)
    opened.click(f"{detail} .attempt .head button")
    settle(opened)
    shown = opened.run("return document.querySelector(arguments[0]).textContent", detail)
    assert shown.count(samples.hostile) >= 3  # hypothesis, target and tactic
    assert opened.run("return [typeof window.hacked, document.images.length]") == ["undefined", 0]
    assert opened.console() == []


def test_a_tree_unfolds_goal_by_goal(opened: Any, samples: Any) -> None:
    detail = unfold(opened, "swap")
    goals = f"return [...document.querySelectorAll('{detail} .attempt:first-child .goal > summary code')]"
    opened.shows(goals + ".map((goal) => goal.textContent)", ["⊢ q ∧ p"])
    opened.click(f"{detail} .goal > summary")
    opened.shows(goals + ".map((goal) => goal.textContent)", ["⊢ q ∧ p", "left: ⊢ q", "right: ⊢ p"])
    tactics = f"return [...document.querySelectorAll('{detail} .attempt:first-child .tactic:not(.refused)')]"
    opened.shows(tactics + ".map((tactic) => tactic.textContent)", ["constructor"])
    opened.click(f"{detail} .attempt .head button")
    opened.shows(tactics + ".map((tactic) => tactic.textContent)", ["constructor", "exact h.2", "exact h.1"])
    refused = opened.run(f"return document.querySelector('{detail} .tactic.refused').textContent")
    assert refused == "exact g"
    assert opened.console() == []


def test_a_proof_has_a_link_that_replays_it(opened: Any, samples: Any) -> None:
    detail = unfold(opened, "swap")
    links = opened.run(f"return [...document.querySelectorAll('{detail} a.replay')].map((link) => link.href)")
    theorem = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
    tactics = ("constructor", "exact h.2", "exact h.1")
    assert links == [f"http://{HOST}:{PORT}/{fragment(theorem, tactics)}"]  # and none of the failed attempt
    assert opened.console() == []


def test_the_table_is_filtered_and_sorted(opened: Any, samples: Any) -> None:
    everything = ["swap", "pick", "keep", "hard", samples.hostile]
    assert opened.run(VISIBLE) == everything
    opened.type("#theorems-0 .filter-text", "P ∧ Q")
    assert opened.run(VISIBLE) == ["swap", "pick"]
    assert opened.run("return document.querySelector('#theorems-0 .count').textContent") == "2 of 5 theorems"
    opened.type("#theorems-0 .filter-text", "")
    opened.click("#theorems-0 .filter-status option[value=unsolved]")
    assert opened.run(VISIBLE) == ["hard"]
    opened.click("#theorems-0 .filter-status option[value='']")
    opened.click("#theorems-0 thead th:nth-child(6) button")  # shortest proof; none stands last
    assert opened.run(VISIBLE) == ["pick", "keep", samples.hostile, "swap", "hard"]
    opened.click("#theorems-0 thead th:nth-child(6) button")
    assert opened.run(VISIBLE)[:2] == ["hard", "swap"]
    unfold(opened, "swap")
    opened.click("#theorems-0 thead th:nth-child(5) button")  # an unfolded theorem keeps its details below it
    assert opened.run(
        "return document.querySelector('tr.detail').previousElementSibling.innerText"
    ).startswith("swap")
    assert opened.console() == []


def test_a_phone_sorts_by_a_list(opened: Any) -> None:
    opened.screen(360, dark=False)
    assert opened.run("return document.querySelector('#theorems-0 thead').getClientRects().length") == 0
    opened.click("#theorems-0 .sort-by option[value='-4']")  # attempts, falling
    assert opened.run(VISIBLE)[:2] == ["keep", "hard"]


def test_the_charts_follow_the_colours_and_show_their_values(opened: Any) -> None:
    tick = "return getComputedStyle(document.querySelector('.chart .xtick')).fill"
    before = opened.run(tick)
    opened.screen(1200, dark=True)
    settle(opened)
    assert opened.run(tick) != before
    opened.click("#charts-main figure:nth-child(2) details summary")
    settle(opened)
    table = "#charts-main figure:nth-child(2) details table"
    rows = f"return [...document.querySelectorAll('{table}')].map((each) => each.innerText.split(/\\s+/).join(' '))"
    assert opened.run(rows) == [
        "run 0 12.5% 2 50.0%",
        "automation, best script 0 75.0% 2 75.0%",
        "automation, any script 0 87.5% 2 87.5%",
    ]
    pointed = opened.run(
        """const chart = document.querySelector("#charts-main figure:nth-child(2) .chart");
        const box = chart.querySelector("svg").getBoundingClientRect();
        chart.querySelector("svg").dispatchEvent(new PointerEvent("pointermove", { clientX: box.right - 20 }));
        const tip = chart.querySelector(".tip");
        return [getComputedStyle(tip).visibility, ...[...tip.children].map((each) => each.textContent.trim())]"""
    )
    assert pointed == [
        "visible",
        "iteration 2",
        "run: 50.0%",
        "automation, best script: 75.0%",
        "automation, any script: 87.5%",
    ]


def test_the_paper_is_light(opened: Any) -> None:
    opened.screen(1200, dark=True)
    opened.run(
        """window.seen = [];
        addEventListener("beforeprint", () => {
          const style = getComputedStyle(document.documentElement);
          const chart = document.querySelector(".chart svg").getBoundingClientRect();
          window.seen = [style.getPropertyValue("--text").trim(), Math.round(chart.width)];
        })"""
    )
    printed = base64.b64decode(opened.devtools("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
    assert opened.run("return window.seen") == ["#1b2430", 335]
    assert opened.run("return document.documentElement.dataset.print === undefined")
    assert opened.console() == []


def test_runs_are_compared(browser: Any, write_run: Any) -> None:
    folders = [write_run("a"), write_run("b<i>", config={"seed": 1})]
    write_report(folders, folders[0] / "both.html")
    browser.console()
    browser.screen(1200, dark=False)
    browser.open(folders[0] / "both.html")
    legend = "return [...document.querySelectorAll('#charts-main figure:first-child .legend span')]"
    assert browser.run(legend + ".map((each) => each.textContent)") == ["mean and range of 2 runs: a, b<i>"]
    assert browser.run("return document.querySelectorAll('#charts-main .spread').length") == 3
    assert browser.run("return document.querySelectorAll('section.theorems').length") == 2
    assert "seed\t0\t1" in browser.run("return document.querySelector('#differing').innerText")
    assert browser.console() == []
