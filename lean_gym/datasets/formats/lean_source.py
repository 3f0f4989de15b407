"""Lean source cut into what a theorem row needs: imports, the commands before a theorem, and its statement.

The reader knows as much of Lean as the layout of benchmark files needs: comments and strings are recognised, a command
begins with a command word in the first column, and a statement ends where its proof begins. Lean itself checks the
pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_NAME: Final = r"(?:«[^»\n]*»|[^\s«»(){}\[\]⦃⦄:.]+)(?:\.(?:«[^»\n]*»|[^\s«»(){}\[\]⦃⦄:.]+))*"
_MODIFIERS: Final = r"(?:(?:private|protected|nonrec|noncomputable|partial|unsafe|local|scoped|public)\s+)*"
_THEOREM: Final = re.compile(rf"(?:@\[[^\n]*?\]\s*)*{_MODIFIERS}(?P<head>theorem|lemma)\s+(?P<name>{_NAME})")
_COMMAND: Final = re.compile(
    r"^(?:@\[|#\w|(?:abbrev|alias|attribute|axiom|class|def|deriving|elab|elab_rules|end|example|export|import|include"
    r"|inductive|infix|infixl|infixr|initialize|instance|lemma|local|macro|macro_rules|module|mutual|namespace|nonrec"
    r"|noncomputable|notation|notation3|omit|opaque|open|partial|postfix|prefix|private|protected|public|run_cmd"
    r"|scoped|section|set_option|structure|suppress_compilation|syntax|theorem|unif_hint|universe|unsafe|variable"
    r"|variables)(?![\w'.]))",
    re.MULTILINE,
)
_LEFT_OPEN: Final = re.compile(rf"(?:@\[[^\n]*\]|\sin)\s*\Z|\A{_MODIFIERS}\Z")
_SCOPE: Final = re.compile(
    r"\s*(?P<command>(?:open|set_option|universe|variable|omit|include|attribute)\b.*?)\sin(?=\s)", re.DOTALL
)
_VALUE: Final = re.compile(
    rf"(?:abbrev|axiom|class|def|inductive|instance|opaque|structure)\s+(?P<name>{_NAME})"
)
_IMPORT: Final = re.compile(r"^(?:public\s+)?import\s+(?:all\s+)?(.*)$", re.MULTILINE)
_MASKED: Final = re.compile(r'/-|-/|--[^\n]*|"(?:[^"\\]|\\.)*"|(?<![\w\'])\'(?:[^\'\\\n]|\\.)\'', re.DOTALL)
_PLACEHOLDER_PROOF: Final = re.compile(r":=\s*(?:by\s*)?(?:sorry|admit)?\s*\Z|\bwhere\s*\Z")
_TOKEN: Final = re.compile(
    r":=|[(\[{⟨⦃⟮⟦)\]}⟩⦄⟯⟧]|(?<![\w'.])(?:let|letI|have|haveI)(?![\w'])|^\s*\|(?=[^\n|]*=>)", re.MULTILINE
)
_SORRY: Final = re.compile(r"(?<![\w'.])(?:sorry|admit)(?![\w'])")
_BRACKET_OR_COLON: Final = re.compile(r"[(\[{⦃)\]}⦄:]")
_PLACEHOLDER: Final = re.compile(r"(?<!\S)(?:abbrev|def)\s+\S*(?:solution|answer)")
_ANSWER: Final = re.compile(r"--[ \t]*(?P<line>[^\n]*)|/-(?P<block>.*?)-/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a file.

    Attributes:
        text: Its source, without the comments around it.
        after: The comments between it and the next command.
        start: Offset of `text` in the file.
    """

    text: str
    after: str
    start: int


@dataclass(frozen=True, slots=True)
class SourceTheorem:
    """A theorem as it stands in a file.

    Attributes:
        name: The name that it declares, as written.
        statement: From `theorem` up to, and without, its proof.
        context: The commands before it that are no theorems, and what its own `open ... in` says.
        imports: The file's imports.
        line: Line of the declaration, from 1.
    """

    name: str
    statement: str
    context: str
    imports: tuple[str, ...]
    line: int


def mask(source: str) -> str:
    """The source with comments and string literals blanked out; every offset stays where it was."""
    return _blanked(source, with_strings=True)


def without_comments(source: str) -> str:
    """The source with comments blanked out; every offset stays where it was."""
    return _blanked(source, with_strings=False)


