"""The data set of the sample project: LeanDojo's files, rows, positions and premises."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from lean_gym.datasets.formats.leandojo import leandojo_problems
from lean_gym.datasets.formats.leandojo_steps import TracedTheorem, read_corpus, read_traced_theorems
from lean_gym.datasets.formats.problems import FoundStatement
from lean_gym.errors import DataError
from lean_gym.tracing.layout import Corpus, split_by_premise, split_randomly
from lean_gym.tracing.records import FileRecord, PremiseRecord

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(scope="module")
def theorems(traced: Path) -> dict[str, TracedTheorem]:
    return {theorem.full_name: theorem for theorem in read_traced_theorems(traced)}


def piece(path: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Cut a file at positions that an editor shows: lines and columns from 1, the end excluded."""
    lines = (SAMPLE / path).read_text("utf-8").split("\n")[start[0] - 1 : end[0]]
    lines[-1] = lines[-1][: end[1] - 1]
    lines[0] = lines[0][start[1] - 1 :]
    return "\n".join(lines)


def test_the_files_are_those_of_leandojo(traced: Path) -> None:
    parts = [
        f"{name}/{part}.json" for name in ("random", "novel_premises") for part in ("train", "val", "test")
    ]
    for name in ["corpus.jsonl", "traced_files.jsonl", "metadata.json", *parts]:
        assert (traced / name).is_file(), name
    traced_files = [json.loads(line) for line in (traced / "traced_files.jsonl").read_text().splitlines()]
    order = [row["traced_file_path"] for row in traced_files]
    assert sorted(order) == ["Sample.lean", "Sample/Basic.lean", "Sample/More.lean", "Sample/Side.lean"]
    assert order[0] == "Sample/Basic.lean" and order[-1] == "Sample.lean"


def test_metadata_counts(traced: Path) -> None:
    metadata = json.loads((traced / "metadata.json").read_text())
    assert metadata["backend"] == "minilean" and not metadata["interrupted"]
    assert {row["status"] for row in metadata["files"]} == {"traced"}
    assert metadata["counts"]["theorems"] == 9
    assert metadata["counts"]["theorems_with_sorry"] == 1


def test_the_corpus_has_imports_before_importers_and_the_library(traced: Path) -> None:
    seen: set[str] = set()
    corpus = read_corpus(traced)
    for file in corpus:
        assert set(file.imports) <= seen, file.path
        seen.add(file.path)
    own = {
        premise.full_name: premise
        for file in corpus
        if file.path == "Sample/Basic.lean"
        for premise in file.premises
    }
    kinds = {name: premise.kind for name, premise in own.items()}
    assert kinds == {
        "Sample.double": "def",
        "Sample.double_zero": "theorem",
        "Sample.double_eq": "theorem",
        "Sample.Twos": "inductive",
        "Sample.Twos.nil": "constructor",
        "Sample.Twos.cons": "constructor",
        "Sample.Pair": "structure",
        "Sample.Pair.mk": "constructor",
        "Sample.Pair.first": "field",
        "Sample.Pair.second": "field",
    }
    assert own["Sample.double_eq"].code == "theorem double_eq (n : Nat) : ⟪n⟫ = 2 * n"
    assert own["Sample.Twos"].code.startswith("inductive Twos")
    assert any(premise.full_name == "Nat.add_comm" for file in corpus for premise in file.premises)


def test_positions_are_those_of_an_editor(theorems: dict[str, TracedTheorem]) -> None:
    for theorem in theorems.values():
        text = piece(theorem.file_path, theorem.start, theorem.end)
        short = theorem.full_name.removeprefix("Sample.")
        assert re.match(rf"(?:@\[simp\] )?theorem {short}\b", text), text
        assert text.rstrip() == text
        for step in theorem.steps:
            for premise in step.premises:
                if not premise.path.startswith("minilean/"):
                    declared = piece(premise.path, premise.start, premise.end)
                    assert premise.full_name.rpartition(".")[2] in declared


def test_premises_are_constants_in_the_order_of_the_marks(
    traced: Path, theorems: dict[str, TracedTheorem]
) -> None:
    steps = {step.tactic: step for step in theorems["Sample.double_add"].steps}
    rewrite = steps["rw [double_eq, double_eq, double_eq]"]
    assert [premise.full_name for premise in rewrite.premises] == ["Sample.double_eq"]
    assert rewrite.premises[0].path == "Sample/Basic.lean"
    unfold = theorems["Sample.double_eq"].steps[0]
    assert (unfold.tactic, unfold.used) == ("unfold double", ("Sample.double",))
    for part in ("train", "val", "test"):
        for row in json.loads((traced / "random" / f"{part}.json").read_text()):
            for step in row["traced_tactics"]:
                text, places = step["annotated_tactic"]
                assert text.count("<a>") == text.count("</a>") == len(places)
                assert text.replace("<a>", "").replace("</a>", "") == step["tactic"]
                names = [place["full_name"].split(".")[-1] for place in places]
                assert names == [mark.split(".")[-1] for mark in re.findall("<a>(.*?)</a>", text)]


