"""A generate function for slime, whose rollouts run on SGLang.

    --custom-generate-function-path lean_gym.integrations.slime.generate
    --prompt-data FILE.jsonl --input-key prompt --metadata-key metadata        FILE: the rows of `dataset_rows`

Each answer of the model is one tactic; the goals that are left follow as a user turn, whose tokens the loss leaves
out. The reward is that of the environment, so no reward model is asked. Options of the environment (`processes`,
`max_steps`, `reward`, ...) stand under `lean_gym` in the file of `--custom-config-path`.

slime is installed from its repository: the package that PyPI calls `slime` is unrelated.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from slime.utils.http_utils import post
from slime.utils.processing_utils import load_tokenizer
from slime.utils.types import Sample

from lean_gym.datasets import TheoremSource, load_theorems, tactic_in
from lean_gym.datasets.formats.rows import theorem_from_row
from lean_gym.integrations.shared_provers import Turn, process_provers
from lean_gym.integrations.task_sets import public_row

INSTRUCTION: Final = (
    "Prove the theorem in Lean 4. Answer with one tactic at a time; after each answer you see the goals that are "
    "left."
)
_MARK: Final = "lean-gym-answer"


def dataset_rows(theorems: TheoremSource) -> list[dict[str, Any]]:
    """Return rows of slime's prompt data: a prompt of messages, and the theorem without its reference proof.

    Raises:
        DataError: The set cannot be read.
    """
    return [
        {
            "prompt": [{"role": "user", "content": f"{INSTRUCTION}\n\n{theorem.statement}"}],
            "metadata": {"theorem": public_row(theorem)},
        }
        for theorem in load_theorems(theorems)
    ]


async def generate(args: Namespace, sample: Sample, sampling_params: Mapping[str, Any]) -> Sample:
    """Play an episode on the theorem of a sample and return the sample with tokens, loss mask and reward.

    Args:
        args: slime's arguments.
        sample: Its `metadata` is that of a row of `dataset_rows`.
        sampling_params: Those of SGLang; `max_new_tokens` bounds the whole response, goals included.

    Raises:
        ValueError: The sample has a response already (`--partial-rollout`).
        DataError: The row is none, or its statement does not elaborate.
        BackendError: The prover cannot be started.
    """
    if sample.response_length:
        raise ValueError(
            f"sample: got {sample.response_length} tokens of a response, expected none: leave "
            "--partial-rollout out"
        )
    theorem = theorem_from_row(sample.metadata["theorem"], "metadata['theorem']")
    session = process_provers(**(vars(args).get("lean_gym") or {})).session()
    tokenizer = _tokenizer(args.hf_checkpoint)
    await asyncio.to_thread(session.reset, theorem)
    text = sample.prompt
    if not isinstance(text, str):
        text = tokenizer.apply_chat_template(text, tokenize=False, add_generation_prompt=True)
    sample.tokens = tokenizer.encode(text, add_special_tokens=False)
    url = f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate"
    earned = 0.0
    while True:
        left = sampling_params["max_new_tokens"] - sample.response_length
        if left <= 0:
            sample.status = Sample.Status.TRUNCATED
            break
        limited = {**sampling_params, "max_new_tokens": left}
        answer = await post(
            url, {"input_ids": sample.tokens, "sampling_params": limited, "return_logprob": True}
        )
        sampled = answer["meta_info"]["output_token_logprobs"]
        sample.append_response_tokens(
            args,
            tokens=[token for _, token, *_ in sampled],
            log_probs=[logprob for logprob, *_ in sampled],
            meta_info=answer["meta_info"],
            text=answer["text"],
        )
        if sample.status is Sample.Status.ABORTED:
            return sample
        if sample.status is Sample.Status.TRUNCATED:
            break
        turn = await asyncio.to_thread(session.step, tactic_in(answer["text"]).text)
        earned += turn.reward
        if turn.done:
            break
        shown = _next_turn(tokenizer, turn, sample.tokens[-1])
        ids = tokenizer.encode(shown, add_special_tokens=False)
        sample.append_response_tokens(args, tokens=ids, trainable=False, text=shown)
    sample.reward = earned
    return sample


def _next_turn(tokenizer: Any, turn: Turn, last: int) -> str:
    """Return the text between an answer and the next one, in the model's chat template if it has one.

    Args:
        tokenizer: The model's.
        turn: What the answer did.
        last: Last token of the answer; an end of turn there is not repeated.
    """
    error = turn.info["error"]
    shown = f"error: {error}\n\n{turn.goals}" if error is not None else turn.goals
    if tokenizer.chat_template is None:
        return f"\n\n{shown}\n\n"
    messages = [
        {"role": "user", "content": "-"},
        {"role": "assistant", "content": _MARK},
        {"role": "user", "content": shown},
    ]
    whole = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    after = str(whole).partition(_MARK)[2]
    return after.removeprefix(tokenizer.decode([last])) if last == tokenizer.eos_token_id else after


@cache
def _tokenizer(checkpoint: str) -> Any:
    return load_tokenizer(checkpoint, trust_remote_code=True)
