"""Settings of `python -m trainers.retrieval`. Nothing here imports torch."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from trainers.config.base import Count, CountOrZero, NonNegative, Positive, Settings
from trainers.config.run import Folder, text_of

NGRAMS: Final = "ngrams"
"""Name of the encoder that is made on the spot."""
Data = Annotated[str, text_of("a folder in LeanDojo's layout")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


class ContrastiveConfig(Settings):
    """Contrastive training. The defaults suit the encoder `ngrams`; a language model wants a rate near 1e-4."""

    epochs: Count = 10
    """Passes over the states."""
    batch_size: Count = 64
    """States per optimiser step; each is compared with all premises of the batch."""
    hard_negatives: CountOrZero = 1
    """Premises of each state that are accessible, unused, and from the files of the used ones."""
    learning_rate: Positive = 1e-2
    """Peak learning rate of AdamW; it falls to 0 along a cosine."""
    temperature: Positive = 0.05
    """Divides the cosines in the softmax."""
    minutes: NonNegative = 0.0
    """Training ends after the epoch in which so many minutes are over; 0 sets no limit."""


class RetrievalConfig(Settings):
    """Settings that all commands have."""

    data: Annotated[Data, Field(validate_default=True)] = ""
    """Folder in LeanDojo's layout, as `python -m lean_gym trace` writes it."""
    torch_threads: CountOrZero = 0
    """Threads of torch; 0 means one per CPU core."""


class TrainRetrieverConfig(RetrievalConfig):
    """Training an encoder."""

    split: Literal["random", "novel_premises"] = "random"
    """Split whose training states are used."""
    encoder: Annotated[str, text_of("an encoder")] = NGRAMS
    """`ngrams`, which is made on the spot, or a folder or hub id: an encoder of sentence-transformers, or any of
    transformers, such as `google/byt5-small`."""
    out_dir: Annotated[Folder, Field(validate_default=True)] = "runs/retriever"
    """Folder of the encoder; one that was trained before is replaced."""
    buckets: Count = 16384
    """Vectors of the encoder `ngrams`."""
    width: Count = 128
    """Length of its vectors."""
    seed: Seed = 0
    """Seed of everything random."""
    training: ContrastiveConfig = ContrastiveConfig()


class IndexConfig(RetrievalConfig):
    """Writing an index, which `--retriever` of the other programs takes."""

    encoder: str = ""
    """Folder of a trained encoder, or a hub id; empty for BM25."""
    hybrid: bool = False
    """Join the ranks of the encoder with those of BM25."""
    out_dir: Annotated[Folder, Field(validate_default=True)] = "runs/index"
    """Folder of the index; one that stands there is replaced."""


class EvaluateRetrievalConfig(RetrievalConfig):
    """Measuring an encoder beside BM25."""

    split: Literal["", "random", "novel_premises"] = ""
    """Split whose test states are ranked; empty takes that of the encoder's training, or `random`."""
    part: Literal["val", "test"] = "test"
    """Part of the split."""
    encoder: str = ""
    """Folder of an encoder, or a hub id; empty measures BM25 alone."""
    as_json: bool = False
    """Print a JSON object for each row instead of a table."""
