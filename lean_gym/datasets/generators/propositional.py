"""Propositional formulas, their Lean text, and a prover that writes tactic scripts.

The search is a contraction-free sequent calculus for intuitionistic logic (after Dyckhoff's LJT) with the
tactics as its rules: whatever can be undone is applied at once, the rest is tried by iterative deepening on
the number of choices. Classical theorems additionally get `by_cases` on atoms. Each line of a script is one
tactic for the main goal, hypotheses are named `h`, `h1`, `h2`, ... by the first name that is free, so a line
depends on the printed goal alone.

Source: R. Dyckhoff, Contraction-free sequent calculi for intuitionistic logic, JSL 57(3), 1992.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Literal

Connective = Literal["atom", "true", "false", "not", "and", "or", "imp", "iff"]

# Lean's notation table: symbol, own level, level asked of the left and of the right argument.
_INFIX: dict[str, tuple[str, int, int, int]] = {
    "and": ("∧", 35, 36, 35),
    "or": ("∨", 30, 31, 30),
    "imp": ("→", 25, 26, 25),
    "iff": ("↔", 20, 21, 21),
}
_NOT_ARGUMENT_LEVEL = 40


@dataclass(frozen=True, slots=True)
class Formula:
    """A propositional formula; `name` is set for atoms only, `args` has as many entries as the connective."""

    op: Connective
    args: tuple[Formula, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        """Return the Lean source, parenthesised as Lean prints it."""
        return self._at_level(0)

    def _at_level(self, level: int) -> str:
        if self.op == "atom":
            return self.name
        if self.op in ("true", "false"):
            return self.op.capitalize()
        if self.op == "not":
            return "¬" + self.args[0]._at_level(_NOT_ARGUMENT_LEVEL)
        symbol, own, left, right = _INFIX[self.op]
        text = f"{self.args[0]._at_level(left)} {symbol} {self.args[1]._at_level(right)}"
        return f"({text})" if level > own else text


TRUE = Formula("true")
FALSE = Formula("false")


def atom(name: str) -> Formula:
    """Return the propositional variable `name`."""
    return Formula("atom", name=name)


def conj(left: Formula, right: Formula) -> Formula:
    """Return `left ∧ right`."""
    return Formula("and", (left, right))


def disj(left: Formula, right: Formula) -> Formula:
    """Return `left ∨ right`."""
    return Formula("or", (left, right))


def implies(left: Formula, right: Formula) -> Formula:
    """Return `left → right`."""
    return Formula("imp", (left, right))


def iff(left: Formula, right: Formula) -> Formula:
    """Return `left ↔ right`."""
    return Formula("iff", (left, right))


def neg(formula: Formula) -> Formula:
    """Return `¬formula`."""
    return Formula("not", (formula,))


def atoms(formula: Formula) -> list[str]:
    """Return the names of the atoms of `formula`, in order of first occurrence."""
    names: dict[str, None] = {}
    parts = [formula]
    while parts:
        part = parts.pop()
        if part.op == "atom":
            names[part.name] = None
        else:
            parts.extend(reversed(part.args))
    return list(names)


def truth_table(formula: Formula, names: list[str]) -> int:
    """Return the truth table as a bit set: bit `i` is the value where atom `k` has bit `k` of `i`.

    Args:
        formula: Any formula over `names`.
        names: The atoms, which fix the numbering of the `2 ** len(names)` rows.
    """
    rows = 1 << len(names)
    full = (1 << rows) - 1
    if formula.op == "atom":
        return _column(names.index(formula.name), rows)
    if formula.op in ("true", "false"):
        return full if formula.op == "true" else 0
    values = [truth_table(arg, names) for arg in formula.args]
    if formula.op == "not":
        return full & ~values[0]
    left, right = values
    if formula.op == "and":
        return left & right
    if formula.op == "or":
        return left | right
    return full & (~left | right) if formula.op == "imp" else full & ~(left ^ right)


@cache
def _column(position: int, rows: int) -> int:
    """Return the bit set of the rows in which the atom of a position is true."""
    return sum(1 << row for row in range(rows) if row >> position & 1)


def is_tautology(formula: Formula) -> bool:
    """Return whether `formula` holds classically, under every assignment."""
    names = atoms(formula)
    return truth_table(formula, names) == (1 << (1 << len(names))) - 1


def premises(formula: Formula) -> tuple[list[Formula], Formula]:
    """Split `A₁ → … → Aₙ → C` into its premises and `C`, where `¬A` counts as `A → False`."""
    found: list[Formula] = []
    while formula.op in ("imp", "not"):
        found.append(formula.args[0])
        formula = formula.args[1] if formula.op == "imp" else FALSE
    return found, formula


# A context: named hypotheses in the order in which they appeared.
_Context = tuple[tuple[str, Formula], ...]
# A tactic with the goals it leaves.
_Step = tuple[str, list[tuple[_Context, Formula]]]
# The sequents met on the way to the current one.
_Path = frozenset[tuple[frozenset[Formula], Formula]]


class _SearchSpent(Exception):
    """The node budget of one search ran out."""


def find_proof(formula: Formula, *, max_choices: int = 6, max_nodes: int = 20_000) -> list[str] | None:
    """Search for a tactic script of `formula`, intuitionistic if there is one, else classical.

    Args:
        formula: The statement; its atoms are in scope as `Prop` variables.
        max_choices: Most choices (`left`, `apply`, `by_cases`, ...) on any path of the proof.
        max_nodes: Most sequents visited, in all.

    Returns:
        The script, one tactic a line, or `None` if the search found none within its bounds.
    """
    if not is_tautology(formula):
        return None
    search = _Search(max_nodes)
    try:
        for classical in (False, True):
            search.classical = classical
            for choices in range(max_choices + 1):
                script = search.run((), formula, choices, frozenset())
                if script is not None:
                    return script
    except _SearchSpent:
        return None
    return None


class _Search:
    """One proof search; holds the settings and the node budget."""

    def __init__(self, max_nodes: int) -> None:
        self.classical = False
        self.nodes_left = max_nodes

    def run(self, context: _Context, goal: Formula, choices: int, path: _Path) -> list[str] | None:
        """Prove `goal` in `context` with at most `choices` choices; the sequents on `path` count as loops."""
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise _SearchSpent
        closing = _closing_line(context, goal)
        if closing is not None:
            return [closing]
        sequent = (frozenset(formula for _, formula in context), goal)
        if sequent in path:
            return None
        path = path | {sequent}
        forced = _forced_step(context, goal)
        if forced is not None:
            return self._run_all(*forced, choices, path)
        if choices == 0:
            return None
        # Term-mode functions are harder to guess than a few plain steps, so they come second.
        for steps in (self._choices(context, goal), _function_steps(context, goal)):
            scripts = [self._run_all(line, subgoals, choices - 1, path) for line, subgoals in steps]
            found = [script for script in scripts if script is not None]
            if found:
                return min(found, key=len)
        return None

    def _run_all(
        self, line: str, subgoals: list[tuple[_Context, Formula]], choices: int, path: _Path
    ) -> list[str] | None:
        script = [line]
        for context, goal in subgoals:
            part = self.run(context, goal, choices, path)
            if part is None:
                return None
            script += part
        return script

    def _choices(self, context: _Context, goal: Formula) -> Iterator[_Step]:
        """Yield the steps that may lose provability, each with the goals it leaves."""
        if goal.op == "or":
            yield "left", [(context, goal.args[0])]
            yield "right", [(context, goal.args[1])]
        refutes = False
        for name, formula in context:
            found, head = premises(formula)
            refutes |= bool(found) and head == FALSE
            if found and head == goal:
                yield f"apply {name}", [(context, premise) for premise in found]
        if refutes and goal != FALSE:
            yield "exfalso", [(context, FALSE)]
        if self.classical:
            yield from _case_splits(context, goal)


def _formulas(context: _Context) -> set[Formula]:
    return {formula for _, formula in context}


def _name_of(context: _Context, formula: Formula) -> str | None:
    return next((name for name, known in context if known == formula), None)


def _fresh(context: _Context, number: int) -> list[str]:
    """Return the first `number` names of h, h1, h2, ... that `context` does not use."""
    used = {name for name, _ in context}
    free = (name for name in (f"h{i or ''}" for i in count()) if name not in used)
    return [next(free) for _ in range(number)]


def _without(context: _Context, name: str) -> _Context:
    return tuple(entry for entry in context if entry[0] != name)


def _replaced(context: _Context, name: str, formula: Formula) -> _Context:
    return (*_without(context, name), (name, formula))


def _closing_line(context: _Context, goal: Formula) -> str | None:
    """Return the tactic that closes the goal at once, if there is one."""
    if (name := _name_of(context, goal)) is not None:
        return f"exact {name}"
    if goal == TRUE:
        return "trivial"
    if (name := _name_of(context, FALSE)) is not None:
        return f"exact False.elim {name}"
    for name, formula in context:
        if formula.op == "not" and (other := _name_of(context, formula.args[0])) is not None:
            return f"exact {name} {other}" if goal == FALSE else f"exact absurd {other} {name}"
    for name, formula in context:
        arguments, rest = [name], formula
        while rest.op in ("imp", "not") and (other := _name_of(context, rest.args[0])) is not None:
            arguments.append(other)
            rest = rest.args[1] if rest.op == "imp" else FALSE
            if rest == goal:
                return "exact " + " ".join(arguments)
    if goal.op == "and":
        names = [_name_of(context, arg) for arg in goal.args]
        if None not in names:
            return f"exact ⟨{names[0]}, {names[1]}⟩"
    return None


def _forced_step(context: _Context, goal: Formula) -> _Step | None:
    """Return the next step that cannot lose provability, with the goals it leaves."""
    if goal.op in ("imp", "not"):
        (name,) = _fresh(context, 1)
        conclusion = goal.args[1] if goal.op == "imp" else FALSE
        return f"intro {name}", [((*context, (name, goal.args[0])), conclusion)]
    known = _formulas(context)
    for name, formula in context:
        if formula.op in ("and", "iff"):
            first, second = _fresh(context, 2)
            parts = formula.args
            if formula.op == "iff":
                parts = (implies(*formula.args), implies(formula.args[1], formula.args[0]))
            left = (*_without(context, name), (first, parts[0]), (second, parts[1]))
            return f"rcases {name} with ⟨{first}, {second}⟩", [(left, goal)]
    if (applied := next(_applications(context, goal, depth=1), None)) is not None:
        return applied
    for name, formula in context:
        if formula.op == "or" and not known.intersection(formula.args):
            (fresh,) = _fresh(context, 1)
            rest = _without(context, name)
            goals = [((*rest, (fresh, arg)), goal) for arg in formula.args]
            return f"rcases {name} with {fresh} | {fresh}", goals
    if goal.op == "and":
        return "constructor", [(context, arg) for arg in goal.args]
    if goal.op == "iff":
        left_side, right_side = goal.args
        directions = [implies(left_side, right_side), implies(right_side, left_side)]
        return "constructor", [(context, direction) for direction in directions]
    return None


def _applications(context: _Context, goal: Formula, depth: int) -> Iterator[_Step]:
    """Yield the hypotheses whose premise has a proof term of this depth, each applied to it."""
    known = _formulas(context)
    for name, formula in context:
        if formula.op != "imp" or formula.args[1] in known:
            continue
        term = _term(context, formula.args[0], depth)
        if term is None:
            continue
        if formula.args[1] == goal:
            yield f"exact {name} {_as_argument(term)}", []
        else:
            smaller = _replaced(context, name, formula.args[1])
            yield f"specialize {name} {_as_argument(term)}", [(smaller, goal)]


def _function_steps(context: _Context, goal: Formula) -> Iterator[_Step]:
    """Yield the applications that need a `fun` or a nested application."""
    return _applications(context, goal, depth=3)


def _term(context: _Context, goal: Formula, depth: int) -> str | None:
    """Return a proof term from hypotheses and introductions; `fun` and application need depth 2."""
    if (name := _name_of(context, goal)) is not None:
        return name
    if goal == TRUE:
        return "trivial"
    if depth <= 0:
        return None
    if goal.op == "and":
        parts = [_term(context, arg, depth - 1) for arg in goal.args]
        return None if None in parts else f"⟨{parts[0]}, {parts[1]}⟩"
    if goal.op == "or":
        for constructor, arg in zip(("Or.inl", "Or.inr"), goal.args, strict=True):
            if (part := _term(context, arg, depth - 1)) is not None:
                return f"{constructor} {_as_argument(part)}"
    if depth >= 2 and goal.op in ("imp", "not"):
        (name,) = _fresh(context, 1)
        conclusion = goal.args[1] if goal.op == "imp" else FALSE
        body = _term((*context, (name, goal.args[0])), conclusion, depth - 1)
        return None if body is None else f"fun {name} => {body}"
    if depth >= 2:
        return _application(context, goal, depth)
    return None


def _application(context: _Context, goal: Formula, depth: int) -> str | None:
    """Return a hypothesis applied to proof terms of its premises, with `goal` as the result."""
    for name, formula in context:
        found, head = premises(formula)
        if not found or head not in (goal, FALSE):
            continue
        arguments = [_term(context, premise, depth - 1) for premise in found]
        if all(argument is not None for argument in arguments):
            applied = " ".join([name, *(_as_argument(argument) for argument in arguments if argument)])
            return applied if head == goal else f"False.elim ({applied})"
    return None


def _as_argument(term: str) -> str:
    is_atomic = " " not in term or term.startswith("⟨")
    return term if is_atomic else f"({term})"


def _case_splits(context: _Context, goal: Formula) -> Iterator[_Step]:
    """Yield `by_cases` on every atom of the sequent that is not decided yet."""
    known = _formulas(context)
    formulas = [*(formula for _, formula in context), goal]
    names = dict.fromkeys(name for formula in formulas for name in atoms(formula))
    for variable in map(atom, names):
        if variable in known or neg(variable) in known:
            continue
        (fresh,) = _fresh(context, 1)
        goals = [((*context, (fresh, case)), goal) for case in (variable, neg(variable))]
        yield f"by_cases {fresh} : {variable}", goals
