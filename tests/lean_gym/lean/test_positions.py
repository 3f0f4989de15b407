"""Theorems of minilean's library on Lean, each where it stands."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lean_gym.backends.lean import LeanBackend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

CORE = {each.position: each for each in load_theorems("core")}
LATER = "ListParts.lean:List.length_replicate"


@pytest.fixture(scope="module")
def backend(lean_library: Path) -> Iterator[LeanBackend]:
    made = LeanBackend(str(lean_library), sandbox="off")
    yield made
    made.close()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("every", [720, pytest.param(1, marks=pytest.mark.slow)])
def test_reference_proofs_of_the_library_are_verified(backend: LeanBackend, every: int) -> None:
    tried = [each for at, each in CORE.items() if not at.startswith(("Prelude.lean", "Classes.lean"))][
        random.randrange(every) :: every
    ]
    assert len(tried) >= 3
    for each in tried:
        verdict = verify_script(backend, each, proof_steps(each.proof))
        assert verdict.proved, (each.position, verdict.reason)


def test_neither_itself_nor_what_comes_later_is_there(backend: LeanBackend) -> None:
    theorem = CORE[LATER]
    state = backend.start(theorem)
    assert [goal.text for goal in state.goals] == ["α : Type u\nn : Nat\na : α\n⊢ (replicate n a).length = n"]
    later = backend.apply(state, "exact List.map_replicate")
    assert later.error is not None
    assert "Unknown constant `List.map_replicate`" in later.error
    # Its own name is a recursive call, which Lean refuses when it sees the whole.
    for script in ("exact List.map_replicate", f"exact {theorem.name}", f"exact @{theorem.name} α n a"):
        assert not verify_script(backend, theorem, [script]).proved
    result = backend.apply(state, "simp")  # the lemma would close it
    assert result.state is None or result.state.goals
    false = replace(theorem, statement=theorem.statement.replace("= n", "= n + 1"))
    assert not verify_script(backend, false, proof_steps(theorem.proof)).proved


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("Prelude.lean:Or.intro_left", "from NatDef.lean on, since Lean needs what stands before"),
        ("Nothing.lean:a", "expected FILE:NAME with a file of minilean's library"),
        ("List.lean:List.nothing", "List.lean has no theorem 'List.nothing'"),
        ("List.lean", "List.lean has no theorem ''"),
        (":", "expected FILE:NAME"),
    ],
)
def test_a_place_that_is_none_is_one_line(backend: LeanBackend, position: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        backend.start(Theorem("t", "theorem t : True", position=position))
    assert "\n" not in str(caught.value)
