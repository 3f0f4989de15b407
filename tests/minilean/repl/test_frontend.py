"""`frontend.process` and `frontend.distil`. Literal answers are Pantograph's own (0.3.15) where it has such a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minilean.repl import server


def messages(unit: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    return [(m["severity"], m["data"], m["pos"]["line"], m["pos"]["column"]) for m in unit["messages"]]


def test_a_good_file_has_no_messages(repl: Any) -> None:
    text = "example : ∀ (p q: Prop), p → p ∨ q := by\n  intro p q h\n  exact Or.inl h"
    assert repl("frontend.process", file=text) == {
        "units": [{"boundary": [0, len(text.encode())], "messages": []}]
    }


def test_invocations_go_to_a_file(repl: Any, tmp_path: Path) -> None:
    text = "example : ∀ (p q: Prop), p → p ∨ q := by\n  intro p q h\n  exact Or.inl h"
    path = tmp_path / "invocations.json"
    answer = repl("frontend.process", file=text, invocations=str(path))
    assert answer["units"][0]["nInvocations"] == 2
    goal = "p q : Prop\nh : p\n⊢ p ∨ q"
    first = {
        "goalBefore": "⊢ ∀ (p q : Prop), p → p ∨ q",
        "goalAfter": goal,
        "tactic": "intro p q h",
        "usedConstants": [],
    }
    second = {"goalBefore": goal, "goalAfter": "", "tactic": "exact Or.inl h", "usedConstants": ["Or.inl"]}
    assert json.loads(path.read_text("utf-8")) == {"units": [{"invocations": [first, second]}]}


def test_invocations_inside_blocks_are_listed_after_the_tactic_around_them(repl: Any, tmp_path: Path) -> None:
    text = (
        "theorem t (p q : Prop) (h : p ∨ q) : q ∨ p := by\n"
        "  cases h with\n  | inl hp => right; exact hp\n  | inr hq => left; exact hq"
    )
    path = tmp_path / "invocations.json"
    repl("frontend.process", file=text, invocations=str(path))
    rows = json.loads(path.read_text("utf-8"))["units"][0]["invocations"]
    assert [row["tactic"].split()[0] for row in rows] == ["cases", "right", "exact", "left", "exact"]
    assert rows[0]["goalAfter"] == ""


def test_a_header_and_what_it_opens(repl: Any) -> None:
    header = "import Init\nopen Nat\nuniverse u"
    assert repl("frontend.process", file=header, readHeader=True, inheritEnv=True) == {
        "units": [
            {"boundary": [12, 21], "messages": []},
            {"boundary": [21, len(header)], "messages": []},
        ]
    }
    start = repl.step(repl.start("∀ (n : Nat), n + 1 = Nat.succ n"), tactic="intro n")
    assert repl.axioms(repl.step(start, tactic="apply add_one")) == ()
    assert repl("goal.start", expr="∀ (x : Sort u), Sort (u + 1)")["stateId"] == 3


def test_comments_before_and_between_imports(repl: Any) -> None:
    text = "/- a -/ -- b\nimport Init /- /- nested -/ import X -/\n import Lean.Meta\n\nexample : True := trivial"
    answer = repl("frontend.process", file=text, readHeader=True)
    assert answer["units"] == [{"boundary": [text.index("example"), len(text)], "messages": []}]


def test_a_module_that_minilean_does_not_stand_for(repl: Any) -> None:
    answer = repl("frontend.process", file="import Mathlib.Tactic\n", readHeader=True)
    assert answer == {
        "error": "io",
        "desc": "unknown module prefix 'Mathlib.Tactic': the project has no file of it, and minilean has Init, Std, "
        "Lean only",
    }


def test_positions_of_an_error(repl: Any) -> None:
    text = "theorem a : True := trivial\n\ntheorem é : False := by\n  intro α\n"
    first, second = repl("frontend.process", file=text)["units"]
    assert first == {"boundary": [0, 29], "messages": []}
    assert second["boundary"] == [29, len(text.encode())]
    ((severity, _, line_number, _),) = messages(second)
    assert (severity, line_number >= 3) == ("error", True)
    assert second["messages"][0]["fileName"] == "<anonymous>"


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        # from PyPantograph's own tests
        ("example (p: Prop) : p -> p := 1", "a proposition\n  p → p : Prop", (30, 31)),
        (
            "theorem t.{u} (α : Sort u) (f : α → True) : True := f 20",
            "universe polymorphic and may be a proposition\n  α : Sort u",
            (54, 56),
        ),
    ],
)
def test_a_numeral_is_no_proof(repl: Any, file: str, text: str, place: tuple[int, int]) -> None:
    (message,) = repl("frontend.process", file=file)["units"][0]["messages"]
    assert message["data"] == f"numerals are data in Lean, but the expected type is {text}"
    assert (message["pos"]["column"], message["endPos"]["column"]) == place


def test_after_a_syntax_error_the_next_command_is_tried(repl: Any) -> None:
    text = "theorem a : := trivial\ntheorem b : True := trivial\n#check b"
    units = repl("frontend.process", file=text, newConstants=True)["units"]
    assert [unit["newConstants"] for unit in units] == [[], ["b"], []]
    assert [m[0] for unit in units for m in messages(unit)] == ["error", "information"]
    assert messages(units[2]) == [("information", "b : True", 3, 0)]
    boundaries = [unit["boundary"] for unit in units]
    assert boundaries == [[0, 23], [23, 51], [51, len(text)]]


def test_boundaries_count_bytes_however_long_the_file_is(repl: Any) -> None:
    command = "example (α β : Prop) (h : α ∧ β) : β := h.2 -- ∎\n"
    units = repl("frontend.process", file=command * 100)["units"]
    size = len(command.encode())
    assert [unit["boundary"] for unit in units] == [[i * size, (i + 1) * size] for i in range(100)]


def test_new_constants(repl: Any) -> None:
    text = "inductive Two where | a | b\ndef f : Nat := 3\nexample : f = 3 := rfl"
    units = repl("frontend.process", file=text, newConstants=True)["units"]
    assert {"Two", "Two.a", "Two.b", "Two.rec"} <= set(units[0]["newConstants"])
    assert units[1]["newConstants"] == ["f"]
    assert units[2]["newConstants"] == []


def test_nothing_stays_unless_inherited(repl: Any) -> None:
    repl("frontend.process", file="def f : Nat := 3")
    assert repl("env.inspect", name="f")["error"] == "index"
    repl("frontend.process", file="def f : Nat := 3", inheritEnv=True)
    assert repl("env.inspect", name="f")["type"] == {"pp": "Nat"}


@pytest.mark.parametrize(
    ("text", "line_number", "columns"),
    [
        ("theorem t : False := sorry", 1, (8, 9)),
        ("\ntheorem t.u : False := by sorry", 2, (8, 11)),
        ("example : False := by\n  sorry", 1, (0, 7)),
        ("def d : Nat := 1 + sorry", 1, (4, 5)),
        ("theorem t : False := sorryAx _ true", 1, (8, 9)),
        ("theorem t : (sorry : Prop) := sorry", 1, (8, 9)),
        ("open Nat in example : False := sorry", 1, (12, 19)),
        ("def f : Nat → Nat\n  | 0 => sorry\n  | n + 1 => f n", 1, (4, 5)),
    ],
)
def test_sorry_is_a_warning_at_the_name(
    repl: Any, text: str, line_number: int, columns: tuple[int, int]
) -> None:
    (unit,) = repl("frontend.process", file=text)["units"]
    (warning,) = unit["messages"]
    assert warning["data"] == "declaration uses `sorry`"
    assert (warning["severity"], warning["kind"]) == ("warning", "hasSorry")
    assert warning["pos"] == {"line": line_number, "column": columns[0]}
    assert warning["endPos"] == {"line": line_number, "column": columns[1]}


def test_sorry_behind_a_macro_or_notation_is_seen(repl: Any) -> None:
    text = (
        'macro "cheat" : tactic => `(tactic| sorry)\ntheorem a : False := by cheat\n'
        'notation "oops" => sorry\ntheorem b : False := oops\nexample : False := by cheat'
    )
    units = repl("frontend.process", file=text)["units"]
    assert [len(unit["messages"]) for unit in units] == [0, 1, 0, 1, 1]
    assert {m["data"] for unit in units for m in unit["messages"]} == {"declaration uses `sorry`"}


def test_print_axioms_tells_of_sorry_and_axioms(repl: Any) -> None:
    text = (
        "axiom a : False\ntheorem t : 1 = 2 := a.elim\ntheorem s : True := sorry\n"
        "theorem u : True ∧ 1 = 2 := ⟨s, t⟩\n#print axioms u"
    )
    units = repl("frontend.process", file=text)["units"]
    assert units[4]["messages"][0]["data"] == "'u' depends on axioms: [a, sorryAx]"


def test_sorrys_as_goals(repl: Any) -> None:
    text = "theorem t (p q : Prop) (h : q) : p → p ∧ q := by\n  intro é\n  constructor\n  · sorry\n  · exact sorry"
    (unit,) = repl("frontend.process", file=text, sorrys=True)["units"]
    assert [repl.line(goal) for goal in unit["goals"]] == [
        "p : Prop, q : Prop, h : q, é : p ⊢ p",
        "p : Prop, q : Prop, h : q, é : p ⊢ q",
    ]
    source = text.encode()
    assert [source[a:b].decode() for a, b in unit["goalSrcBoundaries"]] == ["sorry", "sorry"]
    state = unit["goalStateId"]
    assert repl.shown(repl.step(state, tactic="assumption")) == ["p : Prop, q : Prop, h : q, é : p ⊢ q"]


def test_two_files_or_none(repl: Any) -> None:
    for payload in ({}, {"file": "", "fileName": "x"}):
        assert repl("frontend.process", **payload)["error"] == "arguments"


def test_files_from_disk(repl: Any, tmp_path: Path) -> None:
    path = tmp_path / "A.lean"
    path.write_text("#check True", "utf-8")
    (unit,) = repl("frontend.process", fileName=str(path))["units"]
    assert unit["messages"][0]["fileName"] == str(path)
    assert "No such file" in repl("frontend.process", fileName=str(tmp_path / "B.lean"))["desc"]
    path.write_bytes(b"\xff")
    assert "is not UTF-8" in repl("frontend.process", fileName=str(path))["desc"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-- nothing\n",
        "/- never closed",
        "\x00\x01",
        "end end end",
        "section\nnamespace A\n",
        "theorem",
        "∀" * 10_000,
        "(" * 10_000,
        "theorem t : True := by\n" + "  skip\n" * 2_000 + "  trivial",
        "def x : Nat := " + "1 + " * 5_000 + "1",
        'notation "x" => x\n#check x',
    ],
)
def test_no_file_takes_the_session_down(repl: Any, text: str) -> None:
    answer = repl("frontend.process", file=text, newConstants=True)
    assert "units" in answer, answer
    assert repl("stat") == {"nGoals": 0}


def test_a_file_without_end_is_refused(repl: Any) -> None:
    answer = repl("frontend.process", file=" " * 2_000_001)
    assert answer == {"error": "io", "desc": "the file has 2000001 characters, at most 2000000 are read"}


# --- distil -------------------------------------------------------------------------------------------------


def targets(repl: Any, text: str, **options: Any) -> list[list[str]]:
    answer = repl("frontend.distil", file=text, **options)
    assert "targets" in answer, answer
    return [[repl.line(goal) for goal in target["goals"]] for target in answer["targets"]]


def test_a_statement_is_distilled(repl: Any) -> None:
    text = "theorem mystery (p: Prop) : p → p := sorry"
    assert targets(repl, text, binderName="x") == [["⊢ ∀ (p : Prop), p → p"]]
    assert repl.axioms(repl.step(0, tactic="intro p h; exact h")) == ()


def test_the_value_around_a_sorry_is_kept_on_request(repl: Any) -> None:
    text = "theorem solved : 1 + 2 = 3 := rfl\ntheorem mystery (p: Prop): p → p := sorry"
    assert targets(repl, text, ignoreValues=False) == [["p : Prop ⊢ p → p"]]
    end = repl.step(0, tactic="intro h; exact h")
    assert repl("goal.print", stateId=end, rootExpr=True)["root"] == {"pp": "fun p h => h"}
    assert repl.axioms(end) == ()


def test_a_declaration_does_not_prove_itself(repl: Any) -> None:
    # Pantograph's test of circular references: with the theorem in scope anything would be provable.
    assert targets(repl, "theorem mystery : 1 + 2 = 2 + 3 := sorry") == [["⊢ 1 + 2 = 2 + 3"]]
    for tactic in ("exact mystery", "rw [mystery]", "simp [mystery]"):
        assert "nextStateId" not in repl("goal.tactic", stateId=0, tactic=tactic)


def test_declarations_that_depend_on_each_other_are_one_target(repl: Any) -> None:
    text = "def f : Nat -> Nat := sorry\ntheorem property (n : Nat) : f n = n := sorry"
    assert targets(repl, text, ignoreValues=False) == [["f: ⊢ Nat → Nat", "n : Nat ⊢ ?f n = n"]]
    end = repl.step(repl.step(0, expr="fun n => n"), tactic="rfl")
    root = repl("goal.print", stateId=end, rootExpr=True)
    assert root["rootHasMVar"] is False
    (statement,) = targets(repl, text, binderName="g")
    assert statement == ["⊢ { g // ∀ (n : Nat), g n = n }"]


def test_two_properties_of_one_definition(repl: Any) -> None:
    text = (
        "def f : Nat -> Nat := sorry\ntheorem a (n : Nat) : f n = n := sorry\ntheorem b : f 0 = 0 := sorry\n"
        "theorem alone : True := sorry"
    )
    assert targets(repl, text) == [["⊢ { f // (∀ (n : Nat), f n = n) ∧ f 0 = 0 }"], ["⊢ True"]]


def test_a_file_with_an_error_has_no_targets(repl: Any) -> None:
    answer = repl("frontend.distil", file="theorem s : True := sorry\ntheorem t : True := nonsense")
    assert answer["error"] == "io"
    assert "nonsense" in answer["desc"]
    assert repl("stat") == {"nGoals": 0}


def test_longer_chains_are_refused_by_name(repl: Any) -> None:
    text = "def f : Nat := sorry\ndef g : Nat := f + sorry\ntheorem t : f = g := sorry"
    answer = repl("frontend.distil", file=text)
    assert answer["error"] == "frontend"
    assert answer["desc"] == "unsupported: `t` depends on several declarations with `sorry`"


def test_a_file_of_the_working_directory_is_imported(
    repl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "A.lean").write_text('theorem a : 1 = 1 := rfl\nnotation "ONE" => 1\naxiom cheat : False\n')
    (tmp_path / "B.lean").write_text("import A\nimport Init\ntheorem b : ONE = 1 := a\n")
    monkeypatch.chdir(tmp_path)
    answer = repl("frontend.process", fileName="B.lean", readHeader=True, inheritEnv=True, newConstants=True)
    [unit] = answer["units"]
    assert (unit["messages"], unit["newConstants"]) == ([], ["b"])
    assert "type" in repl("env.inspect", name="a") and "module" not in repl("env.inspect", name="a")
    assert repl("env.inspect", name="Nat.add_comm")["module"] == "Init"
    failed = repl("frontend.process", file="import C\n", readHeader=True)
    assert failed["error"] == "io" and "unknown module prefix 'C'" in failed["desc"]


def test_an_axiom_of_an_imported_file_completes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as foreign to the library as one of the file itself."""
    (tmp_path / "A.lean").write_text("axiom cheat : 1 = 2\ntheorem honest : 2 = 2 := rfl\n")
    monkeypatch.chdir(tmp_path)
    session = server.new_session(["A"])

    def track(statement: str, proof: str) -> Any:
        files = {"src": f"theorem t : {statement} := sorry", "dst": f"theorem t : {statement} := {proof}"}
        return server.execute(session, "frontend.track", files).get("failure")

    assert track("2 = 2", "honest") is None
    assert track("1 = 2", "cheat") == "Adding axiom is not allowed: cheat"
