from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest
from torch.utils.tensorboard import SummaryWriter

from benchmarks import ablation, ablation_runs
from benchmarks.ablation_runs import Ablation, AblationError, Plan, parse_variant
from benchmarks.ablation_table import Curve, Result, markdown, read_curve
from trainers.algorithms import ALGORITHMS

PLAN = Plan(max_iterations=2, eval_every=1, held_out="test", flags=("--backend", "fake"))


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("dapo", ("--algorithm", "dapo")),
        ("credit=gigpo", ("--credit", "gigpo")),
        ("gspo+error_penalty=0", ("--algorithm", "gspo", "--error-penalty", "0")),
        (" rloo + first_error_credit=true ", ("--algorithm", "rloo", "--first-error-credit")),
        ("error_baseline=false", ("--no-error-baseline",)),
        ("replay_weight=1", ("--replay-weight", "1")),
    ],
)
def test_variants_are_flags(text: str, flags: tuple[str, ...]) -> None:
    assert parse_variant(text).flags == ("--replay-weight", "0", *flags)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("credti=state", "variant 'credti=state': unknown setting 'credti'; did you mean 'credit'?"),
        ("dappo", "unknown algorithm 'dappo'; did you mean 'dapo'?"),
        ("grpo,dapo,grpo", "'grpo' occurs twice"),
        ("warm_start=1", "unknown setting"),
    ],
)
def test_variants_that_are_none(text: str, message: str) -> None:
    with pytest.raises(AblationError) as error:
        ablation.read_variants(text)
    assert message in str(error.value)


def test_by_default_every_algorithm_and_kind_of_credit_is_compared() -> None:
    names = [variant.name for variant in ablation.read_variants("")]
    assert set(ALGORITHMS) <= set(names)
    assert {"credit=gigpo", "credit=state", "credit=graph", "error_penalty=0", "expert_iteration"} <= set(
        names
    )


class Commands:
    """Fake child processes: record the command lines and write the files of a run."""

    def __init__(self, code: int = 0) -> None:
        self.seen: list[list[str]] = []
        self.code = code

    def __call__(self, command: list[str], output: object) -> int:
        words = command[3:]
        self.seen.append(words)
        if not self.code:
            at = "--run-dir" if "--run-dir" in words else "--resume"
            folder = Path(words[words.index(at) + 1])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "summary.json").write_text("{}")
        return self.code


def quiet(_: str) -> None:
    pass


def test_a_variant_starts_from_the_warm_start_of_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands()
    monkeypatch.setattr(ablation_runs, "_run", commands)
    runs = Ablation(tmp_path, PLAN, quiet)
    folder = runs.run(parse_variant("dapo"), 3)
    one_set = ["--theorems", "algebra", "--theorems-per-iteration", "24"]
    common = [*one_set, "--backend", "fake", "--held-out", "test"]
    warm = str(tmp_path / "warm_start" / "seed3")
    assert commands.seen == [
        [*common, "--max-iterations", "0", "--seed", "3", "--run-dir", warm],
        [
            *common, "--model", f"{warm}/start_policy", "--warm-start-epochs", "0",
            "--replay-weight", "0", "--algorithm", "dapo",
            "--max-iterations", "2", "--eval-every", "1", "--seed", "3", "--run-dir", str(folder),
        ],
    ]  # fmt: skip
    runs.run(parse_variant("dapo"), 3)
    assert len(commands.seen) == 2  # both are finished
    limited = Ablation(tmp_path / "limited", replace(PLAN, tactics_budget=500), quiet)
    limited.run(parse_variant("expert_iteration"), 3)
    assert "--max-tactics" not in commands.seen[2]
    at = commands.seen[3].index("--rounds")
    assert commands.seen[3][at : at + 4] == ["--rounds", "2", "--max-tactics", "500"]
    del commands.seen[2:]
    runs.run(parse_variant("grpo"), 3)
    assert len(commands.seen) == 3  # the warm start is


