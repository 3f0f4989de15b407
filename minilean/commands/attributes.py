"""Attributes: entries for instances, classes, lemmas and reducibility in the environment.

Source: Lean 4 `src/Lean/Attributes.lean`, `src/Lean/Meta/Instances.lean`, `src/Lean/Meta/Tactic/{Rfl,Symm,Ext}.lean`
(4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.commands.command_state import CommandState, runs
from minilean.commands.derived import add_ext, erase_ext
from minilean.commands.grind_attribute import add_grind
from minilean.commands.priority import priority_of
from minilean.elab.display import show
from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.elab.scoped_attributes import recorded
from minilean.elab.synthesis_order import check_synthesis_order
from minilean.kernel.declaration import Axiom, Definition, Inductive
from minilean.kernel.expr import (
    DEFAULT,
    Const,
    Expr,
    FVar,
    Pi,
    get_app,
    get_app_args,
    get_app_fn,
    is_app_of,
)
from minilean.kernel.instantiate import instantiate1
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_reducible
from minilean.syntax import ast

# _BARE: attributes without an argument. _NAMING: attributes whose argument is the name of a constant.
_BARE = frozenset(
    ["class", "coe", "elab_as_elim", "inline", "irreducible", "match_pattern", "noinline", "reducible"]
)
_NAMING = frozenset(["deprecated", "implemented_by"])
FOR_DEFINITIONS = frozenset(["inline", "always_inline", "noinline", "macro_inline"])
"""Attributes for the compiler that Lean refuses on all but definitions."""
IGNORED_ATTRIBUTES = frozenset(
    [
        "inline",
        "always_inline",
        "specialize",
        "noinline",
        "macro_inline",
        "implemented_by",
        "extern",
        "inherit_doc",
        "ext",
        "norm_cast",
        "deprecated",
        "unbox",
        "never_extract",
        "expose",
        "export",
        "app_unexpander",
        "induction_eliminator",
        "cases_eliminator",
        "defeq",
        "stx",
        "elab_without_expected_type",
        "builtin_doc",
        "coe_decl",
        "pp_using_anonymous_constructor",
        "suggest_for",
    ]
)


@runs(ast.AttributeCmd)
def run_attribute(state: CommandState, command: ast.AttributeCmd) -> None:
    """`attribute [attrs] names`."""
    for name in command.names:
        full = resolve_exact(state.env, state.scope, name)
        if full is None:
            raise unknown(state.env, state.scope, name, f"Unknown constant `{name}`")
        add_attributes(state, full, command.attrs)


def add_attributes(state: CommandState, name: str, attrs: Sequence[tuple[str, str]]) -> None:
    """Add attributes to a constant, each with the text after its name; `local` ones end with this scope."""
    for attr, text in attrs:
        words = text.split()
        kind = words[0] if words[:1] in (["local"], ["scoped"]) else ""
        argument = " ".join(words[1:] if kind else words)
        if kind == "scoped":
            space = state.scope.namespace
            if not space:
                raise MetaError("scoped attributes must be used inside namespaces")
            state.env.scoped[space] = (*state.env.scoped.get(space, ()), (name, attr, argument))
        if kind and attr == "reducible":
            raise MetaError(
                f"failed to set `[{kind} reducible]` for `{name}`, recall that `[reducible]` affects the term indexing "
                "data structures used by `simp` and type class resolution\n\nNote: Use "
                "`set_option allowUnsafeReducibility true` to override reducibility status validation"
            )
        if kind or attr.startswith("-"):
            _attribute_here(state, name, attr, argument)
        else:
            _attribute(state, name, attr, argument)


def activate(state: CommandState, namespace: str) -> None:
    """Activate the `scoped` attributes and notations of a namespace until the end of this scope."""
    for change in state.env.notations.get(namespace, ()):
        state.change_scopes(change, all_=False)
    for name, attr, argument in state.env.scoped.get(namespace, ()):
        _attribute_here(state, name, attr, argument)


def _attribute_here(state: CommandState, name: str, attr: str, argument: str) -> None:
    changes = recorded(state.env, lambda: _attribute(state, name, attr, argument))
    state.scopes[-1] = replace(state.scope, passing=(*state.scope.passing, *changes))


def _attribute(state: CommandState, name: str, attr: str, argument: str) -> None:
    if argument and attr in _BARE:
        raise MetaError(f"unexpected `{argument}` behind the attribute `{attr}`")
    word = argument.partition(" ")[0]
    named = attr in _NAMING and word[:1] not in ("", "(", '"') and not state.trusted
    if named and resolve_exact(state.env, state.scope, word) is None:
        raise unknown(state.env, state.scope, word, f"Unknown constant `{word}`")
    if attr in FOR_DEFINITIONS or attr == "unbox":
        _check_kind(state, name, attr)
    if attr == "simp":
        if "←" in argument or "<-" in argument:
            raise UnsupportedError("`@[simp ←]`")
        if not state.trusted:
            _check_simp(state, name)
        state.env.simp_lemmas[name] = priority_of(argument)
    elif attr == "-simp":
        if state.env.simp_lemmas.pop(name, None) is None:
            raise MetaError(f"`{name}` does not have a `[simp]` attribute")
    elif attr == "grind":
        add_grind(state, name, argument)
    elif attr == "-grind":
        if state.env.grind_lemmas.pop(name, None) is None:
            raise MetaError(f"`{name}` is not marked with the `[grind]` attribute")
    elif attr == "reducible":
        state.env.reducibility[name] = REDUCIBLE
    elif attr == "irreducible":
        state.env.reducibility[name] = 4
    elif attr in ("instance", "default_instance"):
        priority = priority_of(argument)
        if attr == "instance":
            add_instance(state, name, priority)
        else:
            state.env.add_default_instance(_class_of(state, name), name, priority)
    elif attr == "-instance":
        _remove_instance(state, name)
    elif attr == "class":
        add_class(state, name)
    elif attr in ("refl", "symm"):
        _add_relation(state, name, attr)
    elif attr == "ext":
        add_ext(state, name, argument)
    elif attr == "-ext":
        erase_ext(state, name)
    elif attr == "elab_as_elim":
        if not state.trusted:
            _eliminator_target(state, name)
        state.env.elab_as_elim[name] = True
    elif attr == "coe":
        _add_coercion(state, name)
    elif attr == "match_pattern":
        state.env.match_patterns[name] = True
    elif attr in ("induction_eliminator", "cases_eliminator"):
        # the library's own are for Nat, which the tactics handle without an entry
        if not state.trusted:
            _add_eliminator(state, name, attr.partition("_")[0])
    elif attr == "congr" and state.trusted:
        pass  # simp handles the library's own without an entry
    elif attr not in IGNORED_ATTRIBUTES:
        raise UnsupportedError(f"the attribute `{attr}`")
    state.env.memo.clear()


def _check_kind(state: CommandState, name: str, attr: str) -> None:
    """Refuse an attribute for the compiler on a declaration that is not compiled.

    Source: Lean 4 `src/Lean/Compiler/{InlineAttrs,Old}.lean`, `src/Lean/Compiler/IR/UnboxResult.lean` (4.34).
    """
    decl = state.env.find(name)
    if attr == "unbox" and not isinstance(decl, Inductive):
        raise MetaError(
            f"Cannot add attribute `[unbox]` to `{name}`: `[unbox]` can only be added to inductive types"
        )
    if attr != "unbox" and not isinstance(decl, Definition):
        raise MetaError(f"Cannot add attribute `[{attr}]`: Declaration `{name}` is not a definition")


def _add_coercion(state: CommandState, name: str) -> None:
    """Print a function as `↑` before its first explicit argument.

    Source: Lean 4 `src/Lean/Meta/CoeAttr.lean` (4.34).
    """
    decl = state.env.find(name)
    assert decl is not None
    m = MetaM(state.env)
    binders, _ = m.intro_binders(decl.type)
    explicit = [i for i, x in enumerate(binders) if m.local(x).info == DEFAULT]
    if not explicit:
        raise MetaError("expected at least one explicit argument")
    state.env.coercions[name] = explicit[0]


def _check_simp(state: CommandState, name: str) -> None:
    """Refuse a `simp` lemma that is neither a proposition nor a definition, or that is `x = x`."""
    decl = state.env.find(name)
    assert decl is not None
    m = MetaM(state.env)
    _, end = m.intro_binders(decl.type)
    if not isinstance(decl, Definition) and not is_prop(m, decl.type):
        raise MetaError(f"Cannot add `simp` attribute to `{name}`: It is not a proposition nor a definition")
    left = get_app_args(end)[1] if is_app_of(end, "Eq", 3) else None
    if type(left) is FVar and left is get_app_args(end)[2]:
        raise MetaError(f"Invalid simp theorem: Equation is equivalent to\n  {show(m, end, 2)}")


def add_instance(state: CommandState, name: str, priority: int) -> None:
    """Register a constant as an instance of the class of its type."""
    class_name = _class_of(state, name)
    if not state.trusted:
        decl = state.env.find(name)
        assert decl is not None
        m = MetaM(state.env)
        m.scope = state.scope
        check_synthesis_order(m, name, decl.type)
    state.env.add_instance(class_name, name, priority)
    state.env.memo.clear()


def _remove_instance(state: CommandState, name: str) -> None:
    class_name = _class_of(state, name)
    entries = state.env.instances.get(class_name, ())
    left = tuple(entry for entry in entries if entry.name != name)
    if len(left) == len(entries):
        raise MetaError(f"`{name}` does not have `[instance]` attribute")
    state.env.instances[class_name] = left


def _class_of(state: CommandState, name: str) -> str:
    decl = state.env.find(name)
    assert decl is not None
    type_ = decl.type
    while type(type_) is Pi:
        type_ = type_.body
    fn = get_app_fn(type_)
    if type(fn) is Const and fn.name not in state.env.classes:
        # a reducible alias such as `DecidableEq α`
        m = MetaM(state.env)
        _, body = m.intro_binders(decl.type)
        body = whnf(m, body)
        while type(body) is Pi:
            _, body = m.intro_binders(body)
            body = whnf(m, body)
        fn = get_app_fn(body)
    if type(fn) is not Const or fn.name not in state.env.classes:
        raise MetaError(f"`{name}` is not an instance of a class")
    return fn.name


def not_a_class(name: str) -> str:
    """Return the message about a declaration that cannot be a class."""
    return f"invalid `class`, declaration `{name}` must be inductive datatype, structure, or constant"


def add_class(state: CommandState, name: str) -> None:
    """Register a type as a class; its `outParam` arguments are outputs of instance search."""
    decl = state.env.find(name)
    if not isinstance(decl, Inductive | Axiom):
        raise MetaError(not_a_class(name))
    out = []
    type_ = decl.type
    position = 0
    while type(type_) is Pi:
        fn = get_app_fn(type_.type)
        if type(fn) is Const and fn.name == "outParam":
            out.append(position)
        position += 1
        type_ = type_.body
    state.env.classes[name] = tuple(out)


def _add_eliminator(state: CommandState, name: str, kind: str) -> None:
    """Register a theorem as the eliminator of its target's type for `kind`: `induction` or `cases`."""
    m, target = _eliminator_target(state, name)
    fn = get_app_fn(whnf_reducible(m, infer_type(m, target)))
    if type(fn) is not Const:
        raise MetaError(f"Unexpected eliminator target\n  {show(m, target, 2)}\nThe type must be a constant")
    state.env.eliminators[kind, fn.name] = name


