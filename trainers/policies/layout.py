"""Conversion of goals to prompt tokens and of sampled tokens to tactics, by the model's chat template or as plain text.

A plain prompt is `prompt_template` with the goals filled in; the text after it, up to the end token, is the tactic. In
a chat the goals are the user's message, below `instruction`, and the assistant's turn is the tactic: it ends with the
template's end-of-turn token, and if the reply has a fenced block, that block is the tactic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from lean_gym.datasets import tactic_in
from trainers.config.run import PromptConfig
from trainers.errors import PolicyError
from trainers.policies.prompts import Messages, chat_messages, shown_goals

Tokens = tuple[int, ...]
_REPLY = "exact trivial"


class PromptLayout:
    """Prompt format of a model, and the end of its answers.

    Attributes:
        is_chat: Whether the model's chat template is used.
        end_tokens: Tokens that end a tactic; the first one is appended to tactics that the model is trained on.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, settings: PromptConfig) -> None:
        """Choose the format from the tokenizer and the settings.

        Args:
            tokenizer: Must have an end token.
            settings: The layout and its budget.

        Raises:
            PolicyError: There is no end token, no chat template although the settings want one, or an unusable one.
        """
        if tokenizer.eos_token_id is None:
            raise PolicyError("the model's tokenizer has no end token; a tactic could never end")
        has_template = tokenizer.chat_template is not None
        if settings.prompt_style == "chat" and not has_template:
            raise PolicyError(
                "prompt_style: got 'chat', but the model has no chat template; take 'plain' or 'auto'"
            )
        self.is_chat = has_template and settings.prompt_style != "plain"
        self.end_tokens: Tokens = (int(tokenizer.eos_token_id),)
        self._tokenizer = tokenizer
        self._settings = settings
        self._system_apart = True
        if self.is_chat:
            self._try_template()

    def encode(self, goals: str) -> Tokens:
        """Return the prompt tokens of printed goals; goals beyond the prompt budget lose their beginning."""
        goals = shown_goals(goals, self._settings)
        budget = self._settings.max_prompt_tokens
        if self.is_chat:
            return self._encode_chat(goals, budget)
        ids = self._tokenizer.encode(self._settings.prompt_template.replace("{goals}", goals))
        if len(ids) <= budget:
            return tuple(ids)
        special = set(self._tokenizer.all_special_ids)
        first = next(at for at, token in enumerate(ids) if token not in special)
        return tuple(ids[:first] + ids[len(ids) - (budget - first) :])

    def tactics(self, sampled: Sequence[Tokens]) -> list[str]:
        """Return the tactics in sampled tokens."""
        kept = [list(ids[:-1]) if ids and ids[-1] in self.end_tokens else list(ids) for ids in sampled]
        texts = self._tokenizer.batch_decode(
            kept, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return [tactic_in(text).text for text in texts] if self.is_chat else texts

    def _encode_chat(self, goals: str, budget: int) -> Tokens:
        ids = self._rendered(goals)
        if len(ids) <= budget:
            return ids
        # Cut at a character, not at a token: the rest is tokenised together with the template's text before it.
        fits, too_long = len(goals), 0
        while fits - too_long > 1:
            middle = (fits + too_long) // 2
            if len(self._rendered(goals[middle:])) <= budget:
                fits = middle
            else:
                too_long = middle
        return self._rendered(goals[fits:])

    def _rendered(self, goals: str) -> Tokens:
        text = self._text(chat_messages(goals, self._settings), add_generation_prompt=True)
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def _text(self, messages: Messages, **options: Any) -> str:
        if not self._system_apart and messages[0]["role"] == "system":
            system, user, *rest = messages
            joined = {"role": "user", "content": f"{system['content']}\n\n{user['content']}"}
            messages = [joined, *rest]
        # A tactic has no room for reasoning; templates without this option ignore it.
        return str(
            self._tokenizer.apply_chat_template(messages, tokenize=False, enable_thinking=False, **options)
        )

    def _try_template(self) -> None:
        """Find out by trial whether the template takes a system message, and its end-of-turn token.

        Raises:
            PolicyError: The template raises an error, or leaves no room for goals.
        """
        messages = chat_messages("⊢ True", self._settings)
        try:
            try:
                asked = self._text(messages, add_generation_prompt=True)
            except TemplateError:
                self._system_apart = False  # some templates refuse a system message
                asked = self._text(messages, add_generation_prompt=True)
            answered = self._text([*messages, {"role": "assistant", "content": _REPLY}])
        except TemplateError as error:
            reason = " ".join(str(error).split())
            raise PolicyError(
                f"the model's chat template cannot be used: {reason}; see --prompt-style"
            ) from None
        rest = answered[len(asked) :] if answered.startswith(asked) else answered
        behind = self._tokenizer.encode(rest.rpartition(_REPLY)[2], add_special_tokens=False)
        added = {*self._tokenizer.all_special_ids, *self._tokenizer.get_added_vocab().values()}
        end_of_turn = next((token for token in behind if token in added), self.end_tokens[0])
        self.end_tokens = tuple(dict.fromkeys((end_of_turn, *self.end_tokens)))
        alone, budget = len(self._rendered("")), self._settings.max_prompt_tokens
        if alone >= budget:
            raise PolicyError(
                f"max_prompt_tokens: got {budget}, and the chat template with the instruction takes {alone} by "
                "itself; expected more"
            )
