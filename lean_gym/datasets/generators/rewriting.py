"""Random equations whose proof is a known chain of rewriting steps.

`scramble` starts from `t = t` and applies equations backwards. Read from the end, the chain is a proof by `rw`:
each step is accepted only if Lean's `rw`, which replaces every occurrence of the left side of the step, leads back
to the equation before it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Term = str | tuple["Term", ...]
"""A variable or constant, or an application: the function's name followed by the arguments."""
Equation = tuple[Term, Term]

_INFIX = {"+": 65, "++": 65, "*": 70}
_ATTEMPTS = 40


@dataclass(frozen=True, slots=True)
class Rule:
    """An equation that may be used in both directions.

    Attributes:
        name: The lemma or hypothesis, e.g. `"Nat.add_comm"`.
        variables: Its explicit arguments, in order; every other name in the two sides is a constant.
        left: The left side.
        right: The right side.
    """

    name: str
    variables: tuple[str, ...]
    left: Term
    right: Term

    def flipped(self) -> Rule:
        """Return the rule with its sides exchanged."""
        return Rule(self.name, self.variables, self.right, self.left)


@dataclass(frozen=True, slots=True)
class Scrambled:
    """An equation and the chain that proves it.

    Attributes:
        equation: Both sides; they differ.
        steps: The rules of the chain with their arguments, as `rw` takes them: `"Nat.add_comm a b"` or
            `"← h (f a)"`. After the last one both sides are equal.
    """

    equation: Equation
    steps: tuple[str, ...]


def show(term: Term, level: int = 0) -> str:
    """Write a term in Lean's syntax.

    Args:
        term: The term.
        level: Binding strength that the place asks for; a weaker term gets parentheses. 0 asks for none, 1,024
            for an atom.
    """
    if isinstance(term, str):
        return term
    head = str(term[0])
    if head in _INFIX:
        own = _INFIX[head]
        text = f"{show(term[1], own)} {head} {show(term[2], own + 1)}"
    else:
        own = 1023
        text = " ".join([head, *(show(arg, 1024) for arg in term[1:])])
    return f"({text})" if own < level else text


