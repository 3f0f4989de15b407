from __future__ import annotations

import pytest

from benchmarks.cluster_model import Cluster, Figures, Simulation, main

# Every tactic has one token, an episode four tactics; nothing is random.
EVEN = {"tactic_s": (0.5, 0.0, 9.0), "tokens": 1.0, "steps": (1e9, 4), "group": 2}


def figures(iterations: int = 4, **values: object) -> Figures:
    return Simulation(Cluster(**EVEN | values)).run(iterations)  # type: ignore[arg-type]


def test_one_episode_takes_the_sum_of_its_parts() -> None:
    found = figures(episodes=2, provers=2, token_s=(0.1, 0.05), update_s=3.0)
    assert found.iteration_s == pytest.approx(4 * (0.1 + 2 * 0.05 + 0.5) + 3.0)
    assert found.learner == pytest.approx(3.0 / found.iteration_s)
    assert found.tactics_per_second == pytest.approx(8 / found.iteration_s)


@pytest.mark.parametrize(("provers", "seconds"), [(1, 64.0), (4, 16.0), (16, 4.0)])
def test_few_provers_are_always_busy(provers: int, seconds: float) -> None:
    found = figures(episodes=32, provers=provers, token_s=(0.0001, 0.0), update_s=0.0)
    assert found.iteration_s == pytest.approx(seconds, rel=0.02)
    assert found.provers == pytest.approx(1.0, abs=0.02)
    assert found.limit(0) == found.limit(1) == "provers"


def test_rows_of_a_sampler_share_its_steps() -> None:
    found = figures(episodes=32, provers=1000, token_s=(1.0, 0.01), update_s=0.0)
    assert found.samplers == pytest.approx((1.0 + 0.32) / (1.0 + 0.32 + 0.5))
    halved = figures(episodes=32, provers=1000, samplers=2, token_s=(1.0, 0.01), update_s=0.0)
    assert halved.iteration_s == pytest.approx(4 * (1.0 + 0.16 + 0.5))


def test_rollouts_ahead_hide_the_update() -> None:
    equal = {"episodes": 32, "provers": 4, "token_s": (0.0001, 0.0), "update_s": 16.0}
    assert figures(staleness=0, **equal).iteration_s == pytest.approx(32.0, rel=0.02)
    assert figures(staleness=0, **equal).limit(0) == "alternation: --staleness 1"
    assert figures(staleness=1, **equal).iteration_s == pytest.approx(16.0, rel=0.02)


def test_a_long_tail_holds_nobody_up_who_may_run_ahead() -> None:
    tail = {"episodes": 64, "provers": 16, "slots": 64, "tactic_s": (0.03, 2.5, 60.0), "update_s": 0.5}
    waiting, ahead = (figures(8, staleness=k, **tail) for k in (0, 2))
    assert ahead.iteration_s < waiting.iteration_s
    assert ahead.provers > waiting.provers


def test_the_table_and_its_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "--provers",
                "1,4",
                "--samplers",
                "1",
                "--episodes",
                "16",
                "--tactic-s",
                "0.2",
                "--iterations",
                "1",
            ]
        )
        == 0
    )
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert len(rows) == 2
    for words, message in (
        (["--provers", "x"], "expected numbers separated by commas, got 'x'"),
        (["--provers", "0"], "provers: expected at least 1, got 0"),
        (["--episodes", "4"], "episodes: expected at least 8, got 4"),
        (["--steps", "0,3"], "steps: expected at least 1, got 0"),
        (["--update-s", "soon"], "soon"),
    ):
        with pytest.raises(SystemExit):
            main(words)
        assert message in capsys.readouterr().err
