"""Command runner: each command succeeds as a whole or changes nothing.

Source: Lean 4 `src/Lean/Elab/Command.lean`, `BuiltinCommand.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from minilean.commands.attributes import add_attributes
from minilean.commands.command_state import CommandState
from minilean.commands.declarations import declare
from minilean.commands.derived import derive_instances
from minilean.commands.guard_msgs import Note, in_order, judged
from minilean.commands.inductive import declare_inductives
from minilean.commands.mentioned import add_mentioned
from minilean.commands.mutual import declare_mutual
from minilean.commands.queries import answer
from minilean.commands.scope_commands import run_open, run_scope
from minilean.commands.section_variables import add_variables, include_variables, omit_variables
from minilean.commands.structure_command import declare_structure
from minilean.elab.binders import push_binders
from minilean.elab.macros import Rule, own_pattern, rule
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope, resolve_exact
from minilean.elab.options import is_unknown, warning_about
from minilean.elab.sorry import USES_SORRY
from minilean.elab.term import Elab
from minilean.elab.user_notation import expansion, unexpansion
from minilean.kernel.declaration import Inductive
from minilean.kernel.errors import DeepRecursion, KernelError
from minilean.kernel.interning import fresh_id
from minilean.meta.errors import MetaError, UnsupportedError, message_of, messages_of
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
        if isinstance(command, ast.Decl):
            declare(self, command)
        elif isinstance(command, ast.InductiveCmd):
            declare_inductives(self, [command])
        elif isinstance(command, ast.MutualCmd):
            declare_mutual(self, command)
        elif isinstance(command, ast.StructureCmd):
            declare_structure(self, command)
        elif isinstance(command, ast.VariableCmd):
            add_variables(self, command.binders)
        elif isinstance(command, ast.ScopeCmd):
            run_scope(self, command)
        elif isinstance(command, ast.AttributeCmd):
            for name in command.names:
                full = resolve_exact(self.env, self.scope, name)
                if full is None:
                    raise unknown(self.env, self.scope, name, f"Unknown constant `{name}`")
                add_attributes(self, full, command.attrs)
        elif isinstance(command, ast.DerivingCmd):
            for name in command.types:
                full = resolve_exact(self.env, self.scope, name)
                if full is None:
                    raise unknown(self.env, self.scope, name, f"Unknown constant `{name}`")
                if not isinstance(self.env.find(full), Inductive):
                    # Lean has `DecidableEq` here as the definition that it is.
                    class_ = {"DecidableEq": "Decidable"}.get(command.classes[0], command.classes[0])
                    raise MetaError(
                        f"Failed to delta derive `{class_}` instance for `{name}`, the class has no explicit "
                        f"non-out-param parameters where\n  {name}\ncan be inserted."
                    )
                derive_instances(self, full, command.classes)
        elif isinstance(command, ast.InitQuot):
            self.env.kernel.add_quot()
        elif isinstance(command, ast.OpenCmd):
            run_open(self, command)
        elif isinstance(command, ast.InCmd):
            self._in(command)
        elif isinstance(command, ast.NotationCmd):
            meaning = expansion(self.env, self.scope, command)
            shown = unexpansion(self.env, self.scope, command)
            key = f"{command.name} {fresh_id()}"
            self._add_syntax(command.scope, lambda s: s.with_notation(command, key, meaning, shown))
        elif isinstance(command, ast.SetOption):
            warning = warning_about(command.name, command.value, by_command=True)
            if warning is not None:
                if self.report is None and is_unknown(command.name):
                    raise MetaError(warning)  # outside of a file there is no report for a warning
                self.say("warning", warning)
            options = (*self.scope.options, (command.name, command.value))
            self.scopes[-1] = replace(self.scope, options=options)
        elif isinstance(command, ast.VarsCmd):
            if command.kind == "omit":
                omit_variables(self, command.names)
            else:
                include_variables(self, command.names)
        elif isinstance(command, ast.Hash):
            el = self.elaborator((), auto_bound=not self.trusted)
            push_binders(el, self.scope.variables)
            el.auto_bound = False
            self._query(el, command)
        elif isinstance(command, ast.MacroCmd):
            self._add_macro(command)
        elif isinstance(command, ast.SyntaxCmd):
            key = f"{command.name} {fresh_id()}"
            self._add_syntax(command.scope, lambda s: s.with_syntax(command, key))
        elif isinstance(command, ast.MacroRules):
            rules: dict[str, tuple[Rule, ...]] = {}
            for pattern, template in command.rules:
                found = rule(self.env, self.scope, pattern.args, template, command.scope == "local")
                rules[pattern.key] = (*rules.get(pattern.key, ()), found)
            self._add_syntax(command.scope, lambda s: s.with_macro_rules(rules))
        else:
            raise UnsupportedError(f"the command {type(command).__name__}")

    def _add_macro(self, command: ast.MacroCmd) -> None:
        syntax, template, where = command.syntax, command.template, command.scope
        pattern = own_pattern(syntax)
        if not pattern and isinstance(template, ast.TacSeq):
            self._add_syntax(where, lambda s: s.with_block(syntax, template))
            return
        key = f"{syntax.name} {fresh_id()}"
        rules = {key: (rule(self.env, self.scope, pattern, template, where == "local"),)}
        self._add_syntax(where, lambda s: s.with_syntax(syntax, key).with_macro_rules(rules))

    def _add_syntax(self, where: str, change: Callable[[Scope], Scope]) -> None:
        """Add a notation or macro: everywhere, in this scope (`local`) or where its namespace is open (`scoped`)."""
        space = self.scope.namespace
        if where != "scoped":
            self.change_scopes(change, all_=not where)
        elif not space:
            raise MetaError("scoped attributes must be used inside namespaces")
        else:
            self.env.notations[space] = (*self.env.notations.get(space, ()), change)
            self.scopes[:] = [
                change(s) if f"{s.namespace}.".startswith(f"{space}.") else s for s in self.scopes
            ]

    def _query(self, el: Elab, command: ast.Hash) -> None:
        if command.kind == "check_failure":
            try:
                answer(el, command)
            except (MetaError, KernelError) as error:
                self.say("info", message_of(error), getattr(error, "position", None))
                return
            raise MetaError("unexpected success")
        try:
            text = answer(el, command)
        except MetaError as error:
            if all(text != USES_SORRY for _, text, _ in self.log):
                raise
            # the error of the evaluation comes before the warning about `sorry`
            for text, position, _ in messages_of(error):
                self.say("error", text, position)
            return
        if text:
            self.say("info", text)

    def _guarded(self, guard: ast.GuardMsgs, command: ast.Command) -> None:
        """Run `#guard_msgs in command`."""
        notes: list[Note] = []
        outer, self.report = self.report, lambda *note: notes.append(Note(*note))
        try:
            self.run(command)
        except (MetaError, KernelError, DeepRecursion) as error:
            notes += [Note("error", message, position) for message, position, _ in messages_of(error)]
        finally:
            self.report = outer
        passed, mismatch = judged(guard, notes, self.scope.option("guard_msgs.diff", "true") != "false")
        for note in passed:
            self.say(*note)
        if mismatch is not None:
            raise MetaError(mismatch)

    def _in(self, command: ast.InCmd) -> None:
        """Run `c in d`: the effect of `c` ends after `d`."""
        if isinstance(command.first, ast.GuardMsgs):
            self._guarded(command.first, command.second)
            return
        depth = len(self.scopes)
        self.push_scope()
        try:
            self.run(command.first)
            self.run(command.second)
        finally:
            self.pop_scopes(len(self.scopes) - depth)


def _command_word(command: ast.Command) -> str:
    if isinstance(command, ast.Hash):
        return f"#{command.kind}"
    return "set_option"
