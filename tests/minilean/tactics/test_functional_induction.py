"""The induction principle of a function in proof steps, and of a function that was refused."""

from __future__ import annotations

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem

TWICE = """def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2
"""


def test_a_function_that_the_kernel_refused_has_no_principle() -> None:
    """The second message names the place of the first, so that no `#guard_msgs` can hold it."""
    source = "def bad (n : Nat) : Nat := bad (n + 1)\n"
    source += "theorem t : False := bad.induct (fun _ => False) (fun _ h => h) 0"
    assert check_text(source)[-1].text.startswith("Unknown identifier `bad.induct`")


def test_a_proof_step_knows_the_principle() -> None:
    problem = Problem.from_source("theorem t (n : Nat) : twice n = n + n", library(), TWICE)
    step = problem.apply(problem.start(), "induction n using twice.induct <;> simp_all [twice] <;> omega")
    assert step.error is None and step.state is not None and not step.state.goals
