"""The commands of `python -m trainers.retrieval`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch

from trainers.config.base import Settings
from trainers.config.retrieval import NGRAMS, EvaluateRetrievalConfig, IndexConfig, TrainRetrieverConfig
from trainers.corpora.retrieval.bm25 import Bm25
from trainers.corpora.retrieval.corpus import Corpus, read_corpus
from trainers.corpora.retrieval.encoder import (
    create_ngrams,
    encode,
    fingerprint,
    load_encoder,
    save_encoder,
    texts_of,
)
from trainers.corpora.retrieval.examples import Example, read_examples
from trainers.corpora.retrieval.index import HybridRanker, VectorRanker, write_index
from trainers.corpora.retrieval.metrics import Ranker, Scores, evaluate
from trainers.corpora.retrieval.training import train
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import replacing_folder
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import warn

RECORD: Final = "training.json"
"""What an encoder was trained on, beside its files."""


def run(config: Settings, dry_run: bool) -> int:
    """Carry out a command and return the exit code: 0, or 128 plus the number of the signal that interrupted.

    Args:
        config: Settings of the command.
        dry_run: Only print what would be read.

    Raises:
        ConfigError: The data, the encoder or a folder cannot be used.
    """
    if not isinstance(config, TrainRetrieverConfig | IndexConfig | EvaluateRetrievalConfig):
        raise TypeError(f"config: expected the settings of a command, got {type(config).__name__}")
    if config.torch_threads:
        torch.set_num_threads(config.torch_threads)
    corpus = read_corpus(Path(config.data).expanduser())
    print(f"corpus: {len(corpus)} premises of {config.data}")
    if corpus.left_out:
        warn(f"corpus: {len(corpus.left_out)} premises without code are left out, e.g. {corpus.left_out[0]}")
    with StopRequest() as stop:
        try:
            if isinstance(config, TrainRetrieverConfig):
                _train(config, corpus, stop, dry_run)
            elif isinstance(config, IndexConfig):
                _index(config, corpus, dry_run)
            else:
                _evaluate(config, corpus, dry_run)
        except Interrupted as interruption:
            warn("interrupted; nothing is written")
            return 128 + interruption.signal_number
    return 0


def _train(config: TrainRetrieverConfig, corpus: Corpus, stop: StopRequest, dry_run: bool) -> None:
    out = Path(config.out_dir).expanduser()
    if out.exists() and not (out / RECORD).is_file() and any(out.iterdir()):
        raise ConfigError(f"out_dir: {out} holds files that are no trained encoder; choose another folder")
    examples = _examples(config, config.split, "train", corpus)
    if dry_run:
        return
    torch.manual_seed(config.seed)
    if config.encoder == NGRAMS:
        texts = [*texts_of(corpus.premises), *(one.state for one in examples)]
        encoder = create_ngrams(texts, config.buckets, config.width, config.seed)
    else:
        encoder = load_encoder(config.encoder)
    losses: list[float] = []

    def report(epoch: int, loss: float) -> None:
        losses.append(loss)
        print(f"epoch {epoch} of {config.training.epochs}: loss {loss:.3f}", flush=True)

    train(encoder, corpus, examples, config.training, config.seed, stop.check, report)
    record = {"data": config.data, "split": config.split, "losses": losses, **config.training.model_dump()}
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(out) as written:
        save_encoder(encoder, written)
        (written / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"encoder: {out}")


def _index(config: IndexConfig, corpus: Corpus, dry_run: bool) -> None:
    out = Path(config.out_dir).expanduser()
    if config.hybrid and not config.encoder:
        raise ConfigError("hybrid: expected an encoder beside it, got none")
    if dry_run:
        return
    if not config.encoder:
        write_index(out, corpus)
    else:
        encoder = load_encoder(config.encoder)
        folder = Path(config.encoder).expanduser()
        name = str(folder.resolve()) if folder.is_dir() else config.encoder
        vectors = encode(encoder, texts_of(corpus.premises))
        write_index(out, corpus, vectors, name, fingerprint(encoder), config.hybrid)
    print(f"index: {out}")


def _evaluate(config: EvaluateRetrievalConfig, corpus: Corpus, dry_run: bool) -> None:
    trained = _trained_split(config.encoder)
    split = config.split or trained or "random"
    if trained not in ("", split):
        warn(f"the encoder was trained on {trained}, which has states of the {config.part} part of {split}")
    examples = _examples(config, split, config.part, corpus)
    if dry_run:
        return
    rankers: dict[str, Ranker] = {"bm25": Bm25(corpus.premises)}
    if config.encoder:
        encoder = load_encoder(config.encoder)
        vectors = encode(encoder, texts_of(corpus.premises))
        rankers["encoder"] = VectorRanker(vectors, lambda states: encode(encoder, states))
        rankers["hybrid"] = HybridRanker(rankers["encoder"], rankers["bm25"])
    if not config.as_json:
        print(f"{split}, {config.part}: {len(examples)} states with a premise")
    for at, (name, ranker) in enumerate(rankers.items()):
        scores = evaluate(ranker, corpus, examples)
        print("\n".join(_shown(name, split, config, scores, heading=at == 0)), flush=True)


def _shown(
    name: str, split: str, config: EvaluateRetrievalConfig, scores: Scores, heading: bool
) -> Sequence[str]:
    row = scores.as_row()
    if config.as_json:
        return [json.dumps({"retriever": name, "split": split, "part": config.part, **row})]
    columns = [key for key in row if key != "states"]
    lines = ["  ".join([f"{'retriever':<10}", *(f"{key:>6}" for key in columns)])] if heading else []
    return [*lines, "  ".join([f"{name:<10}", *(f"{row[key]:6.3f}" for key in columns)])]


def _examples(config: Any, split: str, part: str, corpus: Corpus) -> tuple[Example, ...]:
    """Return the examples of a part of a split.

    Raises:
        ConfigError: They cannot be read, or there are none.
    """
    found = read_examples(Path(config.data).expanduser(), split, part, corpus)
    if found.unknown:
        warn(
            f"{split}, {part}: {found.unknown} uses of premises that are not in the corpus or not accessible"
        )
    if not found.rows:
        raise ConfigError(f"{config.data}: no tactic of {split}/{part}.json uses a premise of the corpus")
    return found.rows


def _trained_split(encoder: str) -> str:
    """Return the split that an encoder was trained on; empty where that is not known."""
    path = Path(encoder).expanduser() / RECORD
    if not encoder or not path.is_file():
        return ""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["split"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}") from None
