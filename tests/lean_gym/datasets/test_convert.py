import io
import json
import sys

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, read_jsonl
from lean_gym.datasets.convert import OutputFiles, StartChecker, convert, main, read_source
from lean_gym.errors import BackendCrashed, DataError

FILES = {
    "lean-toolchain": "leanprover/lean4:v4.24.0",
    "MiniF2F/Test.lean": "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by sorry\n\n"
    "theorem unknown : not_a_name = 1 := by sorry\n\n"
    "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by sorry\n",
    "MiniF2F/Valid.lean": "abbrev x_solution : Nat := sorry\n-- 2\ntheorem x : x_solution = 2 := by sorry\n\n"
    "abbrev y_solution : Nat := sorry\ntheorem y : y_solution = 2 := by sorry\n",
}


@pytest.fixture
def source(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return f"minif2f:{tmp_path / 'bench'}"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_checked_conversion(source, tmp_path, capsys):
    out = tmp_path / "new" / "out.jsonl"
    assert main([source, str(out), "--check", "--backend", "minilean"]) == 0
    theorems = read_jsonl(out)
    assert [theorem.name for theorem in theorems] == ["both", "swap", "x"]
    assert theorems[2].context == "abbrev x_solution : Nat := 2"
    unusable = {row["name"]: row["message"] for row in lines(tmp_path / "new" / "out.failures.jsonl")}
    assert set(unusable) == {"unknown", "y"}
    assert "not_a_name" in unusable["unknown"]
    assert "says `sorry`" in unusable["y"]
    card = json.loads((tmp_path / "new" / "out.card.json").read_text())
    assert card["settings"]["checked_on"] == "minilean"
    assert (card["theorems"], card["failures"], card["splits"]) == (3, 2, {"test": 2, "valid": 1})
    assert card["lean_versions"] == ["4.24.0"]
    printed = capsys.readouterr()
    assert "3 theorems (test 2, valid 1); each starts as one goal on minilean" in printed.out
    assert "written for Lean 4.24.0, Mathlib unknown" in printed.out
    assert "4/4 theorems, 2 failures" in printed.err


def test_without_check_nothing_is_started(source, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    assert main([source, str(out), "--split", "test"]) == 0
    assert [theorem.name for theorem in read_jsonl(out)] == ["both", "unknown", "swap"]
    assert "not checked: --check starts each one" in capsys.readouterr().out


class Interrupted:
    """Checks as a given function does, and is interrupted at a theorem."""

    def __init__(self, at):
        self.at = at
        self.asked = []

    def __call__(self, theorem):
        if theorem.name == self.at:
            raise KeyboardInterrupt
        self.asked.append(theorem.name)
        return "no" if theorem.name == "both" else ""


def test_an_interrupted_conversion_goes_on(source, tmp_path):
    found = read_source(source, None, "random", None)
    files = OutputFiles.at(str(tmp_path / "out.jsonl"))
    first = Interrupted("swap")
    with pytest.raises(KeyboardInterrupt):
        convert(found, files, {"a": 1}, first, io.StringIO())
    assert first.asked == ["both", "unknown"]
    with files.rows.open("a") as cut_off:
        cut_off.write('{"name": "sw')
    second = Interrupted(None)
    counts = convert(found, files, {"a": 1}, second, io.StringIO())
    assert second.asked == ["swap", "x"]
    assert (counts["theorems"], counts["failures"]) == (3, 2)
    assert [row["name"] for row in lines(files.rows)] == ["unknown", "swap", "x"]
    assert [row["name"] for row in lines(files.failures)] == ["y", "both"]
    # A finished one has nothing left to ask.
    third = Interrupted(None)
    assert convert(found, files, {"a": 1}, third, io.StringIO()) == counts
    assert third.asked == []


def test_files_of_other_settings_or_content_are_refused(source, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    assert main([source, str(out)]) == 0
    assert main([source, str(out), "--check", "--backend", "minilean"]) == 2
    assert "delete it and out.jsonl, or give another OUT" in capsys.readouterr().err
    test_file = tmp_path / "bench" / "MiniF2F" / "Test.lean"
    test_file.write_text(test_file.read_text().replace("q ∧ p :=", "p ∧ q :="))
    assert main([source, str(out)]) == 2
    assert "holds another 'swap'" in capsys.readouterr().err
    (tmp_path / "out.card.json").unlink()
    assert main([source, str(out)]) == 2
    assert "exists and has no out.card.json" in capsys.readouterr().err


class Dying:
    """A prover that dies on one theorem."""

    made = 0

    def __init__(self):
        Dying.made += 1
        self._inner = create_backend("minilean")
        self.name = "dying"

    def start(self, theorem):
        if theorem.name == "both":
            raise BackendCrashed("it is gone")
        return self._inner.start(theorem)

    def release(self, states):
        self._inner.release(states)

    def close(self):
        self._inner.close()


def test_a_theorem_that_kills_the_prover_twice_is_a_failure(source, tmp_path):
    Dying.made = 0
    checker = StartChecker(Dying)
    files = OutputFiles.at(str(tmp_path / "out.jsonl"))
    convert(read_source(source, "test", "random", None), files, {}, checker, io.StringIO())
    checker.close()
    assert Dying.made == 3
    assert {row["name"]: row["message"] for row in lines(files.failures)}["both"] == (
        "the prover failed on it twice: it is gone"
    )
    assert [row["name"] for row in lines(files.rows)] == ["swap"]


def test_any_set_can_be_checked(tmp_path, monkeypatch):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"name": "a", "statement": "theorem a : True", "split": "test"}\n')
    assert main([f"{path}:test", str(tmp_path / "out.jsonl"), "--check", "--backend", "minilean"]) == 0
    assert load_theorems(tmp_path / "out.jsonl") == load_theorems(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logic", "out.txt"], "OUT: got 'out.txt', expected a path that ends in .jsonl"),
        (["minif2f:/no/such/place", "out.jsonl"], "does not exist"),
        (
            ["logic", "out.jsonl", "--checkout", "x"],
            "--checkout: only leandojo sources take one, got 'logic'",
        ),
        (["logic", "out.jsonl", "--check", "--backend", "minilaen"], "did you mean 'minilean'"),
        (
            ["logic", "out.jsonl", "--check", "--backend", "minilean", "--project", "x"],
            "unknown option of backend 'minilean': 'project_path'",
        ),
    ],
)
def test_bad_usage_is_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_nothing_usable_is_status_one(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"name": "a"}\n')
    assert main([f"minif2f:{path}", str(tmp_path / "out.jsonl")]) == 1


def test_a_repl_checks_through_its_protocol(source, tmp_path):
    command = [sys.executable, "-m", "minilean", "repl"]
    backend = StartChecker(
        lambda: create_backend(
            "pantograph", verify="replay", repl_command=command, imports=["Init"], sandbox="off"
        )
    )
    files = OutputFiles.at(str(tmp_path / "out.jsonl"))
    try:
        convert(read_source(source, None, "random", None), files, {}, backend, io.StringIO())
    finally:
        backend.close()
    assert [row["name"] for row in lines(files.rows)] == ["both", "swap", "x"]


def test_other_endings_are_refused():
    with pytest.raises(DataError, match=r"expected a path that ends in \.jsonl"):
        OutputFiles.at("set.json")
