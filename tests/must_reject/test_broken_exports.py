"""Files that are no exports, or exports without bounds: each is refused in one line, and nothing runs on."""

from __future__ import annotations

import pytest
from export_rows import (
    NAME,
    PERMITTED,
    SCRIPT,
    Builder,
    Change,
    Row,
    changed,
    declaration,
    exported,
    judged,
)

from minilean.export.judge import judge_exports
from minilean.export.produce import Source, proof_export
from minilean.export.reader import ReadError, read_export
from minilean.export.replay import ReplayError
from minilean.kernel.fuel import FuelConfig
from minilean.library import library

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
    "a proof that is missing": (lambda rows: declaration(rows, NAME)["thm"].pop("value"), "no row"),
    "a name that is no text": (
        lambda rows: rows.append({"str": {"pre": 0, "str": "\ud800"}, "in": 10**6}), "surrogates not allowed",
    ),
    "a literal that is no text": (
        lambda rows: rows.append({"strVal": "\udc00", "ie": 10**6}), "surrogates not allowed",
    ),
    "no header": (lambda rows: rows.pop(0), "expected the object `meta`"),
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
        declaration(rows, NAME)["thm"]["value"] = at

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
