import gc

import gymnasium as gym
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env

from lean_gym.backends.fake import FakeBackend
from lean_gym.envs.env import LeanProofEnv
from lean_gym.errors import DataError
from lean_gym.types import Goal, Theorem

T = "theorem t : True ∧ True"
U = "theorem u : True ∨ False"
PROOF = ("split", "trivial", "trivial")


def make(theorems=(T, U), **options):
    return LeanProofEnv(list(theorems), "fake", **options)


def play(env, tactics, theorem="t"):
    """Reset to a theorem and try the tactics; return the last step."""
    env.reset(options={"theorem": theorem})
    for tactic in tactics:
        step = env.step(tactic)
    return step


# Warnings are errors in this test suite, so these pass only without any.
@pytest.mark.parametrize("render_mode", [None, "ansi", "human", "rgb_array"])
@pytest.mark.parametrize("reward", ["shaped", "binary"])
def test_check_env(render_mode, reward, capsys):
    env = gym.make("LeanProof-v0", theorems=[T, U], backend="fake", reward=reward, render_mode=render_mode)
    check_env(env.unwrapped)


def test_gym_make_runs_a_proof_through_the_passive_checker():
    env = gym.make("LeanProof-v0", theorems=[T], backend="fake")
    env.reset(seed=0)
    rewards = []
    for tactic in PROOF:
        observation, reward, terminated, truncated, info = env.step(tactic)
        rewards.append(reward)
    assert (observation, terminated, truncated, info["is_success"]) == ("no goals", True, False, True)
    assert sum(rewards) == pytest.approx(1.0)
    env.close()


def test_reset_shows_the_theorem():
    observation, info = make().reset(options={"theorem": "t"})
    assert observation == "⊢ True ∧ True"
    assert info == {
        "theorem": "t",
        "goals": (Goal("⊢ True ∧ True", "True ∧ True"),),
        "outcome": "running",
        "error": None,
        "messages": (),
        "reward_terms": {},
        "tactics": (),
        "axioms": None,
        "verification": None,
        "steps": 0,
        "is_success": False,
        "undeclared": (),
        "redefined": (),
    }


def test_words_that_the_context_gives_another_meaning_are_told():
    theorem = Theorem("A.t", "theorem A.t : Nat.succ 1 = 5", context="def A.Nat.succ (n : Nat) : Nat := 5")
    with LeanProofEnv([theorem], "minilean") as env:
        assert env.reset()[1]["redefined"] == ("Nat.succ",)
        assert env.step("rfl")[4]["redefined"] == ("Nat.succ",)


def test_names_that_lean_made_variables_of_are_told():
    short = "theorem a : p ∨ q → q ∨ p"
    meant = "theorem b (n : Natural) : n = n"
    env = LeanProofEnv([short, meant], "minilean")
    _, info = env.reset(options={"theorem": "a"})
    assert info["undeclared"] == ("p", "q")
    with pytest.warns(
        UserWarning, match="theorem 'b': Lean made variables of Natural, which nothing declares"
    ):
        _, info = env.reset(options={"theorem": "b"})
    assert info["undeclared"] == ("Natural",)
    assert env.step("rfl")[4]["undeclared"] == ("Natural",)
    env.close()


def test_a_name_of_mathlib_says_where_it_is():
    env = LeanProofEnv(["theorem r (x : ℝ) : x = x", "theorem s (x : ℝ) : x + 0 = x"], "minilean")
    hint = r"ℝ needs Mathlib: backend='pantograph', imports=\['Mathlib'\]"
    with pytest.warns(UserWarning, match=f"Lean made variables of ℝ, .*; {hint}"):
        env.reset(options={"theorem": "r"})
    with pytest.raises(DataError, match=f"'s' does not elaborate \\({hint}\\): failed"):
        env.reset(options={"theorem": "s"})
    env.close()


def test_declared_names_are_no_inventions():
    theorem = Theorem("c", "theorem c (h : p) : p ∨ q", context="variable (p : Prop) {q : Prop}")
    env = LeanProofEnv([theorem], "minilean")
    assert env.reset()[1]["undeclared"] == ()
    env.close()


