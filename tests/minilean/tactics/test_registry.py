"""The table of tactics: complete for every program that runs proofs, with one function for each tactic."""

from __future__ import annotations

import subprocess
import sys

import pytest

import minilean.tactics.families  # noqa: F401  registers all tactics
from minilean.syntax import ast
from minilean.tactics.registry import find_tactic, runs


def test_a_tactic_is_registered_once() -> None:
    skip = find_tactic(ast.Simple("skip"))
    with pytest.raises(ValueError, match="two handlers for Simple 'skip' tactics"):
        runs(ast.Simple, "skip")(lambda t, stx: None)
    assert find_tactic(ast.Simple("skip")) is skip


def test_an_unknown_name_has_no_function() -> None:
    assert find_tactic(ast.Simple("no_such_tactic")) is None


@pytest.mark.parametrize(
    "module", ["minilean.library", "minilean.proof", "minilean.check_command", "minilean.repl"]
)
def test_programs_that_run_proofs_register_all_families(module: str) -> None:
    program = f"""
import {module}
from minilean.tactics import registry
before = dict(registry.HANDLERS)
import minilean.tactics.families
assert before and before == registry.HANDLERS
"""
    subprocess.run([sys.executable, "-c", program], check=True)
