"""The generators by name: every theorem is proved, the dial does something, answers are scored by the prover."""

from __future__ import annotations

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets import create_dataset, generator_names, load_theorems, proof_steps
from lean_gym.datasets.generators.base import (
    MAX_FRUITLESS_DRAWS,
    TOLERANCE,
    Draw,
    Generator,
    measure_difficulty,
    take,
)
from lean_gym.datasets.generators.procedural import iterate_theorems
from lean_gym.errors import DataError
from lean_gym.types import ProofBackend
from lean_gym.verification.verify import verify_script
from trainers.curriculum.theorems import load_sets

GENERATORS = generator_names()
AUTOMATION = "intros; exact?"
DIALS = [(0.05, 0), (0.2, 1), (0.4, 2), (0.7, 3), (1.0, 4)]


@pytest.fixture(scope="module")
def backend() -> ProofBackend:
    return create_backend("minilean")


def test_the_generators() -> None:
    assert {"first_order", "inductive_predicates", "propositional"} <= set(GENERATORS)


# The propositional prover takes minutes for the longest proofs.
@pytest.mark.parametrize("count", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "difficulty", "seed"),
    [(name, *dial) for name in GENERATORS for dial in DIALS if name != "propositional" or dial[0] < 0.6],
)
def test_every_theorem_is_proved_and_as_difficult_as_asked(
    name: str, difficulty: float, seed: int, count: int, backend: ProofBackend
) -> None:
    for theorem in take(iterate_theorems(name, difficulty, seed), count):
        # What a proof of `algebra` leaves to unification counts as if it were named.
        own = measure_difficulty(theorem.proof)
        assert theorem.difficulty >= own if name == "algebra" else theorem.difficulty == own
        assert abs(theorem.difficulty - difficulty) <= TOLERANCE
        verdict = verify_script(backend, theorem, proof_steps(theorem.proof))
        assert verdict.proved, f"{theorem.context}\n{theorem.statement}\n{theorem.proof}\n{verdict.reason}"
        assert not verify_script(backend, theorem, proof_steps(theorem.proof)[:-1]).proved


@pytest.mark.parametrize("name", ["first_order", "inductive_predicates"])
def test_automation_proves_fewer_of_the_difficult_ones(name: str, backend: ProofBackend) -> None:
    easy, hard = (
        sum(
            verify_script(backend, theorem, [AUTOMATION]).proved
            for theorem in take(iterate_theorems(name, difficulty, 6), 16)
        )
        for difficulty in (0.05, 0.5)
    )
    assert easy >= hard + 2


@pytest.mark.parametrize("name", GENERATORS)
def test_seed_and_difficulty_decide(name: str) -> None:
    first = take(iterate_theorems(name, 0.25, 3), 6)
    assert first == take(iterate_theorems(name, 0.25, 3), 8)[:6]
    assert {theorem.statement for theorem in first} != {
        theorem.statement for theorem in take(iterate_theorems(name, 0.25, 4), 6)
    }
    # Names differ over difficulty and seed, so that draws can be joined.
    joined = [*first, *take(iterate_theorems(name, 0.35, 3), 6), *take(iterate_theorems(name, 0.25, 5), 6)]
    assert load_theorems(joined) == joined


@pytest.mark.parametrize("name", GENERATORS)
def test_no_theorem_occurs_twice(name: str) -> None:
    theorems = take(iterate_theorems(name, 0.2, 0), 80)
    assert len({(theorem.context, theorem.statement.partition(" : ")[2]) for theorem in theorems}) == 80
    assert len({theorem.name for theorem in theorems}) == 80


def test_an_exhausted_generator_says_so() -> None:
    draws = 0

    def draw(rng: object, difficulty: float) -> Draw:
        nonlocal draws
        draws += 1
        return Draw(": True", "trivial\nskip\nskip", "truth")

    theorems = Generator("truth", draw).iterate(0.05, 0)
    assert next(theorems).statement == "theorem truth_5_0_1 : True"
    with pytest.raises(
        ValueError, match=r"^truth: no new theorem of difficulty 0.05 in \d+ draws after 1 theorems; ask"
    ):
        next(theorems)
    assert draws == MAX_FRUITLESS_DRAWS + 1


