import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from lean_gym.env import LeanProofEnv
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.vector import LeanProofVectorEnv

T = "theorem t : True ∧ True"
U = "theorem u : True ∨ False"
MANY = [f"theorem m{index} : True ∧ True" for index in range(7)]
PROOF = ("split", "trivial", "trivial")


def make(num_envs=2, theorems=(T, U), num_workers=0, **options):
    return LeanProofVectorEnv(num_envs, list(theorems), "fake", num_workers=num_workers, **options)


def test_make_vec_gives_this_class_with_autoreset_disabled():
    vec = gym.make_vec("LeanProof-v0", num_envs=3, theorems=[T], backend="fake", num_workers=0)
    assert isinstance(vec, LeanProofVectorEnv)
    assert vec.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    observations, _ = vec.reset(seed=0)
    assert observations == ("⊢ True ∧ True",) * 3
    assert observations in vec.observation_space
    vec.action_space.seed(0)
    actions = vec.action_space.sample()
    assert len(actions) == 3
    observations, rewards, terminated, truncated, _ = vec.step(actions)
    assert observations in vec.observation_space
    assert [array.dtype for array in (rewards, terminated, truncated)] == [np.float64, np.bool_, np.bool_]
    assert rewards.shape == terminated.shape == truncated.shape == (3,)


def test_step_by_hand():
    vec = make()
    vec.reset(options={"theorem": ["t", "u"]})
    observations, rewards, terminated, truncated, infos = vec.step(["split", "split"])
    assert observations == ("⊢ True\n\n⊢ True", "⊢ True ∨ False")
    assert list(rewards) == pytest.approx([-0.1, 0.0])
    assert not terminated.any()
    assert not truncated.any()
    assert list(infos["outcome"]) == ["running", "tactic_error"]
    assert list(infos["tactics"]) == [("split",), ()]
    assert list(infos["reward_terms"]["goals"]) == pytest.approx([-0.1, 0.0])
    assert infos["error"][0] is None
    assert list(infos["_outcome"]) == [True, True]


def test_a_finished_episode_stays_as_it_is_and_costs_nothing():
    vec = make()
    vec.reset(options={"theorem": ["u", "t"]})
    vec.step(["left", "split"])
    _, rewards, terminated, _, infos = vec.step(["trivial", "trivial"])
    assert list(rewards) == pytest.approx([1.0, 0.1])
    assert list(terminated) == [True, False]
    tactics = vec.stats()["tactics"]
    observations, rewards, terminated, truncated, infos = vec.step(["left", "trivial"])
    assert vec.stats()["tactics"] == tactics + 1
    assert observations == ("no goals", "no goals")
    assert list(rewards) == pytest.approx([0.0, 1.0])
    assert list(terminated) == [True, True]
    assert list(truncated) == [False, False]
    assert list(infos["_outcome"]) == [False, True]
    observations, rewards, terminated, _, infos = vec.step(["", ""])
    assert vec.stats()["tactics"] == tactics + 1
    assert (list(rewards), list(terminated), infos) == ([0.0, 0.0], [True, True], {})


def test_reset_mask_starts_some_and_leaves_the_others():
    vec = make(3, [T, U])
    vec.reset(options={"theorem": "t"})
    vec.step(["split"] * 3)
    observations, infos = vec.reset(
        options={"reset_mask": np.array([False, True, False]), "theorem": [None, "u", None]}
    )
    assert observations == ("⊢ True\n\n⊢ True", "⊢ True ∨ False", "⊢ True\n\n⊢ True")
    assert list(infos["_theorem"]) == [False, True, False]
    assert infos["theorem"][1] == "u"
    assert list(vec.step(["trivial", "left", "trivial"])[4]["steps"]) == [2, 1, 2]


def test_a_step_mask_moves_only_some():
    vec = make()
    vec.reset(options={"theorem": "t"})
    observations, rewards, _, _, infos = vec.step(["split", "split"], mask=np.array([False, True]))
    assert observations == ("⊢ True ∧ True", "⊢ True\n\n⊢ True")
    assert list(rewards) == pytest.approx([0.0, -0.1])
    assert list(infos["_steps"]) == [False, True]


