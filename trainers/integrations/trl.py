"""LeanProof-v0 for a stock `trl.GRPOTrainer` (TRL 1.16).

Tactic by tactic, all rollouts in parallel (any causal language model; chats by its template, if it has one):

    GRPOTrainer(model, args=args, train_dataset=make_dataset("logic:train"),
                rollout_func=make_rollout_func("logic:train"), reward_funcs=make_reward_func())

The same with a row per tactic, weighted by our credit: `trainers.integrations.trl_tactics.TacticGRPOTrainer`.

Whole proofs in one completion: leave `rollout_func` out and give `make_reward_func("logic:train")` the theorems.
Tool calls, for chat models that support them: `environment_factory=environment_factory("logic:train")` and a data set
made with `chat=True`. TRL runs the tools of its rollouts one after another, so the first way is faster.

The stock trainer has one row per episode and one advantage per row. Importing this module does not import TRL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lean_gym import LeanProofEnv, LeanProofVectorEnv
from lean_gym.backends import ProofBackend, create_backend
from lean_gym.datasets import TheoremSource, load_theorems
from lean_gym.types import Outcome, Theorem
from trainers.config.rollout import RolloutConfig
from trainers.integrations.dialogue import Dialogue
from trainers.integrations.trl_reward import LeanReward
from trainers.policies.base import Completion
from trainers.policies.layout import completions
from trainers.policies.presets.layout import create_layout
from trainers.policies.views import create_view
from trainers.rollouts.player import EpisodePlayer, Trajectory

INSTRUCTION = (
    "Prove the theorem below in Lean 4 with the tool apply_tactic, one tactic per call. After each call you see the "
    "goals that are left.\n\n"
)


def make_dataset(theorems: TheoremSource, *, chat: bool = False) -> Any:
    """Make a `datasets.Dataset` with the columns `prompt` and `theorem`.

    Args:
        theorems: As for `LeanProof-v0`: a set name, a path or a list.
        chat: Whether prompts are lists of messages.
    """
    from datasets import Dataset

    rows = []
    for theorem in load_theorems(theorems):
        message = {"role": "user", "content": INSTRUCTION + theorem.statement}
        rows.append({"prompt": [message] if chat else theorem.statement, "theorem": theorem.name})
    return Dataset.from_list(rows)


class LeanRollout:
    """A `rollout_func` that plays one episode for each prompt, all in parallel.

    The prompts of `make_dataset` identify the theorems; the model reads the goals, formatted as `prompt_style` says,
    and from the second tactic on the whole dialogue. Sampling follows the trainer's own arguments, except that a turn
    ends with the end token, at a text of `stop`, or after `max_tactic_tokens`. An episode whose next turn would not fit
    into the trainer's `max_completion_length` ends at once, with one empty tactic as its last step, and counts as not
    proved.

    Use it in a `with` block, or call `close`, to stop the provers; otherwise they end with the program.
    """

    def __init__(self, theorems: TheoremSource, settings: RolloutConfig, env_options: dict[str, Any]) -> None:
        if settings.reward_schedule:
            raise ValueError(
                f"reward_schedule: got {settings.reward_schedule!r}, expected none (TRL's trainer plays no iterations)"
            )
        if settings.actions != "tactic":
            raise ValueError(
                f"actions: got {settings.actions!r}, expected 'tactic': a turn of the dialogue is one tactic"
            )
        self._theorems = load_theorems(theorems)
        self._names = {theorem.statement: theorem.name for theorem in self._theorems}
        self._settings = settings
        self._options: dict[str, Any] = {
            "max_steps": settings.max_steps,
            "max_goal_chars": settings.max_goal_chars,
            "reward": settings.reward,
            "forbid": settings.forbidden,
            "reward_options": settings.reward_options,
        } | env_options
        self._env: LeanProofVectorEnv | None = None

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """Return the theorems that can be played."""
        return tuple(self._theorems)

    @property
    def settings(self) -> RolloutConfig:
        """Return steps, tactic length, prompt layout, stop texts and reward."""
        return self._settings

    def __enter__(self) -> LeanRollout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the provers."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """Play one episode for each prompt.

        Args:
            prompts: Prompts of `make_dataset`, repeated for several episodes.
            trainer: The `GRPOTrainer`.

        Returns:
            `prompt_ids`, `completion_ids`, `logprobs` (`None` where the trainer's generation gives none), `env_mask`,
            and for reward functions `episode_reward`, `proved`, `outcome` and `tactics`, one entry per prompt.

        Raises:
            ValueError: A prompt is not a theorem of this rollout, or the trainer's completions are too short.
        """
        names = [self._name(prompt) for prompt in prompts]
        budget = int(trainer.max_completion_length)
        if budget < self._settings.max_tactic_tokens:
            raise ValueError(
                f"max_completion_length: got {budget}, expected at least max_tactic_tokens "
                f"({self._settings.max_tactic_tokens}): room for one tactic"
            )
        turns = _Turns(trainer, self._settings, budget, [Dialogue() for _ in names])
        with _turn_length(trainer, self._settings.max_tactic_tokens):
            player, most = EpisodePlayer(self._opened(len(names))), self._options["max_steps"]
            episodes = player.play(names, turns.choose, ends=lambda tactic: tactic.is_last, max_steps=most)
            _wait_for_others(trainer)
        rows = turns.dialogues
        return {
            "prompt_ids": [row.prompt_ids for row in rows],
            "completion_ids": [row.completion_ids for row in rows],
            "logprobs": [row.logprobs for row in rows] if turns.has_logprobs else None,
            "env_mask": [row.env_mask for row in rows],
            **_results(episodes),
        }

    def play(self, theorems: Sequence[str], trainer: Any) -> list[Trajectory[Completion]]:
        """Play one episode for each theorem; a tactic is sampled from the present goals alone, not from a dialogue.

        Args:
            theorems: Names, repeated for several episodes.
            trainer: The `GRPOTrainer`. All its processes call this together, each with theorems of its own.

        Returns:
            The episodes. Log-probabilities are empty where the trainer's generation gives none.
        """
        settings = self._settings
        layout = create_layout(trainer._tokenizer, settings)

        def choose(_: Sequence[int], shown: Sequence[str]) -> list[Completion]:
            prompts = [layout.encode(text) for text in shown]
            sampled, logprobs = _sample(trainer, [list(prompt) for prompt in prompts]) or ((), None)
            rows = []
            for ids, values in zip(sampled, logprobs or [[]] * len(prompts), strict=True):
                kept = layout.cut(ids)
                rows.append((tuple(ids[:kept]), tuple(values[:kept])))
            return completions(layout, prompts, rows)

        with _turn_length(trainer, settings.max_tactic_tokens):
            player = EpisodePlayer(self._opened(len(theorems)), view=create_view(settings))
            episodes = player.play(theorems, choose)
            _wait_for_others(trainer)
        return episodes

    def _name(self, prompt: Any) -> str:
        text = prompt if isinstance(prompt, str) else prompt[-1]["content"].removeprefix(INSTRUCTION)
        if text not in self._names:
            raise ValueError(
                f"prompt: got {text[:120]!r}, expected the statement of one of the {len(self._names)} theorems of "
                "make_rollout_func; make the data set with make_dataset and the same theorems"
            )
        return self._names[text]

    def _opened(self, count: int) -> LeanProofVectorEnv:
        if self._env is None or self._env.num_envs < count:
            self.close()
            self._env = LeanProofVectorEnv(count, self._theorems, **self._options)
        return self._env


def make_rollout_func(
    theorems: TheoremSource, settings: RolloutConfig | None = None, **env_options: Any
) -> LeanRollout:
    """Make a `rollout_func` for `trl.GRPOTrainer`.

    Args:
        theorems: Theorems of the data set, as for `LeanProof-v0`.
        settings: Steps, tactic length, prompt layout, stop texts and reward; `None` for the defaults of
            `trainers.grpo`. Temperature and group size come from the trainer's own arguments.
        **env_options: Further options of `LeanProofVectorEnv`, e.g. `backend` or `num_workers`.
    """
    return LeanRollout(theorems, settings or RolloutConfig(), env_options)


def make_reward_func(theorems: TheoremSource | None = None, **env_options: Any) -> LeanReward:
    """Make a reward function for `trl.GRPOTrainer`.

    Args:
        theorems: The theorems that completions prove as whole proofs; only needed without `rollout_func`.
        **env_options: Further options of `LeanProofVectorEnv`, for whole proofs.
    """
    return LeanReward(None if theorems is None else load_theorems(theorems), env_options)


def environment_factory(
    theorems: TheoremSource, *, backend: str = "auto", **env_options: Any
) -> Callable[[], ToolEnv]:
    """Make an `environment_factory` for `trl.GRPOTrainer`: the model proves by tool calls.

    Args:
        theorems: Theorems of the data set, as for `LeanProof-v0`.
        backend: Name of the prover. All environments share one, in this process.
        **env_options: Further options of `LeanProofEnv`; the default reward is `"binary"`.
    """
    loaded = load_theorems(theorems)
    provers: list[ProofBackend] = []

    def make() -> ToolEnv:
        if not provers:
            provers.append(create_backend(backend))
        return ToolEnv(LeanProofEnv(loaded, provers[0], **({"reward": "binary"} | env_options)))

    return make


class ToolEnv:
    """One episode at a time behind a tool. TRL offers every public method but `reset` and `get_reward` as a tool."""

    def __init__(self, env: LeanProofEnv) -> None:
        self._env = env
        self._reward = 0.0
        self._over = "there is no episode"

    def reset(self, *, theorem: str, **_: Any) -> str:
        """Start an episode on the theorem of a data set row.

        Returns:
            The goals, which TRL appends to the prompt.
        """
        goals, _ = self._env.reset(options={"theorem": theorem})
        self._reward, self._over = 0.0, ""
        return f"\n\n{goals}"

    def apply_tactic(self, tactic: str) -> str:
        """Apply one Lean 4 tactic to the first goal.

        Args:
            tactic: The tactic, without `by`.

        Returns:
            The goals that are left, or why the tactic was refused.
        """
        if self._over:
            return f"no tactic can be applied: {self._over}"
        goals, reward, terminated, truncated, info = self._env.step(tactic)
        self._reward += reward
        if terminated or truncated:
            self._over = f"the attempt has ended ({info['outcome']})"
        if info["outcome"] == Outcome.PROVED.value:
            return "The theorem is proved."
        return f"error: {info['error']}\n\n{goals}" if info["error"] is not None else goals

    def get_reward(self) -> float:
        """Return the episode's reward so far."""
        return self._reward


@dataclass(slots=True)
class _Tactic:
    text: str
    is_last: bool = False


class _Turns:
    """Turns of all episodes: asks the trainer for tactics and keeps the rows."""

    def __init__(self, trainer: Any, settings: RolloutConfig, budget: int, dialogues: list[Dialogue]) -> None:
        self.dialogues = dialogues
        self.has_logprobs = True
        self._trainer = trainer
        self._settings = settings
        self._budget = budget
        # TRL unwraps the tokenizer of a multimodal processor.
        self._layout = create_layout(trainer._tokenizer, settings)

    def choose(self, numbers: Sequence[int], goals: Sequence[str]) -> list[_Tactic]:
        """Return one tactic for each episode; an empty one, the last, if the row has no room for another."""
        asked = []
        for number, text in zip(numbers, goals, strict=True):
            dialogue = self.dialogues[number]
            dialogue.hear(
                self._layout.encode_next(text, dialogue.completion_ids)
                if dialogue.prompt_ids
                else self._layout.encode(text)
            )
            if dialogue.length + self._settings.max_tactic_tokens <= self._budget:
                asked.append(number)
        tactics = dict.fromkeys(numbers, "")
        if asked:
            contexts = [self.dialogues[number].context for number in asked]
            sampled, logprobs = _sample(self._trainer, contexts) or ((), None)
            self.has_logprobs &= logprobs is not None
            for number, ids, values in zip(asked, sampled, logprobs or [[]] * len(asked), strict=True):
                kept = self._layout.cut(ids)
                self.dialogues[number].say(ids[:kept], values[:kept] or None)
                [tactics[number]] = self._layout.tactics([tuple(ids[:kept])])
        return [_Tactic(tactics[number], is_last=number not in asked) for number in numbers]


_Sampled = tuple[Sequence[list[int]], Sequence[list[float]] | None]
"""(token ids of each turn, their log-probabilities if they are known)."""


def _sample(trainer: Any, contexts: Sequence[list[int]]) -> _Sampled | None:
    """Sample one turn for each context, together with the other processes of the trainer.

    A server and sharded weights need all processes in each generation, with as many contexts each.

    Returns:
        `None` if no process has a context.
    """
    asked = list(contexts)
    if trainer.accelerator.num_processes > 1:
        from accelerate.utils import gather_object

        most = max(gather_object([len(asked)]))
        asked += [asked[0] if asked else [trainer._tokenizer.eos_token_id]] * (most - len(asked))
    if not asked:
        return None
    sampled, logprobs = trainer._generate_single_turn(asked, None, {}, 1)
    return sampled[: len(contexts)], None if logprobs is None else logprobs[: len(contexts)]


def _wait_for_others(trainer: Any) -> None:
    """Take part in the turns of other processes until their episodes have ended."""
    while trainer.accelerator.num_processes > 1 and _sample(trainer, []) is not None:
        pass


@contextmanager
def _turn_length(trainer: Any, tokens: int) -> Iterator[None]:
    """Limit one generation to a tactic's length within the block; the trainer's own limit is that of a row."""
    holder, name = (trainer.generation_config, "max_new_tokens")
    if trainer.use_vllm:
        holder, name = (trainer.vllm_generation, "max_completion_length")
    outside = getattr(holder, name)
    setattr(holder, name, tokens)
    try:
        yield
    finally:
        setattr(holder, name, outside)


def _results(episodes: Sequence[Trajectory[_Tactic]]) -> dict[str, list[Any]]:
    return {
        "episode_reward": [episode.total_reward for episode in episodes],
        "proved": [episode.proved for episode in episodes],
        "outcome": [episode.outcome.value for episode in episodes],
        "tactics": [list(episode.tactics) for episode in episodes],
    }
