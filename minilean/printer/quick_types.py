"""Facts about types that the printer needs, without type inference where that is possible.

Most questions (is this a proof, a proposition, a `List`?) are answered by the declared type of the head of a
term and the number of its arguments. Answers about constants are cached in their `Signature`.
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.declaration import Declaration, Inductive
from minilean.kernel.expr import (
    DEFAULT,
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
    Sort,
    get_app,
    get_app_fn,
    is_app_of,
)
from minilean.kernel.instantiate import instantiate
from minilean.kernel.level import (
    ZERO,
    Level,
    instantiate_level,
    is_never_zero,
    is_zero,
    mk_succ,
    simplify,
)
from minilean.printer.pp_context import PPContext
from minilean.printer.scope import Bound


class Signature:
    """Facts about a constant, or about the type of any other head, for the printer.

    Attributes:
        infos: Binder kinds of the parameters that are visible in the type.
        names: Names of these parameters.
        explicit: Positions of the explicit parameters.
        optional: Positions of the parameters with a default value.
        field: Position of the argument that field notation puts in front of the dot, or -1.
        field_name: The name after the dot.
        is_projection: Whether the constant is a projection of a structure that is not a class.
        is_parent: Whether the constant is the projection to a parent of such a structure.
        proofs: By number of arguments, whether the application is a proof. Where that depends on the universe
            arguments, a level that is zero for a proof; `None` where the type does not show it.
        heads: By number of arguments, the head of the type; see `Glance.type_head`.
    """

    __slots__ = (
        "decl",
        "explicit",
        "field",
        "field_name",
        "heads",
        "infos",
        "is_parent",
        "is_projection",
        "names",
        "optional",
        "proofs",
        "type",
    )

    def __init__(self, type_: Expr, decl: Declaration | None) -> None:
        self.decl = decl
        self.type = type_
        infos: list[int] = []
        names: list[str] = []
        optional: list[int] = []
        walk = type_
        while type(walk) is Pi:
            infos.append(walk.info)
            names.append(walk.name)
            if is_app_of(walk.type, "optParam", 2):
                optional.append(len(names) - 1)
            walk = walk.body
        self.optional = tuple(optional)
        self.infos = tuple(infos)
        self.names = tuple(names)
        self.explicit = tuple(i for i, info in enumerate(infos) if info == DEFAULT)
        self.field = -1
        self.field_name = ""
        self.is_projection = False
        self.is_parent = False
        self.proofs: dict[int, Level | bool | None] = {}
        self.heads: dict[int, str | int | None] = {}


_UNKNOWN = -1


def find_field(signature: Signature, ctx: PPContext) -> None:
    """Fill in the attributes of field notation.

    Field notation is used for projections of structures, and for functions whose first explicit parameter has the
    type that the function is named after.
    """
    assert signature.decl is not None
    base, _, name = signature.decl.name.rpartition(".")
    if not base:
        return
    fields = ctx.structure_fields(base)
    if fields is not None and name in fields and not ctx.is_class(base):
        struct = ctx.find(base)
        if type(struct) is Inductive:
            signature.field, signature.field_name = struct.num_params, name
            signature.is_projection = True
            signature.is_parent = name in ctx.parent_fields(base)
            return
    walk = signature.type
    for i, info in enumerate(signature.infos):
        assert type(walk) is Pi
        if walk.name == "motive":
            return
        head = get_app_fn(walk.type)
        if type(head) is Const and head.name == base:
            if info == DEFAULT:
                signature.field, signature.field_name = i, name
            return
        if info == DEFAULT:
            return
        walk = walk.body


class Glance:
    """Answers about terms below the binders that the printer has passed.

    Terms have loose variables for these binders: variable `i` is `types[-1 - i]`, whose own loose variables
    refer to the entries before it.
    """

    def __init__(self, ctx: PPContext, signatures: dict[str, Signature]) -> None:
        self.ctx = ctx
        self.signatures = signatures
        self.types: list[Expr] = []
        self.bound = Bound()
        self._values: list[Expr | None] = []
        self._fvars: list[Expr] = []
        self._local_types: dict[Expr, Expr | None] = {}

    # --- binders -----------------------------------------------------------------------------------------

    def enter(self, name: str, type_: Expr, value: Expr | None = None) -> None:
        """Pass a binder."""
        self.bound.push(name)
        self.types.append(type_)
        self._values.append(value)

    def leave(self) -> None:
        """Return from the last binder."""
        self.bound.pop()
        self.types.pop()
        self._values.pop()
        del self._fvars[len(self.types) :]

    def close(self, e: Expr) -> Expr:
        """`e` with local variables of the context in place of the binders passed."""
        if not e.loose:
            return e
        fvars = self._fvars
        for i in range(len(fvars), len(self.types)):
            value = self._values[i]
            type_ = instantiate(self.types[i], fvars)
            closed = None if value is None else instantiate(value, fvars)
            fvars.append(self.ctx.push_local(self.bound.names[i], type_, closed))
        return instantiate(e, fvars)

    def infer(self, e: Expr) -> Expr | None:
        """The type of a term, or `None` if it has none."""
        try:
            return self.ctx.infer_type(self.close(e))
        except Exception:
            # an ill-typed term, or one whose type takes too long, is printed all the same
            return None

    def reduce(self, type_: Expr | None) -> Expr | None:
        """The weak head normal form of a type, or `None` if it has none."""
        try:
            return None if type_ is None else self.ctx.whnf(type_)
        except Exception:
            # as above
            return None

    # --- questions ---------------------------------------------------------------------------------------

    def signature(self, name: str) -> Signature | None:
        """The signature of a constant; `None` for an unknown one."""
        decl = self.ctx.find(name)
        if decl is None:
            return None
        signature = self.signatures.get(name)
        if signature is None or signature.decl is not decl:
            signature = self.signatures[name] = Signature(decl.type, decl)
            find_field(signature, self.ctx)
        return signature

    def is_prop(self, e: Expr) -> bool:
        """Return whether `e` is a proposition."""
        level = self._sort_of(e, self.types)
        if level is not None:
            return is_zero(level)
        return self.ctx.is_proposition(self.close(e))

    def is_proof(self, e: Expr) -> bool:
        """Return whether `e` is a proof."""
        known = self._proves(e, self.types)
        return self.ctx.is_proof(self.close(e)) if known is None else known

    def type_head(self, e: Expr) -> str | None:
        """The constant at the head of the type of `e`, not unfolded, if there is one."""
        kind = type(e)
        if kind is Lit:
            return "Nat" if type(e.value) is int else "String"  # type: ignore[attr-defined]
        fn, args = get_app(e)
        answer = self._result_head(fn, len(args))
        if type(answer) is int and answer != _UNKNOWN:
            fn = get_app_fn(args[answer])
            if type(fn) is Const:
                return fn.name
            answer = None if type(fn) in (FVar, BVar) else _UNKNOWN
        if answer == _UNKNOWN:
            inferred = self.infer(e)
            fn = get_app_fn(inferred) if inferred is not None else e
            return fn.name if type(fn) is Const and inferred is not None else None
        return answer  # type: ignore[return-value]

    # --- by the declared type of the head ----------------------------------------------------------------

    def head_type(self, fn: Expr, types: Sequence[Expr]) -> tuple[Expr, list[Expr]] | None:
        """The type of a variable or constant, and the binders it is below."""
        kind = type(fn)
        if kind is BVar:
            position = len(types) - 1 - fn.idx  # type: ignore[attr-defined]
            return (types[position], list(types[:position])) if position >= 0 else None
        if kind is FVar or kind is MVar:
            if fn not in self._local_types:
                self._local_types[fn] = self.infer(fn)
            found = self._local_types[fn]
            return None if found is None else (found, [])
        if kind is Const:
            signature = self.signature(fn.name)  # type: ignore[attr-defined]
            return None if signature is None else (signature.type, [])
        return None

    def _result(self, fn: Expr, count: int, types: Sequence[Expr]) -> tuple[Expr, list[Expr]] | None:
        """The type of `fn` after `count` arguments, below binders for these arguments."""
        found = self.head_type(fn, types)
        if found is None:
            return None
        type_, below = found
        for _ in range(count):
            if type(type_) is not Pi:
                return None
            below.append(type_.type)
            type_ = type_.body
        return type_, below

    def _sort_of(self, e: Expr, types: Sequence[Expr]) -> Level | None:
        """A level that is zero if and only if `e` is a proposition; `None` if the types do not show it."""
        if type(e) is Pi:
            types = list(types)
            while type(e) is Pi:
                types.append(e.type)
                e = e.body
        if type(e) is Sort:
            return mk_succ(e.level)
        fn, args = get_app(e)
        found = self._result(fn, len(args), types)
        if found is None or type(found[0]) is not Sort:
            return None
        return self._in_terms_of(fn, found[0].level)

    def _in_terms_of(self, fn: Expr, level: Level) -> Level:
        """A level from the declaration of `fn`, at the universe arguments of `fn`."""
        if not level.has_param or type(fn) is not Const:
            return level
        signature = self.signature(fn.name)
        assert signature is not None and signature.decl is not None
        return instantiate_level(level, dict(zip(signature.decl.level_params, fn.levels, strict=False)))

    def _proves(self, e: Expr, types: Sequence[Expr]) -> bool | None:
        kind = type(e)
        if kind is Lam or kind is Let:
            types = list(types)
            while type(e) is Lam or type(e) is Let:
                types.append(e.type)
                e = e.body
            kind = type(e)
        if kind is Sort or kind is Pi or kind is Lit:
            return False
        count = 0
        fn = e
        while type(fn) is App:
            count += 1
            fn = fn.fn
        if type(fn) is not Const:
            found = self._result(fn, count, types)
            level = None if found is None else self._sort_of(*found)
            return None if level is None else is_zero(level)
        signature = self.signature(fn.name)
        if signature is None:
            return None
        if count not in signature.proofs:
            signature.proofs[count] = self._proof_answer(fn, count)
        answer = signature.proofs[count]
        if answer is None or isinstance(answer, bool):
            return answer
        return is_zero(self._in_terms_of(fn, answer))

    def _proof_answer(self, fn: Const, count: int) -> Level | bool | None:
        found = self._result(fn, count, ())
        level = None if found is None else self._sort_of(*found)
        if level is None:
            return None
        level = simplify(level)
        return level if level.has_param and not is_never_zero(level) else level is ZERO

    def _result_head(self, fn: Expr, count: int) -> str | int | None:
        """Name at the head of the result type, or the position of the argument that is the result type."""
        signature = self.signature(fn.name) if type(fn) is Const else None
        if signature is not None and count in signature.heads:
            return signature.heads[count]
        answer: str | int | None = _UNKNOWN
        found = self._result(fn, count, self.types)
        if found is not None:
            head, args = get_app(found[0])
            if type(head) is Const:
                answer = head.name
            elif type(head) is BVar and head.idx < count:
                answer = _UNKNOWN if args else count - 1 - head.idx
            elif type(head) in (FVar, BVar, Sort, Pi):
                answer = None
        if signature is not None:
            signature.heads[count] = answer
        return answer
