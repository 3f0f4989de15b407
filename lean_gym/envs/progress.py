"""Share of a theorem that the closed goals of an unfinished proof stand for: a number from 0 to 1.

The start goal has weight 1. A tactic that replaces a goal by several divides the goal's weight among them, and a goal
that is closed banks its weight. Goals are known by their printed text only, so the rules err on the low side:

1. *Cuts.* Among the goals that replace a goal, one with the same target continues it. The others are side goals: they
   have no weight, and nothing below the goal counts before all of them are closed (`have`, `suffices`, `obtain ... :
   T`). A target `... → T` or `..., T` continues `T`, and so does `A` beside `A ↔ T` or `A = T`. A goal together with
   its negation (`absurd`) counts when both are closed.
2. *Cases.* Goals with the same target are one share, worth the least of them (`by_cases`). The exception is a
   disjunction of the theorem's own text that every case lost and got a part of (`rcases h`): each case has its share,
   once for each such hypothesis on a path.
3. *Detours.* A goal with the target of an ancestor is that ancestor again: the ancestor is worth at most as much.
4. *Automation.* A new goal that the prover's probe closes at once has no weight, and neither has a witness. The probe
   uses no forbidden tactic.
5. *Unclear steps.* A step that changes several goals at once banks their weight when all that came of them is closed.
6. *Unsound steps.* Goals closed by a text with `sorry`, `native_decide` and their kin bank nothing.

If no part of a goal has weight, the goal counts when it is closed. The value never says that the open goals can be
proved.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from lean_gym.types import Goal

_UNSOUND: Final = re.compile(r"sorry|admit|\bstop\b|native|bv_decide|ofReduce|reduceBool|lcProof")
_METAVARIABLE: Final = re.compile(r"\\\?[\w.✝]+")


class _Rule(Enum):
    """Way in which the value of a goal follows from the goals that replaced it."""

    LEAF = "not replaced"
    SHARES = "the shares of its parts"
    ALL = "1 when every part is closed"
    LOST = "never closed"


@dataclass(frozen=True, slots=True)
class _Node:
    """A goal that is or was open.

    Attributes:
        parent: Number of the goal that it replaced, -1 for the whole theorem.
        target: The target on one line.
        types: Types of its hypotheses.
        rule: How it was replaced.
        weighs: Whether it has a share of its parent; a share is divided by the goals with the same target.
        side: Whether the parent counts for nothing before this goal is closed.
        share_of: Goals of the same parent with the same value here are one share.
        consumed: The hypothesis type that the case distinction it came from took apart, `""` for none.
        with_node: The goal that holds the parts of a step that changed several goals, -1 for none.
    """

    parent: int
    target: str
    types: frozenset[str]
    rule: _Rule = _Rule.LEAF
    weighs: bool = True
    side: bool = False
    share_of: str = ""
    consumed: str = ""
    with_node: int = -1


@dataclass(frozen=True, slots=True)
class ProofProgress:
    """The tree of goals of an unfinished proof; an immutable value.

    Attributes:
        statement: Text of the first goals, on one line.
        nodes: All goals so far; a goal stands after the one that it replaced. The first stands for the theorem.
        open: Numbers of the open goals, in the order of the goals.
        value: Share of the theorem that is closed, from 0 to 1.
    """

    statement: str
    nodes: tuple[_Node, ...]
    open: tuple[int, ...]
    value: float = 0.0

    @classmethod
    def start(cls, goals: Sequence[Goal]) -> ProofProgress:
        """Return the progress of a theorem with these first goals: none."""
        statement = "\n".join(_line(goal.text) for goal in goals)
        whole = _Node(-1, "", frozenset(), _Rule.SHARES)
        parts = [replace(_node(0, goal), share_of=str(at)) for at, goal in enumerate(goals)]
        return cls(statement, (whole, *parts), tuple(range(1, len(parts) + 1)))

    def step(
        self, before: Sequence[Goal], after: Sequence[Goal], tactic: str, automatic: Sequence[bool] | None
    ) -> ProofProgress:
        """Return the progress after an accepted tactic.

        Args:
            before: The goals of `open`.
            after: The goals after the tactic.
            tactic: Its text.
            automatic: For each goal of `after`, whether automation closes it at once; `None` when nobody asked, and
                then a goal that is divided counts when it is closed.
        """
        kept, changed, fresh = _pair(before, after)
        nodes = list(self.nodes)
        numbers = {now: self.open[was] for was, now in kept.items()}
        if not changed:
            return replace(self, open=tuple(numbers[now] for now in range(len(after))))
        parents = [self.open[was] for was in changed]
        # The parts of several goals stand with the last one: a value is computed from later goals only.
        number = max(parents)
        children = [_node(number, after[now]) for now in fresh]
        if _UNSOUND.search(tactic):
            nodes[number] = replace(nodes[number], rule=_Rule.ALL)
            children.append(_Node(number, "", frozenset(), _Rule.LOST))
        elif len(parents) > 1:
            nodes[number] = replace(nodes[number], rule=_Rule.ALL)
        else:
            goals = [after[now] for now in fresh]
            easy = None if automatic is None else [automatic[now] for now in fresh]
            nodes[number], children = self._divide(number, children, goals, easy)
        for other in parents:
            if other != number:
                nodes[other] = replace(nodes[other], rule=_Rule.ALL, with_node=number)
        if len(children) == 1 and children[0].target == nodes[number].target:
            # The same target with other hypotheses: no new goal, so that idle steps cost nothing.
            nodes[number] = replace(nodes[number], rule=_Rule.LEAF, types=children[0].types)
            numbers[fresh[0]] = number
        else:
            numbers |= {now: len(nodes) + at for at, now in enumerate(fresh)}
            nodes += children
        still_open = tuple(numbers[now] for now in range(len(after)))
        return replace(self, nodes=tuple(nodes), open=still_open, value=_value(nodes, set(still_open)))

    def _divide(
        self, number: int, children: list[_Node], goals: Sequence[Goal], easy: list[bool] | None
    ) -> tuple[_Node, list[_Node]]:
        """Return a goal that is replaced by others, and those with their shares."""
        node = self.nodes[number]
        if len(children) < 2:
            return replace(node, rule=_Rule.SHARES), children
        if easy is None or _contradict(children):
            return replace(node, rule=_Rule.ALL), children
        divided = [
            replace(child, weighs=not (easy[at] or _is_witness(goals, at)), share_of=child.target)
            for at, child in enumerate(children)
        ]
        targets = [child.target for child in children]
        continues = [
            _continues(target, node.target) or _is_restated(target, node.target, targets)
            for target in targets
        ]
        if all(continues):
            consumed = self._consumed(number, children)
            divided = [
                replace(child, share_of=str(at) if consumed else "", consumed=consumed)
                for at, child in enumerate(divided)
            ]
        elif any(continues):
            divided = [
                replace(child, share_of="") if goes_on else replace(child, weighs=False, side=True)
                for child, goes_on in zip(divided, continues, strict=True)
            ]
        return replace(node, rule=_Rule.SHARES), divided

    def _consumed(self, number: int, children: Sequence[_Node]) -> str:
        """Return the type of the theorem's own hypothesis that a case distinction took apart, `""` if it is none."""
        node, taken = self.nodes[number], set()
        at = number
        while at >= 0:
            taken.add(self.nodes[at].consumed)
            at = self.nodes[at].parent
        for lost in sorted(node.types - taken):
            parts = [child.types - node.types for child in children]
            if (
                lost in self.statement
                and all(lost not in child.types for child in children)
                and all(any(part in lost for part in new) for new in parts)
            ):
                return lost
        return ""


