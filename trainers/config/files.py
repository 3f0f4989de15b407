"""Settings classes in general: frozen dataclasses, one per concern, from plain values and back.

A class may hold others, its sections. Fields of a section stand under its name in a file:

    seed: 1
    rollout:
      group_size: 8

Unknown keys are errors. Nothing here imports torch, so that `--help` and errors in the settings come at once.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from trainers.errors import ConfigError


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """Refuse a value in one line unless the condition holds.

    Raises:
        ConfigError: It does not.
    """
    if not condition:
        raise ConfigError(f"{name}: expected {expected}, got {value!r}")


def require_choices(config: Any) -> None:
    """Refuse a value that is none of its field's `Literal`.

    Raises:
        ConfigError: There is one.
    """
    for name, kind in fields_of(type(config)):
        if typing.get_origin(kind) is Literal:
            choices, value = typing.get_args(kind), getattr(config, name)
            require(value in choices, name, value, " or ".join(map(repr, choices)))


def require_positive(config: Any, *names: str) -> None:
    """Refuse fields that are not above 0.

    Raises:
        ConfigError: There is one.
    """
    for name in names:
        value = getattr(config, name)
        require(value > 0, name, value, "a positive number")


def require_at_least(least: int, config: Any, *names: str) -> None:
    """Refuse fields that are below a number.

    Raises:
        ConfigError: There is one.
    """
    for name in names:
        value = getattr(config, name)
        require(value >= least, name, value, f"at least {least}")


Section = TypeVar("Section")


def fields_of(section: type) -> Iterator[tuple[str, Any]]:
    """Yield `(name, resolved type)` of each field of a configuration dataclass."""
    hints = typing.get_type_hints(section)
    for entry in dataclasses.fields(section):
        yield entry.name, hints[entry.name]


def section_of_field(config: type) -> dict[str, str | None]:
    """Map every setting to the section it stands under in a file; `None` for the top level."""
    found: dict[str, str | None] = {}
    for name, kind in fields_of(config):
        if dataclasses.is_dataclass(kind):
            found.update(dict.fromkeys((inner for inner, _ in fields_of(typing.cast(type, kind))), name))
        else:
            found[name] = None
    return found


def from_mapping(section: type[Section], values: Mapping[str, Any], where: str = "") -> Section:
    """Build a configuration dataclass from plain values, as a YAML or JSON file gives them.

    Args:
        section: The dataclass; missing keys take its defaults.
        values: Field name to value, nested for sections.
        where: Name of the section or file, for messages.

    Raises:
        ConfigError: A key is unknown, or a value has the wrong type or is out of range.
    """
    check_keys(section, values, where)
    return _built(section, values, where)


def check_keys(section: type, values: Mapping[str, Any], where: str = "") -> None:
    """Refuse keys that a configuration dataclass does not have, naming the nearest one or its section.

    Raises:
        ConfigError: A key is unknown, or a section is none.
    """
    homes = section_of_field(section)

    def check(section: type, values: Mapping[str, Any], where: str) -> None:
        kinds = dict(fields_of(section))
        for key, value in values.items():
            if key not in kinds:
                home = homes.get(key)
                close = difflib.get_close_matches(str(key), kinds, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else f" (valid: {', '.join(kinds)})"
                hint = f"; it belongs under the section {home!r}" if home else hint
                raise ConfigError(f"unknown setting {where}{key}{hint}")
            if dataclasses.is_dataclass(kinds[key]):
                if not isinstance(value, Mapping):
                    raise ConfigError(f"{where}{key}: expected settings under this section, got {value!r}")
                check(typing.cast(type, kinds[key]), value, f"{where}{key}.")

    check(section, values, where)


def _built(section: type[Section], values: Mapping[str, Any], where: str) -> Section:
    kinds = dict(fields_of(section))
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        if dataclasses.is_dataclass(kinds[key]):
            arguments[key] = _built(typing.cast(type, kinds[key]), value, f"{where}{key}.")
        else:
            arguments[key] = _checked(value, kinds[key], f"{where}{key}")
    return section(**arguments)


def _checked(value: Any, kind: Any, name: str) -> Any:
    """Return `value` as `kind`, without turning one type into another except int to float."""
    if typing.get_origin(kind) is types.UnionType:
        options = typing.get_args(kind)
        if value is None and types.NoneType in options:
            return None
        return _checked(value, next(option for option in options if option is not types.NoneType), name)
    if typing.get_origin(kind) is Literal:
        kind = str
    kind = typing.get_origin(kind) or kind
    if kind is float and isinstance(value, str):  # YAML reads 1e-4 as text
        try:
            value = float(value)
        except ValueError:
            raise ConfigError(f"{name}: expected a number, got {value!r}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name}: expected a finite number, got {value!r}")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {
            int: "a whole number",
            float: "a number",
            str: "a text",
            dict: "a mapping",
            bool: "true or false",
        }
        raise ConfigError(f"{name}: expected {words[kind]}, got {value!r}")
    return value


def read_file(path: Path) -> dict[str, Any]:
    """Read a YAML or JSON file of settings.

    Raises:
        ConfigError: The file is missing, does not parse, or holds no mapping.
    """
    import yaml

    text = read_text(path, "cannot read the settings file")
    try:
        values = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"cannot parse the settings file {path}: {reason}") from None
    if not isinstance(values, dict):
        got = "an empty file" if values is None else type(values).__name__
        raise ConfigError(f"{path}: expected a mapping of settings, got {got}")
    return values


def read_text(path: Path, problem: str) -> str:
    """Read a text file.

    Args:
        path: The file.
        problem: What a message begins with, e.g. `"cannot read"`.

    Raises:
        ConfigError: It is missing, cannot be read or is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise ConfigError(f"{problem} {path}: {reason}") from None


def write_file(config: Any, path: Path, leave_out: Collection[str] = ("run_dir",)) -> None:
    """Write a configuration so that `--config path` repeats the run; what names its folder is left out."""
    import yaml

    values = {key: value for key, value in dataclasses.asdict(config).items() if key not in leave_out}
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), encoding="utf-8")


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `over` laid on top, section by section; a setting that is a mapping is replaced as a whole."""
    merged = dict(base)
    for key, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = {**merged[key], **value} if nested else value
    return merged
