"""Search for many theorems side by side on the states of the vector environment.

A round asks each rule for its expansions, samples the tactics of all of them in one call of the policy, and tries
those that are new in their state. Results are taken note of in the order of the requests, so a search depends on the
seed and not on timing, as long as no limit in seconds ends it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np

from lean_gym import LeanProofVectorEnv
from lean_gym.envs.attempts import read_attempt
from lean_gym.envs.spaces import TacticSpace
from lean_gym.errors import DataError
from lean_gym.types import Outcome, Theorem
from trainers.policies.base import Completion, Policy
from trainers.policies.premises import Retriever
from trainers.policies.views import ONLY_GOALS, View, show_all, with_retriever
from trainers.proving.search.budget import Budget, Spent
from trainers.proving.search.drawing import hidden_characters
from trainers.proving.search.rules import Expansion, Rule
from trainers.proving.search.tree import Edge, Node, Proof, Tree


@dataclass(frozen=True, slots=True)
class Frame:
    """Tactics around the part of a proof that is searched, each side as one block, empty for none.

    With tactics `after`, the search is for a proof of the first goal that `before` leaves; the other goals are theirs.
    """

    before: str = ""
    after: str = ""


GIVEN_LOGPROB: Final = -20.0
"""Log-probability of a tactic that a rule gave: the states that a policy found itself come first."""
_SEARCHING: Final = re.compile(r"(|.*[;:>] ?)\w+\?[^;<>]*")
_FOUND: Final = re.compile(r"Try this:\s*(?:\[apply\] )?(.+)")
NO_FRAMES: Final[Mapping[str, Frame]] = MappingProxyType({})


@dataclass(slots=True)
class Search:
    """Search for a proof of one theorem.

    Attributes:
        theorem: Its name.
        tree: The tree so far; `None` before the start, and for a statement that does not elaborate.
        spent: What was used of the budget.
        failure: The prover's message about a statement that does not elaborate, or tactics before the search.
        ended: Whether nothing is left to do: proved, budget spent, or no state left to expand.
    """

    theorem: str
    tree: Tree | None = None
    spent: Spent = field(default_factory=Spent)
    failure: str = ""
    ended: bool = False

    @property
    def proof(self) -> Proof | None:
        """Return the proof found, with the environment's verdict."""
        return None if self.tree is None else self.tree.proof


