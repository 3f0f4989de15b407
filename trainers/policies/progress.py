"""Model of proof progress: a distribution over the number of tactics left, from the open goals of a state.

The body of a causal language model reads all goals, laid out as a prompt of the policy; a linear head on the hidden
state at the last prompt token gives the logits of K + 1 classes,

    p(k | s) = softmax(W h(s) + b)_k,    k = 1, ..., K - 1;  K or more;  not reached.

`not reached` is the outcome of an episode that fails. The mean number of tactics left, where a proof is reached, is
sum_k k p(k) / sum_k p(k); the potential is the expectation of 1 / (1 + tactics left), with 0 where none is reached:

    Phi(s) = sum_k p(k | s) / (1 + k).

A model may read a candidate tactic with the goals, as that of LeanProgress does; its classes then count the candidate.

Source: the prediction of the number of remaining steps from the proof state is that of LeanProgress, arXiv:2502.17925,
which learns from successful proofs. Here it is a distribution over classes, so that failures can be targets as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trainers.config.names import Reads
from trainers.config.rollout import SamplingConfig
from trainers.errors import ConfigError, PolicyError
from trainers.policies.encoder_decoder import has_encoder
from trainers.policies.layout import PromptLayout, Tokens
from trainers.policies.transformers import load_pretrained
from trainers.runtime.atomic_files import write_text
from trainers.runtime.checksums import write_checksums

FACTS, _HEAD, _MODEL = "progress.json", "head.safetensors", "model"
BATCH_TOKENS = 8192
"""Padded tokens per forward pass of a prediction."""


class ProgressModel:
    """Predicts the number of tactics left from goals.

    Goals of a state are one text, all open goals separated by blank lines, as the environment shows them.

    Attributes:
        reads: `"goals"`, or `"tactic"` for texts by `trainers.policies.prompts.candidate_text`.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: SamplingConfig,
        longest: int,
        reads: Reads = "goals",
    ) -> None:
        """Put a head with weights of 0 on a causal language model.

        Args:
            model: The model; it stays in evaluation mode.
            tokenizer: Its tokenizer.
            settings: Prompt layout of the policy; all goals are shown whatever `prompt_goals` is.
            longest: K, the number from which on tactics left are not told apart; at least 2.
            reads: The texts it is asked with.

        Raises:
            PolicyError: It is an encoder-decoder model, or the tokenizer or the chat template cannot be used.
        """
        if has_encoder(model):
            raise PolicyError(
                f"policy: expected a causal language model for the body, got the encoder-decoder {type(model).__name__}"
            )
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.longest = longest
        self.reads = reads
        self._settings = settings.model_copy(update={"prompt_goals": 0})
        self.encode = PromptLayout(tokenizer, self._settings).encode
        width = model.get_output_embeddings().weight.shape[1]
        self.head = torch.nn.Linear(width, longest + 1).to(model.device)
        torch.nn.init.zeros_(self.head.weight)
        torch.nn.init.zeros_(self.head.bias)

    @classmethod
    def load(
        cls, folder: str | Path, device: torch.device | None = None, *, candidates: bool = False
    ) -> ProgressModel:
        """Load the model that `python -m trainers.progress` wrote.

        Args:
            folder: Its folder.
            device: Device to compute on; the CPU if left out.
            candidates: The caller can use a model that reads candidate tactics as well.

        Raises:
            PolicyError: The folder holds no such model, a damaged one, or one that the caller cannot use.
        """
        path = Path(folder).expanduser()
        try:
            facts = json.loads((path / FACTS).read_text(encoding="utf-8"))
            longest, settings = int(facts["longest"]), SamplingConfig(**facts["rollout"])
            reads: Reads = "tactic" if facts.get("reads") == "tactic" else "goals"
            weights = load_file(path / _HEAD)
        except (OSError, ValueError, TypeError, KeyError, ConfigError, SafetensorError) as error:
            missing = isinstance(error, OSError) or "\0" in str(folder)
            reason = f"no {FACTS} and {_HEAD} in it" if missing else f"damaged ({error})"
            raise PolicyError(
                f"progress_model: expected a folder that python -m trainers.progress wrote, got {folder}: {reason}"
            ) from None
        if reads == "tactic" and not candidates:
            raise PolicyError(
                f"progress_model: expected a model that reads goals alone, got {folder}, which was trained with "
                "--reads tactic"
            )
        found = cls(*load_pretrained(str(path / _MODEL)), settings, longest, reads)
        try:
            found.head.load_state_dict(weights)
        except RuntimeError:
            raise PolicyError(
                f"progress_model: {folder} is damaged: {_HEAD} does not fit {FACTS} and {_MODEL}/"
            ) from None
        if device is not None:
            found.to(device)
        return found

    def to(self, device: torch.device) -> None:
        """Move the model to a device."""
        self.model.to(device)
        self.head.to(device)

    def save(self, folder: Path) -> None:
        """Write the model into an existing folder."""
        self.model.save_pretrained(folder / _MODEL)
        self.tokenizer.save_pretrained(folder / _MODEL)
        write_checksums(folder / _MODEL)
        save_file(
            {name: value.contiguous() for name, value in self.head.state_dict().items()}, folder / _HEAD
        )
        facts = {"longest": self.longest, "reads": self.reads, "rollout": self._settings.model_dump()}
        write_text(folder / FACTS, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")

    def features(self, prompts: Sequence[Tokens]) -> Tensor:
        """Return the hidden state at the last token of each prompt, (N, width) in 32 bits, with gradient."""
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        ids = torch.zeros(len(prompts), int(lengths.max()), dtype=torch.long)
        for row, prompt in zip(ids, prompts, strict=True):
            row[: len(prompt)] = torch.tensor(prompt)
        # A causal model does not see the padding behind a prompt.
        mask = (torch.arange(ids.shape[1]) < lengths.unsqueeze(1)).long()
        device = self.model.device
        hidden = self.model.get_decoder()(
            input_ids=ids.to(device), attention_mask=mask.to(device), use_cache=False
        ).last_hidden_state
        last: Tensor = hidden[torch.arange(len(prompts)), lengths - 1]
        return last.float()

    def logits(self, features: Tensor) -> Tensor:
        """Return the logits of the classes, (N, K + 1): 1 to K tactics left, then not reached."""
        found: Tensor = self.head(features)
        return found

    @torch.no_grad()
    def predict(self, goal_texts: Sequence[str]) -> Tensor:
        """Return the logits of the classes for goals, (N, K + 1), on the CPU in double precision."""
        prompts = [self.encode(text) for text in goal_texts]
        found = torch.zeros(len(prompts), self.longest + 1, dtype=torch.float64)
        for rows in batches(prompts):
            logits = self.logits(self.features([prompts[row] for row in rows]))
            found[torch.tensor(rows)] = logits.double().cpu()
        return found

    def tactics_left(self, goal_texts: Sequence[str]) -> list[float]:
        """Return the mean number of tactics left where a proof is reached, from 1 to K, for each text."""
        chances = self.predict(goal_texts)[:, :-1].softmax(dim=1)
        return [float(value) for value in chances @ self._numbers]

    def steps_after(self, texts: Sequence[str]) -> list[float]:
        """Return the mean number of tactics left after the candidate of each text, from 0 to K.

        A proof that is not reached counts as K, as LeanProgress's data have a large number for it.
        """
        numbers = torch.arange(
            self.longest + 1, dtype=torch.float64
        )  # K classes from 0 on, then not reached as K
        return [float(value) for value in self.predict(texts).softmax(dim=1) @ numbers]

    def reached(self, goal_texts: Sequence[str]) -> list[float]:
        """Return the probability that a proof is reached, for each text; no failures in training leave it near 1."""
        return [1.0 - float(value) for value in self.predict(goal_texts).softmax(dim=1)[:, -1]]

    def potentials(self, goal_texts: Sequence[str]) -> list[float]:
        """Return the mean of 1 / (1 + tactics left), which is 0 where no proof is reached, for each text."""
        chances = self.predict(goal_texts).softmax(dim=1)[:, :-1]
        return [float(value) for value in chances @ (1.0 / (1.0 + self._numbers))]

    @property
    def _numbers(self) -> Tensor:
        return torch.arange(1, self.longest + 1, dtype=torch.float64)


def batches(prompts: Sequence[Tokens], limit: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield the numbers of prompts of similar length, at most `limit` padded tokens or one prompt at a time."""
    order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
    chosen: list[int] = []
    for row in order:
        if chosen and len(prompts[row]) * (len(chosen) + 1) > limit:
            yield chosen
            chosen = []
        chosen.append(row)
    if chosen:
        yield chosen
