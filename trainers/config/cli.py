"""Command lines from configuration classes: flags from their fields, help from the sentences below these.

A wrong flag or value ends with one line on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import json
import os
import re
import sys
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NoReturn

from trainers.config.files import check_keys, fields_of, merge, read_file, section_of_field
from trainers.errors import ConfigError, PolicyError


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


@contextmanager
def ending_in_one_line() -> Iterator[None]:
    """End the program with one line for what a user can put right, and for a Ctrl-C that nothing else took up.

    Raises:
        SystemExit: With code 2, or 130 after a Ctrl-C.
    """
    # Threads of torch that wait by spinning take the cores from the provers, and slow each other down tenfold
    # where another program computes as well. Read when torch is loaded, which takes seconds: programs import it
    # only when their settings are known to be usable.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        yield
    except (ConfigError, PolicyError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None


@dataclasses.dataclass(frozen=True, slots=True)
class Given:
    """What a command line and its files ask for, before defaults are filled in.

    Attributes:
        values: Settings by name, nested for sections.
        resume: Folder of `--resume`, if that was given.
    """

    values: dict[str, Any]
    resume: Path | None = None


def read_flags(
    section: type,
    arguments: Sequence[str] | None,
    prog: str,
    description: str,
    *,
    resumable: Sequence[str] = (),
    hidden: Collection[str] = (),
) -> Given:
    """Read a command line made of the fields of a configuration class.

    Args:
        section: The configuration dataclass.
        arguments: Words after the program's name; `None` takes them from `sys.argv`.
        prog: Name of the program, for messages.
        description: First paragraph of `--help`.
        resumable: Settings that may change when a run goes on; empty for a program without `--resume`.
        hidden: Settings of shared sections that this program does not use: legal in a file, no flags.

    Returns:
        The values of `--config` with the flags laid on top; with `--resume`, those of the stored run.

    Raises:
        ConfigError: A file cannot be used, a key is unknown, or a flag does not go with `--resume`.
        SystemExit: After `--help`, or, with code 2, for an unknown flag.
    """
    parser = _parser(section, prog, description, hidden)
    if resumable:
        parser.add_argument("--resume", metavar="RUN", help="go on with the interrupted run in this folder")
    given = vars(parser.parse_args(arguments))
    file, resume = given.pop("config", None), given.pop("resume", None)
    if resume is None:
        values = read_file(Path(file)) if file else {}
        check_keys(section, values)
        return Given(merge(values, _nested(section, given)))
    named = [*given, "config"] if file else list(given)
    for refused in (name for name in named if name not in resumable):
        allowed = ", ".join("--" + name.replace("_", "-") for name in resumable)
        raise ConfigError(
            f"--resume takes the run's own settings; drop --{refused.replace('_', '-')} (may change: {allowed})"
        )
    stored = Path(resume) / "config.yaml"
    if not stored.is_file():
        raise ConfigError(f"--resume {resume}: no run to go on with (no config.yaml in that folder)")
    values = read_file(stored)
    try:
        check_keys(section, values, f"{stored}: ")
    except ConfigError as error:
        raise ConfigError(f"{error} (is it a run of {prog}?)") from None
    return Given(merge(values, _nested(section, given)), Path(resume))


def _nested(section: type, given: Mapping[str, Any]) -> dict[str, Any]:
    homes = section_of_field(section)
    values: dict[str, Any] = {}
    for name, value in given.items():
        home = homes[name]
        (values if home is None else values.setdefault(home, {}))[name] = value
    return values


def _parser(section: type, prog: str, description: str, hidden: Collection[str]) -> _Parser:
    # Flags that are not given must leave no trace, so that the file below them shows through.
    parser = _Parser(
        prog=prog, description=description, allow_abbrev=False, argument_default=argparse.SUPPRESS
    )
    parser.add_argument("--config", metavar="FILE", help="YAML or JSON file of settings; flags win over it")
    add_fields(parser, section, hidden)
    for name, kind in fields_of(section):
        if dataclasses.is_dataclass(kind):
            part = typing.cast(type, kind)
            group = parser.add_argument_group(name, (part.__doc__ or "").replace("%", "%%"))
            add_fields(group, part, hidden)
    return parser


def add_fields(parser: argparse._ActionsContainer, section: type, hidden: Collection[str]) -> None:
    """Give the plain fields of one configuration class their flags."""
    texts = sentences(section)
    entries = {entry.name: entry for entry in dataclasses.fields(section)}
    for name, kind in fields_of(section):
        if name in hidden or dataclasses.is_dataclass(kind):
            continue
        default = "{}" if entries[name].default is dataclasses.MISSING else entries[name].default
        options: dict[str, Any] = {"type": _reader(kind), "metavar": _metavar(kind)}
        if typing.get_origin(kind) is Literal:
            options = {"choices": typing.get_args(kind)}
        elif kind is bool:
            options = {"action": argparse.BooleanOptionalAction}
        text = f"{texts[name]} [{default}]".replace("`", "").replace("%", "%%")
        parser.add_argument("--" + name.replace("_", "-"), dest=name, help=text, **options)


def sentences(section: type) -> dict[str, str]:
    """Read the sentence under each field of a configuration class, and of those it builds on, from the source."""
    found: dict[str, str] = {}
    for base in reversed(section.__mro__):
        if dataclasses.is_dataclass(base):
            found |= _own_sentences(base)
    return found


def _own_sentences(section: type) -> dict[str, str]:
    source = Path(str(sys.modules[section.__module__].__file__)).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for cls in ast.parse(source).body:
        if not isinstance(cls, ast.ClassDef) or cls.name != section.__name__:
            continue
        for declared, text in zip(cls.body, cls.body[1:], strict=False):
            match declared, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(sentence))),
                ):
                    found[name] = sentence
    return found


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
