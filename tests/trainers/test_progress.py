"""`python -m trainers.progress` on the game of conftest.py, and its model in the credit of training."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lean_gym import LeanProofEnv
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.errors import ConfigError, PolicyError
from trainers.grpo import main as grpo
from trainers.learning.rows import assign_credit
from trainers.learning.values import LearnedProgress, make_value
from trainers.policies.base import Completion
from trainers.policies.progress import ProgressModel
from trainers.policies.prompts import candidate_text
from trainers.policies.transformers import TransformersPolicy
from trainers.progress import main
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup
from trainers.runtime import terminal
from trainers.runtime.signals import Interrupted, StopRequest

TINY = ("--hidden-size", "32", "--layers", "2", "--attention-heads", "2", "--vocabulary", "320")
WORDS = ("--backend", "fake", "--workers", "1", "--torch-threads", "1", *TINY)


def learn(theorem_file: Path, folder: Path, *words: str) -> int:
    return main(["--theorems", str(theorem_file), "--out-dir", str(folder), *WORDS, *words])


def read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return found


def predictions(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def learnt(theorem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a model that was trained on the reference proofs."""
    folder = tmp_path_factory.mktemp("progress") / "model"
    assert learn(theorem_file, folder, "--epochs", "60", "--learning-rate", "3e-3", "--batch-size", "8") == 0
    return folder


def test_it_learns_more_than_the_baselines(learnt: Path) -> None:
    result = read(learnt)
    assert (result["training"]["theorems"], result["held_out"]["theorems"]) == (20, 5)
    for name in ("goals", "goal_size", "mean"):
        assert result["training"]["model"]["mae"] < 0.7 * result["training"][name]["mae"]
    assert result["held_out"]["model"]["mae"] < result["held_out"]["mean"]["mae"]
    assert result["held_out"]["model"]["rank_correlation"] > 0.7
    assert result["held_out"]["mean"]["rank_correlation"] is None


