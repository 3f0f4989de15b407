"""Buffer of the verified proofs that a run imitates, as the policy sampled them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from trainers.config.files import read_text
from trainers.errors import ConfigError
from trainers.policies.base import Completion
from trainers.policies.packing import Pair
from trainers.rollouts.player import Trajectory
from trainers.runtime.atomic_files import write_text


@dataclass(frozen=True, slots=True)
class KeptProof:
    """A verified proof.

    Attributes:
        theorem: Name of the theorem.
        round: Number of the round that found it, from 1.
        tactics: The script.
        pairs: Token ids of the prompt and the tactic of each step.
    """

    theorem: str
    round: int
    tactics: tuple[str, ...]
    pairs: tuple[Pair, ...]


_PROOF: Final = TypeAdapter(KeptProof)


class ProofBuffer:
    """The shortest distinct proofs of each theorem, kept in a file so that a run can be resumed."""

    def __init__(self, path: Path, per_theorem: int, rounds: int) -> None:
        """Open the buffer.

        Args:
            path: The file; it need not exist before the first round.
            per_theorem: Number of proofs of a theorem that are used.
            rounds: Completed rounds of the run; proofs of later rounds are dropped and will be found again.

        Raises:
            ConfigError: The file is missing or damaged.
        """
        self._path = path
        self._per_theorem = per_theorem
        self._proofs: dict[str, list[KeptProof]] = {}
        if rounds or path.is_file():
            lines = read_text(path, "cannot read the proofs of the run in").split("\n")
            for number, line in enumerate(lines[:-1], start=1):
                proof = _read(line, f"{path}, line {number}")
                if proof.round <= rounds:
                    self._proofs.setdefault(proof.theorem, []).append(proof)

    def __len__(self) -> int:
        return sum(len(self.of(theorem)) for theorem in self._proofs)

    def of(self, theorem: str) -> list[KeptProof]:
        """Return the proofs of a theorem to imitate: the shortest, and the earliest among equally long ones."""
        return sorted(self._proofs.get(theorem, []), key=lambda proof: len(proof.tactics))[
            : self._per_theorem
        ]

    def pairs(self) -> Iterator[Pair]:
        """Yield all steps of the proofs to imitate."""
        for theorem in sorted(self._proofs):
            for proof in self.of(theorem):
                yield from proof.pairs

    def add(
        self, episodes: Sequence[Trajectory[Completion]], number: int, ended: Callable[[Sequence[int]], bool]
    ) -> int:
        """Add the proofs among episodes.

        Args:
            episodes: Episodes of a round; those without a verified proof are skipped.
            number: The round, from 1.
            ended: Whether tokens end a tactic; truncated steps, which do not, are left out.

        Returns:
            The number of new scripts.
        """
        fresh = 0
        for episode in episodes:
            known = self._proofs.setdefault(episode.theorem, [])
            if not episode.proved or any(proof.tactics == episode.tactics for proof in known):
                continue
            accepted = [step.choice for step in episode.steps if not step.refused]
            pairs = tuple((c.prompt_ids, c.token_ids) for c in accepted if ended(c.token_ids))
            known.append(KeptProof(episode.theorem, number, episode.tactics, pairs))
            fresh += 1
        return fresh

    def save(self) -> None:
        """Write the file."""
        proofs = [proof for kept in self._proofs.values() for proof in kept]
        write_text(self._path, "".join(map(_line, proofs)))


def _line(proof: KeptProof) -> str:
    # Not `asdict`, which copies every token: seconds for the thousands of proofs of a run.
    row = {"theorem": proof.theorem, "round": proof.round, "tactics": proof.tactics, "pairs": proof.pairs}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _read(line: str, where: str) -> KeptProof:
    try:
        return _PROOF.validate_json(line)
    except ValidationError:
        raise ConfigError(
            f"{where}: expected a kept proof, got {line[:80]!r}; start the run again with --config"
        ) from None
