"""Functions that do not terminate: none may prove `False`, as a declaration before a theorem or as the theorem."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem, ProofError

FALSE = [
    "theorem t (n : Nat) : False := t (n + 1)",
    "theorem t (n : Nat) : False := t n",
    "theorem t (n : Nat) : False := t (n - 1)",
    "theorem t (n : Nat) : False := t (n - 1)\ntermination_by n",
    "theorem t (n : Nat) : False := t (n + 1)\ntermination_by 100 - n",
    "theorem t (n : Nat) : False := t n\ntermination_by structural n",
    "theorem t (n : Nat) : False := if n < 10 then t (n + 1) else t 0",
    "theorem t (n m : Nat) : False := t m n\ntermination_by (n, m)",
    "theorem t (z : Int) : False := t (z - 1)",
    # the values at smaller arguments are no hypotheses for the proof that arguments get smaller
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by assumption",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by contradiction",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by simp_all",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by exact (t n).elim",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by exact (t (n + 1)).elim",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by skip",
    "theorem t (n : Nat) : False := t (n + 1)\ndecreasing_by all_goals try omega",
    # a relation that is not well-founded has no proof that it is
    "instance (priority := high) : WellFoundedRelation Nat := ⟨fun a b => b < a, by decide⟩\n"
    "theorem t (n : Nat) : False := t (n + 1)\ntermination_by n",
    "instance (priority := high) : WellFoundedRelation Nat := ⟨fun _ _ => True, ⟨fun a => ⟨a, fun _ _ => nofun⟩⟩⟩\n"
    "theorem t (n : Nat) : False := t (n + 1)\ntermination_by n",
    "theorem t : False := (WellFounded.fix (C := fun _ => False) ⟨fun a => Acc.intro a (fun y h => nomatch h)⟩\n"
    "  (fun n F => F (n + 1) (Nat.lt_succ_self n)) 0 : False)",
    # the measure depends on the function
    "theorem t (n : Nat) : False := t (n + 1)\ntermination_by (t n).elim",
    # functions that call each other, along measures and along sizes
    "mutual\ntheorem t (n : Nat) : False := u n\ntermination_by n\n"
    "theorem u (n : Nat) : False := t n\ntermination_by n\nend",
    "mutual\ntheorem t (n : Nat) : False := u (n + 1)\ntermination_by (n, 1)\n"
    "theorem u (n : Nat) : False := t (n - 1)\ntermination_by (n, 0)\nend",
    "mutual\ntheorem t (n : Nat) : False := u n\ntermination_by n\ndecreasing_by exact (u n).elim\n"
    "theorem u (n : Nat) : False := t n\ntermination_by n\ndecreasing_by exact (t n).elim\nend",
    "mutual\ntheorem t (n : Nat) : False := u n\ntermination_by n\ndecreasing_by assumption\n"
    "theorem u (n : Nat) : False := t n\ntermination_by n\ndecreasing_by contradiction\nend",
    "structure S where\n  kids : List S\ntheorem t (s : S) : False := t ⟨[s]⟩\ntermination_by s",
    "structure S where\n  kids : List S\ntheorem t (s : S) : False := t ⟨s.kids⟩\ntermination_by sizeOf s",
    "unsafe def t (n : Nat) : False := t (n + 1)",
    "partial def t (n : Nat) : False := t (n + 1)",
]


@pytest.mark.parametrize("source", FALSE)
def test_no_proof_of_false(source: str) -> None:
    messages = check_text(source + "\n#print axioms t")
    assert any(message.severity == "error" for message in messages)
    assert not any("does not depend on any axioms" in message.text for message in messages)


@pytest.mark.parametrize("source", FALSE)
def test_not_before_a_theorem(source: str) -> None:
    with pytest.raises(ProofError):
        Problem.from_source("theorem goal : False", library(), source)


def test_sorry_does_not_show_termination() -> None:
    with pytest.raises(ProofError, match="`sorry` is refused"):
        Problem.from_source(
            "theorem goal : False",
            library(),
            "theorem cheat (n : Nat) : False := cheat (n + 1)\ndecreasing_by sorry",
        )
