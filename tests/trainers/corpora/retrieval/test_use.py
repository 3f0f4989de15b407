"""Premises in use: each program that has `--retriever` shows its policy another text with it."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from transformers import ByT5Tokenizer

from lean_gym import LeanProofVectorEnv, Theorem
from lean_gym.datasets.formats.leandojo_steps import CorpusFile, CorpusPremise
from lean_gym.envs.env import LeanProofEnv
from trainers.config.rollout import PromptConfig, SamplingConfig
from trainers.config.run import RunConfig
from trainers.config.serve import ServeConfig
from trainers.corpora.retrieval.corpus import Corpus
from trainers.corpora.retrieval.index import write_index
from trainers.corpora.retrieval.retriever import load_retriever, retriever_of
from trainers.errors import ConfigError, PolicyError
from trainers.imitation import sft
from trainers.policies.base import Completion
from trainers.policies.layout import PromptLayout
from trainers.policies.premises import Premise, Premised
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.layout import create_layout
from trainers.policies.prompts import Dialogue, Rendered, chat_messages, shown_goals
from trainers.policies.views import ProofView, View, create_view, show_all
from trainers.proving.search.beam import Beam
from trainers.proving.search.budget import Budget
from trainers.proving.search.scores import create_score
from trainers.proving.search.searcher import Searcher
from trainers.proving.serving.app import make_app
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.served import Served
from trainers.rollouts.player import EpisodePlayer
from trainers.run.session import player_options

FLIP = Theorem("More.second", "theorem More.second (a : Prop) (h : a) : a")


class Recorded:
    """A policy that keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        self.shown += goals
        return [Completion((), (0,), (-1.0,), "trivial") for _ in goals]


def game_index(folder: Path) -> str:
    """Write an index whose premises have words of the game in tests/trainers/conftest.py."""
    place = ((1, 1), (1, 9), "theorem")
    codes = {"left": "theorem left : True ∨ False", "split": "theorem split : True ∧ True"}
    premises = [CorpusPremise(f"game.{name}", "Game.lean", code, *place) for name, code in codes.items()]
    write_index(folder, Corpus([CorpusFile("Game.lean", (), tuple(premises))]))
    return str(folder)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> str:
    return game_index(tmp_path_factory.mktemp("game") / "index")


SHOWN = "-- game.split : theorem split : True ∧ True\n-- game.left : theorem left : True ∨ False\n⊢ True ∧ "


def episode(theorem: Theorem = FLIP, **options: Any) -> tuple[str, Any]:
    env = LeanProofEnv([theorem], "minilean", **options)
    observation, _ = env.reset()
    return observation, env._episode


def opened_view(settings: PromptConfig) -> View:
    """Return the view of the settings, with the retriever that they name."""
    return create_view(settings, retriever_of(settings))


def test_a_retriever_that_was_not_opened_is_missed() -> None:
    with pytest.raises(ValueError, match="retriever: expected that of an/index, got None"):
        create_view(PromptConfig(retriever="an/index"))


def test_the_view_shows_accessible_premises_and_keeps_its_answers(bm25_index: Path) -> None:
    view = opened_view(PromptConfig(retriever=str(bm25_index), premises=2))
    observation, at = episode()
    shown = view("⊢ merge x = turn x", at)
    # `More.second` says it in the same words, and is the theorem itself.
    *above, below = shown.splitlines()
    assert below == "⊢ merge x = turn x"
    assert len(above) == 2
    assert all(line.startswith("-- Ops.") for line in above)
    found = load_retriever(str(bm25_index))
    assert "-- More.second :" in opened_view(PromptConfig(retriever=str(bm25_index)))(
        "⊢ merge x = turn x", episode(Theorem("other", FLIP.statement))[1]
    )
    asked = found.asked
    assert show_all(view, ["⊢ merge x = turn x"] * 3, [at] * 3) == [shown] * 3
    assert found.asked == asked
    assert create_view(PromptConfig())(observation, at) == observation


