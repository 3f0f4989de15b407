"""Exports that claim a proof which is none: the judge of `verify="independent"` refuses each for the right reason.

The genuine files are made by minilean. Each test changes the solution, as a program could that the candidate took
over; the challenge stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from minilean.export.judge import Refused, judge_exports
from minilean.export.produce import NAME, Source, proof_export
from minilean.export.reader import ReadError, read_export
from minilean.export.replay import ReplayError
from minilean.kernel.fuel import FuelConfig
from minilean.library import library
from minilean.proof import ProofError

Row = dict[str, Any]
Change = Callable[[list[Row]], None]

CONTEXT = """
def two : Nat := 2
inductive Tree where
  | leaf : Tree
  | node (l r : Tree) (n : Nat) : Tree
structure Pair where
  a : Nat
  b : Nat
def Small (t : Tree) : Prop := t = Tree.leaf
theorem two_eq : two = 2 := rfl
"""
STATEMENT = "theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2"
SCRIPT = ("constructor", "exact fun h => h", "rw [two_eq]", "exact Nat.add_comm 2 p.a")
PERMITTED = ("Classical.choice", "Quot.sound", "propext")


@cache
def exported(
    statement: str = STATEMENT, context: str = CONTEXT, tactics: tuple[str, ...] | None = None
) -> str:
    return proof_export(Source(statement, context, "", tactics))


def rows_of(text: str) -> list[Row]:
    return [json.loads(line) for line in text.splitlines()]


def text_of(rows: list[Row]) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def judged(solution: str, permitted: tuple[str, ...] | None = PERMITTED) -> tuple[str, ...]:
    return judge_exports(exported(), solution, NAME, permitted, library().kernel)


def changed(change: Change) -> str:
    rows = rows_of(exported(tactics=SCRIPT))
    change(rows)
    return text_of(rows)


def name_number(rows: list[Row], name: str) -> int:
    names = {0: ""}
    for row in rows:
        if "in" in row:
            part = row["str"]
            names[row["in"]] = f"{names[part['pre']]}.{part['str']}".lstrip(".")
            if names[row["in"]] == name:
                return int(row["in"])
    raise LookupError(name)


def declaration(rows: list[Row], name: str) -> Row:
    number = name_number(rows, name)
    for row in rows:
        for kind in ("thm", "def", "axiom", "opaque"):
            if kind in row and row[kind]["name"] == number:
                return row
        if "inductive" in row and row["inductive"]["types"][0]["name"] == number:
            return row
    raise LookupError(name)


class Builder:
    """Adds rows with fresh numbers in front of the last declaration of a file."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self._next = {
            tag: max([0, *(row[tag] for row in rows if tag in row)]) + 1 for tag in ("in", "il", "ie")
        }

    def part(self, tag: str, row: Row) -> int:
        number = self._next[tag]
        self._next[tag] += 1
        self.add({**row, tag: number})
        return number

    def add(self, row: Row) -> None:
        self.rows.insert(len(self.rows) - 1, row)

    def name(self, *parts: str) -> int:
        at = 0
        for part in parts:
            at = self.part("in", {"str": {"pre": at, "str": part}})
        return at

    def const(self, *parts: str) -> int:
        return self.part("ie", {"const": {"name": self.name(*parts), "us": []}})


def test_the_genuine_proof_is_accepted() -> None:
    assert judged(exported(tactics=SCRIPT)) == ()


def test_reading_and_writing_again_changes_no_verdict() -> None:
    assert judged(changed(lambda rows: None)) == ()


# --- the statement and what is below it -------------------------------------------------------------------------