class Searcher:
    """Searches on an open environment, which the caller closes.

    Attributes:
        searches: The searches of the last call, in the order of the theorems, also after an exception ended it: what
            was found until a Ctrl-C is there.
    """

    def __init__(
        self,
        env: LeanProofVectorEnv,
        policy: Policy | None,
        create_rule: Callable[[], Rule],
        budget: Budget,
        *,
        on_step: Callable[[], None] = lambda: None,
        view: View = ONLY_GOALS,
        frames: Mapping[str, Frame] = NO_FRAMES,
        split_goals: bool = False,
        retriever: Retriever | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep an environment.

        Args:
            env: Its autoreset is disabled; its `max_steps` is the greatest depth of a tree, and the number of its
                episodes that of theorems and of tactics under way side by side. Its actions may be whole proofs.
            policy: Proposes tactics; `None` for rules that give all tactics themselves.
            create_rule: Makes the rule of each search.
            budget: Limits for each theorem.
            on_step: Called before each call of the policy or the environment; may raise to stop.
            view: What is shown in a state.
            frames: By theorem, tactics around the part of its proof that is searched.
            split_goals: Search independent goals apart, for rules that look at the states of the tree alone.
            retriever: Finds premises for the goals of a state, which are shown above them; `None` for those of `view`.
            clock: Seconds since some moment.
        """
        self.searches: tuple[Search, ...] = ()
        self._given: dict[str, Theorem] = {}
        self._env = env
        self._policy = policy
        self._create_rule = create_rule
        self._budget = budget
        self._on_step = on_step
        self._view = with_retriever(view, retriever)
        self._frames = frames
        self._split_goals = split_goals
        self._clock = clock

    def search(self, theorems: Sequence[str | Theorem]) -> tuple[Search, ...]:
        """Search for a proof of each theorem.

        Args:
            theorems: Names of theorems of the environment, or other theorems.

        Returns:
            One search for each, in order.
        """
        self._given = {each.name: each for each in theorems if isinstance(each, Theorem)}
        names = [each.name if isinstance(each, Theorem) else each for each in theorems]
        self.searches = tuple(map(Search, names))
        waiting = iter(self.searches)
        running: list[_Running] = []
        while True:
            for search in waiting:
                if (started := self._start(search)) is not None:
                    running.append(started)
                if len(running) == self._env.num_envs:
                    break
            if not running:
                return self.searches
            self._round(running)
            running = [each for each in running if not each.search.ended]

    def _start(self, search: Search) -> _Running | None:
        """Start a theorem; `None` if its statement does not elaborate."""
        self._on_step()
        count = self._env.num_envs
        began = self._clock()
        names = [self._given.get(search.theorem, search.theorem), *[None] * (count - 1)]
        try:
            texts, _ = self._env.reset(options={"reset_mask": np.arange(count) == 0, "theorem": names})
        except DataError as error:
            search.failure, search.ended = str(error), True
            return None
        text, point = texts[0], self._env.save([0])[0]
        frame = self._frames.get(search.theorem, Frame())
        if self._env.whole_proofs and frame != Frame():
            search.failure, search.ended = (
                "a part of a proof is searched by tactics, not by whole proofs",
                True,
            )
            return None
        if frame.before:
            self._env.step_async([frame.before], [0])
            ready = self._env.recv(1)
            text, point = ready.observations[0], self._env.save([0])[0]
            if ready.infos[0]["outcome"] != Outcome.RUNNING:
                search.failure = f"the tactics before: {ready.infos[0]['error'] or 'they leave no goal'}"
        if frame.after and len(point.episode.goals) < 2:
            search.failure = search.failure or "no goal is left for the tactics after it"
        if search.failure:
            search.ended = True
            return None
        search.tree = Tree.start(text, point, self._split_goals, alone=bool(frame.after))
        return _Running(search, search.tree, self._create_rule(), began)

    def _round(self, running: Sequence[_Running]) -> None:
        for each in running:
            each.plan(self._budget, self._clock())
        asked = [(each, at) for each in running for at, _ in each.requests()]
        if asked and self._policy is not None:
            self._on_step()
            shown = self._shown([each.planned[at].node for each, at in asked])
            for (each, at), completion in zip(asked, self._policy.sample(shown), strict=True):
                text = self._read(each.tree, completion.text)
                each.receive(at, completion, text, self._budget)
        for each in running:
            each.take_given(self._budget)
        self._try_all(running)
        for each in running:
            each.conclude(self._budget, self._clock())

    def _read(self, tree: Tree, answer: str) -> str:
        """Return the script in an answer that holds a whole proof, else the answer."""
        if not self._env.whole_proofs:
            return answer
        space = cast(TacticSpace, self._env.single_action_space)
        return read_attempt(answer, tree.root.point.episode.theorem, space.max_length).script or answer

    def _shown(self, nodes: Sequence[Node]) -> list[str]:
        """Return the texts shown in states."""
        distinct = list(dict.fromkeys(nodes))
        texts = show_all(self._view, [node.text for node in distinct], [node.episode for node in distinct])
        shown = dict(zip(distinct, texts, strict=True))
        return [shown[node] for node in nodes]

    def _try_all(self, running: Sequence[_Running]) -> None:
        """Try the new tactics, as many at once as the environment has episodes."""
        jobs = [(each, *job) for each in running for job in each.queue]
        while jobs:
            self._on_step()
            now = self._clock()
            jobs = [job for job in jobs if not job[0].is_tried(self._budget, now)]
            wave, jobs = jobs[: self._env.num_envs], jobs[self._env.num_envs :]
            if not wave:
                return
            slots = list(range(len(wave)))
            self._env.restore({slot: wave[slot][1].point for slot in slots})
            for each, _, _ in wave:
                each.search.spent.tactics += 1
            self._env.step_async([node.worded(edge.tactic) for _, node, edge in wave], slots)
            infos: dict[int, tuple[str, dict[str, Any]]] = {}
            while len(infos) < len(wave):
                ready = self._env.recv(len(wave) - len(infos))
                infos |= dict(
                    zip(
                        ready.env_ids.tolist(), zip(ready.observations, ready.infos, strict=True), strict=True
                    )
                )
            for slot, (each, node, edge) in enumerate(wave):
                self._record(each.tree, node, edge, slot, *self._spell_out(node, edge, slot, *infos[slot]))
            for each in running:
                self._join(each.tree, self._frames.get(each.search.theorem, Frame()).after)

    def _join(self, tree: Tree, after: str) -> None:
        """Verify the proof that is put together from those of goals searched apart; no tactic of it is counted.

        A tactic with which the joined script fails is taken out, and other proofs of its goals are tried.
        """
        while tree.proof is None and tree.root.proof is not None:
            script = tree.joined()
            tactics = [edge.tactic for edge in script] + ([after] if after else [])
            self._env.restore({0: tree.root.point})
            played = 0
            for tactic in tactics:
                self._on_step()
                played += 1
                self._env.step_async([tactic], [0])
                info = self._env.recv(1).infos[0]
                if info["outcome"] != Outcome.RUNNING:
                    break
            if info["outcome"] == Outcome.PROVED and played == len(tactics):
                tree.proof = _proof(info, script)
            else:
                tree.refute(script[min(played, len(script)) - 1])

    def _spell_out(
        self, node: Node, edge: Edge, slot: int, text: str, info: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Put what a tactic such as `exact?` found in its place, if that does the same; this try is not counted."""
        found = spelled_out(edge.tactic, info["messages"])
        if info["outcome"] not in (Outcome.RUNNING, Outcome.PROVED) or found is None:
            return text, info
        before = self._env.save([slot])[0]
        self._env.restore({slot: node.point})
        self._env.step_async([node.worded(found)], [slot])
        ready = self._env.recv(1)
        if (ready.infos[0]["outcome"], ready.observations[0]) == (info["outcome"], text):
            edge.tactic = found
            return text, ready.infos[0]
        self._env.restore({slot: before})
        return text, info

    def _record(self, tree: Tree, node: Node, edge: Edge, slot: int, text: str, info: dict[str, Any]) -> None:
        edge.outcome, edge.error = Outcome(info["outcome"]), info["error"]
        if edge.outcome is Outcome.RUNNING:
            tree.reach(node, edge, text, self._env.save([slot])[0])
        elif edge.outcome is Outcome.TACTIC_ERROR and self._env.whole_proofs:
            tree.fail(node, edge, text, self._env.save([slot])[0])
        elif edge.outcome is Outcome.PROVED and tree.root.rest:
            edge.outcome, edge.error = Outcome.TACTIC_ERROR, "it proves more than the goal that is searched"
            tree.refused += 1
        elif edge.outcome is Outcome.PROVED:
            edge.proof = True
            if tree.proof is None:
                tree.proof = _proof(info, [*tree.path_to(node), edge])
        else:
            tree.refused += 1


@dataclass(slots=True)
class _Running:
    """A search under way: its rule, and the work of the present round."""

    search: Search
    tree: Tree
    rule: Rule
    began: float
    planned: list[Expansion] = field(default_factory=list)
    tried: list[list[Edge]] = field(default_factory=list)
    fresh: list[bool] = field(default_factory=list)
    queue: list[tuple[Node, Edge]] = field(default_factory=list)

    def plan(self, budget: Budget, now: float) -> None:
        """Take the next expansions from the rule, within the model calls that are left."""
        spent = self.search.spent
        self.planned = []
        for expansion in () if self.is_done(budget, now) else self.rule.choose(self.tree):
            samples = spent.calls_left(budget, expansion.samples)
            if samples or expansion.given:
                spent.model_calls += samples
                expansion.node.expansions += not expansion.given
                self.planned.append(replace(expansion, samples=samples))
        self.tried = [[] for _ in self.planned]
        self.fresh = [False for _ in self.planned]
        self.queue = []

    def requests(self) -> Iterator[tuple[int, int]]:
        """Yield the place of an expansion and the number of a completion of it, for all that are wanted."""
        return ((at, number) for at, one in enumerate(self.planned) for number in range(one.samples))

    def take_given(self, budget: Budget) -> None:
        """Take the tactics that the rule gave itself."""
        for at, expansion in enumerate(self.planned):
            for tactic in expansion.given:
                self.receive(at, Completion((), (), (GIVEN_LOGPROB,), tactic), tactic, budget)

    def receive(self, at: int, completion: Completion, text: str, budget: Budget) -> None:
        """Take a completion; one whose `text` is new in its state is tried if the budget has room for it."""
        expansion, spent = self.planned[at], self.search.spent
        edge = expansion.node.edges.get(text)
        room = spent.tactics_left(budget) - len(self.queue) > 0
        if edge is not None:
            self.tree.repeated += 1
            spent.tactics += expansion.independent and room
        elif room:
            self.fresh[at] = True
            edge = Edge(completion.text, completion.logprobs, expansion.source)
            expansion.node.edges[text] = edge
            if next(hidden_characters(text), None) is None:
                self.queue.append((expansion.node, edge))
            else:
                edge.outcome, edge.error = Outcome.TACTIC_ERROR, "the tactic has control characters"
                spent.tactics += 1
                self.tree.refused += 1
        if edge is not None and room:
            self.tried[at].append(edge)

    def conclude(self, budget: Budget, now: float) -> None:
        """End the round, and the search if nothing is left to do."""
        for expansion, fresh in zip(self.planned, self.fresh, strict=True):
            node = expansion.node
            if expansion.given:
                continue
            if fresh:
                node.fruitless = 0
            # An episode of its own says little about what else the policy has.
            elif not expansion.independent:
                node.fruitless += 1
            node.dry = node.fruitless >= budget.patience
        done = self.is_done(budget, now)
        self.search.ended = done or not self.planned
        if not self.search.ended:
            self.rule.learn(self.tree, list(zip(self.planned, self.tried, strict=True)))

    def is_done(self, budget: Budget, now: float) -> bool:
        """Return whether the theorem is proved or its budget spent."""
        return self.is_tried(budget, now) or self.search.spent.is_over(budget)

    def is_tried(self, budget: Budget, now: float) -> bool:
        """Return whether no tactic that the policy gave is to be tried any more."""
        self.search.spent.seconds = now - self.began
        return self.tree.proof is not None or self.search.spent.tries_are_over(budget)


def spelled_out(tactic: str, messages: Sequence[str]) -> str | None:
    """Return a tactic with what it found in place of a last part such as `exact?`; `None` if no message says it.

    Source: Lean 4 `src/Lean/Meta/TryThis.lean` (4.34), the form of the message.
    """
    searching = _SEARCHING.fullmatch(tactic)
    found = [match for message in messages if (match := _FOUND.fullmatch(message.strip()))]
    return f"{searching[1]}{found[0][1]}" if searching and len(found) == 1 else None


def _proof(info: Mapping[str, Any], path: Sequence[Edge]) -> Proof:
    sources = tuple(dict.fromkeys(edge.source for edge in path))
    return Proof(tuple(info["tactics"]), tuple(info["axioms"] or ()), str(info["verification"]), sources)