def test_next_step_autoreset():
    vec = make(autoreset_mode=AutoresetMode.NEXT_STEP)
    vec.reset(seed=0, options={"theorem": "u"})
    vec.step(["left", "skip"])
    assert list(vec.step(["trivial", "skip"])[2]) == [True, False]
    observations, rewards, terminated, truncated, infos = vec.step(["ignored", "left"])
    assert observations[0] in ("⊢ True ∧ True", "⊢ True ∨ False")
    assert (rewards[0], terminated[0], truncated[0]) == (0.0, False, False)
    assert (infos["outcome"][0], infos["steps"][0]) == ("running", 0)
    assert infos["steps"][1] == 3


def test_same_step_autoreset():
    vec = make(autoreset_mode="SameStep")
    assert vec.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    vec.reset(seed=0, options={"theorem": "u"})
    assert "final_obs" not in vec.step(["left", "skip"])[4]
    observations, rewards, terminated, _, infos = vec.step(["trivial", "left"])
    assert list(terminated) == [True, False]
    assert rewards[0] == pytest.approx(1.0)
    assert observations[0] in ("⊢ True ∧ True", "⊢ True ∨ False")
    assert infos["final_obs"][0] == "no goals"
    assert infos["final_info"]["outcome"][0] == "proved"
    assert list(infos["_final_info"]) == [True, False]
    assert list(infos["steps"]) == [0, 2]
    assert not vec.step(["split", "trivial"])[2][0]


@pytest.mark.parametrize("autoreset_mode", list(AutoresetMode))
def test_each_episode_is_that_of_a_single_env(autoreset_mode):
    """The same seeds and actions give what `num_envs` single environments give, step by step."""
    vec = make(4, MANY, autoreset_mode=autoreset_mode, max_steps=5)
    singles = [LeanProofEnv(MANY, "fake", max_steps=5) for _ in range(4)]
    observations, _ = vec.reset(seed=11)
    expected = [env.reset(seed=11 + index) for index, env in enumerate(singles)]
    assert observations == tuple(observation for observation, _ in expected)
    rng = np.random.default_rng(0)
    over = [False] * 4
    for _ in range(30):
        actions = rng.choice(["split", "trivial", "left", "skip"], size=4)
        observations, rewards, terminated, truncated, infos = vec.step(actions)
        for index, env in enumerate(singles):
            if over[index]:
                if autoreset_mode is AutoresetMode.NEXT_STEP:
                    assert observations[index] == env.reset()[0]
                    over[index] = False
                continue
            observation, reward, ended, cut, info = env.step(str(actions[index]))
            assert (rewards[index], terminated[index], truncated[index]) == (reward, ended, cut)
            if (ended or cut) and autoreset_mode is AutoresetMode.SAME_STEP:
                assert infos["final_obs"][index] == observation
                assert infos["final_info"]["tactics"][index] == info["tactics"]
                observation, info = env.reset()
            elif ended or cut:
                over[index] = True
            assert observations[index] == observation
            assert infos["theorem"][index] == info["theorem"]


def test_seeds_may_be_listed():
    vec, twin = make(3, MANY), make(3, MANY)
    _, infos = vec.reset(seed=[5, 6, 7])
    assert list(infos["theorem"]) == list(twin.reset(seed=5)[1]["theorem"])
    assert list(vec.reset()[1]["theorem"]) == list(twin.reset()[1]["theorem"])
    again = vec.reset(seed=[5, None, None])[1]["theorem"]
    assert again[0] == infos["theorem"][0]


def test_workers_give_the_same_episodes():
    def rollout(num_workers):
        with make(5, MANY, num_workers=num_workers, max_steps=6) as vec:
            record = [vec.reset(seed=3)[0]]
            rng = np.random.default_rng(1)
            for _ in range(8):
                step = vec.step(rng.choice(["split", "trivial", "sorry", "skip", "left"], size=5))
                record.append([step[0], *(array.tolist() for array in step[1:4]), step[4].get("outcome")])
            return str(record)

    assert rollout(0) == rollout(2)