OTHER_STATEMENTS = {
    "another statement": ("theorem t : True", CONTEXT, ("trivial",)),
    "a weaker statement": (
        "theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf)", CONTEXT, ("exact fun h => h",)
    ),
    "one more hypothesis": (
        "theorem t (x : Tree) (p : Pair) (h : False) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2",
        CONTEXT, ("exact h.elim",),
    ),
    "another order of variables": (
        "theorem t (p : Pair) (x : Tree) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2", CONTEXT, SCRIPT
    ),
    "notation": (
        'theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2',
        CONTEXT + 'local notation "two" => 2\n', ("exact ⟨fun h => h, Nat.add_comm 2 p.a⟩",),
    ),
    "a local instance": (
        STATEMENT, CONTEXT + "instance (priority := high) mine : Add Nat := ⟨fun _ _ => 0⟩\n",
        ("exact ⟨fun h => h, rfl⟩",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("trick", OTHER_STATEMENTS)
def test_another_statement_is_refused(trick: str) -> None:
    solution = exported(*OTHER_STATEMENTS[trick])
    with pytest.raises(Refused, match="states something else in the solution"):
        judged(solution)


OTHER_CONTEXTS = {
    "two": CONTEXT.replace("two : Nat := 2", "two : Nat := 1 + 1"),
    "Small": CONTEXT.replace("Prop := t = Tree.leaf", "Prop := False ∧ t = Tree.leaf"),
    "Tree": CONTEXT.replace("| leaf : Tree\n", "| leaf : Tree\n  | other : Tree\n"),
    "Tree.node": CONTEXT.replace("(l r : Tree) (n : Nat)", "(l : Tree) (n : Nat) (r : Tree)"),
    "Pair": CONTEXT.replace("  a : Nat\n  b : Nat\n", "  b : Nat\n  a : Nat\n  c : Nat := 0\n"),
}


@pytest.mark.parametrize("name", OTHER_CONTEXTS)
def test_another_definition_beneath_the_same_statement_is_refused(name: str) -> None:
    scripts = [SCRIPT, ("constructor", "exact fun h => h.2", *SCRIPT[2:])]
    solution = next(text for script in scripts if (text := _try(OTHER_CONTEXTS[name], script)))
    with pytest.raises(Refused, match=r"is another constant in the solution|states something else"):
        judged(solution)


def _try(context: str, script: tuple[str, ...]) -> str | None:
    try:
        return exported(STATEMENT, context, script)
    except ProofError:
        return None


def test_a_missing_definition_is_refused() -> None:
    def drop(rows: list[Row]) -> None:
        rows.remove(declaration(rows, "two"))

    with pytest.raises(Refused, match="'two', which the statement rests on, is missing in the solution"):
        judged(changed(drop))


def test_a_missing_theorem_is_refused() -> None:
    with pytest.raises(Refused, match=f"the solution has no '{NAME}'"):
        judged(changed(lambda rows: rows.remove(declaration(rows, NAME))))


def test_a_constant_of_the_library_is_not_declared_again() -> None:
    def redeclare(rows: list[Row]) -> None:
        make = Builder(rows)
        prop = make.part("ie", {"sort": 0})
        true = make.const("True")
        row = {"name": make.name("False"), "levelParams": [], "type": prop, "value": true}
        make.add({"def": {**row, "hints": "abbrev", "safety": "safe", "all": []}})

    with pytest.raises(Refused, match="'False' is declared again by the solution"):
        judged(changed(redeclare))


# --- the proof --------------------------------------------------------------------------------------------------


def set_proof(rows: list[Row], value: int) -> None:
    declaration(rows, NAME)["thm"]["value"] = value


def test_a_value_of_another_type_is_refused() -> None:
    def change(rows: list[Row]) -> None:
        set_proof(rows, Builder(rows).const("True", "intro"))

    with pytest.raises(ReplayError, match=f"'{NAME}': .kernel. ValueTypeMismatch"):
        judged(changed(change))


@pytest.mark.parametrize("kind", ["axiom", "opaque"])
def test_a_theorem_of_another_kind_is_refused(kind: str) -> None:
    def change(rows: list[Row]) -> None:
        row = declaration(rows, NAME)
        row[kind] = {**row.pop("thm"), "isUnsafe": False}

    with pytest.raises(Refused, match=f"declared as `{kind}` in the solution, expected a theorem"):
        judged(changed(change))


def with_axiom(rows: list[Row], *name: str) -> int:
    """Add an axiom with the statement of the theorem; return its constant."""
    make = Builder(rows)
    type_ = declaration(rows, NAME)["thm"]["type"]
    row = {"name": make.name(*name), "levelParams": [], "type": type_, "isUnsafe": False}
    make.add({"axiom": row})
    return make.part("ie", {"const": {"name": row["name"], "us": []}})


def test_an_axiom_more_is_refused() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "cheat")))
    for permitted in (PERMITTED, None):
        with pytest.raises(Refused, match="uses axioms that the challenge does not state: cheat"):
            judged(solution, permitted)


def test_an_axiom_under_a_permitted_name_is_refused() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "propext")))
    with pytest.raises(Refused, match="'propext' is declared again by the solution"):
        judged(solution)
    # without a given library too
    with pytest.raises(Refused, match=r"'propext'|missing"):
        judge_exports(exported(), solution, NAME, PERMITTED)


def test_an_axiom_that_the_challenge_states_has_to_be_permitted() -> None:
    solution = changed(lambda rows: set_proof(rows, with_axiom(rows, "cheat")))
    rows = rows_of(solution)
    rows[-1] = as_axiom(rows[-1])
    challenge = text_of(rows)
    with pytest.raises(Refused, match="uses axioms that are not permitted: cheat"):
        judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)
    assert judge_exports(challenge, solution, NAME, None, library().kernel) == ("cheat",)


