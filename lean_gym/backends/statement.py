"""Theorems as source text: files with a theorem, names of declarations, tactic blocks, and scopes.

Where a REPL forgets what a theorem's context opened, `scope_prefix` repeats it in front of each tactic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lean_gym.errors import DataError
from lean_gym.types import Theorem

# A string, a character (no prime at the end of a name), or what begins or ends a comment.
_LITERAL: Final = r'"(?:[^"\\]|\\.)*"|(?<![\w\'!?])\'(?:[^\'\\]|\\[^\']+|\\\')\''
_MARK: Final = re.compile(rf"(?s:{_LITERAL})|/-|-/|--")
_DECLARATION: Final = re.compile(r"(?<!\S)(?:theorem|lemma)\s+((?:«[^»]*»|[^\s:({\[⦃«])+)")


def without_comments(source: str) -> str:
    """Return the source with every comment replaced by a space; block comments nest."""
    kept: list[str] = []
    depth = last = at = 0
    while mark := _MARK.search(source, at):
        at = mark.end()
        if mark[0][0] in "\"'":
            # A comment mark inside a string begins no comment, and a quote inside a comment begins no string.
            at = mark.end() if depth == 0 else mark.start() + 1
            continue
        if depth == 0 and mark[0] != "-/":
            kept.append(source[last : mark.start()])
        if mark[0] == "/-":
            depth += 1
        elif mark[0] == "-/":
            depth = max(depth - 1, 0)
        elif depth == 0:
            line_end = source.find("\n", at)
            at = len(source) if line_end < 0 else line_end
        if depth == 0:
            last = at
    return " ".join([*kept, source[last:] if depth == 0 else ""])


def declared_name(theorem: Theorem) -> str:
    """Return the name that the statement declares, as written there.

    Raises:
        DataError: The statement is not a `theorem` or `lemma` with a name.
    """
    found = _DECLARATION.search(without_comments(theorem.statement))
    if found is None:
        raise DataError(
            f"theorem {theorem.name!r}: the statement {theorem.statement[:80]!r} declares no name, expected "
            "`theorem NAME ... : TYPE`"
        )
    # `foo.{u, v}` names universes after the dot.
    return found[1].partition(".{")[0].rstrip(".")


def file_with(theorem: Theorem, body: str) -> str:
    """Return the theorem as a file without imports, with `body` for its proof, e.g. `:= sorry`.

    Lines end without carriage returns, as in the text in which Lean counts bytes.
    """
    context, statement = theorem.context.rstrip(), theorem.statement.rstrip()
    # A comment at its end would go on to the end of the line.
    space = "\n" if "--" in statement.rpartition("\n")[2] else " "
    file = f"{context}\n\n{statement}{space}" if context else f"{statement}{space}"
    return file.replace("\r\n", "\n") + body


def flush_left(tactic: str) -> str:
    """Return a tactic block without indentation of its first line and without a comment in front.

    The other lines move with the first. An indented tactic runs alone, but does not line up with its neighbours in a
    file; and Pantograph 0.3.5 and later refuse a block that begins with a space or a comment.
    """
    text = tactic.replace("\r\n", "\n").rstrip()
    begin = _first_code(text)
    line = text.rfind("\n", 0, begin) + 1
    indent = len(text[line:]) - len(text[line:].lstrip(" "))
    lines = (" " * indent + text[begin:]).split("\n")
    if indent and all(line.startswith(" " * indent) or not line.strip() for line in lines):
        return "\n".join(line[indent:] for line in lines)
    return text[begin:]


def _first_code(text: str) -> int:
    """Return the position after the spaces and comments at the beginning of a text."""
    at = depth = 0
    while at < len(text):
        if text.startswith("/-", at) and (depth or text[at + 2 : at + 3] not in ("-", "!")):
            if not depth:
                opened = at
            depth, at = depth + 1, at + 2
        elif depth and text.startswith("-/", at):
            depth, at = depth - 1, at + 2
        elif not depth and text.startswith("--", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif depth or text[at] in " \n":
            at += 1
        else:
            return at
    return opened if depth else at


def tactic_body(tactics: Sequence[str]) -> str:
    """Return a tactic script as the body of a declaration."""
    return f":= by\n{indented(tactics)}"


def bracketed_body(tactics: Sequence[str]) -> str:
    """Return a tactic script as the body of a declaration, in brackets, which only tactics can fill."""
    return f":= (by\n{indented(tactics)}\n  )"


def indented(tactics: Sequence[str]) -> str:
    """Return a tactic script as an indented block, for the lines after `by`."""
    lines = [line for tactic in tactics for line in flush_left(tactic).split("\n")]
    return "\n".join(f"  {line}" if line.strip() else "" for line in lines)


def rooted_name(theorem: Theorem) -> str:
    """Return the declaration's name with its namespaces, from the root: `_root_.A.t`."""
    name = declared_name(theorem)
    if name.startswith("_root_."):
        return name
    _, names = _scopes(theorem.context)
    return ".".join(["_root_", *names, name])


def scope_prefix(context: str) -> str:
    """Return the text in front of a tactic that repeats what the context opened and set: `open Nat in` and so on.

    Returns:
        Lines that end in `in`, each followed by a newline; `""` when the context opens nothing.
    """
    frames, _ = _scopes(context)
    return "".join(f"{line}\n" for frame in frames for line in frame)


def _scopes(context: str) -> tuple[list[list[str]], list[str]]:
    """Return what is open at the end of a context: the lines of `scope_prefix` by section, and the namespaces."""
    frames: list[list[str]] = [[]]
    names: list[str] = []
    for command in commands(context):
        head, _, rest = command.partition(" ")
        rest = rest.strip()
        if head == "noncomputable" and rest.startswith("section"):
            head, rest = "section", rest.removeprefix("section").strip()
        if head in ("section", "mutual"):
            frames.append([])
        elif head == "namespace":
            names = [*names, rest]
            frames.append([f"open {'.'.join(names)} in"])
        elif head == "end" and len(frames) > 1:
            closed = frames.pop()
            if closed and names and closed[0] == f"open {'.'.join(names)} in":
                names = names[:-1]
        elif head in ("open", "set_option") and not re.search(r"\sin(\s|$)", command):
            frames[-1].append(f"{command} in")
    return frames, names


def commands(context: str) -> Iterator[str]:
    """Yield the commands of a context, each on one line: a line that is not indented begins one."""
    command: list[str] = []
    for line in without_comments(context).splitlines():
        if command and line[:1].strip():
            yield " ".join(command)
            command = []
        if line.strip():
            command.append(" ".join(line.split()))
    if command:
        yield " ".join(command)
