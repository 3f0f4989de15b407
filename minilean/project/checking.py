"""Run of a file in which a theorem whose proof is refused is declared all the same, as in Lean.

What uses it then gives no second error. It is declared by the axiom of `sorry`, which the kernel counts among the
axioms of the theorem and of everything that uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.elab.names import Scope
from minilean.elab.sorry import SORRY, stated
from minilean.kernel.declaration import TheoremDecl
from minilean.kernel.expr import mk_const
from minilean.kernel.fuel import deep_stack
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.project.declared import THEOREMS
from minilean.project.modules import SourceFile
from minilean.project.running import FileRunner, Report
from minilean.syntax import ast
from minilean.tactics.state import run_nested


@dataclass(frozen=True, slots=True)
class Account:
    """The theorems of a file, by their full names, in order.

    Attributes:
        proved: Those that the kernel accepted, and all that they use.
        refused: Those that were refused.
        resting: The others: they use `sorry` or a refused theorem.
    """

    proved: tuple[str, ...]
    refused: tuple[str, ...]
    resting: tuple[str, ...]

    def text(self) -> str:
        """Return the account in one line."""
        parts = [
            f"{len(self.proved)} of {sum(map(len, (self.proved, self.refused, self.resting)))} theorems are proved"
        ]
        if self.refused:
            parts.append(f"refused: {', '.join(self.refused)}")
        if self.resting:
            parts.append(f"proved from `sorry` or a refused theorem: {', '.join(self.resting)}")
        return "; ".join(parts)


class CheckingRunner(FileRunner):
    """Runs the commands of one file, and declares theorems whose proof was refused.

    Attributes:
        theorems_refused: The full names of those theorems and of those whose statement was refused.
    """

    theorems_refused: tuple[str, ...] = ()

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole."""
        if isinstance(command, ast.Decl) and command.kind == "lemma":
            raise MetaError(
                "unexpected identifier; expected command\n\nHint: `lemma` belongs to Mathlib; use `theorem`"
            )
        super().run(command, source)

    def refused(self, command: ast.Command, text: str) -> None:
        """Declare what is a theorem without its proof; other declarations are missing."""
        theorem = stated(command)
        if theorem is not None and self.env.find(SORRY) is not None:
            report, self.report = self.report, lambda *_: None
            try:
                with deep_stack():
                    self.run(theorem, text)
            except Exception:
                pass  # its statement is refused too, and was reported
            finally:
                self.report = report
        super().refused(command, text)

    def miss(self, name: str, kind: str, text: str, offset: int) -> None:
        """Record that a declaration was refused; it is missing, unless it is a theorem declared all the same."""
        if kind in THEOREMS:
            self.theorems_refused += (name,)
        super().miss(name, kind, text, offset)

    def account(self) -> Account:
        """Return what became of the theorems of the file so far."""
        refused = dict.fromkeys(self.theorems_refused)
        others = [
            name
            for name, _ in self.written
            if name not in refused and isinstance(self.env.find(name), TheoremDecl)
        ]
        resting = tuple(name for name in others if _rests_on_sorry(self.env, name))
        return Account(tuple(name for name in others if name not in resting), tuple(refused), resting)


def checking_runner(source: SourceFile, env: LeanEnv, scope: Scope, report: Report) -> CheckingRunner:
    """Return the runner of a file."""
    runner = CheckingRunner(env, run_nested, scope=scope, report=report)
    runner.path = source.path
    return runner


def _rests_on_sorry(env: LeanEnv, name: str) -> bool:
    return SORRY in env.kernel.axioms_of(mk_const(name))
