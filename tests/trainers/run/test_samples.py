from __future__ import annotations

import html
import re
import warnings

import pytest

from lean_gym import Outcome
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory
from trainers.run.samples import failure_samples, proof_samples
from trainers.run.trackers.tensorboard import code_block

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of the sanitizer that TensorBoard brings along
    from tensorboard import plugin_util

HOSTILE = [
    "</code></pre><script>alert(1)</script>",
    "```\n<img src=x onerror=alert(1)>\n~~~~\n# heading",
    "\n\n<div onclick='x'>\n\n[link](javascript:alert(1)) ![i](http://example.org/x.png)",
    "a\u2028<b>\x0b<i>\r<u>\x1c# h",
    "\x02wzxhzdk:0\x03 &lt;b&gt; &amp;",
    "<!-- \n<?php\n<![CDATA[\n",
    "    - item\n\t> quote\n1. one",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_tensorboard_shows_a_text_as_it_is(text: str) -> None:
    made = plugin_util.markdown_to_safe_html(code_block(f"first\n{text}\nlast"))
    assert re.fullmatch(r"<pre><code>[^<>]*</code></pre>\s*", made)
    shown = html.unescape(made.strip().removeprefix("<pre><code>").removesuffix("</code></pre>"))
    printable = re.sub("[\\x00-\\x09\\x0b-\\x1f\\u2028]", "\N{REPLACEMENT CHARACTER}", f"first\n{text}\nlast")
    assert [line.rstrip() for line in shown.splitlines()] == [
        line.rstrip() for line in printable.splitlines()
    ]


def test_markdown_reads_a_text_that_is_no_block_of_code() -> None:
    """The neighbour that shows that the test above can fail."""
    assert "<h1>" in plugin_util.markdown_to_safe_html(HOSTILE[1].replace("`", "").replace("~", ""))


def row(number: int, tactics: int = 1) -> dict[str, object]:
    return {
        "name": f"t{number}",
        "statement": f"theorem t{number} : True",
        "tactics": ["constructor\n· trivial"] * tactics,
        "part": "training",
        "iteration": number,
    }


def test_proofs_are_lean_source() -> None:
    assert proof_samples([row(1)]) == (
        "-- training, iteration 1\ntheorem t1 : True := by\n  constructor\n  · trivial"
    )
    assert proof_samples([]) == ""
    shown = proof_samples([row(number, 30) for number in range(11)])
    assert re.findall(r"theorem (\w+)", shown) == ["t0", "t5", "t10"]
    assert shown.count("constructor") == 3 * 8
    assert "  -- and 22 more" in shown


def attempt(theorem: str, outcome: Outcome, accepted: int, size: int = 1) -> Trajectory[Completion]:
    def step(text: str, refused: bool) -> Step[Completion]:
        choice = Completion((1,), (2,), (-1.0,), text)
        return Step("⊢ q" * size, choice, 0.0, refused, message="unknown x" * size if refused else "")

    steps = [step("intro h", False)] * accepted + [step("exact x" * size, True)]
    return Trajectory(theorem, steps, outcome, ("intro h",) * accepted)


def test_failures_have_goals_tactics_and_messages() -> None:
    episodes = [
        attempt("a", Outcome.PROVED, 1),
        attempt("a", Outcome.STEP_LIMIT, 0),
        attempt("b", Outcome.STEP_LIMIT, 0),
        attempt("b", Outcome.STEP_LIMIT, 1),
    ]
    statements = {name: f"theorem {name} : q" for name in "ab"}
    assert failure_samples(episodes, statements) == (
        "-- step_limit, 2 tactics tried\ntheorem b : q\n\n⊢ q\n> intro h\n> exact x\n  refused: unknown x"
    )
    assert failure_samples(episodes[:2], statements) == ""


def test_samples_are_of_bounded_size() -> None:
    names = [f"t{number}" for number in range(50)]
    episodes = [attempt(name, Outcome.TIME_LIMIT, 100, 10_000) for name in names]
    assert len(failure_samples(episodes, dict.fromkeys(names, "x" * 10_000))) < 30_000
    wide = row(1) | {"tactics": ["y" * 10_000] * 100, "statement": "x" * 10_000}
    assert len(proof_samples([wide] * 100)) < 30_000
