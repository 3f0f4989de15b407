"""Prompts of a preset as tokens, and its tactics out of answers.

A prompt beyond the budget is made again from fewer parts, so that its instructions stay whole. In this order go:
premises, the worst first; the middle of the file so far; errors of a failed proof, the last first; tactics so far, the
first first; the beginning of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from transformers import PreTrainedTokenizerBase

from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.layout import PromptLayout, Tokens
from trainers.policies.presets.base import Shown
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.ntp import file_so_far
from trainers.policies.presets.view import rendered
from trainers.policies.prompts import Dialogue, Rendered, before_stop, shown_goals

Part = TypeVar("Part", str, tuple[str, ...])
_Cut = tuple[Callable[[Shown], int], Callable[[Shown, int], Shown]]
"""(size of a part, the parts with only so much of it)."""
_CUTS: tuple[_Cut, ...] = (
    (lambda parts: len(parts.premises), lambda parts, n: replace(parts, premises=parts.premises[:n])),
    (lambda parts: len(file_so_far(parts)), lambda parts, n: replace(parts, keep=n)),
    (lambda parts: len(parts.mistakes), lambda parts, n: replace(parts, mistakes=parts.mistakes[:n])),
    (lambda parts: len(parts.tactics), lambda parts, n: replace(parts, tactics=_last(parts.tactics, n))),
    (lambda parts: len(parts.state), lambda parts, n: replace(parts, state=_last(parts.state, n))),
)


class PresetLayout(PromptLayout):
    """Prompt format of a preset, and the end of its answers."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, settings: SamplingConfig, ends: Sequence[int] = ()
    ) -> None:
        """Choose the format from the tokenizer and the settings.

        Args:
            tokenizer: Must have an end token.
            settings: The preset and the budget.
            ends: Further tokens that end an answer.

        Raises:
            PolicyError: There is no such preset; there is no end token; the preset is a chat and the model has no
                usable chat template; or the format leaves no room for goals.
        """
        self._preset = find_preset(settings.preset)
        is_text = isinstance(self._preset.prompt(Shown("")), str)
        if not is_text and tokenizer.chat_template is None:
            raise PolicyError(f"preset {settings.preset}: it is a chat, and the model has no chat template")
        style = {"prompt_style": "plain" if is_text else "chat", "instruction": ""}
        super().__init__(tokenizer, settings.model_copy(update=style), ends)
        # A stop text that is one token of the model, such as the end of a turn, ends an answer by itself.
        added = tokenizer.get_added_vocab()
        stops = [added[text] for text in (*settings.stop, *self._preset.stop) if text in added]
        self.end_tokens = tuple(dict.fromkeys((*stops, *self.end_tokens)))
        alone, budget = len(self._ids(Shown(""))), settings.max_prompt_tokens
        if alone >= budget:
            raise PolicyError(
                f"max_prompt_tokens: got {budget}, and the preset {settings.preset} takes {alone} without goals; "
                "expected more"
            )

    def encode(self, goals: str) -> Tokens:
        """Return the prompt tokens of goals, or of a prompt that the preset's view made, within the budget."""
        budget = self._settings.max_prompt_tokens
        if isinstance(goals, Rendered | Dialogue) and isinstance(goals.parts, Shown):
            parts = goals.parts
        elif self._preset.action == "proof":
            parts = Shown(
                "", statement=goals.strip().removesuffix("sorry").rstrip().removesuffix(":= by").rstrip()
            )
        else:
            parts = Shown(shown_goals(goals, self._settings))
        ids = self._ids(parts)
        for size, cut in _CUTS:
            if len(ids) <= budget:
                return ids
            parts = self._largest(parts, size(parts), cut)
            ids = self._ids(parts)
        # A statement cannot be cut: what is left says nothing useful, and keeps the model within its context.
        return ids[-budget:]

    def encode_next(self, goals: str, sampled: Sequence[int]) -> Tokens:
        """Refuse: a preset has a prompt of its own for each state.

        Raises:
            PolicyError: Always.
        """
        raise PolicyError(
            f"preset {self._preset.name}: its states have separate prompts, got a dialogue of several"
        )

    def tactics(self, sampled: Sequence[Tokens]) -> list[str]:
        """Return the tactics in sampled tokens, as the preset reads its answers."""
        kept = [[token for token in ids if token not in self.end_tokens] for ids in sampled]
        texts = self._tokenizer.batch_decode(
            kept, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return [self._preset.clean(before_stop(text, self._settings.stop)) for text in texts]

    def answer(self, tactic: str) -> str:
        """Return the answer that holds a tactic."""
        return self._preset.answer(tactic)

    def _ids(self, parts: Shown) -> Tokens:
        prompt = rendered(self._preset, parts)
        return self._rendered(prompt) if self.is_chat else tuple(self._tokenizer.encode(str(prompt)))

    def _largest(self, parts: Shown, size: int, cut: Callable[[Shown, int], Shown]) -> Shown:
        """Return the parts with as much of one of them as the budget has room for."""
        fits, too_long = 0, size
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if len(self._ids(cut(parts, middle))) <= self._settings.max_prompt_tokens:
                fits = middle
            else:
                too_long = middle
        return cut(parts, fits) if size else parts


def create_layout(
    tokenizer: PreTrainedTokenizerBase, settings: SamplingConfig, ends: Sequence[int] = ()
) -> PromptLayout:
    """Return the layout that the settings name; for `ends` see `PromptLayout`.

    Raises:
        PolicyError: The tokenizer or the model does not go with the settings.
    """
    kind = PresetLayout if settings.preset else PromptLayout
    return kind(tokenizer, settings, ends)


def _last(part: Part, count: int) -> Part:
    return part[len(part) - count :]
