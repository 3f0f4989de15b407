"""Encoders: texts to vectors of length 1, by sentence-transformers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from torch import Tensor, nn

from trainers.corpora.retrieval.ngrams import HashedNgrams
from trainers.errors import ConfigError
from trainers.policies.demo import model_address
from trainers.policies.premises import Premise, marked

LONGEST: Final = 1024
"""Tokens of a text that a language model reads; ByT5 has one for each byte."""
_OWN: Final = f"{HashedNgrams.__module__}.{HashedNgrams.__qualname__}"


def create_ngrams(texts: Sequence[str], buckets: int, width: int, seed: int) -> SentenceTransformer:
    """Make the encoder of hashed n-grams for the texts of a corpus."""
    modules: list[nn.Module] = [HashedNgrams.of_texts(texts, buckets, width, seed), Normalize()]
    return SentenceTransformer(modules=modules, device=device())


def load_encoder(name: str) -> SentenceTransformer:
    """Load an encoder.

    Args:
        name: A folder of sentence-transformers, or the folder or hub id of an encoder of transformers, such as
            `google/byt5-small`: of an encoder-decoder model the encoder is taken. Its vector of a text is then the mean
            over the tokens, without those of padding. `demo:smollm2` is a decoder, whose vector is made the same way.

    Raises:
        ConfigError: There is no such encoder, or it cannot be loaded.
    """
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise ConfigError(f"encoder: there is no folder {name}")
    name = model_address(name)
    folder = Path(name).expanduser()
    try:
        if (folder / "modules.json").is_file() and (own := _own_module(folder)) is not None:
            # The library refuses classes of other packages, unless it may run any code that a folder brings.
            modules: list[nn.Module] = [HashedNgrams.load(str(folder / own)), Normalize()]
            return SentenceTransformer(modules=modules, device=device())
        if folder.is_dir() and not (folder / "modules.json").is_file():
            transformer = Transformer(str(folder))
            pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode="mean")
            encoder = SentenceTransformer(modules=[transformer, pooling, Normalize()], device=device())
        else:  # of a hub id without modules the library takes the mean, too
            encoder = SentenceTransformer(str(folder) if folder.is_dir() else name, device=device())
        # ByT5 sets no limit.
        encoder.max_seq_length = min(encoder.max_seq_length or LONGEST, LONGEST)
        return encoder
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f"encoder: {name} cannot be loaded: {reason[:300]}") from None


def _own_module(folder: Path) -> str | None:
    """Return the folder of the hashed n-grams in an encoder; `None` for another encoder."""
    first = json.loads((folder / "modules.json").read_text(encoding="utf-8"))[0]
    return str(first["path"]) if first["type"] == _OWN else None


def device() -> str:
    """Return the device that encoders run on."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def texts_of(premises: Sequence[Premise]) -> list[str]:
    """Return the texts of premises that an encoder reads."""
    return [marked(premise) for premise in premises]


@torch.inference_mode()
def encode(encoder: SentenceTransformer, texts: Sequence[str], batch: int = 64) -> Tensor:
    """Return the vectors of texts.

    Returns:
        Vectors of length 1 on the CPU, shape (texts, width), float32.
    """
    found = encoder.encode(
        list(texts),
        batch_size=batch,
        convert_to_tensor=True,
        normalize_embeddings=True,
        show_progress_bar=False,
    )
    return found.float().cpu()


def fingerprint(encoder: SentenceTransformer) -> str:
    """Return the fingerprint of an encoder: SHA-256 over its modules and weights.

    Two encoders of equal fingerprints give equal vectors.
    """
    digest = hashlib.sha256()
    for module in encoder:
        digest.update(f"{type(module).__qualname__};".encode())
    digest.update(f"{encoder.max_seq_length};".encode())
    for name, tensor in sorted(encoder.state_dict().items()):
        digest.update(f"{name}:{tuple(tensor.shape)}:{tensor.dtype};".encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def save_encoder(encoder: SentenceTransformer, folder: Path) -> None:
    """Write an encoder into an empty folder, without a model card."""
    encoder.save(str(folder), create_model_card=False)
