import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.theorem_draws import seed_of
from lean_gym.envs.vector import LeanProofVectorEnv
from lean_gym.errors import DataError, RewardError
from lean_gym.execution import COUNTERS
from lean_gym.pool import POOL_COUNTERS
from lean_gym.types import Theorem

T = "theorem t : True ∧ True"
U = "theorem u : True ∨ False"
MANY = [f"theorem m{index} : True ∧ True" for index in range(7)]
PROOF = ("split", "trivial", "trivial")


def make(num_envs=2, theorems=(T, U), num_workers=0, reward="shaped", **options):
    # The shaped reward differs between steps that are not the last one.
    return LeanProofVectorEnv(num_envs, list(theorems), "fake", reward, num_workers=num_workers, **options)


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


def test_a_reward_is_prepared_for_goals_beyond_the_limit_as_for_any_refusal():
    seen = []

    class Noted:
        scale = 1.0

        def prepare(self, transitions):
            seen.extend(transitions)

        def __call__(self, transition):
            seen.append(transition)
            return {"proof": 0.0}

    vec = make(reward=Noted(), max_goal_chars=13)
    vec.reset(options={"theorem": ["t", "t"]})
    vec.step(["split", "split"])
    assert [step.outcome for step in seen] == ["tactic_error"] * 4  # prepared, then asked for their terms
    assert seen[0] == seen[2]


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


def test_neighbouring_seeds_share_no_stream_of_theorems():
    drawn = [
        tuple(vec.reset(seed=seed)[1]["theorem"]) + tuple(vec.reset()[1]["theorem"])
        for seed in (11, 12)
        for vec in [make(4, [Theorem(f"t{n}", f"theorem t{n} : True") for n in range(100)])]
    ]
    first, second = ({names[at::4] for at in range(4)} for names in drawn)
    assert len(first) == len(second) == 4
    assert not first & second


@pytest.mark.parametrize("autoreset_mode", list(AutoresetMode))
def test_each_episode_is_that_of_a_single_env(autoreset_mode):
    """The same seeds and actions give what `num_envs` single environments give, step by step."""
    vec = make(4, MANY, autoreset_mode=autoreset_mode, max_steps=5)
    singles = [LeanProofEnv(MANY, "fake", "shaped", max_steps=5) for _ in range(4)]
    observations, _ = vec.reset(seed=11)
    expected = [env.reset(seed=seed_of(11, index)) for index, env in enumerate(singles)]
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
    listed = [seed_of(5, episode) for episode in range(3)]
    _, infos = vec.reset(seed=listed)
    assert list(infos["theorem"]) == list(twin.reset(seed=5)[1]["theorem"])
    assert list(vec.reset()[1]["theorem"]) == list(twin.reset()[1]["theorem"])
    again = vec.reset(seed=[listed[0], None, None])[1]["theorem"]
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
        ({"num_envs": 0}, "num_envs: got 0, expected an integer >= 1"),
        ({"num_workers": -1}, "num_workers: got -1, expected 0"),
        ({"max_step": 1}, "unknown option of LeanProof-v0: 'max_step'"),
        ({"autoreset_mode": "Never"}, "Never"),
        ({"context": "thread", "num_workers": 1}, "unknown context 'thread'"),
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


def test_episodes_are_taken_as_they_get_ready():
    with make(3, num_workers=2) as vec:
        vec.reset(options={"theorem": ["t", "u", "t"]})
        vec.step_async(["split", "left", "nonsense"])
        seen = {}
        while len(seen) < 3:
            ready = vec.recv(min_ready=1)
            assert len(ready.env_ids) >= 1
            for index, slot in enumerate(ready.env_ids):
                assert slot not in seen
                seen[int(slot)] = (
                    ready.observations[index],
                    float(ready.rewards[index]),
                    bool(ready.terminated[index]),
                    bool(ready.truncated[index]),
                    ready.infos[index]["outcome"],
                )
        assert seen == {
            0: ("⊢ True\n\n⊢ True", pytest.approx(-0.1), False, False, "running"),
            1: ("⊢ True", 0.0, False, False, "running"),
            2: ("⊢ True ∧ True", 0.0, False, False, "tactic_error"),
        }


