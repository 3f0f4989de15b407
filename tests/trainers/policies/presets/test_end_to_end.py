"""Each preset with a small random model of its architecture: loaded from a folder, sampled, and used by the prover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    ByT5Tokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from lean_gym import Theorem
from lean_gym.envs.episode import Episode
from trainers import prove
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig, SamplingConfig
from trainers.config.run import Imitation, LearnerConfig
from trainers.config.tasks import EndpointConfig
from trainers.errors import PolicyError
from trainers.learning.learner import Learner
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.progress import ProgressModel
from trainers.policies.source import PolicySource
from trainers.policies.tiny import train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.views import create_view

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# InternLM2 has no class in transformers; its shape is Llama's.
ARCHITECTURES = {
    "t5": ("reprover", "reprover-retrieval"),
    "gpt_neox": ("llmstep", "ntp-state"),
    "llama": (
        *("ntp-context", "internlm2-math-plus", "internlm2-step", "internlm2.5-step", "reprover-decoder"),
        *("deepseek-prover-v1.5", "deepseek-prover-v1.5-cot", "deepseek-prover-v2", "stp"),
    ),
    "qwen2": ("bfs-prover-v1", "bfs-prover-v2", "real-prover", "leandojo-v2"),
    "qwen3": ("reaper", "goedel-v2", "kimina"),
}
KIND = {name: kind for kind, names in ARCHITECTURES.items() for name in names}
STATEMENT = "theorem t (p : Prop) (h : p) : p"
STATE = "p : Prop\nh : p\n⊢ p"

pytestmark = pytest.mark.usefixtures("no_workers")


def made(kind: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Make a model of an architecture, and a tokenizer."""
    shape: dict[str, Any]
    if kind == "t5":
        shape = {
            "d_model": 48,
            "d_kv": 12,
            "d_ff": 96,
            "num_layers": 2,
            "num_decoder_layers": 1,
            "num_heads": 4,
        }
        shape |= {"vocab_size": 384, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
        shape |= {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1, "dropout_rate": 0.0}
        torch.manual_seed(0)
        return AutoModelForSeq2SeqLM.from_config(AutoConfig.for_model("t5", **shape)), ByT5Tokenizer()
    prompts = [str(preset.prompt) for preset in PRESETS.values()]
    tokenizer = train_tokenizer([STATE, STATEMENT, "exact h", *prompts] * 3, 400)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    tokenizer.chat_template = CHATML
    shape = {"vocab_size": len(tokenizer), "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 1}
    shape |= {"num_attention_heads": 4, "max_position_embeddings": 2048, "bos_token_id": None}
    if kind != "gpt_neox":
        shape |= {"num_key_value_heads": 2}
    shape |= {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **shape)), tokenizer


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with a random model for each architecture."""
    home = tmp_path_factory.mktemp("models")
    for kind in ARCHITECTURES:
        model, tokenizer = made(kind)
        model.save_pretrained(home / kind)
        tokenizer.save_pretrained(home / kind)
    return {kind: home / kind for kind in ARCHITECTURES}


def test_every_preset_has_an_architecture_here() -> None:
    assert set(KIND) == set(PRESETS)
    assert {name for name in PRESETS if PRESETS[name].architecture == "encoder-decoder"} == set(
        ARCHITECTURES["t5"]
    )


@pytest.mark.parametrize("name", PRESETS)
def test_it_is_loaded_and_sampled(name: str, folders: dict[str, Path]) -> None:
    source = PolicySource.find(f"preset:{name}={folders[KIND[name]]}")
    settings = RolloutConfig(**(source.defaults["rollout"] | {"max_tactic_tokens": 6}))
    decoding = PRESETS[name].decoding.method
    policy: Any = source.load(settings, EndpointConfig(), "transformers", 0, lambda: None, decoding)
    shown = create_view(settings)(STATE, Episode(Theorem("t", STATEMENT), ()))
    with policy.seeded(1):
        drawn = policy.sample([shown] * 3)
    with policy.seeded(1):
        assert policy.sample([shown] * 3) == drawn
    for one in drawn:
        assert 1 <= len(one.token_ids) == len(one.logprobs) <= 6
        assert all(value <= 0 for value in one.logprobs)
    if decoding == "beam":
        totals = [sum(one.logprobs) for one in drawn]
        assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize(("name", "kind"), [("bfs-prover-v2", "t5"), ("reprover", "qwen2")])
def test_a_model_of_another_architecture_is_refused(
    name: str, kind: str, folders: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--policy", f"preset:{name}={folders[kind]}", "--backend", "fake", "--samples", "2"]
    with pytest.raises(SystemExit) as ended:
        prove.main(["theorem t : True", *words])
    assert ended.value.code == 2
    assert f"error: preset {name}: expected a model of the kind" in capsys.readouterr().err


def test_a_model_that_is_no_language_model_is_refused(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    AutoModel.from_config(AutoConfig.for_model("bert", **shape, vocab_size=400)).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(folders["qwen2"]).save_pretrained(tmp_path)
    with pytest.raises(SystemExit) as ended:
        prove.main(["theorem t : True", "--policy", str(tmp_path), "--backend", "fake"])
    assert ended.value.code == 2
    assert "its files lack the weights cls.predictions." in capsys.readouterr().err
    with pytest.raises(PolicyError, match="got the encoder-decoder T5"):
        ProgressModel(*made("t5"), SamplingConfig(), 4)


@pytest.mark.parametrize("name", PRESETS)
def test_the_prover_uses_it(name: str, folders: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--policy",
        f"preset:{name}={folders[KIND[name]]}",
        "--backend",
        "fake",
        "--workers",
        "1",
        "--json",
    ]
    words += ["--samples", "3", "--tactics", "4", "--model-calls", "6", "--max-tactic-tokens", "6"]
    words += ["--tactics-from", "policy"]
    assert prove.main(["theorem t : True ∧ True", *words]) == 1  # a random model
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == PRESETS[name].search.method
    assert 3 <= found["spent"]["model_calls"] <= 6


@pytest.mark.parametrize(
    "name",
    [
        "reprover",
        "llmstep",
        "internlm2-math-plus",
        "bfs-prover-v2",
        "deepseek-prover-v1.5",
        "goedel-v2",
        "kimina",
    ],
)
def test_what_it_has_learnt_in_its_format_proves(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = RolloutConfig(**PRESETS[name].rollout())
    policy = TransformersPolicy(*made(KIND[name]), settings)
    view = create_view(settings)
    shown = view(STATE, Episode(Theorem("t", STATEMENT), ()))
    learner = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    pairs = [(policy.encode_prompt(shown), policy.encode_tactic("exact h"))]
    for step in range(70):
        loss = learner.imitate(pairs, Imitation(70, 1e-2, 1), step, torch.Generator())
    assert loss < 0.2
    policy.save(tmp_path / "model")
    words = ["--policy", f"preset:{name}={tmp_path / 'model'}", "--backend", "minilean", "--workers", "1"]
    words += [
        "--samples",
        "2",
        "--max-tactic-tokens",
        "80",
        "--temperature",
        "0.3",
        "--tactics-from",
        "policy",
    ]
    assert prove.main([STATEMENT, *words]) == 0
    assert capsys.readouterr().out.startswith(f"{STATEMENT} := by\n  exact h\n-- t: proved by ")
