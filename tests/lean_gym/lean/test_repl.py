"""Lean's tactics behind Pantograph's protocol: states, limits, verdicts on terms, and requests that make no sense."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_gym.backends.lean import repl_command
from lean_gym.backends.pantograph.discovery import FoundRepl
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.command_line import MAX_LINE

SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"


@pytest.fixture(scope="module")
def opened(lean_library: Path) -> Iterator[Callable[[], Repl]]:
    """One process for all tests, and a new one where a test has cost it."""
    found = FoundRepl(tuple(repl_command(str(lean_library))), "test")
    made: list[Repl] = []

    def running() -> Repl:
        if not made or not made[-1].alive:
            made.append(Repl(ReplSettings(found, sandbox="off"), ("Init",)).ready())
        return made[-1]

    yield running
    for repl in made:
        repl.close()


@pytest.fixture
def repl(opened: Callable[[], Repl]) -> Repl:
    return opened()


def ask(repl: Repl, command: str, **payload: Any) -> dict[str, Any]:
    return repl.ask(command, payload, 60.0)


def started(repl: Repl, statement: str = SWAP, context: str = "") -> int:
    answer = ask(repl, "frontend.distil", file=f"{context}\n{statement} := by sorry")
    return int(answer["targets"][-1]["stateId"])


def step(repl: Repl, state: int, tactic: str) -> dict[str, Any]:
    return ask(repl, "goal.tactic", stateId=state, tactic=tactic)


def texts(answer: dict[str, Any]) -> list[str]:
    return [goal["pp"] for goal in answer["goals"]]


def said(answer: dict[str, Any]) -> str:
    return "\n".join(message["data"] for message in answer.get("messages", []))


# --- states -----------------------------------------------------------------------------------------------------


def test_a_state_can_be_gone_on_from_twice(repl):
    state = started(repl)
    first, second = (step(repl, state, "obtain ⟨a, b⟩ := h") for _ in range(2))
    assert texts(first) == texts(second) == ["p q : Prop\na : p\nb : q\n⊢ q ∧ p"]
    assert first["nextStateId"] != second["nextStateId"]
    assert texts(ask(repl, "goal.print", stateId=state)) == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]
    assert texts(step(repl, first["nextStateId"], "exact ⟨b, a⟩")) == []


def test_goals_come_in_parts(repl):
    state = started(repl, "theorem t (n : Nat) : let k := n + 1; k = n + 1")
    (goal,) = step(repl, state, "intro k")["goals"]
    rows = [(row["userName"], row["type"]["pp"], row.get("value", {}).get("pp")) for row in goal["vars"]]
    assert rows == [("n", "Nat", None), ("k", "Nat", "n + 1")]
    assert goal["target"] == {"pp": "k = n + 1"}
    answer = step(repl, started(repl), "constructor")
    assert [goal["userName"] for goal in answer["goals"]] == ["left", "right"]


def test_what_a_tactic_shows_and_what_it_says(repl):
    state = started(repl)
    assert said(step(repl, state, "trace_state")) == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    assert "Type mismatch" in said(step(repl, state, "exact h"))
    assert step(repl, state, "exact (")["parseError"].startswith("<input>:1:7: ")
    assert step(repl, state, "skip skip")["parseError"] == "<input>:1:5: expected end of input"
    assert "unsolved goals" in said(step(repl, state, "have : p := by skip"))


def test_sorry_is_seen(repl):
    state = started(repl)
    assert step(repl, state, "sorry")["hasSorry"] is True
    assert step(repl, state, "have x : p := sorry")["hasSorry"] is True
    assert step(repl, state, "have x : p := h.1")["hasSorry"] is False


def test_a_context_stays_with_its_statement(repl):
    statement = "theorem t : N.two = 2"
    state = started(repl, statement, "def N.two : Nat := 2")
    assert texts(step(repl, state, "rfl")) == []
    assert "N.two" in ask(repl, "frontend.distil", file=f"{statement} := by sorry")["desc"]
    # the beginning is known by now, and the command after it is another one
    state = started(repl, "example : N.two + N.two = 4", "def N.two : Nat := 2")
    assert texts(step(repl, state, "rfl")) == []
    assert "error" in ask(
        repl, "frontend.distil", file=f"def N.two : Nat := 2\n+ true\n{statement} := by sorry"
    )


@pytest.mark.parametrize(
    "text",
    [
        # no code is made, as the library has none
        "def f (n : Nat) : Nat := by\n  cases n with\n  | zero => exact 1\n  | succ m => exact m",
        'def f (s : String) : String := "a" ++ s',
        # a call below `if` knows the condition, and the relation is unfolded
        "def f (n : Nat) : Nat := if n < 10 then f (n + 1) else n\ntermination_by 10 - n",
        "def f (m n : Nat) : Nat := if m = 0 then n else f (n % m) m\ntermination_by m\n"
        "decreasing_by exact Nat.mod_lt _ (by omega)",
        # patterns
        "theorem t {a b : Nat} {p : Nat → Prop} (h : a = b) (x : p a) : p b := match h with | rfl => x",
        "theorem t (n : Nat) : n = 0 ∨ ∃ k, n = k + 1 := by\n  match n with\n  | 0 => exact .inl rfl\n"
        "  | m@(k + 1) => exact .inr ⟨k, rfl⟩",
        # tactics that have a namesake in `conv`
        "theorem t (p : Prop) (h : p) : p := by\n  guard_hyp h : p\n  guard_target = p\n  exact h",
        "example : compare 1 2 = .lt := by decide",
    ],
)
def test_a_text_without_a_mistake_has_no_error(repl, text):
    answer = ask(repl, "frontend.process", file=text, readHeader=False, inheritEnv=False)
    messages = [message for unit in answer["units"] for message in unit["messages"]]
    assert [message["data"] for message in messages if message["severity"] == "error"] == []


def test_a_limit_of_time_stops_a_tactic_and_nothing_else(repl):
    state = started(repl)
    ask(repl, "options.set", timeout=300)
    began = time.monotonic()
    assert step(repl, state, "repeat skip") == {"error": "io", "desc": "interrupt"}
    assert time.monotonic() - began < 30  # without the limit it is a minute
    ask(repl, "options.set", timeout=0)
    assert texts(step(repl, state, "exact ⟨h.2, h.1⟩")) == []


@pytest.mark.parametrize(
    "tactic",
    [
        "exact " + "(" * 5000 + "h" + ")" * 5000,
        "exact " + "id (" * 3000 + "h" + ")" * 3000,
        "iterate 100000 skip",
        "iterate 200 trace_state",
        "have : 2 ^ 100000 = 3 := by decide",
        'exact "\x00"',
        "exact h -- \x00",
        "",
        " ",
        "-- nothing",
    ],
    ids=lambda tactic: repr(tactic[:20]),
)
def test_heavy_and_odd_tactics_are_answered(repl, tactic):
    answer = step(repl, started(repl), tactic)
    assert "goals" in answer or "messages" in answer or "parseError" in answer
    assert texts(step(repl, started(repl), "exact ⟨h.2, h.1⟩")) == []


# --- requests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "payload", "kind"),
    [
        ("goal.fly", {}, "command"),
        ("goal.tactic", {}, "index"),
        ("goal.tactic", {"stateId": 10**9, "tactic": "skip"}, "index"),
        ("goal.tactic", {"stateId": True, "tactic": "skip"}, "index"),
        ("goal.tactic", {"stateId": "0", "tactic": "skip"}, "index"),
        ("goal.print", {"stateId": None}, "index"),
        ("goal.delete", {"stateIds": 3}, "command"),
        ("goal.delete", {"stateIds": ["x"]}, "command"),
        ("goal.start", {"expr": 5}, "command"),
        ("goal.start", {"expr": "nowhere"}, "elab"),
        ("frontend.distil", {}, "command"),
        ("frontend.distil", {"file": "theorem t : nowhere := by sorry"}, "io"),
        ("frontend.distil", {"file": "theorem t : True := trivial"}, "io"),
        ("frontend.distil", {"file": ""}, "io"),
        ("frontend.process", {"file": ["x"]}, "command"),
        ("frontend.judge", {"statement": "theorem t : True := sorry"}, "command"),
        ("frontend.judge", {"statement": "theorem t : True :=", "rows": ""}, "elab"),
        ("options.set", {"timeout": "soon"}, "command"),
        ("options.set", {"timeout": -5}, "command"),
        ("options.set", {"timeout": 10**400}, "command"),
        ("options.set", {"colour": True}, "command"),
    ],
)
def test_a_request_that_makes_no_sense(repl, command, payload, kind):
    answer = repl.ask(command, payload, 60.0)
    assert answer["error"] == kind
    assert answer["desc"]
    assert ask(repl, "options.print")["automaticMode"] is True


@pytest.fixture(scope="module")
def pipes(lean_library: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [*repl_command(str(lean_library)), "Init"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready.\n"
        yield process
        process.stdin.close()


@pytest.mark.parametrize(
    "line",
    [
        b"goal.tactic {",
        b"goal.tactic [1]",
        b"\xff\xfe",
        b'frontend.process {"file": "\\ud800"}',
        b"stat " + b"[" * 100_000,
        b"stat " + b"1" * 10_000,
        b"x" * (MAX_LINE + 10),
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_line_that_is_no_request(pipes, line):
    for sent in (line, b"stat"):
        pipes.stdin.write(sent + b"\n")
        pipes.stdin.flush()
    assert json.loads(pipes.stdout.readline())["error"] == "command"
    assert json.loads(pipes.stdout.readline()) == {"nGoals": 0}


def test_it_ends_with_its_input(lean_library):
    command = [*repl_command(str(lean_library)), "Init"]
    done = subprocess.run(command, input=b"stat\n\nstat\n", capture_output=True)
    assert (done.returncode, done.stdout) == (0, b'ready.\n{"nGoals":0}\n')


@pytest.mark.parametrize("module", ["Mathlib", "Init.Nowhere", "", "..", "a\tb"])
def test_a_module_that_is_not_there(lean_library, module):
    done = subprocess.run([*repl_command(str(lean_library)), module], input=b"", capture_output=True)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: Lean imports ")
    assert done.stderr.count(b"\n") == 1


# --- verdicts on terms ------------------------------------------------------------------------------------------

PROOF = f"{SWAP} := by\n  exact ⟨h.2, h.1⟩"
STATED = f"{SWAP} := sorry"


def rows(repl: Repl, file: str = PROOF) -> str:
    answer = ask(repl, "frontend.export", file=file)
    assert answer["problem"] is None, answer
    return str(answer["rows"])


def judged(repl: Repl, text: str, statement: str = STATED) -> dict[str, Any]:
    return ask(repl, "frontend.judge", statement=statement, rows=text)


def test_an_honest_proof_is_accepted_with_its_axioms(repl):
    assert judged(repl, rows(repl)) == {"problem": None, "axioms": []}
    classical = "theorem swap (p : Prop) : p ∨ ¬p"
    found = judged(repl, rows(repl, f"{classical} := by\n  exact Classical.em p"), f"{classical} := sorry")
    assert found == {"problem": None, "axioms": ["Classical.choice", "Quot.sound", "propext"]}
    context = "structure P where\n  x : Nat\ndef f (p : P) : Nat := p.x\n"
    own = context + "theorem swap (p : P) : f p = p.x"
    assert judged(repl, rows(repl, f"{own} := by rfl"), f"{own} := sorry")["problem"] is None


@pytest.mark.parametrize(
    "proof", ["sorry", "exact ⟨h.2, sorry⟩", "have x : p := by\n    sorry\n  exact ⟨h.2, x⟩"]
)
def test_a_hole_is_an_axiom(repl, proof):
    assert "sorryAx" in judged(repl, rows(repl, f"{SWAP} := by\n  {proof}"))["axioms"]


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        (f"{SWAP} := by\n  exact h", "Type mismatch"),
        (f"{SWAP} := by\n  exact (h", "expected ')'"),
        (f"{SWAP} := by\n  exact ⟨h.2, h.1⟩ /-", "unterminated comment"),
        (f"{PROOF}\n#exit", "the file ends by a command"),
    ],
)
def test_a_file_with_an_error_declares_nothing(repl, file, problem):
    answer = ask(repl, "frontend.export", file=file)
    assert problem in answer["problem"]
    assert answer["rows"] == ""


@pytest.mark.parametrize(
    "file",
    [
        "theorem swap (p q : Prop) (h : p ∧ q) : p ∧ q := by\n  exact h",
        "theorem other (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  exact ⟨h.2, h.1⟩",
        "def swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  exact ⟨h.2, h.1⟩",
        "theorem swap.{u} (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  exact ⟨h.2, (fun (_ : Sort u) => h.1) PUnit⟩",
        "axiom swap (p q : Prop) (h : p ∧ q) : q ∧ p",
        f"{PROOF}\ntheorem later : True := trivial",
        f"{PROOF}\nopen Nat",
    ],
)
def test_another_declaration_is_no_proof(repl, file):
    assert judged(repl, rows(repl, file))["problem"]


def test_an_axiom_of_the_proof_is_named(repl):
    """A declaration before the theorem is not in the context of the statement, and only the theorem comes as rows."""
    text = rows(repl, f"axiom cheat (p : Prop) : p\n{SWAP} := by\n  exact cheat _")
    assert judged(repl, text)["problem"] == "Lean's kernel: 'swap': unknown constant"
    forged = [json.loads(line) for line in rows(repl).splitlines()]
    axiom = next(row for row in forged if "thm" in row)
    axiom["axiom"] = {key: axiom["thm"][key] for key in ("name", "levelParams", "type")} | {"isUnsafe": False}
    del axiom["thm"]
    assert (
        judged(repl, "\n".join(map(json.dumps, forged)))["problem"]
        == "the proof has another kind of declaration of 'swap'"
    )


@pytest.mark.parametrize("name", ["Classical.choice", "propext", "cheat"])
def test_an_axiom_of_the_proof_is_not_permitted_by_its_name(repl, name):
    """`axiom «Classical.choice» : False` is another constant than the axiom that is permitted."""
    text = [
        {"in": 1, "str": {"pre": 0, "str": "t"}},
        {"in": 2, "str": {"pre": 0, "str": name}},
        {"in": 3, "str": {"pre": 0, "str": "False"}},
        {"ie": 0, "const": {"name": 3, "us": []}},
        {"axiom": {"name": 2, "levelParams": [], "type": 0, "isUnsafe": False}},
        {"ie": 1, "const": {"name": 2, "us": []}},
        {"thm": {"name": 1, "levelParams": [], "type": 0, "value": 1, "all": [1]}},
    ]
    meta = rows(repl).partition("\n")[0]
    found = judged(repl, "\n".join([meta, *map(json.dumps, text)]), "theorem t : False := sorry")
    already = "Lean's kernel: 'propext': already declared"
    shown = f"«{name}»" if "." in name else name
    assert found["problem"] == (already if name == "propext" else f"the proof declares the axiom '{shown}'")


def test_damaged_rows_are_refused(repl):
    """Every row left out, and every number changed, of an honest proof: never another verdict than refusal or it."""
    lines = rows(repl).splitlines()
    for number in range(1, len(lines)):
        found = judged(repl, "\n".join(lines[:number] + lines[number + 1 :]))
        assert found["problem"], lines[number]
    changed = 0
    for number, line in enumerate(lines[1:], 1):
        for key, value in json.loads(line).items():
            if isinstance(value, dict) and "fn" in value:
                other = json.dumps(json.loads(line) | {key: value | {"fn": value["arg"], "arg": value["fn"]}})
                found = judged(repl, "\n".join([*lines[:number], other, *lines[number + 1 :]]))
                changed += bool(found["problem"])
    assert changed


@pytest.mark.parametrize("text", ["", "x", "{}", "\x00", '{"meta": 1}', "[" * 100_000])
def test_rows_that_are_none(repl, text):
    assert judged(repl, text)["problem"].startswith("Lean's kernel: ")


def test_a_deep_term_is_answered(repl):
    lines = rows(repl).splitlines()
    number = 1 + max(json.loads(line).get("ie", 0) for line in lines)
    deep = [json.dumps({"ie": number, "sort": 0})]
    for at in range(number + 1, number + 100_000):
        deep.append(json.dumps({"ie": at, "app": {"fn": at - 1, "arg": number}}))
    theorem = json.loads(lines[-1])
    theorem["thm"]["value"] = number + 99_999
    assert judged(repl, "\n".join([*lines[:-1], *deep, json.dumps(theorem)]))["problem"]
    assert judged(repl, rows(repl))["problem"] is None


def test_what_was_read_before_changes_nothing_in_a_file_that_begins_alike(repl: Repl) -> None:
    # The beginnings of files are kept. A proof in the column of its command is none, and one step to the right it is.
    text = "def f (x : Nat) : Nat := by\ncases x\nexact 1\nexact 2\n#check f"
    indented = text.replace("\ncases", "\n cases").replace("\nexact", "\n exact")
    for each, right in ((text, False), (indented, True), (text, False)):
        units = ask(repl, "frontend.process", file=each)["units"]
        errors = [said for unit in units for said in unit["messages"] if said["severity"] == "error"]
        assert bool(errors) != right