def parse(text: str) -> Term:
    """Read a term that `show` wrote in prefix form.

    Raises:
        ValueError: The parentheses do not match, or the text is empty.
    """
    stack: list[list[Term]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
            continue
        if word == ")":
            if len(stack) == 1 or not stack[-1]:
                raise ValueError(f"term: got {text!r}, expected matching parentheses around applications")
            parts = stack.pop()
            stack[-1].append(_application(parts))
        else:
            stack[-1].append(word)
    if len(stack) > 1 or not stack[0]:
        raise ValueError(f"term: got {text!r}, expected an application in prefix form")
    return _application(stack[0])


def _application(parts: Sequence[Term]) -> Term:
    return parts[0] if len(parts) == 1 else tuple(parts)


def size(term: Term) -> int:
    """Return the number of names in a term."""
    return 1 if isinstance(term, str) else 1 + sum(map(size, term[1:]))


def names(term: Term) -> Iterator[str]:
    """Yield the names in a term from left to right, functions included, with repetitions."""
    if isinstance(term, str):
        yield term
    else:
        for part in term:
            yield from names(part)


def rename(term: Term, new: Mapping[str, Term]) -> Term:
    """Replace names by terms."""
    if isinstance(term, str):
        return new.get(term, term)
    return (term[0], *(rename(arg, new) for arg in term[1:]))


def rename_text(text: str, new: Mapping[str, str]) -> str:
    """Replace names in the text of a term or of a step."""
    words = text.replace("(", "( ").replace(")", " )").split(" ")
    return " ".join(new.get(word, word) for word in words).replace("( ", "(").replace(" )", ")")


def of_instance(term: Term) -> Term:
    """Write `A.` before the functions of a law, as they stand in a theorem about an instance `A` of a structure."""
    if isinstance(term, str):
        return term
    return (f"A.{term[0]}", *map(of_instance, term[1:]))


def bound_variables(*sides: Term) -> tuple[str, ...]:
    """Return which of `x`, `y`, `z`, `w`, the variables of laws, occur; in this order."""
    used = {name for side in sides for name in names(side)}
    return tuple(name for name in "xyzw" if name in used)


def random_term(
    rng: random.Random, operations: Sequence[str], atoms: Sequence[str], least: int, most: int
) -> Term:
    """Draw a term of an instance `A` with `least` to `most` operations; one of the two arguments of each is an atom."""
    term: Term = rng.choice(atoms)
    for _ in range(rng.randint(least, most)):
        head = f"A.{rng.choice(operations)}"
        other = rng.choice(atoms)
        term = (head, term, other) if rng.random() < 0.5 else (head, other, term)
    return term


def replace_all(term: Term, old: Term, new: Term) -> Term:
    """Replace every occurrence of `old`, outermost first, as `rw` does."""
    if term == old:
        return new
    if isinstance(term, str):
        return term
    return (term[0], *(replace_all(arg, old, new) for arg in term[1:]))


def scramble(
    rng: random.Random,
    start: Term,
    rules: Sequence[Rule],
    steps: int,
    atoms: Sequence[str],
    max_size: int = 14,
) -> Scrambled | None:
    """Apply `steps` random rules backwards to `start = start`.

    Args:
        rng: Source of the choices.
        start: The term that both sides are at the end of the proof.
        rules: Equations to choose from.
        steps: Length of the chain.
        atoms: Names for variables that occur on one side of a rule only.
        max_size: Largest `size` of a side.

    Returns:
        The equation with its proof; `None` if no chain of that length was found.
    """
    equation: Equation = (start, start)
    seen = {equation}
    chain: list[str] = []
    for _ in range(steps):
        for _ in range(_ATTEMPTS):
            found = _backwards(rng, equation, rng.choice(rules), atoms)
            if found and found[0] not in seen and max(map(size, found[0])) <= max_size:
                break
        else:
            return None
        equation = found[0]
        seen.add(equation)
        chain.append(found[1])
    return Scrambled(equation, tuple(reversed(chain)))


def _backwards(
    rng: random.Random, equation: Equation, rule: Rule, atoms: Sequence[str]
) -> tuple[Equation, str] | None:
    """Return an equation that one use of the rule turns into the given one, and that use; `None` for a bad draw."""
    forwards = rng.random() < 0.5
    before, after = (rule.left, rule.right) if forwards else (rule.right, rule.left)
    side = rng.randrange(2)
    path, subterm = rng.choice(list(subterms(equation[side])))
    binding: dict[str, Term] = {}
    if not match_term(after, subterm, frozenset(rule.variables), binding):
        return None
    for variable in rule.variables:
        binding.setdefault(variable, rng.choice(atoms))
    old, new = rename(before, binding), rename(after, binding)
    changed = _put(equation[side], path, old)
    result = (changed, equation[1]) if side == 0 else (equation[0], changed)
    if (
        result[0] == result[1]
        or (replace_all(result[0], old, new), replace_all(result[1], old, new)) != equation
    ):
        return None
    arguments = "".join(f" {show(binding[variable], 1024)}" for variable in rule.variables)
    return result, ("" if forwards else "← ") + rule.name + arguments


def subterms(term: Term) -> Iterator[tuple[tuple[int, ...], Term]]:
    """Yield the path and the term of every part of a term, the term itself first; a path numbers arguments from 1."""
    yield (), term
    if not isinstance(term, str):
        for number, arg in enumerate(term[1:], 1):
            for path, inner in subterms(arg):
                yield (number, *path), inner


def _put(term: Term, path: tuple[int, ...], new: Term) -> Term:
    if not path:
        return new
    return (*term[: path[0]], _put(term[path[0]], path[1:], new), *term[path[0] + 1 :])


def match_term(pattern: Term, term: Term, variables: frozenset[str], binding: dict[str, Term]) -> bool:
    """Bind the variables of the pattern such that it equals the term; return whether they can be.

    `binding` holds what is bound already, and is changed in any case.
    """
    if isinstance(pattern, str):
        if pattern in variables:
            return binding.setdefault(pattern, term) == term
        return pattern == term
    if isinstance(term, str) or len(pattern) != len(term) or pattern[0] != term[0]:
        return False
    return all(match_term(p, t, variables, binding) for p, t in zip(pattern[1:], term[1:], strict=True))


def proved_by_simplification(equation: Equation, rules: Sequence[Rule], fuel: int = 60) -> bool:
    """Return whether rewriting from left to right alone makes the two sides equal.

    It imitates `simp` with all the rules: each is used from left to right wherever it fits, arguments first; a rule
    whose sides have the same names is used only where it makes the term smaller in a fixed order.

    Args:
        equation: What should be proved.
        rules: The rules, as they stand in the statement.
        fuel: Number of rewriting steps for a side; a side that needs more counts as it is then, so loops end.
    """
    left, right = (_normal_form(side, rules, [fuel]) for side in equation)
    return left == right


def proved_by_repetition(equation: Equation, rules: Sequence[Rule], fuel: int = 24) -> bool:
    """Return whether the first rule that fits, used again and again, makes the two sides equal.

    It imitates `repeat (first | rfl | rw [r1] | rw [r2] ...)` with the rules in their order, read from left to right.

    Args:
        equation: What should be proved.
        rules: The rules in the order of preference.
        fuel: Largest number of steps; loops end there.
    """
    for _ in range(fuel):
        if equation[0] == equation[1]:
            return True
        found = next((step for rule in rules if (step := _first_use(equation, rule)) is not None), None)
        if found is None:
            return False
        equation = found
    return equation[0] == equation[1]


def proved_by_chance(
    rng: random.Random, equation: Equation, rules: Sequence[Rule], attempts: int, steps: int
) -> bool:
    """Return whether rewriting with rules drawn at random, arguments left to unification, makes the two sides equal.

    Each step draws a rule and a direction and uses it at the first place that fits, as `rw` does. A step that fits
    nowhere, or would leave a variable open, changes nothing.

    Args:
        rng: Source of the choices.
        equation: What should be proved.
        rules: The rules.
        attempts: Number of attempts.
        steps: Draws in each attempt.
    """
    both = [*rules, *(rule.flipped() for rule in rules)]
    for _ in range(attempts):
        sides = equation
        for _ in range(steps):
            sides = _first_use(sides, rng.choice(both)) or sides
            if sides[0] == sides[1]:
                return True
    return False


def fewest_arguments(equation: Equation, steps: Sequence[str], rules: Sequence[Rule]) -> tuple[str, ...]:
    """Return the steps without the arguments that `rw` finds itself.

    Lean unifies what is left out with the first place that fits. Each step keeps as many of its first arguments as
    lead to the same goal as all of them.

    Args:
        equation: The sides before the first step.
        steps: Uses of the rules with all their arguments, in prefix form, as in `Scrambled`.
        rules: The rules that the steps name.
    """
    by_name = {rule.name: rule for rule in rules}
    brief: list[str] = []
    for step in steps:
        arrow = "← " if step.startswith("← ") else ""
        application = parse(step.removeprefix("← "))
        name, *arguments = (application,) if isinstance(application, str) else application
        rule = by_name[str(name)].flipped() if arrow else by_name[str(name)]
        uses = [
            _first_use(equation, rule, dict(zip(rule.variables[:count], arguments[:count], strict=True)))
            for count in range(len(arguments) + 1)
        ]
        equation = uses[-1] or equation
        # Any equation of equal sides ends the proof.
        ends = equation[0] == equation[1]
        fewest = next(
            count for count, use in enumerate(uses) if use == uses[-1] or (ends and use and use[0] == use[1])
        )
        brief.append(arrow + show((name, *arguments[:fewest])))
    return tuple(brief)


def _first_use(equation: Equation, rule: Rule, given: Mapping[str, Term] | None = None) -> Equation | None:
    for side in equation:
        for _, subterm in subterms(side):
            binding = dict(given or {})
            if match_term(rule.left, subterm, frozenset(rule.variables), binding):
                if len(binding) < len(rule.variables):
                    return None
                new = rename(rule.right, binding)
                return replace_all(equation[0], subterm, new), replace_all(equation[1], subterm, new)
    return None


def _normal_form(term: Term, rules: Sequence[Rule], fuel: list[int]) -> Term:
    """Rewrite the arguments first, then the term itself; `fuel` holds the number of steps that are left."""
    while True:
        if not isinstance(term, str):
            term = (term[0], *(_normal_form(arg, rules, fuel) for arg in term[1:]))
        reduced = _reduce(term, rules)
        if reduced is None or fuel[0] == 0:
            return term
        fuel[0] -= 1
        term = reduced


def _reduce(term: Term, rules: Sequence[Rule]) -> Term | None:
    for rule in rules:
        binding: dict[str, Term] = {}
        if not match_term(rule.left, term, frozenset(rule.variables), binding):
            continue
        result = rename(rule.right, binding)
        permutes = sorted(names(rule.left)) == sorted(names(rule.right))
        if result != term and not (permutes and rule.variables and str(result) > str(term)):
            return result
    return None
