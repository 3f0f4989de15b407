"""The page in a browser: proofs by keys and clicks, wrong and endless tactics, links, the course, offline, sizes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from lean_gym.integrations.listening import listen
from lean_gym.play.web.bundle import bundle
from lean_gym.play.web.serving import HOST, PageServer, fragment
from lean_gym.types import Theorem

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

ENTER, TAB, DOWN, ESCAPE, ALT = "\ue007", "\ue004", "\ue015", "\ue00c", "\ue00a"
SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
GOALS = "return [...document.querySelectorAll('.goal')].map((goal) => goal.textContent.trimEnd())"
READY = "return document.body.dataset.prover === 'ready' && document.body.dataset.busy === 'false'"
PROVED = "return document.body.dataset.proved === 'true'"
HOSTILE = "<img src=x onerror='window.hacked=1'>"
SCREENS = [(1200, False), (1200, True), (360, False), (360, True)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with PageServer(bundle(), listen(HOST, 0)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page with the theorem `swap`; the console must stay empty."""
    browser.screen(1200, dark=False)
    browser.console()
    reopen(browser, address + fragment(SWAP))
    yield browser
    assert browser.console() == []


def reopen(browser: Any, address: str) -> None:
    """Load the page anew, and wait for its theorem."""
    browser.open("about:blank")
    browser.open(address)
    settle(browser, seconds=120)


def settle(browser: Any, seconds: float = 60) -> None:
    """Wait until the prover is idle."""
    browser.wait(READY, seconds=seconds)


def run(browser: Any, tactic: str) -> None:
    browser.type("#line", tactic)
    browser.press("#line", ENTER)
    settle(browser)


def text(browser: Any, selector: str) -> str:
    shown: str = browser.run("return document.querySelector(arguments[0]).textContent", selector)
    return shown


def history(browser: Any) -> list[str]:
    shown: list[str] = browser.run(
        "return [...document.querySelectorAll('#history code')].map((each) => each.textContent)"
    )
    return shown


def test_a_proof_by_keys(page: Any) -> None:
    assert page.run(GOALS) == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]
    run(page, "constructor")
    assert page.run(GOALS) == [
        "case left\np q : Prop\nh : p ∧ q\n⊢ q",
        "case right\np q : Prop\nh : p ∧ q\n⊢ p",
    ]
    run(page, "exact h.2")
    assert not page.run(PROVED)
    run(page, "exact h.1")
    assert page.run(PROVED)
    assert text(page, "#status") == "Proved. The kernel has checked the whole proof. Axioms: none."
    assert text(page, "#source") == f"{SWAP.statement} := by\n  constructor\n  exact h.2\n  exact h.1"


def test_a_proof_by_clicks(page: Any, address: str) -> None:
    reopen(page, address + fragment(Theorem("t", "theorem t (p q : Prop) (h : p) (h1 : q) : p ∧ q")))
    page.click("#suggest")
    settle(page)
    page.click("#suggestions li button")
    settle(page)
    assert page.run(PROVED)


def test_a_wrong_tactic_is_told_and_forgotten(page: Any) -> None:
    run(page, "exact h")
    assert "type mismatch" in text(page, "#error").lower()
    assert history(page) == ["start"]
    assert page.run("return document.querySelector('#line').value") == "exact h"
    run(page, "constructor")
    assert page.run("return document.querySelector('#error').hidden")


def test_sorry_proves_nothing(page: Any) -> None:
    run(page, "sorry")
    assert not page.run(PROVED)


def test_an_unproved_theorem_is_not_called_proved(page: Any, address: str) -> None:
    reopen(page, address + fragment(Theorem("f", "theorem f (p q : Prop) (h : p) : q"), ("simp_all",)))
    assert not page.run(PROVED)
    assert not text(page, "#status").startswith("Proved")


def test_an_endless_tactic_is_stopped_and_the_proof_goes_on(page: Any, address: str) -> None:
    reopen(
        page,
        address + fragment(Theorem("t", "theorem t (a b c : Nat) (h : a + b = c) : a + b = c"), ("skip",)),
    )
    page.type("#line", "repeat rw [Nat.add_comm]")
    page.press("#line", ENTER)
    page.wait("return !document.querySelector('#stop').disabled")
    page.click("#stop")
    page.wait("return document.querySelector('#error').textContent === 'stopped'")
    settle(page, seconds=120)
    assert history(page) == ["start", "skip"]
    run(page, "exact h")  # the new worker replays `skip`
    assert page.run(PROVED)


def test_an_endless_tactic_ends_by_itself(page: Any, address: str) -> None:
    reopen(page, address + fragment(Theorem("t", "theorem t (a b c : Nat) : a + b = c")))
    page.type("#seconds", "1")
    run(page, "repeat rw [Nat.add_comm]")
    assert "deadline has passed" in text(page, "#error")


