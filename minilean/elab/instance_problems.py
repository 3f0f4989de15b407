"""Instance problems that cannot be solved at once: retried, solved by default instances, or reported.

Source: Lean 4 `src/Lean/Elab/SyntheticMVars.lean` (4.34).
"""

from __future__ import annotations

from typing import NoReturn

from minilean.elab.display import show
from minilean.elab.pending import Pending
from minilean.kernel.expr import INST, Const, Expr, MVar, Pi, Sort, get_app, get_app_fn, mk_app
from minilean.kernel.instantiate import instantiate1
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf

_STUCK_HINT = (
    "\n\nHint: Adding type annotations and supplying implicit arguments to functions can give Lean more information "
    "for typeclass resolution. For example, if you have a variable `x` that you intend to be a `Nat`, but Lean "
    "reports it as having an unresolved type like `?m`, replacing `x` with `(x : Nat)` can get typeclass resolution "
    "un-stuck."
)

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def no_instance(m: Meta, class_type: Expr) -> MetaError:
    """Return Lean's message for an instance that does not exist."""
    text = f"failed to synthesize instance of type class\n  {show(m, class_type, 2)}"
    fn, args = get_app(class_type)
    if type(fn) is Const and fn.name == "OfNat" and len(args) == 2:
        text += (
            f"\nnumerals are polymorphic in Lean, but the numeral `{show(m, args[1])}` cannot be used in a "
            f"context where the expected type is\n  {show(m, args[0], 2)}\ndue to the absence of the instance above"
        )
    return MetaError(
        f"{text}\n\n"
        "Hint: Type class instance resolution failures can be inspected with the "
        "`set_option trace.Meta.synthInstance true` command."
    )


def not_synthesized(m: Meta, class_type: Expr) -> MetaError:
    """Return Lean's message where a command or a tactic, not a term, asks for an instance that does not exist."""
    return MetaError(
        f"failed to synthesize\n  {show(m, class_type, 2)}\n\nHint: Additional diagnostic information may be "
        "available using the `set_option diagnostics true` command."
    )


def is_posed(m: Meta, class_type: Expr) -> bool:
    """Return whether instance search can decide a class: only out-parameters contain metavariables."""
    fn, args = get_app(class_type)
    out = m.env.classes.get(fn.name, ()) if type(fn) is Const else ()
    return not any(has_expr_mvar(arg) for i, arg in enumerate(args) if i not in out)


def settle_instance(m: Meta, mvar: MVar) -> bool:
    """Find the instance that a metavariable stands for; return False while its type says too little.

    Raises:
        MetaError: There is no such instance.
    """
    class_type = m.instantiate_mvars(m.mvar_decl(mvar).type)
    value = synth_instance(m, class_type)
    if value is None:
        if is_posed(m, class_type):
            raise no_instance(m, class_type)
        return False
    assigned = m.mctx.assignment.get(mvar.id)
    if assigned is not None:
        return is_def_eq(m, assigned, value)
    # The instance may determine out-parameters: unify the types too.
    if not is_def_eq(m, infer_type(m, value), class_type):
        return False
    m.mctx.assign(mvar.id, value)
    return True


def apply_defaults(m: Meta, pending: list[Pending]) -> bool:
    """Use one default instance for a stuck problem, the one with the highest priority first.

    Args:
        m: Where metavariables are assigned.
        pending: The elaborator's problems; the premises of the instance are added.

    Returns:
        Whether a default instance was used.
    """
    choices: list[tuple[int, Pending, str]] = []
    for problem in pending:
        # A metavariable assigned by abstraction over a binder, `?i := ?i' x`, is still open.
        if problem.kind != "inst" or type(get_app_fn(m.instantiate_mvars(problem.mvar))) is not MVar:
            continue
        class_type = m.instantiate_mvars(m.mvar_decl(problem.mvar).type)
        fn = get_app_fn(class_type)
        if type(fn) is Const:
            entries = m.env.default_instances.get(fn.name, ())
            choices += [(-entry.priority, problem, entry.name) for entry in entries]
    # `-1` is an `Int`: the instance of `Neg` goes before that of `OfNat`, in any order of the problems
    choices.sort(key=lambda choice: choice[0])
    for _, problem, name in choices:
        with m.with_lctx(problem.lctx):
            if m.attempt(lambda n=name, p=problem: _use_default(m, pending, p.mvar, n)):  # type: ignore[misc]
                return True
    return False


def _use_default(m: Meta, pending: list[Pending], mvar: MVar, name: str) -> bool:
    term: Expr = m.const(name)
    type_ = infer_type(m, term)
    added = []
    while type(type_) is Pi:
        kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
        arg = m.new_mvar(type_.type, kind)
        if kind is Kind.SYNTHETIC:
            added.append(Pending("inst", arg, m.lctx))
        term = mk_app(term, arg)
        type_ = instantiate1(type_.body, arg)
    if not is_def_eq(m, type_, m.mvar_decl(mvar).type) or not is_def_eq(m, mvar, term):
        return False
    pending.extend(added)
    return True


def report_stuck(m: Meta, problem: Pending) -> NoReturn:
    """Raise the error for a problem that nothing can decide."""
    with m.with_lctx(problem.lctx):
        if problem.kind == "inst":
            class_type = m.instantiate_mvars(m.mvar_decl(problem.mvar).type)
            raise _stuck_instance(m, class_type)
        raise MetaError("elaboration is stuck: the expected type is not known")


def _stuck_instance(m: Meta, class_type: Expr) -> MetaError:
    fn, args = get_app(class_type)
    text = f"typeclass instance problem is stuck\n  {show(m, class_type, 2)}"
    types = [type(whnf(m, m.instantiate_mvars(infer_type(m, arg)))) is Sort for arg in args]
    out = m.env.classes.get(fn.name, ()) if type(fn) is Const else ()
    stuck = [i for i, arg in enumerate(args) if types[i] and i not in out and type(get_app_fn(arg)) is MVar]
    if len(stuck) != 1 or type(fn) is not Const:
        return MetaError(text + _STUCK_HINT)
    name = show(m, fn).removeprefix("@")
    nth = _ORDINALS[sum(types[: stuck[0]])] + " " if sum(types) > 1 else ""
    return MetaError(
        f"{text}\n\nNote: Lean will not try to resolve this typeclass instance problem because the {nth}type "
        f"argument to `{name}` is a metavariable. This argument must be fully determined before Lean will try "
        f"to resolve the typeclass.{_STUCK_HINT}"
    )
