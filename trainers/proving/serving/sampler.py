"""Answers of a policy on this machine, by transformers or vLLM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from jinja2 import TemplateError
from torch import Tensor

from lean_gym.datasets import tactic_in
from trainers.config.rollout import SamplingConfig
from trainers.policies.encoder_decoder import encode, has_encoder
from trainers.policies.layout import PromptLayout
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.layout import create_layout
from trainers.policies.prompts import Dialogue, before_stop
from trainers.policies.sampling import SamplingSettings, sample_tokens
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy
from trainers.proving.serving.asks import GREEDY, Ask, Refused, Sampled, answer_in_groups

Tokens = tuple[int, ...]


class Sampler:
    """Answers batches of requests with a policy on this machine.

    Args:
        policy: The policy.
        settings: What a request takes that names no other; those of the policy if left out.
    """

    tells_logprobs = True

    def __init__(self, policy: TransformersPolicy, settings: SamplingConfig | None = None) -> None:
        self.settings = policy.settings if settings is None else settings
        self.is_chat = policy.layout.is_chat
        self._policy = policy
        if isinstance(policy, VllmPolicy):
            policy.synchronise()

    def answer(self, batch: Sequence[Ask]) -> Sequence[list[Sampled] | Exception]:
        """Return `count` answers to each request; requests of equal settings are sampled together."""
        return answer_in_groups(batch, self._prompt, self._sampled)

    def encode(self, texts: Sequence[str]) -> Sequence[list[float] | Exception]:
        """Return the mean of the last hidden states of each text, scaled to length 1; the end of a long text is cut.

        The hidden states of an encoder-decoder model are those of its encoder.
        """
        return [self._vector(text) for text in texts]

    @torch.inference_mode()
    def _vector(self, text: str) -> list[float] | Exception:
        ids = self._policy.tokenizer.encode(text)[: self.settings.max_prompt_tokens]
        if not ids:
            return Refused("input: got a text without tokens, expected one token or more")
        model = self._policy.model
        tokens = torch.tensor([ids], device=model.device)
        if has_encoder(model):
            hidden = encode(model, tokens, torch.ones_like(tokens))  # (1, T, width)
        else:
            hidden = model.get_decoder()(input_ids=tokens, use_cache=False).last_hidden_state
        mean: Tensor = hidden[0].float().mean(dim=0)
        return [float(value) for value in torch.nn.functional.normalize(mean, dim=0).tolist()]

    def _sampled(self, asks: Sequence[tuple[Ask, Tokens]]) -> list[Sampled]:
        """Sample for requests of equal settings; return their answers one behind another."""
        policy, first = self._policy, asks[0][0]
        stop = [*self.settings.stop, *first.stop]
        layout = create_layout(policy.tokenizer, self.settings.model_copy(update={"stop": stop}))
        temperature = self.settings.temperature if first.temperature is None else first.temperature
        settings = replace(
            policy.sampling,
            temperature=max(temperature, GREEDY),
            top_p=self.settings.top_p if first.top_p is None else first.top_p,
            max_new_tokens=first.max_tokens or self.settings.max_tactic_tokens,
            stop=tuple(stop),
        )
        each = [(ask, prompt) for ask, prompt in asks for _ in range(ask.count)]
        rows: Sequence[tuple[Tokens, tuple[float, ...]]]
        if first.beam:
            rows = [row for ask, prompt in asks for row in self._best(prompt, ask.count, settings)]
        else:
            rows = self._rows([prompt for _, prompt in each], settings, first.seed, layout)
        return [
            self._shown(ids, logprobs, len(prompt), stop, layout, ask.prefix)
            for (ask, prompt), (ids, logprobs) in zip(each, rows, strict=True)
        ]

    def _best(
        self, prompt: Tokens, count: int, settings: SamplingSettings
    ) -> list[tuple[Tokens, tuple[float, ...]]]:
        found = self._policy.best_tokens(prompt, count, settings)
        return found + [found[-1]] * (count - len(found))

    def _rows(
        self,
        prompts: Sequence[Tokens],
        settings: SamplingSettings,
        seed: int | None,
        layout: PromptLayout,
    ) -> Sequence[tuple[Tokens, tuple[float, ...]]]:
        """Return sampled tokens and their log-probabilities, by vLLM where the policy has it."""
        generator = torch.Generator()
        if seed is None:
            generator.seed()
        else:
            generator.manual_seed(seed)
        policy = self._policy
        if not isinstance(policy, VllmPolicy):
            return sample_tokens(policy.model, prompts, settings, generator, layout.ended, layout.opening)
        seeds = torch.randint(2**31, (len(prompts),), generator=generator).tolist()
        rows = policy.engine.generate(prompts, settings, seeds)
        # An engine on token ids does not see stop texts.
        cut = [layout.cut(ids) for ids, _ in rows]
        return [(ids[:kept], logprobs[:kept]) for (ids, logprobs), kept in zip(rows, cut, strict=True)]

    def _prompt(self, ask: Ask) -> Tokens:
        """Return the prompt's tokens.

        Raises:
            Refused: The client's own prompt is longer than the budget or has no token, or the prefix is too long or
                cannot be used.
        """
        tokenizer, budget = self._policy.tokenizer, self.settings.max_prompt_tokens
        if ask.raw and isinstance(ask.text, Dialogue):
            ids = tuple(tokenizer.encode(self._rendered(ask.text), add_special_tokens=False))
        elif ask.raw:
            ids = tuple(tokenizer.encode(ask.text))
        else:
            ids = self._policy.encode_prompt(ask.text)
        if len(ids) > budget:
            raise Refused(
                f"the prompt has {len(ids)} tokens, expected at most {budget}", "context_length_exceeded"
            )
        if not ids:
            raise Refused("the prompt has no tokens, expected one or more")
        if not ask.prefix:
            return ids
        if has_encoder(self._policy.model):
            raise Refused(
                "prefix: the policy is an encoder-decoder model, whose answers cannot be begun here"
            )
        # A preset may have words in front of the tactic, or marks around it.
        answer = self._policy.layout.answer(ask.prefix)
        opening = answer[: answer.rindex(ask.prefix) + len(ask.prefix)]
        begun = tuple(tokenizer.encode(opening, add_special_tokens=False))
        if len(begun) > self.settings.max_tactic_tokens:
            most = self.settings.max_tactic_tokens
            raise Refused(f"prefix: got {len(begun)} tokens, expected at most {most}")
        return ids + begun

    def _rendered(self, dialogue: Dialogue) -> str:
        try:
            return str(
                self._policy.tokenizer.apply_chat_template(
                    dialogue.messages,
                    tokenize=False,
                    add_generation_prompt=True,
                    enable_thinking=self.settings.enable_thinking,
                )
            )
        except TemplateError as error:
            reason = " ".join(str(error).split())
            raise Refused(f"messages: the model's chat template refuses them: {reason}") from None

    def _tactic(self, text: str) -> str:
        """Return the tactic of an answer; a whole proof is read by the environment."""
        if self.settings.preset:
            return find_preset(self.settings.preset).clean(text)
        is_tactic = self.is_chat and self.settings.actions == "tactic"
        return tactic_in(text).text if is_tactic else text

    def _shown(
        self,
        ids: Tokens,
        logprobs: tuple[float, ...],
        prompt_tokens: int,
        stop: Sequence[str],
        layout: PromptLayout,
        prefix: str,
    ) -> Sampled:
        kept = ids[:-1] if ids[-1] in layout.end_tokens else ids
        decode = self._policy.tokenizer.decode
        decoded = str(decode(list(kept), skip_special_tokens=True, clean_up_tokenization_spaces=False))
        text = prefix + before_stop(decoded, stop)
        return Sampled(
            text=text,
            tokens=tuple(str(decode([token])) for token in kept),
            logprobs=logprobs[: len(kept)],
            finished=layout.ended(ids),
            prompt_tokens=prompt_tokens,
            tactic=self._tactic(text),
            sampled_logprobs=logprobs,
        )
