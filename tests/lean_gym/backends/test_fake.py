import pytest

from lean_gym.backends.fake import FakeBackend, toy_rules
from lean_gym.errors import BackendCrashed, BackendTimeout, DataError
from lean_gym.types import ProofState, Theorem

THEOREM = Theorem("t", "theorem t : True ∧ False ∨ True")


def test_toy_rules():
    assert toy_rules("A ∧ B ∧ C", "split") == ("A", "B ∧ C")
    assert toy_rules("A ∨ B", "left") == ("A",)
    assert toy_rules("A ∨ B", "right") == ("B",)
    assert toy_rules("True", "trivial") == ()
    assert toy_rules("A", "skip") == ("A",)
    assert toy_rules("A", "trivial") is None
    assert toy_rules("A", "left") is None


def test_several_tactics_in_one_block():
    backend = FakeBackend()
    state = backend.start(THEOREM)
    done = backend.apply(state, "split; trivial\nright; trivial")
    assert done.state is not None
    assert done.state.is_finished
    half = backend.apply(state, "split; left")
    assert half.error == "'left' does not apply to 'True'"


def test_rules_as_a_table_and_starts():
    backend = FakeBackend({("A", "go"): ["B", "C"]}, starts={"t": ["A", "Z"]})
    state = backend.start(THEOREM)
    assert [goal.target for goal in state.goals] == ["A", "Z"]
    after = backend.apply(state, "go").state
    assert after is not None
    assert after.text == "⊢ B\n\n⊢ C\n\n⊢ Z"
    assert backend.calls == [("start", "t"), ("apply", "go")]


def test_a_cheat_closes_everything_and_is_rejected():
    backend = FakeBackend()
    state = backend.apply(backend.start(THEOREM), "sorry").state
    assert state is not None
    assert state.is_finished
    verdict = backend.verify(THEOREM, ["sorry"])
    assert (verdict.proved, verdict.reason) == (False, "the script uses 'sorry'")


def test_slow_tactics_are_refused_past_the_deadline_only():
    backend = FakeBackend(slow={"skip": 0.02})
    state = backend.start(THEOREM)
    assert backend.apply(state, "skip", deadline_s=0.001).error == "deadline of 0.001 s exceeded"
    assert backend.apply(state, "skip", deadline_s=1.0).error is None


@pytest.mark.parametrize(("option", "error"), [("crash_on", BackendCrashed), ("timeout_on", BackendTimeout)])
def test_scripted_failures_break_the_backend(option, error):
    backend = FakeBackend(**{option: ["boom"]})
    state = backend.start(THEOREM)
    with pytest.raises(error, match="'boom'"):
        backend.apply(state, "boom")
    with pytest.raises(BackendCrashed, match="'boom'"):
        backend.start(THEOREM)


def test_a_statement_without_target_is_a_data_error():
    with pytest.raises(DataError, match="theorem 'b': expected ' : '"):
        FakeBackend().start(Theorem("b", "theorem b"))


def test_a_foreign_state_is_refused():
    with pytest.raises(ValueError, match="a state of another backend"):
        FakeBackend().apply(ProofState(goals=(), handle=7), "skip")
