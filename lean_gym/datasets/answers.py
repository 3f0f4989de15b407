"""Answers of language models cut down to the tactics in them.

`proof_in` reads a whole proof of a theorem, `tactic_in` one tactic. Both drop the model's thinking, take the last
fenced block, and drop comments. A whole proof may be a tactic script, a `by` block, or a file with one theorem: then
its statement must be the asked one, token by token, and every other command must be harmless or one of the theorem's
own context. Nothing here decides whether a proof holds: the tactics are only ever tried on the statement as the
environment has it. An answer with another statement is refused all the same, because the model did not do what it was
asked.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from lean_gym.datasets.formats.lean_source import (
    commands,
    declared_name,
    mask,
    without_comments,
    without_scopes,
)
from lean_gym.datasets.proofs import proof_steps
from lean_gym.types import Theorem

_THOUGHT: Final = re.compile(
    r"(?P<open><(?:think|thinking|thoughts?|reasoning)>|◁think▷|\[THINK\]|<\|begin_of_thought\|>"
    r"|<\|channel\|>analysis<\|message\|>)"
    r"|(?P<close></(?:think|thinking|thoughts?|reasoning)>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>)"
    r"|(?P<end><\|end\|>)",
    re.IGNORECASE,
)
_CHANNEL: Final = re.compile(r"(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>")
_END: Final = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return)\|>|<｜end▁of▁sentence｜>|<end_of_turn>|</s>"
    r"|\[/(?:TAC|PROOF)\]"
)
_FENCE: Final = re.compile(
    r"(?P<mark>(?<!`)`{3,}+)(?:(?P<inline>[^`\n]+)(?P=mark)|[ \t]*(?P<info>[^`\n]*)\n(?P<body>.*?)(?:(?P=mark)|\Z))",
    re.DOTALL,
)
_LANGUAGE: Final = re.compile(r"(?:lean4?|tactics?)\s+", re.IGNORECASE)
_LANGUAGES: Final = frozenset(["lean", "lean4", "tactic", "tactics"])

_NAME: Final = r"[^\s(){}\[\]:;,\"]+"
_COMMAND_WORD: Final = re.compile(
    r"(?:abbrev|axiom|class|def|elab|example|inductive|infix[lr]?|instance|lemma|local|macro|macro_rules|notation3?"
    r"|opaque|postfix|prefix|structure|syntax|theorem|variable)\Z"
)
_HARMLESS_BEFORE: Final = re.compile(
    rf"(?:public\s+)?import\s+(?:all\s+)?{_NAME}"
    rf"|open(?:\s+(?:scoped\s+)?{_NAME})+(?:\s*\([^()\[\]:\"]*\))?"
    rf"|(?:noncomputable\s+)?section(?:\s+{_NAME})?"
    r"|set_option\s+(?:a|relaxedA)utoImplicit\s+false"
    r"|set_option\s+(?:maxHeartbeats|maxRecDepth|synthInstance\.\w+|(?:pp|linter|warn|trace|profiler)(?:\.[\w.]+)?)"
    r"\s+(?:\w+|\"[^\"]*\")"
)
_HARMLESS_AFTER: Final = re.compile(rf"end(?:\s+{_NAME})?|#(?:print(?:\s+axioms)?|check)\s+@?{_NAME}")
_BY: Final = re.compile(r"\s*by(?![\w'.!?])")
_OTHER_SPACE: Final = re.compile(r"[^\S \n]")
"""White space that Lean refuses outside of strings and comments."""

# Whitespace next to one of these never changes how Lean reads a statement, unless one of `_TIGHT` begins after it.
_LOOSE: Final = frozenset([
    "(", ")", "{", "}", "⟨", "⟩", ",", ";", ":", ":=", "=", "≠", "<", ">", "≤", "≥", "+", "-", "*", "/",
    "^", "→", "←", "↔", "∧", "∨", "¬", "∀", "∃", "∈", "∉", "⊆", "∪", "∩", "∘", "×", "∣", "::", "++", "&&",
    "||", "==", "!=", "<=", ">=", "->", "<->", "=>", "/\\", "\\/"
])  # fmt: skip
_SPACES: Final = frozenset(" \t\r\n")
_TIGHT: Final = (".", "[", "!", "?", "'")
_TOKEN: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|(?:[\w'!?.]|«[^»\n]*»)+|[()\[\]{}⟨⟩,;¬]|[^\s\w'!?.«\"()\[\]{}⟨⟩,;¬]+|.", re.DOTALL
)


class Refusal(StrEnum):
    """Kind of reason for which an answer has no tactics that could be tried."""

    EMPTY = "empty"
    """There is no text besides thinking and comments."""
    UNFINISHED_THINKING = "unfinished_thinking"
    """The answer ends inside the model's thinking."""
    OTHER_LANGUAGE = "other_language"
    """All fenced blocks are in another language than Lean."""
    TAB = "tab"
    """There is a tab, or white space of another kind that Lean refuses."""
    OTHER_TEXT = "other_text"
    """Text that is no command stands before the commands."""
    NO_THEOREM = "no_theorem"
    """There are commands, and none of them declares a theorem."""
    OTHER_THEOREM = "other_theorem"
    """The declared theorem has another name."""
    OTHER_STATEMENT = "other_statement"
    """The theorem has the asked name and another statement."""
    EXTRA_THEOREM = "extra_theorem"
    """There is another theorem, which the asked one may use and which no step of an episode can declare."""
    EXTRA_COMMAND = "extra_command"
    """There is another command, which could change what the statement means."""
    NO_PROOF = "no_proof"
    """The statement is right and nothing follows it."""
    PATTERN_MATCHING = "pattern_matching"
    """The proof is a definition by cases (`| 0 => ...`), which is neither a term nor a tactic."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of reading an answer: tactics to try, or the reason for which there are none.

    Attributes:
        tactics: The steps in order; empty exactly if the answer was refused.
        refusal: Kind of reason, `None` if there are tactics.
        detail: The reason in one line, `""` if there are tactics.
    """

    tactics: tuple[str, ...] = ()
    refusal: Refusal | None = None
    detail: str = ""

    @property
    def text(self) -> str:
        """The tactics as one block; `""`, which Lean refuses, if there are none."""
        return "\n".join(self.tactics)


