from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainers.config.endpoint import EndpointConfig
from trainers.config.lora import LoraSettings
from trainers.config.rollout import SamplingConfig
from trainers.config.tasks import EvaluateConfig
from trainers.errors import PolicyError
from trainers.policies.adapters import Adapter
from trainers.policies.source import PolicySource
from trainers.policies.transformers import TransformersPolicy, load_pretrained


@pytest.mark.parametrize("file", ["config.json", "adapter_config.json"])
def test_a_folder_with_a_model_or_an_adapter_is_a_policy(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text("{}")
    source = PolicySource.find(str(tmp_path))
    assert (source.kind, source.model, source.defaults) == ("model", str(tmp_path), {})


def test_a_folder_with_neither_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"nor a model \(no config.json or adapter_config.json in it\)"):
        PolicySource.find(str(tmp_path))


def test_an_adapter_that_a_run_saved_is_loaded_with_the_model_below_it(
    tmp_path: Path, policy: TransformersPolicy
) -> None:
    base, saved = tmp_path / "base", tmp_path / "adapter"
    policy.save(base)
    adapter = Adapter(policy.model, LoraSettings(2), str(base), seed=0)
    with torch.no_grad():
        for name, parameter in policy.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_()
    adapter.save(saved, policy.tokenizer)
    source = PolicySource.find(str(saved))
    loaded = source.load(policy.settings, EndpointConfig(), "transformers", 0, lambda: None)
    assert isinstance(loaded, TransformersPolicy)
    goals = ["⊢ True ∧ True"] * 4
    with policy.seeded(1), loaded.seeded(1):
        assert [c.token_ids for c in loaded.sample(goals)] == [c.token_ids for c in policy.sample(goals)]
    assert source.fingerprint() != ""

    (saved / "tokenizer.json").write_text("{")
    with pytest.raises(PolicyError, match=r"cannot load the model .*adapter': ") as caught:
        source.load(policy.settings, EndpointConfig(), "transformers", 0, lambda: None)
    assert "\n" not in str(caught.value)
    for file in saved.glob("tokenizer*"):
        file.unlink()
    _, tokenizer = load_pretrained(
        str(saved)
    )  # an adapter that came without takes that of the model below it
    assert tokenizer.get_vocab() == policy.tokenizer.get_vocab()


@pytest.mark.parametrize("repairs", [0, 3])
def test_a_run_of_whole_proofs_takes_another_number_of_repairs(tmp_path: Path, repairs: int) -> None:
    (tmp_path / "policy").mkdir()
    stored = "rollout: {actions: proof, max_repairs: 1, max_steps: 2, temperature: 0.5}\n"
    (tmp_path / "config.yaml").write_text(stored)
    rollout = PolicySource.find(str(tmp_path)).defaults_for(None, EvaluateConfig)["rollout"]
    asked = SamplingConfig(**rollout | {"max_repairs": repairs})
    assert (asked.max_steps, asked.temperature) == (1 + repairs, 0.5)
    assert SamplingConfig(**rollout).max_steps == 2


def test_the_policy_of_a_run_that_has_not_ended_says_so(
    tmp_path: Path, policy: TransformersPolicy, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.save(tmp_path / "policy")
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    source = PolicySource.find(str(tmp_path))
    capsys.readouterr()  # transformers may show a bar where it writes
    source.load(policy.settings, EndpointConfig(), "transformers", 0, lambda: None)
    warned = f"warning: policy: the run {tmp_path} has not ended; its policy is not the last one\n"
    assert warned in capsys.readouterr().err
    (tmp_path / "summary.json").write_text("{}")
    source.load(policy.settings, EndpointConfig(), "transformers", 0, lambda: None)
    assert "warning" not in capsys.readouterr().err
