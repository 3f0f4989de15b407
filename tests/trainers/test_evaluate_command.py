"""`python -m trainers.evaluate` on the game of conftest.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainers.evaluate import main
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer
from trainers.runtime.signals import Interrupted, StopRequest

pytestmark = pytest.mark.usefixtures("no_workers")


@pytest.fixture
def run(tmp_path: Path, trained: TransformersPolicy) -> Path:
    """A run folder as `trainers.grpo` leaves it, as far as an evaluation looks."""
    folder = tmp_path / "run"
    trained.save(folder / "policy")
    stored = {
        "seed": 3,
        "backend": "fake",
        "rollout": {"max_steps": 8, "max_tactic_tokens": 6, "group_size": 4},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(stored))
    (folder / "summary.json").write_text("{}")
    return folder


def evaluate(run: Path, theorem_file: Path, out: Path, *words: str) -> int:
    fixed = [
        "--policy",
        str(run),
        "--theorems",
        f"{theorem_file}:test",
        "--out-dir",
        str(out),
        "--workers",
        "1",
    ]
    return main([*fixed, "--torch-threads", "1", "--no-automation", *words])


def result(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "result.json").read_text())
    del content["seconds"]
    return content


def test_it_writes_and_shows_what_it_promises(
    run: Path, theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["--k", "1,4", "--samples", "6", "--parallel-episodes", "7", "--automation"]
    assert evaluate(run, theorem_file, out, *words) == 0
    found = result(out)
    assert found["automation"] == {"best": 0.0, "any": 0.0, "script": "intros; rfl"}
    assert found["samples"] == 6
    assert found["backend"] == "fake"
    assert found["overall"]["theorems"] == 5
    assert sum(found["outcomes"].values()) == 30
    assert found["not_verified"] == 0

    rows = [json.loads(line) for line in (out / "episodes.jsonl").read_text().splitlines()[1:]]
    counts = {
        name: sum(row["outcome"] == "proved" for row in rows if row["theorem"] == name)
        for name in {row["theorem"] for row in rows}
    }
    assert len(rows) == 30
    assert found["by_theorem"] == counts
    assert sum(counts.values()) > 0
    # pass@1 is the plain share of successes.
    overall = found["overall"]["pass@1"]
    assert overall["value"] == pytest.approx(sum(counts.values()) / 30)
    assert overall["low"] <= overall["value"] <= overall["high"]
    assert found["overall"]["pass@4"]["value"] >= overall["value"]
    assert found["by_domain"] == {"unknown": found["overall"]}

    proofs = [json.loads(line) for line in (out / "proofs.jsonl").read_text().splitlines()]
    assert len(proofs) == found["distinct_proofs"] > 0
    assert all(proof["split"] == "test" and proof["axioms"] == [] for proof in proofs)
    output = capsys.readouterr().out
    assert "pass@4" in output
    assert "episodes 30/30" in output
    assert "the same theorems, automation: best single script 0.0%" in " ".join(output.split())


def test_forbidden_tactics_prove_nothing(run: Path, theorem_file: Path, tmp_path: Path) -> None:
    stored = yaml.safe_load((run / "config.yaml").read_text())
    stored["rollout"]["forbid"] = "automation"  # `trivial` is on the list
    (run / "config.yaml").write_text(yaml.safe_dump(stored))
    assert evaluate(run, theorem_file, tmp_path / "forbidden", "--k", "8") == 0
    assert evaluate(run, theorem_file, tmp_path / "free", "--k", "8", "--forbid", "") == 0
    assert result(tmp_path / "forbidden")["distinct_proofs"] == 0
    assert result(tmp_path / "free")["distinct_proofs"] > 0
    assert result(tmp_path / "free")["automation"] is None


def test_a_run_brings_its_settings_and_flags_win(run: Path, theorem_file: Path, tmp_path: Path) -> None:
    assert evaluate(run, theorem_file, tmp_path / "out", "--k", "1", "--max-steps", "3") == 0
    settings = yaml.safe_load((tmp_path / "out" / "settings.yaml").read_text())
    assert (settings["backend"], settings["seed"]) == ("fake", 0)
    assert (settings["rollout"]["max_steps"], settings["rollout"]["max_tactic_tokens"]) == (3, 6)
    again = ["--config", str(tmp_path / "out" / "settings.yaml"), "--out-dir", str(tmp_path / "two")]
    assert main(again) == 0
    assert result(tmp_path / "two") == result(tmp_path / "out")


@pytest.mark.parametrize("stop_at", [3, 12, 30])
def test_an_interruption_changes_nothing(
    run: Path, theorem_file: Path, tmp_path: Path, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--k", "1,4", "--parallel-episodes", "4"]
    checks = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) == stop_at:
            raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", check)
    assert evaluate(run, theorem_file, tmp_path / "broken", *words) == 128 + 15
    assert not (tmp_path / "broken" / "result.json").exists()
    finished = (tmp_path / "broken" / "episodes.jsonl").read_text()
    assert evaluate(run, theorem_file, tmp_path / "broken", *words) == 0
    assert evaluate(run, theorem_file, tmp_path / "whole", *words) == 0
    assert result(tmp_path / "broken") == result(tmp_path / "whole")
    whole = (tmp_path / "whole" / "episodes.jsonl").read_text()
    assert whole.startswith(finished)
    assert (tmp_path / "broken" / "episodes.jsonl").read_text() == whole


def test_more_samples_go_on_from_fewer(run: Path, theorem_file: Path, tmp_path: Path) -> None:
    for samples in ("3", "5"):
        assert evaluate(run, theorem_file, tmp_path / "grown", "--k", "1,2", "--samples", samples) == 0
    assert evaluate(run, theorem_file, tmp_path / "fresh", "--k", "1,2", "--samples", "5") == 0
    assert result(tmp_path / "grown") == result(tmp_path / "fresh")
    # Fewer again: only what was asked for is counted.
    assert evaluate(run, theorem_file, tmp_path / "grown", "--k", "1", "--samples", "3") == 0
    assert sum(result(tmp_path / "grown")["outcomes"].values()) == 15


@pytest.mark.parametrize("words", [["--parallel-episodes", "2"], []], ids=["small waves", "one wave"])
def test_a_theorem_that_does_not_elaborate_is_listed_and_the_rest_is_measured(
    run: Path,
    theorem_file: Path,
    tmp_path: Path,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    sound = [row for row in sound if row["split"] == "test"]
    broken = [{**sound[0], "name": name, "statement": f"theorem {name} ⊢ True"} for name in ("bad", "worse")]
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(
        "".join(json.dumps(row) + "\n" for row in [broken[0], *sound[:2], broken[1], *sound[2:]])
    )
    words = ["--k", "1,4", *words]
    assert evaluate(run, theorem_file, tmp_path / "sound", *words) == 0
    assert evaluate(run, mixed, tmp_path / "mixed", *words) == 0
    alone, beside = result(tmp_path / "sound"), result(tmp_path / "mixed")
    assert alone.pop("failures") == {}
    failures = beside.pop("failures")
    assert list(failures) == ["bad", "worse"]
    assert all(name in message for name, message in failures.items())
    assert {**alone, "theorems": ""} == {**beside, "theorems": ""}
    assert "2 further theorems do not elaborate and are not measured, the first being bad:" in " ".join(
        capsys.readouterr().out.split()
    )


def test_only_theorems_without_an_episode_are_started_to_see_whether_they_elaborate(
    run: Path, theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    rows = [row for row in rows if row["split"] == "test"]
    mixed = tmp_path / "mixed.jsonl"
    broken = {**rows[0], "name": "bad", "statement": "theorem bad ⊢ True"}
    mixed.write_text("".join(json.dumps(row) + "\n" for row in [broken, *rows]))
    asked: list[list[str]] = []
    failed_starts = EpisodePlayer.failed_starts

    def counted(self: EpisodePlayer, theorems: list[str]) -> dict[str, str]:
        asked.append(theorems)
        return failed_starts(self, theorems)

    monkeypatch.setattr(EpisodePlayer, "failed_starts", counted)
    for _ in range(2):
        assert evaluate(run, mixed, tmp_path / "out", "--k", "1", "--samples", "2") == 0
    assert asked == [["bad", *(row["name"] for row in rows)], ["bad"]]
    assert list(result(tmp_path / "out")["failures"]) == ["bad"]


def test_a_set_that_does_not_elaborate_at_all_ends_in_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "bad.jsonl"
    rows.write_text('{"name": "bad", "statement": "theorem bad ⊢ True", "split": "test"}\n')
    with pytest.raises(SystemExit) as caught:
        evaluate(run, rows, tmp_path / "out")
    assert caught.value.code == 2
    message = capsys.readouterr().err
    assert "none elaborates, the first says" in message
    assert message.count("\n") == 1


def test_a_claimed_proof_that_is_none_does_not_count(
    run: Path, theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert evaluate(run, theorem_file, out, "--k", "1", "--samples", "2") == 0
    honest = result(out)
    lines = (out / "episodes.jsonl").read_text().splitlines()
    forged = []
    for line in lines[1:]:
        row = json.loads(line)
        lie = {"outcome": "proved", "tactics": ["sorry"]} if row["outcome"] != "proved" else {}
        forged.append(json.dumps(row | lie))
    assert forged != lines[1:]
    (out / "episodes.jsonl").write_text("\n".join([lines[0], *forged, ""]))
    assert evaluate(run, theorem_file, out, "--k", "1", "--samples", "2") == 0
    assert result(out)["by_theorem"] == honest["by_theorem"]
    assert result(out)["not_verified"] > 0
    assert "claimed a proof that the replay refused" in capsys.readouterr().out


def test_other_weights_are_another_measurement(
    run: Path, theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(run, theorem_file, tmp_path / "out", "--k", "1") == 0
    weights = run / "policy" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(SystemExit) as caught:
        evaluate(run, theorem_file, tmp_path / "out", "--k", "1")
    assert caught.value.code == 2
    assert "holds an evaluation with another policy_sha256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--k", "1,0"], "k: expected positive whole numbers separated by commas"),
        (["--k", "8", "--samples", "4"], "samples: expected 0 or at least 8, got 4"),
        (["--theorems", "logik"], "did you mean 'logic'"),
        (["--policy", "./missing"], "./missing is neither a run"),
        (["--policy", "openai:m@localhost"], "expected openai:MODEL@http://host:port/v1"),
        (["--backend", "minilaen"], "did you mean 'minilean'"),
        (["--engine", "vlm"], "--engine: expected one of transformers, vllm, got 'vlm'"),
        (["--group-size", "4"], "unknown flag --group-size"),
        (["--rollout", "tree"], "unknown flag --rollout; python -m trainers.grpo or"),
        (["--temperature", "-1"], "temperature: expected a number above 0, got -1"),
    ],
)
def test_mistakes_end_with_one_line(
    run: Path,
    theorem_file: Path,
    tmp_path: Path,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        evaluate(run, theorem_file, tmp_path / "out", *words)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_wrong_set_is_told_before_torch_is_loaded(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trainers.evaluate.announce_loading", lambda: pytest.fail("too early"))
    with pytest.raises(SystemExit, match="2"):
        main(["--policy", str(run), "--theorems", "algebre:test"])
    assert capsys.readouterr().err.startswith("error: theorems: unknown theorem set 'algebre'")


def test_the_files_of_a_run_are_left_alone(
    run: Path, theorem_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit):
        evaluate(run, theorem_file, run)
    assert f"out_dir: {run} holds a run" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_run_without_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    with pytest.raises(SystemExit):
        main(["--policy", str(tmp_path)])
    assert "holds no policy" in capsys.readouterr().err


def test_an_endpoint_needs_no_torch() -> None:
    program = (
        "import sys, trainers.evaluation.run, trainers.policies.openai\n"
        "sys.exit(sorted({'torch', 'transformers'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_signal_leaves_an_evaluation_that_goes_on(run: Path, theorem_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["--policy", str(run), "--theorems", str(theorem_file), "--out-dir", str(out), "--k", "1"]
    words += ["--workers", "1", "--torch-threads", "1", "--parallel-episodes", "25"]
    process = subprocess.Popen(
        [sys.executable, "-m", "trainers.evaluate", *words, "--samples", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    log = out / "episodes.jsonl"
    while process.poll() is None and (not log.is_file() or len(log.read_text().splitlines()) < 26):
        signal.sigtimedwait([], 0.05)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT, errors
    assert "interrupted by SIGINT; the same command resumes" in output
    assert errors == ""
    assert main([*words, "--samples", "1"]) == 0
    assert result(out)["overall"]["theorems"] == 25


def test_flags_may_lean_on_what_a_preset_says(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--policy", "preset:goedel-v2=someone/model", "--theorems", "nat", "--dry-run"]
    assert main([*words, "--max-repairs", "1"]) == 1  # the model is missing
    assert " 8 episodes, at most " in (shown := capsys.readouterr().out)
    assert " attempts\n" in shown
    with pytest.raises(SystemExit) as ended:
        main(["--policy", "someone/model", "--max-repairs", "1"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: --max-repairs: expected 0, as actions is 'tactic', got 1\n"
    with pytest.raises(SystemExit):
        main(["--theorems", "nat"])
    assert (
        capsys.readouterr().err
        == "error: --policy: expected a run folder, a model or an endpoint, got none\n"
    )
