"""Prompts of presets as tokens: the budget, chat templates, ends of answers."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest
from transformers import ByT5Tokenizer, PreTrainedTokenizerFast

from lean_gym import Theorem
from lean_gym.envs.episode import Episode
from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.layout import PromptLayout
from trainers.policies.premises import Premise
from trainers.policies.presets.base import Shown
from trainers.policies.presets.catalogue import PRESETS, read_name
from trainers.policies.presets.layout import PresetLayout, create_layout
from trainers.policies.presets.ntp import TRUNCATED
from trainers.policies.presets.view import PresetView, rendered
from trainers.policies.tiny import train_tokenizer
from trainers.policies.views import create_view

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined %}<set>{% endif %}{% endif %}"
)
STATE = "h : p\n⊢ p\n\ncase right\n⊢ q"


@pytest.fixture
def tokenizer() -> PreTrainedTokenizerFast:
    made = train_tokenizer(["⊢ p ∧ q", "exact h"] * 3, 320)
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    made.chat_template = CHAT
    return made


def settings(name: str, **changed: object) -> SamplingConfig:
    return SamplingConfig(**(PRESETS[name].rollout() | changed))


def episode() -> Episode:
    theorem = Theorem("t", "theorem t (p q : Prop) : p → q ", context="open Nat")
    return Episode(theorem, (), tactics=("intro h",))


def test_a_view_and_its_layout_give_the_published_prompt(tokenizer: PreTrainedTokenizerFast) -> None:
    chosen = settings("internlm2.5-step")
    shown = create_view(chosen)(STATE, episode())
    parts = Shown(STATE, "t", "theorem t (p q : Prop) : p → q", "open Nat", tactics=("intro h",))
    assert shown == PRESETS["internlm2.5-step"].prompt(parts)
    layout = create_layout(tokenizer, chosen)
    assert tokenizer.decode(list(layout.encode(shown))) == shown
    assert layout.encode(pickle.loads(pickle.dumps(shown))) == layout.encode(shown)


def test_without_a_preset_nothing_changes(tokenizer: PreTrainedTokenizerFast) -> None:
    assert type(create_layout(tokenizer, SamplingConfig())) is PromptLayout


def test_goals_alone_are_shown_in_the_format_too(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = create_layout(tokenizer, settings("bfs-prover-v2"))
    assert tokenizer.decode(list(layout.encode(STATE))) == f"{STATE}:::"
    first = create_layout(tokenizer, settings("bfs-prover-v2", prompt_goals=1))
    assert tokenizer.decode(list(first.encode(STATE))) == "h : p\n⊢ p:::"


def test_the_messages_go_through_the_models_template_once(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = create_layout(tokenizer, settings("kimina"))
    preset = PRESETS["kimina"]
    parts = Shown(STATE, "t", "theorem t : True")
    messages = preset.prompt(parts)
    assert isinstance(messages, list)
    expected = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    # the option `enable_thinking` is not given: the published prompts come from the template's default
    assert (
        tokenizer.decode(list(layout.encode(rendered(preset, parts)))) == f"{expected}<|im_start|>assistant\n"
    )
    assert layout.end_tokens[0] == tokenizer.convert_tokens_to_ids("<|im_end|>")


def test_a_chat_needs_a_template(tokenizer: PreTrainedTokenizerFast) -> None:
    tokenizer.chat_template = None
    with pytest.raises(
        PolicyError, match="preset goedel-v2: it is a chat, and the model has no chat template"
    ):
        create_layout(tokenizer, settings("goedel-v2"))


def test_a_text_takes_no_template(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = create_layout(tokenizer, settings("internlm2-step"))
    assert not layout.is_chat
    # the text has the marks of the turn; the stop text is one token, which ends an answer
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert layout.end_tokens == (end, tokenizer.eos_token_id)
    ids = tokenizer.encode("PROOFSTEP exact h", add_special_tokens=False)
    assert isinstance(end, int)
    assert layout.tactics([(*ids, end)]) == ["exact h"]
    assert layout.answer("exact h") == "PROOFSTEP exact h"


def test_instructions_survive_a_short_budget() -> None:
    tokenizer = ByT5Tokenizer()
    layout = create_layout(tokenizer, settings("leandojo-v2"))
    state = "h : " + "x" * 1000 + "\n⊢ goal"
    text = str(tokenizer.decode(list(layout.encode(state)), skip_special_tokens=True))
    assert len(layout.encode(state)) == 512
    whole = PRESETS["leandojo-v2"].prompt(Shown(state))
    assert isinstance(whole, str)
    before, after = whole.split(state)
    assert text.startswith(before)
    assert text.endswith("xxx\n⊢ goal" + after)


def test_premises_go_before_the_file_and_the_file_before_the_state() -> None:
    tokenizer = ByT5Tokenizer()
    premises = tuple(Premise(f"lemma{n}", "p" * 50) for n in range(5))
    parts = Shown("⊢ " + "s" * 200, premises=premises)
    preset = PRESETS["real-prover"]
    alone = len(tokenizer.encode(str(rendered(preset, replace(parts, premises=())))))
    layout = create_layout(tokenizer, settings("real-prover", max_prompt_tokens=alone + 200))
    text = str(tokenizer.decode(list(layout.encode(rendered(preset, parts))), skip_special_tokens=True))
    assert text == str(rendered(preset, replace(parts, premises=premises[:2])))

    preset = PRESETS["ntp-context"]
    parts = Shown("⊢ goal", statement="theorem t", context="-- " + "c" * 3000)
    layout = create_layout(tokenizer, settings("ntp-context", max_prompt_tokens=1000))
    text = str(tokenizer.decode(list(layout.encode(rendered(preset, parts))), skip_special_tokens=True))
    assert 990 <= len(text.encode()) < 1000
    assert TRUNCATED in text
    assert "[STATE]\n⊢ goal\n[/STATE]\n[TAC]\n" in text
    assert text.startswith("/- You are proving a theorem in Lean 4.\n")


def test_tactics_so_far_lose_the_first_ones() -> None:
    tokenizer = ByT5Tokenizer()
    preset = PRESETS["internlm2.5-step"]
    parts = Shown("⊢ p", "t", tactics=tuple(f"tactic{n}" for n in range(30)))
    layout = create_layout(tokenizer, settings("internlm2.5-step", max_prompt_tokens=200))
    text = str(tokenizer.decode(list(layout.encode(rendered(preset, parts))), skip_special_tokens=True))
    assert "tactic29\n\n---\nSTATE_BEFORE: ⊢ p" in text
    assert "tactic0\n" not in text
    assert text.startswith("<|im_start|>user\n---\nNAME: t\n")


def test_a_prompt_is_never_longer_than_the_budget() -> None:
    layout = create_layout(ByT5Tokenizer(), settings("deepseek-prover-v1.5", max_prompt_tokens=300))
    parts = Shown("⊢ p", statement="theorem t : " + "x" * 1000)
    assert len(layout.encode(rendered(PRESETS["deepseek-prover-v1.5"], parts))) == 300


def test_a_budget_without_room_is_refused() -> None:
    with pytest.raises(PolicyError, match="max_prompt_tokens: got 100, and the preset leandojo-v2 takes 3"):
        create_layout(ByT5Tokenizer(), settings("leandojo-v2", max_prompt_tokens=100))


def test_a_dialogue_of_several_states_is_refused(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = create_layout(tokenizer, settings("bfs-prover-v2"))
    assert isinstance(layout, PresetLayout)
    with pytest.raises(PolicyError, match="preset bfs-prover-v2: its states have separate prompts"):
        layout.encode_next("⊢ p", (1,))


def test_premises_come_from_the_retriever(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[object] = []

    def retriever(
        texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = (), /
    ) -> list[list[Premise]]:
        asked.extend([*texts, count, *(each and each.name for each in theorems)])
        return [[Premise("And.symm", "theorem And.symm : a")]]

    chosen = settings("reprover-retrieval")
    view = PresetView(chosen, retriever)
    assert view("⊢ p", episode()) == "theorem <a>And.symm</a> : a\n\n⊢ p"
    assert asked == ["⊢ p", 100, episode().theorem.name]
    assert capsys.readouterr().err == ""
    alone = create_view(chosen)
    assert alone("⊢ p", episode()) == alone("⊢ p", episode()) == "⊢ p"
    assert capsys.readouterr().err == (
        "warning: preset reprover-retrieval: no premises are retrieved, so none are shown\n"
    )


def test_names_on_the_command_line() -> None:
    assert read_name("Qwen/Qwen3-0.6B") is None
    named = read_name("preset:bfs-prover-v2")
    assert named is not None
    assert (named.preset.name, named.model) == ("bfs-prover-v2", "ByteDance-Seed/BFS-Prover-V2-7B")
    own = read_name("preset:leandojo-v2=runs/a=b")
    assert own is not None
    assert (own.preset.name, own.model) == ("leandojo-v2", "runs/a=b")
    with pytest.raises(PolicyError, match="unknown preset 'bfs-prover-v3'; did you mean 'bfs-prover-v"):
        read_name("preset:bfs-prover-v3")
    with pytest.raises(
        PolicyError, match="preset leandojo-v2: it has no published model of its own; name one as"
    ):
        read_name("preset:leandojo-v2")