def ranks(values: list[float]) -> list[float]:
    """Return average ranks, counted by hand."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def test_the_numbers_of_the_result_are_those_of_the_predictions(learnt: Path) -> None:
    rows = predictions(learnt)
    left = [row["left"] for row in rows]
    guessed = ProgressModel.load(learnt).tactics_left(["\n\n".join(row["goals"]) for row in rows])
    assert guessed == pytest.approx([row["predicted_left"] for row in rows], abs=1e-4)
    held_out = read(learnt)["held_out"]
    assert held_out["states"] == len(rows)
    mae = sum(abs(guess - true) for guess, true in zip(guessed, left, strict=True)) / len(rows)
    assert held_out["model"]["mae"] == pytest.approx(mae, abs=1e-6)
    a, b = ranks([row["predicted_left"] for row in rows]), ranks(left)
    mean = (len(rows) + 1) / 2
    both = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    norm = (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5
    assert held_out["model"]["rank_correlation"] == pytest.approx(both / norm, abs=0.01)


def test_the_held_out_theorems_are_those_of_the_test_split(learnt: Path, theorem_file: Path) -> None:
    rows = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    tested = {row["name"] for row in rows if row["split"] == "test"}
    assert {row["theorem"] for row in predictions(learnt)} == tested


def test_states_are_written_as_lean_progress_has_them(learnt: Path, theorem_file: Path) -> None:
    rows = [json.loads(line) for line in (learnt / "steps.jsonl").read_text().splitlines()]
    assert all(list(row) == ["goal", "prefix", "tactic", "steps_remaining", "theorem"] for row in rows)
    proof = json.loads(theorem_file.read_text().splitlines()[0])["proof"].splitlines()
    assert rows[0]["goal"].endswith("True ∧ True")
    assert [row["tactic"] for row in rows[: len(proof)]] == proof
    assert [row["prefix"] for row in rows[: len(proof)]] == [
        "\n".join(proof[:at]) for at in range(len(proof))
    ]
    assert [row["steps_remaining"] for row in rows[: len(proof)]] == list(range(len(proof)))[::-1]


def test_a_file_of_steps_is_trained_on_and_held_out_states_are_not(
    learnt: Path, theorem_file: Path, tmp_path: Path
) -> None:
    strange = {"goal": "⊢ Strange", "prefix": "", "tactic": "sorry", "steps_remaining": 12}
    file = tmp_path / "steps.jsonl"
    held_out_name = next(row["theorem"] for row in predictions(learnt))
    unseen = {"goal": "⊢ Unseen", "steps_remaining": 1, "theorem": held_out_name}
    file.write_text(
        "\n".join([(learnt / "steps.jsonl").read_text(), *[json.dumps(strange)] * 100, json.dumps(unseen)])
    )
    words = ("--epochs", "20", "--learning-rate", "3e-3", "--batch-size", "8", "--steps", str(file))
    assert learn(theorem_file, tmp_path / "model", *words) == 0
    with_file, without = read(tmp_path / "model"), read(learnt)
    held_out = {"\n\n".join(row["goals"]) for row in predictions(learnt)}
    rows = [json.loads(line)["goal"] for line in (learnt / "steps.jsonl").read_text().splitlines()]
    kept = sum(goal not in held_out for goal in rows)
    assert 0 < kept < len(rows)
    assert with_file["training"]["states"] == without["training"]["states"] + kept + 100
    assert with_file["held_out"]["states"] == without["held_out"]["states"]
    taught, untaught = (
        ProgressModel.load(folder).tactics_left(["⊢ Strange"])[0] for folder in (tmp_path / "model", learnt)
    )
    assert taught > untaught + 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"goal": "a"}', "line 2: steps_remaining: "),
        ('{"goal": "a", "steps_remaining": -1}', "line 2: steps_remaining: "),
        ('{"goal": "", "steps_remaining": 1}', "line 2: goal: "),
        ("{", "line 2: the row: "),
    ],
)
def test_a_file_of_steps_that_is_none_is_one_line(
    theorem_file: Path, tmp_path: Path, line: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "steps.jsonl"
    file.write_text('{"goal": "a", "steps_remaining": 0}\n' + line + "\n")
    with pytest.raises(SystemExit):
        learn(theorem_file, tmp_path / "model", "--steps", str(file))
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


def test_the_seed_decides_the_model(theorem_file: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        assert learn(theorem_file, tmp_path / name, "--epochs", "1", "--seed", seed) == 0
    texts = ["⊢ True", "⊢ False ∨ True\n\n⊢ True"]
    first, second, third = (ProgressModel.load(tmp_path / name).potentials(texts) for name in "abc")
    assert first == second != third


@pytest.mark.slow
def test_a_model_of_candidates_tells_tactics_of_one_state_apart(theorem_file: Path, tmp_path: Path) -> None:
    rows = [
        {
            "goal": f"⊢ {'True ∧ ' * at}Strange",
            "tactic": tactic,
            "steps_remaining": steps,
            "reached": steps == 0,
        }
        for at in range(8)
        for tactic, steps in (("trivial", 0), ("split", 16))
    ]
    (tmp_path / "steps.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("--steps", str(tmp_path / "steps.jsonl"), "--reads", "tactic", "--epochs", "80")
    words += ("--learning-rate", "3e-3", "--batch-size", "8", "--reference-share", "0.3")
    assert learn(theorem_file, tmp_path / "model", *words) == 0
    with pytest.raises(PolicyError, match=r"expected a model that reads goals alone, got .*--reads tactic"):
        ProgressModel.load(tmp_path / "model")
    model = ProgressModel.load(tmp_path / "model", candidates=True)
    texts = [candidate_text("⊢ Strange", "", tactic) for tactic in ("trivial", "split")]
    good, bad = model.steps_after(texts)
    assert good + 3 < bad
    # Both kinds of models say how they were trained; what was held out is measured as before.
    assert model.reads == "tactic"
    assert read(tmp_path / "model")["held_out"]["theorems"] > 0


def test_failed_episodes_teach_where_no_proof_is_reached(
    theorem_file: Path, tmp_path: Path, policy: TransformersPolicy, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.save(tmp_path / "policy")
    words = ("--policy", str(tmp_path / "policy"), "--max-tactic-tokens", "6", "--max-steps", "6")
    words += ("--epochs", "2", "--episodes", "2", "--no-train-body")
    assert learn(theorem_file, tmp_path / "model", *words) == 0
    result = read(tmp_path / "model")
    assert result["training"]["failed"] > 0
    assert "states of 50 sampled episodes" in capsys.readouterr().out
    model = ProgressModel.load(tmp_path / "model")
    assert all(0.0 < value < 1.0 for value in model.reached(["⊢ True", "⊢ False"]))
    kept = dict(policy.model.named_parameters())
    assert all(value.equal(kept[name]) for name, value in model.model.named_parameters())


def test_found_proofs_are_replayed(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    found = [{"name": row["name"], "tactics": row["proof"].split("\n")} for row in rows]
    found.append({"name": "t0", "tactics": ["trivial"]})
    (tmp_path / "proofs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    words = ("--proofs", str(tmp_path / "proofs.jsonl"), "--reference-share", "0", "--epochs", "1")
    assert learn(theorem_file, tmp_path / "model", *words) == 0
    assert read(tmp_path / "model")["training"]["theorems"] == 20
    assert "not accepted by the prover, left out: t0" in capsys.readouterr().out


def test_replaying_the_proofs_is_not_silent(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = []
    monkeypatch.setattr(terminal, "LONGEST_SILENCE", 0.01)
    monkeypatch.setattr(terminal.Bars, "advance", lambda _, task: counted.append(task))
    assert learn(theorem_file, tmp_path / "model", "--epochs", "1") == 0
    total = re.search(r"replaying proofs 0/(\d+)", capsys.readouterr().out)
    assert total is not None
    assert len(counted) == int(total[1])


def test_an_interruption_writes_nothing(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(_: StopRequest) -> None:
        raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", stop)
    assert learn(theorem_file, tmp_path / "model") == 128 + 15
    assert "interrupted by SIGTERM; nothing is written" in capsys.readouterr().out
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--episodes", "2"], "--episodes: expected 0 without a policy"),
        (["--longest", "1"], "--longest: expected a whole number at least 2, got 1"),
        (["--reference-share", "0"], "proofs: there are none"),
        (["--proofs", "missing.jsonl"], "proofs: cannot read missing.jsonl"),
        (["--policy", "openai:m@http://localhost:1/v1"], "policy: expected a run or a model"),
        (["--policy", "./missing"], "policy: ./missing is neither a run"),
        (["--out-dir", "."], "out_dir: expected a new or empty folder, got ."),
    ],
)
def test_mistakes_end_with_one_line(
    words: list[str], message: str, theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        learn(theorem_file, tmp_path / "model", *words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def goals_of(prompt: int) -> tuple[str, ...]:
    return {1: ("⊢ True ∧ True",), 2: ("⊢ True", "⊢ True"), 3: ("⊢ True",)}[prompt]


def step(prompt: int, reward: float = 0.0) -> Step[Completion]:
    completion = Completion((prompt,), (prompt,), (-1.0,), "t")
    return Step("", completion, reward, False, open_goals=goals_of(prompt))


GROUP = TrajectoryGroup(
    "t",
    (Trajectory("t", [step(1), step(2), step(3, 1.0)]), Trajectory("t", [step(1), step(2), step(2)])),
)


def credits(folder: Path) -> list[float]:
    settings = CreditConfig(credit="td", value="progress", progress_model=str(folder), td_lambda=0.5)
    found = assign_credit([GROUP], create_algorithm("grpo", group_size=2), settings, max_steps=4)
    return [sample.advantage for sample in found.samples]


def test_the_credit_of_steps_follows_the_model(learnt: Path, theorem_file: Path, tmp_path: Path) -> None:
    assert learn(theorem_file, tmp_path / "other", "--epochs", "1", "--seed", "1") == 0
    assert credits(learnt) == credits(learnt)
    assert credits(learnt) != pytest.approx(credits(tmp_path / "other"), abs=1e-3)


def test_each_text_is_computed_once(learnt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    whole = ProgressModel.potentials

    def potentials(model: ProgressModel, texts: list[str]) -> list[float]:
        asked.extend(texts)
        return whole(model, texts)

    monkeypatch.setattr(ProgressModel, "potentials", potentials)
    value = LearnedProgress(ProgressModel.load(learnt))
    first = value([("⊢ True",), ("⊢ True", "⊢ True"), ("⊢ True",), ()])
    assert asked == ["⊢ True", "⊢ True\n\n⊢ True"]
    assert first[0] == first[2] and first[3] == 1.0
    assert first[1] < first[0]
    assert value([("⊢ True",)]) == [first[0]]
    assert len(asked) == 2


def test_the_reward_takes_the_model_by_its_folder(learnt: Path, theorem_file: Path) -> None:
    options = {"potential": "trainers.learning.values:ProgressFolder", "options": {"folder": str(learnt)}}
    model = ProgressModel.load(learnt)
    with LeanProofEnv(
        str(theorem_file), "fake", "progress", reward_options={**options, "weight": 0.5}
    ) as env:
        start, _ = env.reset(options={"theorem": "t0"})
        after, reward, *_ = env.step("split")
        before, then = model.potentials([start, after])
        assert reward == pytest.approx(0.5 * (then - before), abs=1e-4)
        assert reward != 0.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"credit": "td", "value": "progress"},
            "progress_model: expected a folder of python -m trainers.pro",
        ),
        ({"credit": "td", "progress_model": "a"}, "progress_model: expected the value 'progress' beside it"),
        ({"value": "progress", "progress_model": "a"}, "value: expected the credit 'td' beside it, not 'epi"),
    ],
)
def test_the_settings_of_the_value_belong_together(values: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CreditConfig(**values)


def test_a_wrong_folder_is_one_line_before_the_run(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PolicyError, match="expected a folder that python"):
        make_value(CreditConfig(credit="td", value="progress", progress_model=str(tmp_path)))
    words = ["--credit", "td", "--value", "progress", "--progress-model", str(tmp_path)]
    with pytest.raises(SystemExit):
        grpo(["--theorems", str(theorem_file), "--run-dir", str(tmp_path / "run"), *WORDS, *words])
    assert capsys.readouterr().err.startswith("error: progress_model: expected a folder")
    assert not (tmp_path / "run").exists()


def test_a_run_trains_with_it(theorem_file: Path, tmp_path: Path, learnt: Path) -> None:
    words = ["--credit", "td", "--value", "progress", "--progress-model", str(learnt), "--no-automation"]
    words += ["--max-iterations", "1", "--theorems-per-iteration", "2", "--group-size", "2"]
    words += ["--warm-start-epochs", "1", "--max-tactic-tokens", "6", "--max-steps", "4"]
    folder = tmp_path / "run"
    assert grpo(["--theorems", str(theorem_file), "--run-dir", str(folder), *WORDS, *words]) == 0
    assert (folder / "summary.json").is_file()
