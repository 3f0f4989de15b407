from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from torch import Tensor

from trainers.algorithms import create_algorithm
from trainers.config.lora import parse_lora
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, WarmStartConfig
from trainers.errors import PolicyError
from trainers.grpo import main
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.adapters import Adapter, base_of_adapter
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.runtime.signals import Interrupted, StopRequest

pytest.importorskip("peft")

GOALS = ["⊢ True ∧ True", "⊢ False ∨ True", "⊢ True"]


@pytest.fixture
def base(policy: TransformersPolicy, tmp_path: Path) -> Path:
    """The trained tiny policy in a folder."""
    policy.save(tmp_path / "base")
    return tmp_path / "base"


def adapted(base: Path, words: str = "r=4,alpha=8") -> TransformersPolicy:
    model, tokenizer = load_pretrained(str(base))
    settings = parse_lora(words)
    assert settings is not None
    adapter = Adapter(model, settings, str(base), seed=0)
    return TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=6), adapter)


def scores(policy: TransformersPolicy) -> Tensor:
    pairs = [(policy.encode_prompt(goal), policy.encode_tactic("trivial")) for goal in GOALS]
    with torch.no_grad():
        return policy.score(build_batch(pack_rows(pairs, share_prompts=True))).logprobs


def learner(policy: TransformersPolicy, beta: float = 0.1) -> Learner:
    return Learner(policy, create_algorithm("grpo", beta=beta), LearnerConfig(learning_rate=1e-2))


def train(made: Learner) -> dict[str, float]:
    with made.policy.seeded(5):
        drawn = made.policy.sample(GOALS * 3)
    rows = [Sample(c.prompt_ids, c.token_ids, c.logprobs, 0.5 - i % 2) for i, c in enumerate(drawn)]
    return made.update(rows, 0.0, torch.Generator().manual_seed(0))


def test_only_the_adapter_is_trained_and_at_first_it_changes_nothing(
    policy: TransformersPolicy, base: Path
) -> None:
    made = adapted(base)
    assert torch.allclose(scores(made), scores(policy), atol=1e-6)
    trainable = {name for name, p in made.model.named_parameters() if p.requires_grad}
    assert trainable
    assert all("lora_" in name for name in trainable)
    # every linear layer of a block but not the output
    assert not any("lm_head" in name or "embed" in name for name in trainable)
    frozen = {n: p.clone() for n, p in made.model.named_parameters() if not p.requires_grad}
    train(learner(made))
    assert not torch.allclose(scores(made), scores(policy), atol=1e-3)
    assert all(torch.equal(p, frozen[n]) for n, p in made.model.named_parameters() if n in frozen)


def test_the_start_policy_is_the_model_with_the_adapter_off(policy: TransformersPolicy, base: Path) -> None:
    made = adapted(base)
    trainer = learner(made)
    train(trainer)
    assert made.adapter is not None
    after = scores(made)
    with made.adapter.start_policy():
        assert torch.allclose(scores(made), scores(policy), atol=1e-6)
    assert torch.equal(scores(made), after)
    assert all(p.requires_grad for n, p in made.model.named_parameters() if "lora_" in n)
    # the KL term uses it: a second model instead gives the same gradient
    second = copy.deepcopy(policy.model).requires_grad_(False)
    other = adapted(base)
    other_trainer = learner(other)
    other_trainer.load_state_dict(copy.deepcopy(trainer.state_dict()))
    other_trainer._reference = lambda batch: other.score(batch, second).logprobs.detach()  # type: ignore[method-assign]
    ours, theirs = train(trainer), train(other_trainer)
    assert ours["kl"] > 0.0
    assert ours == pytest.approx(theirs, rel=1e-4)


def test_the_start_policy_after_a_warm_start_is_what_that_left(base: Path, tmp_path: Path) -> None:
    made = adapted(base)
    trainer = learner(made)
    pairs = [(made.encode_prompt(goal), made.encode_tactic("trivial")) for goal in GOALS]
    settings = WarmStartConfig(warm_start_learning_rate=1e-2, warm_start_batch=1)
    trainer.imitate(pairs, settings.imitation, 5, torch.Generator().manual_seed(0))
    made.save(tmp_path / "start")
    left = scores(made)
    assert made.adapter is not None
    made.adapter.load_start(tmp_path / "start")
    trainer.reset_optimizer()
    train(trainer)
    assert not torch.allclose(scores(made), left, atol=1e-3)
    with made.adapter.start_policy():
        assert torch.allclose(scores(made), left, atol=1e-6)
    # the copy is neither trained nor saved
    assert not any(p.requires_grad for n, p in made.model.named_parameters() if ".start." in n)
    assert not any("start" in name for name in made.adapter.state_dict())
    made.save(tmp_path / "end")
    model, tokenizer = load_pretrained(str(tmp_path / "end"))
    assert torch.allclose(
        scores(TransformersPolicy(model, tokenizer, RolloutConfig())), scores(made), atol=1e-5
    )


