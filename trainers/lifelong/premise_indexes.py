"""Premises in a course: an index for each repository, and an encoder that learns from one repository after another.

In the folder of a repository, and in `start/` before the first one:

premises/data/        states of the training theorems so far with the premises that they use, in LeanDojo's layout
premises/encoder/     the encoder trained on them from the one before; not for BM25
premises/NAME/        the index of repository NAME: only its own premises can be found for its theorems
premises/training/    the index for training where theorems are replayed: each finds the premises of its own repository

A theorem set has no premises, so its theorems are shown none. Held-out theorems train no encoder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lean_gym.datasets.leandojo_steps import CORPUS, corpus_file
from lean_gym.types import Theorem
from trainers.config.lifelong import LifelongConfig
from trainers.config.retrieval import NGRAMS
from trainers.errors import ConfigError
from trainers.lifelong.member import TRAINING, Indexes, Member
from trainers.lifelong.records import Repository, TracedTheorem
from trainers.lifelong.retriever_needs import NO_PREMISES
from trainers.lifelong.stage_log import Result, expect_done
from trainers.lifelong.theorem_parts import Parts
from trainers.retrieval.corpus import Corpus
from trainers.retrieval.encoder import encode, fingerprint, load_encoder, texts_of
from trainers.retrieval.examples import read_examples
from trainers.retrieval.index import write_index
from trainers.retrieval.program import run
from trainers.runtime.atomic_files import write_text

Row = Mapping[str, Any]


class PremiseIndexes:
    """Writes the indexes of a course."""

    def __init__(
        self,
        config: LifelongConfig,
        members: Sequence[Member],
        repositories: Sequence[Repository],
        parts: Sequence[Parts],
        on_step: Callable[[], None],
    ) -> None:
        """Keep the parts.

        Args:
            config: The settings.
            members: The repositories in their order.
            repositories: The same with premises and theorems.
            parts: Their theorems.
            on_step: Raises to stop.

        Raises:
            ConfigError: No repository has premises.
        """
        self._config = config
        self._members = members
        self._repositories = repositories
        self._parts = parts
        self._on_step = on_step
        self._rows = [_rows(repository) for repository in repositories]
        if not any(self._rows):
            raise ConfigError(NO_PREMISES)

    def start(self, out: Path) -> Result:
        """Write the indexes before the first repository.

        An encoder that is made on the spot knows nothing yet, so BM25 stands in for it.
        """
        named = str(self._config.retrieval.get("encoder", NGRAMS))
        encoder = named if self._config.retriever == "encoder" and named != NGRAMS else ""
        return self._write(out / "premises", encoder)

    def after(self, number: int, before: Indexes, replayed: Sequence[Theorem]) -> Result:
        """Write the indexes with which the repository of a number is learned and all are measured after it.

        Args:
            number: Its number, from 0.
            before: Indexes before it.
            replayed: Theorems of earlier repositories in its training part.
        """
        out = self._members[number].folder / "premises"
        done: Result = {"encoder": before.encoder, "indexes": dict(before.folders)}
        done["indexes"].pop(TRAINING, None)
        if self._config.retriever == "encoder":
            encoder = self._train(number, out, before.encoder)
            if encoder != before.encoder:
                done = self._write(out, encoder)
        if replayed and self._rows[number]:
            rows = list(self._rows[number])
            for at in reversed(range(number)):
                rows += _rows(self._repositories[at], f"{self._members[at].name}/")
            # Of several places of a name the first one counts.
            rows += _rows_of_replayed(replayed)
            done["indexes"][TRAINING] = self._write_index(out / TRAINING, rows, done["encoder"])
        return done

    def _write(self, out: Path, encoder: str | Path) -> Result:
        indexes = {
            member.name: self._write_index(out / member.name, rows, encoder)
            for member, rows in zip(self._members, self._rows, strict=True)
            if rows
        }
        return {"encoder": encoder, "indexes": indexes}

    def _write_index(self, out: Path, rows: Sequence[Row], encoder: str | Path) -> Path:
        self._on_step()
        try:
            corpus = _corpus(rows)
        except ValueError as error:
            raise ConfigError(f"retriever: the premises of {out.name} cannot be used: {error}") from None
        if not encoder:
            write_index(out, corpus)
            return out
        loaded = load_encoder(str(encoder))
        vectors = encode(loaded, texts_of(corpus.premises))
        # Relative, so that the run folder can be moved.
        name = os.path.relpath(encoder, out) if isinstance(encoder, Path) else encoder
        write_index(out, corpus, vectors, name, fingerprint(loaded))
        return out

    def _train(self, number: int, out: Path, before: str | Path) -> str | Path:
        """Train the encoder on the training theorems so far, and return it; the one before if none uses a premise."""
        rows: list[Row] = []
        theorems: list[Row] = []
        for at in filter(self._rows.__getitem__, range(number + 1)):
            repository, prefix = self._repositories[at], f"{self._members[at].name}/"
            trained = {theorem.name for theorem in self._parts[at].train}
            rows += _rows(repository, prefix)
            theorems += [
                _theorem(each, prefix)
                for each in repository.theorems
                if each.episode is not None and each.episode.name in trained
            ]
        data = out / "data"
        (data / "random").mkdir(parents=True, exist_ok=True)
        write_text(data / CORPUS, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        write_text(data / "random" / "train.json", json.dumps(theorems, ensure_ascii=False) + "\n")
        if not rows or not read_examples(data, "random", "train", _corpus(rows)).rows:
            return before
        settings = self._config.to_retrieval(str(data), str(out / "encoder"), str(before))
        expect_done(run(settings, dry_run=False))
        return out / "encoder"


def _corpus(rows: Sequence[Row]) -> Corpus:
    return Corpus([corpus_file(row) for row in rows])


def _rows(repository: Repository, prefix: str = "") -> list[Row]:
    """Return the corpus of a repository, its paths behind a prefix; none without a premise that has code."""
    own = {file.path for file in repository.premise_files}
    if not any(
        str(premise["code"]).strip() for file in repository.premise_files for premise in file.premises
    ):
        return []
    return [
        {
            "path": f"{prefix}{file.path}",
            "imports": [f"{prefix}{name}" if name in own else name for name in file.imports],
            "premises": [dict(premise) for premise in file.premises],
        }
        for file in repository.premise_files
    ]


def _rows_of_replayed(theorems: Sequence[Theorem]) -> list[Row]:
    """Return a file at whose only place all replayed theorems stand, so that none may use a premise of it.

    It is looked at for theorems that no corpus has, those of theorem sets: other theorems that a corpus does not have
    may use all premises.
    """
    return [
        {
            "path": "replayed theorems",
            "imports": [],
            "premises": [
                {"full_name": one.name, "code": one.statement, "start": [1, 1], "end": [2, 1]}
                for one in theorems
            ],
        }
    ]


def _theorem(theorem: TracedTheorem, prefix: str) -> Row:
    """Return a row of LeanDojo's layout, its paths behind a prefix."""
    return {
        "file_path": f"{prefix}{theorem.file}",
        "full_name": theorem.name,
        "start": list(theorem.start),
        "end": list(theorem.end),
        "traced_tactics": [
            {
                **tactic,
                "annotated_tactic": [
                    tactic["annotated_tactic"][0],
                    [
                        {**premise, "def_path": f"{prefix}{premise['def_path']}"}
                        for premise in tactic["annotated_tactic"][1]
                    ],
                ],
            }
            for tactic in theorem.tactics
        ],
    }
