"""Several arguments as one value: `⟨a, b, c⟩` in nested `PSigma` types, and functions of such values.

Source: Lean 4 `src/Lean/Meta/ArgsPacker.lean` (4.34), `Unary`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.kernel.expr import DEFAULT, Expr, FVar, get_app, is_app_of, mk_apps, mk_const, mk_lam, mk_sort
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.kernel.level import Level
from minilean.meta.infer import sort_level
from minilean.meta.metavars import Meta


class Packing:
    """The packed type of some variables of the local context.

    Attributes:
        type: A nested `PSigma` type, or the type of the only variable.
        level: The universe of that type.
        name: The name of a variable of that type.
    """

    def __init__(self, m: Meta, variables: Sequence[FVar]) -> None:
        self._m = m
        self._names = [m.local(x).name for x in variables]
        self.type = self._type(list(variables))
        self.level: Level = m.instantiate_level(sort_level(m, self.type))
        self._variables = list(variables)
        self.name = self._names[0] if len(variables) == 1 else "x"

    def _type(self, xs: list[FVar]) -> Expr:
        m = self._m
        first = m.instantiate_mvars(m.local(xs[0]).type)
        if len(xs) == 1:
            return first
        rest = self._type(xs[1:])
        levels = (sort_level(m, first), sort_level(m, rest))
        family = mk_lam(m.local(xs[0]).name, first, abstract(rest, [xs[0]]), DEFAULT)
        return mk_apps(mk_const("PSigma", levels), (first, family))

    def pack(self, values: Sequence[Expr]) -> Expr:
        """Return `⟨a, b, c⟩`."""
        return _pack(self.type, list(values))

    def unpack(self, e: Expr) -> list[Expr] | None:
        """Return the components of `⟨a, b, c⟩`; `None` for a term that is not such a tuple."""
        out: list[Expr] = []
        for _ in self._names[1:]:
            if not is_app_of(e, "PSigma.mk", 4):
                return None
            _, (_, _, value, e) = get_app(e)
            out.append(value)
        return [*out, e]

    def family(self, result: Expr) -> Expr:
        """Return the function from packed values to the type `result`, which may depend on the variables."""
        level = self._m.instantiate_level(sort_level(self._m, result))
        return self.function(result, mk_sort(level))

    def function(self, value: Expr, type_: Expr) -> Expr:
        """Return the function from packed values to `value : type_`, where the type does not depend on them."""
        m = self._m
        old = m.lctx
        try:
            x = m.push_local(self.name, self.type)

            def leaf(values: list[FVar], _whole: Expr) -> Expr:
                out = value
                for variable, new in zip(self._variables, values, strict=True):
                    out = instantiate1(abstract(out, [variable]), new)
                return out

            return m.mk_lambda([x], self.split(x, lambda _: type_, leaf))
        finally:
            m.lctx = old

    def split(
        self, x: FVar, target: Callable[[Expr], Expr], leaf: Callable[[list[FVar], Expr], Expr]
    ) -> Expr:
        """Return a term of type `target(x)` by cases on the packed `x`.

        Args:
            x: A variable of the packed type.
            target: Maps a packed value to a type.
            leaf: Makes the term for `⟨a, b, c⟩` from the variables `a`, `b`, `c` and the tuple.
        """
        return self._split(x, x, [], target, leaf)

    def _split(
        self,
        x: FVar,
        whole: Expr,
        values: list[FVar],
        target: Callable[[Expr], Expr],
        leaf: Callable[[list[FVar], Expr], Expr],
    ) -> Expr:
        m = self._m
        if len(values) == len(self._names) - 1:
            return leaf([*values, x], whole)
        old = m.lctx
        try:
            type_ = m.local(x).type
            fn, (first, family) = get_app(type_)
            u, v = fn.levels  # type: ignore[attr-defined]
            goal = target(whole)
            motive = m.mk_lambda([x], goal)
            level = m.instantiate_level(sort_level(m, goal))
            m.lctx = old
            a = m.push_local(self._names[len(values)], first)
            # the last component has the name of its argument
            last = len(values) == len(self._names) - 2
            rest = m.push_local(self._names[-1] if last else "x✝", beta_apply(family, [a]))
            pair = mk_apps(mk_const("PSigma.mk", (u, v)), (first, family, a, rest))
            inner_whole = instantiate1(abstract(whole, [x]), pair)
            inner = self._split(rest, inner_whole, [*values, a], target, leaf)
            minor = m.mk_lambda([a, rest], inner)
            return mk_apps(mk_const("PSigma.rec", (level, u, v)), (first, family, motive, minor, x))
        finally:
            m.lctx = old


def _pack(type_: Expr, values: list[Expr]) -> Expr:
    if len(values) == 1:
        return values[0]
    fn, (first, family) = get_app(type_)
    rest = _pack(beta_apply(family, [values[0]]), values[1:])
    return mk_apps(mk_const("PSigma.mk", fn.levels), (first, family, values[0], rest))  # type: ignore[attr-defined]
