"""Generator of first-order theorems: quantifier problems with a witness, each with a proof.

    from lean_gym.datasets.generators.first_order import FIRST_ORDER
    theorems = FIRST_ORDER.generate(100, difficulty=0.3, seed=0)

A problem is built together with its proof. Facts about some elements are drawn, among them existential statements
and rules `∀ x, p x → ∃ y, R x y ∧ q y`, which give further elements. Rules are drawn that lead from facts to other
facts. The conclusion says that an element exists for which some derived facts hold; the proof names it. A fact may be
hidden in a disjunction, and a conjunct of the conclusion may be widened to one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator

_PREDICATES: Final = ("p", "q", "r", "s", "t")
_RELATIONS: Final = ("R", "S", "T")
_FUNCTIONS: Final = ("f", "g")
_CONSTANTS: Final = ("a", "b", "c")
_ELEMENTS: Final = ("x", "y", "z", "u", "v", "w")
_NAME: Final = re.compile(r"\b[A-Za-z]\b")

# An atom: a predicate or relation with one or two terms, which are Lean text.
_Atom = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Derivation:
    """A derived atom: a hypothesis applied to terms and to derivations of its premises.

    Attributes:
        atom: The conclusion.
        hypothesis: Text of the hypothesis that is applied.
        terms: The terms that its variables are instantiated with.
        premises: Derivations of its premises, in order.
    """

    atom: _Atom
    hypothesis: str
    terms: tuple[str, ...] = ()
    premises: tuple[_Derivation, ...] = ()


@dataclass(frozen=True, slots=True)
class _Opening:
    """A step that opens an existential: `rcases source with ⟨element, ...⟩`; each part is then a fact.

    Attributes:
        hypothesis: Text of the hypothesis.
        premise: For a rule, the fact that it is applied to, with the term of that fact.
        element: Name of the new element.
        parts: The atoms that hold of it.
    """

    hypothesis: str
    premise: tuple[str, _Derivation] | None
    element: str
    parts: tuple[_Atom, ...]


@dataclass(slots=True)
class _Problem:
    """A problem under construction: hypotheses in the order in which they were needed."""

    hypotheses: list[str] = field(default_factory=list)
    facts: list[_Derivation] = field(default_factory=list)
    openings: list[_Opening] = field(default_factory=list)

    def assume(self, text: str) -> str:
        """Add a hypothesis unless it is there; return its text."""
        if text not in self.hypotheses:
            self.hypotheses.append(text)
        return text


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw one problem with its proof; `None` if the drawn parts do not fit together."""
    problem = _Problem()
    size = 1 + 6 * difficulty
    for _ in range(rng.randint(1, 1 + round(size / 3))):
        fact = _random_fact(rng, list(_CONSTANTS[: rng.randint(1, 3)]))
        known = _Derivation(fact, problem.assume(_spell(fact)))
        if known not in problem.facts:
            problem.facts.append(known)
    for _ in range(rng.randint(0, round(size / 2))):
        _open_existential(rng, problem)
    goals = [_derive(rng, problem, rng.randint(0, 1 + round(size / 3))) for _ in range(rng.randint(1, 3))]
    if len({goal.atom for goal in goals}) < len(goals):
        return None
    split = _hide_in_disjunction(rng, problem, goals) if rng.random() < difficulty - 0.2 else None
    witness = rng.choice(sorted({term for goal in goals for term in goal.atom[1:]}))
    return _finish(rng, problem, goals, witness, split)


def _random_fact(rng: random.Random, terms: list[str]) -> _Atom:
    if rng.random() < 0.6:
        return (rng.choice(_PREDICATES), rng.choice(terms))
    return (rng.choice(_RELATIONS), rng.choice(terms), rng.choice(terms))


