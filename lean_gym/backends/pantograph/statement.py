"""Theorems as source text: what to send so that a REPL shows what Lean shows inside `by`.

Three needs: the name of the declaration; what the context opens, to be said again with each tactic where the REPL
forgets it; and, for a REPL that reads no files, the closed statement `∀ binders, target` with the names to introduce.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.errors import DataError
from lean_gym.types import Theorem

# A string, a character (no prime at the end of a name), or what begins or ends a comment.
_LITERAL: Final = r'"(?:[^"\\]|\\.)*"|(?<![\w\'!?])\'(?:[^\'\\]|\\[^\']+|\\\')\''
_MARK: Final = re.compile(rf"(?s:{_LITERAL})|/-|-/|--")
_SKIPPED: Final = re.compile(f"(?s:{_LITERAL})")
_DECLARATION: Final = re.compile(r"(?<!\S)(?:theorem|lemma)\s+((?:«[^»]*»|[^\s:({\[⦃«])+)")
_WORD: Final = re.compile(r"[^\W\d][\w'!?₀-₉]*(?:\.[^\W\d][\w'!?₀-₉]*)*")
_BINDING: Final = re.compile(r"[∀∃λΣΠ∑∏⨆⨅⋃⋂⨁⨂∫]['!]?|\b(?:fun|let|have)\b")
_PATTERNS: Final = re.compile(r"\|[^|]*?=>|\{[^{}|:∈,]*[:|∈]")
_OPENING: Final = {"(": ")", "[": "]", "{": "}", "⦃": "⦄", "⟨": "⟩"}
_BINDERS: Final = "([{⦃"
_PLAIN_COMMANDS: Final = (
    "open",
    "variable",
    "universe",
    "section",
    "namespace",
    "end",
    "set_option",
    "noncomputable",
)


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


@dataclass(frozen=True, slots=True)
class ClosedStatement:
    """A statement as one proposition.

    Attributes:
        expr: `∀ binders, target`.
        names: The names to introduce, `_` where Lean makes one up.
        levels: Its universe parameters.
    """

    expr: str
    names: tuple[str, ...]
    levels: tuple[str, ...]


def closed_statement(theorem: Theorem) -> ClosedStatement:
    """The statement with its binders, and the context's variables that it needs, as one proposition.

    Raises:
        DataError: The context holds commands that no proposition can, or the statement cannot be taken apart.
    """
    opened = scope_prefix(theorem.context).replace("\n", " ")
    variables, levels = _in_scope(theorem)
    header = without_comments(theorem.statement)
    found = _DECLARATION.search(header)
    if found is None:
        declared_name(theorem)
        raise AssertionError("declared_name refuses what has no name")
    after = header[found.end(1) :]
    own_levels = re.match(r"\s*\{([^}]*)\}", after) if found[1].endswith(".") else None
    if own_levels is not None:
        levels += re.split(r"[,\s]+", own_levels[1].strip())
        after = after[own_levels.end() :]
    own, target = _groups(theorem, after)
    if target is None:
        raise DataError(f"theorem {theorem.name!r}: no `:` follows the binders of {theorem.statement[:80]!r}")
    groups = [*_needed(theorem, variables, own, target), *own]
    names = tuple(name for group in groups for name in _names(group))
    expr = f"∀ {' '.join(groups)}, {target.strip()}" if groups else target.strip()
    return ClosedStatement(opened + expr, names, tuple(levels))


def _groups(theorem: Theorem, source: str) -> tuple[list[str], str | None]:
    """The binder groups at the start of `source`, and what follows their `:`."""
    groups: list[str] = []
    at = 0
    while at < len(source):
        if source[at].isspace():
            at += 1
        elif source[at] in _BINDERS:
            end = _closing(theorem, source, at)
            groups.append(" ".join(source[at:end].split()))
            at = end
        elif source[at] == ":":
            return groups, None if source.startswith(":=", at) else source[at + 1 :]
        else:
            word = _WORD.match(source, at)
            if word is None:
                raise DataError(
                    f"theorem {theorem.name!r}: cannot read the binders at {source[at : at + 40]!r}"
                )
            groups.append(word[0])
            at = word.end()
    return groups, None


def _closing(theorem: Theorem, source: str, start: int) -> int:
    expected: list[str] = []
    at = start - 1
    while (at := at + 1) < len(source):
        if literal := _SKIPPED.match(source, at):
            at = literal.end() - 1
        elif source[at] in _OPENING:
            expected.append(_OPENING[source[at]])
        elif expected and source[at] == expected[-1]:
            expected.pop()
            if not expected:
                return at + 1
    raise DataError(f"theorem {theorem.name!r}: no closing bracket for {source[start : start + 40]!r}")


def _names(group: str) -> list[str]:
    if group[0] not in _BINDERS:
        return [group]
    names, colon, _ = group[1:-1].partition(":")
    if not colon:
        return ["_"] if group[0] == "[" else names.split()
    return names.split()


def _in_scope(theorem: Theorem) -> tuple[list[str], list[str]]:
    """The variables, one a group, and the universes that the context leaves in scope.

    Raises:
        DataError: It has commands that no proposition can hold.
    """
    frames: list[tuple[list[str], list[str]]] = [([], [])]
    for command in commands(theorem.context):
        head, _, rest = command.partition(" ")
        if head not in _PLAIN_COMMANDS:
            raise DataError(
                f"theorem {theorem.name!r}: the context has the command {head!r}, but this REPL reads no files; "
                f"it can do {', '.join(_PLAIN_COMMANDS)}"
            )
        variables, levels = frames[-1]
        if head in ("section", "namespace", "noncomputable"):
            frames.append((list(variables), list(levels)))
        elif head == "end" and len(frames) > 1:
            frames.pop()
        elif head == "universe":
            levels += rest.split()
        elif head == "variable":
            for group in _groups(theorem, rest)[0]:
                _declare(variables, group)
    return frames[-1]


def _declare(variables: list[str], group: str) -> None:
    """Add the variables of a group one by one; `(x)` alone changes the brackets of an `x` that is there."""
    names = _names(group)
    if group[0] not in _BINDERS or names == ["_"]:
        variables.append(group)
        return
    _, colon, type_ = group[1:-1].partition(":")
    for name in names:
        place = next((i for i in reversed(range(len(variables))) if name in _names(variables[i])), None)
        if colon or place is None:
            variables.append(f"{group[0]}{name}{' :' if colon else ''}{type_}{group[-1]}")
        else:
            variables[place] = f"{group[0]}{variables[place][1:-1]}{group[-1]}"


def _needed(theorem: Theorem, variables: Sequence[str], own: Sequence[str], target: str) -> list[str]:
    """The variables that Lean includes: those that are mentioned, and instances about them alone.

    Raises:
        DataError: A name stands for a variable here and for something else there.
    """
    owner = {name: group for group in variables for name in _names(group) if name != "_"}
    used: set[str] = set()
    bound: set[str] = set()
    for group in own:
        _, colon, type_ = group.partition(":")
        used |= _free(type_ if colon else group if group[0] == "[" else "") - bound
        bound |= set(_names(group))
    used |= _free(target) - bound
    inner = _bound_inside(theorem, " ".join([*own, target]))
    if ambiguous := sorted(used & owner.keys() & inner):
        raise DataError(
            f"theorem {theorem.name!r}: {ambiguous[0]!r} is a variable of the context and is bound in the statement as "
            "well, which this REPL cannot tell apart; rename one of them"
        )
    needed: set[str] = set()
    while True:
        more = {group for name, group in owner.items() if name in used} - needed
        for group in variables:
            mentioned = _free(group) & owner.keys()
            if (
                group[0] == "["
                and mentioned
                and {owner[name] for name in mentioned} <= needed | more | {group}
            ):
                more.add(group)
        if more <= needed:
            return [group for group in variables if group in needed]
        needed |= more
        used |= {word for group in more for word in _free(group)}


def _free(text: str) -> set[str]:
    """The words of a text, and what stands before the first dot of each: `h.symm` mentions `h`."""
    words = _WORD.findall(_SKIPPED.sub(" ", text))
    return {*words, *(word.partition(".")[0] for word in words)}


def _bound_inside(theorem: Theorem, text: str) -> set[str]:
    """The names that terms in a text bind."""
    text = _SKIPPED.sub(" ", text)
    found: set[str] = set()
    for binder in _BINDING.finditer(text):
        at = binder.end()
        while at < len(text):
            if text[at].isspace():
                at += 1
            elif text[at] in _OPENING:
                end = _closing(theorem, text, at)
                found |= _free(text[at:end].partition(":")[0])
                at = end
            elif word := _WORD.match(text, at):
                found.add(word[0])
                at = word.end()
            else:
                break
    return found | {name for part in _PATTERNS.finditer(text) for name in _free(part[0])}
