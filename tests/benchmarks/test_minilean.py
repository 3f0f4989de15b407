from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import minilean
from benchmarks.figures import Spread
from benchmarks.minilean_jobs import Replay, head_of, hold_states, is_automatic, run

ROWS = (
    ("both", "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q", "constructor\nexact hp\nexact hq"),
    ("sum", "theorem sum (n m : Nat) : n + m = m + n", "omega"),
    ("wrong", "theorem wrong (p : Prop) : p", "intro h\nassumption"),
)


@pytest.fixture
def sets(tmp_path: Path) -> list[str]:
    path = tmp_path / "some.jsonl"
    rows = [
        {"name": name, "statement": statement, "context": "", "imports": [], "proof": proof}
        for name, statement, proof in ROWS
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return [str(path)]


@pytest.mark.parametrize(
    ("tactic", "head", "automatic"),
    [
        ("exact hp", "exact", False),
        ("· exact hp", "exact", False),
        ("simp_all", "simp_all", True),
        ("cases n with\n| zero => simp\n| succ n => rfl", "cases", True),
        ("rw [simple]", "rw", False),
        ("exact?", "exact?", False),
        ("·", "·", False),
    ],
)
def test_what_a_tactic_is(tactic: str, head: str, automatic: bool) -> None:
    assert (head_of(tactic), is_automatic(tactic)) == (head, automatic)


def test_a_replay_counts_steps_and_refusals(sets: list[str]) -> None:
    done = replay_of(sets)
    # The third proof ends with its first step, which is refused.
    assert done.heads == ["constructor", "exact", "exact", "omega", "intro"]
    assert done.automatic == [False, False, False, True, False]
    assert len(done.tactic_s) == len(done.printing_s) == 5
    assert min(done.tactic_s) > 0
    assert (len(done.check_s), done.failed) == (2, ["wrong"])


def replay_of(sets: list[str]) -> Replay:
    return Replay(**json.loads(json.dumps(run({"kind": "replay", "sets": sets}))))


@pytest.mark.parametrize(("count", "kept"), [(3, 3), (100, 7)])
def test_states_that_are_kept(sets: list[str], count: int, kept: int) -> None:
    """Of the first proof its start and three more, of the second two, of the third the start."""
    states, used = hold_states(sets, count, traced=True)
    assert states == kept
    assert used > 0


def test_an_unknown_job_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'lode'"):
        run({"kind": "lode"})


PASSES = (
    Replay(["exact", "simp"], [False, True], [0.001, 0.003], [0.002, 0.002], [0.001]),
    Replay(["exact", "simp"], [False, True], [0.002, 0.002], [0.0, 0.0], [0.003]),
)


def test_rates_by_hand() -> None:
    """Two steps in 4 ms and 8 ms with printing; in 4 ms each without."""
    assert minilean.rates(PASSES, printing=True) == Spread((pytest.approx(250.0), pytest.approx(500.0)))
    assert minilean.rates(PASSES, printing=False).median == pytest.approx(500.0)


def test_latencies_by_hand() -> None:
    found = minilean.latencies(PASSES)
    assert list(found) == ["simp", "exact"]  # 5 ms of 8 against 3 of 8
    assert found["simp"].steps == 2
    assert found["simp"].median_ms == pytest.approx(2.5)
    assert found["simp"].p99_ms == pytest.approx(2.99)
    assert found["exact"].share == pytest.approx(0.375)
    assert minilean.plain_seconds(PASSES) == [0.001, 0.002]


def test_memory_is_scaled_to_a_thousand() -> None:
    assert minilean.mib_per_thousand((250, 3.0)) == 12.0


def test_the_command_in_this_process(
    sets: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs: list[str] = []

    def here(_: str, job: dict[str, Any], environment: dict[str, str] | None = None) -> Any:
        jobs.append(job["kind"])
        assert (job["kind"] == "load") == (environment is not None)
        return json.loads(json.dumps(run(job)))

    monkeypatch.setattr(minilean, "run_child", here)
    minilean.main(["--sets", *sets, "--passes", "2", "--states", "5"])
    assert jobs == ["load"] * 3 + ["replay"] * 2 + ["states"] * 2
    shown = capsys.readouterr().out
    assert "3 proofs, 5 tactic steps, 2 passes" in shown
    assert "refused: wrong" in shown
    assert re.search(r"constructor\s*│ 2 ", shown)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sets", "logik"], "unknown theorem set 'logik'; did you mean 'logic'"),
        (["--passes", "0"], "expected at least 1"),
    ],
)
def test_mistakes(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        minilean.main(words)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_a_set_without_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text('{"name": "t", "statement": "theorem t : True", "context": "", "imports": []}\n')
    with pytest.raises(SystemExit):
        minilean.main(["--sets", str(path)])
    assert "no theorem has a reference proof" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_command_with_its_processes(sets: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    minilean.main(["--sets", *sets, "--passes", "1", "--states", "5"])
    assert "library from the cache" in capsys.readouterr().out