def test_a_lemma_that_simp_finds_is_a_premise_of_the_term(theorems: dict[str, TracedTheorem]) -> None:
    simp = theorems["right"].steps[0]
    assert simp.tactic == "simp at h" and simp.premises == ()
    assert "Nat.zero_add" in simp.used


def test_goals_before_and_after(theorems: dict[str, TracedTheorem]) -> None:
    first, second = theorems["Sample.double_eq"].steps
    assert first.state == "n : Nat\n⊢ ⟪n⟫ = 2 * n"
    assert first.state_after == second.state == "n : Nat\n⊢ n + n = 2 * n"
    assert second.state_after == "no goals"


def test_bullets_are_left_out_and_the_tactics_in_them_are_not(theorems: dict[str, TracedTheorem]) -> None:
    steps = theorems["Sample.both"].steps
    assert [step.tactic for step in steps] == ["constructor", "exact hp", "exact hq"]
    assert steps[0].state_after.count("⊢") == 2 and steps[1].state.count("⊢") == 1


def test_the_parts_of_an_induction_are_steps_too(theorems: dict[str, TracedTheorem]) -> None:
    tactics = [step.tactic for step in theorems["Sample.length_map_id"].steps]
    assert tactics[0].startswith("induction l with\n| nil => rfl\n| cons a l ih =>\n  simp")
    assert tactics[1:] == ["rfl", "simp [List.map_cons]"]


def test_a_gap_is_marked_and_no_step(theorems: dict[str, TracedTheorem]) -> None:
    gap = theorems["Sample.double_inj"]
    assert gap.has_sorry and gap.steps == ()
    assert not theorems["three"].has_sorry  # what it uses has one


def test_problems_of_the_older_reader(traced: Path) -> None:
    problems = {problem.name: problem for problem in leandojo_problems(traced, "random", None)}
    added = problems["Sample.double_add"]
    assert isinstance(added, FoundStatement)
    assert added.proof == "rw [double_eq, double_eq, double_eq]\nomega"
    assert added.imports == ("Init", "Sample.Basic")


def rows(count: int) -> list[dict[str, Any]]:
    draw = random.Random(1)
    found = []
    for number in range(count):
        names = draw.sample(range(30), draw.choice((0, 1, 2, 3)))
        places = [{"full_name": f"p{name}"} for name in names]
        found.append({"full_name": f"t{number}", "traced_tactics": [{"annotated_tactic": ["", places]}]})
    return found


def names_in(theorems: list[dict[str, Any]]) -> set[str]:
    return {
        place["full_name"]
        for theorem in theorems
        for step in theorem["traced_tactics"]
        for place in step["annotated_tactic"][1]
    }


def test_a_split_has_each_theorem_once() -> None:
    everything = rows(100)
    for split in (split_randomly, split_by_premise):
        parts = split(everything)
        assert sorted(row["full_name"] for part in parts for row in part) == sorted(
            row["full_name"] for row in everything
        )
        assert split(everything) == parts
        assert [len(part) for part in split_randomly(everything)] == [60, 20, 20]


def test_what_is_held_out_by_premise_uses_a_premise_that_train_does_not() -> None:
    train, val, test = split_by_premise(rows(100))
    known = names_in(train)
    using = [row for row in [*val, *test] if names_in([row])]
    assert len(using) >= 20
    assert all(names_in([row]) - known for row in using)


def test_reading_tells_what_is_wrong(tmp_path: Path, traced: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_corpus(tmp_path)
    with pytest.raises(DataError, match="train"):
        read_traced_theorems(traced, part="trian")
    (tmp_path / "corpus.jsonl").write_text('{"path": "A.lean"}\n')
    with pytest.raises(DataError, match="line 1: expected an object"):
        read_corpus(tmp_path)
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "train.json").write_text('[{"full_name": "a"}]')
    with pytest.raises(DataError, match="row 0"):
        read_traced_theorems(tmp_path, part="train")


def test_a_file_means_its_own_private_name() -> None:
    premise = PremiseRecord("x", "private theorem x : True", (1, 1), (1, 9), "theorem")
    files = [
        FileRecord("A.lean", "A", (), "", (premise,)),
        FileRecord("B.lean", "B", ("A.lean",), "", (premise,)),
    ]
    corpus = Corpus(files)
    assert [corpus.find("x", path) for path in ("A.lean", "B.lean")] == [
        ("A.lean", premise),
        ("B.lean", premise),
    ]
