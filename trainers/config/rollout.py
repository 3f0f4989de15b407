"""Settings of prompts, sampling and groups of episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from trainers.config.base import AtLeastTwo, Count, CountOrZero, Decay, Positive, Settings, require, shortened
from trainers.config.schedule import check_schedule, parse_schedule, write_schedule

WHOLE_PROOF: Final[Mapping[str, Any]] = {
    "instruction": (
        "You prove theorems in Lean 4. The user shows a theorem without its proof, or your last proof with Lean's "
        "errors. Answer with the whole theorem and its proof in one fenced block of Lean."
    ),
    "max_prompt_tokens": 1024,
    "max_tactic_tokens": 512,
}
"""Defaults of these settings with `actions: proof`."""


def _check_template(template: str) -> str:
    if "{goals}" not in template:
        raise ValueError(f"expected a text with {{goals}} in it, got {shortened(template)}")
    return template


class PromptConfig(Settings):
    """Turning goals into prompts."""

    actions: Literal["tactic", "proof"] = "tactic"
    """`tactic`: the policy gives one tactic a step; `proof`: it gives a whole proof, and after Lean's errors another
    one, see `max_repairs`. With `proof`, prompts have 1024 tokens, answers 512, and the instruction asks for a proof,
    unless they are set."""
    max_prompt_tokens: Annotated[int, Field(ge=16)] = 320
    """Prompt budget in tokens; longer goals lose their beginning, so that the target stays."""
    prompt_goals: CountOrZero = 1
    """Open goals shown to the policy, the main goal first; 0 shows all."""
    prompt_style: Literal["auto", "chat", "plain"] = "auto"
    """`chat`: by the model's chat template; `plain`: by `prompt_template`; `auto`: `chat` where the model has one."""
    prompt_template: Annotated[str, AfterValidator(_check_template)] = "{goals}:::"
    """Text of a plain prompt; `{goals}` is replaced by the goals."""
    instruction: str = (
        "You prove theorems in Lean 4, one step at a time. The user shows the open goals. Answer with exactly one "
        "tactic for the first goal and nothing else."
    )
    """System message of a chat; empty for none."""
    enable_thinking: bool = False
    """Let the model think before it answers, where its chat template has this option; thinking is part of the tokens of
    a tactic and not of the tactic. An endpoint takes it through `request_options`."""
    preset: str = ""
    """Published prover whose prompts and answers are used, see `python -m trainers.presets`; empty for none. Set by
    `--policy preset:NAME` and `--model preset:NAME`; the other settings of prompts then give its budget only."""
    retriever: str = ""
    """Folder that `python -m trainers.retrieval index` wrote: the premises found for a state are shown above its goals,
    or where the preset has them; empty for none."""
    premises: Count = 8
    """Premises asked of the retriever; those beyond the prompt budget are left out, the worst first. A preset that
    shows premises names its own number."""
    history: CountOrZero = 0
    """Latest tactics of the episode that are shown; 0 shows goals only. Accepted ones stand above the goals, as Lean
    comments; with `prompt_style` `chat` all of them are turns of the chat, answered by goals or Lean's message."""

    @model_validator(mode="before")
    @classmethod
    def _for_whole_proofs(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or values.get("actions") != "proof":
            return values
        usual = {name: value for name, value in WHOLE_PROOF.items() if name in cls.model_fields}
        repairs = values.get("max_repairs", 0)
        if "max_steps" in cls.model_fields and isinstance(repairs, int):
            usual["max_steps"] = 1 + repairs
        return usual | dict(values)


class SamplingConfig(PromptConfig):
    """Playing episodes and sampling tactics."""

    max_steps: Count = 12
    """Tactics an episode may try, refused ones included. With whole proofs it is 1 + `max_repairs`."""
    max_goal_chars: Count | None = None
    """Longest text of all goals that a tactic may leave, in characters; one that leaves more is refused; null sets no
    limit."""
    max_repairs: CountOrZero = 0
    """With whole proofs: attempts after the first one, for each of which the policy sees the errors of the last."""
    temperature: Positive = 1.0
    """Sampling temperature, positive; log-probabilities are those of the tempered distribution throughout."""
    top_p: Decay = 1.0
    """Share of the probability that tokens are drawn from, its likeliest tokens first, above 0; 1 draws from all, and
    training needs it. Log-probabilities are those of the tokens that are left; a beam search does not use it."""
    max_tactic_tokens: Count = 48
    """Tokens after which a tactic, or a whole proof, is cut off and sent as it stands."""
    stop: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    """Texts that end a tactic beside the end token; sampling stops at the first of them, and it is no part of the
    tactic. JSON on the command line."""
    redraws: CountOrZero = 4
    """Tactics drawn at most, in place of one that its episode has tried where the same was shown; the first that it
    has not tried is sent, so fewer tactics of an episode are wasted. 0 sends every tactic as it is drawn. The update
    uses the probabilities with which tactics were sent. A search needs none: it knows what it has tried."""
    cohorts: CountOrZero = 1
    """Parts that the episodes are divided into; while the tactics of one are tried, those of the next are sampled. 0
    lets each episode go on as soon as its tactic is tried, if no engine samples: faster with slow tactics or a large
    model, slower otherwise; a repeated run is not equal to the last bit, since sums are rounded in another order."""
    forbid: str = ""
    """Tactics that are refused wherever they stand, by their first words separated by commas, e.g. `simp,omega`;
    `automation` names the list of the environment's option `forbid`; empty forbids none."""

    @property
    def tries(self) -> str:
        """The word for actions."""
        return "attempts" if self.actions == "proof" else "tactics"

    def tokens_of(self, completions: int) -> int:
        """Return how many tokens some completions take with their prompts, at most."""
        return completions * (self.max_prompt_tokens + self.max_tactic_tokens)

    @model_validator(mode="after")
    def _check_attempts(self) -> Self:
        whole = self.actions == "proof"
        require(whole or not self.max_repairs, "max_repairs", self.max_repairs, "0, as actions is 'tactic'")
        require(
            not whole or self.max_steps == 1 + self.max_repairs,
            "max_steps",
            self.max_steps,
            f"1 + max_repairs ({1 + self.max_repairs}), as actions is 'proof'",
        )
        return self

    @property
    def env_options(self) -> dict[str, Any]:
        """Options of the environment that stand here."""
        return {
            "actions": self.actions,
            "max_repairs": self.max_repairs,
            "max_steps": self.max_steps,
            "max_goal_chars": self.max_goal_chars,
            "forbid": self.forbidden,
        }

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The first words in `forbid`."""
        return tuple(word.strip() for word in self.forbid.split(",")) if self.forbid.strip() else ()


class RolloutConfig(SamplingConfig):
    """Playing groups of episodes."""

    max_goal_chars: Count | None = 2048
    """Longest text of all goals that a tactic may leave, in characters; one that leaves more is refused, since training
    rewards tactics that are never refused, and some of them only make a goal larger; null sets no limit."""
    theorems_per_iteration: Count = 32
    """Theorems, so groups of episodes, per iteration."""
    group_size: AtLeastTwo = 8
    """Episodes per theorem, at least 2."""
    rollout: Literal["flat", "tree"] = "flat"
    """`flat`: all episodes from the start; `tree`: `branch_size` episodes of each group begin where the outcomes of the
    others parted, or at the deepest state that they reached."""
    branch_size: AtLeastTwo = 4
    """Episodes of a branch, at least 2; at least 2 of a group are left for the start."""
    staleness: CountOrZero = 0
    """Iterations that rollouts may run ahead of the learner. With 0 they alternate. With K, episodes are played while
    the policy is updated. An iteration takes the first groups that are complete; a long episode goes on with newer
    weights, and its tactics that are more than K updates old by then are left out. The sampler has a copy of the model,
    rows are weighted by `sampler_correction`, and a repeated run is not equal."""
    canaries: CountOrZero = 1
    """False theorems tried twice in every iteration, beside the others; should one ever count as proved, the run stops
    with an alarm. 0 for none."""
    reward: str = "binary"
    """Reward of tactics: a name such as `binary`, `shaped` or `efficiency`, the import path of another,
    `package.module:name`, or several with weights, `novelty:0.3+efficiency:0.2`; see docs/lean_gym/rewards.md."""
    reward_options: dict[str, Any] = Field(default_factory=dict)
    """Options of that reward; JSON on the command line."""
    reward_schedule: Annotated[str, BeforeValidator(write_schedule), AfterValidator(check_schedule)] = ""
    """Rewards that replace it from given iterations on, counted from 0, e.g. `0:novelty,30:binary`; in a file also a
    mapping. Empty for none."""

    @model_validator(mode="after")
    def _check_branches(self) -> Self:
        require(
            self.rollout == "flat" or self.actions == "tactic",
            "rollout",
            self.rollout,
            "'flat', as actions is 'proof': whole proofs have no states in their middle",
        )
        require(
            self.rollout == "flat" or self.branch_size <= self.group_size - 2,
            "branch_size",
            self.branch_size,
            f"at most group_size - 2 ({self.group_size - 2})",
        )
        return self

    @model_validator(mode="after")
    def _check_staleness(self) -> Self:
        for name, usual in (("rollout", "flat"), ("reward_schedule", "")):
            value = getattr(self, name)
            require(
                value == usual or not self.staleness, "staleness", self.staleness, f"0 with {name} {value!r}"
            )
        return self

    @model_validator(mode="after")
    def _check_schedule(self) -> Self:
        require(
            not self.reward_options or 0 not in parse_schedule(self.reward_schedule),
            "reward_schedule",
            self.reward_schedule,
            "no iteration 0 beside reward_options, which belong to the reward that it replaces",
        )
        return self

    def reward_at(self, iteration: int) -> tuple[str, dict[str, Any]]:
        """Return the reward of an iteration, counted from 0, and its options."""
        begun = [name for start, name in parse_schedule(self.reward_schedule).items() if start <= iteration]
        return (begun[-1], {}) if begun else (self.reward, self.reward_options)
