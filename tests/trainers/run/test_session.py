"""Whole runs on the game: their files, that they learn, and that an interruption does not change the results."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2

from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem
from lean_gym.verification.canaries import CANARY_DOMAIN
from trainers.config.files import read_file
from trainers.config.run import LearnerConfig, RunConfig
from trainers.curriculum.theorems import select_theorems
from trainers.errors import ConfigError, PolicyError
from trainers.grpo import main
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.run.checkpoint import load_checkpoint
from trainers.run.loop import TrainingRun
from trainers.run.models import choose_compute_dtype
from trainers.run.session import make_algorithm, opened_env
from trainers.runtime.signals import Interrupted, StopRequest

SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 3,
    "checkpoint_every": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {
        "proof_share": 0.25,
        "warm_start_epochs": 12,
        "warm_start_learning_rate": 5e-3,
        "warm_start_batch": 4,
    },
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 8, "max_tactic_tokens": 8},
    "learner": {
        "learning_rate": 1e-3,
        "learning_rate_floor": 1.0,
        "minibatches": 2,
        "batch_tokens": 2048,
    },
    "algo": {"algo_config": {"beta": 0.01}},  # with the start policy, which a resumed run must load
    # Another prover process for a moment; the test of what a run writes switches it on.
    "evaluation": {"automation": False},
}
pytestmark = pytest.mark.usefixtures("no_workers")


@pytest.fixture(scope="module")
def config_file(tmp_path_factory: pytest.TempPathFactory, theorem_file: Path) -> Path:
    path = tmp_path_factory.mktemp("settings") / "settings.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    return path


def run(config_file: Path, folder: Path, *words: str) -> int:
    return main(["--config", str(config_file), "--run-dir", str(folder), *words])


def weights(folder: Path) -> list[torch.Tensor]:
    model, _ = load_pretrained(str(folder / "policy"))
    return list(model.parameters())


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    events = EventAccumulator(str(folder))
    events.Reload()
    # Sorted, as files that two parts of a run begin within one second come in no fixed order.
    return {tag: sorted((e.step, e.value) for e in events.Scalars(tag)) for tag in events.Tags()["scalars"]}


def test_the_charts_of_tensorboard_show_scalars_that_exist(
    config_file: Path, tmp_path: Path, documented: dict[str, str]
) -> None:
    assert run(config_file, tmp_path / "run") == 0
    events = EventAccumulator(str(tmp_path / "run")).Reload()
    [stored] = events.Tensors("custom_scalars__config__")
    layout = layout_pb2.Layout.FromString(stored.tensor_proto.string_val[0])
    charts = {chart.title: list(chart.multiline.tag) for part in layout.category for chart in part.chart}
    recorded = events.Tags()["scalars"]
    for title, patterns in charts.items():
        assert any(re.match(pattern, name) for pattern in patterns for name in recorded), f"{title} is empty"
    patterns = [pattern for own in charts.values() for pattern in own]
    assert len(patterns) >= 10
    names = [name.replace("TERM", "proof").replace("at_K", "at_4") for name in documented]
    for pattern in patterns:
        assert any(re.match(pattern, name) for name in names), pattern


def test_event_files_of_someone_else_in_the_folder_stay(config_file: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "run" / "events.out.tfevents.1.elsewhere"
    foreign.parent.mkdir()
    foreign.write_bytes(b"keep")
    assert run(config_file, foreign.parent) == 0
    assert main(["--resume", str(foreign.parent), "--max-iterations", "5"]) == 0
    assert foreign.read_bytes() == b"keep"


def test_a_run_writes_what_it_promises(
    config_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    documented: dict[str, str],
) -> None:
    monkeypatch.undo()  # `no_workers`
    folder = tmp_path / "run"
    words = [
        "--seed",
        "5",
        "--eval-every",
        "2",
        "--reward",
        "shaped",
        "--automation",
        "--credit",
        "gigpo",
        "--group-size",
        "8",
    ]
    assert run(config_file, folder, *words) == 0

    summary = json.loads((folder / "summary.json").read_text())
    assert list(summary) == [
        *("seed", "backend", "sandbox", "seconds", "eval", "held_out", "automation", "new_proofs"),
        *("new_proofs_with_automation", "held_out_proofs", "held_out_proofs_with_automation", "tactics"),
    ]
    # No script of the list is a proof in the toy logic, whose own proofs all end with `trivial`.
    assert summary["automation"] == {"best": 0.0, "any": 0.0}
    assert summary["new_proofs_with_automation"] == 1.0
    assert summary["held_out"]["theorems"] == 5
    assert all(theorem.split == "test" for theorem in load_theorems(summary["held_out"]["set"]))
    assert (summary["seed"], summary["backend"], summary["sandbox"]) == (5, "fake", None)
    assert list(summary["seconds"]) == ["total", "warm_start", "train", "eval"]
    parts = [summary["seconds"][name] for name in ("warm_start", "train", "eval")]
    assert min(parts) > 0.0
    assert sum(parts) <= summary["seconds"]["total"] + 0.1
    assert list(summary["eval"]) == ["before", "after"]
    for rates in summary["eval"].values():
        assert list(rates) == ["pass@1", "pass@8"]
        assert 0.0 <= rates["pass@1"] <= rates["pass@8"] <= 1.0

    proofs = [json.loads(line) for line in (folder / "proofs.jsonl").read_text().splitlines()]
    parts = [proof["part"] for proof in proofs]
    assert parts.count("training") == summary["new_proofs"] > 0
    assert parts.count("held out") == summary["held_out_proofs"] > 0
    assert len(proofs) == summary["new_proofs"] + summary["held_out_proofs"]
    shown = load_checkpoint(folder / "checkpoint.pt")[0].shown
    assert len(shown) == 5
    for proof in proofs:
        assert proof["name"] not in shown
        assert (proof["part"] == "held out") == (proof["split"] == "test")
        assert proof["statement"].startswith(f"theorem {proof['name']} :")
        assert proof["tactics"]
        assert proof["axioms"] == []

    found = scalars(folder)
    assert {"reward/proof", "reward/goals"} <= set(found)
    general = dict.fromkeys(("reward/proof", "reward/goals"), "reward/TERM")
    general["proof/pass_at_8"] = "proof/pass_at_K"
    known = {general.get(name, name) for name in found}
    elsewhere = {"expert iteration", "where an engine, 16 bits or older weights sample"}
    flags = ("--staleness", "--credit vine", "--ewc", "--target-kl", "off_policy_mask_threshold")
    elsewhere |= {f"where `{flag}` is used" for flag in flags}
    assert summary["tactics"] == sum(value for _, value in found["rollout/tactics"])
    assert known == {name for name, when in documented.items() if when not in elsewhere}
    assert all(math.isfinite(value) for points in found.values() for _, value in points)
    # An iteration's counts exclude warm start and evaluations.
    assert found["pool/workers"] == [(1, 1.0), (2, 1.0), (3, 1.0)]
    pool, tried = dict(found["pool/tactics"]), dict(found["rollout/tactics"])
    canaries = 2 * 8  # two episodes that fail
    assert [pool[step] for step in (2, 3)] == [tried[step] + canaries for step in (2, 3)]
    # The first iteration replays the five proofs shown, which are imitated beside the loss.
    assert tried[1] + canaries + 5 <= pool[1] <= tried[1] + canaries + 5 * 8
    assert [step for step, _ in found["proof/solve_rate"]] == [1, 2, 3]
    assert [step for step, _ in found["eval/pass_at_1"]] == [0, 2, 3]
    assert found["eval/automation_any"] == found["eval/automation_best"] == [(0, 0.0), (2, 0.0), (3, 0.0)]
    assert found["eval/pass_at_1"][-1][1] == pytest.approx(summary["eval"]["after"]["pass@1"])

    # Measurements prove held-out theorems, which the curve of the new proofs does not count.
    found_in = [proof["iteration"] for proof in proofs if proof["part"] == "training"]
    assert found["proof/new"] == [(n, sum(at <= n for at in found_in)) for n in (1, 2, 3)]
    found_in = [proof["iteration"] for proof in proofs if proof["part"] == "held out"]
    assert found["eval/proved"] == [(n, sum(at <= n for at in found_in)) for n in (0, 2, 3)]

    measured = [json.loads(line) for line in (folder / "measurements.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in measured] == [0] * 5 + [2] * 5 + [3] * 5
    for iteration, rate in found["eval/pass_at_1"]:
        own = [row["proved"] / row["episodes"] for row in measured if row["iteration"] == iteration]
        assert sum(own) / 5 == pytest.approx(rate)
    steps = [step for row in measured for episode in row["kept"] for step in episode["steps"]]
    assert any(step["refused"] for step in steps)
    assert all(bool(step.get("message")) == step["refused"] for step in steps)
    for proof in proofs:
        assert len(proof["goals"]) == len(proof["tactics"])
        assert "⊢" in proof["goals"][0]

    facts = json.loads((folder / "run.json").read_text())
    assert {"torch", "python", "git", "theorems_sha256", "seed", "backend", "command"} <= set(facts)
    output = capsys.readouterr().out
    assert "warm start on 5 of 20 training proofs (25%)" in output
    assert "held-out theorems" in output
    assert "automation, any script" in output
    assert f"new proofs, each verified: {summary['new_proofs']} (100% of them use automation)" in output
    assert f"held-out theorems proved, each verified: {summary['held_out_proofs']} (100%" in output
    assert re.search(
        r"training 3/3  solved \d+% [▁-█]{3}  new proofs \d+ \(last \w+\)  \d+ tactics/s", output
    )
    assert output.count("measuring held-out theorems 40/40") == 3


def test_what_automation_proves_can_be_left_out(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainers.run.loop.measure_automation", lambda *_: pytest.fail("it was measured"))
    folder = tmp_path / "run"
    words = ("--no-automation", "--held-out", "validation", "--max-iterations", "1")
    assert run(config_file, folder, *words) == 0
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["automation"] is None
    assert summary["held_out"] == {"set": str(folder / "held_out.jsonl"), "theorems": 4}
    assert len(load_theorems(summary["held_out"]["set"])) == 4
    assert "eval/automation_best" not in scalars(folder)
    assert "automation, best script" not in capsys.readouterr().out


def test_forbidden_tactics_prove_nothing(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run(config_file, folder, "--max-iterations", "1", "--forbid", "automation") == 0
    summary = json.loads((folder / "summary.json").read_text())
    # Every proof of the toy logic ends with `trivial`, which is on the list.
    assert summary["eval"]["after"] == {"pass@1": 0.0, "pass@8": 0.0}
    assert (summary["new_proofs"], summary["new_proofs_with_automation"]) == (0, None)


def test_a_wrong_word_to_forbid_is_one_line(config_file: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        run(config_file, tmp_path / "run", "--forbid", "simp,,omega")
    assert ended.value.code == 2


def test_vine_rollouts_count_and_a_budget_of_tactics_ends_the_run(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ["--credit", "vine", "--vine-rollouts", "2", "--vine-tactics", "60", "--max-tactics", "200"]
    words += ["--learning-rate-floor", "0.1", "--warmup-steps", "0"]
    assert run(config_file, folder, *words, "--max-iterations", "50") == 0
    found = scalars(folder)
    sampled = [value for _, value in found["rollout/tactics"]]
    assert sum(sampled[:-1]) < 200 <= sum(sampled)
    # The rate falls with the tactics, of which far more than one fiftieth is sampled in an iteration.
    rates = [value for _, value in found["policy/learning_rate"]]
    before = [sum(sampled[:number]) / 200 for number in range(len(sampled))]
    assert len(rates) >= 2
    assert rates == pytest.approx([1e-3 * (1 - 0.9 * share) for share in before], rel=1e-4)
    assert json.loads((folder / "summary.json").read_text())["tactics"] == sum(sampled)
    vines = [value for _, value in found["vine/tactics"]]
    assert 0 < max(vines) <= 60
    assert max(value for _, value in found["vine/states"]) > 1
    assert all(0 < own < both for own, both in zip(vines, sampled, strict=True))
    # Continued without a limit on iterations, it is still at the end of its budget.
    assert main(["--resume", str(folder)]) == 0
    assert scalars(folder)["rollout/tactics"] == found["rollout/tactics"]


def test_a_run_is_repeated_from_its_folder(config_file: Path, tmp_path: Path) -> None:
    assert run(config_file, tmp_path / "one", "--seed", "3") == 0
    assert run(tmp_path / "one" / "config.yaml", tmp_path / "two") == 0
    assert all(map(torch.equal, weights(tmp_path / "one"), weights(tmp_path / "two")))
    one, two = (scalars(tmp_path / name)["reward/mean"] for name in ("one", "two"))
    assert one == two


@pytest.mark.slow  # examples/06 and the notebook are held to the same
def test_it_learns(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert (
        run(config_file, folder, "--max-iterations", "40", "--theorems-per-iteration", "8", "--seed", "1")
        == 0
    )
    solved = [value for _, value in scalars(folder)["proof/solve_rate"]]
    assert sum(solved[-5:]) / 5 > sum(solved[:5]) / 5 + 0.25
    rates = json.loads((folder / "summary.json").read_text())["eval"]
    assert rates["after"]["pass@1"] > rates["before"]["pass@1"] + 0.15


@pytest.fixture(scope="module")
def whole(config_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run(config_file, folder) == 0
    return folder


# The checks fall into the warm start, the first evaluation, the iterations and the last evaluation.
@pytest.mark.parametrize(
    "stop_at", [8, 40, *(pytest.param(each, marks=pytest.mark.slow) for each in (20, 55))]
)
def test_an_interruption_changes_nothing(
    config_file: Path, whole: Path, tmp_path: Path, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) == stop_at:
            raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", check)
    broken = tmp_path / "broken"
    assert run(config_file, broken) == 128 + 15
    assert not (broken / "summary.json").exists()
    stage = load_checkpoint(broken / "checkpoint.pt")[0].stage
    assert main(["--resume", str(broken)]) == 0

    assert all(map(torch.equal, weights(whole), weights(broken))), stage
    results = [json.loads((folder / "summary.json").read_text()) for folder in (whole, broken)]
    assert results[0]["eval"] == results[1]["eval"]
    assert (whole / "proofs.jsonl").read_text() == (broken / "proofs.jsonl").read_text()
    for tag in ("reward/mean", "policy/kl", "proof/solve_rate"):
        assert scalars(whole)[tag] == scalars(broken)[tag]


def test_a_finished_run_can_be_extended(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run(config_file, folder, "--max-iterations", "1") == 0
    assert main(["--resume", str(folder), "--max-iterations", "2"]) == 0
    assert load_checkpoint(folder / "checkpoint.pt")[0].iteration == 2


def test_a_saved_policy_is_a_model_like_any_other(config_file: Path, tmp_path: Path) -> None:
    assert run(config_file, tmp_path / "one", "--max-iterations", "0") == 0
    words = ["--model", str(tmp_path / "one" / "policy"), "--max-iterations", "1", "--warm-start-epochs", "0"]
    assert run(config_file, tmp_path / "two", *words) == 0
    before = json.loads((tmp_path / "one" / "summary.json").read_text())["eval"]["after"]
    assert json.loads((tmp_path / "two" / "summary.json").read_text())["eval"]["before"] == before


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_the_policy_is_stored_in_the_precision_of_its_model(
    config_file: Path, tmp_path: Path, policy: TransformersPolicy, dtype: torch.dtype
) -> None:
    policy.model.to(dtype)
    policy.save(tmp_path / "model")
    words = ["--config", str(config_file), "--model", str(tmp_path / "model"), "--max-iterations", "1"]
    folder = tmp_path / "run"
    assert main([*words, "--run-dir", str(folder)]) == 0
    found, _ = load_pretrained(str(folder / "policy"))
    trained = torch.load(folder / "checkpoint.pt", weights_only=False)["learner"]["model"]
    assert found.dtype == dtype
    assert json.loads((folder / "policy" / "config.json").read_text())["dtype"] == str(dtype)[6:]
    kept = found.state_dict()
    assert kept.keys() <= trained.keys()
    for name, weight in kept.items():  # the run itself goes on in 32 bits
        assert trained[name].dtype == torch.float32
        assert torch.equal(trained[name].to(dtype), weight)
    size = (folder / "policy" / "model.safetensors").stat().st_size
    assert size < 1.2 * dtype.itemsize * found.num_parameters()
    assert main(["--resume", str(folder), "--max-iterations", "2"]) == 0
    again, _ = load_pretrained(str(folder / "policy"))
    assert again.dtype == dtype
    assert not torch.equal(again.get_input_embeddings().weight, found.get_input_embeddings().weight)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--theorems", "logik"], "did you mean 'logic'"),
        (["--theorems", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (["--model", "./missing"], "cannot load the model './missing': no such folder"),
        (["--algorithm", "grp"], "unknown algorithm 'grp'; did you mean 'grpo'"),
        (["--algo-config", '{"betta": 1}'], "unknown setting of grpo 'betta'; did you mean 'beta'"),
        (["--env", "LeanProof-v9"], "LeanProof-v9"),
        (["--backend", "minilaen"], "did you mean 'minilean'"),
        (["--reward", "shapd"], "did you mean 'shaped'"),
        (["--reward", "no_such_module:f"], "cannot import 'no_such_module'"),
        (["--reward", "efficiency", "--reward-options", '{"wieght": 1}'], "did you mean 'weight'"),
        (["--reward", "novelty:0.3+shapd"], "did you mean 'shaped'"),
        (["--reward", "binary:0.3"], "unknown option of reward 'binary': 'weight'"),
        (["--reward-schedule", "0:novelty,zwei:binary"], "got the entry 'zwei:binary'"),
        (["--reward-schedule", "30:novelty,3:binary"], "expected ascending iterations, got 3 after 30"),
        (["--reward-schedule", "1:shapd"], "reward_schedule: unknown reward 'shapd'; did you mean 'shaped'"),
        (["--reward", "judge"], "missing a required argument: 'url'"),
        (["--learning-rate", "inf"], "--learning-rate: expected a finite number above 0, got inf"),
        (["--config", "missing.yaml"], "cannot read the settings file missing.yaml"),
        (["--resume", "missing"], "--resume missing: no run to go on with"),
    ],
)
def test_mistakes_end_with_one_line(
    config_file: Path, tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    known = (
        []
        if words[0] in ("--config", "--resume")
        else ["--config", str(config_file), "--run-dir", str(folder)]
    )
    with pytest.raises(SystemExit) as caught:
        main([*known, *words])
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not folder.exists()


def test_a_theorem_that_does_not_start_is_named(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"name": "odd", "statement": "theorem odd", "context": "", "imports": []}\n')
    with pytest.raises(SystemExit) as caught:
        run(config_file, tmp_path / "run", "--theorems", str(bad))
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert "odd" in error
    assert error.count("\n") == 1


def test_a_folder_with_a_run_is_not_written_over(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    with pytest.raises(SystemExit):
        run(config_file, tmp_path)
    assert "holds a run already; resume it with --resume" in capsys.readouterr().err
    assert RunConfig(**read_file(tmp_path / "config.yaml")).seed == 1


def test_config_errors_are_value_errors() -> None:
    assert issubclass(ConfigError, ValueError)


def test_an_algorithm_knows_what_rollouts_decide() -> None:
    def made(name: str, **options: Any) -> Any:
        values = {"rollout": {"group_size": 5, "max_tactic_tokens": 7}}
        algo = {"algorithm": name, "algo_config": options}
        return make_algorithm(RunConfig(**(values | {"algo": algo}))).settings

    assert (made("dr_grpo").group_size, made("dr_grpo").max_completion_tokens) == (5, 7)
    assert made("dr_grpo", max_completion_tokens=3000).max_completion_tokens == 3000
    assert made("grpo").group_size == 5


@pytest.mark.parametrize("name", ["sync_ref_model", "offload_ref_model"])
def test_a_start_policy_that_is_not_used_cannot_follow(name: str) -> None:
    follows = LearnerConfig(**{name: True})
    with pytest.raises(ConfigError, match=f"{name}: expected false with grpo and beta 0"):
        make_algorithm(RunConfig(learner=follows))
    assert make_algorithm(RunConfig(learner=follows, algo={"algo_config": {"beta": 0.1}})).needs_reference


def test_computing_in_16_bits_is_for_gpus_that_can_and_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert choose_compute_dtype("auto", cpu) is None
    assert choose_compute_dtype("bf16", cpu) is torch.bfloat16
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert choose_compute_dtype("auto", gpu) is torch.bfloat16
    assert choose_compute_dtype("fp32", gpu) is None
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert choose_compute_dtype("auto", gpu) is None
    with pytest.raises(ConfigError, match="precision: expected fp32 or auto, got 'bf16'"):
        choose_compute_dtype("bf16", gpu)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lora": "r=4,dropout=0.1"}, "lora: expected no dropout"),
        ({"lora": "q=4"}, "lora: unknown setting 'q'"),
        ({"load_in_4bit": True}, "load_in_4bit: expected a lora as well"),
        ({"load_in_4bit": True, "lora": "r=4"}, "load_in_4bit: expected a pretrained --model"),
        ({"sync_ref_model": True, "lora": "r=4"}, "sync_ref_model: expected false with a lora"),
        ({"offload_ref_model": True, "lora": "r=4"}, "offload_ref_model: expected false with a lora"),
        ({"precision": "fp16"}, "precision: expected one of auto, fp32, bf16, got 'fp16'"),
    ],
)
def test_settings_of_the_learner_that_do_not_go_together(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RunConfig(learner=LearnerConfig(**values))


@pytest.mark.parametrize(("target", "code"), [("False ∨ False", 0), ("True ∨ True", 3)])
def test_a_canary_that_is_proved_stops_the_run(
    config_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    code: int,
) -> None:
    canary = Theorem("canary", f"theorem canary : {target}", domain=CANARY_DOMAIN)
    for module in ("run.session", "run.loop"):
        monkeypatch.setattr(f"trainers.{module}.canary_theorems", lambda: (canary,))
    assert run(config_file, tmp_path / "run", "--canaries", "1", "--max-iterations", "6") == code
    output = " ".join(capsys.readouterr().out.split())
    assert ("ALARM: the false theorem 'canary' was accepted as proved" in output) == (code == 3)
    assert (tmp_path / "run" / "checkpoint.pt").is_file()


def test_a_run_without_its_policy_does_not_go_on(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert run(config_file, folder, "--max-iterations", "0") == 0
    shutil.rmtree(folder / "policy")
    with pytest.raises(SystemExit):
        main(["--resume", str(folder)])
    assert capsys.readouterr().err.startswith(f"error: --resume {folder}: the run has no folder policy")
    with pytest.raises(SystemExit):
        run(config_file, tmp_path / ("a" * 300))
    assert "File name too long" in capsys.readouterr().err


def test_rewards_are_chosen_with_their_options(
    config_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scorers.py").write_text(
        "def tries(step, cost):\n    return -cost * (step.step < 8)\n\ndef broken(step):\n    return {}['k']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    parts = {"efficiency": {"weight": 0.25}, "scorers:tries": {"cost": 0.125}}
    options = ["--reward-options", json.dumps({"parts": parts})]
    assert run(config_file, tmp_path / "run", "--reward", "composite", *options, "--max-iterations", "1") == 0
    found = {name: values[0][1] for name, values in scalars(tmp_path / "run").items()}
    earned = ("proof", "efficiency", "tries")
    assert found["reward/mean"] == pytest.approx(sum(found[f"reward/{name}"] for name in earned))
    assert found["reward/tries"] <= -0.125 * 2  # no theorem of the game takes less than three tactics
    assert main(["--resume", str(tmp_path / "run"), "--max-iterations", "2"]) == 0

    capsys.readouterr()
    with pytest.raises(SystemExit):
        run(config_file, tmp_path / "broken", "--reward", "scorers:broken")
    error = capsys.readouterr().err
    assert "reward 'broken' failed on a step" in error
    assert "KeyError: 'k'" in error
    assert error.count("\n") == 1


def test_trees_of_several_steps_of_history_in_cohorts(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = [
        "--rollout",
        "tree",
        "--branch-size",
        "2",
        "--history",
        "2",
        "--cohorts",
        "2",
        "--save-trajectories",
    ]
    assert run(config_file, folder, *words) == 0
    assert sum(value for _, value in scalars(folder)["group/branches"]) > 0
    rows = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]
    assert {row["iteration"] for row in rows} == {1, 2, 3}
    assert any(step["shown"].startswith("-- ") for row in rows for step in row["steps"])
    for row in rows:
        assert row["return"] == pytest.approx(sum(step["reward"] for step in row["steps"]))
        assert all(len(step["token_ids"]) == len(step["logprobs"]) for step in row["steps"])


@pytest.mark.parametrize("failure", [PolicyError("the server is gone"), ConfigError("cannot write x: full")])
def test_a_run_that_fails_says_how_to_go_on(
    config_file: Path,
    tmp_path: Path,
    failure: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "run"
    plain = TrainingRun._iteration

    def fail(self: TrainingRun, *given: Any) -> str:
        if self.state.iteration == 1:
            raise failure
        return plain(self, *given)

    monkeypatch.setattr(TrainingRun, "_iteration", fail)
    words = ["--config", str(config_file), "--run-dir", str(folder), "--save-trajectories"]
    with pytest.raises(SystemExit):
        main(words)
    shown = capsys.readouterr()
    assert (
        f"to resume from its last checkpoint: python -m trainers.grpo --resume {folder}"
        in shown.out.replace("\n", "")
    )
    assert shown.err == f"error: {failure}\n"
    # After a failure of sampling the checkpoint is current; after a failure of writing it is the previous one.
    done = 1 if isinstance(failure, PolicyError) else 0
    assert load_checkpoint(folder / "checkpoint.pt")[0].iteration == done
    monkeypatch.undo()
    with (folder / "trajectories.jsonl").open("a") as file:
        file.write('{"iteration": 2, "cut o')
    assert main(["--resume", str(folder), "--max-iterations", "2"]) == 0
    rows = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [1] * 16 + [2] * 16


def test_each_of_several_processes_needs_its_number_of_workers_of_a_cluster() -> None:
    config = RunConfig(theorems="logic", env={"pool": "ray"})
    split = select_theorems(config.theorems, config.evaluation.held_out)
    processes: Any = SimpleNamespace(count=2, local_count=2)
    message = "workers: got 0, expected the number for each of the 2 processes with pool 'ray'"
    with pytest.raises(ConfigError, match=message), opened_env(config, split, processes):
        pass