def test_an_adapter_never_trained_as_start_is_no_adapter(base: Path, tmp_path: Path) -> None:
    made = adapted(base)
    made.save(tmp_path / "start")
    assert made.adapter is not None
    made.adapter.load_start(tmp_path / "start")
    assert list(made.model.peft_config) == ["default"]


def test_a_saved_adapter_is_small_and_loads_as_a_whole_model(base: Path, tmp_path: Path) -> None:
    made = adapted(base)
    train(learner(made))
    made.save(tmp_path / "policy")
    names = {path.name for path in (tmp_path / "policy").iterdir()}
    assert {"adapter_config.json", "adapter_model.safetensors", "tokenizer.json", "README.md"} <= names
    assert "model.safetensors" not in names
    note = (tmp_path / "policy" / "README.md").read_text()
    assert str(base) in note
    assert "AutoPeftModelForCausalLM" in note
    assert base_of_adapter(tmp_path / "policy") == str(base)
    assert base_of_adapter(base) is None
    model, tokenizer = load_pretrained(str(tmp_path / "policy"))
    assert not any("lora" in name for name, _ in model.named_parameters())
    plain = TransformersPolicy(model, tokenizer, RolloutConfig())
    assert torch.allclose(scores(plain), scores(made), atol=1e-5)


def test_an_adapter_that_does_not_name_its_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(PolicyError, match=r"adapter_config\.json does not name the model below it"):
        load_pretrained(str(tmp_path))


def test_layers_that_the_model_does_not_have_are_refused(base: Path) -> None:
    with pytest.raises(PolicyError, match=r"lora: .*q_prj"):
        adapted(base, "r=4,targets=q_prj")


def test_a_checkpoint_holds_the_adapter_alone(base: Path) -> None:
    made = adapted(base)
    trainer = learner(made)
    train(trainer)
    state = trainer.state_dict()
    assert all("lora_" in name for name in state["model"])
    other = adapted(base)
    again = learner(other)
    again.load_state_dict(copy.deepcopy(state))
    assert torch.equal(scores(other), scores(made))
    assert train(again) == train(trainer)


SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "evaluation": {"automation": False},  # another prover process for a moment
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {"warm_start_epochs": 4, "warm_start_learning_rate": 1e-2, "warm_start_batch": 4},
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 6, "max_tactic_tokens": 8},
    "algo": {"algo_config": {"beta": 0.1}},
    "learner": {"lora": "r=4,alpha=8", "gradient_checkpointing": True},
}


def weights(folder: Path) -> dict[str, Tensor]:
    return load_file(folder / "policy" / "adapter_model.safetensors")


def test_a_run_with_an_adapter_and_its_repeat_after_an_interruption(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    words = ["--config", str(settings), "--run-dir"]
    assert main([*words, str(tmp_path / "whole")]) == 0
    for name in ("policy", "start_policy"):
        assert base_of_adapter(tmp_path / "whole" / name) == str(tmp_path / "whole" / "base")
    assert any(bool(w.any()) for n, w in weights(tmp_path / "whole").items() if "lora_B" in n)

    checks: list[None] = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) == 35:
            raise Interrupted(15)

    with monkeypatch.context() as patched:
        patched.setattr(StopRequest, "check", check)
        assert main([*words, str(tmp_path / "broken")]) == 128 + 15
    assert main(["--resume", str(tmp_path / "broken")]) == 0
    whole, broken = weights(tmp_path / "whole"), weights(tmp_path / "broken")
    assert whole.keys() == broken.keys()
    assert all(torch.equal(whole[name], broken[name]) for name in whole)

    # a run can start from it as from any other model
    on = ["--model", str(tmp_path / "whole" / "policy"), "--warm-start-epochs", "0", "--max-iterations", "1"]
    assert main([*words, str(tmp_path / "on"), *on]) == 0


def test_a_missing_package_is_named_before_anything_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(SystemExit):
        main(["--lora", "r=4", "--run-dir", str(tmp_path / "run"), "--theorems", "logic"])
    assert (
        "lora: needs the package peft; install it with: pip install 'lean-gym[train]'"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "run").exists()