def test_a_group_shares_its_work():
    vec = make(8, [T])
    vec.reset()
    for tactic in PROOF:
        vec.step([tactic] * 8)
    stats = vec.stats()
    assert (stats["starts"], stats["start_hits"]) == (8, 7)
    assert (stats["tactics"], stats["tactic_hits"]) == (24, 21)
    assert (stats["verifications"], stats["verification_hits"]) == (8, 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda vec: vec.step(["split"]), "actions: got 1, expected one for each of 2"),
        (lambda vec: vec.step(["split", "x"], mask=[1, 0]), "mask: got an array of dtype int64 and shape"),
        (
            lambda vec: vec.reset(options={"reset_mask": np.array([True])}),
            "reset_mask.*shape .1,., expected bool",
        ),
        (
            lambda vec: vec.reset(options={"theorem": ["t"]}),
            "expected a name, or a list with one for each of 2",
        ),
        (lambda vec: vec.reset(options={"theorem": "tt"}), "unknown theorem 'tt'; did you mean 't'"),
        (lambda vec: vec.reset(options={"mask": 1}), "unknown reset option 'mask'"),
        (lambda vec: vec.reset(seed=[1]), "seed: got 1 seeds, expected one for each of 2"),
    ],
)
def test_bad_calls_are_one_clear_line(call, message):
    vec = make()
    vec.reset()
    with pytest.raises(ValueError, match=message):
        call(vec)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: got 0, expected at least 1"),
        ({"num_workers": -1}, "num_workers: got -1, expected 0"),
        ({"max_step": 1}, "unknown option of LeanProof-v0: 'max_step'"),
        ({"autoreset_mode": "Never"}, "Never"),
        ({"context": "thread", "num_workers": 1}, "cannot find context for 'thread'"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_stepping_out_of_turn():
    vec = make()
    with pytest.raises(ResetNeeded, match="episode 0 was never started"):
        vec.step(["split", "split"])
    vec.reset(options={"reset_mask": np.array([False, True])})
    with pytest.raises(ResetNeeded, match="episode 0 was never started"):
        vec.step(["split", "split"])
    assert vec.step(["", "split"], mask=np.array([False, True]))[0][0] == ""
    with pytest.raises(TypeError, match="action: got 3"):
        vec.step([3, 3], mask=np.array([False, True]))
    vec.close()
    vec.close()
    with pytest.raises(ClosedEnvironmentError):
        vec.reset()


def test_a_bad_theorem_fails_its_own_episode_only():
    vec = make(2, [T, Theorem("bad", "theorem bad")])
    with pytest.raises(DataError, match="theorem 'bad'"):
        vec.reset(options={"theorem": ["t", "bad"]})
    assert vec.step(["split", ""], mask=np.array([True, False]))[0][0] == "⊢ True\n\n⊢ True"


def test_text_that_must_not_reach_the_prover_is_refused_beside_the_others():
    vec = make(max_tactic_chars=10)
    vec.reset(options={"theorem": "t"})
    infos = vec.step(["x" * 11, "split"])[4]
    assert list(infos["outcome"]) == ["tactic_error", "running"]
    assert vec.stats()["tactics"] == 1


def test_rendering(capsys):
    vec = make(render_mode="ansi")
    assert vec.render() == ("not started", "not started")
    vec.reset(options={"theorem": "t"})
    vec.step(["split", "left"])
    assert vec.render()[0] == "theorem t : True ∧ True\nstep 1 of 32: running\n> split\n\n⊢ True\n\n⊢ True"
    assert make().render() is None
    human = make(render_mode="human")
    human.reset(options={"theorem": "t"})
    human.step(["split", "left"])
    assert capsys.readouterr().out.startswith("[0] theorem t : True ∧ True\nstep 1 of 32")


def test_wrappers_of_gymnasium_work():
    vec = RecordEpisodeStatistics(make())
    vec.reset(options={"theorem": "u", "reset_mask": np.array([True, True])})
    vec.step(["left", "skip"])
    infos = vec.step(["trivial", "skip"])[4]
    assert infos["episode"]["r"][0] == pytest.approx(1.0)
    assert infos["episode"]["l"][0] == 2
    listed = DictInfoToList(make())
    _, infos = listed.reset(options={"theorem": "u"})
    assert [info["theorem"] for info in infos] == ["u", "u"]


def test_the_backend_is_named():
    assert make().backend_name == "fake"
