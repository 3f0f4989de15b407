"""Conduct of every program at its border: wrong usage, completion in the shell, the end of one whose reader left."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from typing import NoReturn

from lean_gym.errors import nearest_name
from minilean.command_line import (
    CLOSED,
    MAX_LINE,
    end_closed,
    end_with_parent,
    ending_in_want,
    private_output,
    serve_lines,
    unless_closed,
    write_line,
)
from minilean.command_line import Parser as OneLineParser

__all__ = [
    "CLOSED",
    "MAX_LINE",
    "Parser",
    "end_closed",
    "end_with_parent",
    "ending_in_want",
    "offer_completion",
    "private_output",
    "serve_lines",
    "unless_closed",
    "usage_error",
    "write_line",
]


class Parser(OneLineParser):
    """Parser that reports wrong usage in one line, with the flag that an unknown one is a slip of."""

    def error(self, message: str) -> NoReturn:
        """End the program.

        Raises:
            SystemExit: Always, with code 2.
        """
        super().error(usage_error(message, self._option_string_actions))


def usage_error(message: str, flags: Iterable[str], hint: str = "; see --help") -> str:
    """Return the text of an error of `argparse`; about an unknown flag it names the nearest known one.

    Args:
        message: The text that `argparse` has.
        flags: The known flags.
        hint: End of the text where no flag is near.
    """
    unknown = re.match(r"unrecognized arguments: (-\S+)", message)
    if unknown is None:
        return message
    flag = unknown.group(1).partition("=")[0]
    near = nearest_name(flag, flags)
    return f"unknown flag {flag}" + (f"; did you mean {near}?" if near else hint)


def offer_completion(parser: argparse.ArgumentParser) -> None:
    """Answer the shell where it asks for completions, and end; else do nothing.

    Args:
        parser: The program's parser, with all its flags.
    """
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)
