"""Proofs of MCP clients: states that stay reachable, and handles that move among them.

A client that calls tools keeps no connection that means anything: under the protocol's newest revision each HTTP
request stands alone. So every call names its proof by a handle that nobody can guess.
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lean_gym.datasets.formats.rows import theorem_from_statement
from lean_gym.datasets.redefinitions import misleading
from lean_gym.errors import DataError, excerpt, unknown_name
from lean_gym.integrations.shared_provers import SavedTurn, SharedProvers, Turn
from lean_gym.types import Outcome, Theorem
from lean_gym.verification.tactic_filter import refused_commands

MOST_PROOFS: Final = 256
"""Handles kept. A further one ends the one of the client with most of them that was not used for longest."""
MOST_TACTICS: Final = 1000
"""Tactics tried for one `start_theorem`, over all its branches."""
MOST_TRIED: Final = 32
"""Tactics in one `try_tactics`."""
_LONGEST_STATEMENT: Final = 1 << 16


# The SDK takes the slots of a class for defaults of its schema, so the answers have none.
@dataclass(frozen=True)
class View:
    """A state of a proof, as a tool shows it.

    Attributes:
        proof: Handle of the proof, for the next calls.
        state: Number of this state, for `goto`.
        outcome: `running`; `proved`; `tactic_error`: the tactic was refused; `rejected`: no goal was left, but Lean's
            kernel refused the proof; `crashed`: the prover died twice. The last three leave the state as it was.
        goals: The open goals as Lean prints them.
        error: Lean's message about what was refused.
        messages: Lean's further messages, e.g. `Try this: ...`.
        tactics: The tactics that led to this state.
        tactics_left: Tactics that may still be tried.
    """

    proof: str
    state: int
    outcome: str
    goals: str
    error: str | None
    messages: list[str]
    tactics: list[str]
    tactics_left: int


@dataclass(frozen=True)
class Trial:
    """Result of a tactic that was tried and not kept.

    Attributes:
        tactic: Its text.
        outcome: As in `View`.
        goals: The goals that it leaves; `null` when it was refused.
        error: Lean's message when it was refused.
        messages: Lean's further messages.
    """

    tactic: str
    outcome: str
    goals: str | None
    error: str | None
    messages: list[str]


@dataclass(frozen=True)
class Judgement:
    """The verdict on a state of a proof.

    Attributes:
        proved: Whether the kernel accepted the whole script, replayed from the bare statement.
        reward: The environment's reward: 1.0 when proved, else 0.0.
        reason: Why it is not proved; `null` when it is.
        axioms: Axioms that the proof uses; `null` when it is not proved.
        script: Lean source of statement and tactics.
    """

    proved: bool
    reward: float
    reason: str | None
    axioms: list[str] | None
    script: str


@dataclass(frozen=True, slots=True)
class _Node:
    """A state: where it came from, and the point of the episode."""

    parent: int
    place: SavedTurn


class _Tree:
    """All states that were reached from one start, with the budget of tactics."""

    def __init__(self, provers: SharedProvers, theorem: Theorem, most_tactics: int) -> None:
        self.theorem = theorem
        self.lock = threading.Lock()
        self.left = most_tactics
        self._session = provers.session()
        self._session.reset(theorem)
        self.nodes = [_Node(0, self._session.save())]

    def run(self, state: int, tactic: str) -> tuple[Turn, SavedTurn]:
        """Try a tactic on a state, which costs one of the budget.

        Raises:
            ValueError: The budget is spent, or the proof is finished there.
        """
        if self.nodes[state].place.turn.done:
            raise ValueError("the theorem is proved in this state; call submit, or undo to go on elsewhere")
        if not self.left:
            raise ValueError("the budget of tactics is spent; call start_theorem for a new attempt")
        self._session.restore(self.nodes[state].place)
        self.left -= 1
        turn = self._session.step(tactic)
        return turn, self._session.save()


@dataclass(frozen=True, slots=True)
class Owner:
    """The client that a handle counts for.

    Attributes:
        address: Where it is; `""` on pipes.
        session: Its session or connection there.
    """

    address: str = ""
    session: str = ""


NOBODY: Final = Owner()


class Proof:
    """A handle: a tree of states and the place in it."""

    def __init__(self, name: str, tree: _Tree, state: int = 0) -> None:
        self.name = name
        self._tree = tree
        self._state = state

    @property
    def theorem(self) -> Theorem:
        """The theorem."""
        return self._tree.theorem

    def view(self) -> View:
        """Return the present state."""
        with self._tree.lock:
            return self._shown()

    def apply(self, tactic: str) -> View:
        """Run a tactic; a refused one, and a proof that the kernel refuses, leave the state as it is.

        Raises:
            ValueError: The budget is spent, or the proof is finished.
            LeanGymError: The prover failed.
        """
        with self._tree.lock:
            turn, place = self._tree.run(self._state, tactic)
            if turn.info["outcome"] in (Outcome.RUNNING, Outcome.PROVED):
                self._tree.nodes.append(_Node(self._state, place))
                self._state = len(self._tree.nodes) - 1
                return self._shown()
            return replace(
                self._shown(),
                outcome=turn.info["outcome"],
                error=turn.info["error"],
                messages=list(turn.info["messages"]),
            )

    def trials(self, tactics: Sequence[str]) -> list[Trial]:
        """Run each tactic on the present state and keep none.

        Raises:
            ValueError: Too many tactics, or as `apply`.
            LeanGymError: The prover failed.
        """
        if not 1 <= len(tactics) <= MOST_TRIED:
            raise ValueError(f"tactics: got {len(tactics)}, expected 1 to {MOST_TRIED}")
        with self._tree.lock:
            return [_trial(tactic, self._tree.run(self._state, tactic)[0]) for tactic in tactics]

    def undo(self, count: int) -> View:
        """Go back by accepted tactics.

        Raises:
            ValueError: There are fewer.
        """
        with self._tree.lock:
            depth = len(self._tree.nodes[self._state].place.turn.info["tactics"])
            if not 1 <= count <= depth:
                raise ValueError(f"count: got {count}, but {depth} tactics can be taken back")
            for _ in range(count):
                self._state = self._tree.nodes[self._state].parent
            return self._shown()

    def goto(self, state: int) -> View:
        """Go to a state that was reached before, from this handle or another of the tree.

        Raises:
            ValueError: No such state.
        """
        with self._tree.lock:
            if not 0 <= state < len(self._tree.nodes):
                raise ValueError(
                    f"state: got {excerpt(state)}, expected 0 to {len(self._tree.nodes) - 1}, the states reached so far"
                )
            self._state = state
            return self._shown()

    def branched(self, name: str) -> Proof:
        """Return a second handle at the present state; states and budget are shared."""
        with self._tree.lock:
            return Proof(name, self._tree, self._state)

    def judgement(self) -> Judgement:
        """Return the verdict of the environment on the present state; nothing but it counts as a proof."""
        with self._tree.lock:
            turn = self._tree.nodes[self._state].place.turn
        proved = turn.info["outcome"] == Outcome.PROVED
        lines = [f"  {line}" for tactic in turn.info["tactics"] for line in tactic.split("\n")]
        parts = [self.theorem.context, "\n".join([f"{self.theorem.statement} := by", *lines])]
        return Judgement(
            proved=proved,
            reward=turn.reward if proved else 0.0,
            reason=None if proved else f"{len(turn.info['goals'])} goals are left:\n{turn.goals}",
            axioms=list(turn.info["axioms"] or ()) if proved else None,
            script="\n\n".join(part for part in parts if part),
        )

    def _shown(self) -> View:
        turn = self._tree.nodes[self._state].place.turn
        invented = turn.info["undeclared"]
        notes = [f"Lean made variables of {', '.join(invented)}, which nothing declares"] if invented else []
        if words := turn.info["redefined"]:
            notes.append(f"the context of the theorem {misleading(words)}")
        return View(
            proof=self.name,
            state=self._state,
            outcome=turn.info["outcome"],
            goals=turn.goals,
            error=None,
            messages=[*turn.info["messages"], *notes],
            tactics=list(turn.info["tactics"]),
            tactics_left=self._tree.left,
        )


class Proofs:
    """The proofs of all clients of a server.

    Args:
        provers: Prove; their episodes must not be cut by a limit of steps below `most_tactics`.
        theorems: Theorems that clients may name.
        imports: Lean modules that the statements of clients may use.
        most_proofs: Handles kept.
        most_tactics: Tactics tried for one theorem that was started.
        evaluates: Whether the prover runs programs, as real Lean does; then tactics in statements must be known.

    Raises:
        ValueError: `most_tactics` below 1.
    """

    def __init__(
        self,
        provers: SharedProvers,
        theorems: Mapping[str, Theorem],
        imports: Sequence[str] = (),
        most_proofs: int = MOST_PROOFS,
        most_tactics: int = MOST_TACTICS,
        evaluates: bool = False,
    ) -> None:
        if most_tactics < 1:
            raise ValueError(f"max_tactics: got {most_tactics}, expected an integer >= 1")
        self._provers = provers
        self._theorems = theorems
        self._imports = tuple(imports)
        self._most_proofs = most_proofs
        self._most_tactics = most_tactics
        self._evaluates = evaluates
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Proof] = OrderedDict()
        self._owners: dict[str, Owner] = {}

    def start(self, theorem: str, context: str = "", owner: Owner = Owner()) -> Proof:
        """Start a theorem.

        Args:
            theorem: Name of a theorem of the server, or a statement, which has a space.
            context: Lean commands in front of a statement.
            owner: The client.

        Raises:
            DataError: The statement does not elaborate, or the context makes it say something else than it shows.
            ValueError: No theorem of that name, or a text that is too long.
            BackendError: The prover cannot be started.
        """
        tree = _Tree(self._provers, self._found(theorem, context), self._most_tactics)
        if context and (words := tree.nodes[0].place.turn.info["redefined"]):
            raise DataError(f"context: {misleading(words)}")
        return self._keep(Proof(_fresh(), tree), owner)

    def get(self, name: str) -> Proof:
        """Return the proof of a handle.

        Raises:
            ValueError: No such handle, or it has ended.
        """
        with self._lock:
            if name not in self._open:
                raise ValueError(
                    f"proof: got {excerpt(name)}, which is no open proof; call start_theorem and use its `proof`"
                )
            self._open.move_to_end(name)
            return self._open[name]

    def branch(self, name: str, owner: Owner = Owner()) -> Proof:
        """Return a second handle at the state of a first.

        Args:
            name: The first.
            owner: The client.

        Raises:
            ValueError: No such handle, or it has ended.
        """
        return self._keep(self.get(name).branched(_fresh()), owner)

    def _keep(self, proof: Proof, owner: Owner) -> Proof:
        with self._lock:
            self._open[proof.name], self._owners[proof.name] = proof, owner
            while len(self._open) > self._most_proofs:
                ended = self._next_to_end()
                del self._open[ended], self._owners[ended]
        return proof

    def _next_to_end(self) -> str:
        """Return the handle that was not used for longest, of the session with most of the address with most."""
        by_address = Counter(owner.address for owner in self._owners.values())
        by_session = Counter(self._owners.values())
        most = max(self._owners.values(), key=lambda owner: (by_address[owner.address], by_session[owner]))
        return next(name for name in self._open if self._owners[name] == most)

    def _found(self, text: str, context: str) -> Theorem:
        for name, given in (("theorem", text), ("context", context)):
            if len(given) > _LONGEST_STATEMENT:
                raise ValueError(f"{name}: got {len(given)} characters, at most {_LONGEST_STATEMENT} allowed")
        if len(text.split()) > 1:
            for name, given in (("theorem", text), ("context", context)):
                if self._evaluates and (refused := refused_commands(given)):
                    raise DataError(f"{name}: {refused}")
            bare = theorem_from_statement(text, 0, "theorem")
            return replace(bare, context=context, imports=self._imports)
        if context:
            raise ValueError("context: got one with a theorem that the server knows; leave it out")
        if text not in self._theorems:
            raise ValueError(unknown_theorem(text, self._theorems))
        return self._theorems[text]


def unknown_theorem(text: str, known: Mapping[str, Theorem]) -> str:
    """Return the message about a name that no theorem has; it does not list them all."""
    near = unknown_name("theorem", text, known).partition(" (known:")[0]
    return f"{near}; a statement is given as in 'theorem t (p : Prop) : p → p'"


def _fresh() -> str:
    return f"proof-{secrets.token_hex(8)}"


def _trial(tactic: str, turn: Turn) -> Trial:
    accepted = turn.info["outcome"] in (Outcome.RUNNING, Outcome.PROVED)
    return Trial(
        tactic=tactic,
        outcome=turn.info["outcome"],
        goals=turn.goals if accepted else None,
        error=turn.info["error"],
        messages=list(turn.info["messages"]),
    )