def _open_existential(rng: random.Random, problem: _Problem) -> None:
    """Add an existential hypothesis, or a rule with an existential conclusion, and the facts that it gives."""
    element = _ELEMENTS[len(problem.openings)] if len(problem.openings) < len(_ELEMENTS) else ""
    if not element:
        return
    unary = [fact for fact in problem.facts if len(fact.atom) == 2]
    relation, predicate = rng.choice(_RELATIONS), rng.choice(_PREDICATES)
    premise: tuple[str, _Derivation] | None = None
    if unary and rng.random() < 0.6:
        fact = rng.choice(unary)
        old = fact.atom[1]
        text = f"∀ x, {fact.atom[0]} x → ∃ y, {relation} x y ∧ {predicate} y"
        premise = (old, fact)
    else:
        old = rng.choice(_CONSTANTS[:2])
        text = f"∃ x, {relation} {old} x ∧ {predicate} x"
    if text in problem.hypotheses:
        return
    parts: tuple[_Atom, ...] = ((relation, old, element), (predicate, element))
    problem.assume(text)
    problem.openings.append(_Opening(text, premise, element, parts))
    problem.facts += [_Derivation(part, f"{text} @ {part}") for part in parts]


def _derive(rng: random.Random, problem: _Problem, steps: int) -> _Derivation:
    """Derive an atom from a known fact by so many rules, which become hypotheses."""
    # Facts about opened elements come last; a proof that starts from them needs the openings.
    facts = problem.facts
    current = facts[max(rng.randrange(len(facts)), rng.randrange(len(facts)))]
    for _ in range(steps):
        rules = _rules_for_relation if len(current.atom) == 3 else _rules_for_predicate
        text, atom, terms, premises = rng.choice(rules(rng, problem, current))
        current = _Derivation(atom, problem.assume(text), terms, premises)
    return current


_Rule = tuple[str, _Atom, tuple[str, ...], tuple[_Derivation, ...]]


def _rules_for_predicate(rng: random.Random, problem: _Problem, known: _Derivation) -> list[_Rule]:
    """Return rules that lead on from an atom with one term."""
    name, term = known.atom
    other, relation, function = rng.choice(_PREDICATES), rng.choice(_RELATIONS), rng.choice(_FUNCTIONS)
    image = _apply(function, term)
    found: list[_Rule] = [
        (f"∀ x, {name} x → {other} ({function} x)", (other, image), (term,), (known,)),
        (f"∀ x, {name} x → {relation} x ({function} x)", (relation, term, image), (term,), (known,)),
    ]
    if other != name:
        found.append((f"∀ x, {name} x → {other} x", (other, term), (term,), (known,)))
    for fact in problem.facts:
        if len(fact.atom) == 3 and fact.atom[1] == term:
            text = f"∀ x y, {fact.atom[0]} x y → {name} x → {other} y"
            found.append((text, (other, fact.atom[2]), (term, fact.atom[2]), (fact, known)))
    return found


def _rules_for_relation(rng: random.Random, problem: _Problem, known: _Derivation) -> list[_Rule]:
    """Return rules that lead on from an atom with two terms."""
    name, left, right = known.atom
    other, predicate, function = rng.choice(_RELATIONS), rng.choice(_PREDICATES), rng.choice(_FUNCTIONS)
    image = (name, _apply(function, left), _apply(function, right))
    text = f"∀ x y, {name} x y → {name} ({function} x) ({function} y)"
    found: list[_Rule] = [
        (f"∀ x y, {name} x y → {predicate} y", (predicate, right), (left, right), (known,)),
        (f"∀ x y, {name} x y → {other} y x", (other, right, left), (left, right), (known,)),
        (text, image, (left, right), (known,)),
    ]
    for fact in problem.facts:
        if len(fact.atom) == 3 and fact.atom[1] == right and fact != known:
            text = f"∀ x y z, {name} x y → {fact.atom[0]} y z → {other} x z"
            found.append((text, (other, left, fact.atom[2]), (left, right, fact.atom[2]), (known, fact)))
    return found


def _hide_in_disjunction(
    rng: random.Random, problem: _Problem, goals: list[_Derivation]
) -> tuple[str, str] | None:
    """Replace a fact that the goals use by a disjunction, with a rule from its other side.

    Returns:
        The disjunction, and the rule; `None` if no plain fact can be replaced.
    """
    used = {leaf for goal in goals for leaf in _leaves(goal)}
    used |= {opening.premise[1] for opening in problem.openings if opening.premise is not None}
    plain = [
        fact for fact in problem.facts if fact in used and len(fact.atom) == 2 and "@" not in fact.hypothesis
    ]
    if not plain:
        return None
    fact = rng.choice(plain)
    other = rng.choice([name for name in _PREDICATES if name != fact.atom[0]])
    disjunction = f"{fact.hypothesis} ∨ {other} {_argument(fact.atom[1])}"
    rule = f"∀ x, {other} x → {fact.atom[0]} x"
    problem.hypotheses[problem.hypotheses.index(fact.hypothesis)] = disjunction
    problem.assume(rule)
    return disjunction, rule