def _blanked(source: str, with_strings: bool) -> str:
    kept: list[str] = []
    depth = last = 0
    at = 0
    while found := _MASKED.search(source, at):
        at = found.end()
        token = found[0]
        if token == "/-":
            if depth == 0:
                kept.append(source[last : found.start()])
                last = found.start()
            depth += 1
        elif token == "-/":
            depth -= depth > 0
            if depth == 0 and last < found.start() and source.startswith("/-", last):
                kept.append(_blank(source[last:at]))
                last = at
        elif depth:
            # Inside a comment, `--` and quotes mean nothing.
            at = found.start() + 1
        else:
            blank = with_strings or token.startswith("--")
            kept += [source[last : found.start()], _blank(token) if blank else token]
            last = at
    kept.append(_blank(source[last:]) if depth else source[last:])
    return "".join(kept)


def commands(source: str) -> list[Command]:
    """The commands of a file, imports included, in order.

    A command word that only introduces the next one (an attribute on its own line, `open Nat in`) is part of that.
    """
    masked, plain = mask(source), without_comments(source)
    starts = [found.start() for found in _COMMAND.finditer(masked)]
    found_commands: list[Command] = []
    if not starts:
        return found_commands
    begin = starts[0]
    for end in [*starts[1:], len(source)]:
        if _LEFT_OPEN.search(masked[begin:end].rstrip() + "\n") and end < len(source):
            continue
        # A string at its end is part of a command.
        stop = begin + len(plain[begin:end].rstrip())
        found_commands.append(Command(source[begin:stop], source[stop:end], begin))
        begin = end
    return found_commands


def imported_modules(source: str) -> tuple[str, ...]:
    """The modules that a file imports."""
    return tuple(name for found in _IMPORT.finditer(mask(source)) for name in found[1].split())


def theorems_in(source: str) -> Iterator[SourceTheorem]:
    """The theorems and lemmas of a file, each with what stands before it.

    The context leaves out problems: other theorems, examples, and definitions or instances whose
    value is `sorry`, unless the statement names them.
    """
    imports = imported_modules(source)
    before: list[str] = []
    for command in commands(source):
        scopes, rest = without_scopes(command.text)
        declared = _THEOREM.match(mask(rest))
        if declared is not None:
            statement = statement_of(rest[declared.start("head") :])
            facts = [text for text in before if not has_sorry(text) or _names(statement, text)]
            yield SourceTheorem(
                name=declared["name"],
                statement=statement,
                context="\n".join([*facts, *scopes]),
                imports=imports,
                line=source.count("\n", 0, command.start) + 1,
            )
        elif not re.match(r"(?:public\s+)?import\b|module\b|example\b|#", rest):
            before.append(answered(command))


def theorem_at(source: str, name: str, first_line: int, last_line: int) -> SourceTheorem | None:
    """The theorem that a file declares between two lines, with all of the file before it as its context.

    Args:
        source: The file.
        name: The theorem's full name; the declared one may lack the namespaces around it.
        first_line: Line from 1.
        last_line: Line from 1, included.

    Returns:
        The theorem, or `None` when there is none of that name.
    """
    header_end = 0
    for command in commands(source):
        line = source.count("\n", 0, command.start) + 1
        if re.match(r"(?:public\s+)?import\b|module\b", command.text):
            header_end = command.start + len(command.text)
        if not first_line <= line <= last_line:
            continue
        scopes, rest = without_scopes(command.text)
        declared = _THEOREM.match(mask(rest))
        if declared is None or not f".{name}".endswith("." + declared["name"].removeprefix("_root_.")):
            continue
        before = source[header_end : header_end + len(mask(source[header_end : command.start]).rstrip())]
        return SourceTheorem(
            name=declared["name"],
            statement=statement_of(rest[declared.start("head") :]),
            context="\n".join([before.strip(), *scopes]).strip(),
            imports=imported_modules(source),
            line=line,
        )
    return None


