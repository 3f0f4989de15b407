"""A Lean file as text: read with its marks of encoding and line ends, edited, and written back with the same ones."""

from __future__ import annotations

import os
import re
import stat
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trainers.errors import ConfigError
from trainers.runtime.atomic_files import replacing

_MARK: Final = b"\xef\xbb\xbf"
"""UTF-8's byte order mark."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacement of `text[start:end]`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class FileText:
    """A file that was read.

    Attributes:
        path: Where it was read.
        content: Its bytes.
        text: Its text without a byte order mark; each line ends with a newline alone.
    """

    path: Path
    content: bytes
    text: str

    @classmethod
    def read(cls, path: Path) -> FileText:
        """Read a file.

        Raises:
            ConfigError: It cannot be read, or is no UTF-8 text.
        """
        try:
            content = path.read_bytes()
            text = content.removeprefix(_MARK).decode("utf-8")
        except OSError as error:
            raise ConfigError(f"cannot read {path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{path}: expected UTF-8 text, got the byte {content[error.start]:#04x} at {error.start}"
            ) from None
        return cls(path, content, text.replace("\r\n", "\n"))

    def edited(self, edits: Sequence[Edit]) -> bytes:
        """Return the bytes of the file after edits of its text, which must not overlap.

        The rest keeps its bytes; new lines end as most lines of the file do.
        """
        raw = self.content.removeprefix(_MARK).decode("utf-8")
        ends = [found.start() for found in re.finditer("\r\n", raw)]
        carried = [at - number for number, at in enumerate(ends)]  # in the text, where they are one character
        line_end = "\r\n" if 2 * len(ends) > raw.count("\n") else "\n"
        pieces: list[str] = []
        at = 0
        for edit in sorted(edits, key=lambda edit: edit.start):
            begin, end = (place + bisect_left(carried, place) for place in (edit.start, edit.end))
            pieces += [raw[at:begin], edit.text.replace("\n", line_end)]
            at = end
        mark = _MARK if self.content.startswith(_MARK) else b""
        return mark + "".join([*pieces, raw[at:]]).encode("utf-8")

    def write(self, path: Path, content: bytes) -> None:
        """Write bytes by atomic replacement, with the permissions of the file that is replaced, or else of this one.

        Raises:
            ConfigError: The file cannot be written, or is this one and was changed since it was read.
        """
        # A link stays a link, and leads to the new content.
        target = Path(os.path.realpath(path))
        exists = target.exists()
        if exists and target.samefile(self.path) and target.read_bytes() != self.content:
            raise ConfigError(f"{path} was changed while proofs were searched; it is left as it is")
        mode = stat.S_IMODE((target if exists else self.path).stat().st_mode)
        with replacing(target) as temporary:
            temporary.write_bytes(content)
            temporary.chmod(mode)


def after_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return a text after edits, which must not overlap; those at one place stand in the order given."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
