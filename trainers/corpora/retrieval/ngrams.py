"""Encoder of Lean text without a language model: a mean of learned vectors of hashed n-grams.

It is made on the spot from a corpus and trained within minutes on a CPU. A text is divided at its target (what stands
behind `⊢`, or behind the last `:` of a declaration's header) and the rest. Features are words, pieces of three letters
of longer words, and runs of two or three words in which local names are the same `_`; each counts by itself and by its
part of the text. Before training the vectors are random and the weights are inverse document frequencies, so the
encoder begins near to a count of common words.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self
from zlib import crc32

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.sentence_transformer.modules import InputModule
from torch import Tensor, nn

_WORD: Final = re.compile(r"</?a>|[^\W_]+'*|[^\w\s]")
_LOCAL: Final = re.compile(r"[^\W\d_]{1,2}[0-9₀-₉]*'*|h[^\W_]{1,3}|inst")
_HIDDEN: Final = frozenset("(){}[],.«»") | {"</a>"}
_LETTERS: Final = 3


def features(text: str) -> Counter[str]:
    """Return the features of a text with their counts."""
    before, target = _divided(text)
    found: Counter[str] = Counter()
    for part, words in (("r", _words(before)), ("t", _words(target))):
        for feature in _of_words(words):
            found[feature] += 1
            found[f"{part}:{feature}"] += 1
    return found


def _divided(text: str) -> tuple[str, str]:
    """Return the hypotheses and the target of a state or a declaration."""
    if "⊢" in text:
        before, _, target = text.partition("⊢")
        return before, target
    header = text.partition(":=")[0]
    depth, at = 0, None
    for place, letter in enumerate(header):
        depth += (letter in "([{⦃") - (letter in ")]}⦄")
        if letter == ":" and depth == 0 and at is None:
            at = place
    if at is None:
        return "", text
    target = header[at + 1 :]
    arrow = max(target.rfind("→"), target.rfind("->"))
    return (header[:at] + target[:arrow], target[arrow:]) if arrow > 0 else (header[:at], target)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _of_words(words: Sequence[str]) -> Iterator[str]:
    shape = ["_" if _LOCAL.fullmatch(word) else word for word in words if word not in _HIDDEN]
    for word in shape:
        if word != "_":
            yield word
            lowered = f"^{word.lower()}$"
            if len(word) > _LETTERS:
                yield from (f"#{lowered[at : at + _LETTERS]}" for at in range(len(lowered) - _LETTERS + 1))
    for size in (2, 3):
        yield from (" ".join(shape[at : at + size]) for at in range(len(shape) - size + 1))


class HashedNgrams(InputModule):
    """Weighted sum of the vectors of the features of a text.

    Attributes:
        vectors: A vector for each bucket of features, shape (buckets, width).
        weights: The logarithm of the weight of each bucket, shape (buckets, 1).
    """

    config_keys: list[str] = ["buckets", "width"]  # noqa: RUF012 - the base class has it so
    save_in_root: bool = False

    def __init__(self, buckets: int, width: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.buckets = buckets
        self.width = width
        self.vectors = nn.EmbeddingBag(buckets, width, mode="sum")
        self.weights = nn.Embedding(buckets, 1)
        nn.init.normal_(self.vectors.weight, std=width**-0.5)
        nn.init.zeros_(self.weights.weight)

    @classmethod
    def of_texts(cls, texts: Sequence[str], buckets: int, width: int, seed: int) -> Self:
        """Make an encoder for a corpus.

        Args:
            texts: Its texts, from which the inverse document frequencies are counted.
            buckets: Number of vectors; features of equal hash share one.
            width: Length of a vector.
            seed: Seed of the vectors.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            made = cls(buckets, width)
        count = torch.zeros(buckets)
        for text in texts:
            count[list({_bucket(feature, buckets) for feature in features(text)})] += 1
        frequency = torch.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        with torch.no_grad():
            made.weights.weight.copy_(torch.log(frequency).unsqueeze(1))
        return made

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **_: Any) -> dict[str, Tensor]:
        """Return the buckets of texts, one text behind another, with their counts and the start of each text."""
        ids: list[int] = []
        counts: list[float] = []
        starts: list[int] = []
        for text in inputs:
            starts.append(len(ids))
            for bucket, count in _counted(f"{prompt or ''}{text}", self.buckets):
                ids.append(bucket)
                counts.append(count)
        return {
            "input_ids": torch.tensor(ids, dtype=torch.long),
            "counts": torch.tensor(counts, dtype=torch.float32),
            "offsets": torch.tensor(starts, dtype=torch.long),
        }

    def forward(self, features: dict[str, Tensor], **_: Any) -> dict[str, Tensor]:
        """Add `sentence_embedding`, shape (texts, width)."""
        ids = features["input_ids"]
        weights = features["counts"] * self.weights(ids).squeeze(1).exp()
        features["sentence_embedding"] = self.vectors(ids, features["offsets"], weights)
        return features

    def get_embedding_dimension(self) -> int:
        """Return the width."""
        return self.width

    @property
    def max_seq_length(self) -> float:
        """Return infinity: no text is too long."""
        return math.inf

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the weights and the settings into a folder."""
        folder = Path(output_path)
        save_file(self.state_dict(), folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps({"buckets": self.buckets, "width": self.width}))

    @classmethod
    def load(cls, model_name_or_path: str, *_: Any, **__: Any) -> Self:
        """Read what `save` wrote into a folder."""
        folder = Path(model_name_or_path)
        loaded = cls(**json.loads((folder / "config.json").read_text()))
        loaded.load_state_dict(load_file(folder / "model.safetensors"))
        return loaded


@lru_cache(maxsize=1 << 14)
def _counted(text: str, buckets: int) -> tuple[tuple[int, float], ...]:
    """Return the buckets of a text with the dampened counts of their features; training reads each text many times."""
    return tuple(
        (_bucket(feature, buckets), 1 + math.log(count)) for feature, count in features(text).items()
    )


def _bucket(feature: str, buckets: int) -> int:
    return crc32(feature.encode()) % buckets
