"""`SizeOf` instances of inductive types: the size of a constructor is one more than the sizes of its fields.

They are made when a recursion, or a command that mentions sizes, first needs them. `T._sizeOf_1` computes the size by
the recursor, `T._sizeOf_inst` is the instance, and `c.sizeOf_spec` is a `simp` lemma for each constructor `c`.

Source: Lean 4 `src/Lean/Meta/SizeOf.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from minilean.elab.match.match_alternatives import UNIT_VALUE
from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    IMPLICIT,
    INST,
    Const,
    Expr,
    FVar,
    Pi,
    Sort,
    get_app,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, instantiate
from minilean.kernel.level import ONE, ZERO, Level, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import DEFAULT_PRIORITY, REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.meta_m import MetaM
from minilean.meta.numerals import mk_numeral
from minilean.meta.whnf import whnf

_NAT = mk_const("Nat")
_ADD = mk_apps(
    mk_const("HAdd.hAdd", (ZERO, ZERO, ZERO)),
    (_NAT, _NAT, _NAT, mk_apps(mk_const("instHAdd", (ZERO,)), (_NAT, mk_const("instAddNat")))),
)


def ensure_sizes(env: LeanEnv, terms: Iterable[Expr]) -> None:
    """Make the instances for the inductive types of data that occur in terms, and for the types in their fields.

    A type for which that is not possible stays without an instance.
    """
    if env.find("SizeOf") is not None:
        _ensure(env, terms, set())


def _ensure(env: LeanEnv, terms: Iterable[Expr], seen: set[str]) -> None:
    for name in {sub.name: None for term in terms for sub in subterms(term) if type(sub) is Const}:
        decl = env.find(name)
        if not isinstance(decl, Inductive) or name in seen:
            continue
        seen.update(decl.all)
        if _has_size(env, name) or not _is_data(env, decl):
            continue
        group = [env.kernel.get(other) for other in decl.all]
        ctors = [ctor for other in group if isinstance(other, Inductive) for ctor in other.constructors]
        _ensure(env, [env.kernel.get(ctor).type for ctor in ctors], seen)
        work = env.child()
        try:
            _Sizes(work, decl.all[0]).add()
        except (MetaError, KernelError):
            continue
        env.adopt(work)
        env.memo.clear()


def _has_size(env: LeanEnv, name: str) -> bool:
    return name == "Nat" or env.find(f"{name}._sizeOf_inst") is not None


def _is_data(env: LeanEnv, decl: Inductive) -> bool:
    _, sort = MetaM(env).intro_binders(decl.type)
    return decl.large_elim and not (type(sort) is Sort and sort.level is ZERO)


@dataclass(slots=True)
class _Part:
    """A summand of a size: `size` as the recursor computes it, `shown` as `sizeOf x`, and a proof if they differ."""

    size: Expr
    shown: Expr
    proof: Expr | None


class _Sizes:
    """Adds the definitions and theorems for a group of types."""

    def __init__(self, env: LeanEnv, name: str) -> None:
        decl = env.find(name)
        assert isinstance(decl, Inductive)
        self._env = env
        self._decl = decl
        self._m = m = MetaM(env)
        self._levels = tuple(mk_param(param) for param in decl.level_params)
        self._params, _ = m.intro_binders(decl.type, decl.num_params)
        self._instances = [x for param in self._params for x in self._local_instance(param)]
        self._recs = [env.find(name) for name in decl.recursors]

    def add(self) -> None:
        """Add all of them.

        Raises:
            MetaError: A field has a type without a size.
            KernelError: The kernel refuses one of them.
        """
        for number in range(len(self._recs)):
            self._add_function(number)
        for number in range(len(self._decl.all)):
            self._add_instance(number)
        for number in range(len(self._decl.all), len(self._recs)):
            self._add_equation(number)
        for name in self._decl.all:
            info = self._env.find(name)
            assert isinstance(info, Inductive)
            for ctor in info.constructors:
                self._add_lemma(ctor)

    # -- the parts ---------------------------------------------------------------------------------------------

    def _local_instance(self, param: FVar) -> list[FVar]:
        """Introduce an instance for a parameter that is a type, or a family of types."""
        m = self._m
        old = m.lctx
        xs, sort = m.intro_binders(m.local(param).type)
        wanted = None
        if type(sort) is Sort:
            type_ = mk_app(mk_const("SizeOf", (sort.level,)), mk_apps(param, xs))
            wanted = m.mk_pi(xs, type_)
        m.lctx = old
        return [] if wanted is None else [m.push_local("inst✝", wanted, INST)]

    def _function(self, number: int, targets: Sequence[Expr]) -> Expr:
        """Return `T._sizeOf_i params instances targets`."""
        fn = mk_const(f"{self._decl.all[0]}._sizeOf_{number + 1}", self._levels)
        return mk_apps(fn, [*self._params, *self._instances, *targets])

    def _recursor(self, number: int, elim: Level) -> tuple[Expr, Expr]:
        """Return a recursor at the parameters, and its type."""
        rec = self._recs[number]
        assert isinstance(rec, Recursor)
        e = mk_apps(mk_const(rec.name, (elim, *self._levels)), self._params)
        return e, infer_type(self._m, e)

    def _motives(self, type_: Expr) -> tuple[list[FVar], Expr]:
        rec = self._recs[0]
        assert isinstance(rec, Recursor)
        return self._m.intro_binders(type_, rec.num_motives)

    def _size(self, x: Expr) -> Expr:
        """Return `sizeOf x`.

        Raises:
            MetaError: The type has no size.
        """
        m = self._m
        type_ = infer_type(m, x)
        level = m.instantiate_level(sort_level(m, type_))
        instance = synth_instance(m, mk_app(mk_const("SizeOf", (level,)), type_))
        if instance is None:
            raise UnsupportedError("a field without a size")
        return mk_apps(mk_const("SizeOf.sizeOf", (level,)), (type_, m.instantiate_mvars(instance), x))

    def _counts(self, x: FVar) -> bool:
        """Return whether a field counts: functions do not, but delayed values of a type `Unit → T` do."""
        type_ = whnf(self._m, self._m.local(x).type)
        if type(type_) is not Pi:
            return True
        return type(type_.type) is Const and type_.type.name in ("Unit", "PUnit")

    def _forced(self, x: FVar) -> Expr:
        """Return the value of a delayed field, and another field as it is."""
        is_delayed = type(whnf(self._m, self._m.local(x).type)) is Pi
        return mk_app(x, UNIT_VALUE) if is_delayed else x

    def _fields(self, xs: Sequence[FVar], motives: Sequence[FVar]) -> list[tuple[FVar, Expr | None, int]]:
        """Return the fields that count, with induction hypothesis and number of its motive if they are recursive.

        Raises:
            MetaError: A delayed value takes further arguments.
        """
        m = self._m
        hypotheses: dict[Expr, tuple[FVar, int]] = {}
        for x in xs:
            old = m.lctx
            _, result = m.intro_binders(m.local(x).type)
            m.lctx = old
            fn, args = get_app(result)
            if fn in motives:
                hypotheses[get_app_fn(args[-1])] = x, motives.index(fn)
        found: list[tuple[FVar, Expr | None, int]] = []
        own = {x for x, _ in hypotheses.values()}
        for x in xs:
            if x in own or not self._counts(x):
                continue
            if x not in hypotheses:
                found.append((x, None, 0))
                continue
            hypothesis, number = hypotheses[x]
            if type(whnf(m, infer_type(m, self._forced(x)))) is Pi:
                raise UnsupportedError("the size of a delayed function into the type itself")
            found.append((x, self._forced(hypothesis), number))
        return found

    # -- what is added -----------------------------------------------------------------------------------------

    def _by_recursor(
        self,
        number: int,
        elim: Level,
        motive: Callable[[int, Sequence[FVar]], Expr],
        minor: Callable[[Sequence[FVar], int, Sequence[FVar]], Expr],
    ) -> tuple[list[FVar], Expr]:
        """Return the targets of a recursor, as new local variables, and the recursor applied to all that it takes.

        Args:
            number: Number of the recursor.
            elim: Level of what the motives give.
            motive: Given the number of a motive and its targets, returns its value.
            minor: Given the fields of a constructor with their induction hypotheses, the number of the motive of its
                result and all motives, returns what the recursor gives there.
        """
        m = self._m
        fn, type_ = self._recursor(number, elim)
        motives, rest = self._motives(type_)
        values = []
        for k, variable in enumerate(motives):
            inner = m.lctx
            targets, _ = m.intro_binders(m.local(variable).type)
            values.append(m.mk_lambda(targets, motive(k, targets)))
            m.lctx = inner
        rec = self._recs[number]
        assert isinstance(rec, Recursor)
        minors = []
        for _ in range(rec.num_minors):
            assert type(rest) is Pi
            inner = m.lctx
            xs, result = m.intro_binders(rest.type)
            head = get_app_fn(result)
            assert type(head) is FVar
            goal = motives.index(head)
            minors.append(instantiate(abstract(m.mk_lambda(xs, minor(xs, goal, motives)), motives), values))
            m.lctx = inner
            rest = rest.body
        targets, _ = m.intro_binders(instantiate(abstract(rest, motives), values))
        return targets, mk_apps(fn, [*values, *minors, *targets])

    def _add_function(self, number: int) -> None:
        def minor(xs: Sequence[FVar], goal: int, motives: Sequence[FVar]) -> Expr:
            return _sum([self._size(x) if h is None else h for x, h, _ in self._fields(xs, motives)])

        old = self._m.lctx
        targets, whole = self._by_recursor(number, ONE, lambda k, targets: _NAT, minor)
        self._define(f"{self._decl.all[0]}._sizeOf_{number + 1}", targets, _NAT, whole)
        self._m.lctx = old

    def _add_instance(self, number: int) -> None:
        m = self._m
        name = self._decl.all[number]
        old = m.lctx
        info = self._env.find(name)
        assert isinstance(info, Inductive)
        former = mk_apps(mk_const(name, self._levels), self._params)
        indices, sort = m.intro_binders(infer_type(m, former))
        assert type(sort) is Sort
        type_ = mk_apps(former, indices)
        value = mk_apps(mk_const("SizeOf.mk", (sort.level,)), (type_, self._function(number, indices)))
        full = f"{name}._sizeOf_inst"
        self._define(full, indices, mk_app(mk_const("SizeOf", (sort.level,)), type_), value)
        self._env.reducibility[full] = REDUCIBLE
        self._env.add_instance("SizeOf", full, DEFAULT_PRIORITY)
        self._env.memo.clear()
        m.lctx = old

    def _add_equation(self, number: int) -> None:
        """Prove `T._sizeOf_i x = sizeOf x` for a nested type, by induction along the group."""
        main = len(self._decl.all)

        def motive(k: int, targets: Sequence[FVar]) -> Expr:
            return mk_const("True") if k < main else self._equation(k, targets)

        def minor(xs: Sequence[FVar], goal: int, motives: Sequence[FVar]) -> Expr:
            if goal < main:
                return mk_const("True.intro")
            parts = []
            for x, h, k in self._fields(xs, motives):
                size = self._size(x)
                computed = size if h is None or k < main else self._function(k, [self._forced(x)])
                parts.append(_Part(computed, size, h if k >= main else None))
            return _equal(parts)

        old = self._m.lctx
        targets, whole = self._by_recursor(number, ZERO, motive, minor)
        name = f"{self._decl.all[0]}._sizeOf_{number + 1}_eq"
        self._prove(name, targets, self._equation(number, targets), whole)
        self._m.lctx = old

    def _equation(self, number: int, targets: Sequence[Expr]) -> Expr:
        sides = self._function(number, targets), self._size(targets[-1])
        return mk_apps(mk_const("Eq", (ONE,)), (_NAT, *sides))

    def _add_lemma(self, name: str) -> None:
        """Prove `sizeOf (c x y) = 1 + sizeOf x + sizeOf y`."""
        m = self._m
        old = m.lctx
        ctor = self._env.find(name)
        assert isinstance(ctor, Constructor)
        head = mk_apps(mk_const(name, self._levels), self._params)
        xs, _ = m.intro_binders(infer_type(m, head), ctor.num_fields)
        parts = []
        for x in xs:
            if self._counts(x):
                size, nested = self._size(x), self._nested(x)
                if nested is None:
                    parts.append(_Part(size, size, None))
                else:
                    lemma = mk_const(f"{self._decl.all[0]}._sizeOf_{nested + 1}_eq", self._levels)
                    value = self._forced(x)
                    proof = mk_apps(lemma, [*self._params, *self._instances, value])
                    parts.append(_Part(self._function(nested, [value]), size, proof))
        whole = self._size(mk_apps(head, xs))
        statement = mk_apps(mk_const("Eq", (ONE,)), (_NAT, whole, _sum([part.shown for part in parts])))
        self._prove(f"{name}.sizeOf_spec", xs, statement, _equal(parts))
        self._env.simp_lemmas[f"{name}.sizeOf_spec"] = DEFAULT_PRIORITY
        m.lctx = old

    def _nested(self, x: FVar) -> int | None:
        """Return the number of the recursor for the type of a field, if types of the group are nested in it."""
        m = self._m
        type_ = infer_type(m, self._forced(x))
        if not any(type(sub) is Const and sub.name in self._decl.all for sub in subterms(type_)):
            return None
        for number in range(len(self._decl.all), len(self._recs)):
            old = m.lctx
            motives, _ = self._motives(self._recursor(number, ONE)[1])
            targets, _ = m.intro_binders(m.local(motives[number]).type)
            found = len(targets) == 1 and m.local(targets[0]).type is type_
            m.lctx = old
            if found:
                return number
        return None

    def _define(self, name: str, targets: Sequence[FVar], type_: Expr, value: Expr) -> None:
        m = self._m
        xs = [*self._params, *self._instances, *targets]
        closed = _implicit(m.mk_pi(xs, type_), len(self._params))
        self._env.kernel.add_definition(
            name, self._decl.level_params, closed, m.mk_lambda(xs, value), abbrev=True
        )

    def _prove(self, name: str, targets: Sequence[FVar], statement: Expr, proof: Expr) -> None:
        m = self._m
        xs = [*self._params, *self._instances, *targets]
        closed = _implicit(m.mk_pi(xs, statement), len(self._params))
        self._env.kernel.add_theorem(name, self._decl.level_params, closed, m.mk_lambda(xs, proof))


def _sum(sizes: Sequence[Expr]) -> Expr:
    """Return `1 + a + b + ..`."""
    total = mk_numeral(1)
    for size in sizes:
        total = mk_apps(_ADD, (total, size))
    return total


def _equal(parts: Sequence[_Part]) -> Expr:
    """Prove that the sums of the computed and of the shown sizes are equal."""
    left = right = mk_numeral(1)
    proof = mk_apps(mk_const("Eq.refl", (ONE,)), (_NAT, left))
    function = mk_pi("a✝", _NAT, _NAT)
    for part in parts:
        same = part.proof or mk_apps(mk_const("Eq.refl", (ONE,)), (_NAT, part.size))
        sums = mk_apps(mk_const("congrArg", (ONE, ONE)), (_NAT, function, left, right, _ADD, proof))
        arguments = (_NAT, _NAT, mk_app(_ADD, left), mk_app(_ADD, right), part.size, part.shown, sums, same)
        proof = mk_apps(mk_const("congr", (ONE, ONE)), arguments)
        left, right = mk_apps(_ADD, (left, part.size)), mk_apps(_ADD, (right, part.shown))
    return proof


def _implicit(type_: Expr, count: int) -> Expr:
    if count == 0:
        return type_
    assert type(type_) is Pi
    return mk_pi(type_.name, type_.type, _implicit(type_.body, count - 1), IMPLICIT)
