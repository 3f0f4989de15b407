"""Vectors of the premises of a corpus, and the search for the nearest ones, with FAISS or without it.

    index.json           version, kind, encoder and its fingerprint, number of premises and width
    corpus.jsonl         the corpus
    places.jsonl         places of theorems in it, where they are known
    vectors.safetensors  vectors of length 1, shape (premises, width); not for BM25

The folder is complete but for the encoder, which is loaded from its own place and held against the fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from lean_gym.datasets.formats.leandojo_steps import CORPUS, corpus_row
from trainers.corpora.retrieval.bm25 import Bm25, best
from trainers.corpora.retrieval.corpus import Corpus, Mask, read_corpus
from trainers.corpora.retrieval.metrics import DEPTH, Ranker
from trainers.corpora.retrieval.places import read_places, write_places
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import replacing_folder

VERSION: Final = 1
KINDS: Final = ("bm25", "vectors", "hybrid")
SETTINGS: Final = "index.json"
_VECTORS: Final = "vectors.safetensors"
_CANDIDATES: Final = 1024
_SPARSE: Final = 0.25  # share of accessible vectors
_CHUNK: Final = 16384
# Of sums of 32-bit numbers, relative to the length of the query.
_ROUNDING: Final = 1e-5


class Nearest(Protocol):
    """Search for the nearest of many vectors."""

    def search(self, queries: Tensor, masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the vectors with the greatest inner products, the greatest first.

        Args:
            queries: Shape (queries, width).
            masks: Vectors that are candidates, for each query, shape (vectors,).
            count: Most numbers of a query.
        """


