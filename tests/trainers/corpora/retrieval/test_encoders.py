"""Encoders: the one made on the spot, language models, their training, fingerprints and indexes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from transformers import ByT5Tokenizer, T5Config, T5ForConditionalGeneration

from trainers.config.retrieval import ContrastiveConfig
from trainers.corpora.retrieval.corpus import Corpus
from trainers.corpora.retrieval.encoder import (
    LONGEST,
    create_ngrams,
    encode,
    fingerprint,
    load_encoder,
    save_encoder,
    texts_of,
)
from trainers.corpora.retrieval.examples import read_examples
from trainers.corpora.retrieval.index import SETTINGS, HybridRanker, VectorRanker, read_index, write_index
from trainers.corpora.retrieval.metrics import evaluate
from trainers.corpora.retrieval.ngrams import features
from trainers.corpora.retrieval.retriever import IndexRetriever
from trainers.corpora.retrieval.training import contrastive_loss, train
from trainers.errors import ConfigError
from trainers.policies.premises import Premise, marked

ALL = np.ones(20, dtype=bool)


@pytest.fixture
def ngrams(corpus: Corpus) -> SentenceTransformer:
    return create_ngrams(texts_of(corpus.premises), 512, 16, seed=0)


@pytest.fixture(scope="module")
def byt5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder-decoder model of bytes, as small as it can be."""
    folder = tmp_path_factory.mktemp("byt5")
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=384, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, decoder_start_token_id=0
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    ByT5Tokenizer().save_pretrained(folder)
    return folder


def test_the_parts_of_a_text_are_told_apart() -> None:
    found = features("h : a ∧ b\n⊢ merge a = foo_bar b")
    assert found["t:merge"] == found["merge"] == 1
    assert found["r:∧"] == 1
    assert "t:∧" not in found
    assert found["t:merge _ ="] == 1  # names of variables are left out
    declared = features("theorem <a>X.foo</a> (h : a ∧ b) : merge a = foo_bar b")
    assert declared["t:merge _ ="] == 1
    assert declared["r:∧"] == 1
    assert features("theorem x (h : p) : p ∧ q → merge a")["r:∧"] == 1


def test_names_are_marked_as_in_reprover() -> None:
    assert marked(Premise("Or.symm", "theorem symm : a")) == "theorem <a>Or.symm</a> : a"
    assert marked(Premise("Or.symm", "instance : a")) == "instance : a"


def test_a_stored_encoder_gives_the_same_vectors(ngrams: SentenceTransformer, tmp_path: Path) -> None:
    texts = ["⊢ flip x = x", "", "x : Nat\n⊢ merge (merge x) = x"]
    save_encoder(ngrams, tmp_path)
    loaded = load_encoder(str(tmp_path))
    assert torch.equal(encode(loaded, texts), encode(ngrams, texts))
    assert fingerprint(loaded) == fingerprint(ngrams)
    lengths = encode(ngrams, texts).norm(dim=1)
    assert lengths.tolist() == pytest.approx([1, 0, 1])  # nothing is known about an empty text
    with torch.no_grad():
        next(loaded.parameters())[0, 0] += 1e-3
    assert fingerprint(loaded) != fingerprint(ngrams)


def test_the_vector_of_a_language_model_is_a_mean_without_padding(byt5: Path) -> None:
    encoder = load_encoder(str(byt5))
    short, long = "⊢ p", "h : p ∧ q\n⊢ q ∧ p ∧ q"
    alone, padded = encode(encoder, [short]), encode(encoder, [short, long])
    torch.testing.assert_close(alone[0], padded[0], atol=1e-5, rtol=1e-4)
    assert padded.norm(dim=1).tolist() == pytest.approx([1, 1])
    # By hand: the mean of the encoder's states over the bytes and the end token.
    model = T5ForConditionalGeneration.from_pretrained(byt5).eval()
    ids = ByT5Tokenizer()(short, return_tensors="pt").input_ids
    with torch.no_grad():
        mean = model.encoder(input_ids=ids).last_hidden_state[0].mean(dim=0)
    torch.testing.assert_close(alone[0], mean / mean.norm(), atol=1e-5, rtol=1e-4)


