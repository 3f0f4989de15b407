"""`theorem`, `def`, `abbrev`, `opaque`, `axiom`, `instance` and `example`: elaborated, then checked by the kernel.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minilean.commands.attributes import FOR_DEFINITIONS, add_attributes, not_a_class
from minilean.commands.command_state import NONCOMPUTABLE, CommandState, runs
from minilean.commands.elaboration import Elaborated, elaborate
from minilean.commands.instance_names import free_name, instance_name
from minilean.commands.local_functions import LocalFunction, declaration_of, inside, with_local_functions
from minilean.commands.noncomputable import check_code
from minilean.commands.section_variables import add_variables
from minilean.elab.display import show
from minilean.elab.recursion.equations import add_equations
from minilean.elab.sorry import USES_SORRY, mentions_sorry, name_place
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import Const, Expr, mk_const
from minilean.kernel.traversal import subterms
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import ALL, NEVER, REDUCIBLE
from minilean.meta.infer import is_prop
from minilean.meta.meta_m import MetaM
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Signature:
    """Elaborated header. `type` is closed; its first `num_binders` binders are variables and binders of the source."""

    level_params: tuple[str, ...]
    type: Expr
    num_binders: int


@runs(ast.Decl)
def declare(state: CommandState, decl: ast.Decl) -> None:
    """Elaborate a declaration and have the kernel check it, after the functions inside it.

    Raises:
        MetaError: The declaration is refused; the environment may hold a part of it.
    """
    decl = with_local_functions(decl)
    _declare(state, decl, declare_local(state, decl) if decl.local else ())


@runs(ast.InitQuot)
def declare_quotients(state: CommandState, _command: ast.InitQuot) -> None:
    """`init_quot`."""
    state.env.kernel.add_quot()


def declare_local(state: CommandState, decl: ast.Decl) -> tuple[LocalFunction, ...]:
    """Declare the functions inside a definition; its parameters are their section variables."""
    found: list[LocalFunction] = []
    state.scopes.append(inside(state.scope, decl))
    try:
        add_variables(state, decl.binders)
        for function in decl.local:
            made = _declare(state, declaration_of(decl, function), found)
            full = state.full_name(f"{decl.name}.{function.name}")
            # instances and unnamed parameters are found again by unification
            named = tuple(name for name in made.variables if "✝" not in name)
            found.append(LocalFunction(function.name, full, named))
    finally:
        state.scopes.pop()
    return tuple(found)


def _declare(state: CommandState, decl: ast.Decl, local: Sequence[LocalFunction]) -> Elaborated:
    """Declare `decl`; the functions inside it are declared already."""
    check_modifiers(decl)
    if decl.kind == "axiom" and not state.trusted and state.report is None:
        raise UnsupportedError(
            "new axioms are refused: a proof may use propext, Classical.choice, Quot.sound"
        )
    full = state.full_name(decl.name) if decl.name else "_example"
    if decl.kind == "instance" and not decl.name:
        full = instance_name(state, decl)
        # a file may have several instances of one name; the context of a statement may not
        full = full if state.report is None else free_name(state, full)
    if state.env.find(full) is not None and decl.kind != "example":
        raise MetaError(f"`{full}` has already been declared")
    if decl.kind == "opaque" and decl.value is None:
        made = _inhabited(state, decl, full)
    else:
        made = elaborate(state, decl, full, local)
    add_elaborated(state, decl, full, made)
    if decl.kind == "example":
        _tell_sorry(state, decl, made.type, made.value)
        _check_code(state, decl, full, made)
        return made
    complete(state, decl, full, made)
    return made


def add_elaborated(state: CommandState, decl: ast.Decl, full: str, made: Elaborated) -> None:
    """Have the kernel check an elaborated declaration."""
    params, type_, value = made.level_params, made.type, made.value
    if decl.termination is not None and made.written is None:
        state.say(
            "warning",
            f"unused {_hint_name(decl.termination)}, function is not recursive",
            decl.termination.start,
        )
    if decl.kind in ("theorem", "lemma"):
        _check_proposition(state, decl.name, type_)
    if decl.kind == "axiom":
        state.env.kernel.add_axiom(full, params, type_)
        return
    assert value is not None
    if decl.kind == "example":
        state.env.kernel.add_definition(full, params, type_, value)
    elif decl.kind in ("theorem", "lemma"):
        state.env.kernel.add_theorem(full, params, type_, value)
    else:
        opaque = decl.kind == "opaque"
        state.env.kernel.add_definition(
            full, params, type_, value, abbrev=decl.kind == "abbrev", opaque=opaque
        )
        if opaque:
            state.env.reducibility[full] = NEVER


def complete(state: CommandState, decl: ast.Decl, full: str, made: Elaborated) -> None:
    """Record all that belongs to a declaration that the kernel has: equations, attributes, reducibility."""
    _tell_sorry(state, decl, made.type, made.value)
    if decl.kind in ("theorem", "lemma"):
        state.env.theorem_added()
    else:
        state.env.memo.clear()
    _check_code(state, decl, full, made)
    if made.written is not None and decl.kind not in ("theorem", "lemma", "opaque"):
        state.env.recursions[full] = made.written
        if made.written.position is None:
            state.env.reducibility[full] = ALL
    if decl.kind in ("def", "abbrev"):
        add_equations(state.elaborator((), auto_bound=False), full)
    if "." in full:
        state.env.add_namespace(full.rpartition(".")[0])
    if "protected" in decl.modifiers:
        state.env.protected.add(full)
    if decl.kind == "abbrev":
        state.env.reducibility[full] = REDUCIBLE
    if decl.kind == "instance":
        kinds = [word for word in decl.modifiers if word in ("local", "scoped")]
        priority = "" if decl.priority is None else str(decl.priority)
        add_attributes(state, full, [("instance", " ".join([*kinds, priority]).strip())])
    add_attributes(state, full, decl.attrs)


def check_modifiers(decl: ast.Decl) -> None:
    """Refuse modifiers that Lean refuses on a declaration of this kind, and those that are not supported."""
    for word in ("partial", "unsafe"):
        if word in decl.modifiers:
            raise UnsupportedError(f"`{word}` of `{decl.name}`: only definitions that terminate are accepted")
    if "noncomputable" in decl.modifiers and decl.kind in ("theorem", "lemma"):
        raise MetaError(f"'{decl.kind}' subsumes 'noncomputable'")


def _hint_name(hints: ast.Termination) -> str:
    if hints.measure is not None and hints.decreasing is not None:
        return "termination hints"
    return "`decreasing_by`" if hints.measure is None else "`termination_by`"


def _check_code(state: CommandState, decl: ast.Decl, full: str, made: Elaborated) -> None:
    """Refuse a definition without code unless it is marked `noncomputable`; its users then need the mark too."""
    if made.value is None or decl.kind not in ("def", "abbrev", "instance", "example"):
        return
    m = MetaM(state.env)
    m.scope = state.scope
    if is_prop(m, made.type):
        return
    if "noncomputable" in decl.modifiers:
        state.env.uncompiled[full] = True
    elif not state.trusted and not mentions_sorry([made.value]):
        written = made.value if made.written is None else made.written.value
        inner = {
            sub.name for sub in subterms(written) if type(sub) is Const and sub.name.startswith(f"{full}.")
        }
        try:
            for value in (written, *(_written_value(state, name) for name in sorted(inner))):
                check_code(m, value)
        except MetaError:
            if not state.scope.option(NONCOMPUTABLE, ""):
                raise
            state.env.uncompiled[full] = True


def _written_value(state: CommandState, name: str) -> Expr:
    """Return the value of a function of `let rec`, with its recursive calls; other constants stand for themselves."""
    recursion, decl = state.env.recursions.get(name), state.env.find(name)
    if recursion is not None:
        return recursion.value
    if isinstance(decl, Definition) and name not in state.env.matchers and name not in state.env.uncompiled:
        return decl.value
    return mk_const(name)


def _inhabited(state: CommandState, decl: ast.Decl, full: str) -> Elaborated:
    """Elaborate an opaque constant without a value: its type must be `Inhabited` or `Nonempty`.

    Raises:
        MetaError: There is no such instance.
    """
    for witness in ("Inhabited.default", "Classical.choice inferInstance"):
        fn, *args = (ast.Ident(f"_root_.{name}") for name in witness.split())
        value: ast.Term = ast.App(fn, tuple(args)) if args else fn
        kept = state.env
        state.env = kept.child()
        try:
            found = elaborate(state, replace(decl, value=value), full)
            kept.adopt(state.env)
            return found
        except BudgetError:
            raise
        except MetaError:
            continue
        finally:
            state.env = kept
    type_ = elaborate(state, decl, full).type
    raise MetaError(
        f"failed to synthesize `Inhabited` or `Nonempty` instance for\n  {show(MetaM(state.env), type_, 2)}\n\n"
        "If this type is defined using the `structure` or `inductive` command, you can try adding a "
        "`deriving Nonempty` clause to the command."
    )


def _tell_sorry(state: CommandState, decl: ast.Decl, type_: Expr, value: Expr | None) -> None:
    if state.report is not None and mentions_sorry([type_] if value is None else [type_, value]):
        state.log.append(("warning", USES_SORRY, name_place(decl, state.source)[0]))


def elab_signature(state: CommandState, decl: ast.Decl) -> Signature:
    """Elaborate the header of a statement to prove.

    Raises:
        MetaError: It is not a theorem, its name is taken, it is not a proposition, or Lean would refuse its modifiers
            or attributes.
    """
    if decl.kind not in ("theorem", "lemma", "example"):
        raise MetaError(f"a statement to prove starts with `theorem`, got `{decl.kind}`")
    if decl.type is None:
        raise MetaError("the statement has no type: expected `theorem name binders : proposition`")
    full = state.full_name(decl.name) if decl.name and decl.kind != "example" else None
    check_modifiers(decl)
    # With a name that is taken, the older declaration of this name could prove the statement.
    if full is not None and state.env.find(full) is not None:
        raise MetaError(f"`{full}` has already been declared")
    made = elaborate(state, replace(decl, value=None))
    if decl.kind != "example":
        _check_proposition(state, decl.name, made.type)
    if decl.attrs:
        _check_attributes(state, decl, full or "_example", made)
    return Signature(made.level_params, made.type, made.num_binders)


def _check_attributes(state: CommandState, decl: ast.Decl, full: str, made: Elaborated) -> None:
    """Refuse attributes that the proved theorem could not have; nothing of the trial remains.

    Raises:
        MetaError: From `add_attributes`.
    """
    kept, scopes = state.env, list(state.scopes)
    state.env = kept.child()
    try:
        # The proof is missing, and no attribute reads it. An axiom may be a class, a theorem and an example may not;
        # an example is a definition.
        state.env.kernel.add_axiom(full, made.level_params, made.type)
        if any(attr == "class" for attr, _ in decl.attrs):
            raise MetaError(not_a_class(full))
        fits = FOR_DEFINITIONS if decl.kind == "example" else ()
        add_attributes(state, full, [(attr, text) for attr, text in decl.attrs if attr not in fits])
    finally:
        state.env = kept
        state.scopes[:] = scopes


def _check_proposition(state: CommandState, theorem: str, type_: Expr) -> None:
    m = MetaM(state.env)
    if not is_prop(m, type_):
        name = f"`{theorem}` " if theorem else ""
        raise MetaError(f"type of theorem {name}is not a proposition\n  {show(m, type_, 2)}")
