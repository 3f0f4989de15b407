"""The table that says which function elaborates which kind of syntax."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minilean.elab.term import HANDLERS, Elab, elaborates
from minilean.kernel.expr import Expr
from minilean.syntax import ast


@pytest.mark.parametrize("module", ["minilean.elab.term", "minilean.elab.names", "minilean.commands.command"])
def test_the_table_is_complete_whatever_is_imported_first(module: str) -> None:
    script = f"import {module}\nfrom minilean.elab.term import HANDLERS\nprint(len(HANDLERS))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(HANDLERS)


def test_each_kind_has_one_handler() -> None:
    before = dict(HANDLERS)

    def other(el: Elab, stx: ast.App, expected: Expr | None) -> Expr:
        raise NotImplementedError

    with pytest.raises(ValueError, match="two handlers for App terms"):
        elaborates(ast.App)(other)
    assert before == HANDLERS