def _pair(before: Sequence[Goal], after: Sequence[Goal]) -> tuple[dict[int, int], list[int], list[int]]:
    """Return which goals are the same before and after, those that changed, and those that are new.

    A tactic works on the first goal, so another goal with the same text is paired before the first one is. A goal with
    metavariables is the same when they have been solved.
    """
    was, now = [goal.text for goal in before], [goal.text for goal in after]
    free = list(range(len(now) - 1, -1, -1))
    kept: dict[int, int] = {}
    for at in range(len(was) - 1, -1, -1):
        same = next((one for one in free if now[one] == was[at]), None)
        if same is not None:
            kept[at] = same
            free.remove(same)
    for at in range(len(was) - 1, 0, -1):
        if at not in kept and "?" in was[at]:
            pattern = re.compile(_METAVARIABLE.sub(".+?", re.escape(was[at])), re.DOTALL)
            matching = [one for one in free if pattern.fullmatch(now[one])]
            if len(matching) == 1:
                kept[at] = matching[0]
                free.remove(matching[0])
    changed = [at for at in range(len(was)) if at not in kept]
    if free and not changed and was:
        free.append(kept.pop(0))
        changed = [0]
    return kept, changed, sorted(free)


def _value(nodes: Sequence[_Node], still_open: set[int]) -> float:
    """Return the share of the theorem that is closed."""
    parts: list[list[int]] = [[] for _ in nodes]
    again: list[list[int]] = [[] for _ in nodes]
    closed, values = [False] * len(nodes), [0.0] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        if node.with_node >= 0:
            closed[number] = closed[node.with_node]
        elif node.rule is not _Rule.LOST and number not in still_open:
            closed[number] = all(closed[part] for part in parts[number])
        if closed[number]:
            values[number] = 1.0
        elif node.rule is _Rule.SHARES and all(closed[part] for part in parts[number] if nodes[part].side):
            values[number] = min(
                [_shared([(nodes[part], values[part]) for part in parts[number]])]
                + [values[at] for at in again[number]]
            )
        if node.parent >= 0:
            parts[node.parent].append(number)
            for ancestor in _repeated(nodes, number):
                again[ancestor].append(number)
    return values[0]


