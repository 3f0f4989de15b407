"""Forged exports for the benchmark: a genuine file in lean4export's format, and what a program may make of it.

`genuine.ndjson` has the types and the theorem `t (p : Mine → Prop) (h : p (grow Mine.leaf)) : p (grow Mine.leaf)`
with its proof and all that they rest on; no library is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

Row = dict[str, Any]
Change = Callable[[list[Row]], object]

GENUINE: Final = Path(__file__).with_name("genuine.ndjson")
THEOREM: Final = "t"
_FRESH: Final = 1000
"""A number that the genuine file does not use."""


def export_requests() -> Iterator[tuple[Row, bool]]:
    """Yield requests with their right answers: the genuine proof, then the forged ones."""
    challenge = _rows()
    _proof(challenge)["axiom"] = {**_proof(challenge).pop("thm"), "isUnsafe": False}
    yield _request("genuine", challenge, _rows()), True
    for name, change in FORGERIES.items():
        solution = _rows()
        change(solution)
        yield _request(name, challenge, solution), False


def _request(name: str, challenge: list[Row], solution: list[Row]) -> Row:
    return {"name": name, "theorem": THEOREM, "challenge": _text(challenge), "solution": _text(solution)}


def _rows() -> list[Row]:
    return [json.loads(line) for line in GENUINE.read_text("utf-8").splitlines()]


def _text(rows: list[Row]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


def _proof(rows: list[Row]) -> Row:
    return rows[-1]


def _find(rows: list[Row], key: str) -> Row:
    return next(row for row in rows if key in row)


def _definition(rows: list[Row]) -> Row:
    content = _find(rows, "def")["def"]
    assert isinstance(content, dict)
    return content


def _inductive(rows: list[Row]) -> Row:
    content = _find(rows, "inductive")["inductive"]
    assert isinstance(content, dict)
    return content


def _prove_by(rows: list[Row], *before: Row, value: int) -> None:
    """Put rows in front of the theorem and a term in the place of its proof."""
    rows[-1:-1] = before
    _proof(rows)["thm"]["value"] = value


def _by_axiom(rows: list[Row]) -> None:
    name: Row = {"in": _FRESH, "str": {"pre": 0, "str": "cheat"}}
    axiom = {"name": _FRESH, "levelParams": [], "type": _proof(rows)["thm"]["type"], "isUnsafe": False}
    constant = {"ie": _FRESH, "const": {"name": _FRESH, "us": []}}
    _prove_by(rows, name, {"axiom": axiom}, constant, value=_FRESH)


def _by_itself(rows: list[Row]) -> None:
    constant = {"ie": _FRESH, "const": {"name": _proof(rows)["thm"]["name"], "us": []}}
    _prove_by(rows, constant, value=_FRESH)


def _by_another_type(rows: list[Row]) -> None:
    _prove_by(rows, {"ie": _FRESH, "sort": 0}, value=_FRESH)


def _other_statement(rows: list[Row]) -> None:
    pi = next(row for row in reversed(rows) if "forallE" in row)
    prop = {"ie": _FRESH, "sort": 0}
    weaker = {"ie": _FRESH + 1, "forallE": {**pi["forallE"], "type": _FRESH, "body": _FRESH + 2}}
    inner = {"ie": _FRESH + 2, "forallE": {**pi["forallE"], "type": _FRESH + 3, "body": _FRESH + 4}}
    variables = [{"ie": _FRESH + 3, "bvar": 0}, {"ie": _FRESH + 4, "bvar": 1}]
    identity = {"ie": _FRESH + 5, "lam": {**pi["forallE"], "type": _FRESH, "body": _FRESH + 6}}
    applied = {"ie": _FRESH + 6, "lam": {**pi["forallE"], "type": _FRESH + 3, "body": _FRESH + 3}}
    _prove_by(rows, prop, *variables, inner, weaker, applied, identity, value=_FRESH + 5)
    _proof(rows)["thm"]["type"] = _FRESH + 1


def _other_definition(rows: list[Row]) -> None:
    value = _definition(rows)["value"]
    old = next(row for row in rows if row.get("ie") == value)["lam"]
    at = rows.index(_find(rows, "def"))
    rows[at:at] = [{"ie": _FRESH, "bvar": 0}, {"ie": _FRESH + 1, "lam": {**old, "body": _FRESH}}]
    _definition(rows)["value"] = _FRESH + 1


def _rules_by_hand(rows: list[Row]) -> None:
    first, second = _inductive(rows)["recs"][0]["rules"]
    first["rhs"], second["rhs"] = second["rhs"], first["rhs"]


def _as_axiom(rows: list[Row]) -> None:
    _proof(rows)["axiom"] = {**_proof(rows).pop("thm"), "isUnsafe": False}


def _loop(rows: list[Row]) -> None:
    row = _find(rows, "app")
    row["app"]["fn"] = row["ie"]


def _swap_constructors(rows: list[Row]) -> None:
    types = _inductive(rows)["types"][0]
    types["ctors"].reverse()


FORGERIES: Final[dict[str, Change]] = {
    "another statement": _other_statement,
    "another definition below the statement": _other_definition,
    "an axiom more": _by_axiom,
    "the theorem as an axiom": _as_axiom,
    "a proof by itself": _by_itself,
    "a proof of another type": _by_another_type,
    "no theorem": lambda rows: rows.pop(),
    "no definition": lambda rows: rows.remove(_find(rows, "def")),
    "rules of a recursor by hand": _rules_by_hand,
    "a rule left out": lambda rows: _inductive(rows)["recs"][0]["rules"].pop(),
    "constructors in another order": _swap_constructors,
    "k claimed": lambda rows: _inductive(rows)["recs"][0].update(k=True),
    "an unsafe definition": lambda rows: _definition(rows).update(safety="unsafe"),
    "a dangling number": lambda rows: _proof(rows)["thm"].update(value=_FRESH),
    "a term that contains itself": _loop,
    "a theorem declared twice": lambda rows: rows.append(dict(_proof(rows))),
    "no header": lambda rows: rows.pop(0),
    "no file at all": lambda rows: rows.clear(),
}
"""What each does to the rows of the genuine file."""
