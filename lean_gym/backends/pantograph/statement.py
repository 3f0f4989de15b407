"""Theorems as source text: what to send so that a REPL shows what Lean shows inside `by`.

Three needs: the name of the declaration; what the context opens, to be said again with each tactic where the REPL
forgets it; and, for a REPL that reads no files, the closed statement `∀ binders, target` with the names to introduce.
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
    """The source with every comment replaced by a space; block comments nest."""
    kept: list[str] = []
    depth = last = at = 0
    while mark := _MARK.search(source, at):
        at = mark.end()
        if mark[0][0] in "\"'":
            # two slashes of a string are none of our business, nor are the quotes of a comment
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
    """The name that the statement declares, as written there.

    Raises:
        DataError: The statement is no `theorem` or `lemma` with a name.
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
    """The theorem as a file without imports, its proof being `body`, e.g. `:= sorry`.

    Lines end as Lean lets them end before it counts bytes: without carriage returns.
    """
    context, statement = theorem.context.rstrip(), theorem.statement.rstrip()
    # A comment at its end would go on to the end of the line.
    space = "\n" if "--" in statement.rpartition("\n")[2] else " "
    file = f"{context}\n\n{statement}{space}" if context else f"{statement}{space}"
    return file.replace("\r\n", "\n") + body


def flush_left(tactic: str) -> str:
    """A tactic block whose first line is not indented, the others moved with it, and no comment in front.

    What a policy writes behind some spaces runs alone, but would not stand in line with its neighbours in a file; and
    Pantograph 0.3.5 and later read a block from its very first character, which must be no space and no comment.
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
    """Where the spaces and comments at the beginning of a text end."""
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
    """A tactic script as the body of a declaration."""
    return f":= by\n{indented(tactics)}"


def bracketed_body(tactics: Sequence[str]) -> str:
    """A tactic script as the body of a declaration, in brackets: only tactics can stand there."""
    return f":= (by\n{indented(tactics)}\n  )"


def indented(tactics: Sequence[str]) -> str:
    """A tactic script as a block, to stand below a line that ends in `by`."""
    lines = [line for tactic in tactics for line in flush_left(tactic).split("\n")]
    return "\n".join(f"  {line}" if line.strip() else "" for line in lines)


def rooted_name(theorem: Theorem) -> str:
    """The name of the declaration with the namespaces around it, from the root: `_root_.A.t`."""
    name = declared_name(theorem)
    if name.startswith("_root_."):
        return name
    _, names = _scopes(theorem.context)
    return ".".join(["_root_", *names, name])


def scope_prefix(context: str) -> str:
    """What to put before a tactic so that it sees what the context opened and set: `open Nat in` and so on.

    Returns:
        Lines that end in `in`, each followed by a newline; `""` when the context opens nothing.
    """
    frames, _ = _scopes(context)
    return "".join(f"{line}\n" for frame in frames for line in frame)


def _scopes(context: str) -> tuple[list[list[str]], list[str]]:
    """What is open at the end of a context: the lines of `scope_prefix` by section, and the namespaces."""
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
    """The commands of a context, each on one line: a line that is not indented begins one."""
    command: list[str] = []
    for line in without_comments(context).splitlines():
        if command and line[:1].strip():
            yield " ".join(command)
            command = []
        if line.strip():
            command.append(" ".join(line.split()))
    if command:
        yield " ".join(command)