def test_a_refused_tactic_changes_nothing_but_the_count():
    env = make(reward="binary")
    observation, reward, terminated, truncated, info = play(env, ["split", "left"])
    assert observation == "⊢ True\n\n⊢ True"
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["outcome"] == "tactic_error"
    assert info["error"] == "'left' does not apply to 'True'"
    assert info["tactics"] == ("split",)
    assert info["steps"] == 2
    assert env.step("trivial")[4]["error"] is None


def test_a_verified_proof():
    _, reward, terminated, truncated, info = play(make(reward="binary"), PROOF)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["reward_terms"] == {"proof": 1.0}
    assert (info["outcome"], info["tactics"], info["axioms"], info["goals"]) == ("proved", PROOF, (), ())


def test_no_goals_without_a_proof_is_rejected():
    observation, reward, terminated, truncated, info = play(make(reward="binary"), ["split", "sorry"])
    assert (observation, reward, terminated, truncated) == ("no goals", 0.0, True, False)
    assert (info["outcome"], info["is_success"]) == ("rejected", False)
    assert info["error"] == "the script uses 'sorry'"


def test_an_axiom_outside_the_list_is_rejected():
    axioms = {"trivial": ["propext", "my_axiom"]}
    info = play(make(backend_options={"axioms": axioms}), PROOF)[4]
    assert info["outcome"] == "rejected"
    assert info["error"] == "uses axioms that are not permitted: my_axiom"
    assert info["axioms"] == ("my_axiom", "propext")
    permitted = make(backend_options={"axioms": axioms}, permitted_axioms=["propext", "my_axiom"])
    assert play(permitted, PROOF)[4]["outcome"] == "proved"


def test_the_step_limit_truncates():
    env = make(max_steps=2)
    env.reset(options={"theorem": "t"})
    assert env.step("left")[2:4] == (False, False)
    _, _, terminated, truncated, info = env.step("left")
    assert (terminated, truncated, info["outcome"]) == (False, True, "step_limit")
    assert info["error"] is not None


def test_goals_that_grow_beyond_the_limit_are_refused():
    start = "⊢ True ∧ True"
    env = make(max_goal_chars=len(start))
    goals, _ = env.reset(options={"theorem": "t"})
    assert goals == start
    after, _, terminated, truncated, info = env.step("split")
    assert (after, terminated, truncated) == (start, False, False)
    assert (info["outcome"], info["tactics"]) == ("tactic_error", ())
    assert info["error"] == "the goals after it have 14 characters, at most 13 allowed"
    assert play(make(max_goal_chars=14), PROOF)[4]["outcome"] == "proved"


def test_a_proof_on_the_last_step_counts():
    _, _, terminated, truncated, info = play(make(max_steps=3), PROOF)
    assert (terminated, truncated, info["outcome"]) == (True, False, "proved")


def test_the_time_limit_truncates_and_bounds_the_tactic():
    env = make(max_seconds=0.02, backend_options={"slow": {"skip": 60.0}})
    _, _, terminated, truncated, info = play(env, ["skip"])
    assert (terminated, truncated, info["outcome"]) == (False, True, "time_limit")
    assert "deadline of 0.02 s exceeded" in info["error"]


def test_a_lost_prover_terminates():
    env = make(backend_options={"crash_on": ["boom"]})
    observation, _, terminated, truncated, info = play(env, ["split", "boom"])
    assert observation == "⊢ True\n\n⊢ True"
    assert (terminated, truncated, info["outcome"]) == (True, False, "crashed")
    assert play(env, PROOF)[4]["outcome"] == "proved"


def test_draws_are_seeded_and_uniform():
    theorems = [f"theorem t{index} : True" for index in range(4)]

    def names(env, seed):
        first = env.reset(seed=seed)[1]["theorem"]
        return [first] + [env.reset()[1]["theorem"] for _ in range(200)]

    draws = names(make(theorems), 5)
    assert draws == names(make(theorems), 5)
    assert draws != names(make(theorems), 6)
    assert all(30 <= draws.count(f"t{index}") <= 70 for index in range(4))


