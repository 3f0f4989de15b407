"""Any text is answered by a value within bounds of time and memory, and a refused tactic changes nothing.

Where a tactic might not end, the test's own time limit is the check; no time is measured.
"""

from __future__ import annotations

import sys

import pytest

from minilean import proof
from minilean.library import library
from minilean.printer.pretty import MAX_TEXT
from minilean.proof import MAX_ROWS, MAX_TACTIC_CHARS, Problem, ProofError, State, StepOutcome

pytestmark = pytest.mark.timeout(30)

FALSE = "theorem t : False"
RECURSION = "maximum recursion depth"
TIMEOUT = "timeout"


def start(statement: str, context: str = "") -> tuple[Problem, State]:
    """Return a problem and its first state."""
    problem = Problem.from_source(statement, library(), context)
    return problem, problem.start()


def after(problem: Problem, state: State, *tactics: str) -> State:
    """Return the state after tactics that are accepted."""
    for tactic in tactics:
        step = problem.apply(state, tactic)
        assert step.state is not None, step.error
        state = step.state
    return state


def refusal(problem: Problem, state: State, tactic: str, seconds: float = 2.0) -> str:
    """Return the message of a tactic that is refused; check that the state did not change."""
    before = problem.goal_texts(state)
    step = problem.apply(state, tactic, seconds)
    assert step.state is None and step.error is not None
    assert problem.goal_texts(state) == before
    assert "internal" not in step.error
    return step.error


# --- texts that are no tactics -----------------------------------------------------------------------------

REPEATED = [
    "(",
    "⟨",
    "fun x => ",
    "True → ",
    "¬ ",
    "by exact ",
    "∀ x, ",
    "let x := ",
    "x ",
    ".x",
    "/-",
    '"',
    "«",
    "·",
]
REPEATED += [
    "| ",
    "rw [",
    "cases h with | ",
    "obtain ⟨",
    "calc ",
    "?_ ",
    "\x00",
    "\n",
    "try ",
    "· ",
    "first | ",
    "λ",
]


@pytest.mark.parametrize("unit", REPEATED)
@pytest.mark.parametrize("before", ["", "exact ", "have : "])
def test_nesting_without_end_is_refused(unit: str, before: str) -> None:
    problem, state = start(FALSE)
    text = before + unit * ((MAX_TACTIC_CHARS - len(before)) // len(unit))
    if not text.strip():
        text += "x"
    assert refusal(problem, state, text[:MAX_TACTIC_CHARS])


def test_a_tactic_of_a_megabyte_is_not_read() -> None:
    problem, state = start(FALSE)
    assert "at most 100000 are read" in refusal(problem, state, "skip\n" * 200_000)


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", "\x00", "\u202e", "exact \ud800", "a" * 90_000, "é̈", "'", "0x", "--"]
)
def test_odd_texts_are_refused(text: str) -> None:
    problem, state = start(FALSE)
    assert refusal(problem, state, text)


@pytest.mark.parametrize(
    ("statement", "context"),
    [
        ("", ""),
        ("theorem", ""),
        ("(" * 50_000, ""),
        ("theorem t : " + "(" * 50_000, ""),
        ("theorem t : " + "¬ " * 50_000 + "True", ""),
        ("theorem t : " + "9" * 90_000 + " = 1", ""),
        ("theorem t (x : Type 1000000000) : x = x", ""),
        (FALSE, "(" * 50_000),
        (FALSE, "def a := 1\n" * 5_000),
        (FALSE, "end"),
        (FALSE, "\x00"),
    ],
)
def test_statements_and_contexts_that_make_no_sense(statement: str, context: str) -> None:
    with pytest.raises(ProofError):
        Problem.from_source(statement, library(), context)


def test_the_caller_may_be_deeply_nested_itself() -> None:
    problem, state = start("theorem t (p : Prop) : p → p")

    def nested(depth: int) -> StepOutcome:
        return problem.apply(state, "intro h\nexact h") if depth == 0 else nested(depth - 1)

    assert nested(sys.getrecursionlimit() - 150).error is None


