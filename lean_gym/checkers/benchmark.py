"""Score of a checker: the process that answers, the outcome of each case, the report by class."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.checkers.tricks import Case

SECONDS: Final = 60.0
"""Wall-clock seconds for an answer, by default."""
_MAX_ANSWER: Final = 1 << 20
OUTCOMES: Final = ("right", "accepted", "refused", "no answer", "unsupported")
"""Outcomes of a case: the right answer; a false proof accepted; an honest proof refused; none in time or none that can
be read; a request that the checker does not handle."""


class Checker:
    """A checker as a process, which is started again when it has ended.

    Args:
        command: Program and arguments.
        seconds: Wall-clock seconds for an answer.
    """

    def __init__(self, command: Sequence[str], seconds: float = SECONDS) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a request; `None` if there is none that can be read.

        Raises:
            OSError: The checker cannot be started.
        """
        line = json.dumps(request).encode() + b"\n"
        fresh = self._process is None
        found = self._exchange(line)
        if found == b"" and not fresh:
            # It may answer one request and end.
            found = self._exchange(line)
        try:
            answer = json.loads(found)
        except (ValueError, RecursionError):
            return None
        return answer if type(answer) is dict else None

    def close(self) -> None:
        """End the process and all that it started in its group."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        process.wait()

    def _exchange(self, line: bytes) -> bytes:
        """Return the line that answers a line; `b""` if the process ended, and a part of one if it was too slow."""
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                self._command, bufsize=0, stdin=pipe, stdout=pipe, start_new_session=True
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        until = time.monotonic() + self._seconds
        answer = b""
        left = memoryview(line)
        given, said = self._process.stdin, self._process.stdout
        os.set_blocking(given.fileno(), False)
        with selectors.DefaultSelector() as ready:
            ready.register(said, selectors.EVENT_READ)
            ready.register(given, selectors.EVENT_WRITE)
            while not answer.endswith(b"\n") and len(answer) < _MAX_ANSWER:
                events = ready.select(max(0.0, until - time.monotonic()))
                if not events:
                    self.close()
                    return answer or b"late"
                for key, _ in events:
                    if key.fileobj is given:
                        left = left[_write(given.fileno(), left) :]
                        if not left:
                            ready.unregister(given)
                    else:
                        part = os.read(said.fileno(), _MAX_ANSWER)
                        if not part:
                            self.close()
                            return answer
                        answer += part
        return answer


def _write(descriptor: int, content: memoryview) -> int:
    """Return how many bytes were written: all where nobody reads any more."""
    try:
        return os.write(descriptor, content)
    except BlockingIOError:
        return 0
    except OSError:
        return len(content)


def outcome(case: Case, answer: dict[str, Any] | None) -> str:
    """Return which of `OUTCOMES` an answer to a case is."""
    if answer is not None and answer.get("unsupported") is True:
        return "unsupported"
    if answer is None or type(answer.get("proved")) is not bool:
        return "no answer"
    if answer["proved"] is case.is_proof:
        return "right"
    return "refused" if case.is_proof else "accepted"


@dataclass(frozen=True, slots=True)
class Report:
    """Outcomes by class.

    Attributes:
        counts: How often each outcome occurred, by class.
        wrong: Class, name and outcome of each case without a right answer.
    """

    counts: dict[str, Counter[str]]
    wrong: list[tuple[str, str, str]]

    @property
    def is_clean(self) -> bool:
        """`True` if every request that is not unsupported got its right answer."""
        return all(kind == "unsupported" for _, _, kind in self.wrong)

    def table(self) -> str:
        """Return the report as lines of text."""
        rows: list[tuple[str, ...]] = [("class", "cases", "score", *OUTCOMES)]
        for group, counts in [*self.counts.items(), ("all", sum(self.counts.values(), Counter()))]:
            cases = sum(counts.values())
            asked = cases - counts["unsupported"]
            score = f"{100 * counts['right'] / asked:.1f}%" if asked else "-"
            rows.append((group, str(cases), score, *(str(counts[kind]) for kind in OUTCOMES)))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(_padded(row, widths) for row in rows)

    def as_json(self) -> str:
        """Return the report as one JSON object."""
        return json.dumps({"classes": self.counts, "wrong": self.wrong}, ensure_ascii=False)


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
    return "  ".join([row[0].ljust(widths[0]), *cells[1:]])


def run(checker: Checker, cases: Iterable[Case]) -> Report:
    """Ask a checker about cases.

    Raises:
        OSError: The checker cannot be started.
    """
    counts: dict[str, Counter[str]] = {}
    wrong = []
    for case in cases:
        kind = outcome(case, checker.ask(case.request))
        counts.setdefault(case.group, Counter())[kind] += 1
        if kind != "right":
            text = case.request["name"] if "challenge" in case.request else str(case.request["tactics"])
            wrong.append((case.group, text[:200], kind))
    return Report(counts, wrong)
