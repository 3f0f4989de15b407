"""Universe parameters: undetermined universes of a declaration become `u_1`, `u_2`, ...

Source: Lean 4 `src/Lean/Elab/DeclUtil.lean`, `Term.levelMVarToParam` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.elab.match.matchers import collect_level_mvars
from minilean.elab.term import Elab
from minilean.kernel.expr import Const, Expr, Sort
from minilean.kernel.level import IMax, Level, LMVar, Max, Succ, level_params, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.meta.level_unify import process_postponed
from minilean.meta.metavars import Meta


def with_levels(known: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the declared universes extended by `names`.

    Raises:
        MetaError: One of them is declared already.
    """
    declared = tuple(known)
    for name in names:
        if name in declared:
            raise MetaError(f"a universe level named `{name}` has already been declared")
        declared += (name,)
    return declared


def check_used(declared: Sequence[str], used: Sequence[str]) -> None:
    """Refuse a declaration with a universe of its own that it does not use; Lean names the last one."""
    for name in reversed(declared):
        if name not in used:
            raise MetaError(f"unused universe parameter '{name}'")


def header_levels(el: Elab, types: Sequence[Expr]) -> None:
    """Turn undetermined universes of a header into parameters, before the value is elaborated."""
    m = el.m
    process_postponed(m)
    taken = {*el.level_names, *el.scope.levels}
    for type_ in types:
        found: dict[Level, str] = {}
        type_ = m.instantiate_mvars(type_)
        for sub in subterms(type_) if type_.has_mvar else ():
            for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
                collect_level_mvars(m.instantiate_level(level), found)
        for mvar in found:
            index = 1
            while f"u_{index}" in taken:
                index += 1
            taken.add(f"u_{index}")
            el.level_names = (*el.level_names, f"u_{index}")
            m.mctx.assign_level(mvar.id, mk_param(f"u_{index}"))  # type: ignore[attr-defined]


def generalize_all(
    m: Meta, names: Sequence[str], terms: Sequence[Expr]
) -> tuple[tuple[str, ...], list[Expr]]:
    """Turn universe metavariables of a declaration into parameters `u_1`, `u_2`, ...

    Returns the parameters in use, in declaration order, and the terms.
    """
    terms = [m.instantiate_mvars(t) for t in terms]
    found: dict[int, str] = {}
    used: set[str] = set()

    def visit(level: Level) -> None:
        kind = type(level)
        if kind is LMVar:
            if level.id not in found:  # type: ignore[attr-defined]
                found[level.id] = ""  # type: ignore[attr-defined]
        elif kind is Succ:
            visit(level.of)  # type: ignore[attr-defined]
        elif kind is Max or kind is IMax:
            visit(level.left)  # type: ignore[attr-defined]
            visit(level.right)  # type: ignore[attr-defined]

    for term in terms:
        for sub in subterms(term) if term.has_mvar or term.has_param else ():
            levels = sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ()
            for level in levels:
                visit(level)
                level_params(level, used)
    taken = set(names) | used
    counter = 0
    fresh: list[str] = []
    for level_id in found:
        counter += 1
        while f"u_{counter}" in taken:
            counter += 1
        m.mctx.assign_level(level_id, mk_param(f"u_{counter}"))
        fresh.append(f"u_{counter}")
    done = [m.instantiate_mvars(t) for t in terms]
    params = [n for n in dict.fromkeys(names) if n in used]
    params += [n for n in sorted(used) if n not in params]
    return (*params, *fresh), done