def test_a_slow_tactic_holds_up_nobody_else():
    """While one worker is busy, the episodes of the other are played to their end and started again."""
    backend_options = {"slow": {"skip": 3.0}}
    with make(2, num_workers=2, backend_options=backend_options) as vec:
        vec.reset(options={"theorem": ["t", "u"]})
        vec.step_async(["skip", "left"])
        assert vec.recv(1).env_ids.tolist() == [1]
        vec.step_async(["trivial"], env_ids=[1])
        ready = vec.recv(1)
        assert (ready.env_ids.tolist(), ready.infos[0]["outcome"]) == ([1], "proved")
        vec.reset(options={"reset_mask": np.array([False, True]), "theorem": "u"})
        observations = vec.step(["", "right"], mask=np.array([False, True]))[0]
        assert observations[1] == "⊢ False"
        # Whatever is under way is waited for, however much is asked for.
        ready = vec.recv(min_ready=10)
        assert (ready.env_ids.tolist(), ready.observations) == ([0], ("⊢ True ∧ True",))


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("autoreset_mode", list(AutoresetMode))
def test_async_episodes_are_those_of_step(autoreset_mode, num_workers):
    """Each episode, with actions chosen by its own generator, takes the same steps in any order of replies."""
    steps, count = 12, 4

    def actions():
        return [np.random.default_rng(100 + slot) for slot in range(count)]

    def choose(rng):
        return str(rng.choice(["split", "trivial", "left", "skip"]))

    def record(slot, observation, reward, terminated, truncated):
        histories[slot].append((observation, float(reward), bool(terminated), bool(truncated)))

    options = {"autoreset_mode": autoreset_mode, "max_steps": 5}
    results = []
    for mode in ("step", "async"):
        histories = [[] for _ in range(count)]
        rngs = actions()
        with make(count, MANY, num_workers=num_workers if mode == "async" else 0, **options) as vec:
            vec.reset(seed=2)
            if mode == "step":
                for _ in range(steps):
                    result = vec.step([choose(rng) for rng in rngs])
                    for slot in range(count):
                        record(slot, *(column[slot] for column in result[:4]))
                        over = result[2][slot] or result[3][slot]
                        if over and autoreset_mode is AutoresetMode.DISABLED:
                            mask = np.arange(count) == slot
                            vec.reset(options={"reset_mask": mask})
            else:
                vec.step_async([choose(rng) for rng in rngs])
                left = dict.fromkeys(range(count), steps)
                while left:
                    ready = vec.recv(min_ready=1)
                    for index, slot in enumerate(map(int, ready.env_ids)):
                        record(slot, *(column[index] for column in ready[1:5]))
                        over = ready.terminated[index] or ready.truncated[index]
                        if over and autoreset_mode is AutoresetMode.DISABLED:
                            vec.reset(options={"reset_mask": np.arange(count) == slot})
                        left[slot] -= 1
                        if left[slot]:
                            vec.step_async([choose(rngs[slot])], env_ids=[slot])
                        else:
                            del left[slot]
        results.append(histories)
    assert results[0] == results[1]


def test_async_calls_out_of_turn():
    vec = make(3, [T, U])
    with pytest.raises(ResetNeeded, match="episode 0 was never started"):
        vec.step_async(["split"], env_ids=[0])
    vec.reset(options={"theorem": "u"})
    with pytest.raises(NoAsyncCallError, match="nothing is under way; call step_async or reset_async first"):
        vec.recv()
    with pytest.raises(ValueError, match="min_ready: got -1"):
        vec.recv(min_ready=-1)
    with pytest.raises(ValueError, match="actions: got 1, expected one for each of 2"):
        vec.step_async(["left"], env_ids=[0, 1])
    with pytest.raises(
        ValueError, match=r"env_ids: got \[1, 1\], expected a list of different numbers from 0 to 2"
    ):
        vec.step_async(["left", "left"], env_ids=[1, 1])
    with pytest.raises(ValueError, match="env_ids"):
        vec.step_async(["left"], env_ids=[3])
    vec.step_async(["left"], env_ids=[1])
    with pytest.raises(AlreadyPendingCallError, match="episode 1 is under way"):
        vec.step_async(["left"], env_ids=[1])
    with pytest.raises(AlreadyPendingCallError, match="episode 1 is under way"):
        vec.step(["left"] * 3)
    # A step of the others is none of its business, and the refused one has moved nobody.
    assert vec.step(["left"] * 3, mask=np.array([True, False, False]))[4]["steps"][0] == 1
    assert vec.recv().env_ids.tolist() == [1]
    vec.step_async(["trivial"], env_ids=[1])
    assert vec.recv().terminated.tolist() == [True]
    with pytest.raises(ResetNeeded, match="episode 1 has ended"):
        vec.step_async(["left"], env_ids=[1])


