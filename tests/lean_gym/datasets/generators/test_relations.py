"""The generator `relations`: its steps are those that Lean takes, and its draws need choices."""

from __future__ import annotations

import random

import pytest

from benchmarks.random_relations import main
from lean_gym.backends import create_backend
from lean_gym.datasets.generators.relations import (
    RELATIONS,
    STRUCTURES,
    Kind,
    Structure,
    moves,
    proved_by_preference,
)
from lean_gym.datasets.generators.rewriting import Equation, parse

OF_CONTEXT = {structure.context(): structure for structure in STRUCTURES}


def goal_of(text: str) -> Equation:
    term = parse(text[text.rindex("⊢") + 1 :])
    assert not isinstance(term, str)
    return term[1], term[2]


def all_tactics(structure: Structure) -> list[str]:
    """The steps of proofs, fitting or not."""
    uses = [text for text, _, _ in structure.uses]
    return [
        "exact A.refl _",
        *(f"apply A.{operation}_mono" for operation in structure.operations),
        *(f"refine A.trans {text} ?_" for text in uses),
        *(f"refine A.trans ?_ {text}" for text in uses),
    ]


@pytest.mark.parametrize("difficulty", [0.1, 0.3, 0.45, 0.47])
def test_no_difficulty_lies_in_a_gap(difficulty: float) -> None:
    assert len(RELATIONS.generate(3, difficulty, seed=0)) == 3


def test_the_moves_are_what_lean_accepts_and_shows() -> None:
    backend = create_backend("minilean")
    rng = random.Random(0)
    tried = refused = 0
    for theorem in RELATIONS.generate(9, difficulty=0.5, seed=2):
        structure = OF_CONTEXT[theorem.context]
        state = backend.start(theorem)
        goals: tuple[Equation, ...] = (goal_of(state.goals[0].text),)
        for _ in range(4):
            expected = {move.tactic: move.goals for move in moves(structure, goals)}
            after = {}
            for tactic in all_tactics(structure):
                reply = backend.apply(state, tactic)
                tried += 1
                if reply.state is None:
                    refused += 1
                else:
                    after[tactic] = (reply.state, tuple(goal_of(goal.text) for goal in reply.state.goals))
            assert {tactic: found for tactic, (_, found) in after.items()} == expected
            open_ones = [each for each in after.values() if each[1]]
            if not open_ones:
                break
            state, goals = rng.choice(open_ones)
    assert tried > 300
    assert 0.3 < refused / tried < 0.95


@pytest.mark.parametrize(("difficulty", "some"), [(0.2, True), (0.4, False), (0.7, False)])
def test_from_some_difficulty_on_no_order_of_preference_proves_a_theorem(
    difficulty: float, some: bool
) -> None:
    order: tuple[Kind, ...] = ("close", "shrink", "split", "keep")
    proved = 0
    for theorem in RELATIONS.generate(40, difficulty, seed=3):
        goal = goal_of("⊢" + theorem.statement.rpartition(" : ")[2])
        proved += proved_by_preference(OF_CONTEXT[theorem.context], goal, order, last=False)
    assert (proved > 0) == some


def test_a_preference_proves_what_needs_no_choice() -> None:
    lattice = next(each for each in STRUCTURES if each.lean_name == "Lattice")
    goal = goal_of("⊢ A.rel (A.meet (A.join a a) (A.meet b c)) (A.meet a c)")
    assert proved_by_preference(lattice, goal, ("close", "split", "shrink"), last=True)
    assert not proved_by_preference(lattice, goal, ("close", "split"), last=True)
    assert not proved_by_preference(
        lattice, goal_of("⊢ A.rel a b"), ("close", "split", "shrink", "keep"), False
    )


@pytest.mark.slow
def test_drawing_among_accepted_steps_proves_more(capsys: pytest.CaptureFixture[str]) -> None:
    rates = []
    for words in ([], ["--accepted"]):
        assert main(["generated:relations?size=40&difficulty=0.4", *words]) == 0
        rates.append(float(capsys.readouterr().out.split()[1].rstrip("%")))
    assert rates[1] > rates[0] + 1


def test_another_set_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["logic:test"])
    assert ended.value.code == 2
    assert "expected a theorem of the generator `relations`" in capsys.readouterr().err.splitlines()[-1]
