"""Rewrite rules for `simp`, indexed by head symbols; `simp_lemmas` makes them.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/SimpTheorems.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from minilean.kernel.expr import Const, Expr, FVar, Lit, get_app
from minilean.meta.extension import DEFAULT_PRIORITY

Key = tuple[object, int]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """`∀ binders, left = right`, with `proof` a closed term (over the goal's variables) of that statement.

    `levels` are the universe parameters to instantiate afresh at each use. `left` has a loose bound variable for
    each binder. `order` decides which of several rules is tried first: that of the highest priority (the first
    number, negated), then that with a variable where the others have something specific. A rule that holds
    `by_definition` leaves no trace in the proof.
    """

    name: str
    levels: tuple[str, ...]
    type: Expr
    proof: Expr
    left: Expr
    key: Key
    permutes: bool
    arg_heads: tuple[object, ...] = ()
    order: tuple[int, ...] = (-DEFAULT_PRIORITY,)
    by_definition: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """What `simp` was asked for beyond its rules.

    Attributes:
        arith: `+arith`: linear arithmetic over `Nat` is normalized.
        decide: `+decide`: propositions are decided by evaluation.
        contextual: `+contextual`: in `p → q`, `p` may be used for `q`.
        definitional: Only what holds by definition, as `dsimp` does.
        splitting: Hypotheses decide the conditions of `if`, as in `split`.
        zeta_delta: `+zetaDelta`: local definitions stand for their values.
        fail_if_unchanged: Whether it is an error when nothing changes.
    """

    arith: bool = False
    decide: bool = False
    contextual: bool = False
    definitional: bool = False
    splitting: bool = False
    zeta_delta: bool = False
    fail_if_unchanged: bool = True


PLAIN = Options()


@dataclass(slots=True)
class RuleSet:
    """Rules by the head of their left side, and what else `simp` may do.

    Attributes:
        by_key: The rules.
        erased: Names of rules that are not used.
        base: Rules that are shared with others.
        procedures: The simplification procedures that may run; `None` stands for all of them.
        options: What was asked for beyond rules.
        used: The names of the rules that were used, in order; shared by all copies.
        unfolds: Recursive functions that are unfolded where a case of their definition applies.
        values: Local definitions that stand for their values, by the numbers of their variables.
    """

    by_key: dict[Key, list[Rule]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    base: RuleSet | None = None
    procedures: frozenset[str] | None = None
    options: Options = PLAIN
    used: dict[str, None] = field(default_factory=dict)
    unfolds: set[str] = field(default_factory=set)
    values: set[int] = field(default_factory=set)

    def unfolding(self, name: str) -> bool:
        """Whether a recursive function of this name is to be unfolded."""
        return name in self.unfolds or (self.base is not None and name in self.base.unfolds)

    def runs(self, *names: str) -> bool:
        """Whether one of these procedures may run."""
        return self.procedures is None or not self.procedures.isdisjoint(names)

    def add(self, rules: Iterable[Rule]) -> None:
        """Add rules."""
        for rule in rules:
            self.by_key.setdefault(rule.key, []).append(rule)

    def without(self, name: str) -> RuleSet:
        """These rules but for those of one name."""
        return replace(self, erased=self.erased | {name})

    def matching(self, e: Expr) -> list[Rule]:
        """The rules whose left side may match `e`, in the order in which Lean's discrimination tree gives them."""
        key = head_key(e)
        heads: tuple[object, ...] | None = None
        found: list[Rule] = []
        for table in (self.base, self):
            for rule in table.by_key.get(key, ()) if table is not None else ():
                if rule.name in self.erased:
                    continue
                if heads is None:
                    heads = tuple(argument_head(a) for a in get_app(e)[1])
                if all(_may_match(a, b) for a, b in zip(rule.arg_heads, heads, strict=False)):
                    found.append(rule)
        found.sort(key=lambda rule: rule.order)
        return found

    def arities(self, fn: Expr, below: int) -> list[int]:
        """With how many arguments, fewer than `below`, there are rules for `fn`, the most first."""
        symbol, _ = head_key(fn)
        base = self.base.by_key if self.base is not None else ()
        return [n for n in range(below - 1, -1, -1) if (symbol, n) in base or (symbol, n) in self.by_key]


def head_key(e: Expr) -> Key:
    """Head symbol and number of arguments."""
    fn, args = get_app(e)
    kind = type(fn)
    if kind is Const:
        return fn.name, len(args)  # type: ignore[attr-defined]
    if kind is FVar:
        return ("fvar", fn.id), len(args)  # type: ignore[attr-defined]
    return kind, len(args)


# Heads of arguments by which a rule can be excluded: nothing reducible, nothing that literals may stand for.
_OPAQUE_HEADS = frozenset(
    [
        "And",
        "Or",
        "Not",
        "Iff",
        "Eq",
        "True",
        "False",
        "Exists",
        "HAdd.hAdd",
        "HMul.hMul",
        "HSub.hSub",
        "HPow.hPow",
        "HAppend.hAppend",
        "LE.le",
        "LT.lt",
        "List.cons",
        "List.nil",
        "Bool.true",
        "Bool.false",
        "Prod.mk",
        "Option.some",
        "Option.none",
        "ite",
        "dite",
    ]
)


def argument_head(e: Expr) -> object:
    """What an argument starts with: a symbol, the value of a numeral, or `None`, which says nothing."""
    fn, args = get_app(e)
    if type(fn) is Const and fn.name in _OPAQUE_HEADS:
        return fn.name
    literal = args[1] if len(args) == 3 and type(fn) is Const and fn.name == "OfNat.ofNat" else e
    return literal.value if type(literal) is Lit and type(literal.value) is int else None


def _may_match(of_rule: object, of_term: object) -> bool:
    """Whether heads agree: `n + 1` in a rule takes numerals, a numeral there takes no sum."""
    if of_rule is None or of_term is None or of_rule == of_term:
        return True
    return type(of_rule) is str and type(of_term) is int