def _leaves(derivation: _Derivation) -> Iterator[_Derivation]:
    if not derivation.premises:
        yield derivation
    for premise in derivation.premises:
        yield from _leaves(premise)


def _finish(
    rng: random.Random,
    problem: _Problem,
    goals: list[_Derivation],
    witness: str,
    split: tuple[str, str] | None,
) -> Draw | None:
    """Write statement and proof; `None` if a hypothesis is idle or the statement is too large."""
    _drop_idle(problem, goals, split)
    if len(problem.hypotheses) > 9:
        return None
    rng.shuffle(problem.hypotheses)
    widened = {goal.atom: rng.choice(("left", "right")) for goal in goals if rng.random() < 0.15}
    conclusion, witnesses = _conclusion(rng, problem, goals, witness, widened)
    statement = " → ".join([*map(_premise, problem.hypotheses), conclusion])
    script = _Script(problem, goals, witnesses, widened).write(split)
    return _canonical(statement, "\n".join(script))


def _drop_idle(problem: _Problem, goals: list[_Derivation], split: tuple[str, str] | None) -> None:
    """Remove openings and hypotheses that no goal needs."""
    needed: set[str] = set(split or ())
    for goal in goals:
        needed |= _hypotheses_of(goal)
    for opening in reversed(problem.openings):
        if any(f"{opening.hypothesis} @ {part}" in needed for part in opening.parts):
            needed.add(opening.hypothesis)
            if opening.premise is not None:
                needed |= _hypotheses_of(opening.premise[1])
    problem.openings = [opening for opening in problem.openings if opening.hypothesis in needed]
    problem.hypotheses = [text for text in problem.hypotheses if text in needed]


def _hypotheses_of(derivation: _Derivation) -> set[str]:
    found = {derivation.hypothesis}
    for premise in derivation.premises:
        found |= _hypotheses_of(premise)
    return found


def _conclusion(
    rng: random.Random, problem: _Problem, goals: list[_Derivation], witness: str, widened: dict[_Atom, str]
) -> tuple[str, list[str]]:
    """Return `∃ x y, ...` and the witnesses of its variables.

    The first variable stands for the witness; each opened element that is left gets a variable of its own, since the
    statement cannot name it.
    """
    opened = {opening.element for opening in problem.openings}
    variables = {witness: _ELEMENTS[0]}

    def closed(term: str) -> str:
        if term == witness:
            return variables[witness]

        def variable(match: re.Match[str]) -> str:
            if match[0] not in opened:
                return match[0]
            return variables.setdefault(match[0], _ELEMENTS[len(variables)])

        return _NAME.sub(variable, term)

    conjuncts = []
    for goal in goals:
        text = _spell((goal.atom[0], *map(closed, goal.atom[1:])))
        side = widened.get(goal.atom)
        if side is not None:
            other = f"{rng.choice(_PREDICATES)} {_ELEMENTS[0]}"
            text = f"{text} ∨ {other}" if side == "left" else f"{other} ∨ {text}"
            text = f"({text})" if len(goals) > 1 else text
        conjuncts.append(text)
    return f"∃ {' '.join(variables.values())}, {' ∧ '.join(conjuncts)}", list(variables)