def test_the_baseline_is_another_program_of_the_same_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs: list[tuple[str, ...]] = []

    def note(command: Sequence[str], output: IO[str]) -> int:
        programs.append(tuple(word for word in command[2:] if word.startswith(("trainers.", "--rounds"))))
        return 0

    monkeypatch.setattr(ablation_runs, "_run", note)
    Ablation(tmp_path, PLAN, quiet).run(parse_variant("expert_iteration"), 0)
    assert programs == [("trainers.grpo",), ("trainers.expert_iteration", "--rounds")]


def test_an_interrupted_run_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands()
    monkeypatch.setattr(ablation_runs, "_run", commands)
    runs = Ablation(tmp_path, PLAN, quiet)
    stopped, broken = runs.run_folder(parse_variant("grpo"), 0), runs.run_folder(parse_variant("dapo"), 0)
    for folder in (stopped, broken):
        folder.mkdir(parents=True)
        (folder / "config.yaml").touch()
    (stopped / "checkpoint.pt").touch()
    runs.run(parse_variant("grpo"), 0)
    assert commands.seen[-1] == ["--resume", str(stopped)]
    runs.run(parse_variant("dapo"), 0)  # without a checkpoint it cannot be resumed
    assert "--resume" not in commands.seen[-1]
    assert not (broken / "config.yaml").exists()


def test_runs_of_another_plan_are_not_mixed_in(tmp_path: Path) -> None:
    Ablation(tmp_path, PLAN, quiet)
    Ablation(tmp_path, PLAN, quiet)
    with pytest.raises(AblationError, match=r"runs of another plan .*\"max_iterations\": 2.* another --out"):
        Ablation(tmp_path, Plan(3, 1, "test"), quiet)


def test_a_failed_run_is_reported_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(code=2)
    monkeypatch.setattr(ablation_runs, "_run", commands)
    assert ablation.main(["--variants", "grpo,dapo", "--seeds", "0,1", "--out", str(tmp_path)]) == 1
    assert len(commands.seen) == 4
    errors = capsys.readouterr().err
    assert "error: warm_start, seed 1: exit code 2: it said nothing (see " in errors