def test_an_axiom_that_is_not_used_costs_nothing() -> None:
    assert judged(changed(lambda rows: with_axiom(rows, "cheat") and None)) == ()


def test_a_proof_by_itself_is_refused() -> None:
    def change(rows: list[Row]) -> None:
        number = declaration(rows, NAME)["thm"]["name"]
        set_proof(rows, Builder(rows).part("ie", {"const": {"name": number, "us": []}}))

    with pytest.raises(ReplayError, match=f"UnknownConstant: .*{NAME}"):
        judged(changed(change))


def test_two_theorems_that_prove_each_other_are_refused() -> None:
    def change(rows: list[Row]) -> None:
        make = Builder(rows)
        own = declaration(rows, NAME)["thm"]
        other = {**own, "name": make.name("other"), "all": []}
        other["value"] = make.part("ie", {"const": {"name": own["name"], "us": []}})
        make.add({"thm": other})
        own["value"] = make.part("ie", {"const": {"name": other["name"], "us": []}})

    with pytest.raises(ReplayError, match=f"'other': .kernel. UnknownConstant: .*{NAME}"):
        judged(changed(change))


def test_a_theorem_declared_twice_is_refused() -> None:
    with pytest.raises(ReadError, match=f"'{NAME}' is declared twice"):
        judged(changed(lambda rows: rows.append(dict(rows[-1]))))


# --- inductive types --------------------------------------------------------------------------------------------


def inductive(rows: list[Row], name: str = "Tree") -> Row:
    row = declaration(rows, name)["inductive"]
    assert isinstance(row, dict)
    return row


def derived_wrongly(change: Callable[[Row], None]) -> str:
    """The export of a theorem about a type of its own, whose row is changed."""
    source = Source("theorem t (x : Mine) : x = x", CONTEXT.replace("Tree", "Mine"), "", ("rfl",))
    rows = rows_of(proof_export(source))
    change(inductive(rows, "Mine"))
    return text_of(rows)


def swap_rules(row: Row) -> None:
    first, second = row["recs"][0]["rules"]
    first["rhs"], second["rhs"] = second["rhs"], first["rhs"]


def recursor_of_falsehood(row: Row) -> None:
    row["recs"][0]["type"] = row["types"][0]["type"]


INDUCTIVE_TRICKS: dict[str, Callable[[Row], None]] = {
    "rules by hand": swap_rules,
    "a rule left out": lambda row: row["recs"][0]["rules"].pop(),
    "another type of the recursor": recursor_of_falsehood,
    "k claimed": lambda row: row["recs"][0].update(k=True),
    "no recursor": lambda row: row["recs"].clear(),
    "a constructor in the wrong place": lambda row: row["ctors"][0].update(cidx=1),
    "fewer fields": lambda row: row["ctors"][1].update(numFields=1),
    "not recursive": lambda row: row["types"][0].update(isRec=False),
    "a parameter more": lambda row: row["types"][0].update(numParams=1),
}


@pytest.mark.parametrize("trick", INDUCTIVE_TRICKS)
def test_what_the_kernel_derives_cannot_be_written_by_hand(trick: str) -> None:
    # the same rows in both files, so that nothing but the kernel can object
    solution = derived_wrongly(INDUCTIVE_TRICKS[trick])
    challenge = text_of([*rows_of(solution)[:-1], as_axiom(rows_of(solution)[-1])])
    assert judge_genuine_mine() == ()
    with pytest.raises(ReplayError, match=r"'Mine(\.\w+)?': "):
        judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)


def judge_genuine_mine() -> tuple[str, ...]:
    solution = derived_wrongly(lambda row: None)
    challenge = text_of([*rows_of(solution)[:-1], as_axiom(rows_of(solution)[-1])])
    return judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)


def as_axiom(row: Row) -> Row:
    return {"axiom": {**row["thm"], "isUnsafe": False}}


def test_a_nested_type_is_refused_by_name() -> None:
    solution = derived_wrongly(lambda row: row["types"][0].update(numNested=1))
    challenge = text_of([*rows_of(solution)[:-1], as_axiom(rows_of(solution)[-1])])
    with pytest.raises(ReplayError, match=r"Unsupported: .*mutual or nested inductive type 'Mine'"):
        judge_exports(challenge, solution, NAME, PERMITTED, library().kernel)


# --- files that are no exports ----------------------------------------------------------------------------------


def first(rows: list[Row], key: str) -> Row:
    return next(row for row in rows if key in row)


