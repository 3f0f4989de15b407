"""lean4export's older text format, version 2.0.0, from the rows of the present one.

Source: `format.md` of leanprover/lean4export (2.0.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

VERSION = "2.0.0"
_INFOS = {"default": "#BD", "implicit": "#BI", "strictImplicit": "#BS", "instImplicit": "#BC"}


def in_words(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Return the lines of a file in version 2.0.0.

    Args:
        rows: Names, levels, expressions and declarations as objects of version 3.1.0.
    """
    yield VERSION
    rule = 0
    for row in rows:
        if "inductive" in row:
            lines = list(_inductive(row["inductive"], rule))
            rule += sum(len(rec["rules"]) for rec in row["inductive"]["recs"])
            yield from lines
        else:
            yield _part(row) if row.keys() & {"in", "il", "ie"} else _declaration(row)


def _part(row: dict[str, Any]) -> str:
    """Return the line of a name, a level or an expression."""
    (kind,) = row.keys() - {"in", "il", "ie"}
    index = next(row[tag] for tag in ("in", "il", "ie") if tag in row)
    return f"{index} {_words(kind, row[kind])}"


def _words(kind: str, v: Any) -> str:
    match kind:
        case "str":
            return f"#NS {v['pre']} {v['str']}"
        case "num":
            return f"#NI {v['pre']} {v['i']}"
        case "succ":
            return f"#US {v}"
        case "max" | "imax":
            return f"{'#UM' if kind == 'max' else '#UIM'} {v[0]} {v[1]}"
        case "param":
            return f"#UP {v}"
        case "bvar":
            return f"#EV {v}"
        case "sort":
            return f"#ES {v}"
        case "const":
            return _joined("#EC", v["name"], *v["us"])
        case "app":
            return f"#EA {v['fn']} {v['arg']}"
        case "lam" | "forallE":
            word = "#EL" if kind == "lam" else "#EP"
            return _joined(word, _INFOS[v["binderInfo"]], v["name"], v["type"], v["body"])
        case "letE":
            return _joined("#EZ", v["name"], v["type"], v["value"], v["body"])
        case "proj":
            return _joined("#EJ", v["typeName"], v["idx"], v["struct"])
        case "natVal":
            return f"#ELN {v}"
        case _:
            return _joined("#ELS", *(f"{byte:02x}" for byte in v.encode()))


def _declaration(row: dict[str, Any]) -> str:
    ((kind, d),) = row.items()
    params = d["levelParams"]
    match kind:
        case "axiom" | "quot":
            return _joined("#AX" if kind == "axiom" else "#QUOT", d["name"], d["type"], *params)
        case "thm" | "opaque":
            return _joined("#THM" if kind == "thm" else "#OPAQ", d["name"], d["type"], d["value"], *params)
        case _:
            hints = "A" if d["hints"] == "abbrev" else f"R {d['hints']['regular']}"
            return _joined("#DEF", d["name"], d["type"], d["value"], hints, *params)


def _inductive(block: dict[str, Any], first_rule: int) -> Iterator[str]:
    for t in block["types"]:
        flags = [int(t["isReflexive"]), int(t["isRec"]), t["numNested"]]
        counts = [t["numParams"], t["numIndices"], len(t["all"]), *t["all"], len(t["ctors"]), *t["ctors"]]
        yield _joined("#IND", t["name"], t["type"], *flags, *counts, *t["levelParams"])
    for c in block["ctors"]:
        counts = [c["induct"], c["cidx"], c["numParams"], c["numFields"]]
        yield _joined("#CTOR", c["name"], c["type"], *counts, *c["levelParams"])
    for rec in block["recs"]:
        rules = range(first_rule, first_rule := first_rule + len(rec["rules"]))
        for i, rule in zip(rules, rec["rules"], strict=True):
            yield _joined(i, "#RR", rule["ctor"], rule["nfields"], rule["rhs"])
        counts = [rec["numParams"], rec["numIndices"], rec["numMotives"], rec["numMinors"], len(rules)]
        head = [rec["name"], rec["type"], len(rec["all"]), *rec["all"]]
        yield _joined("#REC", *head, *counts, *rules, int(rec["k"]), *rec["levelParams"])


def _joined(*words: object) -> str:
    return " ".join(map(str, words))