class TorchNearest:
    """Exact search by a product of matrices."""

    def __init__(self, vectors: Tensor) -> None:
        self._vectors = vectors.numpy()

    def search(self, queries: Tensor, masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the nearest vectors, see `Nearest`."""
        # numpy's product of a matrix and a vector takes half the time of torch's.
        asked = queries.numpy()
        scores = (self._vectors @ asked[0])[None] if len(asked) == 1 else asked @ self._vectors.T
        return [best(each, mask, count) for each, mask in zip(scores, masks, strict=True)]


class FaissNearest:
    """Exact search by FAISS; for several queries at once by a product, which reads the vectors once for all of them.

    FAISS finds candidates among vectors rounded to 8 bits a number, a quarter of the memory to read, and the candidates
    are ranked by the product with the vectors themselves. How far rounding can move a score is known, and with it
    whether another vector might be among the best: then the product with all of them decides.
    """

    def __init__(self, vectors: Tensor) -> None:
        import faiss

        self._vectors = vectors.numpy()
        self._product = TorchNearest(vectors)
        self._faiss: Any = faiss
        # Numbers that are bytes already: FAISS neither scales nor shifts them, which takes a third of its time.
        self._index = faiss.IndexScalarQuantizer(
            vectors.shape[1], faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
        )
        self._step = float(np.abs(self._vectors).max(initial=1e-30)) / 127
        self._error = 0.0
        for start in range(0, len(self._vectors), _CHUNK):
            part = self._vectors[start : start + _CHUNK]
            rounded = np.rint(part / self._step)
            self._index.add(rounded)
            self._error = max(self._error, float(np.linalg.norm(rounded * self._step - part, axis=1).max()))

    def search(self, queries: Tensor, masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the nearest vectors, see `Nearest`."""
        most = max(_CANDIDATES, 10 * count)
        if len(queries) != 1 or most >= len(self._vectors):
            return self._product.search(queries, masks, count)
        (mask,), query = masks, queries[0].numpy()
        share = float(mask.mean())
        # Where many vectors are accessible, to pass over the others afterwards is faster than to ask for each.
        if share > _SPARSE and (found := self._among_best(query, mask, count, int(most / share))) is not None:
            return [found]
        if share < 1 and (found := self._among_best(query, mask, count, most, selected=True)) is not None:
            return [found]
        return self._product.search(queries, masks, count)

    def _among_best(
        self, query: np.ndarray, mask: Mask, count: int, most: int, selected: bool = False
    ) -> list[int] | None:
        """Return the nearest accessible vectors if they must be among as many rounded ones; `None` if they need not.

        Args:
            query: Shape (width,).
            mask: Accessible vectors, shape (vectors,).
            count: Most numbers to return.
            most: Number of rounded vectors that are ranked by the vectors themselves.
            selected: The rounded vectors are the best accessible ones, and not the best of all.
        """
        options: dict[str, Any] = {}
        if selected:
            chosen = self._faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
            options["params"] = self._faiss.SearchParameters(sel=chosen)
        (rounded,), (numbers,) = self._index.search(query[None], most, **options)
        found = np.sort(numbers[numbers >= 0])
        complete = len(found) < most
        found = found[mask[found]]
        scores = self._vectors[found] @ query
        order = np.argsort(-scores, kind="stable")[:count]
        if not complete:
            others = self._step * rounded[-1] + (self._error + _ROUNDING) * float(np.linalg.norm(query))
            if len(order) < count or scores[order[-1]] <= others:
                return None
        return found[order].tolist()  # type: ignore[no-any-return]


def nearest(vectors: Tensor) -> Nearest:
    """Return a search among vectors: FAISS's where it is installed."""
    return FaissNearest(vectors) if find_spec("faiss") is not None else TorchNearest(vectors)


class VectorRanker:
    """Ranking by the vectors of an encoder."""

    def __init__(self, vectors: Tensor, encode: Callable[[Sequence[str]], Tensor]) -> None:
        """Keep the vectors of premises.

        Args:
            vectors: Shape (premises, width).
            encode: Returns the vectors of states, shape (states, width).
        """
        self._nearest = nearest(vectors)
        self._encode = encode

    def rank(self, states: Sequence[str], masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the best candidates for each state, the best one first."""
        return self._nearest.search(self._encode(states), masks, count)


class HybridRanker:
    """Ranking by the sum of reciprocal ranks of two rankings, as reciprocal rank fusion has it."""

    _SOFTENING: Final = 60

    def __init__(self, first: Ranker, second: Ranker) -> None:
        self._both = (first, second)

    def rank(self, states: Sequence[str], masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the best candidates for each state, the best one first."""
        depth = max(count, DEPTH)
        rankings = [ranker.rank(states, masks, depth) for ranker in self._both]
        found = []
        for each in zip(*rankings, strict=True):
            total: dict[int, float] = {}
            for numbers in each:
                for at, number in enumerate(numbers):
                    total[number] = total.get(number, 0.0) + 1 / (self._SOFTENING + at)
            found.append(sorted(total, key=lambda number: (-total[number], number))[:count])
        return found


def write_index(
    folder: Path,
    corpus: Corpus,
    vectors: Tensor | None = None,
    encoder: str = "",
    fingerprint: str = "",
    hybrid: bool = False,
) -> None:
    """Write an index, replacing one that stands there.

    Args:
        folder: Where to.
        corpus: The corpus.
        vectors: Vectors of its premises, shape (premises, width); `None` for BM25.
        encoder: The folder or hub id that the encoder is loaded from; `../` begins one relative to the index.
        fingerprint: Its fingerprint.
        hybrid: The ranks of the encoder are to be joined with those of BM25.

    Raises:
        ConfigError: The folder cannot be written, or holds something else.
    """
    if folder.exists() and not (folder / SETTINGS).is_file() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: holds files that are no index; choose another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {"version": VERSION, "kind": "bm25", "premises": len(corpus)}
    with replacing_folder(folder) as written:
        if vectors is not None:
            settings |= {"kind": "hybrid" if hybrid else "vectors", "width": vectors.shape[1]}
            settings |= {"encoder": encoder, "fingerprint": fingerprint}
            save_file({"vectors": vectors.contiguous()}, written / _VECTORS)
        rows = (json.dumps(corpus_row(file), ensure_ascii=False) + "\n" for file in corpus.files)
        (written / CORPUS).write_text("".join(rows), encoding="utf-8")
        write_places(written, corpus.places)
        (written / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def read_index(folder: Path) -> tuple[Corpus, Ranker]:
    """Read an index, with its encoder.

    Raises:
        ConfigError: There is no index, it cannot be read, or the encoder is another than the one that it was made with.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise ConfigError(
            f"retriever: {folder} has no {SETTINGS}; expected a folder that python -m trainers.retrieval index wrote"
        )
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        version, kind, count = settings["version"], settings["kind"], settings["premises"]
        if version != VERSION or kind not in KINDS:
            raise ValueError(f"version {version}, kind {kind!r}")
        name = str(settings["encoder"]) if kind != "bm25" else ""
        expected = settings.get("fingerprint", "")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: no index of this version: {error}; write it again") from None
    corpus = read_corpus(folder, read_places(folder))
    if len(corpus) != count:
        raise ConfigError(
            f"{folder}: expected {count} premises in {CORPUS}, got {len(corpus)}; write it again"
        )
    if kind == "bm25":
        return corpus, Bm25(corpus.premises)
    try:
        vectors = load_file(folder / _VECTORS)["vectors"]
    except (OSError, KeyError, SafetensorError) as error:
        raise ConfigError(f"{folder / _VECTORS}: {error}; write the index again") from None
    if len(vectors) != count:
        raise ConfigError(f"{folder}: expected {count} vectors, got {len(vectors)}; write the index again")
    ranker = VectorRanker(vectors, _checked_encoder(folder, name, expected))
    return corpus, HybridRanker(ranker, Bm25(corpus.premises)) if kind == "hybrid" else ranker


def _checked_encoder(folder: Path, name: str, expected: str) -> Callable[[Sequence[str]], Tensor]:
    """Return the function of the encoder of an index.

    Raises:
        ConfigError: It is another encoder.
    """
    from trainers.corpora.retrieval.encoder import encode, fingerprint, load_encoder

    encoder = load_encoder(str((folder / name).resolve()) if name.startswith("../") else name)
    found = fingerprint(encoder)
    if found != expected:
        raise ConfigError(
            f"retriever: the index {folder} was made with another encoder (fingerprint {expected[:12]}) than "
            f"{name} is now ({found[:12]}); write it again: python -m trainers.retrieval index"
        )
    return lambda states: encode(encoder, states)