def test_the_search_is_for_the_goals_that_are_shown(bm25_index: Path) -> None:
    both = "⊢ twist x = x\n\n⊢ drop x = x"
    _, at = episode()
    first = opened_view(PromptConfig(retriever=str(bm25_index), premises=1, prompt_goals=1))(both, at)
    assert first.startswith("-- Ops.twist_")
    # The premises stand above the goals, also where one of two is shown, and below no history.
    settings = PromptConfig(prompt_goals=1)
    assert shown_goals(first, settings).endswith("\n⊢ twist x = x")
    assert isinstance(shown_goals(first, settings), Premised)


def test_a_whole_proof_is_asked_for_below_premises(bm25_index: Path) -> None:
    theorem = Theorem("t", "theorem t (merge turn : Nat) : merge = turn")
    settings = SamplingConfig(
        actions="proof", max_repairs=1, max_steps=2, retriever=str(bm25_index), premises=1
    )
    view = opened_view(settings)
    env = LeanProofEnv([theorem], "minilean", actions="proof", max_repairs=1)
    observation, _ = env.reset()
    line = "-- More.second : theorem More.second (x : Nat) : merge x = turn x"
    assert view(observation, env._episode).startswith(f"{line}\ntheorem t")  # type: ignore[arg-type]
    observation, *_ = env.step("rfl")
    again = view(observation, env._episode)  # type: ignore[arg-type]
    assert isinstance(again, Dialogue)
    roles = [one["role"] for one in again.messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert [line in one["content"] for one in again.messages] == [False, True, False, False]
    bare = ProofView(settings.instruction)(observation, env._episode)  # type: ignore[arg-type]
    assert line not in bare.messages[1]["content"]  # type: ignore[attr-defined]


def test_premises_leave_a_prompt_the_worst_first() -> None:
    lines = tuple(f"-- premise {number}" for number in range(4))
    shown = Premised(lines, "⊢ p")
    assert shown == "-- premise 3\n-- premise 2\n-- premise 1\n-- premise 0\n⊢ p"
    assert pickle.loads(pickle.dumps(shown)).lines == lines
    tokenizer = ByT5Tokenizer()

    def prompt(budget: int, text: str = shown) -> str:
        settings = SamplingConfig(max_prompt_tokens=budget, prompt_template="{goals}:::")
        return str(tokenizer.decode(PromptLayout(tokenizer, settings).encode(text)[:-1]))

    whole = len(tokenizer.encode(f"{shown}:::"))
    assert prompt(whole) == f"{shown}:::"
    assert prompt(whole - 1) == "-- premise 2\n-- premise 1\n-- premise 0\n⊢ p:::"
    assert prompt(whole - 27) == "-- premise 0\n⊢ p:::"
    assert prompt(16) == "⊢ p:::"
    # Goals that are too long by themselves lose their beginning, and there are no premises.
    assert prompt(16, Premised(lines, "h : p\n" * 9 + "⊢ p")).endswith(":::")
    assert "premise" not in prompt(16, Premised(lines, "h : p\n" * 9 + "⊢ p"))
    assert chat_messages(shown, PromptConfig())[-1]["content"] == shown


def test_a_preset_has_its_own_format_and_number(bm25_index: Path) -> None:
    _, at = episode()
    goal = "⊢ merge x = turn x"
    for name, expected in (
        ("real-prover", "Formal name: Ops.merge_self\nFormal statement: theorem merge_self (x : Nat)"),
        ("reprover-retrieval", "theorem <a>Ops.merge_self</a> (x : Nat) : merge x = x\n\n"),
    ):
        settings = SamplingConfig(**{**find_preset(name).rollout(), "retriever": str(bm25_index)})
        assert settings.premises == find_preset(name).premises
        prompt = opened_view(settings)(goal, at)
        assert isinstance(prompt, Rendered)
        assert expected in prompt
        assert "More.second" not in prompt
        assert len(prompt.parts.premises) == min(settings.premises, 17)  # 17 are accessible
        # The budget of tokens takes the worst premises away.
        tight = settings.model_copy(update={"max_prompt_tokens": 600})
        ids = create_layout(ByT5Tokenizer(), tight).encode(prompt)
        assert len(ids) <= 600
        kept = ByT5Tokenizer().decode(ids)
        assert 0 < kept.count("theorem ") < 17
        assert kept.count("merge_self") >= 1
    with pytest.raises(
        PolicyError, match="retriever: expected none with the preset bfs-prover-v2, which shows no"
    ):
        opened_view(SamplingConfig(preset="bfs-prover-v2", retriever=str(bm25_index)))


def test_rollouts_and_search_take_a_retriever(env: LeanProofVectorEnv, game: str) -> None:
    policy, retriever = Recorded(), load_retriever(game)
    EpisodePlayer(env, retriever=retriever).sample(["t1"], policy)
    assert policy.shown
    assert all(text.startswith("-- game.") for text in policy.shown)
    searched = Recorded()
    Searcher(
        env, searched, lambda: Beam(create_score("sum", 1.0), 1, 1), Budget(tactics=2), retriever=retriever
    ).search(["t1"])
    assert searched.shown[0].startswith("-- game.")


def test_training_and_fine_tuning_show_premises(
    theorem_file: Path, env: LeanProofVectorEnv, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig(rollout={"retriever": game, "premises": 2})  # type: ignore[arg-type]
    policy = Recorded()
    EpisodePlayer(env, **player_options(config, retriever_of(config.rollout))).sample(["t1"], policy)
    assert policy.shown[0].startswith(SHOWN)

    class Enough(Exception):
        """The pairs are there."""

    def stop(_config: Any, _run: Any, policy: Any, _adapter: Any, _kept: Any, pairs: Any, *_: Any) -> None:
        raise Enough(policy.tokenizer.decode(pairs[0][0]))

    monkeypatch.setattr(sft, "_train", stop)
    words = ["--theorems", str(theorem_file), "--backend", "fake", "--workers", "1", "--hidden-size", "32"]
    words += ["--layers", "1", "--attention-heads", "2", "--vocabulary", "320", "--retriever", game]
    from trainers.sft import main

    with warnings.catch_warnings():
        warnings.simplefilter("default")  # TRL and transformers warn of each other
        with pytest.raises(Enough) as caught:
            main([*words, "--premises", "2", "--run-dir", str(tmp_path / "run")])
    # The first pair of `t0`, whose words are those of the other premise.
    assert str(caught.value).startswith("-- game.left : theorem left : True ∨ False\n-- game.split : ")
    assert "\n⊢ True ∧ True" in str(caught.value)


class Echo:
    """A source that answers with its prompt."""

    settings = SamplingConfig()
    is_chat = False
    tells_logprobs = True

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        return [[Sampled(a.text, (a.text,), (-0.5,), True, 1, a.text, (-0.5,))] * a.count for a in batch]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


async def suggestions(rollout: dict[str, Any]) -> Any:
    """Return the answers of a server to a state."""
    config = ServeConfig(policy="runs/mine", proofs=0, rollout=rollout)  # type: ignore[arg-type]
    served = Served(config, Echo(), retriever=retriever_of(config.rollout))
    transport = httpx.ASGITransport(make_app(served))
    async with (
        served.running(),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        answer = await client.post("/", json={"tactic_state": "⊢ True ∨ False", "prefix": ""})
    return answer.json()["suggestions"]


def test_a_server_shows_premises(game: str) -> None:
    assert asyncio.run(suggestions({})) == ["⊢ True ∨ False"]
    with_premises = asyncio.run(suggestions({"retriever": game, "premises": 1}))
    assert with_premises == ["-- game.left : theorem left : True ∨ False\n⊢ True ∨ False"]


def test_a_retriever_that_is_none_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"retriever: .* has no index\.json"):
        retriever_of(PromptConfig(retriever=str(tmp_path)))


def test_a_retriever_wants_a_theorem_for_each_text(bm25_index: Path) -> None:
    retriever = load_retriever(str(bm25_index))
    with pytest.raises(ValueError, match="theorems: expected 2, one for each text, got 1"):
        retriever(["⊢ a", "⊢ b"], 3, [FLIP])
    assert len(retriever(["⊢ flip", "⊢ drop"], 3)) == 2


def test_a_retriever_of_ones_own(env: LeanProofVectorEnv) -> None:
    def mine(
        texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = (), /
    ) -> list[list[Premise]]:
        return [[Premise(each.name if each else "", "p")] for each in theorems]

    policy = Recorded()
    EpisodePlayer(env, retriever=mine).sample(["t1"], policy)
    assert policy.shown[0].startswith("-- t1 : p\n⊢ True ∧ ")
