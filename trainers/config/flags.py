"""Parser of a command line: one flag per setting, errors in one line.

A flag has the name of a field, `--group-size` for `group_size`; names are unique over all sections of a program.
"""

from __future__ import annotations

import argparse
import json
import sys
import types
import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NoReturn

from minilean.command_line import Parser as OneLineParser
from trainers.config.base import Settings, help_of, section_of_field, sections
from trainers.config.foreign import FLAGS, REFUSED, WORDS
from trainers.config.names import ALGORITHMS
from trainers.config.programs import PROGRAMS

OTHER_FLAGS: Final = {"id": "--env", "as_json": "--json"}
"""Flags that are named differently from their field."""
POSITIONAL: Final = "words"
"""Name of the words without a flag in the parser."""
_OF_ALL: Final = (POSITIONAL, "help", "help_all", "config", "set", "dry_run", "resume")
"""Flags of every program."""
FOREIGN: Final = "word:"
"""Prefix of the words of other systems in the parser."""


class _Parser(OneLineParser):
    """Reports an error in one line, with a suggestion for an unknown flag."""

    def shorten(self, shown: Sequence[str]) -> None:
        """Leave all settings but these out of the help; an empty sequence keeps all.

        The usage is one line either way: `--help-all` lists what it would hold.
        """
        words = [action.metavar for action in self._actions if not action.option_strings]
        self.usage = " ".join(["%(prog)s", *(f"[{word}]" for word in words), "[--SETTING VALUE ...]"])
        for action in self._actions if shown else ():
            if action.dest not in (*shown, *_OF_ALL):
                action.help = argparse.SUPPRESS
        self._action_groups = [
            group
            for group in self._action_groups
            if any(a.help != argparse.SUPPRESS for a in group._group_actions)
        ]

    def error(self, message: str) -> NoReturn:
        from lean_gym.command_line import usage_error  # loads Gymnasium, which only a mistake has to wait for

        actions = self._option_string_actions.items()
        ours = [each for each, action in actions if not action.dest.startswith(FOREIGN)]
        fail(f"{self.prog}: {usage_error(message, ours, _hint(message))}")


def _hint(message: str) -> str:
    """Return the end of a message about a flag that this program has not: the programs that have it, if any."""
    name = _field_of(message.rpartition(": ")[2].partition(" ")[0].partition("=")[0])
    others = [program for program, kind in PROGRAMS.items() if name in section_of_field(kind)]
    return f"; {listed(others)} has it" if others else "; see --help"


def fail(message: str) -> NoReturn:
    """End the program with one line on standard error and exit code 2."""
    print("error: " + " ".join(message.split()), file=sys.stderr)
    raise SystemExit(2)


def flag_of(name: str) -> str:
    """Return the flag of a field."""
    return OTHER_FLAGS.get(name) or "--" + name.replace("_", "-")


def _field_of(flag: str) -> str:
    other = {flag: name for name, flag in OTHER_FLAGS.items()}
    return other.get(flag) or flag.lstrip("-").replace("-", "_")


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them, `a, b or c`."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class _Help(argparse.Action):
    """`--help` shows the usual settings, `--help-all` every one."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, __: object, option: str | None = None
    ) -> None:
        """Print the help and end the program."""
        assert isinstance(parser, _Parser)
        parser.shorten(() if option == "--help-all" else self.const)
        parser.print_help()
        parser.exit()


def make_parser(kind: type[Settings], program: str, description: str) -> _Parser:
    """Return the parser whose flags are the fields of a settings class; it leaves out what is not given.

    Args:
        kind: The settings class.
        program: How the program is started, for messages.
        description: First paragraph of `--help`.
    """
    # Flags that are not given must leave no trace, so that the file below them shows through.
    parser = _Parser(
        prog=program,
        description=description,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        add_help=False,
    )
    shown, every = "all settings, by section", len(section_of_field(kind))
    if kind.usual:
        parser.add_argument("--help-all", action=_Help, nargs=0, const=(), help=shown)
        shown = f"the {len(kind.usual)} settings that people change; --help-all shows all {every}"
    parser.add_argument("-h", "--help", action=_Help, nargs=0, const=kind.usual, help=shown)
    if kind.positional:
        flags = [flag_of(name) for name in kind.positional]
        many = " ..." if kind.positional[-1] == "theorems" else ""
        parser.add_argument(
            POSITIONAL,
            nargs="*",
            metavar=f"{' '.join(flag.lstrip('-').upper() for flag in flags)}{many}",
            help=f"the same as {' and '.join(flags)}",
        )
    parser.add_argument("--config", metavar="FILE", help="YAML or JSON file of settings; flags win over it")
    parser.add_argument(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        help="one setting by its path in a file, e.g. learner.lora=r=16 or algo.algo_config.beta=0.1, the value in "
        "YAML; wins over the file, and flags win over it; repeat for more",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the plan, its sizes and what is missing here, and end"
    )
    _add_fields(parser, kind)
    for name, part in sections(kind).items():
        group = parser.add_argument_group(name, " ".join((part.__doc__ or "").split()).replace("%", "%%"))
        _add_fields(group, part)
    _add_foreign(parser)
    return parser


def _add_foreign(parser: _Parser) -> None:
    """Give the words of other systems flags that `--help` does not list, unless a setting has the name."""
    own = {name for kind in PROGRAMS.values() for name in section_of_field(kind)}
    words = {flag_of(name): name for name in {*WORDS, *REFUSED} - own} | FLAGS
    for flag, name in words.items():
        if flag not in parser._option_string_actions:
            parser.add_argument(flag, dest=FOREIGN + name, type=_json_or_text, help=argparse.SUPPRESS)


def _json_or_text(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


def _add_fields(parser: argparse._ActionsContainer, kind: type[Settings]) -> None:
    """Give the fields of one settings class their flags, sections left out."""
    for name, info in kind.model_fields.items():
        if name in sections(kind):
            continue
        default = info.get_default(call_default_factory=True, validated_data={})
        options: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
        if info.annotation is not bool:
            options = _read_as(info.annotation)
        if default is None and options.get("type", str)("null") is None:
            default = "null"
        text = f"{help_of(kind, name)} [{default}]".replace("`", "").replace("%", "%%")
        action = parser.add_argument(flag_of(name), dest=name, help=text, **options)
        if choices := tuple(ALGORITHMS) if name == "algorithm" else literals(info.annotation):
            # argcomplete asks for it; `choices` would have argparse refuse a value before its settings class does.
            setattr(action, "completer", lambda choices=choices, **_: choices)  # noqa: B010


def literals(annotation: Any) -> tuple[str, ...]:
    """Return the words that a field of a `Literal` type takes, `()` for another type."""
    return typing.get_args(annotation) if typing.get_origin(annotation) is Literal else ()


def _read_as(annotation: Any) -> dict[str, Any]:
    """Return how the text of a flag becomes a value, and the placeholder of the value in the help."""
    optional = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    if optional:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if words := literals(annotation):
        return {"metavar": "{" + ",".join(words) + "}"}
    readers: dict[Any, tuple[Callable[[str], Any], str]]
    readers = {int: (int, "N"), float: (float, "X"), str: (str, "TEXT")}
    readers |= dict.fromkeys((dict, list), (json.loads, "JSON"))
    read, placeholder = readers[typing.get_origin(annotation) or annotation]

    def value_of(text: str) -> Any:
        if optional and text == "null" and read is not str:  # a folder may have this name
            return None
        try:
            return read(text)
        except (ValueError, RecursionError):  # left to the settings class, which says what it expects
            return text

    return {"type": value_of, "metavar": placeholder}