def _eliminator_target(state: CommandState, name: str) -> tuple[Meta, Expr]:
    """Return the last target of an eliminator, in the context of its binders.

    Raises:
        MetaError: The conclusion is not a motive applied to binders.
    """
    decl = state.env.find(name)
    assert decl is not None
    m = MetaM(state.env)
    binders, end = m.intro_binders(decl.type)
    motive, targets = get_app(end)
    if motive not in binders or not targets or any(x not in binders for x in targets):
        raise MetaError(f"unexpected eliminator resulting type\n  {show(m, end, 2)}")
    return m, targets[-1]


def _add_relation(state: CommandState, name: str, attr: str) -> None:
    """`@[refl]`, `@[symm]`: register a theorem for the tactics `rfl` and `symm`."""
    decl = state.env.find(name)
    assert decl is not None
    m = MetaM(state.env)
    conclusion = decl.type
    while type(conclusion) is Pi:
        conclusion = instantiate1(conclusion.body, m.push_local(conclusion.name, conclusion.type))
    conclusion = conclusion if is_app_of(conclusion, "Ne", 3) else whnf_reducible(m, conclusion)
    fn, args = get_app_fn(conclusion), get_app_args(conclusion)
    table = state.env.refl_lemmas if attr == "refl" else state.env.symm_lemmas
    left = args[1] if is_app_of(conclusion, "HEq", 4) else args[-2] if len(args) > 1 else None
    if type(fn) is not Const or left is None or (attr == "refl" and not is_def_eq(m, left, args[-1])):
        shape = "x ∼ x" if attr == "refl" else "x ∼ y → y ∼ x"
        raise MetaError(f"`@[{attr}]` attribute only applies to lemmas proving {shape}")
    table[fn.name] = (name, *table.get(fn.name, ()))