def statement_of(declaration: str) -> str:
    """The part of a theorem's source before its proof, be the proof `sorry`, a real one, or cut off.

    Args:
        declaration: Source that begins with the declaration; a statement without proof is returned as it is.
    """
    masked = mask(declaration)
    placeholder = _PLACEHOLDER_PROOF.search(masked)
    if placeholder is not None:
        return declaration[: placeholder.start()].rstrip()
    depth = bindings = 0
    for token in _TOKEN.finditer(masked):
        text = token[0]
        if text in "([{⟨⦃⟮⟦":
            depth += 1
        elif text in ")]}⟩⦄⟯⟧":
            depth -= 1
        elif depth:
            continue
        elif text == ":=":
            # `let x := 1; ...` in the statement has a `:=` of its own.
            if not bindings:
                return declaration[: token.start()].rstrip()
            bindings -= 1
        elif text.lstrip() == "|":
            return declaration[: token.start()].rstrip()
        else:
            bindings += 1
    return declaration[: len(without_comments(declaration).rstrip())]


def renamed(statement: str, name: str) -> str:
    """The statement declaring `name`; modifiers and attributes in front of `theorem` are dropped.

    Raises:
        ValueError: The statement declares no theorem.
    """
    declared = _THEOREM.match(mask(statement))
    if declared is None:
        raise ValueError(f"got {statement[:80]!r}, expected Lean source starting with 'theorem <name>'")
    return f"{declared['head']} {name}{statement[declared.end() :]}"


def declared_name(statement: str) -> str | None:
    """The name that the statement declares; `None` when it declares no theorem."""
    declared = _THEOREM.match(mask(statement))
    return None if declared is None else declared["name"]


def without_name(statement: str) -> str | None:
    """The statement without its name and with single spaces, to be compared; `None` when it declares no theorem."""
    return None if declared_name(statement) is None else " ".join(renamed(statement, "_").split())


def answered(command: Command) -> str:
    """The command's source; a placeholder for an answer gets the answer that the comment after it holds.

    Source: PutnamBench writes `abbrev problem_solution : T := sorry` and the value as a comment on the next line.
    """
    masked = mask(command.text)
    holes = list(_SORRY.finditer(masked))
    comment = _ANSWER.search(command.after)
    # A documentation comment belongs to what follows.
    if not _PLACEHOLDER.search(masked) or len(holes) != 1 or comment is None:
        return command.text
    if (comment["block"] or "").startswith("-"):
        return command.text
    answer = (comment["line"] or comment["block"] or "").strip()
    if not answer or command.after[: comment.start()].count("\n") > 1:
        return command.text
    hole = holes[0]
    return command.text[: hole.start()] + answer + command.text[hole.end() :]


def without_scopes(command: str) -> tuple[list[str], str]:
    """`open A in set_option b c in theorem ...` as the commands without their `in`, and the rest."""
    masked = mask(command)
    scopes: list[str] = []
    at = 0
    while scope := _SCOPE.match(masked, at):
        scopes.append(" ".join(scope["command"].split()))
        at = scope.end()
    return scopes, command[at:].lstrip() if scopes else command


def binder_names(statement: str, context: str) -> set[str]:
    """The names that a statement's binders and the context's `variable` commands declare."""
    masked = mask(statement)
    declared = _THEOREM.match(masked)
    signatures = [] if declared is None else [masked[declared.end() :]]
    signatures += [
        mask(command.text).partition("variable")[2]
        for command in commands(context)
        if command.text.startswith("variable")
    ]
    return {name for signature in signatures for name in _binders(signature)}


def has_sorry(source: str) -> bool:
    """Return whether the source has `sorry` or `admit` outside of comments."""
    return _SORRY.search(mask(source)) is not None


def _names(statement: str, definition: str) -> bool:
    """Return whether the statement mentions the name that the definition defines."""
    defined = _VALUE.search(mask(definition))
    return defined is not None and defined["name"] in re.split(r"[\s(){}\[\]⟨⟩,:]+", mask(statement))


def _binders(signature: str) -> Iterator[str]:
    """The names bound before the `:` that ends a signature."""
    depth = begin = 0
    for bracket in _BRACKET_OR_COLON.finditer(signature):
        if bracket[0] in "([{⦃":
            if depth == 0:
                yield from signature[begin : bracket.start()].split()
                begin = bracket.end()
            depth += 1
        elif bracket[0] in ")]}⦄":
            depth -= 1
            if depth == 0:
                names, colon, _ = signature[begin : bracket.start()].partition(":")
                # `[Group G]` names nothing; `(x y)` does.
                yield from names.split() if colon or bracket[0] != "]" else ()
                begin = bracket.end()
        elif depth == 0:
            break
    else:
        return
    yield from signature[begin : bracket.start()].split()


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
