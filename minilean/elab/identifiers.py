"""Identifiers: local variables, constants, the function that is being defined, automatically bound names.

Source: Lean 4 `src/Lean/Elab/Term.lean` (`resolveName`), `src/Lean/Elab/AutoBound.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterator

from minilean.elab.missing_names import refused_name, unknown
from minilean.elab.names import is_short, resolve_global
from minilean.elab.pending import AutoBoundError
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, mk_const
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.metavars import Meta
from minilean.meta.scope_check import check_closed
from minilean.syntax import ast


def resolve_ident(el: Elab, stx: ast.Ident) -> tuple[Expr, tuple[str | int, ...]]:
    """Resolve an identifier to a local variable or constant and the fields that follow it in the dotted name.

    Raises:
        MetaError: The name is unknown, ambiguous or hidden.
        AutoBoundError: The name is unknown and may be bound automatically.
    """
    m = el.m
    parts = stx.name.split(".")
    for cut in range(len(parts), 0, -1):
        local = m.lctx.by_name(".".join(parts[:cut]))
        # only the text of a notation has names with daggers
        if local is not None and (not local.name.endswith("✝") or stx.name.endswith("✝")):
            if stx.levels is not None:
                name = local.name
                raise MetaError(f"invalid use of explicit universe parameters, `{name}` is a local variable")
            return local.fvar, tuple(parts[cut:])
    own = _recursive_call(el, stx.name)
    found = resolve_global(m.env, el.scope, stx.name)
    # the longest name wins: inside `def Nat.div`, `div.go` is a constant of its own
    if own is not None and (found is None or len(own[1]) <= len(found[1])):
        return own
    if found is None:
        if "." in stx.name and parts[0] in m.env.namespaces:
            raise unknown(m.env, el.scope, stx.name, f"Unknown constant `{stx.name}`")
        error = unknown(m.env, el.scope, stx.name)
        if el.auto_bound and "." not in stx.name and not isinstance(error, UnsupportedError):
            problem = _auto_bound(el, stx.name)
            if el.unbound is None or isinstance(problem, AutoBoundError):
                raise problem
            # the other unknown names of the header are reported with this one
            problem.locate(stx.start, stx.end)
            if all(other.position != problem.position for other in el.unbound):
                el.unbound.append(problem)
            return m.new_mvar(m.new_type_mvar()), ()
        raise error
    name, fields = found
    if stx.levels is not None:
        levels = [el.level(level) for level in stx.levels]
        decl = m.env.find(name)
        # those that are left out are found by unification
        missing = 0 if decl is None else len(decl.level_params) - len(levels)
        return mk_const(name, (*levels, *[m.new_level_mvar() for _ in range(missing)])), fields
    return m.const(name), fields


def _auto_bound(el: Elab, name: str) -> MetaError:
    """Return the exception for an unknown name in a header: a request to bind it, if the options allow that."""
    if refused_name(el.m.env, el.scope, name) is not None:
        return MetaError(f"Unknown identifier `{name}`")
    if el.scope.option("autoImplicit", "true") == "false":
        reason = "the `autoImplicit` option is set to `false`"
    elif el.scope.option("relaxedAutoImplicit", "true") == "false" and not is_short(name):
        reason = "it has multiple characters while the `relaxedAutoImplicit` option is set to `false`"
    else:
        return AutoBoundError(name)
    return MetaError(
        f"Unknown identifier `{name}`\n\nNote: It is not possible to treat `{name}` as an implicitly bound variable "
        f"here because {reason}."
    )


def own_functions(m: Meta) -> Iterator[LocalDecl]:
    """Yield the variables that stand for the declarations being elaborated.

    A declaration is skipped when its type mentions a variable that is gone, as after `cases` on a section variable;
    so it is in Lean.
    """
    for decl in m.lctx:
        if decl.hidden and check_closed(decl.type, m.lctx.decls):
            yield decl


def own_function(m: Meta, name: str) -> Expr | None:
    """Return the variable that stands for the declaration of this full name while it is elaborated, or `None`."""
    return next((decl.fvar for decl in own_functions(m) if decl.name == name), None)


def _recursive_call(el: Elab, name: str) -> tuple[Expr, tuple[str | int, ...]] | None:
    """Resolve a name to the function that is being defined, seen from the current namespace."""
    for decl in own_functions(el.m):
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            head = ".".join(parts[:cut])
            space = el.scope.namespace
            while True:
                if decl.name == (f"{space}.{head}" if space else head):
                    return decl.fvar, tuple(parts[cut:])
                if not space:
                    break
                space = space.rpartition(".")[0]
    return None
