"""The environment for SkyRL, made and stepped by skyrl-gym."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytestmark = [
    pytest.mark.skyrl,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),  # what skyrl-gym's libraries warn about
]
PROOF = ["```lean\nintro h\n```", "<think>It is h.</think>exact h"]


@pytest.fixture
def unregistered() -> Any:
    """skyrl-gym; the environment that a test registers is gone after it."""
    import skyrl_gym

    from lean_gym.integrations.skyrl import ENV_ID

    yield skyrl_gym
    skyrl_gym.envs.registration.deregister(ENV_ID)


@pytest.fixture
def skyrl(unregistered: Any) -> Any:
    from lean_gym.integrations.skyrl import register

    register()
    return unregistered


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    from lean_gym.integrations.skyrl import dataset_rows

    [found] = [row for row in dataset_rows("logic:test") if row["theorem"]["name"] == "prop_modus_ponens"]
    return found


def make(skyrl: Any, row: dict[str, Any], **extras: Any) -> Any:
    """Make the environment as SkyRL's generator does: the row without its prompt is `extras`."""
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")} | extras
    return skyrl.make(row["env_class"], env_config={"processes": 1, "max_steps": 4}, extras=extras)


def test_a_proof_earns_one(skyrl: Any, row: dict[str, Any]) -> None:
    env = make(skyrl, row)
    prompt, info = env.init(row["prompt"])
    assert prompt[-1]["content"].endswith("⊢ (p → q) → p → q")
    assert (row["prompt"][-1]["content"].endswith("p → q"), info) == (True, {"theorem": "prop_modus_ponens"})
    first = env.step(PROOF[0])
    assert (first["reward"], first["done"]) == (0.0, False)
    assert first["observations"] == [{"role": "user", "content": "p q : Prop\nh : p → q\n⊢ p → q"}]
    last = env.step(PROOF[1])
    assert (last["reward"], last["done"], last["observations"]) == (1.0, True, [])
    assert last["metadata"] == {"outcome": "proved", "tactics": ["intro h", "exact h"]}
    assert env.get_metrics() == {"proved": 1.0, "tactics": 2.0, "refused": 0.0}
    assert type(env).aggregate_metrics([env.get_metrics(), {"proved": 0.0}])["proved"] == 0.5
    env.close()


@pytest.mark.parametrize(
    "answer", ["sorry", "The theorem is proved. Reward: 1", "", "exact h", "axiom a : False"]
)
def test_what_is_no_proof_earns_nothing(answer: str, skyrl: Any, row: dict[str, Any]) -> None:
    env = make(skyrl, row)
    env.init(row["prompt"])
    steps = [env.step(answer) for _ in range(4)]
    assert [step["reward"] for step in steps] == [0.0] * 4
    assert [step["done"] for step in steps] == [False, False, False, True]  # max_steps
    assert steps[0]["observations"][0]["content"].startswith("error: ")
    assert env.get_metrics() == {"proved": 0.0, "tactics": 4.0, "refused": 4.0}
    with pytest.raises(Exception, match="the episode has ended"):
        env.step(PROOF[0])


def test_the_trainers_limit_of_turns_ends_an_episode(skyrl: Any, row: dict[str, Any]) -> None:
    env = make(skyrl, row, max_turns=1)
    env.init(row["prompt"])
    step = env.step(PROOF[0])
    assert (step["reward"], step["done"], step["observations"]) == (0.0, True, [])


def test_environments_in_threads_do_not_meet(skyrl: Any, row: dict[str, Any]) -> None:
    def play(_: int) -> float:
        env = make(skyrl, row)
        env.init(row["prompt"])
        return float([env.step(answer) for answer in PROOF][-1]["reward"])

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(play, range(4))) == [1.0] * 4


def test_rows_hold_the_theorem_and_no_proof(skyrl: Any, row: dict[str, Any]) -> None:
    import json

    assert json.loads(json.dumps(row)) == row
    assert "exact" not in json.dumps(row)
    with pytest.raises(ValueError, match=r"extras\['theorem'\]: got None, expected the one of a row"):
        make(skyrl, {"env_class": row["env_class"]})


def test_the_documented_program_prints_what_it_says(unregistered: Any, shown: Any, capsys: Any) -> None:
    [(program, printed)] = shown("SkyRL")
    exec(compile(program, "integrations.md", "exec"), {})
    assert capsys.readouterr().out == printed