# --- tactics that would go on ------------------------------------------------------------------------------

LOOPS = [
    ("theorem t (a b : Nat) : a + b = b", "repeat rw [Nat.add_comm]", TIMEOUT),
    ("theorem t (a b : Nat) : a = b", "repeat symm", RECURSION),
    ("theorem t (a b : Nat) : a = b", "repeat skip", RECURSION),
    ("theorem t (a b : Nat) : a = b", "repeat exfalso", RECURSION),
    ("theorem t (a b : Nat) : a = b", "repeat have h : a = a := rfl", TIMEOUT),
    ("theorem t (a b : Nat) : a = b", "repeat' apply Eq.trans", TIMEOUT),
    ("theorem t (a b : Nat) : a = b", "repeat' by_cases h : a = b", TIMEOUT),
    ("theorem t (a b : Nat) : a = b", "iterate 1000000000 symm", RECURSION),
    ("theorem t (a b : Nat) : a = b", "iterate 9999 iterate 9999 iterate 9999 skip", TIMEOUT),
    ("theorem t : 3 ≤ 10000000000", "repeat constructor", TIMEOUT),
    ("theorem t (f : Nat → Nat) (h : ∀ x, f x = f (f x)) : f 0 = 1", "simp [h]", RECURSION),
    ("theorem t (f : Nat → Nat) (h : ∀ x, f x = f x + f x) : f 0 = 1", "repeat rw [h 0]", TIMEOUT),
    ("theorem t (f g : Nat → Nat) (h : ∀ x, f x = g x) (k : ∀ x, g x = f x) : f 0 = 1", "simp [h, k]", ""),
    (
        "theorem t (f g : Nat → Nat) (h : ∀ x, f x = g x) (k : ∀ x, g x = f x) : f 0 = 1",
        "repeat rw [h, k]",
        TIMEOUT,
    ),
    ("theorem t : (2 : Nat) ^ 2 ^ 30 = 1", "decide", ""),
    ("theorem t : (2 : Nat) ^ 2 ^ 2 ^ 2 ^ 2 ^ 2 = 1", "rfl", ""),
    ("theorem t : (10 : Nat) ^ 100000 = 10 ^ 100000 + 1", "decide", ""),
    (FALSE, "have h : " + "(fun n : Nat => n * n) (" * 60 + "3" + ")" * 60 + " = 1 := by rfl", ""),
    (
        FALSE,
        "have h : ∀ x : (@Nat.rec (fun _ => Type) Prop (fun _ r => r) (2 ^ 40)), x = x := fun _ => rfl",
        "",
    ),
]


@pytest.mark.parametrize(("statement", "tactic", "message"), LOOPS)
def test_what_does_not_end_is_stopped(statement: str, tactic: str, message: str) -> None:
    problem, state = start(statement)
    # a limit other than time has to be reached on a busy machine as well
    assert message in refusal(problem, state, tactic, seconds=0.4 if message == TIMEOUT else 20.0)


def test_the_deterministic_budget_stops_a_tactic_without_a_clock() -> None:
    problem, state = start("theorem t (a b : Nat) : a + b = b + a + 0")
    for heartbeats in (0, 1, 10, 100):
        step = problem.apply(state, "simp [Nat.add_comm]", seconds=1e9, heartbeats=heartbeats)
        assert step.error is not None and "(deterministic) timeout" in step.error


# --- terms that share subterms: small as graphs, huge as trees ---------------------------------------------

DOUBLING = (
    "theorem t (f : Nat → Nat → Nat) (x z : Nat) (h : x = z) (s : ∀ a b, a = b → f a a = f b b) : z = 1"
)
GRAPH_TACTICS = [
    "rw [h]",
    "rw [← h]",
    "simp [h]",
    "simp only [h] at *",
    "subst h",
    "cases h",
    "rfl",
    "decide",
    "trivial",
]
GRAPH_TACTICS += [
    "contradiction",
    "injection h",
    "revert x",
    "induction x",
    "generalize x = y",
    "rw [Nat.add_comm] at h",
]
GRAPH_TACTICS += [
    "have q : ∃ y, f y y = f y y := ⟨_, h.trans h.symm⟩",
    "exact h ▸ rfl",
    "simp at *",
    "symm at h",
]