class _Script:
    """The proof of a problem, one tactic a line."""

    def __init__(
        self, problem: _Problem, goals: list[_Derivation], witnesses: list[str], widened: dict[_Atom, str]
    ) -> None:
        self.problem = problem
        self.goals = goals
        self.witnesses = ", ".join(witnesses)
        self.widened = widened
        # Hypothesis, or part of an opened one, -> the term that proves it.
        self.names: dict[str, str] = {}

    def write(self, split: tuple[str, str] | None) -> list[str]:
        """Return the lines; with a disjunction, the proof is written once for each side."""
        lines = []
        for text in self.problem.hypotheses:
            self.names[text] = self._fresh(1)[0]
            lines.append(f"intro {self.names[text]}")
        if split is None:
            return lines + self._rest()
        disjunction, rule = split
        before = dict(self.names)
        name = self._fresh(1)[0]
        lines.append(f"rcases {before.pop(disjunction)} with {name} | {name}")
        fact, other = disjunction.split(" ∨ ")
        self.names = {**before, fact: name}
        lines += self._rest()
        term = other.partition(" ")[2]
        # The other side proves the fact by the rule; the bare name stays taken.
        self.names = {**before, other: name, fact: f"{before[rule]} {term} {name}"}
        return lines + self._rest()

    def _rest(self) -> list[str]:
        lines = []
        for opening in self.problem.openings:
            names = self._fresh(len(opening.parts))
            source = self.names[opening.hypothesis]
            if opening.premise is not None:
                old, fact = opening.premise
                source = f"{source} {_argument(old)} {_argument(self._term(fact) or '')}"
            else:
                del self.names[opening.hypothesis]
            lines.append(f"rcases {source} with ⟨{opening.element}, {', '.join(names)}⟩")
            for part, name in zip(opening.parts, names, strict=True):
                self.names[f"{opening.hypothesis} @ {part}"] = name
        return lines + self._conclude()

    def _conclude(self) -> list[str]:
        terms = [self._term(goal) for goal in self.goals]
        if None not in terms and not self.widened:
            return [f"exact ⟨{', '.join([self.witnesses, *map(str, terms)])}⟩"]
        lines = [f"refine ⟨{self.witnesses}, ?_⟩"]
        for number, goal in enumerate(self.goals, start=1):
            if number < len(self.goals):
                lines.append("constructor")
            if goal.atom in self.widened:
                lines.append(self.widened[goal.atom])
            lines += self._prove(goal)
        return lines

    def _prove(self, goal: _Derivation) -> list[str]:
        """Return the lines for one atom: `apply` for a rule with a premise that is derived itself."""
        term = self._term(goal)
        if term is not None:
            return [f"exact {term}"]
        applied = " ".join([self.names[goal.hypothesis], *map(_argument, goal.terms)])
        return [f"apply {applied}", *(line for premise in goal.premises for line in self._prove(premise))]

    def _term(self, goal: _Derivation) -> str | None:
        """Return a term without nested rules; `None` if a premise is derived itself."""
        if not goal.premises:
            return self.names[goal.hypothesis]
        if any(premise.premises for premise in goal.premises):
            return None
        arguments = [*goal.terms, *(self.names[premise.hypothesis] for premise in goal.premises)]
        return " ".join([self.names[goal.hypothesis], *map(_argument, arguments)])

    def _fresh(self, count: int) -> list[str]:
        """Return the first names of `h`, `h1`, `h2`, ... that are free."""
        taken = set(self.names.values())
        free: list[str] = []
        number = 0
        while len(free) < count:
            name = f"h{number or ''}"
            if name not in taken:
                free.append(name)
            number += 1
        return free


def _canonical(statement: str, proof: str) -> Draw:
    """Rename predicates, relations, functions and constants in order of first occurrence, and bind them."""
    renamed: dict[str, str] = {}
    binders = []
    for names, type_ in (
        (_CONSTANTS, "α"),
        (_FUNCTIONS, "α → α"),
        (_PREDICATES, "α → Prop"),
        (_RELATIONS, "α → α → Prop"),
    ):
        found = [name for name in dict.fromkeys(_NAME.findall(statement)) if name in names]
        renamed.update(zip(found, names, strict=False))
        if found:
            binders.append(f"({' '.join(names[: len(found)])} : {type_})")

    def rename(text: str) -> str:
        return _NAME.sub(lambda match: renamed.get(match[0], match[0]), text)

    return Draw(
        statement=f"(α : Type) {' '.join(binders)} : {rename(statement)}",
        proof=rename(proof),
        domain="first_order",
    )


def _premise(text: str) -> str:
    return f"({text})" if text[0] in "∀∃" or "∨" in text else text


def _spell(atom: _Atom) -> str:
    return " ".join([atom[0], *map(_argument, atom[1:])])


def _apply(function: str, term: str) -> str:
    return f"{function} {_argument(term)}"


def _argument(term: str) -> str:
    return f"({term})" if " " in term else term


FIRST_ORDER: Final = Generator("first_order", _draw)
