"""Prompts with and without a chat template, with a small tokenizer."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from transformers import PreTrainedTokenizerFast

from lean_gym import Theorem
from trainers import evaluate, expert_iteration, grpo, sft
from trainers.config.rollout import RolloutConfig
from trainers.config.run import TinyConfig
from trainers.errors import PolicyError
from trainers.policies.layout import PromptLayout
from trainers.policies.prompts import Dialogue
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy, load_pretrained

TEMPLATE = (
    "{% for m in messages %}<|turn|>{{ m.role }}\n{{ m.content }}<|over|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
THINKING = TEMPLATE.replace("assistant\n", "assistant\n{% if not enable_thinking %}<no>{% endif %}")
SHORT = RolloutConfig(instruction="Prove.", prompt_style="auto", max_prompt_tokens=60)


@pytest.fixture
def tokenizer() -> PreTrainedTokenizerFast:
    made = train_tokenizer(["⊢ True ∧ True", "split", "trivial", "user assistant system Prove."] * 3, 320)
    made.add_special_tokens({"additional_special_tokens": ["<|turn|>", "<|over|>"]})
    made.chat_template = TEMPLATE
    return made


def test_a_chat_is_used_where_there_is_a_template(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = PromptLayout(tokenizer, SHORT)
    expected = "<|turn|>system\nProve.<|over|>\n<|turn|>user\n⊢ True<|over|>\n<|turn|>assistant\n"
    assert layout.is_chat
    assert tokenizer.decode(list(layout.encode("⊢ True\n\n⊢ False"))) == expected
    # the end-of-turn token comes first; the end-of-text token ends a tactic, too
    over = tokenizer.convert_tokens_to_ids("<|over|>")
    assert layout.end_tokens == (over, tokenizer.eos_token_id)


@pytest.mark.parametrize("template", [TEMPLATE, None])
def test_plain_prompts(tokenizer: PreTrainedTokenizerFast, template: str | None) -> None:
    tokenizer.chat_template = template
    style = "auto" if template is None else "plain"
    layout = PromptLayout(tokenizer, RolloutConfig(prompt_style=style))  # type: ignore[arg-type]
    assert not layout.is_chat
    assert tokenizer.decode(list(layout.encode("⊢ True"))) == "⊢ True:::"
    assert layout.end_tokens == (tokenizer.eos_token_id,)


def test_a_template_that_refuses_a_system_message_gets_one_message(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    tokenizer.chat_template = NO_SYSTEM
    layout = PromptLayout(tokenizer, SHORT)
    text = tokenizer.decode(list(layout.encode("⊢ True")))
    assert text == "<|turn|>user\nProve.\n\n⊢ True<|over|>\n<|turn|>assistant\n"
    assert layout.end_tokens[0] == tokenizer.convert_tokens_to_ids("<|over|>")


def test_thoughts_have_room_where_the_settings_give_it(tokenizer: PreTrainedTokenizerFast) -> None:
    tokenizer.chat_template = THINKING
    layout = PromptLayout(tokenizer, SHORT)
    assert tokenizer.decode(list(layout.encode("⊢ True"))).endswith("<|turn|>assistant\n<no>")
    thinking = PromptLayout(tokenizer, SHORT.model_copy(update={"enable_thinking": True}))
    assert tokenizer.decode(list(thinking.encode("⊢ True"))).endswith("<|turn|>assistant\n")
    reply = tokenizer.encode("<think>True?</think>\n```lean\nsplit\n```", add_special_tokens=False)
    assert thinking.tactics([tuple(reply)]) == ["split"]


@pytest.mark.parametrize("template", [TEMPLATE, NO_SYSTEM])
def test_turns_of_a_dialogue_are_those_of_the_template(
    tokenizer: PreTrainedTokenizerFast, template: str
) -> None:
    tokenizer.chat_template = template
    layout = PromptLayout(tokenizer, SHORT)
    over, eos = layout.end_tokens
    for sampled, end in [((5, over), ""), ((5, eos), ""), ((5,), "<|over|>")]:
        text = tokenizer.decode(list(layout.encode_next("⊢ False\n\n⊢ p", sampled)))
        assert text == f"{end}\n<|turn|>user\n⊢ False<|over|>\n<|turn|>assistant\n"
    goals = "\n".join(f"h{n} : True ∧ True" for n in range(40)) + "\n⊢ True"
    ids = layout.encode_next(goals, (5,))
    assert 55 <= len(ids) <= 60
    assert tokenizer.decode(list(ids)).endswith("h39 : True ∧ True\n⊢ True<|over|>\n<|turn|>assistant\n")


def test_the_end_of_a_tactic(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = PromptLayout(tokenizer, RolloutConfig(prompt_style="plain", stop=["\n", "∧ T"]))
    eos = tokenizer.eos_token_id
    first, second = (tuple(tokenizer.encode(text)) for text in ("split", "\n"))
    assert layout.cut((*first, *second, *first)) == len(first) + 1
    assert layout.cut((*first, eos, *first, *second)) == len(first) + 1
    assert layout.cut(first) == len(first)
    assert layout.cut(()) == 0
    whole = tuple(tokenizer.encode("⊢ True ∧ True"))
    assert layout.tactics([whole]) == ["⊢ True "]
    assert [layout.ended(ids) for ids in ((), first, (*first, eos), (*first, *second))] == [
        False,
        False,
        True,
        True,
    ]
    assert layout.ended(whole[: layout.cut(whole)])
    assert not layout.ended(whole[: layout.cut(whole) - 1])


def test_long_goals_lose_their_beginning_and_the_template_nothing(tokenizer: PreTrainedTokenizerFast) -> None:
    layout = PromptLayout(tokenizer, SHORT)
    goals = "\n".join(f"h{n} : True ∧ True" for n in range(40)) + "\n⊢ True"
    ids = layout.encode(goals)
    text = tokenizer.decode(list(ids))
    assert 55 <= len(ids) <= 60
    assert text.startswith("<|turn|>system\nProve.<|over|>\n<|turn|>user\n")
    shown = text.partition("user\n")[2].partition("<|over|>")[0]
    assert goals.endswith(shown)
    assert "h39 : True ∧ True\n⊢ True" in shown


def test_a_plain_prompt_that_is_cut_keeps_its_first_token(tokenizer: PreTrainedTokenizerFast) -> None:
    from tokenizers.processors import TemplateProcessing

    start = tokenizer.convert_tokens_to_ids("<|turn|>")
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|turn|> $A", special_tokens=[("<|turn|>", start)]
    )
    layout = PromptLayout(tokenizer, RolloutConfig(prompt_style="plain", max_prompt_tokens=16))
    ids = layout.encode("h : True\n" * 40 + "⊢ True")
    assert (len(ids), ids[0]) == (16, start)
    assert tokenizer.decode(list(ids[1:])).endswith("⊢ True:::")


@pytest.mark.parametrize(
    ("changes", "settings", "message"),
    [
        ({"chat_template": None}, RolloutConfig(prompt_style="chat"), "has no chat template; take 'plain'"),
        (
            {"chat_template": "{{ raise_exception('x\ny') }}"},
            SHORT,
            "cannot be used: x y; see --prompt-style",
        ),
        ({"chat_template": "{% if %}"}, SHORT, "the model's chat template cannot be used: "),
        ({}, RolloutConfig(max_prompt_tokens=16), r"max_prompt_tokens: got 16, .* takes \d+ by itself"),
        ({"eos_token": None}, SHORT, "no end token"),
    ],
)
def test_unusable_layouts(
    tokenizer: PreTrainedTokenizerFast, changes: dict[str, Any], settings: RolloutConfig, message: str
) -> None:
    for name, value in changes.items():
        setattr(tokenizer, name, value)
    with pytest.raises(PolicyError, match=message) as caught:
        PromptLayout(tokenizer, settings)
    assert "\n" not in str(caught.value)


def test_a_turn_ends_where_the_template_ends_it(tokenizer: PreTrainedTokenizerFast) -> None:
    model = build_model(TinyConfig(hidden_size=32, layers=1, attention_heads=2), tokenizer, seed=0)
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=40, instruction=""))
    over, end = policy.layout.end_tokens
    assert policy.encode_tactic("split")[-1] == over
    with policy.seeded(0):
        drawn = policy.sample(["⊢ True"] * 200)
    assert {c.token_ids[-1] for c in drawn if len(c.token_ids) < 40} == {over, end}
    assert not any({over, end} & set(c.token_ids[:-1]) for c in drawn)
    fenced = tokenizer.encode("```lean\nsplit\n```", add_special_tokens=False)
    assert policy.layout.tactics([(*fenced, over), tuple(fenced)]) == ["split", "split"]


def test_every_program_uses_the_template(
    theorems: tuple[Theorem, ...], theorem_file: Path, tmp_path: Path
) -> None:
    tokenizer = train_tokenizer([text for t in theorems for text in (t.statement, t.proof)], 320)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|turn|>", "<|over|>"]})
    tokenizer.chat_template = TEMPLATE
    model = build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed=0)
    TransformersPolicy(model, tokenizer, RolloutConfig()).save(tmp_path / "model")
    shared = {"theorems": str(theorem_file), "backend": "fake", "workers": 1, "torch_threads": 1}
    prompts = {"history": 2, "instruction": "Prove."}
    play = {"max_steps": 6, "max_tactic_tokens": 8}
    groups = prompts | play | {"theorems_per_iteration": 4, "group_size": 4}
    warm = {"warm_start_epochs": 8, "warm_start_learning_rate": 5e-3, "warm_start_batch": 4}

    def run(program: Any, name: str, **values: Any) -> Path:
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(shared | values))
        assert program.main(["--config", str(tmp_path / f"{name}.yaml")]) == 0
        return tmp_path / name

    taught = run(
        sft,
        "taught",
        rollout=prompts,
        model=str(tmp_path / "model"),
        run_dir=str(tmp_path / "taught"),
        learning_rate=1e-2,
        epochs=6,
        batch_size=8,
    )
    trained = run(
        grpo,
        "trained",
        rollout=groups,
        model=str(taught / "policy"),
        run_dir=str(tmp_path / "trained"),
        max_iterations=1,
        save_trajectories=True,
        warm_start={"proof_share": 0.0},
    )
    rows = [json.loads(line) for line in (trained / "trajectories.jsonl").read_text().splitlines()]
    steps = [step for row in rows for step in row["steps"]]
    assert any(step["shown"].startswith("-- split\n") for step in steps)
    ends = {tokenizer.convert_tokens_to_ids("<|over|>"), tokenizer.eos_token_id}
    assert any(step["token_ids"][-1] in ends and not step["refused"] for step in steps)
    saved = TransformersPolicy(*load_pretrained(str(trained / "policy")), RolloutConfig(instruction="Prove."))
    assert tokenizer.decode(list(saved.encode_prompt("⊢ True"))).startswith("<|turn|>system\nProve.<|over|>")
    run(
        expert_iteration,
        "expert",
        rollout=groups,
        model=str(taught / "policy"),
        run_dir=str(tmp_path / "expert"),
        rounds=1,
        warm_start=warm,
    )
    measured = tmp_path / "measured"
    words = ["--policy", str(trained), "--theorems", str(theorem_file), "--k", "1", "--workers", "1"]
    assert evaluate.main([*words, "--out-dir", str(measured)]) == 0
    settings = yaml.safe_load((measured / "settings.yaml").read_text())["rollout"]
    assert (settings["history"], settings["instruction"]) == (2, "Prove.")


def test_a_dialogue_goes_to_the_template_as_its_messages(tokenizer: PreTrainedTokenizerFast) -> None:
    asked = [{"role": "user", "content": "⊢ True"}, {"role": "assistant", "content": "split"}]
    dialogue = Dialogue([*asked, {"role": "user", "content": "split is refused"}])
    layout = PromptLayout(tokenizer, SHORT.model_copy(update={"max_prompt_tokens": 200}))
    shown = tokenizer.decode(list(layout.encode(dialogue)))
    assert shown == (
        "<|turn|>user\n⊢ True<|over|>\n<|turn|>assistant\nsplit<|over|>\n<|turn|>user\nsplit is refused<|over|>\n"
        "<|turn|>assistant\n"
    )
    copied = pickle.loads(pickle.dumps(dialogue))
    assert copied == dialogue and copied.messages == dialogue.messages
    assert str(dialogue) == "user: ⊢ True\n\nassistant: split\n\nuser: split is refused"


def test_dialogues_with_one_text_are_different_prompts(tokenizer: PreTrainedTokenizerFast) -> None:
    """Prompts are looked up by their text; two answers may have met the same errors."""
    asked = {"role": "user", "content": "⊢ True"}
    one, two = (
        Dialogue([asked, {"role": "assistant", "content": answer}, asked], "⊢ True") for answer in ("a", "b")
    )
    assert len({one, two, "⊢ True", Dialogue(one.messages, "⊢ True")}) == 3
    model = build_model(TinyConfig(hidden_size=32, layers=1, attention_heads=2), tokenizer, seed=0)
    encode = TransformersPolicy(
        model, tokenizer, SHORT.model_copy(update={"max_prompt_tokens": 200})
    ).encode_prompt
    assert len({encode(one), encode(two), encode("⊢ True")}) == 3
    tokenizer.chat_template = None
    assert tokenizer.decode(list(PromptLayout(tokenizer, SHORT).encode(one))) == "⊢ True:::"


LONG = "x" * 900


@pytest.mark.parametrize(
    ("roles", "begins"),
    [
        # The older turns go first, from the oldest on; a turn is a question with its answer.
        (
            {"system": "Prove.", "user": "first", "assistant": LONG, "last": "second"},
            "<|turn|>system\nProve.<|over|>",
        ),
        (
            {"system": "Prove.", "user": LONG, "assistant": "a", "last": "second"},
            "<|turn|>system\nProve.<|over|>",
        ),
        ({"user": "first", "assistant": LONG, "last": "second"}, "<|turn|>user\nsecond<|over|>"),
        # Then the last message loses its beginning, below the instruction.
        (
            {"system": "Prove.", "user": "first", "assistant": "a", "last": f"{LONG} second"},
            "<|turn|>system\nProve.",
        ),
        ({"last": f"{LONG} second"}, "<|turn|>user\n"),
        # An instruction that leaves no room goes too.
        (
            {"system": LONG, "user": "first", "assistant": "a", "last": "second"},
            "<|turn|>user\nsecond<|over|>",
        ),
        ({"system": LONG, "last": f"{LONG} second"}, "<|turn|>user\n"),
    ],
)
def test_a_long_dialogue_keeps_to_the_budget(
    tokenizer: PreTrainedTokenizerFast, roles: dict[str, str], begins: str
) -> None:
    messages = [{"role": "user" if role == "last" else role, "content": text} for role, text in roles.items()]
    layout = PromptLayout(tokenizer, SHORT)
    ids = layout.encode(Dialogue(messages))
    shown = tokenizer.decode(list(ids))
    assert len(ids) <= SHORT.max_prompt_tokens
    assert shown.startswith(begins)
    assert shown.endswith("second<|over|>\n<|turn|>assistant\n")
    assert len(layout.encode_next(Dialogue(messages), ids)) <= SHORT.max_prompt_tokens


def test_answers_with_whole_proofs_stay_as_they_are(tokenizer: PreTrainedTokenizerFast) -> None:
    """The environment reads them, with the statement at hand."""
    answer = "<think>split</think>```lean\ntrivial\n```"
    ids = tuple(tokenizer.encode(answer, add_special_tokens=False))
    for actions, expected in (("proof", answer), ("tactic", "trivial")):
        settings = RolloutConfig(actions=actions, max_prompt_tokens=400)  # type: ignore[arg-type]
        assert PromptLayout(tokenizer, settings).tactics([ids]) == [expected]