def test_a_language_model_learns_and_comes_back(
    byt5: Path, corpus: Corpus, data: Path, tmp_path: Path
) -> None:
    encoder = load_encoder(str(byt5))
    assert encoder.max_seq_length == LONGEST
    before = fingerprint(encoder)
    examples = read_examples(data, "random", "train", corpus).rows[:2]
    losses: list[float] = []
    config = ContrastiveConfig(epochs=4, batch_size=2, learning_rate=1e-2)
    train(encoder, corpus, examples, config, 0, on_epoch=lambda _, loss: losses.append(loss))
    assert losses[-1] < losses[0]
    assert fingerprint(encoder) != before
    save_encoder(encoder, tmp_path)
    loaded = load_encoder(str(tmp_path))
    assert fingerprint(loaded) == fingerprint(encoder)
    torch.testing.assert_close(encode(loaded, ["⊢ p"]), encode(encoder, ["⊢ p"]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nowhere", r"encoder: there is no folder \./nowhere"),
        ("{folder}", "encoder: .* cannot be loaded: "),
    ],
)
def test_an_encoder_that_is_none_is_one_line(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=message) as caught:
        load_encoder(name.format(folder=tmp_path))
    assert "\n" not in str(caught.value)


def loss_of(used: list[list[bool]], allowed: list[list[bool]], cosines: list[list[float]]) -> float:
    premises = torch.eye(len(cosines[0]))
    return float(
        contrastive_loss(
            torch.tensor(cosines), premises, torch.tensor(used), torch.tensor(allowed), temperature=0.5
        )
    )


def test_the_loss_by_hand() -> None:
    first = [[True, False, False]], [[True, True, True]], [[0.6, 0.1, 0.2]]
    expected = -math.log(math.exp(1.2) / (math.exp(1.2) + math.exp(0.2) + math.exp(0.4)))
    assert loss_of(*first) == pytest.approx(expected)
    # Another premise of its own is no negative; one that is not accessible is none either.
    two = -math.log(math.exp(1.2) / (math.exp(1.2) + math.exp(0.4)))
    assert loss_of([[True, False, False]], [[True, False, True]], [[0.6, 0.1, 0.2]]) == pytest.approx(two)
    other = -math.log(math.exp(0.2) / (math.exp(0.2) + math.exp(0.4)))
    both = [[True, True, False]], [[True, True, True]], [[0.6, 0.1, 0.2]]
    assert loss_of(*both) == pytest.approx((two + other) / 2)
    assert loss_of([[True]], [[True]], [[0.3]]) == 0.0


def test_training_ranks_better_and_repeats(corpus: Corpus, data: Path) -> None:
    examples = read_examples(data, "random", "train", corpus).rows
    unseen = read_examples(data, "random", "val", corpus).rows
    config = ContrastiveConfig(epochs=8, batch_size=4, hard_negatives=3)

    def trained(seed: int) -> tuple[SentenceTransformer, list[float]]:
        encoder = create_ngrams(texts_of(corpus.premises), 512, 16, seed=0)
        losses: list[float] = []
        train(encoder, corpus, examples, config, seed, on_epoch=lambda _, loss: losses.append(loss))
        return encoder, losses

    def mrr(encoder: SentenceTransformer, rows: object) -> float:
        ranker = VectorRanker(
            encode(encoder, texts_of(corpus.premises)), lambda texts: encode(encoder, texts)
        )
        return evaluate(ranker, corpus, rows).mrr  # type: ignore[arg-type]

    before = create_ngrams(texts_of(corpus.premises), 512, 16, seed=0)
    encoder, losses = trained(0)
    again, _ = trained(0)
    other, _ = trained(1)
    assert losses[-1] < losses[0] / 2
    assert mrr(encoder, examples) > max(0.9, mrr(before, examples))
    assert mrr(encoder, unseen) > 0.3  # of 18 candidates each
    assert fingerprint(again) == fingerprint(encoder) != fingerprint(other)