def test_a_prover_that_does_not_look_at_the_clock_is_ended(page: Any) -> None:
    reason = page.run(
        """const { Prover } = await import("./prover.js");
        const prover = new Prover(() => {});
        const request = { ask: "apply", statement: arguments[0], context: "", tactics: [], tactic: "constructor" };
        const reason = await prover.ask(request, -1.999).catch((error) => error.message);
        prover.end();
        return reason""",
        SWAP.statement,
    )
    assert reason.startswith("stopped after 0.00")


def test_undo_and_branches(page: Any) -> None:
    run(page, "constructor")
    page.press("#line", ALT + "z" + ALT)
    assert page.run(GOALS) == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]
    run(page, "cases h")
    assert history(page) == ["start", "constructor", "cases h"]
    assert page.run("return document.querySelectorAll('#history .branch').length") == 2
    page.click("#history .branch button")
    assert len(page.run(GOALS)) == 2
    run(page, "exact h.2")
    assert history(page) == ["start", "constructor", "exact h.2", "cases h"]


def test_completion_by_keys(page: Any) -> None:
    page.press("#line", "constr")
    page.wait("return !document.querySelector('#words').hidden")
    page.press("#line", TAB)
    assert page.run("return document.querySelector('#line').value") == "constructor"
    page.type("#line", "")
    page.press("#line", "rw [Nat.add_")
    page.wait("return document.querySelectorAll('#words li').length > 1")
    page.press("#line", DOWN + DOWN)
    marked = text(page, "#words [aria-selected=true]")
    active = page.run("return document.querySelector('#line').getAttribute('aria-activedescendant')")
    assert active == page.run("return document.querySelector('#words [aria-selected=true]').id")
    page.press("#line", ENTER)
    assert page.run("return document.querySelector('#line').value") == f"rw [{marked}"
    page.press("#line", "x")
    page.press("#line", ESCAPE)
    assert page.run("return document.querySelector('#words').hidden")


def test_unicode_input(page: Any) -> None:
    page.wait(
        "return performance.getEntriesByType('resource').some((each) => each.name.includes('abbreviations'))"
    )
    typed_and_shown = {
        "\\to ": "→ ",
        "\\iff": "↔",  # at once, as no longer abbreviation begins so
        "\\and": "\\and",  # may become \and=
        "\\and ": "∧ ",
        "\\a ": "α ",
        "\\<h": "⟨h",
        "\\l ": "← ",
        "intro x\\_1 ": "intro x₁ ",
        "\\nosuchword ": "¬suchword ",  # as Lean's editors do
    }
    for typed, shown in typed_and_shown.items():
        page.type("#line", "")
        page.press("#line", typed)
        assert page.run("return document.querySelector('#line').value") == shown
    page.type("#line", "")
    page.press("#line", "exact \\<h.2, h.1\\>" + ENTER)  # the last one is replaced before the tactic runs
    settle(page)
    assert history(page) == ["start", "exact ⟨h.2, h.1⟩"]


def test_a_link_carries_theorem_and_proof(page: Any, address: str) -> None:
    run(page, "constructor")
    link = page.run("return location.href")
    assert link == address + fragment(SWAP, ("constructor",))
    reopen(page, link)
    page.wait("return document.querySelectorAll('#history li').length === 2")
    assert len(page.run(GOALS)) == 2


def test_a_link_whose_proof_fails_shows_where(page: Any, address: str) -> None:
    reopen(page, address + fragment(SWAP, ("constructor", "exact nonsense", "exact h.1")))
    page.wait("return !document.querySelector('#error').hidden")
    assert "nonsense" in text(page, "#error")
    assert history(page) == ["start", "constructor"]


def test_hostile_texts_stay_texts(page: Any, address: str) -> None:
    context = f'def hostile : String := "{HOSTILE}"'
    theorem = Theorem(
        "t", f'theorem t («{HOSTILE}» : hostile = "{HOSTILE}") : hostile = "{HOSTILE}"', context=context
    )
    reopen(page, address + fragment(theorem, (f"exact {HOSTILE}",)))
    page.wait("return !document.querySelector('#error').hidden")
    for values in (
        f"#theorem={HOSTILE}",
        f"#theorem=t&tactic={HOSTILE}",
        f"#{HOSTILE}",
        "#theorem=%E0%A4%A",
        "#%",
    ):
        reopen(page, address + values)
    page.click("#suggest") if page.run("return !document.querySelector('#suggest').disabled") else None
    settle(page)
    assert page.run("return [typeof window.hacked, document.images.length]") == ["undefined", 0]


