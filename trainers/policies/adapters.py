"""Low-rank adapter on a policy's model: only the adapter is trained, the model's own weights are frozen.

The start policy of KL terms is the same model with the adapter switched off or, after a warm start, with a copy of the
adapter from the end of the warm start; there is never a second model.
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
from trainers.extras import install
from trainers.policies.encoder_decoder import has_encoder

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
        """Add a new adapter to a model and freeze the rest; at first the adapter has no effect.

        Args:
            model: The model.
            settings: Rank, scale and layers.
            base: Folder or hub id of the model, stored with the adapter for loading it later.
            seed: Seed of the adapter's initial weights.

        Raises:
            ConfigError: peft is not installed.
            PolicyError: The model lacks one of the layers.
        """
        self._model = model
        self._config = settings.to_peft(task_of(model))
        self._base = base
        check_targets(model, settings)
        model.requires_grad_(False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._add(_TRAINED)
        for parameter in model.parameters():
            if parameter.requires_grad:  # 16 bits would round most updates away
                parameter.data = parameter.data.float()

    def state_dict(self) -> dict[str, Tensor]:
        """Return the adapter's weights."""
        from peft import get_peft_model_state_dict

        # By default peft asks the hub whether the vocabulary was changed.
        return dict(
            get_peft_model_state_dict(self._model, adapter_name=_TRAINED, save_embedding_layers=False)
        )

    def load_state_dict(self, weights: dict[str, Tensor]) -> None:
        """Restore the weights from `state_dict`."""
        self._fill(_TRAINED, weights)

    def save(
        self, folder: Path, tokenizer: PreTrainedTokenizerBase, weights: Mapping[str, Tensor] | None = None
    ) -> None:
        """Write the adapter, its settings and the tokenizer.

        Args:
            folder: An empty folder.
            tokenizer: The model's tokenizer.
            weights: The weights to write, named as in `state_dict`; the adapter's own if left out.
        """
        base = str(Path(self._base).resolve()) if Path(self._base).is_dir() else self._base
        config = copy.copy(self._model.peft_config[_TRAINED])
        config.base_model_name_or_path = base
        config.inference_mode = True  # as peft itself writes it
        config.save_pretrained(folder)
        named = self.state_dict() if weights is None else weights
        written = {_PREFIX + name: tensor.contiguous() for name, tensor in named.items()}
        save_file(written, folder / _WEIGHTS, metadata={"format": "pt"})
        tokenizer.save_pretrained(folder)
        (folder / "README.md").write_text(_NOTE.format(base=base), encoding="utf-8")

    def load_start(self, folder: Path) -> None:
        """Use the adapter in this folder as the start policy; the default is the model without an adapter."""
        weights = {name.removeprefix(_PREFIX): w for name, w in load_file(folder / _WEIGHTS).items()}
        if not any(bool(tensor.any()) for name, tensor in weights.items() if "lora_B" in name):
            return  # an untrained adapter has no effect
        self._add(_START)
        self._fill(_START, weights)
        self._model.set_adapter(_TRAINED)

    @contextmanager
    def start_policy(self) -> Iterator[None]:
        """Switch the model to the start policy within the block, which must compute no gradient."""
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
                # Two adapters on one model are intended.
                warnings.filterwarnings("ignore", message="Already found a `peft_config`")
                self._model.add_adapter(self._config, name)
        except ValueError as error:
            raise PolicyError(f"lora: {str(error).splitlines()[0]}") from None

    def _fill(self, name: str, weights: dict[str, Tensor]) -> None:
        from peft import set_peft_model_state_dict

        set_peft_model_state_dict(self._model, weights, adapter_name=name)


def task_of(model: PreTrainedModel) -> str:
    """Return the kind of a model in peft's words."""
    return "SEQ_2_SEQ_LM" if has_encoder(model) else "CAUSAL_LM"


def check_targets(model: PreTrainedModel, settings: LoraSettings) -> None:
    """Check that a model has all layers of an adapter.

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
    """Return the base model of the adapter in a folder; `None` if the folder holds no adapter.

    Raises:
        PolicyError: The adapter does not name its base model, or its settings cannot be read.
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
    """Merge the adapter in a folder into its base model and return the merged model.

    Raises:
        PolicyError: peft is not installed, or the adapter does not fit the model.
    """
    try:
        from peft import PeftModel
    except ImportError:
        raise PolicyError(
            f"cannot load the adapter {folder}: needs the package peft; install it with: {install('peft')}"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft uses an older name of transformers
        try:
            merged: PreTrainedModel = PeftModel.from_pretrained(model, folder).merge_and_unload()
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise PolicyError(f"cannot load the adapter {folder}: {reason}") from error
    return merged
