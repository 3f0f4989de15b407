"""Commands of a Lean file: declarations, attributes, sections, queries, deriving handlers.

The modules imported here register, with `command_state.runs`, the functions that run each kind of command. They are
imported with the package so that `command_state.HANDLERS` is complete before any command is run.
"""

from minilean.commands import (
    attributes,
    declarations,
    derived,
    inductive,
    mutual,
    queries,
    scope_commands,
    section_variables,
    structure_command,
    syntax_commands,
)

__all__ = [
    "attributes",
    "declarations",
    "derived",
    "inductive",
    "mutual",
    "queries",
    "scope_commands",
    "section_variables",
    "structure_command",
    "syntax_commands",
]
