"""Files of settings: YAML or JSON to plain values, and settings to YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from trainers.config.base import Settings, sections, shortened
from trainers.errors import ConfigError


class _Loader(yaml.SafeLoader):
    """Reads `1e-4` as a number, as YAML 1.2 does, and refuses a key that stands twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        written = [key for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for number, key in enumerate(written):
            if any(
                isinstance(key, yaml.ScalarNode) and key.value == other.value for other in written[:number]
            ):
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {shortened(key.value)} stands twice", key.start_mark
                )
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Puts texts that `_Loader` would read as numbers into quotes."""


_EXPONENT = re.compile(r"[-+]?[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+$")
for _side in (_Loader, _Dumper):
    _side.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))


def read_file(path: Path) -> dict[str, Any]:
    """Read a YAML or JSON file of settings.

    Raises:
        ConfigError: The file is missing, does not parse, or holds no mapping.
    """
    text = read_text(path, "cannot read the settings file")
    try:
        is_json = path.suffix == ".json"
        values = (
            json.loads(text, object_pairs_hook=_once) if is_json else yaml.load(text, _Loader)
        )  # a safe loader
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"cannot parse the settings file {path}: {reason}") from None
    if not isinstance(values, dict):
        got = "an empty file" if values is None else type(values).__name__
        raise ConfigError(f"{path}: expected a mapping of settings, got {got}")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of a JSON object as a dictionary.

    Raises:
        ValueError: A key stands twice.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shortened(key)} stands twice")
        found[key] = value
    return found


def read_sets(kind: type[Settings], texts: Sequence[str], below: Mapping[str, Any]) -> dict[str, Any]:
    """Read settings given one by one as `PATH=VALUE`, nested like a file.

    Args:
        kind: The settings class.
        texts: The path has dots, `learner.lora`; behind the name of a mapping it leads to one of its keys. The value is
            YAML, so JSON as well; a text that is no YAML stands for itself.
        below: Values of the file, whose mappings are kept but for the keys that are named.

    Raises:
        ConfigError: A text has another form.
    """
    found: dict[str, Any] = {}
    for text in texts:
        path, equals, written = text.partition("=")
        names = path.strip().split(".")
        if not equals or not all(names):
            raise ConfigError(f"--set: expected PATH=VALUE, such as learner.lora=r=16, got {shortened(text)}")
        try:
            value = yaml.load(written, _Loader)  # a safe loader
        except (ValueError, RecursionError, yaml.YAMLError):
            value = written
        inner = found
        base: Any = below
        for depth, name in enumerate(names[:-1]):
            under = base.get(name) if isinstance(base, Mapping) else None
            is_section = depth == 0 and name in sections(kind)
            kept = dict(under) if isinstance(under, Mapping) and not is_section else {}
            inner = inner.setdefault(name, kept)
            if not isinstance(inner, dict):
                raise ConfigError(f"--set {path}: {'.'.join(names[: depth + 1])} is no mapping")
            base = under if under is not None else {}
        inner[names[-1]] = value
    return found


def read_text(path: Path, problem: str) -> str:
    """Read a text file.

    Args:
        path: The file.
        problem: First words of a message, e.g. `"cannot read"`.

    Raises:
        ConfigError: The file is missing, cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{problem} {path}: not UTF-8 text") from None
    except (OSError, ValueError) as error:  # a ValueError: the path has a NUL character
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{problem} {path}: {reason}") from None


def write_file(config: Settings, path: Path, leave_out: Collection[str] = ("run_dir",)) -> None:
    """Write settings so that `--config path` repeats the run, without the field that names its folder."""
    text = yaml.dump(
        config.model_dump(exclude=set(leave_out)), Dumper=_Dumper, sort_keys=False, allow_unicode=True
    )
    path.write_text(text, encoding="utf-8")


def flattened(values: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings by dotted path; an empty mapping is a value."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            found |= flattened(value, f"{path}.")
        else:
            found[path] = value
    return found


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `over` laid on top, section by section.

    A setting that is a mapping is replaced as a whole. Where `base` has something else in the place of a section, that
    stays, so that validation refuses it.
    """
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and key in merged:
            merged[key] = {**merged[key], **value} if isinstance(merged[key], Mapping) else merged[key]
        else:
            merged[key] = value
    return merged
