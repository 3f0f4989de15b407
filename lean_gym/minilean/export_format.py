"""lean4export's text format, version 2.0.0: declarations with everything they rest on, for independent kernels.

Names, levels and expressions are numbered lines in the order in which their parts come first; a declaration
follows those it mentions.

Source: `format.md` of leanprover/lean4export (2.0.0).
"""

from __future__ import annotations

from collections.abc import Iterable

from lean_gym.minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    OPAQUE_HEIGHT,
    Axiom,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
    TheoremDecl,
)
from lean_gym.minilean.kernel.environment import Environment
from lean_gym.minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    App,
    BVar,
    Const,
    Expr,
    Lam,
    Let,
    Lit,
    Pi,
    Proj,
    Sort,
    subterms,
)
from lean_gym.minilean.kernel.level import IMax, Level, Max, Param, Succ
from lean_gym.minilean.syntax.lexer import split_name

VERSION = "2.0.0"
_INFOS = {DEFAULT: "#BD", IMPLICIT: "#BI", STRICT: "#BS", INST: "#BC"}


class UnprovedError(ValueError):
    """A theorem whose proof is not at hand: it came from the library cache."""


def export_text(env: Environment, names: Iterable[str]) -> str:
    """The declarations `names` and all that they rest on.

    Raises:
        UnprovedError: A proof is missing: build the library anew instead of reading its cache.
    """
    writer = _Writer(env)
    for name in names:
        writer.declare(name)
    return "\n".join(writer.lines) + "\n"


