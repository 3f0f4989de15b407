"""Rankings and their scores: BM25, nearest vectors with FAISS and without, hybrids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from trainers.corpora.retrieval.bm25 import Bm25, best
from trainers.corpora.retrieval.corpus import Corpus, Mask
from trainers.corpora.retrieval.examples import Example
from trainers.corpora.retrieval.index import FaissNearest, HybridRanker, Nearest, TorchNearest
from trainers.corpora.retrieval.metrics import evaluate, score
from trainers.policies.premises import Premise


def example(*used: int, corpus: Corpus, path: str = "Last.lean") -> Example:
    number = next(n for n in range(len(corpus)) if corpus.same_file(n) == path)
    return Example("y : Nat\n⊢ flip y = y", used, corpus.place_of(number))


class Fixed:
    """Ranks in the order of the corpus, or in a given one."""

    def __init__(self, *order: int) -> None:
        self.order = order
        self.masks: list[Mask] = []

    def rank(self, states: Sequence[str], masks: Sequence[Mask], count: int) -> list[list[int]]:
        self.masks += masks
        return [[n for n in self.order or range(len(mask)) if mask[n]][:count] for mask in masks]


def test_recall_counts_all_premises_and_the_reciprocal_rank_the_first(corpus: Corpus) -> None:
    both = [example(3, 4, corpus=corpus), example(7, corpus=corpus)]
    found = score([[9, 3, *range(20, 28), 4], list(range(50, 150))], both)
    assert found.states == 2
    assert found.recall == (0.0, 0.25, 0.5)
    assert found.mrr == 0.25
    assert score([[3, 4], [7]], both).as_row() == {"states": 2, "R@1": 0.75, "R@10": 1, "R@32": 1, "MRR": 1}
    with pytest.raises(ValueError, match="expected one state"):
        score([], [])


def test_only_accessible_premises_are_ranked(corpus: Corpus) -> None:
    ranker, one = Fixed(), example(3, corpus=corpus)
    evaluate(ranker, corpus, [one, one])
    assert len(ranker.masks) == 2
    assert np.array_equal(ranker.masks[0], corpus.accessible(one.position))
    # An inaccessible premise with the state's very words is no candidate of BM25's.
    apart = next(n for n, premise in enumerate(corpus.premises) if premise.name == "flip_apart")
    everything = Bm25(corpus.premises)
    mask = corpus.accessible(one.position)
    assert apart in everything.rank([one.state], [np.ones(len(corpus), dtype=bool)], 3)[0]
    assert apart not in everything.rank([one.state], [mask], len(corpus))[0]


def test_bm25_finds_rare_words() -> None:
    premises = [
        Premise("Or.symm", "theorem Or.symm : a ∨ b → b ∨ a"),
        Premise("Nat.add_comm", "theorem Nat.add_comm (a b : Nat) : a + b = b + a"),
        Premise("Nat.mul_comm", "theorem Nat.mul_comm (a b : Nat) : a * b = b * a"),
    ]
    ranker, all_three = Bm25(premises), np.ones(3, dtype=bool)
    assert ranker.rank(["n : Nat\n⊢ n * 2 = 2 * n"], [all_three], 1) == [[2]]
    assert ranker.rank(["⊢ p ∨ q"], [all_three], 1) == [[0]]
    assert ranker.rank(["⊢ p ∨ q"], [np.array([False, True, True])], 3) == [[1, 2]]
    assert ranker.rank(["%", ""], [all_three] * 2, 2) == [[0, 1]] * 2  # no known word


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    scores = np.array([1, 3, 2, 3, 3], dtype=np.float32)
    mask = np.array([True, True, True, True, False])
    assert best(scores, mask, 2) == [1, 3]
    assert best(scores, mask, 9) == [1, 3, 2, 0]
    assert best(scores, ~np.ones(5, dtype=bool), 2) == []


def unit_vectors(number: int) -> torch.Tensor:
    drawn = torch.randn(number, 24, generator=torch.Generator().manual_seed(1))
    return torch.nn.functional.normalize(drawn, dim=1)


@pytest.mark.parametrize("number", [500, 4000])
def test_faiss_and_torch_find_the_same(number: int) -> None:
    vectors = unit_vectors(number)
    rng = np.random.default_rng(0)
    queries = torch.from_numpy(rng.normal(size=(4, 24)).astype(np.float32))
    masks = [
        np.ones(number, dtype=bool),
        rng.random(number) < 0.3,
        rng.random(number) < 0.01,
        np.zeros(number, dtype=bool),
    ]
    both: list[Nearest] = [FaissNearest(vectors), TorchNearest(vectors)]
    first, second = (
        [each.search(query[None], [mask], 20)[0] for query, mask in zip(queries, masks, strict=True)]
        for each in both
    )
    assert first == second == both[0].search(queries, masks, 20) == both[1].search(queries, masks, 20)
    assert [len(found) for found in first] == [20, 20, min(20, int(masks[2].sum())), 0]
    scores = vectors @ queries[1]
    assert all(masks[1][number] for number in first[1])
    assert scores[first[1][0]] == scores[torch.from_numpy(masks[1])].max()


@pytest.mark.parametrize(("spread", "decided"), [(1.0, False), (1e-3, True)])
def test_vectors_that_rounding_cannot_tell_apart_are_told_apart(
    spread: float, decided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best are 2,000 vectors around the query, closer to each other than 8 bits show."""
    vectors = unit_vectors(6000)
    query = vectors[:1].clone()
    vectors[:2000] = torch.nn.functional.normalize(query + spread * vectors[:2000], dim=1)
    faiss, torch_search = FaissNearest(vectors), TorchNearest(vectors)
    asked: list[int] = []
    product = TorchNearest.search
    monkeypatch.setattr(TorchNearest, "search", lambda *given: asked.append(1) or product(*given))
    mask = np.ones(6000, dtype=bool)
    found = faiss.search(query, [mask], 30)
    assert bool(asked) == decided
    assert found == product(torch_search, query, [mask], 30)


def test_far_vectors_are_found_where_the_near_ones_are_not_accessible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = unit_vectors(6000)
    query = vectors[:1]
    order = (vectors @ query[0]).argsort(descending=True).numpy()
    mask = np.ones(6000, dtype=bool)
    mask[order[:3000]] = False
    expected = TorchNearest(vectors).search(query, [mask], 30)
    faiss = FaissNearest(vectors)
    monkeypatch.delattr(TorchNearest, "search")
    assert faiss.search(query, [mask], 30) == expected == [order[3000:3030].tolist()]


def test_a_hybrid_joins_ranks() -> None:
    mask = np.ones(4, dtype=bool)
    joined = HybridRanker(Fixed(0, 1, 2, 3), Fixed(2, 1, 0, 3))
    # 0 and 2 are first once and third once, 1 is second twice.
    assert joined.rank(["s"], [mask], 4) == [[0, 2, 1, 3]]
    assert joined.rank(["s"], [mask], 1) == [[0]]
