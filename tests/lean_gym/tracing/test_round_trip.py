"""Each traced tactic, run again from the goals before it, leaves the goals after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.datasets.formats.leandojo_steps import read_traced_theorems
from minilean.elab.sorry import with_sorry
from minilean.library import library
from minilean.library.load import library_files
from minilean.library.prefix import prefix_of
from minilean.project.header import split_header, without_header
from minilean.project.loading import Project
from minilean.project.modules import read_project
from minilean.project.recording import Again, TacticStep, block_text
from minilean.project.running import run_text
from minilean.project.traced import TracingRunner

SAMPLE = Path(__file__).parent / "sample"
LIBRARY_FILE = "ListCount.lean"


class Replay:
    """Runs the text of each step again where it was run."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.same = 0
        self.different: list[tuple[str, str, str]] = []

    def __call__(self, step: TacticStep, again: Again) -> None:
        script = block_text(self.text, step.start, step.end)
        after = again(script)
        if after == step.after:
            self.same += 1
        else:
            self.different.append((script, step.after, after))


@pytest.mark.parametrize("module", ["Sample.Basic", "Sample.More", "Sample"])
def test_steps_of_the_sample_project(module: str) -> None:
    files = read_project(SAMPLE).files
    source = files[module]
    env, scope = Project(SAMPLE, files).environment(source.imports)
    text = without_header(source.text, split_header(source.text)[1])
    replay = Replay(text)
    run_text(text, lambda report: TracingRunner(env, text, replay, scope=scope, report=report))
    assert replay.different == [] and replay.same >= 2


def test_steps_of_a_file_of_the_library() -> None:
    text = next(path for path in library_files() if path.name == LIBRARY_FILE).read_text("utf-8")
    first = text.partition("theorem ")[2].partition(" ")[0]
    env = with_sorry(prefix_of(library(), f"{LIBRARY_FILE}:List.{first}"))
    replay = Replay(text)
    run_text(text, lambda report: TracingRunner(env, text, replay, trusted=True, report=report))
    assert replay.different == [] and replay.same >= 100


def test_a_step_that_is_told_wrongly_is_found() -> None:
    """The replay of the tests above can fail."""
    text = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  exact hp\n  exact hq\n"
    replay = Replay(text.replace("constructor", "skip       ").replace("exact hq", "exact hp"))
    env = with_sorry(library())
    run_text(text, lambda report: TracingRunner(env, text, lambda *step: _try(replay, *step), report=report))
    assert replay.same == 1 and len(replay.different) == 2


def _try(replay: Replay, step: TacticStep, again: Again) -> None:
    try:
        replay(step, again)
    except Exception as error:
        replay.different.append(("", step.after, str(error)))


def test_the_steps_of_a_flat_proof_are_those_of_an_episode(traced: Path) -> None:
    backend = create_backend("minilean")
    theorems = {theorem.name: theorem for theorem in load_theorems(str(traced))}
    checked = 0
    for theorem in read_traced_theorems(traced):
        if theorem.full_name not in ("Sample.double_eq", "Sample.double_add", "three", "right"):
            continue
        state = backend.start(theorems[theorem.full_name])
        for step in theorem.steps:
            assert state.text == step.state
            after = backend.apply(state, step.tactic).state
            assert after is not None and after.text == step.state_after
            state = after
            checked += 1
    assert checked == 8
