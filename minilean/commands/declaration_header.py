"""Header of a declaration: its parameters and its type, which are elaborated before the body.

Source: Lean 4 `src/Lean/Elab/MutualDef.lean` (elabHeaders), `src/Lean/Elab/Term/TermElabM.lean` (withAutoBoundImplicit)
(4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from minilean.commands.command_state import CommandState
from minilean.commands.local_functions import LocalFunction
from minilean.commands.section_variables import bind_unknown_types, used_variables
from minilean.commands.universes import header_levels
from minilean.elab.binders import push_binders
from minilean.elab.default_arguments import elab_defaults
from minilean.elab.holes import check_no_holes
from minilean.elab.pending import AutoBoundError
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, FVar
from minilean.meta.errors import MetaError, together
from minilean.meta.infer import is_prop
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Task:
    """Declaration to elaborate, and what it may refer to.

    Attributes:
        state: The state, which is not changed.
        decl: The declaration; a bare statement has no value.
        full: The name by which the body may call itself.
        local: The functions inside it.
        group: For a member of a `mutual` block, the types of its functions by name.
    """

    state: CommandState
    decl: ast.Decl
    full: str
    local: Sequence[LocalFunction]
    group: Mapping[str, Expr] | None

    @property
    def is_theorem(self) -> bool:
        """Return whether it is a theorem; an example is a definition."""
        return self.decl.kind in ("theorem", "lemma")

    @property
    def is_called(self) -> bool:
        """Return whether it has a name by which other declarations, and itself, may call it."""
        return bool(self.full) and self.decl.kind != "example"


@dataclass(frozen=True, slots=True)
class Header:
    """Elaborated header.

    Attributes:
        el: The elaborator; its context holds the section variables and the parameters.
        variables: All section variables.
        binders: The parameters, also those that bind an unknown name of the header.
        type: The type after the parameters; `None` if the body determines it.
        defaults: The defaults of parameters.
        taken: The section variables of a theorem, which its proof cannot change; `None` for other declarations.
    """

    el: Elab
    variables: Sequence[FVar]
    binders: Sequence[FVar]
    type: Expr | None
    defaults: Mapping[FVar, Expr | ast.By]
    taken: Sequence[FVar] | None = None

    @property
    def fvars(self) -> list[FVar]:
        """Section variables and parameters."""
        return [*self.variables, *self.binders]


def elab_header(task: Task) -> Header:
    """Elaborate a header. An unknown name in it becomes a parameter where Lean allows that.

    Raises:
        MetaError: The header is refused; errors about unknown names are reported together.
    """
    auto: tuple[ast.Binder, ...] = ()
    while True:
        el = _elaborator(task)
        try:
            header = _with_auto_bound(task, el, auto)
            if not el.unbound:
                break
            raise together(el.unbound)
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        except MetaError as error:
            raise (together(el.unbound) if el.unbound else error) from None
    el.auto_bound = False
    unknown_types = bind_unknown_types(el, header.binders[: len(auto)])
    return _settled(task, replace(header, binders=[*unknown_types, *header.binders]))


def _elaborator(task: Task) -> Elab:
    state, decl = task.state, task.decl
    el = state.elaborator(decl.level_params, auto_bound=not state.trusted)
    if state.report is not None or state.trusted or decl.value is not None:
        # auxiliary declarations for compiled terms; a bare statement must not add any
        el.m.auxiliary_prefix = task.full or state.full_name(decl.name) or "_example"
    el.scope = el.m.scope = state.scope_of(decl)
    el.unbound = []
    return el


def _with_auto_bound(task: Task, el: Elab, auto: tuple[ast.Binder, ...]) -> Header:
    """Elaborate a header after these parameters for its unknown names.

    Raises:
        AutoBoundError: A further name is unknown.
    """
    decl, variables_stx = task.decl, task.state.scope.variables
    variables = push_binders(el, variables_stx)
    defaults = elab_defaults(el, variables_stx, variables)
    binders = push_binders(el, auto + decl.binders)
    if auto:
        el.synthesize()  # no more will be known of a variable that is bound by itself
    defaults.update(elab_defaults(el, auto + decl.binders, binders))
    type_: Expr | None = None
    if decl.type is not None:
        type_ = el.elab_type(decl.type)
        el.synthesize()
    return Header(el, variables, binders, type_, defaults if task.is_called else {})


def _settled(task: Task, header: Header) -> Header:
    """Settle all that the body cannot determine any more when the header says the type."""
    decl, el, type_ = task.decl, header.el, header.type
    if type_ is None:
        return header
    m = el.m
    check_binder_types(m, header.binders, _header_note(decl.kind))
    check_no_holes(el, m.mk_pi(header.fvars, type_))
    taken: Sequence[FVar] | None = None
    if decl.value is not None and task.is_theorem and task.group is None:
        taken = used_variables(task.state, m, header.variables, header.binders, [type_], theorem=True)
        m.lctx = m.lctx.without({x.id for x in header.variables if x not in taken})
        m.matcher_word = "match_1"  # Lean elaborates a proof beside the file, with a numbering of its own
    if _fixes_levels_early(m, decl, m.mk_pi(header.binders, type_)) or (
        task.group and decl.kind != "instance"
    ):
        fix_levels(el, header.fvars, type_)
    return replace(header, taken=taken)


def _fixes_levels_early(m: Meta, decl: ast.Decl, type_: Expr) -> bool:
    """Return whether the universes of a header are those of the header alone.

    The body of a definition may determine them further, a proof may not; goals of a block of tactics show parameters.
    """
    if decl.value is None or decl.kind == "instance":
        return False
    return decl.kind in ("theorem", "lemma") or isinstance(decl.value, ast.By) or is_prop(m, type_)


def fix_levels(el: Elab, xs: Sequence[FVar], type_: Expr) -> None:
    """Turn the undetermined universes of a header into parameters."""
    m = el.m
    header_levels(el, [m.local(x).type for x in xs if x.id in m.lctx] + [type_])


def _header_note(kind: str) -> str:
    """Return Lean's note for a header that leaves something open although it says the type."""
    if kind == "axiom":
        return ""
    if kind in ("theorem", "lemma"):
        return (
            "\n\nNote: All parameter types and holes (e.g., `_`) in the header of a theorem are resolved before the "
            "proof is processed; information from the proof cannot be used to infer what these values should be"
        )
    rule = "all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed"
    return (
        f"\n\nNote: Because this declaration's type has been explicitly provided, {rule}; information from the "
        "declaration body cannot be used to infer what these values should be"
    )


def check_binder_types(m: Meta, binders: Sequence[FVar], note: str = "") -> None:
    """Refuse binders whose type is undetermined."""
    for x in binders:
        if x.id in m.lctx and has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`{note}")
