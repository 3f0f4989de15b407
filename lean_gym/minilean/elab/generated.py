"""What `deriving` and `@[ext]` add to a type.

Source: Lean 4 `src/Lean/Elab/Deriving/Basic.lean`, `src/Lean/Elab/Tactic/Ext.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.minilean.elab.command_state import CommandState
from lean_gym.minilean.elab.deriving import derived, extensionality
from lean_gym.minilean.elab.names import Scope
from lean_gym.minilean.kernel.errors import KernelError
from lean_gym.minilean.kernel.expr import Const, Pi, get_app_args, get_app_fn, is_app_of
from lean_gym.minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from lean_gym.minilean.syntax.parser import parse_commands


def derive_instances(state: CommandState, name: str, classes: Sequence[str]) -> None:
    """Instances for a type; what cannot be made is left out, and asking for it later says so."""
    for class_name in classes:
        for text in derived(state.env, name, class_name):
            if _run_generated(state, text):
                break


def _run_generated(state: CommandState, text: str) -> bool:
    """Run commands that were made here, all of them or none; whether they were accepted."""
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


def add_ext(state: CommandState, name: str) -> None:
    """`@[ext]`: theorems for a structure, or a theorem for the type that it is about."""
    if name in state.env.structures:
        text = extensionality(state.env, name)
        if text is None or not _run_generated(state, text):
            raise UnsupportedError(f"`@[ext]` for the structure `{name}`")
        state.env.ext_lemmas[name] = (f"{name}.ext",)
        return
    decl = state.env.find(name)
    assert decl is not None
    type_ = decl.type
    while type(type_) is Pi:
        type_ = type_.body
    args = get_app_args(type_)
    fn = get_app_fn(args[0]) if is_app_of(type_, "Eq", 3) else None
    if fn is None:
        raise MetaError("`@[ext]` attribute only applies to structures and lemmas proving `x = y`")
    if type(fn) is Const:
        state.env.ext_lemmas[fn.name] = (name, *state.env.ext_lemmas.get(fn.name, ()))
