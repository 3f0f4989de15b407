"""Answers of `#check`, `#print`, `#eval`, `#reduce`, `#synth` and `#guard`.

Source: Lean 4 `src/Lean/Elab/BuiltinCommand.lean`, `Print.lean`, `src/Lean/PrettyPrinter.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState, runs
from minilean.commands.universes import header_levels
from minilean.elab.binders import push_binders
from minilean.elab.default_arguments import AutoTactic, default_of, plain_type
from minilean.elab.display import show, start_printing
from minilean.elab.instance_problems import not_synthesized
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope, meanings, resolve_exact
from minilean.elab.sorry import SORRY, USES_SORRY, mentions_sorry
from minilean.elab.term import Elab
from minilean.kernel.declaration import (
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    Recursor,
    TheoremDecl,
)
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    Const,
    Expr,
    Lit,
    Pi,
    Sort,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_lit,
)
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params
from minilean.kernel.level import ZERO, Succ, mk_param
from minilean.meta.errors import MetaError, UnsupportedError, message_of, messages_of
from minilean.meta.extension import ALL, INSTANCES, REDUCIBLE
from minilean.meta.infer import infer_type, is_proof, is_type, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.syntax.text_literals import STRING_LITERAL, text_value

_BRACKETS = {DEFAULT: "()", IMPLICIT: "{}", INST: "[]"}


@runs(ast.Hash)
def run_query(state: CommandState, command: ast.Hash) -> None:
    """Answer a query with a message."""
    el = state.elaborator((), auto_bound=not state.trusted)
    push_binders(el, state.scope.variables)
    el.auto_bound = False
    if command.kind == "check_failure":
        try:
            answer(el, command)
        except (MetaError, KernelError) as error:
            state.say("info", message_of(error), getattr(error, "position", None))
            return
        raise MetaError("unexpected success")
    try:
        text = answer(el, command)
    except MetaError as error:
        if all(text != USES_SORRY for _, text, _ in state.log):
            raise
        # the error of the evaluation comes before the warning about `sorry`
        for text, position, _ in messages_of(error):
            state.say("error", text, position)
        return
    if text:
        state.say("info", text)


def answer(el: Elab, command: ast.Hash) -> str:
    """Return the text that a query prints; empty for a `#guard` that holds.

    Raises:
        MetaError: The query fails.
    """
    start_printing(el.m)
    if command.kind in ("check", "check_failure"):
        return _check(el, command)
    if command.kind == "guard":
        return _guard(el, command)
    if command.kind == "print":
        return _print(el, _constant(el, command))
    if command.kind == "print axioms":
        return _print_axioms(el, _constant(el, command))
    if command.kind == "synth":
        return _synth(el, command)
    return _evaluate(el, command)


def _synth(el: Elab, command: ast.Hash) -> str:
    """Return the text of the instance that is found."""
    assert command.term is not None
    type_ = el.elab(command.term)
    el.synthesize()
    type_ = el.m.instantiate_mvars(type_)
    value = synth_instance(el.m, type_)
    if value is None:
        raise not_synthesized(el.m, type_)
    return show(el.m, el.m.instantiate_mvars(value))


def _constant(el: Elab, command: ast.Hash) -> Declaration:
    if not isinstance(command.term, ast.Ident):
        raise UnsupportedError(f"`#{command.kind}` of anything but a name")
    name = resolve_exact(el.m.env, el.scope, command.term.name)
    decl = None if name is None else el.m.env.find(name)
    if decl is None:
        name = command.term.name
        raise unknown(el.m.env, el.scope, name, f"Unknown constant `{name}`")
    return decl


def _guard(el: Elab, command: ast.Hash) -> str:
    assert command.term is not None
    e = el.elab_closed(command.term, mk_const("Bool"))
    with el.m.with_transparency(ALL):
        value = whnf(el.m, e)
    if type(value) is not Const or value.name != "Bool.true":
        raise MetaError(f"Expression\n  {show(el.m, e, 2)}\ndid not evaluate to `true`")
    return ""


def _check(el: Elab, command: ast.Hash) -> str:
    m = el.m
    if isinstance(command.term, ast.Ident):
        found = [m.env.find(name) for name in meanings(m.env, el.scope, command.term.name)]
        if found:
            return "\n".join(signature_text(m, decl) for decl in found if decl is not None)
    assert command.term is not None
    e = el.elab(command.term)
    el.synthesize()
    header_levels(el, [e])
    e = m.instantiate_mvars(e)
    return f"{show(m, e)} : {show(m, infer_type(m, e))}"


def _default_text(m: Meta, type_: Expr, indent: int) -> str:
    default = default_of(m.env, type_)
    if default is None:
        return ""
    return f" := {default.text if isinstance(default, AutoTactic) else show(m, default, indent)}"


def signature_text(m: Meta, decl: Declaration, indent: int = 2) -> str:
    """Return `name.{u} (x : A) {y : B} : type`, as `#check name` prints it."""
    old = m.lctx
    try:
        groups: list[tuple[list[str], str, int]] = []
        type_ = decl.type
        merged: Expr | None = None
        while type(type_) is Pi and (not type_.name.endswith("✝") or type_.info == INST):
            shown = show(m, plain_type(type_.type), indent + 2)
            shown += _default_text(m, type_.type, indent + 2)
            if groups and merged is type_.type and type_.info == groups[-1][2] and type_.info != INST:
                groups[-1][0].append(type_.name)
            else:
                groups.append(([type_.name.rstrip("✝")], shown, type_.info))
            merged = type_.type
            fvar = m.push_local(type_.name, type_.type, type_.info)
            type_ = instantiate1(type_.body, fvar)
        texts = []
        for names, shown, info in groups:
            brackets = _BRACKETS.get(info, "⦃⦄")
            left, right = brackets[0], brackets[1]
            named = info != INST or not names[0].startswith("inst")
            texts.append(f" {left}{' '.join(names) + ' : ' if named else ''}{shown}{right}")
        shadowed = isinstance(m.scope, Scope) and meanings(m.env, m.scope, decl.name) != [decl.name]
        name = f"_root_.{decl.name}" if shadowed else decl.name
        return f"{name}{_levels(decl)}{''.join(texts)} : {show(m, type_, indent)}"
    finally:
        m.lctx = old


def _print(el: Elab, decl: Declaration) -> str:
    m = el.m
    if isinstance(decl, Inductive):
        return _print_structure(m, decl) if decl.name in m.env.structures else _print_inductive(m, decl)
    if isinstance(decl, TheoremDecl):
        text = _header(m, "theorem", decl)
        return text if decl.value is None else f"{text} :=\n{show(m, decl.value)}"
    if isinstance(decl, Definition):
        return f"{_header(m, 'def', decl)} :=\n{show(m, _body(m, decl))}"
    kinds = {Axiom: "axiom", Constructor: "constructor", Recursor: "recursor"}
    return _header(m, kinds.get(type(decl), "Quotient primitive"), decl)


_REDUCIBILITY = {REDUCIBLE: "@[reducible] ", INSTANCES: "@[instance_reducible] ", ALL: "@[irreducible] "}


def _header(m: Meta, kind: str, decl: Declaration) -> str:
    """Return `@[reducible] protected def f.{u} : type`."""
    attribute = _REDUCIBILITY.get(m.env.reducibility.get(decl.name, 0), "") if kind == "def" else ""
    protected = "protected " if decl.name in m.env.protected else ""
    return f"{attribute}{protected}{kind} {decl.name}{_levels(decl)} : {show(m, decl.type, 2)}"


def _levels(decl: Declaration) -> str:
    return f".{{{', '.join(decl.level_params)}}}" if decl.level_params else ""


def _print_inductive(m: Meta, decl: Inductive) -> str:
    lines = [_header(m, "inductive", decl), f"number of parameters: {decl.num_params}", "constructors:"]
    for name in decl.constructors:
        ctor = m.env.find(name)
        assert ctor is not None
        lines.append(f"{name} : {show(m, ctor.type, 2)}")
    return "\n".join(lines)


def _print_structure(m: Meta, decl: Inductive) -> str:
    word = "class" if decl.name in m.env.classes else "structure"
    info = m.env.structures[decl.name]
    if info.parents:
        raise UnsupportedError("`#print` of a structure that extends others")
    ctor = m.env.find(info.constructor)
    assert ctor is not None
    lines = [f"{word} {signature_text(m, decl)}", f"number of parameters: {info.num_params}", "fields:"]
    for field in info.fields:
        projection = m.env.find(f"{decl.name}.{field}")
        assert projection is not None
        old = m.lctx
        _, type_ = m.intro_binders(projection.type, info.num_params + 1)
        lines.append(f"  {decl.name}.{field} : {show(m, type_, 4)}")
        m.lctx = old
    return "\n".join([*lines, "constructor:", f"  {signature_text(m, ctor, 4)}"])


def _body(m: Meta, decl: Definition) -> Expr:
    recursion = m.env.recursions.get(decl.name)
    return decl.value if recursion is None else recursion.value


def _print_axioms(el: Elab, decl: Declaration) -> str:
    levels = tuple(mk_param(p) for p in decl.level_params)
    axioms = el.m.env.kernel.axioms_of(mk_const(decl.name, levels))
    if not axioms:
        return f"'{decl.name}' does not depend on any axioms"
    # Lean compares names prefix first: `propext` and `sorryAx` before `Classical.choice`
    shown = sorted(axioms, key=lambda name: (name.count("."), name.split(".")))
    return f"'{decl.name}' depends on axioms: [{', '.join(shown)}]"


# --- evaluation ---------------------------------------------------------------------------------------------


_ASKS_FOR_SORRY = (
    "Aborting evaluation since the expression depends on the 'sorry' axiom, which can lead to runtime instability "
    "and crashes.\n\nTo attempt to evaluate anyway despite the risks, use the '#eval!' command."
)


def _evaluate(el: Elab, command: ast.Hash) -> str:
    m = el.m
    assert command.term is not None
    e = el.elab_closed(command.term)
    type_ = m.instantiate_mvars(infer_type(m, e))
    if e.has_mvar:
        raise MetaError("don't know how to synthesize implicit argument")
    if command.kind in ("eval", "eval!") and mentions_sorry([e]):
        m.log.append(("warning", USES_SORRY, command.start))
    if command.kind == "eval" and SORRY in m.env.kernel.axioms_of(e):
        raise MetaError(_ASKS_FOR_SORRY)
    if command.kind != "reduce" and (is_type(m, e) and not is_proof(m, e)):
        instance = None
        if whnf(m, type_) is whnf(m, m.instantiate_mvars(type_)) and type(whnf(m, type_)) is Sort:
            instance = el.instance(mk_app(mk_const("Decidable"), e)) if el.is_prop(e) else None
        if instance is None:
            raise MetaError("cannot evaluate types")
        e = mk_apps(mk_const("Decidable.decide"), (e, instance))
    if command.kind != "reduce" and is_proof(m, e):
        raise MetaError("cannot evaluate proofs")
    if command.kind != "reduce" and type(whnf(m, type_)) is Pi:
        shown = show(m, type_, 2)
        raise MetaError(
            f"Could not synthesize a `ToExpr`, `Repr`, or `ToString` instance for type\n  {shown}"
        )
    if command.kind == "reduce":
        return show(m, normal_form(m, e))
    text = _as_string(m, e, type_)
    if text is not None:
        return text
    with m.with_transparency(ALL):
        value = normal_form(m, e, run=True)
    scope, m.scope = m.scope, None  # `Repr` writes full names
    try:
        return show(m, _as_repr(value))
    finally:
        m.scope = scope


def _as_string(m: Meta, e: Expr, type_: Expr) -> str | None:
    """Return the text that a `ToString` instance of the user makes; `None` for types of the library."""
    head, _ = get_app(type_)
    if type(head) is not Const or m.env.root.find(head.name) is not None:
        return None
    if head.name in m.env.written_by_repr:
        return None
    level = sort_level(m, type_)
    if not isinstance(level, Succ):
        return None
    instance = synth_instance(m, mk_app(mk_const("ToString", (level.of,)), type_))
    if instance is None:
        return None
    with m.with_transparency(ALL):
        call = mk_apps(mk_const("ToString.toString", (level.of,)), (type_, instance, e))
        text = normal_form(m, call, run=True)
    return text_value(text)


def _as_repr(e: Expr) -> Expr:
    """Return data as `Repr` writes it: `-4`, not `Int.negSucc 3`; elements of `Fin` and of subtypes by their values."""
    fn, args = get_app(e)
    if type(fn) is not Const:
        return e
    if fn.name == "PUnit.unit":
        return mk_const("Unit.unit")
    if not args:
        return e
    if fn.name in ("Fin.mk", "Subtype.mk"):
        return _as_repr(args[-2])
    if fn.name == "Array.mk":
        fn = mk_const("List.toArray", fn.levels)
    number = args[0]
    if (
        fn.name not in ("Int.ofNat", "Int.negSucc")
        or type(number) is not Lit
        or type(number.value) is not int
    ):
        return mk_apps(fn, [_as_repr(arg) for arg in args])
    lit = mk_lit(number.value + (fn.name == "Int.negSucc"))
    integer = mk_const("Int")
    value = mk_apps(mk_const("OfNat.ofNat", (ZERO,)), (integer, lit, mk_app(mk_const("instOfNat"), lit)))
    if fn.name == "Int.ofNat":
        return value
    return mk_apps(mk_const("Neg.neg", (ZERO,)), (integer, mk_const("Int.instNegInt"), value))


def normal_form(m: Meta, e: Expr, run: bool = False) -> Expr:
    """Evaluate data completely, to constructors and literals; functions stay as they are.

    Args:
        m: The state of the term.
        e: The term.
        run: Whether opaque constants are replaced by their values, as when their code is run.
    """
    m.budget.spend("whnf")
    e = whnf(m, e)
    fn, args = get_app(e)
    if type(fn) is not Const:
        return e
    decl = m.env.find(fn.name)
    if run and isinstance(decl, Definition) and decl.is_opaque:
        body = instantiate_level_params(decl.value, decl.level_params, fn.levels)
        return normal_form(m, beta_apply(body, args), run)
    if not isinstance(decl, Constructor):
        return e
    if decl.name == "Nat.zero":
        return mk_lit(0)
    if decl.name == "Char.mk":
        code = whnf(m, mk_app(mk_const("Char.toNat"), e))
        return mk_app(mk_const("Char.ofNat"), code) if type(code) is Lit else e
    if decl.name == "Nat.succ":
        count = 0
        while decl is not None and decl.name == "Nat.succ":
            count += 1
            e = whnf(m, args[0])
            fn, args = get_app(e)
            decl = m.env.find(fn.name) if type(fn) is Const else None
        inner = normal_form(m, e, run)
        value = getattr(inner, "value", None)
        return mk_lit(value + count) if isinstance(value, int) else e
    fields = [
        a if is_proof(m, a) or is_type(m, a) else normal_form(m, a, run) for a in args[decl.num_params :]
    ]
    if decl.name == "String.ofChars":
        return mk_app(mk_const(STRING_LITERAL), fields[0])
    return mk_apps(fn, [*args[: decl.num_params], *fields])
