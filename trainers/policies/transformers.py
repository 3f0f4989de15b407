"""A policy over any Hugging Face causal language model, the tiny one included."""

from __future__ import annotations

import functools
import logging
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import torch
from huggingface_hub import constants
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from trainers.config import RolloutConfig
from trainers.policies.base import Completion, PolicyError
from trainers.policies.packing import PackedBatch, Pair, build_batch, pack_rows
from trainers.policies.sampling import SamplingSettings, sample_tokens


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model says about completions: (N, T) each, padding holds zeros.

    Attributes:
        logprobs: Log-probability of each token.
        entropy: Entropy in nats of the distribution that each token was drawn from; carries no gradient.
    """

    logprobs: Tensor
    entropy: Tensor


class TransformersPolicy:
    """Samples tactics from a causal language model, and scores sampled tactics for the update."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, settings: RolloutConfig
    ) -> None:
        """Wrap a loaded model.

        Args:
            model: The model; it stays in evaluation mode, so dropout is off while training too and the
                log-probabilities of sampling and update agree.
            tokenizer: Its tokenizer; must have an end token.
            settings: Temperature, budgets and prompt layout.

        Raises:
            PolicyError: The tokenizer has no end token.
        """
        if tokenizer.eos_token_id is None:
            raise PolicyError("the model's tokenizer has no end token; a tactic could never end")
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self.sampling = SamplingSettings(
            temperature=settings.temperature,
            max_new_tokens=settings.max_tactic_tokens,
            end_token=int(tokenizer.eos_token_id),
        )
        self._generator = torch.Generator()
        self.encode_prompt = functools.lru_cache(maxsize=16384)(self._encode_prompt)
        self.shares_prompts = can_share_prompts(model)

    def _encode_prompt(self, goals: str) -> tuple[int, ...]:
        """Turn printed goals into prompt tokens, within the prompt budget."""
        if self.settings.prompt_goals:
            goals = "\n\n".join(goals.split("\n\n")[: self.settings.prompt_goals])
        ids = self.tokenizer.encode(self.settings.prompt_template.replace("{goals}", goals))
        return tuple(ids[-self.settings.max_prompt_tokens :])

    def encode_tactic(self, tactic: str) -> tuple[int, ...]:
        """Turn a tactic into completion tokens, the end token included."""
        ids = self.tokenizer.encode(tactic, add_special_tokens=False)
        return (*ids, self.sampling.end_token)

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Sample from this seed within the block, and go on as before after it."""
        outside, self._generator = self._generator, torch.Generator().manual_seed(seed)
        try:
            yield
        finally:
            self._generator = outside

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order."""
        prompts = [self.encode_prompt(text) for text in goals]
        sampled = sample_tokens(self.model, prompts, self.sampling, self._generator)
        texts = self.tokenizer.batch_decode(
            [list(ids) for ids, _ in sampled], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return [
            Completion(prompt, ids, logprobs, text)
            for prompt, (ids, logprobs), text in zip(prompts, sampled, texts, strict=True)
        ]

    def score(self, batch: PackedBatch) -> Scores:
        """Run the model over a packed batch.

        Returns:
            Scores in the order of `batch.members`; log-probabilities carry gradient where it is enabled.
        """
        return score(self.model, batch, self.settings.temperature)

    def save(self, folder: Path) -> None:
        """Write model and tokenizer so that `--model folder` loads them."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def score(model: PreTrainedModel, batch: PackedBatch, temperature: float) -> Scores:
    """Log-probabilities and entropies of the completions of a packed batch; see `TransformersPolicy.score`."""
    device = model.device
    if batch.input_ids.shape[0] == len(batch.members):
        attention_mask = batch.padding_mask.to(device)
    else:
        closed = torch.finfo(model.dtype).min
        attention_mask = torch.zeros(batch.visible.shape, dtype=model.dtype).masked_fill_(
            ~batch.visible, closed
        )
        attention_mask = attention_mask.unsqueeze(1).to(device)
    kept = batch.input_ids.shape[1] - batch.prompt_columns + 1
    logits = model(
        input_ids=batch.input_ids.to(device),
        attention_mask=attention_mask,
        position_ids=batch.position_ids.to(device),
        use_cache=False,
        logits_to_keep=kept,
    ).logits
    flat = logits.reshape(-1, logits.shape[-1]).float() / temperature  # (R * (K + 1), vocabulary)
    mask, targets, source = (t.to(device) for t in (batch.mask, batch.targets, batch.source))
    chosen = mask.bool()
    distribution = torch.log_softmax(flat[source[chosen]], dim=-1)  # (tokens, vocabulary)
    picked = distribution.gather(1, targets[chosen].unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        spread = -(distribution.exp() * distribution).sum(dim=-1)
    logprobs = torch.zeros_like(mask).masked_scatter(chosen, picked)
    return Scores(logprobs, torch.zeros_like(mask).masked_scatter(chosen, spread))


@torch.no_grad()
def can_share_prompts(model: PreTrainedModel) -> bool:
    """Whether the model scores completions that share a prompt as it scores them alone.

    Decided by trying: models differ in which attention masks they honour.
    """
    pairs: list[Pair] = [((1, 2, 3, 4), (5, 6, 7)), ((1, 2, 3, 4), (7, 5)), ((2, 3), (6, 6, 5))]

    def scores(share: bool) -> Tensor:
        batch = build_batch(pack_rows(pairs, share_prompts=share))
        found = score(model, batch, temperature=1.0).logprobs
        return found[torch.tensor(batch.members).argsort().to(found.device)]

    tolerance = 1e-3 if model.dtype == torch.float32 else 5e-2
    try:
        return torch.allclose(scores(True), scores(False), atol=tolerance)
    except (RuntimeError, ValueError, TypeError):
        return False


def load_pretrained(name: str) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a model and its tokenizer from a folder or the hub.

    Raises:
        PolicyError: Nothing usable is there.
    """
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise PolicyError(f"cannot load the model {name!r}: no such folder")
    hub_logger = logging.getLogger("huggingface_hub")
    level = hub_logger.level
    hub_logger.setLevel(logging.CRITICAL)  # retries are announced line by line otherwise
    local = not Path(name).is_dir() and not _hub_answers()
    try:
        model = AutoModelForCausalLM.from_pretrained(name, local_files_only=local)
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local)
    except Exception as error:  # the loaders raise whatever their parts raise, from OSError to KeyError
        reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        if local:
            reason = "no such folder, not among the downloaded models, and the hub does not answer"
        raise PolicyError(
            f"cannot load the model {name!r}: {reason.rstrip('.')} (expected `tiny`, or a folder or hub id of a "
            "causal language model)"
        ) from error
    finally:
        hub_logger.setLevel(level)
    return model, tokenizer


def _hub_answers() -> bool:
    """Whether a connection to the model hub can be opened, which is known sooner than a download fails."""
    if any(name.lower() in ("https_proxy", "all_proxy") for name in os.environ):
        return True
    hub = urlsplit(constants.ENDPOINT)
    try:
        with socket.create_connection((hub.hostname or "", hub.port or 443), timeout=5):
            return True
    except OSError:
        return False
