"""A low-rank adapter on a policy's model: the model's own weights stay as they are, and only the adapter is trained.

The start policy, which KL terms refer to, is the same model with the adapter switched off, or, after a warm start, with
a copy of the adapter as the warm start left it; there is never a second model.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from lean_gym.errors import unknown_name
from trainers.config.lora import LoraSettings
from trainers.errors import PolicyError

_TRAINED, _START = "default", "start"
_CONFIG, _WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_PREFIX = "base_model.model."
_NOTE = """\
# Adapter of a policy

A low-rank adapter, not a whole model. The model below it: `{base}`.

    python -m trainers.evaluate --policy RUN            measures it; RUN is the folder above this one
    python -m trainers.grpo --model THIS_FOLDER ...     trains on, the adapter merged into the model

In Python, with the packages transformers and peft:

    from peft import AutoPeftModelForCausalLM
    model = AutoPeftModelForCausalLM.from_pretrained("THIS_FOLDER")     # .merge_and_unload() makes it a plain model
"""


class Adapter:
    """The adapter of a model, trained in place."""

    def __init__(self, model: PreTrainedModel, settings: LoraSettings, base: str, seed: int) -> None:
        """Put a fresh adapter on a model and freeze the rest; at first it changes nothing.

        Args:
            model: The model.
            settings: Rank, scale and layers.
            base: Folder or hub id that the model came from, for whoever loads the adapter later.
            seed: Of the adapter's first weights.

        Raises:
            ConfigError: peft is not installed.
            PolicyError: The model has no such layers.
        """
        self._model = model
        self._config = settings.to_peft()
        self._base = base
        check_targets(model, settings)
        model.requires_grad_(False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._add(_TRAINED)
        for parameter in model.parameters():
            if parameter.requires_grad:  # an update in 16 bits would mostly be rounded away
                parameter.data = parameter.data.float()

    def state_dict(self) -> dict[str, Tensor]:
        """The adapter's weights."""
        from peft import get_peft_model_state_dict

        # Left to itself, peft asks the hub whether the vocabulary was changed.
        return dict(
            get_peft_model_state_dict(self._model, adapter_name=_TRAINED, save_embedding_layers=False)
        )

    def load_state_dict(self, weights: dict[str, Tensor]) -> None:
        """Take over what `state_dict` gave."""
        self._fill(_TRAINED, weights)

    def save(
        self, folder: Path, tokenizer: PreTrainedTokenizerBase, weights: Mapping[str, Tensor] | None = None
    ) -> None:
        """Write the adapter, the tokenizer and a note how to load them.

        Args:
            folder: An empty one.
            tokenizer: The model's.
            weights: Those to write, named as by `state_dict`; its own if left out.
        """
        base = str(Path(self._base).resolve()) if Path(self._base).is_dir() else self._base
        config = copy.copy(self._model.peft_config[_TRAINED])
        config.base_model_name_or_path = base
        config.inference_mode = True  # what peft writes: whoever loads it decides
        config.save_pretrained(folder)
        named = self.state_dict() if weights is None else weights
        written = {_PREFIX + name: tensor.contiguous() for name, tensor in named.items()}
        save_file(written, folder / _WEIGHTS, metadata={"format": "pt"})
        tokenizer.save_pretrained(folder)
        (folder / "README.md").write_text(_NOTE.format(base=base), encoding="utf-8")

    def load_start(self, folder: Path) -> None:
        """Take the adapter in this folder as the start policy; without this call that is the model without one."""
        weights = {name.removeprefix(_PREFIX): w for name, w in load_file(folder / _WEIGHTS).items()}
        if not any(bool(tensor.any()) for name, tensor in weights.items() if "lora_B" in name):
            return  # never trained: the same as none
        self._add(_START)
        self._fill(_START, weights)
        self._model.set_adapter(_TRAINED)

    @contextmanager
    def start_policy(self) -> Iterator[None]:
        """Make the model the start policy within the block, which must compute no gradient."""
        if _START in self._model.peft_config:
            self._model.set_adapter(_START)
        else:
            self._model.disable_adapters()
        try:
            yield
        finally:
            self._model.enable_adapters()
            self._model.set_adapter(_TRAINED)

    def _add(self, name: str) -> None:
        try:
            with warnings.catch_warnings():
                # A second adapter on one model is what is meant.
                warnings.filterwarnings("ignore", message="Already found a `peft_config`")
                self._model.add_adapter(self._config, name)
        except ValueError as error:
            raise PolicyError(f"lora: {str(error).splitlines()[0]}") from None

    def _fill(self, name: str, weights: dict[str, Tensor]) -> None:
        from peft import set_peft_model_state_dict

        set_peft_model_state_dict(self._model, weights, adapter_name=name)


def check_targets(model: PreTrainedModel, settings: LoraSettings) -> None:
    """Refuse an adapter on layers that a model does not have.

    Raises:
        PolicyError: The model has no layer of one of the names.
    """
    names = [name for name, _ in model.named_modules()]
    layers = {
        name.rpartition(".")[2] for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)
    }
    for target in settings.targets:
        if target != "all-linear" and not any(f".{name}".endswith(f".{target}") for name in names):
            raise PolicyError(f"lora: {unknown_name('layer', target, layers)}")


def base_of_adapter(folder: Path) -> str | None:
    """The model below the adapter in a folder; `None` if the folder holds no adapter.

    Raises:
        PolicyError: The adapter does not say, or its settings cannot be read.
    """
    config = folder / _CONFIG
    if not config.is_file():
        return None
    try:
        content = json.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PolicyError(f"cannot load the adapter {folder}: {_CONFIG}: {error}") from None
    base = content.get("base_model_name_or_path") if isinstance(content, dict) else None
    if not isinstance(base, str) or not base:
        raise PolicyError(f"cannot load the adapter {folder}: {_CONFIG} does not name the model below it")
    return base


def merge_adapter(model: PreTrainedModel, folder: Path) -> PreTrainedModel:
    """Lay the adapter in a folder over the model below it and make one model of both.

    Raises:
        PolicyError: peft is not installed, or the adapter is none of this model.
    """
    try:
        from peft import PeftModel
    except ImportError:
        raise PolicyError(
            f"cannot load the adapter {folder}: needs the package peft; install it with: pip install peft"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft reads an older name of transformers
        try:
            merged: PreTrainedModel = PeftModel.from_pretrained(model, folder).merge_and_unload()
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise PolicyError(f"cannot load the adapter {folder}: {reason}") from error
    return merged
