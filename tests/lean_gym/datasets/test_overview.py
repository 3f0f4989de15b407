"""The list of theorem sets and generators: figures, cards, samples, and the program around them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.datasets import generator_names, load_theorems, proof_steps, set_names, write_jsonl
from lean_gym.datasets.__main__ import main
from lean_gym.datasets.overview import card, sample, set_overview, source_names
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

ROOT = Path(__file__).resolve().parents[3]


def test_every_source_is_listed_and_can_be_loaded() -> None:
    names = source_names()
    assert set(set_names()) < set(names)
    assert {f"generated:{name}" for name in generator_names()} < set(names)
    assert "core_random" in names
    assert len(names) == len(set(names)) == len(set_names()) + len(generator_names()) + 1


@pytest.mark.parametrize("name", source_names())
def test_every_source_has_a_card_and_a_sample_with_a_proof(name: str) -> None:
    assert card(name)
    theorem = sample(name)
    backend = MinileanBackend()
    assert verify_script(backend, theorem, proof_steps(theorem.proof or "")).proved


def test_the_figures_are_those_of_the_rows() -> None:
    found, rows = set_overview("logic"), load_theorems("logic")
    assert found.theorems == Counter(row.split for row in rows) == {"train": 241, "test": 81}
    assert found.domains == ("classical", "equality", "predicate", "propositional")
    proved = sum(row.automation is True for row in rows if row.split == "test")
    assert found.automation["test"] == proved / 81


def test_a_share_needs_every_flag(tmp_path: Path) -> None:
    rows = [
        Theorem("a", "theorem a : True", split="test", automation=True),
        Theorem("b", "theorem b : True", split="test", automation=False),
        Theorem("c", "theorem c : True", split="train", automation=True),
        Theorem("d", "theorem d : True", split="train"),
        Theorem("e", "theorem e : True"),
    ]
    write_jsonl(tmp_path / "set.jsonl", rows)
    found = set_overview(str(tmp_path / "set.jsonl"))
    assert found.theorems == {"test": 2, "train": 2, "all": 1}
    assert found.automation == {"test": 0.5, "train": None, "all": None}


def test_a_card_of_nothing() -> None:
    with pytest.raises(DataError, match="unknown theorem set 'logik'; did you mean 'logic'"):
        card("logik")
    with pytest.raises(ValueError, match="unknown generator 'algebr'; did you mean 'algebra'"):
        card("generated:algebr")


def test_the_list_is_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 140
    for name in source_names():
        assert sum(line.split()[:1] == [name] for line in lines) == 1
    assert any(line.split()[:5] == ["logic", "train", "241,", "test", "81"] for line in lines)
    assert any(line.startswith("core ") and "test 53%" in line for line in lines)


def test_a_set_is_shown_with_its_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "logic"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# logic\n")
    assert "\n## Sample\n\ntheorem prop_identity (p : Prop) : p → p := by\n  intros\n" in shown


def test_a_generator_is_shown_by_its_short_name_where_no_set_has_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--show", "first_order", "--json"]) == 0
    short = json.loads(capsys.readouterr().out)
    assert main(["--show", "generated:first_order", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == short
    assert short["sample"]["name"].startswith("first_order_20_0_1")
    assert main(["--show", "algebra", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["theorems"] == {"train": 4597, "test": 227}
    assert main(["--show", "generated:algebra?difficulty=0.1&size=1&seed=3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sample"]["name"] == "algebra_10_3_1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("logik", "unknown theorem set or generator 'logik'; did you mean 'logic'?"),
        (
            "generated:algbra",
            "unknown theorem set or generator 'generated:algbra'; did you mean 'generated:algebra'?",
        ),
        ("frist_order", "unknown theorem set or generator 'frist_order'; did you mean 'first_order'?"),
        ("generated:algebra?seed=x", "generated:algebra?seed=x: seed: got 'x', expected a number"),
    ],
)
def test_a_wrong_name_is_one_line(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", name]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {message}")
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_the_program() -> None:
    command = [sys.executable, "-m", "lean_gym.datasets", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [each["name"] for each in found["sets"]] == [*set_names(), "core_random"]
    assert list(found["generators"]) == [f"generated:{name}" for name in generator_names()]
