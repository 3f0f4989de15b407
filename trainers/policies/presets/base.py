"""Presets: the format, decoding and search that a published prover was measured with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from trainers.policies.premises import Premise
from trainers.policies.prompts import Messages

UNKNOWN: Final = "unknown"
"""A fact that no source was found for."""


class Mistake(Protocol):
    """An error of Lean about a proof. Lines count from 1, columns from 0, in characters."""

    @property
    def line(self) -> int:
        """Line of its start."""

    @property
    def column(self) -> int:
        """Column of its start."""

    @property
    def end_line(self) -> int | None:
        """Line of its end; `None` where Lean names none."""

    @property
    def end_column(self) -> int | None:
        """Column of its end; `None` where Lean names none."""

    @property
    def message(self) -> str:
        """Lean's message."""

    @property
    def goals(self) -> str:
        """Goals at the place of the error as Lean prints them; empty where they are not known."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Parts of an episode that prompts are made of.

    Attributes:
        state: The goals as Lean prints them, with blank lines between them.
        name: Name of the theorem.
        statement: Its source up to, and without, `:=`.
        context: Commands in front of the statement.
        imports: Modules that it imports.
        informal: The problem in words.
        tactics: The accepted tactics, in order.
        premises: Lemmas that may help, the best one first.
        attempt: The last whole proof that failed: the declaration as it was checked.
        mistakes: Lean's errors about it, their positions in `attempt`.
        round: Number of whole proofs that failed.
        keep: Characters of the file that are shown, the middle is cut; `None` for all.
    """

    state: str
    name: str = ""
    statement: str = ""
    context: str = ""
    imports: tuple[str, ...] = ()
    informal: str = ""
    tactics: tuple[str, ...] = ()
    premises: tuple[Premise, ...] = ()
    attempt: str = ""
    mistakes: tuple[Mistake, ...] = ()
    round: int = 0
    keep: int | None = None


Prompt = str | Messages
"""A text, or the messages of a chat."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding of answers.

    Attributes:
        samples: Answers asked for in a state.
        method: `"sample"`, or `"beam"`: the best ones by a beam search of that width with length penalty 0.
        temperature: Sampling temperature.
        top_p: Share of the probability that is drawn from.
        prompt_tokens: Longest prompt.
        answer_tokens: Longest answer.
    """

    samples: int
    prompt_tokens: int
    answer_tokens: int
    method: Literal["sample", "beam"] = "sample"
    temperature: float = 1.0
    top_p: float = 1.0


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Search of `trainers.prove` for a theorem.

    Attributes:
        method: As in `SearchConfig`.
        score: As in `SearchConfig`.
        length_exponent: As in `SearchConfig`.
        calls: Answers that may be asked for; 0 sets no limit.
        seconds: Wall-clock seconds; 0 sets no limit.
        steps: Tactics of an episode, the greatest depth of a tree; 0 keeps the project's default.
        repairs: Whole proofs after the first one of an episode, for each of which the prompt shows Lean's errors:
            rounds of repair.
        repairs_each: Repairs of each failed proof in a round.
        published: The published search, where this one is another.
    """

    method: Literal["best_first", "beam", "mcts", "sample", "whole_proof"] = "best_first"
    score: Literal["sum", "mean", "length_scaled"] = "sum"
    length_exponent: float = 2.0
    calls: int = 0
    seconds: float = 600.0
    steps: int = 0
    repairs: int = 0
    repairs_each: int = 2
    published: str = ""


def as_it_is(text: str) -> str:
    """Return the text."""
    return text


@dataclass(frozen=True, slots=True)
class Preset:
    """A published prover.

    Attributes:
        name: Its name on the command line.
        about: The model in a few words.
        hub: Hub ids of its models, the one that is taken first; empty where the model must be given.
        prompt: Makes the prompt.
        decoding: The decoding.
        search: The search.
        clean: Returns the tactic, or proof, of an answer; empty for an answer that is dropped.
        answer: Returns the answer that holds a tactic, for training: `clean` undoes it.
        stop: Texts that end an answer.
        action: An answer is one tactic, or a whole proof.
        goals: Goals shown, 0 for all.
        premises: Premises asked of a retriever, 0 for none.
        architecture: Kind of the model.
        api: API of an endpoint that serves the model.
        lean_trained: Version of Lean whose states and tactics the model was trained on.
        licence: Licence of the weights.
        reported: Score that its authors, or the source named there, report.
        source: Where the format was read.
    """

    name: str
    about: str
    hub: tuple[str, ...]
    prompt: Callable[[Shown], Prompt]
    decoding: Decoding
    search: SearchPlan
    source: str
    clean: Callable[[str], str] = as_it_is
    answer: Callable[[str], str] = as_it_is
    stop: tuple[str, ...] = ()
    action: Literal["tactic", "proof"] = "tactic"
    goals: int = 0
    premises: int = 0
    architecture: Literal["decoder", "encoder-decoder"] = "decoder"
    api: Literal["chat", "completions"] = "completions"
    lean_trained: str = UNKNOWN
    licence: str = UNKNOWN
    reported: str = UNKNOWN

    def rollout(self) -> dict[str, Any]:
        """Return the settings of the section `rollout`."""
        settings: dict[str, Any] = {
            "preset": self.name,
            "prompt_goals": self.goals,
            "max_prompt_tokens": self.decoding.prompt_tokens,
            "max_tactic_tokens": self.decoding.answer_tokens,
            "temperature": self.decoding.temperature,
            "top_p": self.decoding.top_p,
            "stop": list(self.stop),
        } | ({"premises": self.premises} if self.premises else {})
        if self.action == "proof":
            return settings | {"actions": "proof", "max_repairs": self.search.repairs}
        return settings | ({"max_steps": self.search.steps} if self.search.steps else {})

    def proving(self) -> dict[str, Any]:
        """Return the settings of the section `search`."""
        plan = self.search
        return {
            "method": plan.method,
            "score": plan.score,
            "length_exponent": plan.length_exponent,
            "decoding": self.decoding.method,
            "samples": self.decoding.samples,
            "repairs": plan.repairs_each,
            "model_calls": plan.calls,
            "seconds": plan.seconds,
            # Published budgets count answers or seconds, and never the tactics that are left of equal answers.
            "tactics": plan.calls or _MANY,
        }


_MANY: Final = 1_000_000
