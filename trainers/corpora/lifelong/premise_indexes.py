"""Premises in a course: an index for each repository, and an encoder that learns from one repository after another.

In the folder of a repository, and in `start/` before the first one:

premises/data/        states of the training theorems so far with the premises that they use, in LeanDojo's layout
premises/encoder/     the encoder trained on them from the one before; not for BM25
premises/NAME/        the index of repository NAME: only its own premises can be found for its theorems
premises/training/    the index for training where theorems are replayed: each finds the premises of its own repository

A theorem set has no premises, so its theorems are shown none. Held-out theorems train no encoder. Each index knows the
places of its theorems, as their names may occur in several files and repositories.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor

from lean_gym.datasets.formats.leandojo_steps import CORPUS, corpus_file
from trainers.config.lifelong import LifelongConfig
from trainers.config.retrieval import NGRAMS
from trainers.corpora.lifelong.joined_corpus import JoinedCorpus, rows_of
from trainers.corpora.lifelong.member import TRAINING, Indexes, Member, Replayed
from trainers.corpora.lifelong.records import Repository, TracedTheorem
from trainers.corpora.lifelong.retriever_needs import NO_PREMISES
from trainers.corpora.lifelong.stage_log import Result, expect_done
from trainers.corpora.lifelong.theorem_parts import Parts
from trainers.corpora.retrieval.corpus import Corpus, Places, Position, TheoremKey, key_of
from trainers.corpora.retrieval.encoder import encode, fingerprint, load_encoder, texts_of
from trainers.corpora.retrieval.examples import read_examples
from trainers.corpora.retrieval.index import write_index
from trainers.corpora.retrieval.program import run
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text

ENCODED_AT_ONCE: Final = 4096
"""Premises that are encoded before a signal is looked at."""
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
        self._rows = [rows_of(repository) for repository in repositories]
        self._traced = [
            {key_of(each.episode): each for each in repository.theorems if each.episode is not None}
            for repository in repositories
        ]
        if not any(self._rows):
            raise ConfigError(NO_PREMISES)

    def start(self, out: Path) -> Result:
        """Write the indexes before the first repository.

        An encoder that is made on the spot knows nothing yet, so BM25 stands in for it.
        """
        named = str(self._config.retrieval.get("encoder", NGRAMS))
        encoder = named if self._config.retriever == "encoder" and named != NGRAMS else ""
        return self._write(out / "premises", encoder)

    def after(self, number: int, before: Indexes, replayed: Sequence[Replayed]) -> Result:
        """Write the indexes with which the repository of a number is learned and all are measured after it.

        Args:
            number: Its number, from 0.
            before: Indexes before it.
            replayed: Theorems of earlier repositories in its training part.
        """
        out = self._members[number].folder / "premises"
        done: Result = {"encoder": before.encoder, "indexes": dict(before.folders)}
        done["indexes"].pop(TRAINING, None)
        if self._config.retriever == "bm25" and not replayed:
            return done
        known = [at for at in range(number + 1) if self._rows[at]]
        joined = JoinedCorpus({self._members[at].name: self._repositories[at] for at in known})
        if self._config.retriever == "encoder":
            encoder = self._train(known, joined, out, before.encoder)
            if encoder != before.encoder:
                done = self._write(out, encoder)
        if replayed and not {number, *(one.origin for one in replayed)}.isdisjoint(known):
            places = self._places_for_training(number, replayed, joined)
            done["indexes"][TRAINING] = self._write_index(
                out / TRAINING, joined.rows, places, done["encoder"]
            )
        return done

    def _places_for_training(
        self, number: int, replayed: Sequence[Replayed], joined: JoinedCorpus
    ) -> dict[TheoremKey, Position | None]:
        """Return the places of the theorems that a repository trains on; those of theorem sets have none."""
        origins = dict.fromkeys(self._traced[number], number)
        origins |= {key_of(one.theorem): one.origin for one in replayed}
        places: dict[TheoremKey, Position | None] = {}
        for key, origin in origins.items():
            traced = self._traced[origin][key]
            path = joined.file(self._members[origin].name, traced.file)
            places[key] = None if path is None else Position(path, traced.start)
        return places

    def _write(self, out: Path, encoder: str | Path) -> Result:
        indexes = {
            member.name: self._write_index(out / member.name, rows, self._places(number), encoder)
            for number, (member, rows) in enumerate(zip(self._members, self._rows, strict=True))
            if rows
        }
        return {"encoder": encoder, "indexes": indexes}

    def _places(self, number: int) -> Places:
        """Return the places of the theorems of a repository in its own corpus, as far as that has their files."""
        files = {row["path"] for row in self._rows[number]}
        known = self._traced[number].items()
        return {key: Position(each.file, each.start) for key, each in known if each.file in files}

    def _write_index(self, out: Path, rows: Sequence[Row], places: Places, encoder: str | Path) -> Path:
        self._on_step()
        try:
            corpus = _corpus(rows, places)
        except ValueError as error:
            raise ConfigError(f"retriever: the premises of {out.name} cannot be used: {error}") from None
        if not encoder:
            write_index(out, corpus)
            return out
        loaded = load_encoder(str(encoder))
        vectors = self._encode(loaded, texts_of(corpus.premises))
        # Relative, so that the run folder can be moved.
        name = os.path.relpath(encoder, out) if isinstance(encoder, Path) else encoder
        write_index(out, corpus, vectors, name, fingerprint(loaded))
        return out

    def _encode(self, encoder: SentenceTransformer, texts: Sequence[str]) -> Tensor:
        """Return the vectors of texts, part by part: those of a large library take hours."""
        parts = []
        for at in range(0, len(texts), ENCODED_AT_ONCE):
            self._on_step()
            parts.append(encode(encoder, texts[at : at + ENCODED_AT_ONCE]))
        return torch.cat(parts)

    def _train(
        self, numbers: Sequence[int], joined: JoinedCorpus, out: Path, before: str | Path
    ) -> str | Path:
        """Train the encoder on the training theorems so far, and return it; the one before if none uses a premise."""
        theorems: list[Row] = []
        for at in numbers:
            trained = {theorem.name for theorem in self._parts[at].train}
            name = self._members[at].name
            theorems += [
                _theorem(each, name, path, joined)
                for each in self._repositories[at].theorems
                if each.episode is not None and each.episode.name in trained
                if (path := joined.file(name, each.file)) is not None
            ]
        rows = joined.rows
        data = out / "data"
        (data / "random").mkdir(parents=True, exist_ok=True)
        write_text(data / CORPUS, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        write_text(data / "random" / "train.json", json.dumps(theorems, ensure_ascii=False) + "\n")
        if not rows or not read_examples(data, "random", "train", _corpus(rows)).rows:
            return before
        settings = self._config.to_retrieval(str(data), str(out / "encoder"), str(before))
        expect_done(run(settings, dry_run=False))
        return out / "encoder"


def _corpus(rows: Sequence[Row], places: Places | None = None) -> Corpus:
    return Corpus([corpus_file(row) for row in rows], places)


def _theorem(theorem: TracedTheorem, name: str, path: str, joined: JoinedCorpus) -> Row:
    """Return a row of LeanDojo's layout for a theorem of a repository, at a path of a joined corpus."""
    return {
        "file_path": path,
        "full_name": theorem.name,
        "start": list(theorem.start),
        "end": list(theorem.end),
        "traced_tactics": [
            {
                **tactic,
                "annotated_tactic": [
                    tactic["annotated_tactic"][0],
                    [joined.premise(name, premise) for premise in tactic["annotated_tactic"][1]],
                ],
            }
            for tactic in theorem.tactics
        ],
    }
