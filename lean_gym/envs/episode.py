"""One attempt at one theorem: budgets, outcome, reward and what the agent is shown.

An `Episode` is an immutable value; a step makes the next one. The single and the vector environment share it,
so they cannot disagree, and branching a proof is keeping a reference.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lean_gym.datasets.check_statements import undeclared_names
from lean_gym.datasets.redefinitions import redefined_for
from lean_gym.envs.attempts import asked_text, failed_text, read_attempt
from lean_gym.envs.options import EpisodeOptions
from lean_gym.envs.spaces import clip_text
from lean_gym.errors import mathlib_hint
from lean_gym.execution import Job, Reply
from lean_gym.rewards import PastStep, Reward, Transition, reward_terms
from lean_gym.types import Goal, Outcome, ProofState, ScriptError, Theorem
from lean_gym.verification.forbidden import refused_head

_TERMINAL = frozenset({Outcome.PROVED, Outcome.REJECTED, Outcome.CRASHED})
_BUDGETS = frozenset({Outcome.STEP_LIMIT, Outcome.TIME_LIMIT})
# Names that Lean makes variables of in any project: authors leave such variables out on purpose.
_VARIABLE = re.compile("[a-zα-ω][0-9₀-₉']*")


@dataclass(frozen=True, slots=True)
class Episode:
    """State of one attempt.

    Attributes:
        theorem: What is being proved.
        goals: All open goals.
        tactics: The accepted tactics in order: the script so far.
        steps: Tactics tried, refused ones included.
        seconds: Wall-clock time spent proving.
        outcome: The outcome so far.
        tactic: The last tactic tried; `None` right after a reset.
        error: The prover's message when the last tactic was refused or the proof was rejected.
        messages: Further messages of the last tactic.
        axioms: The axioms of the proof, once a finished script has been verified.
        verification: The level of that verification, see `Verdict.level`.
        terms: The last step's reward, by named term.
        history: The steps so far.
        undeclared: Names that nothing declares, of which Lean made variables of the theorem (`autoImplicit`).
        redefined: Words of the statement that its context gives another meaning than Lean's library, as far as the
            prover and the layout of the context tell.
        attempt: The declaration of the last whole proof as it was checked, or the text of one that could not be read;
            `""` before the first one, `None` where actions are tactics.
        errors: Lean's errors about it, positions relative to `attempt`.
    """

    theorem: Theorem
    goals: tuple[Goal, ...]
    tactics: tuple[str, ...] = ()
    steps: int = 0
    seconds: float = 0.0
    outcome: Outcome = Outcome.RUNNING
    tactic: str | None = None
    error: str | None = None
    messages: tuple[str, ...] = ()
    axioms: tuple[str, ...] | None = None
    verification: str | None = None
    terms: Mapping[str, float] = field(default_factory=dict)
    history: tuple[PastStep, ...] = ()
    undeclared: tuple[str, ...] = ()
    redefined: tuple[str, ...] = ()
    attempt: str | None = None
    errors: tuple[ScriptError, ...] = ()

    @classmethod
    def start(cls, theorem: Theorem, reply: Reply, whole_proofs: bool = False) -> Episode:
        """Return the episode that begins with the start of a theorem.

        A theorem that kills provers and was given up opens an episode without goals; `error` says so, and its
        first step ends it as `"crashed"`, as Gymnasium has no episode that ends at its reset. A theorem about names
        that nothing declares is another one than was meant: `undeclared` lists them, and a warning tells of those
        that do not look like variables.
        """
        goals = reply.goals or ()
        # the variables of a theorem at a position in a library are declared there, not in its own text
        undeclared = tuple(undeclared_names(theorem, goals[0])) if goals and not theorem.position else ()
        invented = [name for name in undeclared if not _VARIABLE.fullmatch(name)]
        if invented:
            hint = mathlib_hint(" ".join(invented))
            warnings.warn(
                f"theorem {theorem.name!r}: Lean made variables of {', '.join(invented)}, which nothing declares "
                f"(autoImplicit); declare them, or import what defines them{'; ' * bool(hint)}{hint}",
                stacklevel=2,
            )
        attempt = "" if whole_proofs else None
        words = tuple(dict.fromkeys([*reply.redefined, *redefined_for(theorem)]))
        return cls(theorem, goals, error=reply.error, undeclared=undeclared, redefined=words, attempt=attempt)

    @property
    def terminated(self) -> bool:
        """Return whether the attempt was judged: proved, rejected, or given up as crashed."""
        return self.outcome in _TERMINAL

    @property
    def truncated(self) -> bool:
        """Return whether a budget is spent."""
        return self.outcome in _BUDGETS

    @property
    def ended(self) -> bool:
        """Return whether the attempt is over."""
        return self.terminated or self.truncated

    @property
    def reward(self) -> float:
        """The last step's reward: the sum of its terms."""
        return float(sum(self.terms.values()))

    def refuse(self, tactic: str, options: EpisodeOptions) -> Reply | None:
        """Refuse text that must not reach a prover; `None` for everything else."""
        if options.whole_proofs:
            attempt = read_attempt(tactic, self.theorem, options.max_answer_chars)
            error = attempt.error or refused_head(attempt.script, options.forbid)
            return None if error is None else Reply(error=error)
        if len(tactic) > options.max_tactic_chars:
            return Reply(
                error=f"the tactic has {len(tactic)} characters, at most {options.max_tactic_chars} allowed"
            )
        try:
            tactic.encode("utf-8")
        except UnicodeEncodeError as error:
            return Reply(
                error=f"the tactic is not valid Unicode text: {error.reason} at character {error.start}"
            )
        forbidden = refused_head(tactic, options.forbid)
        return None if forbidden is None else Reply(error=forbidden)

    def job(self, slot: int, tactic: str, options: EpisodeOptions) -> Job:
        """Return the request that tries `tactic` in this state, within the rest of the time budget."""
        deadline = options.verify_seconds if options.whole_proofs else options.tactic_seconds
        if options.max_seconds is not None:
            deadline = min(deadline, options.max_seconds - self.seconds)
        if options.whole_proofs:
            script = read_attempt(tactic, self.theorem, options.max_answer_chars).script
            return Job(slot, self.theorem, (), script, deadline, whole=True)
        return Job(slot, self.theorem, self.tactics, tactic, deadline)

    def advance(self, tactic: str, reply: Reply, options: EpisodeOptions, reward: Reward) -> Episode:
        """Return the episode after a step.

        Args:
            tactic: What was tried.
            reply: The prover's answer.
            options: The budgets.
            reward: Computes the step's terms.

        Returns:
            The next episode; this one is unchanged.

        Raises:
            ValueError: The reward is not finite.
        """
        transition = self.transition(tactic, reply, options)
        verdict = reply.verdict
        attempt = None
        if options.whole_proofs:
            attempt = read_attempt(tactic, self.theorem, options.max_answer_chars).source
        return Episode(
            theorem=self.theorem,
            goals=transition.after,
            tactics=transition.tactics,
            steps=transition.step,
            seconds=self.seconds + reply.seconds,
            outcome=transition.outcome,
            tactic=tactic,
            error=transition.error,
            messages=reply.messages,
            axioms=None if verdict is None else verdict.axioms,
            verification=None if verdict is None else verdict.level,
            terms=reward_terms(reward, transition),
            history=(*self.history, PastStep(tactic, transition.error, self.goals)),
            undeclared=self.undeclared,
            redefined=self.redefined,
            attempt=attempt,
            errors=reply.errors,
        )

    def transition(self, tactic: str, reply: Reply, options: EpisodeOptions) -> Transition:
        """Return a step as a reward sees it.

        Args:
            tactic: As for `advance`, like `reply` and `options`.
            reply: The prover's answer.
            options: The budgets.
        """
        error = reply.error
        if reply.verdict is not None:
            error = None if reply.verdict.proved else reply.verdict.reason or "the proof was rejected"
        outcome = _judge(reply, self.steps + 1, self.seconds + reply.seconds, options)
        script = tactic
        moved = reply.goals is not None
        if options.whole_proofs:
            # A failed attempt leaves nothing: the next one begins with the statement again.
            moved = outcome is Outcome.PROVED
            script = read_attempt(tactic, self.theorem, options.max_answer_chars).script if moved else ""
        return Transition(
            theorem=self.theorem,
            tactic=tactic,
            before=self.goals,
            after=reply.goals if moved and reply.goals is not None else self.goals,
            outcome=outcome,
            error=error,
            tactics=(*self.tactics, script) if moved else self.tactics,
            step=self.steps + 1,
            terminated=outcome in _TERMINAL,
            truncated=outcome in _BUDGETS,
            history=self.history,
        )

    def observation(self, options: EpisodeOptions) -> str:
        """The goals as Lean prints them, or the last whole proof with its errors; cut at the limit."""
        return clip_text(self._text(options), options.max_observation_chars)

    def info(self) -> dict[str, Any]:
        """A fresh `info` dictionary."""
        whole = {} if self.attempt is None else {"attempt": self.attempt, "errors": self.errors}
        return {
            "theorem": self.theorem.name,
            "goals": self.goals,
            "outcome": self.outcome.value,
            "error": self.error,
            "messages": self.messages,
            "reward_terms": dict(self.terms),
            "tactics": self.tactics,
            "axioms": self.axioms,
            "verification": self.verification,
            "steps": self.steps,
            "is_success": self.outcome is Outcome.PROVED,
            "undeclared": self.undeclared,
            "redefined": self.redefined,
            **whole,
        }

    def render(self, options: EpisodeOptions) -> str:
        """The episode for a reader: statement, last tactic with its error, goals."""
        step = f"{'attempt' if options.whole_proofs else 'step'} {self.steps} of {options.most_steps}"
        lines = [self.theorem.statement, f"{step}: {self.outcome.value}"]
        if self.tactic is not None:
            lines.append(f"> {self.tactic}")
        if self.error is not None:
            lines.append(f"error: {self.error}")
        lines += [f"note: {message}" for message in self.messages]
        return "\n".join([*lines, "", self._text(options)])

    def _text(self, options: EpisodeOptions) -> str:
        if self.attempt is not None and self.goals:
            if not self.attempt:
                return asked_text(self.theorem)
            most = options.max_observation_chars
            return failed_text(self.theorem, self.attempt, self.error, self.errors, most)
        return ProofState(self.goals, handle=None).text


def _judge(reply: Reply, steps: int, seconds: float, options: EpisodeOptions) -> Outcome:
    if reply.crashed:
        return Outcome.CRASHED
    if reply.verdict is not None and (reply.verdict.proved or not options.whole_proofs):
        return Outcome.PROVED if reply.verdict.proved else Outcome.REJECTED
    if steps >= options.most_steps:
        return Outcome.STEP_LIMIT
    if options.max_seconds is not None and seconds >= options.max_seconds:
        return Outcome.TIME_LIMIT
    return Outcome.TACTIC_ERROR if reply.goals is None or options.whole_proofs else Outcome.RUNNING
