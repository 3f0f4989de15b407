"""JSONL files: one theorem a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lean_gym.datasets.formats.rows import check_unique, row_from_theorem, theorem_from_row
from lean_gym.errors import DataError
from lean_gym.types import Theorem


def read_jsonl(path: str | os.PathLike[str]) -> list[Theorem]:
    """Read a theorem set.

    Args:
        path: A UTF-8 file with one JSON object a line; blank lines are skipped.

    Returns:
        The theorems in file order.

    Raises:
        DataError: The file cannot be read or is empty, or a row cannot be used; the text names file, line,
            field.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a path that no file has
        raise DataError(f"{os.fspath(path)!r}: cannot be read: {error}") from error
    return parse_jsonl(content, os.fspath(path))


def parse_jsonl(content: bytes, label: str) -> list[Theorem]:
    """Read a theorem set from bytes.

    Args:
        content: The file's bytes.
        label: The file's name, for messages.

    Returns:
        The theorems in file order.

    Raises:
        DataError: As `read_jsonl`.
    """
    theorems, places = [], []
    # Only "\n" ends a line: str.splitlines would also split at U+2028 and the like inside a JSON string.
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{label}, line {number}"
        try:
            row = json.loads(line.decode("utf-8"), object_pairs_hook=_without_repetition)
        except UnicodeDecodeError as error:
            raise DataError(f"{where}: not UTF-8 text: {error}") from error
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
        except (ValueError, RecursionError) as error:  # also a number that is too long
            raise DataError(f"{where}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise DataError(
                f"{where}: got {type(row).__name__}, expected a JSON object with 'name' and 'statement'"
            )
        theorems.append(theorem_from_row(row, where))
        places.append(where)
    if not theorems:
        raise DataError(f"{label}: holds no theorem; expected one JSON object a line")
    check_unique(theorems, places)
    return theorems


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"field {twice!r} is given more than once; keep one of them")
    return row


def write_jsonl(path: str | os.PathLike[str], theorems: Iterable[Theorem]) -> None:
    """Write a theorem set that `read_jsonl` reads back as it was.

    Args:
        path: The file to write, replaced if it exists.
        theorems: The theorems, one a line in this order.
    """
    lines = [json.dumps(row_from_theorem(theorem), ensure_ascii=False) + "\n" for theorem in theorems]
    Path(path).write_text("".join(lines), encoding="utf-8", newline="\n")
