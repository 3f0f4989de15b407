"""Policy behind an endpoint, as the server of other protocols uses it."""

from __future__ import annotations

from collections.abc import Sequence

from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import SamplingConfig
from trainers.policies.openai import OpenAIPolicy
from trainers.policies.presets.base import Shown
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.view import rendered
from trainers.policies.prompts import Dialogue, Rendered, shown_goals
from trainers.proving.serving.asks import GREEDY, Ask, Refused, Sampled, answer_in_groups


class EndpointSource:
    """Passes requests on; the endpoint batches them itself.

    Args:
        address: `openai:MODEL@http://host:port/v1`.
        settings: What a request takes that names no other.
        endpoint: Settings of the requests.

    Raises:
        PolicyError: The address has another form.
    """

    tells_logprobs = False

    def __init__(self, address: str, settings: SamplingConfig, endpoint: EndpointConfig) -> None:
        self.settings = settings
        self.is_chat = endpoint.api == "chat"
        self._address = address
        self._endpoint = endpoint
        OpenAIPolicy(address, settings, endpoint)

    def answer(self, batch: Sequence[Ask]) -> Sequence[list[Sampled] | Exception]:
        """Return `count` answers to each request; those of equal settings are sent side by side."""
        return answer_in_groups(batch, self._prompt, self._asked, kind=lambda ask: ask.raw)

    def encode(self, texts: Sequence[str]) -> Sequence[list[float] | Exception]:
        """Refuse: hidden states of an endpoint cannot be read."""
        return [Refused("the policy is an endpoint, whose hidden states cannot be read") for _ in texts]

    def _prompt(self, ask: Ask) -> str:
        """Return the text that the endpoint is asked with: goals in the prompt of the preset, if there is one.

        Raises:
            Refused: The endpoint cannot be asked so.
        """
        if ask.raw and self.is_chat and not isinstance(ask.text, Dialogue):
            raise Refused("the policy is an endpoint with the API of chats, which takes no raw prompt")
        if ask.beam:
            raise Refused("decoding: the policy is an endpoint, which offers no beam search")
        if ask.prefix:
            raise Refused("prefix: the policy is an endpoint, whose answers cannot be begun")
        made = isinstance(ask.text, Rendered | Dialogue)
        if ask.raw or made or not self.settings.preset or self.settings.actions == "proof":
            return ask.text
        return rendered(find_preset(self.settings.preset), Shown(shown_goals(ask.text, self.settings)))

    def _asked(self, asks: Sequence[tuple[Ask, str]]) -> list[Sampled]:
        first = asks[0][0]
        changed = {
            "temperature": None if first.temperature is None else max(first.temperature, GREEDY),
            "top_p": first.top_p,
            "max_tactic_tokens": first.max_tokens,
            "stop": [*self.settings.stop, *first.stop],
            "prompt_template": "{goals}" if first.raw else None,
            "prompt_goals": 0 if first.raw else None,
        }
        settings = self.settings.model_copy(
            update={name: value for name, value in changed.items() if value is not None}
        )
        if first.raw:
            settings = settings.model_copy(update={"preset": ""})
        policy = OpenAIPolicy(self._address, settings, self._endpoint)
        prompts = [text for ask, text in asks for _ in range(ask.count)]
        if first.seed is None:
            found = policy.sample(prompts)
        else:
            with policy.seeded(first.seed):
                found = policy.sample(prompts)
        return [Sampled(one.text, (), (), True, 0, one.text, None) for one in found]
