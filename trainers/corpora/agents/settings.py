"""Arguments of the classes as settings of the programs behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from trainers.config.base import Settings, section_of_field, suggestion
from trainers.config.files import merge
from trainers.errors import ConfigError
from trainers.runtime.signals import Interrupted

Kind = TypeVar("Kind", bound=Settings)
_ADAPTER: Final = ("r", "lora_alpha", "lora_dropout", "target_modules")
"""Fields of a `peft.LoraConfig` that settings of ours stand for."""
_OF_NO_EFFECT: Final = ("task_type", "peft_version")


def settings_of(
    kind: type[Kind],
    owner: str,
    given: Mapping[str, Any],
    decided: Mapping[str, Any],
    below: Mapping[str, Any] | None = None,
) -> Kind:
    """Return the settings of a program.

    Args:
        kind: Their class.
        owner: Name of the caller, for messages.
        given: Settings by name, without the sections that they stand under in a file.
        decided: Settings that the caller decides, which may not be given.
        below: Values for settings that are not named, nested like a file.

    Raises:
        ConfigError: A name is unknown or decided by the caller, or a value cannot be used.
    """
    homes = section_of_field(kind)
    free = {name: home for name, home in homes.items() if name not in decided}
    values: dict[str, Any] = {}
    for name in given:
        if name not in free:
            raise ConfigError(f"{owner}: unknown argument {name}{suggestion(name, free)}")
    for name, value in {**given, **decided}.items():
        home = homes[name]
        (values if home is None else values.setdefault(home, {}))[name] = value
    try:
        return kind(**merge(below or {}, values))
    except ConfigError as error:
        raise ConfigError(f"{owner}: {error}") from None


def adapter_words(lora_config: Any) -> str:
    """Return the text of the setting `lora` for a `peft.LoraConfig`; such a text is returned as it is.

    An adapter without `target_modules` gets all linear layers but the output.

    Raises:
        ConfigError: It is neither, or has a field that no setting stands for.
    """
    if lora_config is None or isinstance(lora_config, str):
        return lora_config or ""
    from peft import LoraConfig

    if not isinstance(lora_config, LoraConfig):
        raise ConfigError(f"lora_config: expected a peft.LoraConfig, got {type(lora_config).__name__}")
    fields, usual = _fields(lora_config), _fields(LoraConfig())
    others = [
        name for name in fields if fields[name] != usual.get(name) and name not in (*_ADAPTER, *_OF_NO_EFFECT)
    ]
    if others:
        raise ConfigError(
            f"lora_config: got {others[0]}={fields[others[0]]!r}, expected none but {', '.join(_ADAPTER)}"
        )
    targets = fields["target_modules"] or ()
    names = [targets] if isinstance(targets, str) else sorted(targets)
    words = {"r": fields["r"], "alpha": fields["lora_alpha"], "dropout": fields["lora_dropout"]}
    words |= {"targets": "+".join(names)} if names else {}
    return ",".join(f"{name}={value}" for name, value in words.items())


def _fields(adapter: Any) -> dict[str, Any]:
    return dict(adapter.to_dict())


def free_folder(path: Path) -> Path:
    """Return a path, with a number where something stands there."""
    number = 1
    while (found := path if number == 1 else path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return found


def expect_done(code: int) -> None:
    """Check the exit code of a program.

    Raises:
        Interrupted: A signal ended it.
    """
    if code:
        raise Interrupted(code - 128)
