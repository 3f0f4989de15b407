"""Low-rank adapters: the words of `--lora r=16,alpha=32` to a `peft.LoraConfig`. peft is imported only by `to_peft`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from trainers.config.base import shortened, suggestion
from trainers.errors import ConfigError
from trainers.extras import install


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """A low-rank adapter.

    Attributes:
        r: Rank.
        alpha: The update is scaled by `alpha / r`; 0 takes `2 * r`.
        dropout: Share of the adapter's inputs set to 0 in training.
        targets: Names of the layers that get an adapter; empty for all linear layers but the output.
    """

    r: int
    alpha: float = 0.0
    dropout: float = 0.0
    targets: tuple[str, ...] = ()

    def to_peft(self, task: str = "CAUSAL_LM") -> Any:
        """Return the `peft.LoraConfig`.

        Args:
            task: The kind of model in peft's words; `"SEQ_2_SEQ_LM"` for an encoder-decoder model.

        Raises:
            ConfigError: peft is not installed.
        """
        try:
            from peft import LoraConfig
        except ImportError:
            raise ConfigError(f"lora: needs the package peft; install it with: {install('peft')}") from None
        return LoraConfig(
            r=self.r,
            lora_alpha=self.alpha or 2 * self.r,  # type: ignore[arg-type]  # peft takes fractions as well
            lora_dropout=self.dropout,
            target_modules="all-linear" if self.targets in ((), ("all-linear",)) else list(self.targets),
            task_type=task,
        )


def parse_lora(text: str) -> LoraSettings | None:
    """Read `r=16,alpha=32,dropout=0.05,targets=q_proj+v_proj`; all but `r` may be left out.

    `target` is the same as `targets`.

    Returns:
        The settings, or `None` for an empty text.

    Raises:
        ConfigError: A word is unknown, has no usable value, or `r` is missing.
    """
    if not text.strip():
        return None
    values: dict[str, Any] = {}
    for word in text.split(","):
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not value:
            raise ConfigError(f"expected words like r=16,alpha=32, got {shortened(text)}")
        key = "targets" if key == "target" else key
        values[key] = _value(key, value)
    if "r" not in values:
        raise ConfigError(f"expected a rank, as in r=16, got {shortened(text)}")
    return LoraSettings(**values)


def _value(key: str, text: str) -> Any:
    kinds = {"r": int, "alpha": float, "dropout": float, "targets": str}
    if key not in kinds:
        raise ConfigError(f"unknown setting {shortened(key)}{suggestion(key, kinds)}")
    if key == "targets":
        return tuple(filter(None, text.split("+")))
    try:
        value = kinds[key](text)
    except ValueError:
        value = -1
    if not 0 <= value < math.inf or (key == "r" and value == 0) or (key == "dropout" and value >= 1):
        expected = {
            "r": "a positive whole number",
            "alpha": "a positive number",
            "dropout": "a share below 1",
        }
        raise ConfigError(f"{key}: expected {expected[key]}, got {shortened(text)}")
    return value
