"""Error message of `omega`: the constraints that are left, and the atoms that their letters stand for.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/Frontend.lean` (4.34), `formatErrorMessage`.
"""

from __future__ import annotations

from minilean.elab.names import resolve_exact
from minilean.kernel.expr import Expr, Lit
from minilean.tactics.omega.atoms import Atoms
from minilean.tactics.omega.solver import Row, System
from minilean.tactics.state import Tactics

_NOTHING = (
    "No usable constraints found. You may need to unfold definitions so `omega` can see linear arithmetic facts "
    "about `Nat` and `Int`, which may also involve multiplication, division, and modular remainder by constants."
)


def describe(t: Tactics, atoms: Atoms, problem: System) -> str:
    """Return the constraints of a problem, sorted as Lean sorts them, and its atoms, as text."""
    rows = list(problem.rows.values())
    if not rows:
        return _NOTHING
    used = sorted({v for row in rows for v, _ in row.coeffs})
    names = _names(t, used)
    width = max(used) + 1

    def dense(row: Row) -> list[int]:
        known = dict(row.coeffs)
        full = [known.get(v, 0) for v in range(width)]
        while full and not full[-1]:
            full.pop()
        return full

    lines = [f"  {_constraint(row, names)}" for row in sorted(rows, key=dense)]
    shown = [f" {names[v]} := {_show_atom(t, atoms, v)}" for v in used]
    return "\n".join(["a possible counterexample may satisfy the constraints", *lines, "where", *shown])


def _names(t: Tactics, used: list[int]) -> dict[int, str]:
    """Return a letter for each variable, letters that are names in the context left out."""
    names: dict[int, str] = {}
    number = 0
    for variable in used:
        while True:
            name = chr(97 + number % 26) + (f"_{number // 26}" if number >= 26 else "")
            number += 1
            if t.m.lctx.by_name(name) is None and resolve_exact(t.m.env, t.scope, name) is None:
                break
        names[variable] = name
    return names


def _show_atom(t: Tactics, atoms: Atoms, variable: int) -> str:
    if variable in atoms.integers:
        return t.show(atoms.integers[variable])
    if variable in atoms.quotients:
        x, k = atoms.quotients[variable]
        return f"{_cast(t, x)} / {t.show(k)}"
    return _cast(t, atoms.terms[variable][0])


def _cast(t: Tactics, e: Expr) -> str:
    text = t.show(e)
    return text if type(e) is Lit else f"↑({text})" if " " in text else f"↑{text}"


def _constraint(row: Row, names: dict[int, str]) -> str:
    form = ""
    for i, (variable, c) in enumerate(row.coeffs):
        sign = (" + " if c > 0 else " - ") if i else ("" if c > 0 else "- ")
        form += sign + (names[variable] if abs(c) == 1 else f"{abs(c)}*{names[variable]}")
    if row.lower is None:
        return f"{form} ≤ {row.high}"
    if row.upper is None:
        return f"{form} ≥ {row.low}"
    return f"{row.low} ≤ {form} ≤ {row.high}"
