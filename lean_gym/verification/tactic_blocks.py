"""Reader of tactic blocks that finds every place where Lean may begin a tactic, and refuses what it does not know.

Only Lean's parser knows all tactics and terms. This reader knows the heads of `tactic_vocabulary` with the shape of
their arguments, how blocks nest, and where they end: a line at the column of a block is its next tactic, a deeper one
continues the tactic, a line further left ends the block. A place that could be either is read as a tactic, and a text
in which the end of a block is not certain is refused. So a refused text may be harmless, and a tactic that passes is a
known one.

Source: Lean 4 `Lean.Parser.Tactic`, `sepByIndent`, `matchAlts`, `calcSteps` (4.29).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.verification.evaluated_options import is_native, literal_end, option_name
from lean_gym.verification.lean_tokens import Token
from lean_gym.verification.tactic_vocabulary import (
    ALTERNATIVES,
    ARMS,
    BEFORE_ARROW,
    CONV,
    CONVERSIONS,
    KNOWN,
    SEQUENCE,
    TACTIC_VALUES,
    WITH_ARGUMENTS,
)

_CLOSING: Final = {")": "(", "]": "[", "}": "{", "⟩": "⟨", "⦄": "⦃"}
_OPENING: Final = frozenset(_CLOSING.values())
_BY: Final = frozenset(["by", "by?", "decreasing_by"])
_LET: Final = frozenset(
    ["have", "haveI", "let", "letI", "let_fun", "let_delayed", "let_tmp", "suffices", "show"]
)
_FUN: Final = frozenset(["fun", "λ"])
_SEPARATORS: Final = frozenset([";", "<;>"])
# A line that ends with one of these words goes on.
_GOES_ON: Final = _LET | _FUN | _BY | frozenset([
    "at", "calc", "do", "else", "exists", "forall", "from", "generalizing", "if", "in", "match", "nomatch", "says",
    "then", "using", "with",
])  # fmt: skip
# After these a term follows for certain, wherever its line begins.
_BEFORE_TERM: Final = frozenset([":=", "<|", "=", "≠", "≤", "<", "≥", "∧", "∨", "→", "↔", "+", "/"])
_NEVER_FIRST: Final = frozenset(["at", "using", "with"])
"""Reserved words that begin no tactic."""
_EQUATIONS: Final = frozenset(["have", "have'", "haveI", "let", "let'", "letI"])
_COMPLETE: Final = frozenset(
    [*_CLOSING, "⊢", "..", "⁻¹", "∅", "⊤", "⊥", "∞", "ᶜ", "⁺", "⁻", "›", "¹", "ᵀ", "ᴴ", "ˣ", "†"]
)
# `open A B in` and `set_option o v in` in front of a tactic or term.
_LIMITS: Final = frozenset([
    "autoImplicit", "exponentiation", "grind", "linter", "maxHeartbeats", "maxRecDepth", "maxSynthPendingDepth", "pp",
    "relaxedAutoImplicit", "simprocs", "smartUnfolding", "synthInstance", "tactic", "aesop", "backward",
])  # fmt: skip
"""First parts of the names of options that a text may set: limits, printing and search. None changes the kernel."""
_NAME: Final = re.compile(r"[^\W\d][\w'!?₀-₉]*(?:\.[^\W\d][\w'!?₀-₉]*)*")


class Refused(ValueError):
    """A text that must not reach Lean; the message is one line."""


@dataclass(slots=True)
class _Frame:
    """Something that is open at a place of the text.

    Attributes:
        kind: `"block"`, `"bracket"`, `"arms"`, `"calc"`, and what waits for a later word: `"fun"` and `"arrow"` for
            `=>`, `"match"` for `with`, `"let"` for `;`.
        tactic: Whether the part behind the word or arrow that it waits for, or between brackets, is tactics.
        conv: Whether these are conversions.
        column: The column of a block, of the first `|` of arms, or of the first `_` of a calculation; -1 before.
        opened: The opening bracket.
        awaiting: Whether arms wait for `=>`.
        goals: Whether an arm may go without `=>`: `induction n with | zero | succ n ih` leaves its goals open.
        head: Number of the head of a block's present tactic, -1 for none.
        options: Whether options may stand at the present place.
        patterns: Whether the present tactic reads patterns, in which `|` separates.
        first: The column of the first step of a calculation, or the line of a `let`.
        several: Whether brackets hold blocks that are separated by commas.
        rules: Whether brackets hold rules of `aesop`.
    """

    kind: str
    tactic: bool = False
    conv: bool = False
    column: int = -1
    opened: str = ""
    awaiting: bool = False
    goals: bool = False
    head: int = -1
    options: bool = False
    patterns: bool = False
    first: int = -1
    several: bool = False
    rules: bool = False

    @property
    def unfinished(self) -> bool:
        """True for a pattern that has to go on."""
        return self.awaiting and not self.goals


class Blocks:
    """Reads the tokens of a text.

    Args:
        tokens: The tokens.
        allowed: Further heads of tactics, with terms for arguments.
        not_opened: Namespaces that may not be opened.
        commands: Words that begin commands, for a text of commands; `None` for a tactic block.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        allowed: Collection[str],
        not_opened: Collection[str],
        commands: Collection[str] | None = None,
    ) -> None:
        self._tokens = tokens
        self._allowed = frozenset(allowed)
        self._not_opened = frozenset(not_opened)
        self._commands = commands
        self._expected = commands is None
        self._stack = [_Frame("block") if commands is None else _Frame("bracket")]
        self.prefixes: set[int] = set()
        self.rules: set[int] = set()

    def read(self) -> None:
        """Read the text.

        Raises:
            Refused: It has a tactic that is not known, an option that Lean would evaluate, or an unclear end.
        """
        at = 0
        while at < len(self._tokens):
            at = self._token(at)
        for frame in self._stack:
            if frame.unfinished or (frame.kind == "bracket" and frame.opened):
                raise Refused(
                    f"refused: `{frame.opened or '|'}` is left open, expected its end in the same text"
                )

    # One token. Each returns the number of the next one.

    def _token(self, at: int) -> int:
        token = self._tokens[at]
        if not self._expected and token.first:
            self._line(at)
        if not token.quoted and token.text in ("open", "set_option"):
            end = self._prefix_end(at)
            if end is not None:
                if self._expected and self._stack[-1].column < 0:
                    self._stack[-1].column = token.column
                self.prefixes.update(range(at, end))
                return end
        if self._commands is not None and not token.quoted and token.text in self._commands:
            self._command(token)
            return at + 1
        if self._expected:
            return self._tactic(at)
        return self._term(at)

    def _command(self, token: Token) -> None:
        if any(frame.awaiting or (frame.kind == "bracket" and frame.opened) for frame in self._stack):
            raise Refused(f"refused: `{token.text}` stands inside brackets or a pattern, expected a command")
        del self._stack[1:]
        self._expected = False

    def _tactic(self, at: int) -> int:
        token, block = self._tokens[at], self._stack[-1]
        if block.column < 0:
            block.column = token.column
        text = token.text
        before = self._text(at - 1)
        if text in ("·", "."):
            self._open_block(block.conv)
        elif text in ("(", "{"):
            self._refuse_if_option(at)
            block.head, block.options = -1, False
            self._stack.append(_Frame("bracket", tactic=True, opened=text))
            self._open_block(block.conv)
        elif text == "[" and before == "<;>":
            block.head, block.options = -1, False
            self._stack.append(_Frame("bracket", tactic=True, opened=text, several=True))
            self._open_block(block.conv)
        elif text in (";", "<;>") and at and (text == ";" or len(self._stack) == 1):
            pass
        elif text in _CLOSING:
            self._expected = False
            return self._term(at)
        elif (text in ("_", "?") or text == "sorry") and before in ("=>", "↦"):
            self._expected, block.head = False, -1
        elif token.kind == "word" and not token.quoted:
            return self._head(at, block)
        else:
            raise Refused(f"refused: got {text!r}, expected a tactic")
        return at + 1

    def _head(self, at: int, block: _Frame) -> int:
        word = self._tokens[at].text
        head = word if word in KNOWN else word.rstrip("?!")
        known = head in (CONVERSIONS if block.conv else KNOWN)
        if not known and self._allowed.isdisjoint((word, head)):
            raise Refused(
                f"refused: `{word[:60]}` is no tactic that the filter knows{' inside `conv`' if block.conv else ''}, "
                "expected one; on real Lean a tactic is a program: to allow one that runs nothing, name it in the "
                "backend's option allow_tactics"
            )
        self._expected = False
        block.head, block.options, block.patterns = at, True, head == "obtain"
        if head in SEQUENCE or (block.conv and head in ("repeat", "try", "focus")):
            at += head == "iterate" and self._kind(at + 1) == "number"
            self._open_block(block.conv)
        elif head in ALTERNATIVES:
            if self._text(at + 1) != "|":
                raise Refused(f"refused: got {self._text(at + 1)!r} after `{word}`, expected `|`")
            self._stack.append(_Frame("arms", tactic=True, first=1))
        elif head in ("tactic", "tactic'", "equals") and block.conv:
            self._stack.append(_Frame("arrow", tactic=True))
        elif head in BEFORE_ARROW or head in CONV:
            self._stack.append(_Frame("arrow", tactic=True, conv=block.conv or head in CONV))
        elif head == "in" and block.conv:
            self._stack.append(_Frame("arrow", tactic=True, conv=True))
        elif head == "rename":
            self._stack.append(_Frame("arrow"))
        elif head in ARMS:
            self._stack.append(_Frame("match", tactic=True, goals=head != "match"))
        elif head == "calc":
            self._open_calc(at)
        elif head == "trace":
            self._check_message(at)
        return at + 1

    def _check_message(self, at: int) -> None:
        """Refuse `trace e` unless `e` is a string and nothing else: Lean evaluates it."""
        after = self._tokens[at + 2] if at + 2 < len(self._tokens) else None
        columns = [frame.column for frame in self._open_frames() if frame.kind == "block"]
        ends = (
            after is None or after.text in _SEPARATORS or after.text in _CLOSING or after.text in (",", "|")
        )
        ends = ends or (
            after is not None and after.first and after.kind == "word" and after.column in columns
        )
        if self._kind(at + 1) != "string" or self._text(at + 1)[0] != '"' or not ends:
            raise Refused(
                "refused: Lean would evaluate the message of `trace`, expected a string in quotation marks"
            )

    def _term(self, at: int) -> int:
        token = self._tokens[at]
        text = token.text
        if self._stack[-1].kind == "block" and self._stack[-1].options:
            end = self._options(at)
            if end is not None:
                return end
        self._patterns(at)
        if token.kind == "word":
            if not token.quoted:
                return self._word(at)
        elif text in _OPENING:
            rules = text == "(" and self._text(at + 1) in ("add", "erase") and self._head_is("aesop")
            self._stack.append(_Frame("bracket", opened=text, rules=rules))
        elif text in _CLOSING:
            self._close(token)
        elif text in _FUN:
            self._fun(at)
        elif text in ("=>", "↦"):
            self._arrow()
        elif text == "|":
            self._bar(at)
        elif text in _SEPARATORS:
            self._separator(token)
        elif text == ",":
            self._comma()
        return at + 1

    def _word(self, at: int) -> int:
        word = self._tokens[at].text
        frame = self._stack[-1]
        if frame.kind == "bracket" and frame.rules:
            if word in ("tactic", "simproc"):
                raise Refused(f"refused: the rule builder `{word}` runs a program, expected another one")
            if word == "unsafe" and self._text(at - 1) in ("add", ","):
                self.rules.add(at)
        if word in _BY or (word == "says" and self._block() is not None):
            self._open_block(conv=False)
        elif word in _FUN:
            self._fun(at)
        elif word == "match":
            self._stack.append(_Frame("match"))
        elif word == "with":
            self._with(at)
        elif word == "calc":
            self._open_calc(at)
        elif word in _LET:
            self._stack.append(_Frame("let", first=self._tokens[at].line))
        return at + 1

    # What words and marks do.

    def _open_block(self, conv: bool) -> None:
        self._stack.append(_Frame("block", conv=conv))
        self._expected = True

    def _open_calc(self, at: int) -> None:
        first = self._tokens[at + 1].column if at + 1 < len(self._tokens) else 0
        self._stack.append(_Frame("calc", first=first))

    def _fun(self, at: int) -> None:
        self._stack.append(_Frame("arms") if self._text(at + 1) == "|" else _Frame("fun"))

    def _with(self, at: int) -> None:
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind in ("bracket", "block"):
                if frame.kind == "block" and self._head_is("rcases"):
                    frame.patterns = True
                return
            if frame.kind == "match":
                del self._stack[place:]
                self._stack.append(_Frame("arms", tactic=frame.tactic, goals=frame.goals))
                if frame.tactic and self._text(at + 1) != "|":
                    self._open_block(conv=False)
                return

    def _arrow(self) -> None:
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind in ("fun", "arrow"):
                del self._stack[place:]
                if frame.tactic:
                    self._open_block(frame.conv)
                return
            if frame.kind == "arms" and frame.awaiting:
                del self._stack[place + 1 :]
                frame.awaiting = False
                if frame.tactic:
                    self._open_block(conv=False)
                return
            if frame.kind == "bracket" and not frame.opened and self._commands is not None:
                return  # the arm of a definition
            if frame.kind in ("bracket", "block", "match"):
                break
        raise Refused("refused: got `=>` without `fun`, `match`, `case` or the like in front, expected one")

    def _bar(self, at: int) -> None:
        token = self._tokens[at]
        block = self._block()
        if (
            token.first
            and block is self._stack[-1]
            and self._needs_equations(block.head, at)
            and not self._is_norm(at)
        ):
            self._stack.append(_Frame("arms", column=token.column, awaiting=True))
            return
        if block is not None and block.patterns and not token.first and self._stack[-1] is block:
            return
        if block is not None and block.head == at - 1 and self._head_is("intro"):
            raise Refused("refused: got `|` after `intro`, expected names; use `match` for alternatives")
        crossed = skipped = False
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind == "bracket" or (frame.kind == "arrow" and place == len(self._stack) - 1):
                break
            crossed = crossed or frame.kind == "block"
            if frame.kind != "arms" or (frame.column >= 0 and token.column < frame.column):
                skipped = skipped or (frame.kind == "arms" and frame.tactic)
                continue
            if (
                frame.first < 0
                and not frame.awaiting
                and frame.column >= 0
                and not token.first
                and self._is_norm(at)
            ):
                return
            if crossed and not self._complete(at - 1):
                raise Refused("refused: got `|` where a term goes on, expected brackets around it")
            if block is not None and block.patterns and block in self._stack[place:]:
                raise Refused(
                    "refused: got `|` on the line after a pattern, expected brackets around the tactic"
                )
            del self._stack[place + 1 :]
            frame.column = token.column if frame.column < 0 else frame.column
            if frame.first >= 0:
                self._open_block(self._conv())
            else:
                frame.awaiting = True
            return
        if skipped:
            raise Refused("refused: got `|` further left than the first one, expected the same column")

    def _needs_equations(self, head: int, at: int) -> bool:
        """Return whether `let f : t` stands before `at` without a `:=`, so that only equations can follow."""
        if head < 0 or self._text(head) not in _EQUATIONS:
            return False
        depth = 0
        for text in (token.text for token in self._tokens[head:at]):
            depth += (text in _OPENING) - (text in _CLOSING)
            if text == ":=" and not depth:
                return False
        return True

    def _is_norm(self, at: int) -> bool:
        """Return whether `|x|` stands there: no space behind the first mark, none before the second."""
        token = self._tokens[at]
        after = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        opens = after is not None and after.start == token.start + 1
        before = self._tokens[at - 1]
        closes = before.start + len(before.text) == token.start
        step = 1 if opens and not closes else -1 if closes and not opens else 0
        other = at + step
        while step and 0 <= other < len(self._tokens) and self._tokens[other].line == token.line:
            text = self._tokens[other].text
            if text in ("=>", "↦") or text in _SEPARATORS or text in _BY:
                return False
            if text == "|":
                return True
            other += step
        return False

    def _separator(self, token: Token) -> None:
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind == "let" and token.text == ";" and frame.first == token.line:
                del self._stack[place:]
                return
            if frame.kind == "block":
                del self._stack[place + 1 :]
                frame.head, frame.options, frame.patterns = -1, False, False
                self._expected = True
                return
            if frame.awaiting or frame.kind in ("fun", "arrow"):
                break
            if frame.kind == "bracket":
                if token.text == ";":
                    return
                break
        raise Refused(f"refused: got `{token.text}` where a term or a pattern goes on, expected its end")

    def _comma(self) -> None:
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place].kind == "bracket":
                if self._stack[place].several:
                    del self._stack[place + 1 :]
                    self._open_block(self._conv())
                return

    def _close(self, token: Token) -> None:
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.unfinished:
                break
            if frame.kind == "bracket":
                if frame.opened != _CLOSING[token.text]:
                    break
                del self._stack[place:]
                return
        raise Refused(
            f"refused: got `{token.text}` without `{_CLOSING[token.text]}` in the same text, expected it"
        )

    def _patterns(self, at: int) -> None:
        """End the patterns of `rcases ... with` and `obtain` at the first token that belongs to none."""
        block = self._stack[-1]
        if block.kind != "block" or not block.patterns:
            return
        token = self._tokens[at]
        if token.kind == "word" or token.text in _OPENING:
            # After a whole pattern another one needs `|` in between.
            if at - 1 != block.head and self._text(at - 1) not in ("|", "with", "-", "@"):
                block.patterns = False
        elif token.text not in ("|", "-", "@") and token.text not in _CLOSING:
            block.patterns = False

    # Options.

    def _options(self, at: int) -> int | None:
        """Read the options behind a head; return `None` where none stands."""
        text = self._text(at)
        if text == "(" and option_name(self._tokens, at) is not None:
            name = option_name(self._tokens, at)
            if name in TACTIC_VALUES:
                self._stack.append(_Frame("bracket", tactic=True, opened="("))
                self._open_block(conv=False)
                return at + 3
            end = literal_end(self._tokens, at)
            if end is None:
                self._refuse_if_option(at)
            return end
        if text in ("+", "-") and self._kind(at + 1) == "word":
            if is_native(self._text(at + 1)):
                raise Refused(
                    "refused: with the option `native` Lean compiles and runs the goal, expected `decide`"
                )
            return at + 2
        rules = text == "(" and self._text(at + 1) in ("add", "erase")
        if not (
            rules
            or text in ("only", "*", "!", "?", "←", "[")
            or self._kind(at) == "number"
            or text in _CLOSING
        ):
            self._stack[-1].options = False
        return None

    def _refuse_if_option(self, at: int) -> None:
        name = option_name(self._tokens, at)
        if name is not None:
            raise Refused(
                f"refused: Lean would evaluate the value of the option `{name}`, expected a literal: a number, true, "
                "false, a string, a constructor with a dot in front, or { ... } of these"
            )

    # Lines.

    def _line(self, at: int) -> None:
        """Find what a new line belongs to. It may be the next tactic of a block."""
        token = self._tokens[at]
        if token.text == "|" or token.text in _CLOSING or token.text in _SEPARATORS:
            return
        for frame in self._open_frames():
            if frame.goals and token.column <= frame.column:
                frame.awaiting = False  # a pattern goes on only further right
        if any(frame.awaiting for frame in self._open_frames()) and token.text not in ("=>", "↦"):
            raise Refused("refused: a pattern behind `|` goes on in the next line, expected `=>` on its line")
        block = self._block()
        left = block is not None and block.options and token.column <= block.column
        if left and token.text == "(" and literal_end(self._tokens, at) is None:
            # Options may stand further left than their tactic, in versions that do not look at the column.
            self._refuse_if_option(at)
            if self._text(at + 1) in ("add", "erase"):
                raise Refused(
                    "refused: got an option further left than its tactic, expected it further right"
                )
        if token.text == "_":
            self._calc_step(at)
        elif (
            (token.quoted or token.text not in _NEVER_FIRST)
            and not self._before_term(at - 1)
            and (token.kind == "word" or token.text in ("·", ".", "#") or token.text in _OPENING)
        ):
            self._next_tactic(at)

    def _before_term(self, at: int) -> bool:
        return self._text(at) in _BEFORE_TERM or (self._text(at) == "calc" and not self._tokens[at].quoted)

    def _open_frames(self) -> list[_Frame]:
        """Return the frames down to the nearest bracket."""
        frames: list[_Frame] = []
        for frame in reversed(self._stack):
            if frame.kind == "bracket":
                break
            frames.append(frame)
        return frames

    def _calc_step(self, at: int) -> None:
        column = self._tokens[at].column
        if not self._complete(at - 1):
            return
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind == "calc" and (frame.column < 0 or frame.column <= column):
                frame.column = column if frame.column < 0 else frame.column
                del self._stack[place + 1 :]
                return
            if frame.kind == "bracket" or (frame.kind == "block" and column > frame.column):
                return
            if frame.kind == "arms" and not frame.tactic and column > frame.column:
                return

    def _next_tactic(self, at: int) -> None:
        token = self._tokens[at]
        column = token.column
        starts = token.kind == "word" or token.text in ("·", ".", "(", "{", "#")
        left = False
        certain = self._complete(at - 1)
        # At the column of a block a term that could go on is read as a tactic.
        aligned = any(frame.kind == "block" and frame.column == column for frame in self._open_frames())
        for place in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[place]
            if frame.kind == "bracket":
                return
            if frame.kind == "block":
                if column == frame.column:
                    if not starts:
                        return
                    if left and not certain:
                        raise Refused(
                            f"refused: the line of `{token.text}` may continue a deeper block, expected the end of "
                            "that block to be clear: put brackets around it"
                        )
                    del self._stack[place + 1 :]
                    frame.head, frame.options, frame.patterns = -1, False, False
                    self._expected = True
                    return
                if column > frame.column:
                    if left and certain:
                        del self._stack[place + 1 :]
                    return
                left = True
            elif frame.kind == "arms":
                if not frame.tactic and 0 <= frame.column < column and not aligned:
                    return
                certain = certain and frame.column >= 0
            elif frame.kind == "calc":
                if not aligned and (
                    0 <= frame.column < column or (frame.column < 0 and column > frame.first)
                ):
                    return
                certain = certain and frame.column > column
            elif frame.kind in ("fun", "arrow"):
                certain = False
        raise Refused(
            f"refused: the line of `{token.text}` stands further left than its block, expected the column of the block"
        )

    def _complete(self, at: int) -> bool:
        """Return whether a term or tactic may end with a token, and cannot go on in a line further left."""
        if at < 0:
            return True
        token = self._tokens[at]
        if token.kind in ("number", "string") or token.text in _COMPLETE:
            return True
        if token.kind == "symbol":
            return token.text == "*" and self._text(at - 1) == "at"
        if token.quoted:
            return True
        heads = [frame.head for frame in self._stack if frame.kind == "block"]
        return token.text not in _GOES_ON and not (
            at in heads and token.text.rstrip("?!") in WITH_ARGUMENTS | ARMS
        )

    def _prefix_end(self, at: int) -> int | None:
        """Return the place behind `open A B in` or `set_option o v in`; `None` where it may not stand."""
        end = at + 1
        if self._text(at) == "set_option":
            option = self._text(end)
            plain = self._kind(end) == "word" and option.split(".")[0] in _LIMITS
            value = self._kind(end + 1) == "number" or self._text(end + 1) in ("true", "false")
            return end + 3 if plain and value and self._text(end + 2) == "in" else None
        end += self._text(end) == "scoped"
        begin = end
        while self._kind(end) == "word" and self._text(end) not in (
            "in",
            "open",
            "set_option",
            "renaming",
            "scoped",
        ):
            parts = self._text(end).split(".")
            if self._tokens[end].quoted or not self._not_opened.isdisjoint(parts):
                return None
            end += 1
        if end > begin and self._text(end) == "(":
            end += 1
            while self._kind(end) == "word" and not self._tokens[end].quoted:
                end += 1
            if self._text(end) != ")":
                return None
            end += 1
        if at and self._text(at - 1) == "in" and at - 1 not in self.prefixes:
            return None  # after the `in` of something else these would be commands
        return end + 1 if end > begin and self._text(end) == "in" else None

    # Small questions.

    def _block(self) -> _Frame | None:
        """Return the innermost block in the present brackets."""
        return next((frame for frame in self._open_frames() if frame.kind == "block"), None)

    def _conv(self) -> bool:
        return next((frame.conv for frame in reversed(self._stack) if frame.kind == "block"), False)

    def _head_is(self, head: str) -> bool:
        block = self._block()
        return block is not None and block.head >= 0 and self._text(block.head).rstrip("?!") == head

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _kind(self, at: int) -> str:
        return self._tokens[at].kind if 0 <= at < len(self._tokens) else ""