def test_hostile_hypotheses_stay_texts(page: Any, address: str) -> None:
    statement = f"theorem t (p : Prop) («{HOSTILE}» : p) : p"
    reopen(page, address + fragment(Theorem("t", statement)))
    shown = page.run(
        "return document.querySelector('#goals').textContent + document.querySelector('#error').textContent"
    )
    assert "img" in shown
    assert page.run("return [typeof window.hacked, document.images.length]") == ["undefined", 0]


def test_a_typed_theorem_and_a_statement_that_is_none(page: Any) -> None:
    page.type("#statement", "theorem u : 2 + 2 = 4")
    page.click("#start")
    settle(page)
    run(page, "rfl")
    assert page.run(PROVED)
    page.type("#statement", "theorem u : 2 + ")
    page.click("#start")
    settle(page)
    assert text(page, "#error")
    assert page.run("return document.querySelector('#run').disabled")


def test_a_theorem_of_a_set(page: Any) -> None:
    assert page.run("return [...document.querySelectorAll('#set option')].map((each) => each.value)") == [
        "course",
        "logic",
        "nat",
    ]
    page.click("#set option[value=nat]")
    settle(page)
    page.wait("return document.querySelector('#statement').value.startsWith('theorem nat_')")
    settle(page)
    assert page.run(GOALS)


def test_the_course_is_finished_by_keys(browser: Any, address: str) -> None:
    from lean_gym.datasets import load_theorems, proof_steps

    browser.screen(1200, dark=False)
    browser.console()
    reopen(browser, f"{address}course.html")
    levels = load_theorems("course")
    for number, theorem in enumerate(levels):
        browser.wait("return document.querySelector('#statement').value === arguments[0]", theorem.statement)
        settle(browser)
        for tactic in proof_steps(theorem.proof):
            run(browser, tactic)
        assert browser.run(PROVED), theorem.name
        if number + 1 < len(levels):
            browser.press("#next", ENTER)  # it has the focus
    assert browser.run("return document.querySelectorAll('#levels .done').length") == 10
    assert browser.run("return document.querySelector('#next').hidden")
    reopen(browser, f"{address}course.html")
    assert browser.run("return document.querySelectorAll('#levels .done').length") == 10
    browser.run("localStorage.clear()")
    assert browser.console() == []


@pytest.mark.parametrize("name", ["index.html", "course.html"])
@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_page_is_whole_on_every_screen(
    width: int, dark: bool, name: str, browser: Any, address: str
) -> None:
    browser.screen(width, dark)
    browser.console()
    reopen(browser, address + name)
    run(browser, "exact nonsense")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    light = browser.run(
        """const numbers = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
        return numbers.reduce((sum, each) => sum + each) / 3"""
    )
    assert (light < 64) == dark and (light > 192) != dark
    assert browser.console() == []


def test_every_control_has_a_name_and_is_reached_by_tab(page: Any) -> None:
    nameless = page.run(
        """const named = (each) => each.textContent.trim() || each.ariaLabel || each.labels?.length;
        return [...document.querySelectorAll("button, input, select, textarea")]
          .filter((each) => !named(each)).map((each) => each.outerHTML)"""
    )
    assert nameless == []
    assert page.run("return document.activeElement.id") == "line"
    reached = []
    for _ in range(4):
        page.press_at_focus(TAB)
        reached.append(page.run("return document.activeElement.id"))
    assert reached == ["run", "suggest", "seconds", ""]


@pytest.mark.parametrize(("button", "then"), [("run", "run"), ("suggest", "suggest"), ("undo", "line")])
def test_a_button_pressed_by_key_keeps_the_focus(page: Any, button: str, then: str) -> None:
    run(page, "constructor")
    page.type("#line", "exact h.2")
    page.press(f"#{button}", ENTER)
    settle(page)
    assert page.run("return document.activeElement.id") == then


def test_nothing_is_loaded_from_elsewhere(page: Any, address: str) -> None:
    loaded = page.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert [each for each in loaded if not each.startswith(address)] == []


def test_it_works_without_its_server(browser: Any, address: str) -> None:
    with PageServer(bundle(), listen(HOST, 0)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        reopen(browser, server.address + fragment(SWAP))
        browser.run("return navigator.serviceWorker.ready.then(() => true)")
        server.shutdown()
        thread.join()
    reopen(browser, server.address + fragment(SWAP))
    run(browser, "constructor")
    assert len(browser.run(GOALS)) == 2
    browser.console()


def test_the_list_of_files_is_the_folder() -> None:
    folder = bundle()
    content = (folder / "files.js").read_text("utf-8").removeprefix("self.BUNDLE = ").rstrip(";\n")
    listed = json.loads(content)["files"]
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {*listed, "files.js"} == there
