"""Kernel terms to printed terms: what Lean's delaborator does, with the default `pp` options.

Source: Lean 4 `src/Lean/PrettyPrinter/Delaborator/Basic.lean`, `Builtins.lean` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
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
    get_app,
    mk_apps,
)
from minilean.kernel.instantiate import instantiate1, instantiate_level_params, lift_loose
from minilean.kernel.traversal import alpha_eq
from minilean.printer import parenthesize as show
from minilean.printer.field_notation import takes_field, without_parents
from minilean.printer.parenthesize import OMISSION, Binder, Fragment
from minilean.printer.pp_context import PPContext
from minilean.printer.quick_types import Glance, Signature
from minilean.printer.scope import (
    DAGGER,
    Scope,
    format_sort,
    is_shallow,
    string_literal,
    uses,
)
from minilean.printer.shown_matches import show_match
from minilean.printer.unexpanders import SPECIAL
from minilean.syntax.digits import decimal
from minilean.syntax.notation import ANONYMOUS_CONSTRUCTOR, CONSTANT, INFIX, PREFIX

MAX_STEPS: Final = 5000
MAX_DEPTH: Final = 50

_ATOMS: Final = frozenset({FVar, BVar, Const, Sort, Lit, MVar})
_HIDDEN_NEXT: Final = frozenset({IMPLICIT, INST})


class Delaborator:
    """One run over one term, in the scope of the local variables around it."""

    def __init__(self, ctx: PPContext, signatures: dict[str, Signature], scope: Scope) -> None:
        self.ctx = ctx
        self.glance = Glance(ctx, signatures)
        self.scope = scope
        self._steps = 0
        self._depth = 0
        self._show_proofs = False

    def root(self, e: Expr) -> Fragment:
        """The whole term; proofs inside it are shown if it is one itself."""
        self._show_proofs = type(e) not in _ATOMS and self.glance.is_proof(e)
        return self.term(e)

    def explicit(self, e: Expr) -> Fragment:
        """An application with every argument shown."""
        fn, args = get_app(e)
        return self._all_arguments(fn, args, type(fn) is Const)

    def term(self, e: Expr) -> Fragment:
        """A term or subterm, `⋯` where Lean leaves it out."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            return OMISSION
        kind = type(e)
        if kind in _ATOMS:
            return self._atom(e)
        if self._is_too_deep(e) or (not self._show_proofs and self.glance.is_proof(e)):
            return OMISSION
        self._depth += 1
        if kind is Pi:
            out = self._pi(e, self.glance.is_prop(e))  # type: ignore[arg-type]
        elif kind is Lam:
            out = self._lambda(e)
        elif kind is Let:
            out = self._let(e)  # type: ignore[arg-type]
        elif kind is Proj:
            out = show.field(self.term(e.expr), str(e.idx + 1))  # type: ignore[attr-defined]
        else:
            out = self._application(e)
        self._depth -= 1
        return out

    def _atom(self, e: Expr) -> Fragment:
        kind = type(e)
        if kind is BVar:
            names, index = self.glance.bound.names, e.idx  # type: ignore[attr-defined]
            return show.ident(names[-1 - index] if index < len(names) else f"#{index - len(names)}")
        if kind is FVar:
            return show.ident(self.ctx.fvar_name(e.id))  # type: ignore[attr-defined]
        if kind is Const:
            return self._application(e)
        if kind is Lit:
            value = e.value  # type: ignore[attr-defined]
            return show.ident(string_literal(value) if isinstance(value, str) else decimal(value))
        if kind is Sort:
            return format_sort(e.level)  # type: ignore[attr-defined]
        return show.symbol("?" + self.ctx.mvar_name(e.id))  # type: ignore[attr-defined]

    def _is_too_deep(self, e: Expr) -> bool:
        excess = self._depth - MAX_DEPTH
        return excess > 0 and not is_shallow(e, MAX_DEPTH // 4 - excess)

    # --- binders -----------------------------------------------------------------------------------------

    def below(self, name: str, type_: Expr, body: Expr, value: Expr | None = None) -> Fragment:
        """`body` printed under a binder shown as `name`."""
        self.glance.enter(name, type_, value)
        out = self.term(body)
        self.glance.leave()
        return out

    def name_for(self, name: str, body: Expr, avoid: Collection[str] = ()) -> str:
        """Return the shown name of a binder: its own, unless `body` uses another variable or constant of that name."""
        return self.scope.unused(name, body, self.glance.bound, avoid)

    def function(self, e: Lam) -> tuple[str, Fragment] | None:
        """Name and body of a function as arguments of a notation; `None` if the function is too deep to be shown."""
        if self._is_too_deep(e):
            return None
        name = self.name_for(e.name, e.body)
        self._steps += 1
        self._depth += 1
        body = self.below(name, e.type, e.body)
        self._depth -= 1
        return name, body

    def _is_dependent(self, e: Pi, prop: bool) -> bool:
        """Return whether the binder's name is shown: it is used, or the domain of a `∀` is data."""
        return uses(e.body, 0) or (prop and e.info == DEFAULT and not self.glance.is_prop(e.type))

    def _pi(self, e: Pi, prop: bool) -> Fragment:
        """One binder group, of as many binders as share a type and kind, and the rest below it."""
        domain, info = e.type, e.info
        dependent = self._is_dependent(e, prop)
        hidden = info == INST and not dependent and DAGGER in e.name
        names: list[str] = []
        rest: Expr = e
        merges = True
        while merges:
            assert type(rest) is Pi
            merges = _merges(rest, rest.body)
            name = self.name_for(rest.name, rest.body)
            names.append(name)
            self.glance.enter(name, rest.type)
            rest = rest.body
            # a group is all arrows or all names
            merges = merges and self._is_dependent(rest, prop) == dependent  # type: ignore[arg-type]
        body = self.term(rest)
        for _ in names:
            self.glance.leave()
        type_ = self.term(domain)
        if info == DEFAULT and not dependent:
            for _ in names:
                body = show.infix(show.ARROW, type_, body)
            return body
        binder = Binder(() if hidden else names, type_, info)
        return show.forall(binder, body) if prop else show.dependent_arrow(binder, body)

    def _lambda(self, e: Expr) -> Fragment:
        """`fun x y => e`; the names of one `fun` differ."""
        taken: set[str] = set()
        groups: list[tuple[list[str], Expr, int]] = []
        merges = False
        while type(e) is Lam:
            name = self.name_for(e.name, e.body, taken)
            taken.add(name)
            if merges:
                groups[-1][0].append(name)
            else:
                groups.append(([name], e.type, e.info))
            merges = _merges(e, e.body)
            self.glance.enter(name, e.type)
            e = e.body
        body = self.term(e)
        binders: list[Binder] = []
        for names, type_, info in reversed(groups):
            for _ in names:
                self.glance.leave()
            if info == INST:
                shown = names if _mentions_word(body.flat, names[0]) else ()
                binders.append(Binder(shown, self.term(type_), info))
            else:
                binders.append(Binder(names, None, info, bare=info == DEFAULT))
        return show.fun(binders[::-1], body)

    def _let(self, e: Let) -> Fragment:
        name = self.name_for(e.name, e.body)
        value = self.term(e.value)
        body = self.below(name, e.type, e.body, e.value)
        return show.let("have" if e.nondep else "let", name, value, body)

    def actions(self, e: Expr) -> list[show.Action]:
        """The actions of a `do` block, from nested calls of `Bind.bind`."""
        fn, args = get_app(e)
        if type(e) is Let:
            word, type_, value, body = "have" if e.nondep else "let", e.type, e.value, e.body
            name = self.name_for(e.name, body)
            first: show.Action = (f"{word} {name}", self.term(type_), self.term(value))
        elif type(fn) is Const and fn.name == "Bind.bind" and len(args) == 6 and type(args[5]) is Lam:
            type_, value, body = args[5].type, None, args[5].body
            name = self.name_for(args[5].name, body)
            unit = type(args[2]) is Const and args[2].name in ("Unit", "PUnit")
            word = f"let {name}" if uses(body, 0) else "" if unit else "let _"
            first = (word, None, self.term(args[4]))
        else:
            return [("", None, self.term(e))]
        self._steps += 1
        self.glance.enter(name, type_, value)
        rest = self.actions(body)
        self.glance.leave()
        return [first, *rest]

    # --- applications ------------------------------------------------------------------------------------

    def _application(self, e: Expr) -> Fragment:
        """A constant, or something applied to arguments."""
        fn, args = get_app(e)
        kind = type(fn)
        count = len(args)
        if kind is Const:
            signature = self.glance.signature(fn.name)  # type: ignore[attr-defined]
            if signature is None:
                # arguments of an unknown constant without universes are all explicit
                return self._all_arguments(fn, args, bool(fn.levels and args))  # type: ignore[attr-defined]
            shape = self.ctx.matcher(fn.name)  # type: ignore[attr-defined]
            if shape is not None:
                shown = show_match(self, fn, args, shape)  # type: ignore[arg-type]
                if shown is not None:
                    return shown
            infos = signature.infos
            if count < len(infos) and infos[count] in _HIDDEN_NEXT:
                return self._all_arguments(fn, args, True)
            return self._constant(fn, args, signature)  # type: ignore[arg-type]
        if kind is MVar and all(type(arg) is FVar or type(arg) is BVar for arg in args):
            target = self.ctx.delayed_target(fn.id)  # type: ignore[attr-defined]
            if target is not None:
                return show.symbol("?" + self.ctx.mvar_name(target))
        infos = self._infos(fn, args)
        if len(infos) > count and infos[count] in _HIDDEN_NEXT:
            return self._all_arguments(fn, args, True)
        head = self.term(fn)
        return show.application(head, [self.term(args[i]) for i in range(count) if infos[i] == DEFAULT])

    def _all_arguments(self, fn: Expr, args: Sequence[Expr], explicit: bool) -> Fragment:
        head = self._head(fn) if type(fn) is Const else self.term(fn)
        return show.application(show.explicit(head) if explicit else head, [self.term(arg) for arg in args])

    def _head(self, fn: Const) -> Fragment:
        return show.ident(self.scope.constant(fn.name, self.ctx, self.glance.bound))

    def _infos(self, fn: Expr, args: Sequence[Expr]) -> tuple[int, ...]:
        """Binder kinds of at least the parameters that `args` fill; explicit where the type does not show them."""
        found = self.glance.head_type(fn, self.glance.types)
        type_ = self.glance.infer(fn) if found is None else found[0]
        infos = _binder_infos(type_)
        while type_ is not None and len(infos) < len(args):
            type_ = self.glance.infer(mk_apps(fn, args[: len(infos)]))
            more = _binder_infos(self.glance.reduce(type_))
            if not more:
                break
            infos += more
        return infos + (DEFAULT,) * (len(args) - len(infos))

    def _constant(self, fn: Const, args: Sequence[Expr], signature: Signature) -> Fragment:
        """A constant with some of its arguments, by the notation it has."""
        name, explicit, count = fn.name, signature.explicit, len(args)
        if name in self.ctx.notations:
            by_user = self._by_user(fn, args, signature)
            if by_user is not None:
                return by_user
        special = SPECIAL.get(name)
        if special is not None and count >= special[0]:
            out = special[1](self, args)
            if out is not None:
                return self._applied(out, fn, args, signature, special[0])
        position = self.ctx.coercion(name)
        if position is not None and count > position:
            return self._applied(show.coercion(self.term(args[position])), fn, args, signature, position + 1)
        out = self._structure(args, signature)
        if out is not None:
            return out
        op = INFIX.get(name)
        if op is not None and len(explicit) > 1 and count > explicit[1]:
            first, second = self.term(args[explicit[0]]), self.term(args[explicit[1]])
            out = show.infix(op, second, first) if op.swapped else show.infix(op, first, second)
            return self._applied(out, fn, args, signature, explicit[1] + 1)
        unary = PREFIX.get(name)
        if unary is not None and explicit and count > explicit[0]:
            out = show.prefix(unary, self.term(args[explicit[0]]))
            return self._applied(out, fn, args, signature, explicit[0] + 1)
        if name in CONSTANT:
            return self._applied(show.symbol(CONSTANT[name]), fn, args, signature, 0)
        return self._plain(fn, args, signature)

    def _by_user(self, fn: Const, args: Sequence[Expr], signature: Signature) -> Fragment | None:
        """The longest prefix of an application that a notation of the user shows, applied to the other arguments."""
        infos = signature.infos if len(signature.infos) >= len(args) else self._infos(fn, args)
        shown = [self.term(arg) for arg, info in zip(args, infos, strict=False) if info == DEFAULT]
        for cut in range(len(shown), -1, -1):
            for notation in self.ctx.notations[fn.name]:
                head = notation.show(shown[:cut])
                if head is not None:
                    return show.application(head, shown[cut:])
        return None

    def _applied(
        self, head: Fragment, fn: Const, args: Sequence[Expr], signature: Signature, start: int
    ) -> Fragment:
        """`head`, which shows the first `start` arguments, with the explicit ones among the others."""
        count = len(args)
        if start == count:
            return head
        infos = signature.infos if len(signature.infos) >= count else self._infos(fn, args)
        rest = [self.term(args[i]) for i in range(start, count) if infos[i] == DEFAULT]
        return show.application(head, rest)

    def _plain(self, fn: Const, args: Sequence[Expr], signature: Signature) -> Fragment:
        """`f a b`, or `a.f b` where Lean uses field notation."""
        receiver = signature.field if takes_field(self.glance, fn, args, signature) else -1
        infos = signature.infos if len(signature.infos) >= len(args) else self._infos(fn, args)
        obj: Fragment | None = None
        shown: list[Fragment] = []
        for i, arg in enumerate(args[: self._needed(fn, args, signature)]):
            if i == receiver:
                obj = self.term(without_parents(self.glance, arg))
            elif infos[i] == DEFAULT:
                shown.append(self.term(arg))
            elif i < len(signature.names) and signature.names[i] == "motive" and _returns_pi(arg):
                shown.append(show.named_argument("motive", self.term(arg)))
        head = self._head(fn) if obj is None else show.field(obj, signature.field_name)
        return show.application(head, shown)

    def _needed(self, fn: Const, args: Sequence[Expr], signature: Signature) -> int:
        """Return the number of arguments to show: arguments at the end that equal their defaults are left out."""
        count = len(args)
        if count - 1 not in signature.optional:
            return count
        whole = signature.type
        if signature.decl is not None:
            whole = instantiate_level_params(whole, signature.decl.level_params, fn.levels)
        while count and count - 1 in signature.optional:
            type_ = whole
            for arg in args[: count - 1]:
                type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
            if not alpha_eq(type_.type.arg, args[count - 1]):  # type: ignore[attr-defined]
                break
            count -= 1
        return count

    def _structure(self, args: Sequence[Expr], signature: Signature) -> Fragment | None:
        """`{ a := x, b := y }` or `⟨x, y⟩` for a complete constructor of a structure."""
        ctor = signature.decl
        if type(ctor) is not Constructor or len(args) != ctor.num_params + ctor.num_fields:
            return None
        fields = self.ctx.structure_fields(ctor.inductive)
        if fields is None or ctor.name in SPECIAL or ctor.name in CONSTANT or ctor.name in self.ctx.notations:
            return None
        first = ctor.num_params
        if ctor.inductive not in ANONYMOUS_CONSTRUCTOR:
            return show.structure_instance(
                [(name, self.term(args[first + i])) for i, name in enumerate(fields[: ctor.num_fields])]
            )
        shown = [self.term(args[i]) for i in range(first, len(args)) if signature.infos[i] == DEFAULT]
        return show.enclosed("⟨", shown, "⟩")


def _merges(e: Pi | Lam, inner: Expr) -> bool:
    """Return whether two nested binders share a group: same kind, same type, and no instances."""
    if not isinstance(inner, type(e)) or inner.info != e.info or e.info == INST:
        return False
    domain = lift_loose(e.type, 1) if e.type.loose else e.type
    return alpha_eq(domain, inner.type)


def _binder_infos(type_: Expr | None) -> tuple[int, ...]:
    infos: list[int] = []
    while type(type_) is Pi:
        infos.append(type_.info)
        type_ = type_.body
    return tuple(infos)


def _returns_pi(motive: Expr) -> bool:
    while type(motive) is Lam:
        motive = motive.body
    return type(motive) is Pi


def _mentions_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w.'✝]){re.escape(word)}(?![\w'✝])", text) is not None
