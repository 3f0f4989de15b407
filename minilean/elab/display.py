"""Printing of terms and goals of a `Meta`: names with daggers, types where the printer asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from minilean.elab.names import Scope, meanings
from minilean.kernel.declaration import Declaration
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import Expr, MVar, get_app_args, mk_app
from minilean.meta.context import LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.extension import PRINT_CACHE, MatcherInfo
from minilean.meta.infer import infer_type, is_proof, is_prop
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.printer import pretty
from minilean.printer.shown_notations import NONE

DAGGER = "✝"
MAX_INLINE = 30
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown_names(lctx: Iterable[LocalDecl]) -> dict[int, str]:
    """Return the name under which each visible local variable is shown, by variable id.

    A name is inaccessible when it was generated (it ends in a dagger) or a later one shadows it. Among
    inaccessible names with the same base the last is `x✝`, those before it `x✝¹`, `x✝²`, ...
    """
    taken: set[str] = set()
    counts: dict[str, int] = {}
    out: dict[int, str] = {}
    for decl in reversed([d for d in lctx if not d.hidden]):
        base = decl.name
        if not base.endswith(DAGGER) and base not in taken:
            taken.add(base)
            out[decl.fvar.id] = base
            continue
        base = base.partition(DAGGER)[0]
        n = counts.get(base, 0)
        counts[base] = n + 1
        out[decl.fvar.id] = base + DAGGER + (str(n).translate(_SUPERSCRIPTS) if n else "")
    return out


class Display:
    """Implements the printer's `PPContext` over a `Meta` whose local context is the one to show."""

    def __init__(self, m: Meta) -> None:
        self.m = m
        self.names = shown_names(m.lctx)
        self._daggers: dict[str, dict[int, int]] = {}
        self.view = m.scope.view if isinstance(m.scope, Scope) else ()
        self.notations = m.scope.shown if isinstance(m.scope, Scope) else NONE

    def meanings(self, name: str) -> list[str]:
        """The constants that a name refers to where the term is shown."""
        return meanings(self.m.env, self.m.scope, name) if isinstance(self.m.scope, Scope) else []

    def find(self, name: str) -> Declaration | None:
        """The declaration of a constant."""
        return self.m.env.find(name)

    def fvar_name(self, fvar_id: int) -> str:
        """The shown name of a local variable; one that is out of scope shows as `_fvar`."""
        name = self.names.get(fvar_id)
        if name is None and fvar_id in self.m.lctx.decls:  # the function that is being defined
            return self.m.lctx.decls[fvar_id].name
        return "_fvar" if name is None else name

    def mvar_name(self, mvar_id: int) -> str:
        """The user's name of a metavariable, or `m.<index>`; one that a later one has taken is shown as `x✝`, `x✝¹`."""
        decl = self.m.mctx.decls.get(mvar_id)
        if decl is None:
            return "m"
        if not decl.tag:
            return f"m.{decl.index}"
        if not decl.tag.endswith(DAGGER) and self.m.mctx.named[decl.tag] == mvar_id:
            return decl.tag
        base = decl.tag.partition(DAGGER)[0]
        places = self._daggers.setdefault(base, {})
        n = places.setdefault(mvar_id, len(places))
        return base + DAGGER + (str(n).translate(_SUPERSCRIPTS) if n else "")

    def delayed_target(self, mvar_id: int) -> int | None:
        """Return the metavariable that a delayed assignment stands for, or `None`."""
        delayed = self.m.mctx.delayed.get(mvar_id)
        return None if delayed is None else delayed[1]

    def push_local(self, name: str, type: Expr, value: Expr | None = None) -> Expr:
        """A fresh local variable for the body of a binder."""
        fvar = self.m.push_local(name, type, value=value)
        self.names[fvar.id] = name
        return fvar

    def infer_type(self, e: Expr) -> Expr:
        """The type of a term."""
        return self.m.instantiate_mvars(infer_type(self.m, e))

    def whnf(self, e: Expr) -> Expr:
        """The weak head normal form of a term."""
        return whnf(self.m, e)

    def is_proposition(self, e: Expr) -> bool:
        """Return whether `e : Prop`."""
        return self._safely(is_prop, e)

    def is_proof(self, e: Expr) -> bool:
        """Return whether `e` proves a proposition."""
        return self._safely(is_proof, e)

    def _safely(self, question: Callable[[Meta, Expr], bool], e: Expr) -> bool:
        try:
            return bool(question(self.m, e))
        except (MetaError, KernelError, RecursionError):
            # the answer is not known or too expensive: print as if it were no
            return False

    def structure_fields(self, struct: str) -> tuple[str, ...] | None:
        """Field names of a structure, in order."""
        info = self.m.env.structures.get(struct)
        return None if info is None else info.fields

    def parent_fields(self, struct: str) -> tuple[str, ...]:
        """Names of the fields of a structure that hold a parent structure."""
        info = self.m.env.structures.get(struct)
        return () if info is None else tuple(field for field, _ in info.parents)

    def is_class(self, struct: str) -> bool:
        """Return whether a structure is a class."""
        return struct in self.m.env.classes

    def coercion(self, name: str) -> int | None:
        """Position of the argument shown for a function marked `@[coe]`; `None` for other functions."""
        return self.m.env.coercions.get(name)

    def matcher(self, name: str) -> MatcherInfo | None:
        """The arities of a matcher, or `None` for another constant."""
        return self.m.env.matchers.get(name)