BROKEN: dict[str, tuple[Change, str]] = {
    "a dangling term": (lambda rows: first(rows, "app")["app"].update(fn=99999), "unknown term 99999"),
    "a term that contains itself": (
        lambda rows: first(rows, "app")["app"].update(fn=first(rows, "app")["ie"]), "earlier rows only",
    ),
    "a negative number": (lambda rows: first(rows, "app")["app"].update(fn=-1), "unknown term -1"),
    "a number that is true": (lambda rows: first(rows, "app")["app"].update(fn=True), "unknown term True"),
    "a number that is a list": (lambda rows: first(rows, "app")["app"].update(fn=[]), "unknown term"),
    "a dangling name": (lambda rows: first(rows, "const")["const"].update(name=99999), "unknown name 99999"),
    "a dangling level": (lambda rows: rows.append({"sort": 77, "ie": 10**6}), "unknown level 77"),
    "a number given twice": (lambda rows: rows.append({"bvar": 0, "ie": 0}), "given twice"),
    "a second zero": (lambda rows: rows.append({"succ": 0, "il": 0}), "given twice"),
    "no kind": (lambda rows: rows.append({"ie": 10**6}), "expected one kind of row"),
    "two kinds": (lambda rows: rows.append({"bvar": 0, "sort": 0, "ie": 10**6}), "expected one kind of row"),
    "an unknown kind": (lambda rows: rows.append({"magic": {}, "ie": 10**6}), "unknown kind of term 'magic'"),
    "an unknown declaration": (lambda rows: rows.append({"trust": {}}), "unknown kind of declaration"),
    "an unsafe definition": (
        lambda rows: declaration(rows, "two")["def"].update(safety="unsafe"), "expected a safe definition",
    ),
    "a partial definition": (
        lambda rows: declaration(rows, "two")["def"].update(safety="partial"), "expected a safe definition",
    ),
    "a huge variable": (lambda rows: rows.append({"bvar": 1 << 40, "ie": 10**6}), "expected a number"),
    "a numeral without end": (
        lambda rows: rows.append({"natVal": "9" * 100_000, "ie": 10**6}), "expected a numeral",
    ),
    "a negative numeral": (lambda rows: rows.append({"natVal": "-1", "ie": 10**6}), "expected a numeral"),
    "a proof that is missing": (lambda rows: declaration(rows, NAME)["thm"].pop("value") and None, "no row"),
    "no header": (lambda rows: rows.pop(0) and None, "expected the object `meta`"),
    "another version": (lambda rows: rows[0]["meta"]["format"].update(version="2.0"), "expected 3.1"),
}  # fmt: skip


@pytest.mark.parametrize("trick", BROKEN)
def test_a_file_that_is_no_export_is_refused_in_one_line(trick: str) -> None:
    change, reason = BROKEN[trick]
    with pytest.raises(ReadError, match=r"line \d+") as caught:
        judged(changed(change))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "[]", "[" * 100_000, "{}", "\0", '{"meta": 1}', "\ud800"])
def test_text_that_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(ReadError, match="line 1"):
        read_export(text)


def test_a_huge_line_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minilean.export.reader.MAX_LINE", 1000)
    with pytest.raises(ReadError, match="expected at most 1000"):
        judged(changed(lambda rows: rows.append({"strVal": "a" * 1000, "ie": 10**6})))


def test_a_huge_file_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minilean.export.reader.MAX_BYTES", 1000)
    with pytest.raises(ReadError, match="expected at most 1000"):
        judged(exported(tactics=SCRIPT))


def test_a_term_that_doubles_with_each_row_ends() -> None:
    # 5,000 rows, a term with 2 to the power 5,000 leaves
    def change(rows: list[Row]) -> None:
        make = Builder(rows)
        at = make.const("Nat", "zero")
        for _ in range(5000):
            at = make.part("ie", {"app": {"fn": at, "arg": at}})
        set_proof(rows, at)

    with pytest.raises(ReplayError, match=r"DeepRecursion|FunctionExpected"):
        judged(changed(change))


def test_a_proof_that_computes_for_long_runs_out_of_fuel() -> None:
    statement = Source("theorem t : f 100 = 100", "def f : Nat → Nat\n  | 0 => 0\n  | n + 1 => f n + 1\n")
    solution = proof_export(Source(statement.statement, statement.context, "", ("rfl",)))
    challenge = proof_export(statement)
    assert judge_exports(challenge, solution, NAME, PERMITTED, library().kernel) == ()
    with pytest.raises(ReplayError, match="DeterministicTimeout"):
        judge_exports(
            challenge, solution, NAME, PERMITTED, library().kernel, fuel=FuelConfig(max_steps=1_000)
        )