@pytest.fixture(scope="module")
def doubled() -> tuple[Problem, State]:
    """Return a hypothesis that is a tree of 2 ** 40 nodes with 80 distinct ones."""
    problem, state = start(DOUBLING)
    return problem, after(problem, state, "iterate 40 have h := s _ _ h", "clear s")


@pytest.mark.parametrize("tactic", GRAPH_TACTICS)
def test_a_term_that_is_huge_as_a_tree(tactic: str, doubled: tuple[Problem, State]) -> None:
    problem, state = doubled
    step = problem.apply(state, tactic, seconds=0.3)
    assert "internal" not in (step.error or "")
    if step.state is not None:
        assert len("".join(problem.goal_texts(step.state))) < 3 * MAX_TEXT


@pytest.mark.parametrize("tactic", ["simp at *", "trivial", "simp [*]", "cases h", "exact h.1.1"])
def test_conjunctions_that_are_huge_as_trees(tactic: str) -> None:
    problem, state = start("theorem t (p : Prop) (h : p) : p")
    state = after(problem, state, "iterate 40 have h := And.intro h h")
    step = problem.apply(state, tactic, seconds=0.3)
    assert "internal" not in (step.error or "")


def test_a_finished_proof_is_closed_in_one_pass() -> None:
    problem, state = start("theorem t (p : Prop) (h : p) : p")
    state = after(problem, state, "iterate 70 have h := And.intro h h", "simp at *", "exact h")
    assert problem.check(state) == ("propext",)


def test_depth_is_bounded_too() -> None:
    problem, state = start(
        "theorem t (f : Nat → Nat) (p : Nat → Prop) (h : ∀ x, p x → p (f x)) (h0 : p 0) : p 1"
    )
    double = "have h : ∀ x, p x → p _ := fun x hx => h _ (h x hx)"
    state = after(problem, state, *[double] * 12)
    for tactic in ("simp at *", "exact h 0 h0", "exact h _ _", "cases h0"):
        assert "internal" not in (problem.apply(state, tactic, seconds=0.3).error or "")
    assert RECURSION in refusal(problem, state, f"iterate 8 {double}", seconds=60.0)


# --- printing ----------------------------------------------------------------------------------------------


def test_a_state_of_too_many_lines_is_refused() -> None:
    problem, state = start("theorem t (p : Nat → Prop) : p 0")
    state = after(problem, state, "iterate 100 have h : p 1 = p 1 := rfl")
    message = refusal(problem, state, "iterate 8 all_goals by_cases h : p 1", seconds=10.0)
    assert f"at most {MAX_ROWS} are kept" in message


def test_printing_leaves_out_what_is_too_much_and_keeps_the_target() -> None:
    problem, state = start("theorem t (p : Prop) (h : p) : p")
    state = after(problem, state, "iterate 60 have h := And.intro h h")
    (text,) = problem.goal_texts(state)
    assert text.endswith("\nh : ⋯\n⊢ p")
    assert text.startswith("p : Prop\n")
    ((target, rows, _),) = problem.goal_rows(state)
    assert target == "p"
    assert rows[-1] == ("h", "⋯", None)


def test_a_message_is_not_shortened_by_the_messages_before_it() -> None:
    problem, state = start("theorem t (p q : Prop) (h : p) : q")
    message = refusal(problem, state, "first | " + " | ".join(["assumption"] * 2_000), seconds=10.0)
    assert message == "Tactic `assumption` failed\n\np q : Prop\nh : p\n⊢ q"


def test_printing_does_not_change_a_state() -> None:
    problem, state = start("theorem t (p : Prop) : p → p")
    step = problem.apply(state, "have := ?_")
    assert step.state is not None
    context = step.state.mctx
    sizes = [len(context.decls), len(context.assignment), len(context.level_assignment)]
    first = problem.goal_texts(step.state)
    assert problem.goal_texts(step.state) == first
    assert [len(context.decls), len(context.assignment), len(context.level_assignment)] == sizes


