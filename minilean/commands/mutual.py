"""`mutual` blocks: inductive types, or definitions and theorems, that may mention each other.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, elabMutual (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState
from minilean.commands.inductive import declare_inductives
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.syntax import ast

_INVALID = (
    "invalid mutual block: either all elements of the block must be inductive/structure declarations, or they must "
    "all be definitions/theorems/abbrevs"
)


def declare_mutual(state: CommandState, block: ast.MutualCmd) -> None:
    """Declare the members of a block together.

    Raises:
        MetaError: The block mixes types with definitions, or a member is refused.
    """
    types = [command for command in block.commands if isinstance(command, ast.InductiveCmd)]
    if any(isinstance(command, ast.StructureCmd) for command in block.commands):
        raise UnsupportedError("structures in a `mutual` block")
    if types and len(types) == len(block.commands):
        declare_inductives(state, types)
        return
    raise MetaError(_INVALID)