def index_of(
    encoder: SentenceTransformer, name: Path, folder: Path, corpus: Corpus, hybrid: bool = False
) -> Path:
    vectors = encode(encoder, texts_of(corpus.premises))
    write_index(folder, corpus, vectors, str(name), fingerprint(encoder), hybrid)
    return folder


@pytest.fixture
def stored(ngrams: SentenceTransformer, tmp_path: Path) -> Path:
    (tmp_path / "encoder").mkdir()
    save_encoder(ngrams, tmp_path / "encoder")
    return tmp_path / "encoder"


def test_an_index_comes_back(
    ngrams: SentenceTransformer, stored: Path, corpus: Corpus, tmp_path: Path
) -> None:
    state, mask = "y : Nat\n⊢ merge y = turn y", np.ones(len(corpus), dtype=bool)
    read, ranker = read_index(index_of(ngrams, stored, tmp_path / "index", corpus))
    assert read.premises == corpus.premises
    direct = VectorRanker(encode(ngrams, texts_of(corpus.premises)), lambda texts: encode(ngrams, texts))
    assert ranker.rank([state], [mask], 5) == direct.rank([state], [mask], 5)
    (found,) = IndexRetriever(read, ranker)([state], 3)
    assert "More.second" in [premise.name for premise in found]
    hybrid = read_index(index_of(ngrams, stored, tmp_path / "index", corpus, hybrid=True))[1]
    assert isinstance(hybrid, HybridRanker)


def test_a_stale_index_is_one_line(
    ngrams: SentenceTransformer, stored: Path, corpus: Corpus, tmp_path: Path
) -> None:
    index = index_of(ngrams, stored, tmp_path / "index", corpus)
    with torch.no_grad():
        next(ngrams.parameters())[0, 0] += 1
    save_encoder(ngrams, stored)
    with pytest.raises(ConfigError, match=r"was made with another encoder \(fingerprint \w{12}\)") as caught:
        read_index(index)
    assert "\n" not in str(caught.value)


def test_a_damaged_index_is_one_line(
    ngrams: SentenceTransformer, stored: Path, corpus: Corpus, tmp_path: Path
) -> None:
    index = index_of(ngrams, stored, tmp_path / "index", corpus)
    settings = json.loads((index / SETTINGS).read_text())

    def refused(message: str, **changed: object) -> None:
        (index / SETTINGS).write_text(json.dumps(settings | changed))
        with pytest.raises(ConfigError, match=message) as caught:
            read_index(index)
        assert "\n" not in str(caught.value)

    refused("no index of this version: version 7", version=7)
    refused("no index of this version: version 1, kind 'x'", kind="x")
    refused("expected 3 premises in corpus.jsonl, got 20", premises=3)
    refused("encoder: there is no folder /nowhere", encoder="/nowhere")
    (index / "vectors.safetensors").write_bytes(b"12345678")
    refused("write the index again")
    (index / SETTINGS).write_text("[")
    with pytest.raises(ConfigError, match="no index of this version"):
        read_index(index)
    with pytest.raises(ConfigError, match=r"retriever: .* has no index\.json; expected a folder that"):
        read_index(tmp_path)


def test_writing_replaces_an_index_and_nothing_else(
    corpus: Corpus, bm25_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(ConfigError, match="holds files that are no index; choose another folder"):
        write_index(tmp_path / "mine", corpus)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    write_index(tmp_path / "index", corpus)
    # An error on the way leaves the old one, and nothing beside it.
    monkeypatch.setattr(
        Path, "write_text", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "no space left"))
    )
    with pytest.raises(ConfigError, match=re.escape(f"cannot write {tmp_path / 'index'}: no space left")):
        write_index(tmp_path / "index", corpus)
    monkeypatch.undo()
    assert len(read_index(tmp_path / "index")[0]) == len(corpus)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "mine"]
