"""Conversion of goals to prompt tokens and of sampled tokens to tactics, by the model's chat template or as plain text.

A plain prompt is `prompt_template` with the goals filled in; the text after it, up to the end token, is the tactic. In
a chat the goals are the user's message, below `instruction`, and the assistant's turn is the tactic: it ends with the
template's end-of-turn token, and if the reply has a fenced block, that block is the tactic.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from lean_gym.datasets import tactic_in
from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.base import Completion
from trainers.policies.premises import Premised
from trainers.policies.prompts import (
    Dialogue,
    Messages,
    before_stop,
    chat_messages,
    plain_prompt,
    shown_goals,
)

Tokens = tuple[int, ...]
_REPLY = "exact trivial"


class PromptLayout:
    """Prompt format of a model, and the end of its answers.

    Attributes:
        is_chat: Whether the model's chat template is used.
        end_tokens: Tokens that end a tactic; the first one is appended to tactics that the model is trained on.
        opening: Tokens that a chat begins with, whatever the goals: the instruction; empty for a plain prompt.
    """

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, settings: SamplingConfig, ends: Sequence[int] = ()
    ) -> None:
        """Choose the format from the tokenizer and the settings.

        Args:
            tokenizer: Must have an end token.
            settings: The layout and its budget.
            ends: Further tokens that end an answer, those of the model's own generation settings.

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
        self.end_tokens: Tokens = tuple(dict.fromkeys((int(tokenizer.eos_token_id), *ends)))
        self._tokenizer = tokenizer
        self._settings = settings
        self._system_apart = True
        self.opening: Tokens = ()
        if self.is_chat:
            self._try_template()
            one, other = self._rendered("⊢ True"), self._rendered("n : Nat")
            differ = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
            self.opening = one[: next(differ, 0)]

    def encode(self, goals: str) -> Tokens:
        """Return the prompt tokens of printed goals; goals beyond the prompt budget lose their beginning.

        Premises above them are left out before, the worst ones first.
        """
        goals = shown_goals(goals, self._settings)
        budget = self._settings.max_prompt_tokens
        if isinstance(goals, Premised):
            goals = goals.fitting(lambda text: len(self._whole(text)) <= budget)
        if self.is_chat:
            return self._fitting(goals, self._rendered)
        ids = self._tokenizer.encode(plain_prompt(goals, self._settings))
        if len(ids) <= budget:
            return tuple(ids)
        special = set(self._tokenizer.all_special_ids)
        first = next(at for at, token in enumerate(ids) if token not in special)
        return tuple(ids[:first] + ids[len(ids) - (budget - first) :])

    def encode_next(self, goals: str, sampled: Sequence[int]) -> Tokens:
        """Return the tokens between a tactic and the next one in one dialogue.

        Args:
            goals: The goals after the tactic; beyond the prompt budget they lose their beginning.
            sampled: Tokens of the tactic; what is missing of the end of its turn is added.
        """
        goals = shown_goals(goals, self._settings)
        if self.is_chat:
            return self._fitting(goals, lambda shown: self._rendered_next(shown, sampled))
        text = "\n" + self._settings.prompt_template.replace("{goals}", goals)
        ids = self._tokenizer.encode(text, add_special_tokens=False)
        return tuple(ids[-self._settings.max_prompt_tokens :])

    def tactics(self, sampled: Sequence[Tokens]) -> list[str]:
        """Return the tactics in sampled tokens, up to the first stop text; answers with whole proofs as they are."""
        kept = [list(ids[:-1]) if ids and ids[-1] in self.end_tokens else list(ids) for ids in sampled]
        texts = self._tokenizer.batch_decode(
            kept, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        texts = [before_stop(text, self._settings.stop) for text in texts]
        if self._settings.actions == "proof":
            return texts  # the environment reads them
        return [tactic_in(text).text for text in texts] if self.is_chat else texts

    def answer(self, tactic: str) -> str:
        """Return the answer that holds a tactic, as the model is trained to give it."""
        return tactic

    def ended(self, ids: Sequence[int]) -> bool:
        """Return whether the last of some sampled tokens ends the tactic: by itself, or by completing a stop text."""
        if not ids or ids[-1] in self.end_tokens:
            return bool(ids)
        if not self._settings.stop:
            return False
        # A character has up to four tokens, and characters that only begin here do not count.
        tail = self._decoded(ids[-(4 * max(map(len, self._settings.stop)) + 8) :])
        return any(text in tail for text in self._settings.stop)

    def cut(self, ids: Sequence[int]) -> int:
        """Return the number of sampled tokens up to the end of the tactic, the token that ends it included."""
        end = next((at + 1 for at, token in enumerate(ids) if token in self.end_tokens), len(ids))
        stop = self._settings.stop
        if not any(text in self._decoded(ids[:end]) for text in stop):
            return end
        return bisect_left(
            range(end), True, key=lambda n: any(text in self._decoded(ids[:n]) for text in stop)
        )

    def _decoded(self, ids: Sequence[int]) -> str:
        return str(
            self._tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        )

    def _fitting(self, goals: str, rendered: Callable[[str], Tokens]) -> Tokens:
        """Return the rendered goals, without their beginning as far as they are beyond the prompt budget.

        A dialogue loses its older turns first, and an instruction that leaves no room for anything else.
        """
        budget = self._settings.max_prompt_tokens
        ids = rendered(goals)
        if len(ids) <= budget:
            return ids
        if isinstance(goals, Dialogue):
            shorter = goals.shortened()
            if shorter is not None:
                return self._fitting(shorter, rendered)
            *before, last = goals.messages
            if len(rendered(Dialogue([*before, {**last, "content": ""}]))) > budget:
                before = []
            tail = str(last["content"])
            return self._fitting(tail, lambda rest: rendered(Dialogue([*before, {**last, "content": rest}])))
        # Cut at a character, not at a token: the rest is tokenised together with the template's text before it.
        fits, too_long = len(goals), 0
        while fits - too_long > 1:
            middle = (fits + too_long) // 2
            if len(rendered(goals[middle:])) <= budget:
                fits = middle
            else:
                too_long = middle
        return rendered(goals[fits:])

    def _whole(self, goals: str) -> Sequence[int]:
        """Return the prompt tokens of goals of any length."""
        return (
            self._rendered(goals)
            if self.is_chat
            else self._tokenizer.encode(plain_prompt(goals, self._settings))
        )

    def _rendered(self, goals: str) -> Tokens:
        text = self._text(chat_messages(goals, self._settings), add_generation_prompt=True)
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def _rendered_next(self, goals: str, sampled: Sequence[int]) -> Tokens:
        """Return the tokens of a chat from the end of an answer to the start of the next one."""
        asked = chat_messages("⊢ True", self._settings)
        begun = [*asked, {"role": "assistant", "content": _REPLY}]
        text = self._text([*begun, {"role": "user", "content": goals}], add_generation_prompt=True)
        before = self._text(asked)
        start = len(before) if text.startswith(before) else 0
        ids = tuple(
            self._tokenizer.encode(text[text.index(_REPLY, start) + len(_REPLY) :], add_special_tokens=False)
        )
        ends = [at for at, token in enumerate(ids) if token in self.end_tokens]
        return ids[ends[0] + 1 :] if ends and sampled and sampled[-1] in self.end_tokens else ids

    def _text(self, messages: Messages, **options: Any) -> str:
        if not self._system_apart and messages[0]["role"] == "system":
            system, user, *rest = messages
            joined = {"role": "user", "content": f"{system['content']}\n\n{user['content']}"}
            messages = [joined, *rest]
        if not self._settings.preset:  # whose prompts are those of the template's own default
            # Templates without the option ignore it.
            options["enable_thinking"] = self._settings.enable_thinking
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False, **options))

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


def completions(
    layout: PromptLayout, prompts: Sequence[Tokens], sampled: Sequence[tuple[Tokens, tuple[float, ...]]]
) -> list[Completion]:
    """Return the tactics in what was sampled for some prompts: token ids and the log-probability of each."""
    texts = layout.tactics([ids for ids, _ in sampled])
    return [
        Completion(prompt, ids, logprobs, text, truncated=not layout.ended(ids))
        for prompt, (ids, logprobs), text in zip(prompts, sampled, texts, strict=True)
    ]
