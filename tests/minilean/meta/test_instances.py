"""Cached instances are those that a search finds, with the same assignments and the same numbers of metavariables."""

from __future__ import annotations

import pytest

from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from minilean.check_command import check_text
from minilean.commands.command import CommandRunner
from minilean.elab.names import Scope
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, mk_apps, mk_const, mk_sort
from minilean.kernel.level import ONE
from minilean.library import library
from minilean.meta import instances
from minilean.meta.context import LocalContext, MetavarContext
from minilean.meta.extension import LeanEnv
from minilean.meta.instances import synth_instance
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.proof import Problem
from minilean.syntax.parser import parse_commands, parse_term
from minilean.tactics.state import run_nested

NAT, BOOL = mk_const("Nat"), mk_const("Bool")


def _meta(env: LeanEnv) -> Meta:
    return MetaM(env, MetavarContext(), LocalContext())


def _operation(m: Meta, *args: Expr | None) -> Expr:
    """`HAdd` at some universes, with a metavariable for each `None`."""
    types = [m.new_mvar(m.new_sort_mvar()) if arg is None else arg for arg in args]
    return mk_apps(m.const("HAdd"), types)


def _class_type(m: Meta, text: str) -> Expr:
    el = Elab(m, Scope(), run_nested, source=text)
    e = el.elab_type(parse_term(text))
    el.synthesize()
    return m.instantiate_mvars(e)


@pytest.mark.parametrize(
    "text",
    [
        "Inhabited Nat", "Nonempty (Nat × Bool)", "DecidableEq (List Nat)", "Decidable (2 < 3)",
        "Decidable (∀ n : Nat, n = n)", "OfNat Nat 7", "OfNat Bool 7", "LE Nat", "Append (List Nat)",
        "Inhabited Empty", "HAdd Nat Nat Nat", "HAdd Nat Nat Bool", "HAppend (List Nat) (List Nat) (List Nat)",
    ],
)  # fmt: skip
def test_a_cached_instance_is_what_a_search_finds(text: str) -> None:
    env = library().child()
    answers = []
    for _ in range(2):
        m = _meta(env)
        before = len(m.mctx.decls)
        type_ = _class_type(m, text)
        answers.append((synth_instance(m, type_), len(m.mctx.decls) - before, len(m.mctx.postponed)))
    fresh = _meta(library().child())
    assert answers[0] == answers[1]
    assert answers[0][0] is synth_instance(fresh, _class_type(fresh, text))


def test_an_output_is_found_again() -> None:
    env = library().child()
    found = []
    for _ in range(3):
        m = _meta(env)
        type_ = _operation(m, NAT, NAT, None)
        assert synth_instance(m, type_) is not None
        found.append(m.instantiate_mvars(type_))
    assert len({str(one) for one in found}) == 1
    assert str(found[0]) == "(HAdd Nat Nat Nat)"


def test_an_output_that_disagrees_is_refused_whether_cached_or_not() -> None:
    env = library().child()
    for given in (BOOL, None, BOOL):
        m = _meta(env)
        found = synth_instance(m, _operation(m, NAT, NAT, given))
        assert (found is None) is (given is BOOL)


def test_an_input_that_is_not_known_is_not_guessed() -> None:
    env = library().child()
    for args in ((NAT, NAT, None), (None, NAT, None), (NAT, None, None)):
        m = _meta(env)
        type_ = _operation(m, *args)
        synth_instance(m, type_)
        assert [one is None for one in args[:2]] == [
            m.instantiate_mvars(arg).has_mvar
            for arg in (type_.fn.fn.arg, type_.fn.arg)  # type: ignore[attr-defined]
        ]


def test_a_local_instance_takes_precedence_over_a_cached_global_one() -> None:
    statement = "theorem t [Inhabited Nat] : (default : Nat) = 0 → (default : Nat) = 0"
    without = Problem.from_source("theorem t : (default : Nat) = 0", library())
    assert without.apply(without.start(), "rfl").error is None
    problem = Problem.from_source(statement, library())
    step = problem.apply(problem.start(), "intro h")
    assert step.state is not None
    # the local instance is an unknown number, not 0
    assert problem.apply(step.state, "rfl").error is not None
    assert problem.apply(step.state, "exact h").error is None


def test_a_failed_search_for_an_unknown_type_is_cached_until_an_instance_is_declared() -> None:
    env = library().child()
    runner = CommandRunner(env, run_nested)
    for _ in range(2):
        m = _meta(env)
        before = len(m.mctx.decls)
        assert synth_instance(m, _operation(m, None, NAT, NAT)) is None
        assert (len(m.mctx.decls) - before, len(m.mctx.postponed)) == (1, 0)
        assert ("inst", "HAdd", 3, None, None, None, (0, None), NAT) in env.memo
    # a cached answer for a metavariable is not the answer for a type
    m = _meta(env)
    assert synth_instance(m, _operation(m, NAT, NAT, NAT)) is not None
    runner.run(*parse_commands("instance {α : Type} : HAdd α Nat Nat := ⟨fun _ n => n⟩"))
    assert synth_instance(m, _operation(m, None, NAT, NAT)) is not None


