"""Exports that Lean's kernel accepts by what it knows of some names: the comparison in front of it refuses them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kernel_terms import FALSE, NAT, app, arrow, const, lam

from lean_gym.verification.kernels import LeanKernelProcess, kernels_here
from minilean.export.format import export_ndjson
from minilean.export.judge import Refused, compare_exports, judge_exports
from minilean.export.replay import ReplayError
from minilean.kernel.declaration import Axiom, TheoremDecl
from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import PROP, TYPE, Expr, mk_lit
from minilean.kernel.level import ZERO


def with_false() -> Environment:
    env = Environment()
    env.add_inductive("False", (), 0, PROP, [])
    return env


def challenge() -> str:
    env = with_false()
    env.load_trusted(Axiom("t", (), FALSE))
    return export_ndjson(env, ["t"])


def of_an_empty_type(name: str, literal: Expr) -> str:
    """`theorem t : False` by a literal of a type that the file declares without constructors."""
    env = with_false()
    env.add_inductive(name, (), 0, TYPE, [])
    proof = app(const(f"{name}.rec", ZERO), lam("x", const(name), lambda _: FALSE), literal)
    env.load_trusted(TheoremDecl("t", (), FALSE, proof, ()))
    return export_ndjson(env, ["t"])


FORGED = {
    "Nat": of_an_empty_type("Nat", mk_lit(3)),
    "String": of_an_empty_type("String", mk_lit("a")),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_literal_of_an_empty_type_proves_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=f"'{name}' is one that Lean's kernel computes with"):
        compare_exports(challenge(), FORGED[name], "t", None)
    with pytest.raises((ReplayError, KernelError)):
        judge_exports(challenge(), FORGED[name], "t", None)
    if "lean" in kernels_here(complete=False):  # the reason for the rule
        file = tmp_path / "forged.ndjson"
        file.write_text(FORGED[name], "utf-8")
        kernel = LeanKernelProcess()
        try:
            assert kernel.answer([str(file)], time.monotonic() + 60)["accepted"]
        finally:
            kernel.close()


def test_a_function_whose_value_is_compiled_is_refused() -> None:
    env = with_false()
    boolean = const("Bool")
    env.add_inductive("Bool", (), 0, TYPE, [("Bool.false", boolean), ("Bool.true", boolean)])
    env.add_axiom("Lean.reduceBool", (), arrow(boolean, boolean))
    env.load_trusted(TheoremDecl("t", (), FALSE, app(const("Lean.reduceBool"), const("Bool.true")), ()))
    solution = export_ndjson(env, ["Lean.reduceBool", "t"])
    stated = export_ndjson(env, ["Lean.reduceBool", "t"], stated=env)
    with pytest.raises(Refused, match=r"'Lean.reduceBool' is one that Lean's kernel computes with"):
        compare_exports(stated, solution, "t", None)


def test_what_the_challenge_states_may_stand_in_the_solution() -> None:
    env = with_false()
    env.add_inductive("Nat", (), 0, TYPE, [("Nat.zero", NAT), ("Nat.succ", arrow(NAT, NAT))])
    statement = arrow(NAT, NAT)
    proof = env.child()
    env.load_trusted(Axiom("t", (), statement))
    proof.add_definition("t", (), statement, lam("n", NAT, lambda n: n))
    solution = export_ndjson(proof, ["t"])
    assert compare_exports(export_ndjson(env, ["t"]), solution, "t", None) == ()