@pytest.mark.parametrize("name", GENERATORS)
def test_a_dataset_is_a_sequence_of_questions(name: str) -> None:
    with create_dataset(name, size=4, seed=2, difficulty=0.2) as dataset:
        assert len(dataset) == 4
        entries = list(dataset)
        assert entries == [dataset[index] for index in range(4)]
        assert dataset[-1] == entries[3]
        # The last item alone, from a larger dataset: only name, seed, options and index matter.
        assert create_dataset(name, size=9, seed=2, difficulty=0.2)[3] == entries[3]
        for index, entry in enumerate(entries):
            row = entry["metadata"]["theorem"]
            assert entry["metadata"]["source_dataset"] == name
            assert entry["metadata"]["source_index"] == index
            assert abs(entry["metadata"]["difficulty"] - 0.2) <= TOLERANCE
            assert row["statement"] in entry["question"]
            assert row["context"] in entry["question"]
            assert entry["answer"] not in entry["question"]
            assert dataset.score_answer(entry["answer"], entry) == 1.0
        with pytest.raises(IndexError, match="index 4 is out of range for 4 items"):
            dataset[4]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        " \n\n",
        "sorry",
        "exact sorry",
        "intros\nsorry",
        "admit",
        "the proof is left to the reader",
        "exact True.intro",
        "theorem other : True := trivial",
        "trivial\ntheorem other : True := by\n  trivial",
        "axiom cheat : False\nexact cheat.elim",
        "native_decide",
        "⟨" * 5_000,
        "intro h\n" * 2_000,
        "(" * 30_000,
        "\x00\ud800",
        "```lean\n#eval 1\n```",
    ],
)
def test_what_is_no_proof_earns_nothing(answer: str | None) -> None:
    with create_dataset("first_order", size=2, seed=1) as dataset:
        assert dataset.score_answer(answer, dataset[0]) == 0.0
        assert dataset.score_answer(dataset[0]["answer"], dataset[0]) == 1.0


def test_the_proof_of_another_entry_earns_nothing() -> None:
    with create_dataset("inductive_predicates", size=6, seed=1) as dataset:
        first = dataset[0]
        others = [entry for entry in dataset if entry["answer"] != first["answer"]]
        assert others
        assert [dataset.score_answer(entry["answer"], first) for entry in others] == [0.0] * len(others)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "firstorder"}, "^unknown generator 'firstorder'; did you mean 'first_order'"),
        (
            {"name": "first_order", "dificulty": 0.2},
            "^unknown option of first_order 'dificulty'; did you mean 'difficulty'",
        ),
        ({"name": "first_order", "size": 0}, "^size: got 0, expected 1 or more"),
        ({"name": "first_order", "seed": -1}, "^seed must be 0 or more, got -1"),
        (
            {"name": "first_order", "difficulty": float("nan")},
            r"^difficulty must lie in \[0.05, 1.0\], got nan",
        ),
    ],
)
def test_unusable_arguments_are_one_clear_line(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        create_dataset(**arguments)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_generator_is_a_theorem_set_by_name() -> None:
    theorems = load_theorems("generated:first_order?size=5&difficulty=0.2&seed=7")
    assert theorems == take(iterate_theorems("first_order", 0.2, 7), 5)
    assert load_theorems("generated:first_order?size=3") == take(iterate_theorems("first_order", 0.3, 0), 3)
    # In the trainers commas separate sets.
    both = load_sets("generated:first_order?size=2,generated:inductive_predicates?size=3&difficulty=0.1")
    assert [theorem.domain for theorem in both] == ["first_order"] * 2 + ["inductive_predicates"] * 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("generated:logik", "^generated:logik: unknown generator 'logik' "),
        ("generated:first_order?sze=3", "unknown option 'sze'; did you mean 'size'"),
        ("generated:first_order?size=many", "size: got 'many', expected a number; e.g. size=500"),
        ("generated:first_order?size=0", "size: got 0, expected 1 or more"),
        ("generated:first_order?size=3&size=4", "size: got it more than once, expected one value"),
        ("generated:first_order?difficulty=7", r"difficulty must lie in \[0.05, 1.0\], got 7.0"),
    ],
)
def test_unusable_sources_are_one_clear_line(source: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load_theorems(source)
    assert "\n" not in str(caught.value)
