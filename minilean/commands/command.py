"""Command runner: each command succeeds as a whole or changes nothing.

Source: Lean 4 `src/Lean/Elab/Command.lean`, `BuiltinCommand.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import HANDLERS, CommandState
from minilean.commands.guard_msgs import in_order
from minilean.commands.mentioned import add_mentioned
from minilean.meta.errors import UnsupportedError
from minilean.syntax import ast


class CommandRunner(CommandState):
    """Runs commands one after another on an environment and a scope."""

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole; `source` is the text from which it was parsed, for messages.

        Raises:
            MetaError: The command was refused; environment and scopes are as before.
        """
        self.source = source or self.source
        env, scopes = self.env, list(self.scopes)
        outer, self.log = self.log, []
        work = self.env = env.child()
        work.memo = env.memo
        try:
            if not self.trusted:
                add_mentioned(self, command)
            self._run(command)
        except BaseException:
            env.memo.clear()  # it may mention declarations that are dropped here
            self.scopes[:] = scopes
            raise
        finally:
            self.env = env
            notes, self.log = self.log, outer
            for note in in_order(
                notes, isinstance(command, ast.Decl) and command.kind in ("theorem", "lemma")
            ):
                self.say(*note)
        if isinstance(command, ast.Decl) and command.kind == "example":
            env.memo.clear()
        else:
            env.adopt(work)

    def _run(self, command: ast.Command) -> None:
        if self.report is None and not self.trusted and isinstance(command, ast.Hash | ast.GuardMsgs):
            # there is no report for its message
            raise UnsupportedError(f"the command `{_command_word(command)}` outside of a file")
        handler = HANDLERS.get(type(command))
        if handler is None:
            raise UnsupportedError(f"the command {type(command).__name__}")
        handler(self, command)


def _command_word(command: ast.Command) -> str:
    if isinstance(command, ast.Hash):
        return f"#{command.kind}"
    return "set_option"