class _Refused(Exception):
    """Reason for which an answer is refused; never leaves this module."""

    def __init__(self, refusal: Refusal, detail: str) -> None:
        super().__init__(detail)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _Token:
    """Token of a statement, and whether whitespace stands before it where that matters."""

    text: str
    apart: bool
    start: int


def proof_in(text: str, theorem: Theorem) -> Answer:
    """Return the tactics of an answer that holds a whole proof.

    Accepted forms, each alone or in the last fenced block: a tactic script; a `by` block, also after `:=`; a theorem
    with the asked statement, its proof a `by` block or a term, which becomes `exact (...)`. Before the theorem,
    `import`, `open`, `section`, options that cannot change a statement, and the commands of the theorem's own context
    are dropped.

    Args:
        text: The answer.
        theorem: The theorem that was asked for.
    """
    try:
        source = _plain_source(text)
        if not source.strip():
            raise _Refused(Refusal.EMPTY, "the answer has no Lean in it")
        tactics = _file(source, theorem) if _is_file(source) else _script(source)
    except _Refused as refused:
        return Answer((), refused.refusal, str(refused))
    return Answer(tactics)


def tactic_in(text: str) -> Answer:
    """Return the tactic of an answer to the goals of one step.

    A block of several tactics stays one step. A `by` in front is dropped.
    """
    try:
        steps = _script(_plain_source(text))
    except _Refused as refused:
        return Answer((), refused.refusal, str(refused))
    return Answer(("\n".join(steps),))


def _plain_source(text: str) -> str:
    """Return the Lean source in an answer without comments, moved to the first column."""
    code = _code(text)
    space = _OTHER_SPACE.search(mask(code))
    if space is not None:
        line = code.count("\n", 0, space.start()) + 1
        raise _Refused(
            Refusal.TAB, f"line {line} has {space[0]!r}; Lean allows no white space but spaces and line ends"
        )
    code = textwrap.dedent(code)
    lines = zip(code.split("\n"), without_comments(code).split("\n"), strict=True)
    # What follows a comment at the start of a line, `/-- ... -/ theorem`, starts that line.
    return textwrap.dedent("\n".join(rest if line[:1].isspace() else rest.lstrip() for line, rest in lines))


