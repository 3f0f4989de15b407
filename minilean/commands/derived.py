"""Instances by `deriving` and theorems by `@[ext]`, added to the environment.

Source: Lean 4 `src/Lean/Elab/Deriving/Basic.lean`, `src/Lean/Elab/Tactic/Ext.lean` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from minilean.commands.command_state import CommandState, runs
from minilean.commands.deriving import HANDLED, derived, extensionality, underivable
from minilean.commands.priority import priority_of
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope, resolve_exact
from minilean.kernel.declaration import Inductive
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import BVar, Const, Pi, get_app_args, get_app_fn, is_app_of
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import InstanceEntry
from minilean.syntax import ast
from minilean.syntax.parser import parse_commands

_NO_EXT = (
    "`@[ext]` attribute only applies to structures and lemmas proving `x = y` where `x` and `y` are variables"
)
_OPTION = re.compile(r"\(\s*(\w+)\s*:=\s*(\w+)\s*\)")


@runs(ast.DerivingCmd)
def run_deriving(state: CommandState, command: ast.DerivingCmd) -> None:
    """`deriving instance C for T`."""
    for name in command.types:
        full = resolve_exact(state.env, state.scope, name)
        if full is None:
            raise unknown(state.env, state.scope, name, f"Unknown constant `{name}`")
        if not isinstance(state.env.find(full), Inductive):
            # Lean has `DecidableEq` here as the definition that it is.
            class_ = {"DecidableEq": "Decidable"}.get(command.classes[0], command.classes[0])
            raise MetaError(
                f"Failed to delta derive `{class_}` instance for `{name}`, the class has no explicit "
                f"non-out-param parameters where\n  {name}\ncan be inserted."
            )
        derive_instances(state, full, command.classes)


def derive_instances(state: CommandState, name: str, classes: Sequence[str]) -> None:
    """Derive instances for a type; classes that are handled for no type are skipped.

    Raises:
        MetaError: Lean does not derive the instance either.
        UnsupportedError: Lean may derive it, but the instance made here was not accepted.
    """
    for class_name in classes:
        if class_name not in HANDLED:
            full = resolve_exact(state.env, state.scope, class_name)
            if full is None:
                raise unknown(state.env, state.scope, class_name, f"Unknown constant `{class_name}`")
            raise MetaError(f"No deriving handlers have been implemented for class `{full}`")
        if reason := underivable(state.env, name, class_name):
            raise MetaError(reason)
        if class_name == "Repr":
            state.env.written_by_repr[name] = True
        texts = derived(state.env, name, class_name, state.scope.namespace)
        if not texts and class_name in ("DecidableEq", "Inhabited"):
            state.say("warning", f"unsupported: `deriving {class_name}` for `{name}`: no instance is made")
        if texts and not any(_run_generated(state, text) for text in texts):
            raise UnsupportedError(f"`deriving {class_name}` for `{name}`")


def _run_generated(state: CommandState, text: str) -> bool:
    """Run generated commands, all of them or none; return whether they were accepted."""
    env, source = state.env, state.source
    state.scopes.append(Scope())
    state.env = env.child()
    try:
        for command in parse_commands(text):
            state.run(command, text)
        env.adopt(state.env)
    except BudgetError:
        raise
    except (MetaError, KernelError):
        return False
    finally:
        state.env, state.source = env, source
        state.scopes.pop()
    return True


def add_ext(state: CommandState, name: str, argument: str = "") -> None:
    """`@[ext]`: generate theorems for a structure, or register a theorem for the type of its equation.

    Args:
        state: The state to change.
        name: The structure or the theorem.
        argument: The text after `ext`: options and a priority.
    """
    flat = not _switched_off(argument, "flat")
    priority = priority_of(_OPTION.sub("", argument))
    if name in state.env.structures:
        text = extensionality(state.env, name, flat)
        if text is None or not _run_generated(state, text):
            raise UnsupportedError(f"`@[ext]` for the structure `{name}`")
        _add_ext_lemma(state, name, InstanceEntry(f"{name}.ext", priority))
        return
    decl = state.env.find(name)
    assert decl is not None
    type_ = decl.type
    while type(type_) is Pi:
        type_ = type_.body
    args = get_app_args(type_)
    if not is_app_of(type_, "Eq", 3) or not (type(args[1]) is type(args[2]) is BVar):
        raise MetaError(_NO_EXT)
    fn = get_app_fn(args[0])
    if type(fn) is not Const:
        raise UnsupportedError("`@[ext]` for an equation whose type is not an application of a constant")
    _add_ext_lemma(state, fn.name, InstanceEntry(name, priority))


def erase_ext(state: CommandState, name: str) -> None:
    """`attribute [-ext] name`: erase a theorem, or the theorem generated for a structure."""
    lemma = f"{name}.ext" if name in state.env.structures else name
    for head, entries in state.env.ext_lemmas.items():
        if any(entry.name == lemma for entry in entries):
            state.env.ext_lemmas[head] = tuple(entry for entry in entries if entry.name != lemma)
            return
    raise MetaError(f"`{lemma}` does not have the [ext] attribute")


def _add_ext_lemma(state: CommandState, head: str, entry: InstanceEntry) -> None:
    entries = [entry, *state.env.ext_lemmas.get(head, ())]
    state.env.ext_lemmas[head] = tuple(sorted(entries, key=lambda e: -e.priority))


def _switched_off(argument: str, option: str) -> bool:
    return any(name == option and value == "false" for name, value in _OPTION.findall(argument))
