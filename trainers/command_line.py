"""The command line of the entry points: flags from the fields of `RunConfig`, help from their doc sentences.

A wrong flag or value ends with one line on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import json
import re
import sys
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from trainers import config as settings
from trainers.config import ConfigError, RunConfig

RESUMABLE = ("max_iterations", "workers", "torch_threads", "checkpoint_every")
"""What may change when a run goes on: nothing that an update depends on."""


@dataclass(frozen=True, slots=True)
class Command:
    """What was asked for: a configuration, and the folder of the run to go on with, if any."""

    config: RunConfig
    resume: Path | None = None


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line, with a suggestion for a mistyped flag."""

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (-\S+)", message)
        if unknown:
            flag = unknown.group(1).partition("=")[0]
            close = difflib.get_close_matches(flag, self._option_string_actions, n=1)
            message = f"unknown flag {flag}" + (f"; did you mean {close[0]}?" if close else "; see --help")
        fail(f"{self.prog}: {message}")


def fail(message: str) -> NoReturn:
    """End the program with one line on standard error and exit code 2."""
    print("error: " + " ".join(message.split()), file=sys.stderr)
    raise SystemExit(2)


def parse(arguments: Sequence[str] | None, prog: str, description: str) -> Command:
    """Turn a command line into a configuration.

    Args:
        arguments: Words after the program's name; `None` takes them from `sys.argv`.
        prog: Name of the program, for messages.
        description: First paragraph of `--help`.

    Raises:
        ConfigError: A file or a value cannot be used, or a flag does not go with `--resume`.
        SystemExit: After `--help`, or, with code 2, for an unknown flag.
    """
    given = vars(_parser(prog, description).parse_args(arguments))
    file, resume = given.pop("config", None), given.pop("resume", None)
    if resume is not None:
        return Command(_resumed_config(Path(resume), file, given), Path(resume))
    values = settings.read_file(Path(file)) if file else {}
    values = settings.merge(values, _nested(given))
    return Command(settings.from_mapping(RunConfig, values))


def _resumed_config(run: Path, file: str | None, given: dict[str, Any]) -> RunConfig:
    stored = run / "config.yaml"
    if not stored.is_file():
        raise ConfigError(f"--resume {run}: no run to go on with (no config.yaml in that folder)")
    if file is not None:
        raise ConfigError("--resume takes the run's own settings; drop --config")
    for name in given:
        if name not in RESUMABLE:
            allowed = ", ".join(_flag(entry) for entry in RESUMABLE)
            raise ConfigError(
                f"--resume takes the run's own settings; drop {_flag(name)} (may change: {allowed})"
            )
    values = settings.merge(settings.read_file(stored), given | {"run_dir": str(run)})
    return settings.from_mapping(RunConfig, values)


def _nested(given: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    homes = settings.section_of_field()
    for name, value in given.items():
        home = homes[name]
        if home is None:
            values[name] = value
        else:
            values.setdefault(home, {})[name] = value
    return values


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _parser(prog: str, description: str) -> _Parser:
    # Flags that are not given must leave no trace, so that the file below them shows through.
    parser = _Parser(
        prog=prog, description=description, allow_abbrev=False, argument_default=argparse.SUPPRESS
    )
    parser.add_argument("--config", metavar="FILE", help="YAML or JSON file of settings; flags win over it")
    parser.add_argument("--resume", metavar="RUN", help="go on with the interrupted run in this folder")
    help_texts = field_help()
    _add_flags(parser, RunConfig, help_texts)
    for name, kind in settings.fields_of(RunConfig):
        if dataclasses.is_dataclass(kind):
            section = typing.cast(type, kind)
            group = parser.add_argument_group(name, (section.__doc__ or "").replace("%", "%%"))
            _add_flags(group, section, help_texts)
    return parser


def _add_flags(parser: argparse._ActionsContainer, section: type, help_texts: dict[str, str]) -> None:
    defaults = {entry.name: entry.default for entry in dataclasses.fields(section)}
    for name, kind in settings.fields_of(section):
        if dataclasses.is_dataclass(kind):
            continue
        default = "{}" if defaults[name] is dataclasses.MISSING else defaults[name]
        options: dict[str, Any] = {"type": _reader(kind), "metavar": _metavar(kind)}
        if typing.get_origin(kind) is Literal:
            options = {"choices": typing.get_args(kind)}
        elif kind is bool:
            options = {"action": argparse.BooleanOptionalAction}
        text = f"{help_texts[name]} [{default}]".replace("`", "").replace("%", "%%")
        parser.add_argument(_flag(name), dest=name, help=text, **options)


def _reader(kind: Any) -> Any:
    if typing.get_origin(kind) is types.UnionType:
        kind = typing.get_args(kind)[0]
    return _json_object if typing.get_origin(kind) is dict else kind


def _metavar(kind: Any) -> str:
    return {int: "N", float: "X"}.get(kind, "JSON" if typing.get_origin(kind) is dict else "TEXT")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text!r}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text!r}")
    return value


def field_help() -> dict[str, str]:
    """Read the sentence under each field of the configuration classes from their source."""
    tree = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for declared, text in zip(cls.body, cls.body[1:], strict=False):
            match declared, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(sentence))),
                ):
                    found[name] = sentence
    return found