@pytest.mark.parametrize("num_workers", [0, 2])
def test_what_is_ready_is_taken_without_waiting(num_workers):
    with make(3, num_workers=num_workers) as vec:
        vec.reset(options={"theorem": ["t", "u", "t"]})
        vec.step_async(["split", "left", "nonsense"])
        seen, looks = [], 0
        while len(seen) < 3:
            seen += vec.recv(min_ready=0).env_ids.tolist()
            looks += 1
        assert sorted(seen) == [0, 1, 2]
        assert looks == 1 or num_workers
        with pytest.raises(NoAsyncCallError):
            vec.recv(min_ready=0)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_episodes_may_start_without_being_waited_for(num_workers):
    with make(3, [T, U], num_workers=num_workers) as vec:
        expected, _ = vec.reset(seed=5)
        vec.reset_async(seed=5)
        with pytest.raises(AlreadyPendingCallError, match="episode 0 is under way"):
            vec.step_async(["left"], env_ids=[0])
        with pytest.raises(AlreadyPendingCallError, match="episode 0 is under way"):
            vec.step(["left"] * 3)
        started = vec.recv(min_ready=3)
        assert (started.env_ids.tolist(), started.observations) == ([0, 1, 2], expected)
        assert (started.rewards.tolist(), started.terminated.any(), started.truncated.any()) == (
            [0.0] * 3,
            False,
            False,
        )
        assert [info["steps"] for info in started.infos] == [0, 0, 0]
        # One that starts beside others that move.
        vec.step_async(["skip", "skip"], env_ids=[0, 2])
        vec.reset_async(options={"reset_mask": np.array([False, True, False]), "theorem": "u"})
        seen = {}
        while len(seen) < 3:
            ready = vec.recv()
            seen |= {int(slot): info["steps"] for slot, info in zip(ready.env_ids, ready.infos, strict=True)}
        assert seen == {0: 1, 1: 0, 2: 1}
        assert vec.step(["", "left", ""], mask=np.array([False, True, False]))[0][1] == "⊢ True"


def test_an_episode_that_is_started_again_before_it_has_started_comes_once():
    vec = make(1, [T, U])
    vec.reset_async(options={"theorem": "t"})
    vec.reset_async(options={"theorem": "u"})
    ready = vec.recv(min_ready=2)
    assert ready.observations == ("⊢ True ∨ False",)
    with pytest.raises(NoAsyncCallError):
        vec.recv()


def test_a_bad_theorem_fails_its_own_start_only():
    vec = make(2, [T, Theorem("bad", "theorem bad")])
    vec.reset_async(options={"theorem": ["bad", "t"]})
    with pytest.raises(DataError, match="theorem 'bad'"):
        vec.recv(min_ready=2)
    assert vec.recv().observations == ("⊢ True ∧ True",)
    with pytest.raises(ResetNeeded, match="episode 0 was never started"):
        vec.step_async(["split"], env_ids=[0])


def test_a_reset_calls_back_what_is_under_way():
    vec = make(2, [T, U])
    vec.reset(options={"theorem": "u"})
    vec.step_async(["left", "left"])
    observations, _ = vec.reset(options={"reset_mask": np.array([True, False]), "theorem": "t"})
    assert observations[0] == "⊢ True ∧ True"
    ready = vec.recv(min_ready=2)
    assert (ready.env_ids.tolist(), ready.infos[0]["steps"]) == ([1], 1)
    assert vec.step(["split", "trivial"])[4]["outcome"].tolist() == ["running", "proved"]


