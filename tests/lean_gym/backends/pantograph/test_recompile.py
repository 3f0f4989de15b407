"""A script is judged as one body of tactics, in answers as real Lean would give them."""

from types import SimpleNamespace

import pytest

from lean_gym.backends.pantograph.recompile import Layout, recompile
from lean_gym.backends.statement import bracketed_body, file_with, tactic_body
from lean_gym.types import Theorem

THEOREM = Theorem("t", "theorem t (p : Prop) (h : p) : p")
LISTING = "'t' does not depend on any axioms"
TYPE = {"pp": "∀ (p : Prop), p → p"}


def error(text):
    return {"severity": "error", "data": text}


class Lean:
    """Lean's answers: a theorem followed by `in` and a command is one command with it; in brackets `in` is an error."""

    def __init__(self, compared_by):
        self.dialect = SimpleNamespace(compared_by=compared_by)
        self.kept = []

    def settle(self):
        pass

    def sync(self):
        pass

    def adopt(self, answer):
        pass

    def ask(self, command, payload, seconds):
        return {"type": TYPE, "isUnsafe": False}

    def limited(self, command, payload, seconds):
        if command == "frontend.track":
            return {"srcMessages": [], "dstMessages": self.complaints(payload["dst"])}
        if payload["inheritEnv"]:
            self.kept.append(payload["file"])
        end = len(payload["file"].encode())
        start = end - len(b"#print axioms t\n")
        theorem = {"boundary": [0, start], "messages": self.complaints(payload["file"])}
        return {"units": [theorem, {"boundary": [start, end], "messages": [{"data": LISTING}]}]}

    @staticmethod
    def complaints(file):
        if ":= (by" in file and " in " in file:
            return [error("unexpected token 'in'; expected ')'")]
        return (
            [error("unexpected token ')'; expected command")] if ":= by" in file and ") in " in file else []
        )


def layout():
    start = len(file_with(THEOREM, ":= sorry\n\n").encode())
    return Layout(((0, start), (start, start + len(b"#print axioms t\n"))), "t", "t", TYPE)


@pytest.mark.parametrize("compared_by", ["track", "inherit"])
@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (("exact h",), None),
        (("show p", "exact h -- done"), None),
        (("exact h in unknown_command t",), "unexpected token 'in'; expected ')'"),
        (("exact h) in unknown_command (t",), "unexpected token ')'; expected command"),
    ],
)
def test_no_command_hangs_on_a_proof(compared_by, script, problem):
    lean = Lean(compared_by)
    verdict = recompile(lean, THEOREM, script, layout(), 1.0)
    assert verdict.proved is (problem is None)
    assert verdict.reason == ("" if problem is None else f"recompiled as a file: {problem}")
    # A declaration that stays behind could not be made a second time.
    assert len(lean.kept) <= (compared_by == "inherit")


def test_a_comment_does_not_close_the_brackets():
    assert tactic_body(["exact h -- done"]) == ":= by\n  exact h -- done"
    assert bracketed_body(["skip", "exact h -- done"]) == ":= (by\n  skip\n  exact h -- done\n  )"
