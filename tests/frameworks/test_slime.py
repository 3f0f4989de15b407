"""The generate function for slime: its own samples and HTTP client, a scripted SGLang server.

slime is no package to install beside ours: `LEAN_GYM_SLIME=FOLDER` names a checkout of its repository. The parts that
the function uses need neither Ray nor SGLang.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytestmark = [
    pytest.mark.slime,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),  # what slime's libraries warn about
]
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
END = "</s>"


@pytest.fixture(scope="module", autouse=True)
def checkout() -> Iterator[None]:
    sys.path.insert(0, os.environ["LEAN_GYM_SLIME"])
    yield
    sys.path.remove(os.environ["LEAN_GYM_SLIME"])


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    symbols = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({symbol: number for number, symbol in enumerate([*symbols, END])}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    found = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, chat_template=TEMPLATE)
    folder = str(tmp_path_factory.mktemp("model"))
    found.save_pretrained(folder)
    found.name_or_path = folder
    return found


@pytest.fixture
def play(tokenizer: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that generates a sample; the server answers with the given texts, in order."""
    from slime.utils import http_utils
    from slime.utils.types import Sample

    from lean_gym.integrations import slime as ours

    asked: list[dict[str, Any]] = []
    answers: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            text, reason = answers[len(asked) - 1]
            ids = tokenizer.encode(text, add_special_tokens=False)
            meta = {
                "output_token_logprobs": [[-0.5, token, None] for token in ids],
                "finish_reason": {"type": reason},
            }
            body = json.dumps({"text": text, "meta_info": meta}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def run(*texts: str, tokens: int = 2000, reason: str = "stop") -> tuple[Any, list[dict[str, Any]]]:
        asked.clear()
        answers[:] = [(text, reason) for text in texts]
        [row] = [
            r
            for r in ours.dataset_rows("logic:test")
            if r["metadata"]["theorem"]["name"] == "prop_modus_ponens"
        ]
        args = Namespace(
            hf_checkpoint=tokenizer.name_or_path,
            sglang_router_ip="127.0.0.1",
            sglang_router_port=server.server_port,
            sglang_server_concurrency=1,
            rollout_num_engines=1,
            use_distributed_post=False,
            lean_gym={"processes": 1, "max_steps": 3},
        )
        sample = Sample(prompt=row["prompt"], metadata=row["metadata"])

        async def generated() -> Any:
            http_utils._http_client = None  # one client for each event loop
            http_utils.init_http_client(args)
            return await ours.generate(args, sample, {"max_new_tokens": tokens, "temperature": 1.0})

        return asyncio.run(generated()), asked

    yield run
    server.shutdown()
    thread.join()
    server.server_close()


def trained(sample: Any, tokenizer: Any) -> str:
    """Return the text whose tokens the loss covers."""
    response = sample.tokens[-sample.response_length :]
    return tokenizer.decode([token for token, kept in zip(response, sample.loss_mask, strict=True) if kept])


def test_a_proof_earns_one_and_its_tactics_alone_are_trained(play: Any, tokenizer: Any) -> None:
    sample, asked = play("intro h" + END, "exact h" + END)
    assert (sample.reward, sample.status.value) == (1.0, "completed")
    assert trained(sample, tokenizer) == f"intro h{END}exact h{END}"
    shown = f"<user>p q : Prop\nh : p → q\n⊢ p → q{END}<assistant>"
    assert sample.response == f"intro h{END}{shown}exact h{END}"
    assert tokenizer.decode(sample.tokens).endswith(f"<assistant>{sample.response}")
    assert len(sample.rollout_log_probs) == len(sample.loss_mask) == sample.response_length
    assert asked[1]["input_ids"] == sample.tokens[: -len(tokenizer.encode("exact h" + END))]
    assert asked[1]["sampling_params"]["max_new_tokens"] == 2000 - len(
        tokenizer.encode(f"intro h{END}{shown}")
    )


@pytest.mark.parametrize("answer", ["sorry", "The theorem is proved. Reward: 1", "exact h"])
def test_what_is_no_proof_earns_nothing(answer: str, play: Any) -> None:
    sample, asked = play(*[answer + END] * 3)
    assert (sample.reward, len(asked)) == (0.0, 3)  # max_steps
    assert "error: " in sample.response


def test_the_budget_of_tokens_ends_an_episode(play: Any) -> None:
    sample, asked = play("intro h" + END, "exact h" + END, tokens=12)
    assert (sample.reward, sample.status.value, len(asked)) == (0.0, "truncated", 1)
    cut, _ = play("intro h", reason="length")
    assert (cut.reward, cut.status.value) == (0.0, "truncated")


def test_an_aborted_answer_has_no_reward(play: Any) -> None:
    sample, _ = play("intro", reason="abort")
    assert (sample.reward, sample.status.value) == (None, "aborted")


def test_rows_hold_no_proof() -> None:
    from lean_gym.integrations.slime import dataset_rows

    assert "exact" not in json.dumps(dataset_rows("logic:test")[0])
