"""Validation of terms that come from outside: every node is as the rest of the kernel assumes.

The checker relies on cached facts (`loose`, `has_fvar`, `hash`, ...), exact classes and known constants. Here
they are recomputed bottom-up, once per shared node and without recursion, so that a term built without the
`mk_*` functions is refused before anything relies on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from minilean.kernel.declaration import Declaration
from minilean.kernel.errors import (
    BadLiteral,
    DeadlineExceeded,
    DeepRecursion,
    ForgedNode,
    FreeVariable,
    LevelTooComplex,
    LooseBoundVariable,
    Metavariable,
    TermTooLarge,
    UndeclaredLevelParam,
    UnknownConstant,
    Unsupported,
    WrongLevelCount,
)
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    App,
    BVar,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    MVar,
    Pi,
    Proj,
    Sort,
)
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.level import ZERO, IMax, Level, LMVar, Max, Param, Succ, Zero


class Validator:
    """Checks the terms of one declaration and collects the constants they mention.

    Attributes:
        constants: Names of all constants (and structures of projections) met so far.
    """

    def __init__(
        self, find: Callable[[str], Declaration | None], level_params: Collection[str], fuel: FuelConfig
    ) -> None:
        self.constants: set[str] = set()
        self._find = find
        self._params = frozenset(level_params)
        self._fuel = fuel
        self._heights: dict[Expr, int] = {}
        self._levels: dict[Level, int] = {}

    def closed_term(self, e: Expr) -> None:
        """Accept `e` only if it is well formed, without free variables, metavariables and loose variables.

        Raises:
            MalformedTerm: `e` is not; the subclass says why.
            ResourceLimit: `e` is too large or too deep.
        """
        try:
            self._visit(e)
        except (AttributeError, TypeError, ValueError) as err:
            # a field that is missing, or of a class that cannot be hashed or compared
            raise ForgedNode(f"broken field ({err})") from None
        if e.loose:
            raise LooseBoundVariable(e)

    def _visit(self, root: Expr) -> None:
        heights = self._heights
        max_height, max_nodes = self._fuel.max_height, self._fuel.max_nodes
        stack = [root]
        while stack:
            node = stack[-1]
            kind = type(node)
            if kind not in _CHILDREN:
                raise ForgedNode(f"unknown class {kind.__name__}")
            if node in heights:
                stack.pop()
                continue
            height = 0
            ready = True
            for child in _CHILDREN[kind](node):
                below = heights.get(child)
                if below is None:
                    stack.append(child)
                    ready = False
                elif below >= height:
                    height = below + 1
            if not ready:
                if len(stack) > max_nodes:
                    raise TermTooLarge(f"more than {max_nodes} nodes")
                continue
            stack.pop()
            if height > max_height:
                raise DeepRecursion
            self._check_node(node)
            heights[node] = height
            if not len(heights) & 0x3FF:
                self._check_budget(len(heights))

    def _check_budget(self, nodes: int) -> None:
        if nodes > self._fuel.max_nodes:
            raise TermTooLarge(f"more than {self._fuel.max_nodes} nodes")
        if self._fuel.deadline is not None and time.monotonic() > self._fuel.deadline:
            raise DeadlineExceeded

    def _check_node(self, e: Expr) -> None:
        """Check `e` itself; its children are checked already."""
        param = False
        if type(e) is App:
            fn, arg = e.fn, e.arg
            value = hash((6, fn.hash, arg.hash))
            loose = fn.loose if fn.loose >= arg.loose else arg.loose
            param = fn.has_param or arg.has_param
        elif type(e) is Lam or type(e) is Pi:
            value = hash((7 if type(e) is Lam else 8, e.type.hash, e.body.hash))
            loose = max(e.type.loose, e.body.loose - 1)
            param = e.type.has_param or e.body.has_param
            if type(e.name) is not str or type(e.info) is not int or not DEFAULT <= e.info <= INST:
                raise ForgedNode("binder name or kind")
        elif type(e) is Let:
            value = hash((9, e.type.hash, e.value.hash, e.body.hash))
            loose = max(e.type.loose, e.value.loose, e.body.loose - 1)
            param = e.type.has_param or e.value.has_param or e.body.has_param
            if type(e.name) is not str:
                raise ForgedNode("binder name")
        elif type(e) is Proj:
            value = hash((11, e.struct, e.idx, e.expr.hash))
            loose = e.expr.loose
            param = e.expr.has_param
            self._check_projection(e)
        else:
            value, loose, param = self._check_leaf(e)
        if e.hash != value or type(e.loose) is not int or e.loose != loose or e.has_param is not param:
            raise ForgedNode(f"wrong cached facts of a {type(e).__name__}")
        if e.has_fvar is not False or e.has_mvar is not False:
            raise ForgedNode(f"wrong cached facts of a {type(e).__name__}")

    def _check_leaf(self, e: Expr) -> tuple[int, int, bool]:
        """Hash, loose range and `has_param` of a node without children."""
        if type(e) is BVar:
            if type(e.idx) is not int or e.idx < 0:
                raise ForgedNode("index of a bound variable")
            return hash((1, e.idx)), e.idx + 1, False
        if type(e) is Sort:
            self._check_level(e.level, e)
            return hash((4, e.level)), 0, e.level.has_param
        if type(e) is Const:
            return hash((5, e.name, e.levels)), 0, self._check_const(e)
        if type(e) is Lit:
            self._check_literal(e)
            return hash((10, e.value)), 0, False
        if type(e) is FVar:
            raise FreeVariable(e)
        raise Metavariable(e)

    def _check_const(self, e: Const) -> bool:
        if type(e.name) is not str or type(e.levels) is not tuple:
            raise ForgedNode("name or levels of a constant")
        declaration = self._find(e.name)
        if declaration is None:
            raise UnknownConstant(e.name)
        expected = len(declaration.level_params)
        if len(e.levels) != expected:
            raise WrongLevelCount(e.name, expected, len(e.levels))
        self.constants.add(e.name)
        param = False
        for level in e.levels:
            self._check_level(level, e)
            param = param or level.has_param
        return param

    def _check_projection(self, e: Proj) -> None:
        if type(e.struct) is not str or type(e.idx) is not int or e.idx < 0:
            raise ForgedNode("structure name or field index of a projection")
        if self._find(e.struct) is None:
            raise UnknownConstant(e.struct)
        self.constants.add(e.struct)

    def _check_literal(self, e: Lit) -> None:
        if type(e.value) is str:
            raise Unsupported("string literals")
        if type(e.value) is not int or e.value < 0:
            raise BadLiteral(type(e.value).__name__)
        if e.value.bit_length() > self._fuel.max_literal_bits:
            raise TermTooLarge(f"a number of {e.value.bit_length()} bits")

    def _check_level(self, root: Level, where: Expr) -> None:
        sizes = self._levels
        limit = self._fuel.max_level_size
        stack = [root]
        while stack:
            level = stack[-1]
            if type(level) not in _LEVEL_CHILDREN:
                raise ForgedNode(f"unknown class of level {type(level).__name__}")
            if level in sizes:
                stack.pop()
                continue
            children = _LEVEL_CHILDREN[type(level)](level)
            missing = [child for child in children if child not in sizes]
            if missing:
                stack.extend(missing)
                if len(stack) > limit:
                    raise LevelTooComplex(root, ZERO)
                continue
            stack.pop()
            size = 1 + sum(sizes[child] for child in children)
            if size > limit:
                raise LevelTooComplex(root, ZERO)
            self._check_level_node(level, children, where)
            sizes[level] = size

    def _check_level_node(self, level: Level, children: tuple[Level, ...], where: Expr) -> None:
        if type(level) is LMVar:
            raise Metavariable(where)
        param = any(child.has_param for child in children)
        if type(level) is Param:
            if type(level.name) is not str:
                raise ForgedNode("name of a universe parameter")
            if level.name not in self._params:
                raise UndeclaredLevelParam(level.name)
            param = True
        if type(level) is Zero and level is not ZERO:
            raise ForgedNode("a second universe zero")
        if level.has_mvar is not False or level.has_param is not param:
            raise ForgedNode("wrong cached facts of a universe level")


def _binding_children(e: Lam | Pi) -> tuple[Expr, ...]:
    return (e.type, e.body)


_CHILDREN: dict[type[Expr], Callable[..., tuple[Expr, ...]]] = {
    App: lambda e: (e.fn, e.arg),
    Lam: _binding_children,
    Pi: _binding_children,
    Let: lambda e: (e.type, e.value, e.body),
    Proj: lambda e: (e.expr,),
    **dict.fromkeys((BVar, FVar, MVar, Sort, Const, Lit), lambda e: ()),
}

_LEVEL_CHILDREN: dict[type[Level], Callable[..., tuple[Level, ...]]] = {
    Zero: lambda level: (),
    Succ: lambda level: (level.of,),
    Max: lambda level: (level.left, level.right),
    IMax: lambda level: (level.left, level.right),
    Param: lambda level: (),
    LMVar: lambda level: (),
}
