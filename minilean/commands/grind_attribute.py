"""The attribute `@[grind]`: theorems and definitions that the tactic `grind` uses.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/Attr.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState
from minilean.elab.grind_modifiers import grind_kind
from minilean.kernel.declaration import Axiom, Definition, TheoremDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import is_prop
from minilean.meta.meta_m import MetaM


def add_grind(state: CommandState, name: str, argument: str) -> None:
    """Register a theorem or definition with a modifier; the tactic chooses the patterns where it runs.

    Raises:
        UnsupportedError: The modifier or the kind of the constant has no counterpart here.
        MetaError: A definition has a modifier that only theorems may have.
    """
    kind = grind_kind(argument)
    decl = state.env.find(name)
    theorem = isinstance(decl, TheoremDecl | Axiom | Definition) and is_prop(MetaM(state.env), decl.type)
    if not theorem and not isinstance(decl, Definition):
        raise UnsupportedError(f"`@[grind]` on `{name}`, which is neither a theorem nor a definition")
    if not theorem and kind not in ("", "="):
        raise MetaError(f"invalid `grind` modifier `{kind}` for the definition `{name}`")
    state.env.grind_lemmas[name] = state.env.grind_lemmas.get(name, frozenset()) | {kind}