# --- states and tables -------------------------------------------------------------------------------------


def test_a_problem_can_be_started_many_times() -> None:
    problem = Problem.from_source("theorem t (p : Prop) : p → p", library())
    first = after(problem, problem.start(), "intro h", "exact h")
    second = after(problem, problem.start(), "exact id")
    assert problem.check(first) == problem.check(second) == ()


def test_an_unfinished_state_is_not_checked() -> None:
    problem, state = start("theorem t (p : Prop) : p → p")
    with pytest.raises(ProofError, match="1 goals are left"):
        problem.check(state)


def test_a_check_out_of_time_is_a_refusal() -> None:
    problem, state = start("theorem t (p : Prop) (h : p) : p")
    state = after(problem, state, "iterate 200 (have h := h)", "exact h")
    with pytest.raises(ProofError):
        problem.check(state, seconds=-1.0)


@pytest.mark.parametrize(
    ("statement", "tactics"),
    [
        # holes and tactic blocks below a `let` depend on its variable
        ("theorem t : ∃ y : Nat, y = 5", ["exact let x := 5; ⟨x, by rfl⟩"]),
        ("theorem t : ∃ y : Nat, y = 5", ["refine let x := 5; ⟨x, ?_⟩", "rfl"]),
        ("theorem t : ∃ y : Nat, y = 5", ["let x := 5", "let z := x", "exact ⟨z, rfl⟩"]),
        (
            "theorem t (a b : Nat) (h : a = b) : b = a",
            ["calc b = b := ?_\n _ = a := ?_", "rfl", "exact h.symm"],
        ),
        ("theorem t (p q : Prop) (h : p) : p ∧ (q → p)", ["refine ⟨?a, fun _ => ?a⟩", "exact h"]),
        ("theorem t (p : Prop) (h : p) : p", ["iterate 3 refine id ?_", "exact h"]),
    ],
)
def test_what_looks_lost_is_kept(statement: str, tactics: list[str]) -> None:
    problem, state = start(statement)
    assert problem.check(after(problem, state, *tactics)) == ()


def test_dropping_shared_terms_between_steps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = "theorem t (a b c : Nat) (h : a ≤ b) : a + c ≤ b + c"
    steps = ["induction c with\n| zero => exact h\n| succ n ih => ?_", "simp only [← Nat.add_assoc]"]
    steps += ["have k := Nat.succ_le_succ ih", "exact k"]
    problem, state = start(statement)
    expected = []
    for step in steps:
        state = after(problem, state, step)
        expected.append(problem.goal_texts(state))
    monkeypatch.setattr(proof, "MAX_TERMS", 0)
    state = problem.start()
    for step, texts in zip(steps, expected, strict=True):
        state = after(problem, state, step)
        assert problem.goal_texts(state) == texts
    assert problem.check(state) == ()


@pytest.mark.parametrize(
    ("hypothesis", "target"),
    [
        # of what does not end where arguments are compared again after each unfolding, in the number of steps
        ("p (n + 1 - 40)", "p (n - 40)"),
        ("p (n + 1 - 20 - 20)", "p (n - 20 - 20)"),
        ("p (40 - n - 0)", "p (40 - n - n)"),
        ("p ((1 :: xs).drop 40).length", "p (xs.drop 40).length"),
        ("p ((n + 1) ^ 6)", "p (n ^ 6)"),
    ],
)
@pytest.mark.parametrize("tactic", ["exact h", "assumption", "apply h", "refine (h : _)"])
def test_terms_that_unfold_alike_are_compared_once(hypothesis: str, target: str, tactic: str) -> None:
    problem, state = start(
        f"theorem t (p : Nat → Prop) (n : Nat) (xs : List Nat) (h : {hypothesis}) : {target}"
    )
    assert TIMEOUT not in refusal(problem, state, tactic, seconds=25.0)
