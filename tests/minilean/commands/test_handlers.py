"""The table that says which function runs which kind of command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minilean.commands.command_state import HANDLERS, CommandState, runs
from minilean.syntax import ast


@pytest.mark.parametrize("module", ["minilean.commands.command", "minilean.commands.command_state"])
def test_the_table_is_complete_whatever_is_imported_first(module: str) -> None:
    script = f"import {module}\nfrom minilean.commands.command_state import HANDLERS\nprint(len(HANDLERS))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(HANDLERS)


def test_all_kinds_but_the_first_half_of_a_guard_have_a_handler() -> None:
    nodes = [node for node in vars(ast).values() if isinstance(node, type) and issubclass(node, ast.Command)]
    assert {*nodes} - {*HANDLERS} == {ast.Command, ast.GuardMsgs}


def test_each_kind_has_one_handler() -> None:
    before = dict(HANDLERS)

    def other(state: CommandState, command: ast.InCmd) -> None:
        raise NotImplementedError

    with pytest.raises(ValueError, match="two handlers for InCmd commands"):
        runs(ast.InCmd)(other)
    assert before == HANDLERS