def _code(text: str) -> str:
    """Return the Lean source in an answer: without thinking and end marks, out of the last fenced block."""
    text, unfinished = _without_thinking(text.replace("\r\n", "\n"))
    text = _CHANNEL.sub("", text)
    end = _END.search(text)
    text = text if end is None else text[: end.start()]
    if unfinished and not text.strip():
        raise _Refused(Refusal.UNFINISHED_THINKING, "the answer ends inside the thinking; allow more tokens")
    return _last_block(text)


def _without_thinking(text: str) -> tuple[str, bool]:
    """Return the text outside of thinking, and whether the last thought is never closed."""
    kept: list[str] = []
    depth = last = 0
    for found in _THOUGHT.finditer(text):
        if found["open"]:
            if depth == 0:
                kept.append(text[last : found.start()])
            depth += 1
        elif depth:
            depth -= 1
            last = found.end()
        elif found["close"]:
            # The thought began in the prompt, as some chat templates do it.
            kept, last = [], found.end()
    return "".join(kept if depth else [*kept, text[last:]]), depth > 0


def _last_block(text: str) -> str:
    before, mark, after = text.partition("```")
    if mark and before.strip() and not after.strip():
        return before  # a completion that goes on in the prompt's block closes that block
    blocks: list[tuple[bool, str]] = []
    for found in _FENCE.finditer(text):
        if found["inline"] is not None:
            blocks.append((False, _LANGUAGE.sub("", found["inline"].strip(), count=1)))
            continue
        language = next(iter(found["info"].lower().split()), "")
        if not language or language in _LANGUAGES:
            blocks.append((bool(language), found["body"]))
    if blocks:
        labelled = [body for is_labelled, body in blocks if is_labelled]
        return labelled[-1] if labelled else blocks[-1][1]
    if _FENCE.search(text) is not None:
        raise _Refused(Refusal.OTHER_LANGUAGE, "the answer has fenced blocks, and none of them is in Lean")
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == "`" and "`" not in stripped[1:-1]:
        return stripped[1:-1]
    return text


def _is_file(source: str) -> bool:
    """Return whether the source has commands; `open A in simp` is a tactic."""
    found = commands(source)
    return any(not scopes or commands(rest) for scopes, rest in (without_scopes(c.text) for c in found))


def _script(source: str) -> tuple[str, ...]:
    """Return the steps of a tactic script or a `by` block."""
    start = re.match(r"\s*:=", source)
    at = start.end() if start else 0
    by = _BY.match(source, at)
    steps = proof_steps(_left_aligned(_kept_column(source, by.end() if by else at)))
    if not steps:
        raise _Refused(Refusal.EMPTY, "the answer has no tactic in it")
    return tuple(steps)


def _file(source: str, theorem: Theorem) -> tuple[str, ...]:
    """Return the steps of the only theorem of a file.

    Raises:
        _Refused: The file declares anything else.
    """
    found = commands(source)
    if source[: found[0].start].strip():
        raise _Refused(
            Refusal.OTHER_TEXT, f"expected commands alone, got {_shown(source)}; put Lean in a fenced block"
        )
    own = {_key(command.text) for command in commands(theorem.context)}
    rest = [command for command in found if _key(command.text) not in own]
    declared = [at for at, command in enumerate(rest) if _declares_theorem(command.text)]
    if not declared:
        raise _Refused(Refusal.NO_THEOREM, f"expected the theorem {theorem.name}, got {_shown(source)}")
    for at, command in enumerate(rest):
        _check_command(command.text, at, declared, own)
    command = rest[declared[0]]
    scopes, _ = without_scopes(command.text)
    for scope in scopes:
        _check_command(scope, -1, declared, own)
    skipped = len(command.text) - len(without_scopes(command.text)[1])
    return _proof(source, command.start + skipped, command.start + len(command.text), theorem)


def _declares_theorem(command: str) -> bool:
    return declared_name(without_scopes(command)[1]) is not None


def _check_command(text: str, at: int, declared: Sequence[int], own: set[tuple[str, ...]]) -> None:
    """Refuse a command that is neither the theorem, nor harmless, nor of the theorem's context."""
    if at == declared[0]:
        return
    if at in declared:
        raise _Refused(
            Refusal.EXTRA_THEOREM,
            f"expected one theorem, got another: {_shown(text)}; prove lemmas by `have` inside the proof",
        )
    harmless = _HARMLESS_BEFORE if at < declared[0] else _HARMLESS_AFTER
    hidden = any(_COMMAND_WORD.match(word) for word in text.split()[1:])
    if _key(text) not in own and (hidden or not harmless.fullmatch(text)):
        raise _Refused(Refusal.EXTRA_COMMAND, f"expected no command besides the theorem, got {_shown(text)}")


