"""Proofs replayed step by step: after each tactic the goals, or the error message, are compared letter for letter.

The transcripts are the text files beside this module. A header line names the source of an expectation:

    recorded   the text was printed by Lean and is copied from the book named; only `recorded.txt` has these
    script     Lean accepts the script, which follows the book named; the texts in between are ours, reviewed
    rule       text of ours, reviewed against the rule or the source file named
    recalled   text of ours, from memory of how Lean behaves, not verified

So only `recorded.txt` is evidence of what Lean prints. The other files were written by running minilean and
reviewing the result: they protect against changes, and a real Lean may still print other texts.

The statement follows the header, then the goal it starts with, then `>>> tactic` (more lines of it behind `... `)
and what it leaves: goals, `no goals`, or `error:` and the message. `*` stands for a text that is not recorded. A
tactic that fails leaves the state as it was. Numbers of metavariables depend on Lean's internals: not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from minilean.library import library
from minilean.proof import Problem

NUMBER = re.compile(r"\?([mu])\.\d+")
HEADER = re.compile(r"# (recorded|script|rule|recalled): ")
HYPOTHESES = re.compile(r"^([^⊢:]+) : (.*)$")
ANY = "*"


@dataclass(frozen=True)
class Transcript:
    """One proof: `steps` are pairs of a tactic and the text after it."""

    header: str
    context: str
    statement: str
    start: str
    steps: tuple[tuple[str, str], ...]


def read(path: Path) -> Iterator[tuple[str, Transcript]]:
    """Return the transcripts of a file, each with a name."""
    lines = path.read_text("utf-8").splitlines()
    number = 0
    while number < len(lines):
        if not HEADER.match(lines[number]):
            number += 1
            continue
        first = number
        number += 1
        context = ""
        if lines[number].startswith("context "):
            context = lines[number].removeprefix("context ")
            number += 1
        statement = lines[number]
        blocks: list[list[str]] = [[]]
        number += 1
        while number < len(lines) and not HEADER.match(lines[number]):
            if lines[number].startswith(">>> "):
                blocks.append([])
            blocks[-1].append(lines[number])
            number += 1
        steps = tuple(step(block) for block in blocks[1:])
        start = "\n".join(blocks[0]).rstrip("\n")
        yield f"{path.stem}:{first + 1}", Transcript(lines[first], context, statement, start, steps)


def step(block: list[str]) -> tuple[str, str]:
    """Return a tactic and the text after it."""
    tactic = [block[0].removeprefix(">>> ")]
    rest = block[1:]
    while rest and rest[0].startswith("... "):
        tactic.append(rest.pop(0).removeprefix("... "))
    return "\n".join(tactic), "\n".join(rest).rstrip("\n")


TRANSCRIPTS = [found for path in sorted(Path(__file__).parent.glob("*.txt")) for found in read(path)]


def one_a_line(text: str) -> str:
    """Print `a b : Nat` as two lines, as one of the books does."""
    lines = []
    for line in text.split("\n"):
        found = None if line.startswith("case ") else HYPOTHESES.match(line)
        lines += [f"{name} : {found[2]}" for name in found[1].split()] if found else [line]
    return "\n".join(lines)


def same(got: str, expected: str, header: str) -> bool:
    if expected == ANY:
        return True
    if "one hypothesis a line" in header:
        got = one_a_line(got)
    return NUMBER.sub(r"?\1", got) == NUMBER.sub(r"?\1", expected)


@pytest.mark.parametrize("transcript", [t for _, t in TRANSCRIPTS], ids=[name for name, _ in TRANSCRIPTS])
def test_transcript(transcript: Transcript) -> None:
    problem = Problem.from_source(transcript.statement, library(), transcript.context)
    state = problem.start()
    start = "\n\n".join(problem.goal_texts(state))
    assert same(start, transcript.start, transcript.header), start
    for tactic, expected in transcript.steps:
        result = problem.apply(state, tactic)
        if result.state is None:
            got = f"error:\n{result.error}"
        else:
            state = result.state
            got = "\n\n".join(problem.goal_texts(state)) or "no goals"
        if not same(got, expected, transcript.header):
            assert got == expected, tactic
    if not state.goals:
        problem.check(state)


def test_the_transcripts_are_there() -> None:
    assert sum(len(t.steps) for _, t in TRANSCRIPTS) >= 700
