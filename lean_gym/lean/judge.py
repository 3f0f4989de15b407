"""Lean's verdict on a proof that another process found: the statement is elaborated here, the proof arrives as terms.

The process that judges never sees the text of a tactic. It elaborates the statement with `sorry` for its proof, checks
the constants of the proof in its own environment by Lean's kernel, compares what they declare with what the statement
promises, and lists the axioms.

Source: Lean 4 `src/Lean/Util/CollectAxioms.lean`, `src/Lean/Declaration.lean` (4.35).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lean_gym.lean.export import (
    AXIOM,
    HEAD,
    INDUCTIVE,
    LEVEL_PARAMS,
    TYPE,
    VALUE,
    Exporter,
    Name,
    NotWritten,
    added_constants,
    constants_in,
    terms_of,
)
from lean_gym.lean.frontend import Frontend, StatementError, has_constant
from lean_gym.lean.kernel import ExportError, LeanKernel, Rejected, shown_name
from lean_gym.lean.objects import Address
from lean_gym.lean.values import Value

_CONSTRUCTORS: Final = 4
"""Field of an inductive type with the names of its constructors."""
_SORRY: Final = ("sorryAx",)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The finding of Lean about a proof.

    Attributes:
        problem: Why it proves nothing; `None` where there is no objection but perhaps to an axiom.
        axioms: The axioms of the theorem, sorted.
    """

    problem: str | None
    axioms: tuple[str, ...] = ()


def exported(
    frontend: Frontend, text: str, theorem: str = "", given: Collection[str] = ()
) -> tuple[str | None, str]:
    """Return why a file proves nothing, and rows of lean4export's format: what its last command adds, or a theorem.

    Args:
        frontend: Lean with its environment.
        text: The file, the statement with its proof last.
        theorem: The name of a theorem that is to be written with all that it rests on; empty for what was added.
        given: Names of constants that are left out below a theorem, their components with dots between them.
    """
    compiled = frontend.compile(text)
    if compiled.errors:
        return compiled.errors[0], ""
    if not compiled.whole:
        return "the file ends by a command in the proof", ""
    lean = frontend.lean
    try:
        if theorem:
            root = lean.call("l_String_toName", lean.text_of(theorem))
            return None, Exporter(lean).below(compiled.env, root, given)
        return None, Exporter(lean).added(added_constants(lean, compiled.before, compiled.env))
    except NotWritten as error:
        return str(error), ""


class Judge:
    """Judges proofs.

    Args:
        frontend: Lean with its environment; it has compiled nothing but statements.
    """

    def __init__(self, frontend: Frontend) -> None:
        self._frontend = frontend
        self._lean = frontend.lean
        # Of the constants of the modules: the constants that each mentions, `None` for an axiom.
        self._mentioned: dict[Name, tuple[Name, ...] | None] = {}
        self._values: dict[Name, Value] = {}

    def judge(self, statement: str, rows: str) -> Judgement:
        """Judge a proof.

        Args:
            statement: The file with the statement last and `sorry` for its proof.
            rows: What the proof declares, from `exported`.

        Raises:
            StatementError: The statement does not compile.
        """
        lean = self._lean
        stated = self._frontend.compile(statement)
        if stated.errors:
            raise StatementError("\n".join(stated.errors))
        promised = added_constants(lean, stated.before, stated.env)
        if not promised.infos:
            raise StatementError("no goal to prove")
        # It is replaced by the environments that grow from it, hence a reference of its own.
        context = lean.call("lean_elab_environment_to_kernel_env", stated.before)
        kernel = LeanKernel(lean, lean.given(context.at))
        try:
            kernel.add(rows.splitlines())
        except (ExportError, Rejected) as error:
            return Judgement(f"Lean's kernel: {error}")
        axioms: set[Name] = set()
        for name, info in promised.infos.items():
            problem = self._difference(kernel, name, info)
            if problem is not None:
                return Judgement(f"{problem} of '{shown_name(lean.name(name))}'")
            axioms |= self._axioms(kernel, name)
        for axiom in axioms:
            # A name is no sign of what an axiom says: only those that were there before the proof may be permitted.
            if not has_constant(lean, stated.before, self._values[axiom]):
                return Judgement(f"the proof declares the axiom '{shown_name(axiom)}'")
        return Judgement(None, tuple(sorted(map(shown_name, axioms))))

    def _difference(self, kernel: LeanKernel, name: Address, promised: Address) -> str | None:
        """Return in what a constant of the proof differs from the promised one."""
        lean, info = self._lean, kernel.find(name)
        if info is None:
            return "the proof has no declaration"
        if lean.tag(info) != lean.tag(promised):
            return "the proof has another kind of declaration"
        ours, theirs = lean.field(promised, 0), lean.field(info, 0)
        head, other = lean.field(ours, HEAD), lean.field(theirs, HEAD)
        params = [
            [lean.name(param) for param in lean.items(lean.field(at, LEVEL_PARAMS))] for at in (head, other)
        ]
        types = lean.field(head, TYPE), lean.field(other, TYPE)
        if params[0] != params[1] or not lean("lean_expr_eqv", *types):
            return "the proof has another statement"
        value = lean.field(ours, VALUE)
        if _SORRY in constants_in(lean, [value]) or lean("lean_expr_eqv", value, lean.field(theirs, VALUE)):
            return None
        return "the proof has another value"

    def _axioms(self, kernel: LeanKernel, name: Address) -> set[Name]:
        """Return the axioms that a constant rests on. No record of Lean's elaborator is believed."""
        lean = self._lean
        own = lean.name(name)
        self._values[own] = lean.value(name)
        todo, seen = [own], {own}
        axioms: set[Name] = set()
        while todo:
            current = todo.pop()
            mentioned = (
                self._mentioned[current] if current in self._mentioned else self._look(kernel, current)
            )
            if mentioned is None:
                axioms.add(current)
                continue
            fresh = [other for other in mentioned if other not in seen]
            seen.update(fresh)
            todo += fresh
        return axioms

    def _look(self, kernel: LeanKernel, name: Name) -> tuple[Name, ...] | None:
        """Return the constants that a constant mentions; `None` for an axiom."""
        lean, value = self._lean, self._values[name]
        info = kernel.find(value.at)
        assert info is not None, "the kernel has checked what mentions it"
        mentioned: tuple[Name, ...] | None = None
        if lean.tag(info) != AXIOM:
            found = constants_in(lean, terms_of(lean, info))
            if lean.tag(info) == INDUCTIVE:
                made = lean.field(lean.field(info, 0), _CONSTRUCTORS)
                found |= {lean.name(each): lean.value(each) for each in lean.items(made)}
            self._values |= found
            mentioned = tuple(found)
        if has_constant(lean, self._frontend.env, value):
            self._mentioned[name] = mentioned
        return mentioned
