"""Terms, goals and messages as Pantograph's JSON.

Metavariables and local variables are named `_uniq.N`, as Lean's are; the numbers are valid in one session only.

Source: Pantograph `Pantograph/Delate.lean` (`serializeExpression`, `serializeGoal`).
"""

from __future__ import annotations

from minilean.elab.display import DAGGER, goal_parts, show
from minilean.kernel.expr import Expr, FVar, MVar, mk_mvar
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars
from minilean.repl.session import GoalState, Options
from minilean.repl.sexp import sexp
from minilean.repl.wire import Json

FILE_NAME = "<Pantograph>"
_PREFIX = "_uniq."


def uniq(variable: MVar | FVar) -> str:
    """Return the protocol's name of a metavariable or local variable."""
    return f"{_PREFIX}{variable.id}"


def uniq_id(name: str) -> int | None:
    """Return the number in such a name, `None` for any other text."""
    digits = name.removeprefix(_PREFIX)
    return int(digits) if name.startswith(_PREFIX) and digits.isdecimal() and len(digits) < 20 else None


def expression(m: Meta, e: Expr, options: Options, text: str | None = None) -> Json:
    """Return a term of the present local context as JSON; `text` is its printed form if that is known."""
    out: Json = {}
    e = m.instantiate_mvars(e)
    if options.printExprPretty:
        out["pp"] = show(m, e) if text is None else text
    if options.printExprAST:
        out["sexp"] = sexp(m, e)
    if options.printDependentMVars:
        out["dependentMVars"] = [uniq(goal) for goal in open_mvars(m, e)]
    return out


def open_mvars(m: Meta, e: Expr) -> list[MVar]:
    """Return the open metavariables of an instantiated term, in order of first occurrence."""
    found: dict[MVar, None] = {}
    for mvar in collect_mvars(e):
        delayed = m.mctx.delayed.get(mvar.id)
        if delayed is None:
            found[mvar] = None
        else:
            for inner in open_mvars(m, m.instantiate_mvars(mk_mvar(delayed[1]))):
                found[inner] = None
    return list(found)


def goals_of(goal_state: GoalState, options: Options) -> list[Json]:
    """Return all goals of a state as JSON."""
    with goal_state.problem.reading(goal_state.state) as m:
        chains = goal_state.chains
        return [_goal(m, goal, options, goal.id in chains) for goal in goal_state.state.goals]


def _goal(m: Meta, goal: MVar, options: Options, in_chain: bool) -> Json:
    decl = m.mvar_decl(goal)
    target, rows = goal_parts(m, goal)
    visible = [d for d in decl.lctx if not d.hidden]
    shown: Json = {"name": uniq(goal), "fragment": "calc" if in_chain else "tactic", "vars": []}
    if decl.tag.rstrip(DAGGER):
        shown["userName"] = decl.tag.rstrip(DAGGER)
    with m.with_lctx(decl.lctx):
        shown["target"] = expression(m, decl.type, options, target)
        for local, (name, type_, value) in zip(visible, rows, strict=True):
            row: Json = {
                "name": uniq(local.fvar),
                "userName": name,
                "isInaccessible": DAGGER in name,
                "type": expression(m, local.type, options, type_),
            }
            if local.value is not None:
                row["value"] = expression(m, local.value, options, value)
            shown["vars"].append(row)
    return shown


def message(
    text: str,
    severity: str = "error",
    start: tuple[int, int] = (0, 0),
    end: tuple[int, int] | None = None,
    kind: str = "[anonymous]",
    file_name: str = FILE_NAME,
) -> Json:
    """Return a message as Lean serializes it; `start` and `end` are (line, column), the line counted from 1."""
    return {
        "caption": "",
        "data": text,
        "endPos": None if end is None else {"line": end[0], "column": end[1]},
        "fileName": file_name,
        "isSilent": False,
        "keepFullRange": False,
        "kind": kind,
        "pos": {"line": start[0], "column": start[1]},
        "severity": severity,
    }