class _Writer:
    def __init__(self, env: Environment) -> None:
        self.env = env
        self.lines = [VERSION]
        self._names: dict[str, int] = {"": 0}
        self._levels: dict[Level, int] = {}
        self._terms: dict[Expr, int] = {}
        self._rules = 0
        self._done: set[str] = set()

    def name(self, name: str) -> int:
        known = self._names.get(name)
        if known is not None:
            return known
        parts = split_name(name)
        parent = self.name(".".join(parts[:-1]))
        index = self._names[name] = len(self._names)
        self.lines.append(f"{index} #NS {parent} {parts[-1]}")
        return index

    def level(self, level: Level) -> int:
        known = self._levels.get(level)
        if known is not None:
            return known
        kind = type(level)
        if kind is Succ:
            text = f"#US {self.level(level.of)}"  # type: ignore[attr-defined]
        elif kind is Max or kind is IMax:
            word = "#UM" if kind is Max else "#UIM"
            text = f"{word} {self.level(level.left)} {self.level(level.right)}"  # type: ignore[attr-defined]
        elif kind is Param:
            text = f"#UP {self.name(level.name)}"  # type: ignore[attr-defined]
        else:
            self._levels[level] = 0
            return 0
        index = self._levels[level] = 1 + sum(1 for i in self._levels.values() if i)
        self.lines.append(f"{index} {text}")
        return index

    def term(self, e: Expr) -> int:
        known = self._terms.get(e)
        if known is not None:
            return known
        kind = type(e)
        if kind is BVar:
            text = f"#EV {e.idx}"  # type: ignore[attr-defined]
        elif kind is Sort:
            text = f"#ES {self.level(e.level)}"  # type: ignore[attr-defined]
        elif kind is Const:
            levels = [str(self.level(level)) for level in e.levels]  # type: ignore[attr-defined]
            text = " ".join(["#EC", str(self.name(e.name)), *levels])  # type: ignore[attr-defined]
        elif kind is App:
            text = f"#EA {self.term(e.fn)} {self.term(e.arg)}"  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            word, info = ("#EL" if kind is Lam else "#EP"), _INFOS[e.info]  # type: ignore[attr-defined]
            parts = f"{self.name(_plain(e.name))} {self.term(e.type)} {self.term(e.body)}"  # type: ignore[attr-defined]
            text = f"{word} {info} {parts}"
        elif kind is Let:
            value = f"{self.term(e.type)} {self.term(e.value)} {self.term(e.body)}"  # type: ignore[attr-defined]
            text = f"#EZ {self.name(_plain(e.name))} {value}"  # type: ignore[attr-defined]
        elif kind is Proj:
            text = f"#EJ {self.name(e.struct)} {e.idx} {self.term(e.expr)}"  # type: ignore[attr-defined]
        elif kind is Lit and isinstance(e.value, int):  # type: ignore[attr-defined]
            text = f"#ELN {e.value}"  # type: ignore[attr-defined]
        elif kind is Lit:
            text = " ".join(["#ELS", *(f"{byte:02x}" for byte in e.value.encode())])  # type: ignore[attr-defined]
        else:
            raise TypeError(f"a {kind.__name__} in a finished proof")
        index = self._terms[e] = len(self._terms)
        self.lines.append(f"{index} {text}")
        return index

    # --- declarations ---------------------------------------------------------------------------------------

    def declare(self, name: str) -> None:
        """Write a declaration after all that it mentions."""
        todo: list[tuple[str, bool]] = [(name, False)]
        while todo:
            current, ready = todo.pop()
            declaration = self._whole(self.env.get(current))
            if declaration.name in self._done:
                continue
            if ready:
                self._done.add(declaration.name)
                self._write(declaration)
                continue
            todo.append((declaration.name, True))
            own = self._family(declaration)
            todo += [(other, False) for other in self._mentioned(declaration) if other not in own]

    def _whole(self, declaration: Declaration) -> Declaration:
        """The inductive type that a constructor or recursor belongs to."""
        if isinstance(declaration, Constructor | Recursor):
            return self.env.get(declaration.inductive)
        return declaration

    def _family(self, declaration: Declaration) -> set[str]:
        if isinstance(declaration, Inductive):
            return {declaration.name, f"{declaration.name}.rec", *declaration.constructors}
        return {declaration.name}

    def _mentioned(self, declaration: Declaration) -> list[str]:
        terms = [declaration.type]
        if isinstance(declaration, Definition):
            terms.append(declaration.value)
        elif isinstance(declaration, TheoremDecl):
            if declaration.value is None:
                raise UnprovedError(f"the proof of `{declaration.name}` is not at hand")
            terms.append(declaration.value)
        elif isinstance(declaration, Inductive):
            terms += [self.env.get(name).type for name in declaration.constructors]
        found: dict[str, None] = {}
        for term in terms:
            for node in subterms(term):
                if type(node) is Const:
                    found[node.name] = None
                elif type(node) is Proj:
                    found[node.struct] = None
                elif type(node) is Lit:
                    found["Nat" if isinstance(node.value, int) else "String"] = None
        return [name for name in found if name != declaration.name]

    def _params(self, declaration: Declaration) -> str:
        return "".join(f" {self.name(param)}" for param in declaration.level_params)

    def _write(self, d: Declaration) -> None:
        if isinstance(d, Inductive):
            self._write_inductive(d)
            return
        name, type_ = self.name(d.name), self.term(d.type)
        params = self._params(d)
        if isinstance(d, Axiom):
            self.lines.append(f"#AX {name} {type_}{params}")
        elif isinstance(d, QuotDecl):
            self.lines.append(f"#QUOT {name} {type_}{params}")
        elif isinstance(d, TheoremDecl):
            assert d.value is not None, "checked in advance"
            self.lines.append(f"#THM {name} {type_} {self.term(d.value)}{params}")
        elif isinstance(d, Definition):
            value = self.term(d.value)
            hint = "A" if d.height == ABBREV_HEIGHT else "O" if d.height == OPAQUE_HEIGHT else f"R {d.height}"
            self.lines.append(f"#DEF {name} {type_} {value} {hint}{params}")
        else:
            raise TypeError(f"no rule for a {type(d).__name__}")

    def _write_inductive(self, d: Inductive) -> None:
        name, type_, params = self.name(d.name), self.term(d.type), self._params(d)
        ctors = [self.env.get(c) for c in d.constructors]
        ids = " ".join([str(len(ctors)), *(str(self.name(c.name)) for c in ctors)])
        recursive = int(d.is_recursive)
        self.lines.append(
            f"#IND {name} {type_} 0 {recursive} 0 {d.num_params} {d.num_indices} 1 {name} {ids}{params}"
        )
        for c in ctors:
            assert isinstance(c, Constructor)
            row = f"{self.name(c.name)} {self.term(c.type)} {name} {c.index} {c.num_params} {c.num_fields}"
            self.lines.append(f"#CTOR {row}{self._params(c)}")
        rec = self.env.get(f"{d.name}.rec")
        assert isinstance(rec, Recursor)
        rec_name, rec_type = self.name(rec.name), self.term(rec.type)
        rules = []
        for rule in rec.rules:
            ctor, rhs = self.name(rule.constructor), self.term(rule.rhs)
            self.lines.append(f"{self._rules} #RR {ctor} {rule.num_fields} {rhs}")
            rules.append(str(self._rules))
            self._rules += 1
        counts = f"{rec.num_params} {rec.num_indices} 1 {rec.num_minors}"
        listed = " ".join([str(len(rules)), *rules])
        self.lines.append(
            f"#REC {rec_name} {rec_type} 1 {name} {counts} {listed} {int(rec.k)}{self._params(rec)}"
        )


def _plain(name: str) -> str:
    """A binder's name without the mark of machine-made ones; what has dots in it becomes one part."""
    return name.replace("✝", "").replace(".", "_") or "a"
