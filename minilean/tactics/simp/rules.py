"""Rewrite rules of `simp`, indexed by head symbols; `lemmas` makes them.

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

    `levels` are the universe parameters, which each use instantiates with new metavariables. `left` has a loose bound
    variable for each binder. `order` decides which of several rules is tried first: that of the highest priority (the
    first number, negated), then that with a variable where the others have a symbol. A rule that holds `by_definition`
    adds nothing to the proof. A rule that `unfolds` is the unfolding equation of the definition of its name.
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
    unfolds: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a call of `simp`.

    Attributes:
        arith: `+arith`: linear arithmetic over `Nat` is normalized.
        decide: `+decide`: propositions are decided by evaluation.
        contextual: `+contextual`: in `p → q`, `p` is a rule for `q`.
        definitional: Only rewrite steps that hold by definition, as in `dsimp`.
        splitting: Hypotheses decide the conditions of `if`, as in `split`.
        zeta_delta: `+zetaDelta`: local definitions stand for their values.
        fail_if_unchanged: Fail when nothing changes.
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
    """Rules by the head of their left side, with options and procedures.

    Attributes:
        by_key: The rules.
        erased: Names of rules that are not used.
        base: Rules that are shared with others.
        procedures: The simplification procedures that may run; `None` stands for all of them.
        options: The options of the call.
        used: The names of the rules that were used, in order; shared by all copies.
        unfolds: Recursive functions that are unfolded where a case of their definition applies.
        values: Local definitions that stand for their values, by the numbers of their variables.
        definitions: The unfolding equations of definitions that are not recursive, by name.
    """

    by_key: dict[Key, list[Rule]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    base: RuleSet | None = None
    procedures: frozenset[str] | None = None
    options: Options = PLAIN
    used: dict[str, None] = field(default_factory=dict)
    unfolds: set[str] = field(default_factory=set)
    values: set[int] = field(default_factory=set)
    definitions: dict[str, Rule] = field(default_factory=dict)

    def unfolding(self, name: str) -> bool:
        """Return whether the recursive function of this name is unfolded."""
        return name in self.unfolds or (self.base is not None and name in self.base.unfolds)

    def runs(self, *names: str) -> bool:
        """Return whether one of these procedures may run."""
        return self.procedures is None or not self.procedures.isdisjoint(names)

    def add(self, rules: Iterable[Rule]) -> None:
        """Add rules."""
        for rule in rules:
            if rule.unfolds:
                self.definitions[rule.name] = rule
            else:
                self.by_key.setdefault(rule.key, []).append(rule)

    def definition(self, name: str) -> Rule | None:
        """Return the unfolding equation of a definition that is unfolded before its arguments are simplified."""
        if name in self.erased:
            return None
        found = self.definitions.get(name)
        return self.base.definitions.get(name) if found is None and self.base is not None else found

    def without(self, name: str) -> RuleSet:
        """Return these rules without those of one name."""
        return replace(self, erased=self.erased | {name})

    def matching(self, e: Expr) -> list[Rule]:
        """Return the rules whose left side may match `e`, in the order of Lean's discrimination tree."""
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
        """Return the numbers of arguments, less than `below`, for which `fn` has rules, the greatest first."""
        symbol, _ = head_key(fn)
        base = self.base.by_key if self.base is not None else ()
        return [n for n in range(below - 1, -1, -1) if (symbol, n) in base or (symbol, n) in self.by_key]


def head_key(e: Expr) -> Key:
    """Return the head symbol and the number of arguments."""
    fn, args = get_app(e)
    kind = type(fn)
    if kind is Const:
        return fn.name, len(args)  # type: ignore[attr-defined]
    if kind is FVar:
        return ("fvar", fn.id), len(args)  # type: ignore[attr-defined]
    return kind, len(args)


# Heads of arguments that exclude a rule: they are not reducible, and no literal unifies with them.
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
    """Return the head of an argument: a symbol, the value of a numeral, or `None`, which excludes no rule."""
    fn, args = get_app(e)
    if type(fn) is Const and fn.name in _OPAQUE_HEADS:
        return fn.name
    literal = args[1] if len(args) == 3 and type(fn) is Const and fn.name == "OfNat.ofNat" else e
    return literal.value if type(literal) is Lit and type(literal.value) is int else None


def _may_match(of_rule: object, of_term: object) -> bool:
    """Return whether heads are compatible: `n + 1` in a rule matches numerals, a numeral in a rule matches no sum."""
    if of_rule is None or of_term is None or of_rule == of_term:
        return True
    return type(of_rule) is str and type(of_term) is int