def _proof(source: str, start: int, stop: int, theorem: Theorem) -> tuple[str, ...]:
    """Return the steps of a declaration after its statement, which must be the asked one."""
    declaration = source[start:stop]
    at = start + _end_of_statement(declaration, theorem)
    tail = source[at:stop].lstrip()
    if not tail:
        raise _Refused(Refusal.NO_PROOF, "expected `:=` and a proof after the statement, got nothing")
    if tail.startswith("|") or re.match(r"where\b", tail):
        raise _Refused(Refusal.PATTERN_MATCHING, f"expected `:=` and a proof, got {_shown(tail)}")
    if not tail.startswith(":="):
        raise _Refused(
            Refusal.OTHER_STATEMENT, f"the asked statement ends here, the given one has {_shown(tail)}"
        )
    at = source.index(":=", at) + 2
    by = _BY.match(source, at, stop)
    proof = _left_aligned(_kept_column(source[:stop], at if by is None else by.end()))
    if not proof:
        raise _Refused(Refusal.NO_PROOF, "expected a proof after the statement, got nothing")
    if by is not None:
        return tuple(proof_steps(proof))
    return (f"exact (\n{textwrap.indent(proof, '    ')})" if "\n" in proof else f"exact ({proof})",)


def _end_of_statement(declaration: str, theorem: Theorem) -> int:
    """Return the offset at which the asked statement ends in a declaration.

    Raises:
        _Refused: The declaration states something else.
    """
    name, asked_name = declared_name(declaration), declared_name(theorem.statement) or theorem.name
    if name != asked_name:
        raise _Refused(Refusal.OTHER_THEOREM, f"expected the theorem {asked_name}, got {_shown(declaration)}")
    asked, given = list(_tokens(without_comments(theorem.statement))), list(_tokens(declaration))
    end = 0
    for at, token in enumerate(asked):
        got = given[at] if at < len(given) else _Token("", False, len(declaration))
        # Without whitespace before it, `:=` is one token with a symbol at the end of the statement.
        equal = _plain(token.text) == _plain(got.text) or (
            at == len(asked) - 1 and got.text.startswith(f"{token.text}:=")
        )
        if not equal or token.apart != got.apart:
            shown = _shown(got.text) if got.text else "nothing"
            raise _Refused(
                Refusal.OTHER_STATEMENT,
                f"expected the asked statement, got another: {shown} where it has {_shown(token.text)}",
            )
        end = got.start + len(token.text)
    return end


def _tokens(source: str) -> Iterator[_Token]:
    """Yield the tokens of a source without comments.

    Characters that Lean could read together (a name with its dots, a run of symbols) stay one token, so that sources
    with equal tokens are read alike whatever notations there are; sources that differ may still be read alike.
    """
    found = [match for match in _TOKEN.finditer(source) if match[0] not in _SPACES]
    if found:
        yield _Token(found[0][0], False, found[0].start())
    for before, token in pairwise(found):
        loose = (before[0] in _LOOSE or token[0] in _LOOSE) and not token[0].startswith(_TIGHT)
        yield _Token(token[0], not loose and before.end() < token.start(), token.start())


def _plain(token: str) -> str:
    return "theorem" if token == "lemma" else token


def _key(command: str) -> tuple[str, ...]:
    return tuple(token.text for token in _tokens(without_comments(command)))


def _kept_column(source: str, at: int) -> str:
    """Return the source from an offset on, with spaces in place of what stands before it on its line."""
    return " " * (at - source.rfind("\n", 0, at) - 1) + source[at:]


def _left_aligned(block: str) -> str:
    """Return a block moved to the first column, without blank lines.

    Lines left of the first token, as in `by simp [a,` with `b]` below, go on with the first line.
    """
    lines = [line.rstrip() for line in block.split("\n") if line.strip()]
    columns = [len(line) - len(line.lstrip()) for line in lines]
    if len(lines) < 2 or min(columns) == columns[0]:
        return textwrap.dedent("\n".join(lines))
    return "\n".join([lines[0].lstrip(), textwrap.indent(textwrap.dedent("\n".join(lines[1:])), "  ")])


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return f"`{text[:60]}{'...' if len(text) > 60 else ''}`"