def test_a_theorem_outside_the_set_can_be_proved():
    other = Theorem("other", "theorem other : True")
    assert play(make(), ["trivial"], theorem=other)[4]["outcome"] == "proved"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theorem": "tt"}, r"unknown theorem 'tt'; did you mean 't'\?"),
        ({"theorm": "t"}, r"unknown reset option 'theorm'; did you mean 'theorem'\?"),
    ],
)
def test_bad_reset_options(options, message):
    with pytest.raises(ValueError, match=message):
        make().reset(options=options)


def test_a_theorem_that_does_not_start_is_a_data_error_and_leaves_no_episode():
    env = make([T, Theorem("bad", "theorem bad")])
    env.reset(options={"theorem": "t"})
    with pytest.raises(DataError, match="theorem 'bad'"):
        env.reset(options={"theorem": "bad"})
    with pytest.raises(ResetNeeded):
        env.step("split")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_step": 3}, r"unknown option of LeanProof-v0: 'max_step'; did you mean 'max_steps'\?"),
        ({"max_steps": 0}, "max_steps: got 0, expected an integer >= 1"),
        ({"max_steps": 2.5}, "max_steps: got 2.5, expected an integer"),
        ({"max_steps": True}, "max_steps: got True, expected an integer"),
        ({"max_seconds": -1}, "max_seconds: got -1, expected a finite number of seconds > 0"),
        ({"tactic_seconds": float("inf")}, "tactic_seconds: got inf"),
        ({"cache_size": -1}, "cache_size: got -1, expected an integer >= 0"),
        ({"permitted_axioms": "propext"}, "permitted_axioms: got 'propext', expected a list of names"),
        ({"render_mode": "ansy"}, r"unknown render mode 'ansy'; did you mean 'ansi'\?"),
        ({"reward": "shapd"}, "unknown reward 'shapd'"),
        ({"reward_options": {"gama": 1}}, "unknown option of reward 'binary': 'gama'"),
        ({"reward": "novelty:0.3+"}, r"reward 'novelty:0.3\+': got an empty part"),
    ],
)
def test_bad_settings_are_one_clear_line(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**options)
    assert "\n" not in str(caught.value)


def test_stepping_out_of_turn():
    env = make()
    with pytest.raises(ResetNeeded, match=r"step: there is no episode; call reset\(\) first"):
        env.step("split")
    play(env, PROOF)
    with pytest.raises(ResetNeeded, match=r"step: the episode has ended \(proved\); call reset\(\) first"):
        env.step("split")
    env.close()
    env.close()
    for call in (lambda: env.step("split"), env.reset):
        with pytest.raises(ClosedEnvironmentError, match="the environment is closed"):
            call()


def test_an_action_that_is_no_text():
    env = make()
    env.reset()
    with pytest.raises(TypeError, match=r"action: got 3 \(int\), expected one tactic as a string"):
        env.step(3)


def test_text_that_must_not_reach_the_prover():
    backend = FakeBackend()
    env = LeanProofEnv([T], backend, max_tactic_chars=10)
    env.reset()
    info = env.step("x" * 11)[4]
    assert info["error"] == "the tactic has 11 characters, at most 10 allowed"
    info = env.step("a\ud800")[4]
    assert info["error"] == "the tactic is not valid Unicode text: surrogates not allowed at character 1"
    assert info["steps"] == 2
    assert [call for call in backend.calls if call[0] == "apply"] == []


def test_a_huge_goal_is_cut_in_the_observation_only():
    env = make(["theorem big : " + "x" * 500], max_observation_chars=100)
    observation, info = env.reset()
    assert len(observation) <= 100
    assert observation.endswith("more characters]")
    assert observation in env.observation_space
    assert len(info["goals"][0].text) == 502