def _shared(parts: Sequence[tuple[_Node, float]]) -> float:
    """Return the value of a goal from its parts with theirs."""
    shares: dict[str, float] = {}
    for part, value in parts:
        if part.weighs:
            shares[part.share_of] = min(value, shares.get(part.share_of, 1.0))
    return sum(shares.values()) / len(shares) if shares else 0.0


def _repeated(nodes: Sequence[_Node], number: int) -> list[int]:
    """Return the ancestors of a goal that have its target, up to the last case distinction that has a share."""
    found, at = [], number
    while not nodes[at].consumed or not _continues(nodes[number].target, nodes[at].target):
        at = nodes[at].parent
        if at <= 0:
            break
        if _continues(nodes[number].target, nodes[at].target):
            found.append(at)
    return found


def _continues(target: str, earlier: str) -> bool:
    """Return whether a target is an earlier one, perhaps with more assumptions before it."""
    ends = (f"{arrow}{text}" for arrow in ("→ ", ", ") for text in (earlier, f"({earlier})"))
    return target == earlier or target.endswith(tuple(ends))


def _is_restated(target: str, earlier: str, targets: Sequence[str]) -> bool:
    """Return whether one of some targets says that a target is an earlier one in other words."""
    texts = itertools.product((target, f"({target})"), (earlier, f"({earlier})"))
    joined = (
        f"{left} {sign} {right}" for pair in texts for sign in "↔=" for left, right in (pair, pair[::-1])
    )
    return any(text in targets for text in joined)


def _contradict(children: Sequence[_Node]) -> bool:
    """Return whether one target is the negation of another."""
    targets = {child.target for child in children}
    return any(
        denied in targets
        for text in targets
        for denied in (f"¬{text}", f"¬({text})", f"{text} → False", f"({text}) → False")
    )


def _is_witness(goals: Sequence[Goal], at: int) -> bool:
    """Return whether other goals stand for the solution of this one, as `case w` for `?w`."""
    case = goals[at].case
    return bool(case) and any(re.search(rf"\?{re.escape(str(case))}(?![\w.])", goal.text) for goal in goals)


def _node(parent: int, goal: Goal) -> _Node:
    return _Node(parent, _line(goal.target), frozenset(_line(one.type) for one in goal.hypotheses))


def _line(text: str) -> str:
    return " ".join(text.split())
