"""The yardstick: scripts, placeholders, verdicts, cache and command."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from envs_data.automation import SCRIPTS, filled, measure, measuring, shipped, wrong_flags
from envs_data.automation.__main__ import main
from envs_data.automation.cache import add_entries, cache_path, read_entries
from envs_data.automation.scripts import definitions, variables
from lean_gym.backends.registry import results_key
from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem

BEST = "intros; first | omega | simp_all"
INDUCTION = "induction {x1} <;> simp_all [{definitions}]"
TREES = """inductive Tree where
  | leaf : Tree
  | node (l : Tree) (x : Nat) (r : Tree) : Tree

namespace Tree
def size : Tree → Nat
  | leaf => 0
  | node l _ r => l.size + r.size + 1

-- def hidden : Nat := 0
/-- Left and right exchanged. -/
@[simp] def mirror : Tree → Tree
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

end Tree

section
abbrev three : Nat := 3
end

theorem tree_sum (a b : Nat) : a + 1 + b = b + 1 + a := by omega"""
MIRRORED = Theorem("m", "theorem m (t : Tree) : t.mirror.size = t.size", TREES)
# No script proves it: the induction needs its premise generalised.
HARD = Theorem(
    "hard",
    "theorem hard (f g : Nat → Nat) : (∀ n, f (n + 1) = g n) → (∀ n, g n = f n) → ∀ n, f n = f 0",
)
EASY = Theorem("easy", "theorem easy (a b : Nat) : a < b → a + 1 ≤ b")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep results in a folder of the test; the proved library stays in the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(
        measuring, "cache_path", lambda prover, seconds: folder / cache_path(prover, seconds).name
    )
    return folder


def test_the_list_holds_what_every_table_names() -> None:
    assert len(SCRIPTS) == len(set(SCRIPTS)) >= 9
    assert {BEST, INDUCTION, "intros; grind", "intros; aesop", "intros; exact?"} <= set(SCRIPTS)


def test_definitions_are_those_of_the_context() -> None:
    assert definitions(TREES) == ["Tree.size", "Tree.mirror", "three", "tree_sum"]
    assert definitions("") == []
    mutual = "namespace A\nmutual\ndef f : Nat := 0\ndef g : Nat := 1\nend\ndef h : Nat := 2\nend A\ndef k : Nat := 3"
    assert definitions(mutual) == ["A.f", "A.g", "A.h", "k"]
    assert definitions("inductive A where\n  | a : A\n\nvariable (n : Nat)\nopen Nat") == []
    monoid = "structure M (α : Type) where\n  op : α → α → α\n  size : Nat := 3\n  op_comm : ∀ x y, op x y = op y x"
    assert definitions(f"namespace N\n{monoid}\nend N") == ["N.M.op_comm"]
    order = "structure O (α : Type) where\n  f : α → α\n  le : α → α → Prop\n  f_le : ∀ x, le (f x) x"
    assert definitions(order) == ["O.f_le"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("theorem t (a b : Nat) (h : a = b) : a = b", [("a", ()), ("b", ()), ("h", ())]),
        ("theorem t (α : Type) [Mul α] (f : α → α) (p : Prop) {x : α} : x = x", [("x", ())]),
        ("theorem t (h : ∀ n : Nat, n = n) (n : Nat) : n = n", [("n", ())]),
        ("theorem t (l : List Nat) : ∀ acc : Nat, l = l", [("l", ()), ("acc", ("acc",))]),
        ("theorem t : ∀ (f : Nat → Nat) (m : Nat), ∀ k, m = k", [("m", ("f", "m")), ("k", ("f", "m", "k"))]),
        ("theorem t : ∀ x < 3, x = x", []),
        ("theorem t : True", []),
    ],
)
def test_variables_are_read_from_the_statement(statement: str, expected: list[object]) -> None:
    assert variables(statement) == expected


def test_placeholders_are_filled_from_the_theorem() -> None:
    small = Theorem("t", "theorem t (a : Nat) : ∀ b, two = a + b", "def two : Nat := 2")
    assert filled(INDUCTION, small) == "induction a <;> simp_all [two]"
    assert filled(INDUCTION.replace("x1", "x2"), small) == "intro b; induction b <;> simp_all [two]"
    assert filled(INDUCTION.replace("x1", "x3"), small) is None
    plain = Theorem("t", "theorem t (a : Nat) : a = a")
    assert filled(INDUCTION, plain) == "induction a <;> simp_all"
    assert filled("intros; simp [*]", plain) == "intros; simp [*]"
    pair = Theorem("t", "theorem t : one = two", "def one : Nat := 1\ndef two : Nat := 2")
    assert filled("repeat (first | {rewrites})", pair) == "repeat (first | rw [one] | rw [two])"
    assert filled("repeat (first | {rewrites backwards})", pair) == "repeat (first | rw [two] | rw [one])"
    assert filled("repeat (first | {rewrites})", plain) is None


def test_only_verified_proofs_count() -> None:
    closed = Theorem("closed", "theorem closed : 1 + 1 = 2")
    measured = measure([EASY, HARD, MIRRORED, closed], workers=0)
    assert measured.proved["intros; omega"] == {"easy", "closed"}
    assert measured.proved["intros; grind"] == {"easy", "closed"}
    assert measured.proved["intros; aesop"] == frozenset()
    assert "m" in measured.proved[f"{INDUCTION} <;> omega"]
    assert "m" not in measured.proved[BEST]
    assert measured.proved_by_any == {"easy", "m", "closed"}
    assert measured.any == pytest.approx(3 / 4)
    assert measured.best == pytest.approx(2 / 4)
    assert (measured.out_of_time, measured.unusable) == (0, {})


def test_a_prover_that_rejects_proofs_proves_nothing() -> None:
    """The toy prover closes `True` by `trivial`, but then reports a `sorry`."""
    theorem = Theorem("t", "theorem t : True")
    assert measure([theorem], "fake", workers=0).any == 0.0


def test_a_statement_that_does_not_elaborate_is_counted_and_named() -> None:
    measured = measure([EASY, Theorem("bad", "theorem bad : 1 + true = 2")], workers=0)
    assert measured.any == 0.5
    assert list(measured.unusable) == ["bad"]
    again = measure([EASY, Theorem("bad", "theorem bad : 1 + true = 2")], workers=0)
    assert again == measured


def test_workers_do_not_change_the_result() -> None:
    theorems = load_theorems("logic")[:6]
    assert measure(theorems, workers=2, fresh=True) == measure(theorems, workers=0, fresh=True)


def test_the_second_time_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    first = measure([EASY, HARD], workers=0)
    monkeypatch.setattr(measuring, "create_pool", lambda *_, **__: pytest.fail("a script was tried again"))
    assert measure([HARD, EASY], workers=0) == first
    with pytest.raises(pytest.fail.Exception):
        measure([EASY], workers=0, fresh=True)
    with pytest.raises(pytest.fail.Exception):
        measure([EASY], workers=0, seconds=3.0)
    with pytest.raises(pytest.fail.Exception):
        measure([Theorem("easy", EASY.statement, "def a := 1")], workers=0)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"entries": {"k": "1"}, "sha256": ""}', "\x00\x01"])
def test_a_damaged_cache_is_measured_anew(damage: str, own_cache: Path) -> None:
    first = measure([EASY], workers=0)
    [path] = own_cache.iterdir()
    path.write_text(damage, encoding="utf-8")
    assert read_entries(path) == {}
    assert measure([EASY], workers=0) == first
    assert len(read_entries(path)) == 1


def test_a_changed_letter_is_damage(own_cache: Path) -> None:
    measure([HARD], workers=0)
    [path] = own_cache.iterdir()
    content = json.loads(path.read_text(encoding="utf-8"))
    [(key, letters)] = content["entries"].items()
    content["entries"][key] = letters.replace("0", "1")
    path.write_text(json.dumps(content), encoding="utf-8")
    assert measure([HARD], workers=0).any == 0.0


def test_shipped_results_spare_a_first_run_its_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "create_pool", lambda *_, **__: pytest.fail("a script was tried"))
    theorems = [theorem for name in shipped.SETS for theorem in load_theorems(name)]
    measured = measure(theorems)
    assert measured.theorems == len(theorems)
    assert wrong_flags(theorems, measured) == []
    for other in ({"fresh": True}, {"seconds": 3.0}, {"backend_options": {"ignore_imports": True}}):
        with pytest.raises(pytest.fail.Exception):
            measure(theorems[:1], **other)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_shipped_results_are_what_the_scripts_prove(count: int | None) -> None:
    theorems = [theorem for name in shipped.SETS for theorem in load_theorems(name)][::75]
    theorems = random.sample(theorems, count or len(theorems))  # others in each run
    recalled = measure(theorems)
    # The limit is for safety, and a slow machine must not meet it.
    assert measure(theorems, fresh=True, seconds=60.0) == recalled


def test_the_shipped_file_is_made_from_new_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "shipped.json"
    monkeypatch.setattr(measuring, "SHIPPED", file)
    true = measure([EASY, HARD], workers=0)
    [(key, entry)] = measuring.results_of([HARD]).items()
    add_entries(file, {key: "1" * len(entry), "of a theorem that is gone": entry})
    assert shipped.write([EASY, HARD], file) == 2
    assert read_entries(file)[key] == entry
    assert measure([EASY, HARD], workers=0) == true


def test_results_are_kept_for_minilean_alone() -> None:
    assert results_key("minilean", {}) == results_key("minilean", {}) is not None
    assert results_key("fake", {}) is results_key("auto", {"repl_command": ["lean"]}) is None


def test_an_interruption_keeps_what_is_done() -> None:
    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure([EASY, HARD], workers=0, on_theorem=stop)
    seen: list[int] = []
    measure([EASY, HARD], workers=0, on_theorem=seen.append)
    assert seen == [2]


def rows(path: Path, *theorems: Theorem) -> str:
    lines = [
        json.dumps({"name": t.name, "statement": t.statement, "context": t.context, "split": "test"})
        for t in theorems
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = rows(tmp_path / "one.jsonl", EASY), rows(tmp_path / "two.jsonl", HARD)
    assert main([f"{one},{two}", "--workers", "0"]) == 0
    output = capsys.readouterr()
    assert "2 theorems, one attempt of each script" in output.out
    assert f"  50.0%  {BEST}" in output.out
    assert "best single script: 50.0%" in output.out
    assert "any script: 50.0%" in output.out
    assert output.out.count("\n") == len(SCRIPTS) + 3
    assert "2/2 theorems" in output.err


def test_the_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([rows(tmp_path / "set.jsonl", EASY, HARD), "--workers", "0", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["theorems"], figures["best"], figures["any"]) == (2, 0.5, 0.5)
    assert list(figures["scripts"]) == list(SCRIPTS)


def test_the_command_writes_the_flags(tmp_path: Path) -> None:
    source, target = rows(tmp_path / "set.jsonl", EASY, HARD), tmp_path / "out.jsonl"
    assert main([source, "--workers", "0", "--write", str(target)]) == 0
    written = load_theorems(target)
    assert [(t.name, t.automation, t.split) for t in written] == [
        ("easy", True, "test"),
        ("hard", False, "test"),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "out.jsonl", "set.jsonl"]
    assert wrong_flags(written, measure(written, workers=0)) == []
    lying = [Theorem("easy", EASY.statement, automation=False), Theorem("hard", HARD.statement)]
    assert wrong_flags(lying, measure(lying, workers=0)) == lying[:1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["logik"], "did you mean 'logic'?"),
        (["logic", "logic:test"], "field 'name'"),
        (["logic", "--backend", "minilaen"], "did you mean 'minilean'?"),
        (["logic", "--seconds", "-1"], "got '-1', expected a number of seconds above 0"),
        (["logic", "--backend-options", "[1]"], "got '[1]', expected a JSON object"),
        (["logic", "--workers", "x"], "got 'x', expected a number of processes"),
        ([","], "expected at least one theorem"),
        ([], "required: SET"),
        (["logic", "--fast"], "--fast"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_file_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = rows(tmp_path / "set.jsonl", EASY)
    assert main([source, "--workers", "0", "--write", str(tmp_path / "no" / "out.jsonl")]) == 2
    assert "--write: cannot write" in capsys.readouterr().err


def test_a_prover_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([rows(tmp_path / "set.jsonl", EASY), "--backend", "pantograph", "--workers", "0"]) == 1
    assert capsys.readouterr().err.startswith("python -m envs_data.automation: backend 'pantograph' failed: ")