def test_rendering(capsys):
    env = make([T], render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.render()
    play(env, ["split", "left"])
    assert env.render() == (
        "theorem t : True ∧ True\nstep 2 of 32: tactic_error\n> left\n"
        "error: 'left' does not apply to 'True'\n\n⊢ True\n\n⊢ True"
    )
    human = make([T], render_mode="human")
    human.reset()
    assert capsys.readouterr().out == "theorem t : True ∧ True\nstep 0 of 32: running\n\n⊢ True ∧ True\n\n"
    assert human.render() is None
    assert make([T]).render() is None


def test_save_and_restore_are_exact():
    env = make(max_steps=9)
    play(env, ["split", "left"])
    point, info = env.save(), env.unwrapped._episode.info()
    first = [env.step(tactic) for tactic in ("trivial", "trivial")]
    assert first[-1][4]["outcome"] == "proved"
    observation, restored = env.restore(point)
    assert observation == "⊢ True\n\n⊢ True"
    assert restored == info
    assert restored["steps"] == 2
    assert [env.step(tactic) for tactic in ("trivial", "trivial")] == first


def test_restore_costs_the_prover_nothing():
    backend = FakeBackend()
    env = LeanProofEnv([T], backend, cache_size=0)
    play(env, ["split"])
    point = env.save()
    env.step("trivial")
    calls = len(backend.calls)
    env.restore(point)
    assert len(backend.calls) == calls
    env.step("trivial")
    assert backend.calls[calls:] == [("apply", "trivial")]


def test_a_snapshot_outlives_a_reset_of_the_same_theorem():
    env = make(cache_size=0)
    play(env, ["split"])
    point = env.save()
    env.reset(options={"theorem": "t"})
    env.restore(point)
    assert env.step("trivial")[0] == "⊢ True"
    del point
    gc.collect()
    assert env.step("trivial")[4]["is_success"]


def test_snapshots_of_elsewhere_are_refused():
    env, other = make(), make()
    with pytest.raises(ResetNeeded, match="save: there is no episode"):
        env.save()
    play(env, ["split"])
    point = env.save()
    play(other, ["split"])
    with pytest.raises(
        ValueError, match=r"restore: got .*, expected a snapshot that this environment's save\(\)"
    ):
        other.restore(point)
    with pytest.raises(ValueError, match="restore: got 'x'"):
        env.restore("x")
    env.reset(options={"theorem": "u"})
    with pytest.raises(ValueError, match="snapshot of theorem 't', but 'u' is being proved"):
        env.restore(point)


def test_a_reward_function_and_its_failure():
    def per_step(transition):
        return {"cost": -0.01, "bonus": float(transition.proved)}

    _, reward, _, _, info = play(make(reward=per_step), PROOF)
    assert info["reward_terms"] == {"cost": -0.01, "bonus": 1.0}
    assert reward == pytest.approx(0.99)
    env = make(reward=lambda transition: float("nan"))
    env.reset(options={"theorem": "t"})
    with pytest.raises(ValueError, match="reward '<lambda>': got nan"):
        env.step("split")


def test_a_backend_of_the_callers_stays_open():
    backend = FakeBackend()
    env = LeanProofEnv([T], backend)
    assert env.backend_name == "fake"
    play(env, PROOF)
    env.close()
    assert backend.start(Theorem("t", T)).goals


def test_the_theorems_are_on_view():
    assert [theorem.name for theorem in make().theorems] == ["t", "u"]


@pytest.mark.parametrize(
    ("mode", "vector_kwargs"),
    # Gymnasium's shared memory holds numbers only.
    [("sync", {}), ("async", {"shared_memory": False, "context": "spawn"})],
)
def test_vector_envs_of_gymnasium_take_it(mode, vector_kwargs):
    vec = gym.make_vec(
        "LeanProof-v0",
        num_envs=2,
        vectorization_mode=mode,
        vector_kwargs=vector_kwargs,
        theorems=[T],
        backend="fake",
        reward="shaped",
    )
    vec.reset(seed=0)
    observations, rewards, *_ = vec.step(("split", "left"))
    assert observations == ("⊢ True\n\n⊢ True", "⊢ True ∧ True")
    assert list(rewards) == pytest.approx([-0.1, 0.0])
    vec.close()
