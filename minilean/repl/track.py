"""`frontend.track`: check that one file completes another without changing its statements.

Every constant of `src` has to be in `dst` with the same universe parameters, the same type and, unless it was a
`sorry`, the same value; `dst` may add definitions and theorems, but no axiom and no `sorry`, not even through a
constant of the session's environment. The comparison is between elaborated terms that the kernel has accepted, so
that neither notation nor comments nor names can disguise a statement.

Source: Pantograph `Pantograph/Environment.lean` (`checkEnvConflicts`), 0.3.15, which follows axioms no further than
the constants of `dst` themselves.
"""

from __future__ import annotations

from minilean.elab.sorry import SORRY, declared_with_sorry, mentions_sorry
from minilean.kernel.declaration import (
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    TheoremDecl,
)
from minilean.kernel.expr import Const, mk_const
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.library import library
from minilean.meta.extension import LeanEnv
from minilean.repl.compile import Compiled, compile_text
from minilean.repl.distil import value_of
from minilean.repl.session import Session
from minilean.repl.wire import Fields, Json


def frontend_track(session: Session, fields: Fields) -> Json:
    """`frontend.track`: the messages of both files, or the reason why `dst` does not complete `src`."""
    src_text, dst_text = fields.text("src"), fields.text("dst")
    src, dst = compile_text(session, src_text), compile_text(session, dst_text)
    if src.errors or dst.errors:
        return {"srcMessages": src.messages, "dstMessages": dst.messages}
    answer: Json = {"srcMessages": [], "dstMessages": []}
    failure = conflict(library(), src, dst)
    return answer if failure is None else {**answer, "failure": failure}


def conflict(base: LeanEnv, src: Compiled, dst: Compiled) -> str | None:
    """Return the reason why `dst` does not complete `src`; `None` if it does."""
    promised = _binding(src)
    axioms = _axioms_of_library(base) | {name for name, decl in promised.items() if isinstance(decl, Axiom)}
    for name, decl in dst.constants().items():
        if mentions_sorry([decl.type]):
            return f"Definition type has sorry: {name}"
        if declared_with_sorry(decl):
            return f"Definition value has sorry: {name}"
        if name in promised:
            if (problem := _clash(promised.pop(name), decl)) is not None:
                return f"{problem} of {name}"
        elif isinstance(decl, Axiom):
            return f"Adding axiom is not allowed: {name}"
        levels = tuple(mk_param(param) for param in decl.level_params)
        used = set(dst.env.kernel.axioms_of(mk_const(name, levels))) - axioms
        if SORRY in used:
            return f"Definition value has sorry: {name}"
        if used:
            return f"Adding axiom is not allowed: {min(used)}"
    if promised:
        return f"[{', '.join(promised)}] not accounted for"
    return None


def _binding(src: Compiled) -> dict[str, Declaration]:
    """Return the declarations of `src` that `dst` must have: the named ones and the auxiliary ones they mention.

    The matcher in a statement is part of the statement; the equations of a definition that is a `sorry` are not.
    """
    everything = src.constants()
    binding = src.named()
    todo = list(binding.values())
    while todo:
        decl = todo.pop()
        parts = [decl.type] if declared_with_sorry(decl) else [decl.type, value_of(decl)]
        for constant in (e for part in parts for e in subterms(part) if type(e) is Const):
            other = everything.get(constant.name)
            if other is not None and other.name not in binding:
                binding[other.name] = other
                todo.append(other)
    return binding


def _axioms_of_library(base: LeanEnv) -> set[str]:
    names = (name for name in base.kernel if isinstance(base.find(name), Axiom))
    return set(names) - {SORRY}


def _clash(src: Declaration, dst: Declaration) -> str | None:
    """Return the difference between a declaration of `src` and that of `dst`, `None` if there is none."""
    if not alpha_eq(src.type, dst.type):
        return "Type clash"
    if src.level_params != dst.level_params:
        return "Level param clash"
    if type(src) is not type(dst) or not _same_content(src, dst):
        return "Definition clash"
    return None


def _same_content(src: Declaration, dst: Declaration) -> bool:
    if isinstance(src, (Definition, TheoremDecl)) and isinstance(dst, (Definition, TheoremDecl)):
        if declared_with_sorry(src):
            return True
        return src.value is not None and dst.value is not None and alpha_eq(src.value, dst.value)
    if isinstance(src, Inductive) and isinstance(dst, Inductive):
        return (src.num_params, src.constructors) == (dst.num_params, dst.constructors)
    if isinstance(src, Constructor) and isinstance(dst, Constructor):
        return src.inductive == dst.inductive
    return True