@pytest.mark.parametrize("seeds", ["0,0", "a", "-1", "1,"])
def test_seeds_that_are_none(seeds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        ablation.main([f"--seeds={seeds}", "--variants", "grpo", "--out", str(tmp_path)])
    assert end.value.code == 2
    assert "--seeds: got" in capsys.readouterr().err


CURVE = Curve(rates={0: 0.1, 2: 0.3, 4: 0.2}, seconds=[60.0, 30.0, 90.0, 60.0], tactics=[100, 200, 300, 400])


@pytest.mark.parametrize(
    ("rate", "cost"), [(0.1, (0, 0)), (0.2, (90.0, 300)), (0.3, (90.0, 300)), (0.31, None)]
)
def test_what_a_rate_costs(rate: float, cost: tuple[float, float] | None) -> None:
    assert CURVE.reaches(rate) == cost


def test_the_table_by_hand() -> None:
    """Rates 20% and 30% after 10%: mean 25, deviation sqrt(50) = 7.1. The first run alone reaches 30%."""
    flat = Curve({0: 0.1, 4: 0.3}, [60.0] * 4, [500] * 4)
    low = Curve({0: 0.1, 4: 0.2}, [120.0] * 4, [500] * 4)
    before = {"pass@1": 0.1, "pass@8": 0.2}
    runs = [
        Result(before, {"pass@1": rate, "pass@8": 0.5}, curve) for rate, curve in ((0.3, flat), (0.2, low))
    ]
    head, _, row = markdown({"dapo": runs}, target=0.3).splitlines()
    assert head.endswith("| reached 30% | minutes to 30% | thousand tactics to 30% |")
    assert row == (
        "| dapo | 2 | 10.0 ± 0.0 | 25.0 ± 7.1 | 15.0 ± 7.1 | 50.0 ± 0.0 | 6.0 ± 2.8 | 1 of 2 | 4.0 | 2.0 |"
    )


def test_a_credit_that_is_nearly_the_episode_is_not_compared() -> None:
    def run(*correlations: float | None) -> str:
        rates = {"pass@1": 0.1, "pass@8": 0.2}
        runs = [Result(rates, rates, replace(CURVE, correlation=value)) for value in correlations]
        return markdown({"credit=gigpo": runs}, target=0.3).splitlines()[-1]

    assert (
        run(0.97, 0.99) == "| credit=gigpo | 2 | correlates .98, not compared | - | - | - | - | - | - | - |"
    )
    assert run(0.93, 0.96).startswith("| credit=gigpo | 2 | 10.0 ± 0.0 |")
    assert run(None, None).startswith("| credit=gigpo | 2 | 10.0 ± 0.0 |")


def test_scalars_of_a_resumed_run_count_once(tmp_path: Path) -> None:
    def write(steps: range, seconds: float, purge: int | None) -> None:
        writer = SummaryWriter(str(tmp_path), purge_step=purge)
        for step in steps:
            for tag, value in (
                ("time/iteration", seconds),
                ("rollout/tactics", 101.0),
                ("credit/correlation", seconds / 10),
            ):
                writer.add_scalar(tag, value, step)
            writer.add_scalar("eval/pass_at_1", step / 10, step)
        writer.close()
        time.sleep(1.1)  # names of event files have a resolution of one second

    write(range(1, 4), 5.0, None)
    write(range(3, 5), 7.0, 3)
    curve = read_curve(tmp_path)
    assert curve.seconds == [5.0, 5.0, 7.0, 7.0]
    assert curve.tactics == [101] * 4
    assert curve.correlation == pytest.approx(0.6)
    assert curve.rates == pytest.approx({1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4})


def tiny(game: Path) -> list[str]:
    words = ["--theorems", str(game), "--backend", "fake", "--workers", "1", "--torch-threads", "1"]
    words += ["--hidden-size", "16", "--layers", "1", "--attention-heads", "2", "--max-steps", "4"]
    return [*words, "--theorems-per-iteration", "2", "--warm-start-epochs", "1", "--max-tactic-tokens", "4"]


@pytest.mark.slow
def test_the_command_with_its_runs(game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--variants",
        "grpo,credit=state,expert_iteration",
        "--seeds",
        "0",
        "--max-iterations",
        "2",
        "--eval-every",
        "1",
    ]
    words += ["--held-out", "test", "--target", "0", "--out", str(tmp_path / "runs"), "--", *tiny(game)]
    assert ablation.main(words) == 0
    first = capsys.readouterr()
    rows = first.out.splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| grpo", "| credit=state", "| expert_iteration"]
    assert all("| 1 of 1 | 0.0 | 0.0 |" in row for row in rows[2:])
    assert first.err.splitlines() == [
        "warm_start, seed 0", "grpo, seed 0", "credit=state, seed 0", "expert_iteration, seed 0",
    ]  # fmt: skip
    summary = json.loads((tmp_path / "runs" / "grpo" / "seed0" / "summary.json").read_text())
    other = json.loads((tmp_path / "runs" / "credit=state" / "seed0" / "summary.json").read_text())
    assert summary["eval"]["before"] == other["eval"]["before"]
    assert ablation.main(words) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")


@pytest.mark.slow
def test_ctrl_c_leaves_runs_that_go_on(game: Path, tmp_path: Path) -> None:
    words = [
        "--variants",
        "grpo",
        "--seeds",
        "0",
        "--max-iterations",
        "100000",
        "--out",
        str(tmp_path / "runs"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.ablation", *words, "--", *tiny(game)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    log = tmp_path / "runs" / "grpo" / "seed0.log"
    deadline = time.monotonic() + 100
    while not (log.exists() and "held out, after 0" in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; the same command resumes" in errors
    assert "interrupted by SIGINT; to resume: python -m trainers.grpo --resume" in log.read_text()