def test_a_failing_step_leaves_the_others_in_order():
    """A reward that raises is the caller's bug; the environment stays usable."""

    def reward(transition):
        if transition.tactic == "skip":
            raise ZeroDivisionError
        return 0.0

    vec = make(2, [T], reward=reward)
    vec.reset()
    with pytest.raises(RewardError, match="failed on a step of theorem 't' on 'skip': ZeroDivisionError"):
        vec.step(["skip", "split"])
    assert vec.step(["split", "split"])[4]["tactics"][0] == ("split",)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_a_theorem_that_kills_its_prover_ends_its_episodes_only(num_workers, caplog):
    with make(2, [T, U], num_workers=num_workers, backend_options={"crash_on": ["boom"]}) as vec:
        vec.reset(options={"theorem": ["t", "u"]})
        _, rewards, terminated, _, infos = vec.step(["boom", "left"])
        assert list(terminated) == [True, False]
        assert infos["outcome"].tolist() == ["crashed", "running"]
        assert rewards[0] <= 0
        assert "quarantined: theorem 't' after (), 'boom'" in caplog.text
        # A step is not the theorem: other ways are open, this one is not tried again.
        vec.reset(options={"reset_mask": np.array([True, False]), "theorem": "t"})
        restarts = vec.stats()["backend_restarts"]
        assert vec.step(["boom", "trivial"])[4]["outcome"].tolist() == ["crashed", "proved"]
        assert vec.stats()["backend_restarts"] == restarts


def test_the_counters_are_named():
    with make(num_workers=1) as vec:
        vec.reset(options={"theorem": "t"})
        vec.step(["split", "split"])
        stats = vec.stats()
        assert set(stats) == {*COUNTERS, *POOL_COUNTERS}
        assert (stats["tactic_hits"], stats["tactic_misses"], stats["workers"]) == (1, 1, 1)
        assert stats["queue_seconds"] > 0
        assert stats["backend_seconds"] > 0
    assert set(make().stats()) == set(stats)


def test_an_episode_goes_on_from_a_saved_point_as_often_as_wanted():
    vec = make(3, [T, U])
    vec.reset(options={"theorem": ["t", "u", "u"]})
    vec.step(["split", "left", "right"])
    (point,) = vec.save([0])
    vec.step(["trivial", "trivial", "trivial"])
    observations, infos = vec.restore({0: point, 2: point})
    assert observations == ("⊢ True\n\n⊢ True", "no goals", "⊢ True\n\n⊢ True")
    assert list(infos["theorem"]) == ["t", None, "t"]
    assert infos["tactics"][2] == ("split",)
    assert infos["steps"][2] == 1
    vec.step(["trivial", "", "trivial"], np.array([True, False, True]))
    _, rewards, terminated, _, infos = vec.step(["trivial", "", "trivial"])
    assert list(terminated) == [True, True, True]
    assert list(infos["tactics"][[0, 2]]) == [PROOF, PROOF]
    assert list(rewards[[0, 2]]) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("num_workers", [0, 2])
def test_an_episode_that_was_never_started_goes_on_from_a_point(num_workers):
    vec = make(3, [T, U], num_workers=num_workers)
    vec.reset(options={"theorem": "t", "reset_mask": np.array([True, False, False])})
    vec.step_async(["split"], [0])
    vec.recv()
    (point,) = vec.save([0])
    vec.restore({1: point, 2: point})
    vec.step_async(["trivial", "left"], [1, 2])
    ready = vec.recv(2)
    assert ready.observations == ("⊢ True", "⊢ True\n\n⊢ True")
    assert [info["outcome"] for info in ready.infos] == ["running", "tactic_error"]


def test_only_settled_episodes_are_saved_and_restored():
    vec = make(2)
    with pytest.raises(ResetNeeded):
        vec.save([0])
    vec.reset()
    (point,) = vec.save([1])
    vec.step_async(["split"], [0])
    with pytest.raises(AlreadyPendingCallError, match="save: episode 0 is under way"):
        vec.save([1, 0])
    with pytest.raises(AlreadyPendingCallError, match="restore: episode 0 is under way"):
        vec.restore({0: point})
    with pytest.raises(ValueError, match=r"points: got \[2\], expected numbers from 0 to 1"):
        vec.restore({2: point})