def test_one_unknown_type_twice_is_not_two_of_them() -> None:
    env = library().child()
    runner = CommandRunner(env, run_nested)
    runner.run(*parse_commands("class Same (α β : Type) where here : Nat"))
    runner.run(*parse_commands("instance {α : Type} : Same α α := ⟨0⟩"))
    m = _meta(env)
    a, b = m.new_mvar(mk_sort(ONE)), m.new_mvar(mk_sort(ONE))
    for _ in range(2):
        assert synth_instance(m, mk_apps(mk_const("Same"), (a, b))) is None
        assert synth_instance(m, mk_apps(mk_const("Same"), (a, a))) is not None


@pytest.mark.parametrize("name", ["logic", "nat"])
def test_goals_and_verdicts_do_not_depend_on_the_cache(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theorems = [theorem for theorem in load_theorems(name) if theorem.proof][::15]
    remembering = [_course(theorem) for theorem in theorems]
    again = [_course(theorem) for theorem in theorems]
    monkeypatch.setattr(instances, "_question", lambda m, type_: None)
    assert remembering == again == [_course(theorem) for theorem in theorems]


def _course(theorem: Theorem) -> list[object]:
    """Everything that a proof shows at each step, and the message of a refused tactic at each step."""
    problem = Problem.from_source(theorem.statement, library(), theorem.context)
    state = problem.start()
    shown: list[object] = [problem.goal_texts(state)]
    for tactic in proof_steps(theorem.proof):
        shown.append(problem.apply(state, 'exact (1 + "a" : Nat)').error)
        step = problem.apply(state, tactic)
        assert step.state is not None
        state = step.state
        shown.append(problem.goal_texts(state))
    return [*shown, problem.check(state)]


@pytest.mark.parametrize(
    "text",
    [
        "example (a b : Unit) : a = b := Subsingleton.elim a b",
        "example (p : Prop) (a b : p) : a = b := Subsingleton.elim a b",
        "example (p : Prop) (a b : Decidable p) : a = b := Subsingleton.elim a b",
    ],
)
def test_an_instance_that_would_fix_an_unknown_universe_waits(text: str) -> None:
    assert [message.text for message in check_text(text)] == []


def test_no_instance_for_a_type_with_two_elements() -> None:
    (message,) = check_text("example (a b : Bool) : a = b := Subsingleton.elim a b")
    assert message.text.startswith("failed to synthesize instance of type class\n  Subsingleton Bool")


_CYCLE = """
class A (α : Type) where a : α
class B (α : Type) where b : α
instance [A α] : B α := ⟨A.a⟩
instance [B α] : A α := ⟨B.b⟩
"""


def test_a_goal_that_is_its_own_premise_is_given_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    env = library().child()
    runner = CommandRunner(env, run_nested)
    for command in parse_commands(_CYCLE):
        runner.run(command)
    goals: list[str] = []
    resolve = instances._resolve

    def counted(m: Meta, goal: Expr, *rest: object) -> Expr | None:
        goals.append(str(m.instantiate_mvars(goal)))
        return resolve(m, goal, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(instances, "_resolve", counted)
    assert synth_instance(_meta(env), mk_apps(mk_const("A"), (NAT,))) is None
    assert goals == ["(A Nat)", "(B Nat)", "(A Nat)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{_CYCLE}example : A Nat := inferInstance", "failed to synthesize"),
        (f"{_CYCLE}instance : A Nat := ⟨3⟩\nexample : B Nat := inferInstance", None),
        (f"{_CYCLE}instance : A Nat := ⟨3⟩\nexample : B Bool := inferInstance", "failed to synthesize"),
        (f"{_CYCLE}instance : B Nat := ⟨3⟩\nexample : B Nat := inferInstance\nexample : A Nat := inferInstance", None),
        (f"instance : Inhabited Nat := ⟨3⟩\n{_CYCLE}example [B Nat] : A Nat := inferInstance", None),
        # a base that is found after the detour
        (f"{_CYCLE.replace('instance', 'instance : A Nat := ⟨3⟩ instance', 1)}example : A.a = 3 := rfl", None),
        # the same class, under a local instance of it: no detour
        ("class A (α : Type) where a : α\ninstance [f : [A Nat] → A Nat] : A Nat := @f ⟨3⟩\n"
         "example : A.a = 3 := rfl", None),
        # an unknown index fits no instance for `Nat` before it is known
        ("example : ∃ l : List Nat, l[1]? = some 8 ∧ l[0]? = some 2 := ⟨[2, 8], rfl, rfl⟩", None),
        ("example : ∃ l : List Nat, l[1]? = some 8 ∧ l[0]? = some 2 := ⟨[8, 2], rfl, rfl⟩", "type mismatch"),
        ("example : ∃ l : List Nat, l[true]? = some 8 := sorry", "failed to synthesize"),
    ],
)  # fmt: skip
def test_classes_that_rest_on_each_other(text: str, message: str | None) -> None:
    found = [one.text for one in check_text(text)]
    assert not found if message is None else any(message in one for one in found), found