def _cache(m: Meta) -> pretty.PrintCache:
    """Return the print cache of this environment."""
    cache = m.env.memo.get(PRINT_CACHE)
    if not isinstance(cache, pretty.PrintCache):
        cache = m.env.memo[PRINT_CACHE] = pretty.PrintCache()
    return cache


def start_printing(m: Meta) -> None:
    """Reset the room for printed text: about `pretty.MAX_TEXT` characters from here on."""
    _cache(m).room = pretty.MAX_TEXT


def show(m: Meta, e: Expr, indent: int = 0) -> str:
    """The text of a term in the present local context, for a message."""
    old = m.lctx
    try:
        text = pretty.format_expr(m.instantiate_mvars(e), Display(m), indent=indent, cache=_cache(m))
    finally:
        m.lctx = old
    return _charged(m, text)


def _charged(m: Meta, text: str) -> str:
    """Charge the text of a message to the budget of the tactic."""
    m.budget.charge(len(text) >> 3, "message")
    return text


def show_explicit(m: Meta, e: Expr, indent: int = 0) -> str:
    """The text of an application with all its arguments, `@f a b`."""
    old = m.lctx
    try:
        return pretty.format_explicit(m.instantiate_mvars(e), Display(m), indent=indent)
    finally:
        m.lctx = old


def clash(m: Meta, type_: Expr, expected: Expr) -> tuple[str, str]:
    """Return `has type .. but is expected to have type ..` and the separator before the text that follows.

    Types of different sorts are shown with their sorts. Source: Lean 4 `mkHasTypeButIsExpectedMsg` (4.34).
    """
    given, wanted = show(m, type_, 2), show(m, expected, 2)
    mark = m.mctx.mark()
    try:
        sort, wanted_sort = infer_type(m, type_), infer_type(m, expected)
        if not is_def_eq(m, sort, wanted_sort):
            wanted_sort = m.instantiate_mvars(wanted_sort)
            return (
                f"has type\n  {given}\nof sort `{show(m, sort)}` but is expected to have type\n  {wanted}\n"
                f"of sort `{show(m, wanted_sort)}`",
                " ",
            )
    except (MetaError, KernelError):
        pass  # a sort cannot be inferred: show the types alone
    finally:
        m.mctx.rollback(mark)
    return f"has type\n  {given}\nbut is expected to have type\n  {wanted}", "\n"


def application_mismatch(m: Meta, fn: Expr, value: Expr, type_: Expr, expected: Expr) -> MetaError:
    """Return Lean's error for the argument `value : type_` of `fn`, which expects `expected`.

    Of several equal arguments it is called the last. Source: Lean 4 `throwAppTypeMismatch` (4.35).
    """
    types, then = clash(m, type_, expected)
    argument = f"The argument\n  {show(m, value, 2)}\n{types}"
    if any(arg is value for arg in get_app_args(fn)):
        argument = f"The last\n  {show(m, value, 2)}\nargument {types}"
    return MetaError(
        f"Application type mismatch: {argument}{then}in the application\n  {show(m, mk_app(fn, value), 2)}"
    )


def inline(m: Meta, e: Expr, after: str = " ") -> str:
    """A term in the middle of a message: in backticks, or on a line of its own if it is long."""
    text = show(m, e, 2)
    if len(text) > MAX_INLINE:
        return f"\n  {text}" + ("\n" if after else "")
    return f" `{text}`{after}"


def show_goal(m: Meta, mvar: MVar) -> str:
    """The text of a goal, for a message."""
    return _charged(m, goal_text(m, mvar))


def goal_text(m: Meta, mvar: MVar) -> str:
    """The text of a goal, `case` line included."""
    decl = m.mvar_decl(mvar)
    with m.with_lctx(decl.lctx):
        return _show_goal(m, decl.lctx, decl.type, decl.tag)


def _show_goal(m: Meta, lctx: LocalContext, target: Expr, tag: str) -> str:
    display = Display(m)
    rows = [
        (
            display.names[d.fvar.id],
            m.instantiate_mvars(d.type),
            None if d.value is None else m.instantiate_mvars(d.value),
        )
        for d in lctx
        if not d.hidden
    ]
    shown_tag = tag.rstrip(DAGGER) or None
    return pretty.format_goal(m.instantiate_mvars(target), rows, display, shown_tag, cache=_cache(m))


def goal_parts(m: Meta, mvar: MVar) -> tuple[str, list[tuple[str, str, str | None]]]:
    """The target and the (name, type, value) rows of a goal, as text."""
    decl = m.mvar_decl(mvar)
    with m.with_lctx(decl.lctx):
        display, cache = Display(m), _cache(m)

        def text(e: Expr) -> str:
            m.lctx = decl.lctx
            return pretty.format_expr(m.instantiate_mvars(e), display, cache=cache)

        target = text(decl.type)
        rows = [
            (display.names[d.fvar.id], text(d.type), None if d.value is None else text(d.value))
            for d in decl.lctx
            if not d.hidden
        ]
        return target, rows
