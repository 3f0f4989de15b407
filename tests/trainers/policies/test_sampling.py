"""Drawing of tokens: the distribution, its extremes, and independence from the batch."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from trainers.config.rollout import RolloutConfig
from trainers.errors import PolicyError
from trainers.policies.sampling import SamplingSettings, TokenStream, draw_tokens, sample_tokens
from trainers.policies.scoring import _of_logits
from trainers.policies.transformers import TransformersPolicy

VOCABULARY = 151_936
LARGEST = 1 - 2.0**-53
"""The largest random number in 64 bits."""


def uniforms(count: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(count, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_draws_follow_the_softmax(temperature: float) -> None:
    logits = torch.randn(40, generator=torch.Generator().manual_seed(1)) * 2
    count = 20_000
    drawn, _ = draw_tokens(logits.expand(count, -1), temperature, uniforms(count))
    expected = torch.softmax(logits.double() / temperature, dim=-1).numpy() * count
    found = np.bincount(drawn.squeeze(1).numpy(), minlength=40)
    rare = expected < 5  # the test needs expected counts of at least 5
    found = np.append(found[~rare], found[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    assert stats.chisquare(found[kept], expected[kept] * found.sum() / expected[kept].sum()).pvalue > 1e-3
    # The test can fail: it tells this from another temperature.
    other = torch.softmax(logits.double() / (1.1 * temperature), dim=-1).numpy() * count
    other = np.append(other[~rare], other[rare].sum())
    assert stats.chisquare(found[kept], other[kept] * found.sum() / other[kept].sum()).pvalue < 1e-3


def test_draws_over_a_whole_vocabulary_follow_the_softmax() -> None:
    """Equally likely bins of a vocabulary of 151,936, where running sums of 32 bits would be off."""
    logits = torch.randn(1, VOCABULARY, generator=torch.Generator().manual_seed(2))
    numbers = (torch.arange(128, dtype=torch.float64) + 0.5) / 128
    drawn, _ = draw_tokens(logits.expand(128, -1), 1.0, numbers)
    sums = torch.softmax(logits.double(), dim=-1).cumsum(dim=1)[0]
    # Each number falls into its token's interval, up to the rounding of the probabilities themselves.
    after, before = (
        sums[drawn.squeeze(1)],
        sums[drawn.squeeze(1)] - torch.softmax(logits.double(), -1)[0, drawn[:, 0]],
    )
    assert bool((numbers < after + 1e-7).all() and (numbers >= before - 1e-7).all())


def test_tokens_of_probability_0_are_never_drawn() -> None:
    logits = torch.full((5, VOCABULARY), -torch.inf)
    logits[:, 7], logits[:, 1000] = 0.0, -1.0
    numbers = torch.tensor([0.0, 0.3, 1 / (1 + np.exp(-1.0)), 0.9, LARGEST], dtype=torch.float64)
    drawn, chosen = draw_tokens(logits, 1.0, numbers)
    assert set(drawn.squeeze(1).tolist()) == {7, 1000}
    assert (drawn[0].item(), drawn[-1].item()) == (7, 1000)
    share = {7: 0.7310586, 1000: 0.2689414}
    assert chosen.exp().squeeze(1).tolist() == pytest.approx([share[token] for token in drawn[:, 0].tolist()])


@pytest.mark.parametrize("place", [0, 5, VOCABULARY - 1])
def test_a_token_that_has_all_the_mass_is_always_drawn(place: int) -> None:
    logits = torch.randn(3, VOCABULARY, generator=torch.Generator().manual_seed(3))
    logits[:, place] = 20.0
    drawn, chosen = draw_tokens(logits, 0.01, torch.tensor([0.0, 0.5, LARGEST], dtype=torch.float64))
    assert drawn.squeeze(1).tolist() == [place] * 3
    assert chosen.tolist() == [[0.0]] * 3


def test_the_last_token_is_drawn_by_the_largest_number_only_where_it_has_mass() -> None:
    logits = torch.zeros(1, VOCABULARY)
    assert draw_tokens(logits, 1.0, torch.tensor([LARGEST], dtype=torch.float64))[0].item() == VOCABULARY - 1
    logits[0, -3:] = -torch.inf
    assert draw_tokens(logits, 1.0, torch.tensor([LARGEST], dtype=torch.float64))[0].item() == VOCABULARY - 4


def test_logprobs_are_those_of_scoring_to_the_last_bit() -> None:
    logits = torch.randn(9, 4000, generator=torch.Generator().manual_seed(4)).bfloat16()
    drawn, chosen = draw_tokens(logits, 0.7, uniforms(9))
    assert torch.equal(chosen.squeeze(1), _of_logits(logits, drawn.squeeze(1), 0.7, False)[0])


def test_a_part_at_a_time_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    logits = torch.randn(11, 300, generator=torch.Generator().manual_seed(5))
    whole = draw_tokens(logits, 1.0, uniforms(11))
    monkeypatch.setattr("trainers.policies.sampling._DRAWN_AT_ONCE", {"cpu": 650})
    assert all(torch.equal(a, b) for a, b in zip(whole, draw_tokens(logits, 1.0, uniforms(11)), strict=True))


NUCLEUS = [0.05, 0.4, 0.05, 0.3, 0.2]


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [
        (1e-9, [1]),
        (0.39, [1]),
        (0.41, [1, 3]),
        (0.69, [1, 3]),
        (0.71, [1, 3, 4]),
        (0.91, [0, 1, 3, 4]),  # of two equally likely tokens the first
        (0.96, [0, 1, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_the_nucleus_is_exact(top_p: float, kept: list[int], temperature: float) -> None:
    """All tokens of a small distribution are enumerated by evenly spaced numbers; other tokens are never drawn."""
    logits = (
        temperature * torch.tensor([NUCLEUS], dtype=torch.float64).log()
    )  # tempered, they are NUCLEUS again
    count = 2_000
    numbers = torch.cat([(torch.arange(count) + 0.5) / count, torch.tensor([LARGEST])]).double()
    drawn, chosen = draw_tokens(logits.expand(count + 1, -1), temperature, numbers, top_p)
    assert sorted(set(drawn.squeeze(1).tolist())) == kept
    mass = sum(NUCLEUS[token] for token in kept)
    for token in kept:
        rows = drawn.squeeze(1) == token
        assert int(rows[:count].sum()) == pytest.approx(count * NUCLEUS[token] / mass, abs=1)
        assert chosen[rows].exp().flatten().tolist() == pytest.approx(
            [NUCLEUS[token] / mass] * int(rows.sum())
        )


def test_equal_logits_give_a_nucleus_of_the_share() -> None:
    drawn, chosen = draw_tokens(torch.zeros(512, 64), 1.0, uniforms(512), 0.25)
    assert set(drawn.squeeze(1).tolist()) == set(range(16))
    assert chosen.exp().flatten().tolist() == pytest.approx([1 / 16] * 512)


def test_draws_follow_the_nucleus() -> None:
    logits = torch.randn(40, generator=torch.Generator().manual_seed(1)) * 2
    count, top_p = 20_000, 0.95
    drawn, _ = draw_tokens(logits.expand(count, -1), 0.7, uniforms(count), top_p)
    whole = torch.softmax(logits.double() / 0.7, dim=-1).numpy()

    def nucleus(share: float) -> np.ndarray:
        kept: list[int] = []
        for token in np.argsort(-whole):
            if whole[kept].sum() < share:
                kept.append(int(token))
        return np.array([whole[token] * (token in kept) for token in range(40)]) / whole[kept].sum()

    expected = nucleus(top_p)
    found = np.bincount(drawn.squeeze(1).numpy(), minlength=40)
    inside = expected > 0
    assert 3 <= inside.sum() < 40
    assert not found[~inside].any()
    assert stats.chisquare(found[inside], count * expected[inside]).pvalue > 1e-3
    # The test can fail: it tells this from draws that have the nucleus but not its probabilities.
    other = np.where(inside, whole**0.9, 0.0)
    assert stats.chisquare(found[inside], count * (other / other.sum())[inside]).pvalue < 1e-3


def test_a_nucleus_of_everything_gives_the_same_draws() -> None:
    logits = torch.randn(64, 4000, generator=torch.Generator().manual_seed(6))
    expected = torch.log_softmax(logits / 0.7, dim=-1)
    sums = expected.exp().mul(2.0**60).long().cumsum(dim=1)
    numbers = uniforms(64)
    below = (numbers * sums[:, -1]).long().unsqueeze(1)
    tokens = (sums <= below).sum(dim=1, keepdim=True)
    drawn, chosen = draw_tokens(logits, 0.7, numbers, 1.0)
    assert torch.equal(drawn, tokens)
    assert torch.equal(chosen, expected.gather(1, tokens))


def test_logits_that_are_not_numbers_stay_so_in_a_nucleus() -> None:
    assert bool(draw_tokens(torch.full((3, 9), torch.nan), 1.0, uniforms(3), 0.9)[1].isnan().all())


@pytest.mark.parametrize("top_p", [1.0, 0.6])
def test_a_seeded_policy_repeats_itself(policy: TransformersPolicy, top_p: float) -> None:
    settings = RolloutConfig(max_tactic_tokens=8, top_p=top_p)
    narrow = TransformersPolicy(policy.model, policy.tokenizer, settings)
    drawn = []
    for seed in (0, 0, 1):
        with narrow.seeded(seed):
            drawn.append(narrow.sample(["⊢ True ∧ True"] * 8))
    assert drawn[0] == drawn[1] != drawn[2]
    whole = TransformersPolicy(policy.model, policy.tokenizer, RolloutConfig(max_tactic_tokens=8))
    with whole.seeded(0):
        assert (whole.sample(["⊢ True ∧ True"] * 8) == drawn[0]) == (top_p == 1.0)


def test_a_row_does_not_depend_on_the_batch(policy: TransformersPolicy) -> None:
    goals = ["⊢ True", "⊢ True ∧ False ∨ True", "⊢ False ∨ True", "⊢ True"] * 3
    prompts = [policy.encode_prompt(text) for text in goals]

    def draw(batch_tokens: int, count: int) -> list[tuple[int, ...]]:
        settings = SamplingSettings(1.0, 8, policy.layout.end_tokens, batch_tokens=batch_tokens)
        generator = torch.Generator().manual_seed(0)
        return [ids for ids, _ in sample_tokens(policy.model, prompts[:count], settings, generator)]

    assert draw(32768, 12) == draw(40, 12) == draw(1, 12)
    assert draw(32768, 5) == draw(32768, 12)[:5]
    assert len(set(draw(1, 12)[::4])) > 1  # equal prompts have random numbers of their own


def test_logits_that_are_not_numbers_are_one_clear_line(policy: TransformersPolicy) -> None:
    with torch.no_grad():
        policy.model.get_input_embeddings().weight.fill_(torch.nan)
    with pytest.raises(PolicyError, match="logits are not numbers"):
        policy.sample(["⊢ True"])


@pytest.mark.parametrize("stop", [[], ["triv"], ["vial", "∨"]])
def test_sampling_ends_at_the_first_stop_text(policy: TransformersPolicy, stop: list[str]) -> None:
    plain = TransformersPolicy(policy.model, policy.tokenizer, RolloutConfig(max_tactic_tokens=12))
    settings = RolloutConfig(max_tactic_tokens=12, stop=stop)
    stopping = TransformersPolicy(policy.model, policy.tokenizer, settings)
    drawn = []
    for each in (plain, stopping):
        with each.seeded(0):
            drawn.append(each.sample(["⊢ True ∧ True", "⊢ False ∨ True"] * 20))
    cut = 0
    for long, short in zip(*drawn, strict=True):
        # Rows have random numbers of their own, so a row goes as without the setting up to its stop text.
        assert long.token_ids[: len(short.token_ids)] == short.token_ids
        assert long.logprobs[: len(short.token_ids)] == pytest.approx(short.logprobs, abs=1e-4)
        assert not any(text in short.text for text in stop)
        if any(text in long.text for text in stop):
            cut += 1
            assert long.text.startswith(short.text)
            whole = policy.tokenizer.decode(list(short.token_ids))
            assert any(text in whole for text in stop)
            assert not any(text in policy.tokenizer.decode(list(short.token_ids[:-1])) for text in stop)
            assert stopping.layout.ended(short.token_ids)
            assert stopping.layout.cut(long.token_ids) == len(short.token_ids)
        else:
            assert long == short
    assert (cut > 0) == bool(stop)


@pytest.mark.parametrize("remembers", [False, True])
@pytest.mark.parametrize("opening", [(), (1, 2)])
def test_rows_that_come_later_are_drawn_as_if_alone(
    policy: TransformersPolicy, opening: tuple[int, ...], remembers: bool
) -> None:
    goals = [
        "⊢ True",
        "⊢ True ∧ False ∨ True",
        "⊢ False ∨ True",
        "⊢ True",
        "⊢ True ∧ True ∧ True ∧ True ∨ False",
    ]
    prompts = [opening + policy.encode_prompt(text) for text in goals]
    settings = SamplingSettings(1.0, 8, policy.layout.end_tokens)
    numbers = torch.rand(len(goals), 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))

    def drawn(first_steps: list[int]) -> dict[int, tuple[tuple[int, ...], tuple[float, ...]]]:
        stream = TokenStream[int](policy.model, settings, opening=opening, remembers=remembers)
        found = {}
        for step in range(100):
            for row, begins in enumerate(first_steps):
                if begins == step:
                    stream.add(row, prompts[row], numbers[row].tolist())
            found |= {row: (ids, logprobs) for row, ids, logprobs in stream.step()}
        assert not len(stream)
        return found

    alone = drawn([0, 20, 40, 60, 80])
    for first_steps in ([0, 0, 0, 0, 0], [4, 3, 2, 1, 0], [0, 2, 2, 9, 3]):
        together = drawn(first_steps)
        assert {row: ids for row, (ids, _) in together.items()} == {
            row: ids for row, (ids, _) in alone.items()
        }
        for row, (_, logprobs) in together.items():
            assert logprobs == pytest.approx(alone[row][1], abs=1e-5)


@pytest.mark.parametrize("opening", [(), (1, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_tokens_have_the_probabilities_of_the_model_whenever_their_prompts_come(
    policy: TransformersPolicy, opening: tuple[int, ...], seed: int
) -> None:
    random = Random(seed)
    prompts = [
        (opening if random.random() < 0.9 else ()) + tuple(random.choices(range(3, 200), k=length))
        for length in (1, 2, 4, 7, 7, 11)
    ]
    settings = SamplingSettings(1.0, 6, policy.layout.end_tokens, batch_tokens=150)
    stream = TokenStream[int](policy.model, settings, opening=opening, remembers=True)
    asked: list[tuple[int, ...]] = []
    sampled = {}
    while len(asked) < 120 or len(stream):
        for _ in range(random.choice((0, 0, 1, 3)) if len(asked) < 120 else 0):
            asked.append(random.choice(prompts))
            stream.add(len(asked) - 1, asked[-1], [random.random() for _ in range(6)])
        sampled |= {row: (ids, logprobs) for row, ids, logprobs in stream.step()}
    for row, (ids, logprobs) in sampled.items():
        with torch.no_grad():
            logits = policy.model(torch.tensor([asked[row] + ids])).logits[0, len(asked[row]) - 1 : -1]
        expected = logits.log_softmax(dim=-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
        assert logprobs == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize(("most", "read"), [(1000, [0, 1, 2]), (30, [0, 1, 2, 0, 1])])
def test_prompts_that_come_again_are_not_read_again(
    policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch, most: int, read: list[int]
) -> None:
    prompts = [(1, 2, 3, *range(10, 10 + length)) for length in (6, 9, 12)]
    settings = SamplingSettings(1.0, 2, policy.layout.end_tokens, batch_tokens=most)
    stream = TokenStream[int](policy.model, settings, remembers=True)
    forward, seen = policy.model.forward, []

    def counted(**given: Any) -> Any:
        if given["input_ids"].shape[1] > 1:
            seen.append(prompts.index(tuple(given["input_ids"][0].tolist())))
        return forward(**given)

    monkeypatch.setattr(policy.model, "forward", counted)
    for key, prompt in enumerate((0, 1, 2, 2, 0, 1)):
        stream.add(key, prompts[prompt], [0.3, 0.6])
        while len(stream):
            stream.step()
    assert seen == read
