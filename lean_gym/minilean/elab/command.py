"""Commands: declarations, inductive types, structures, scopes. Each one ends at the kernel's door.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `Inductive.lean`, `Structure.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lean_gym.minilean.elab.app import all_fields
from lean_gym.minilean.elab.auxiliary import add_injectivity, add_recursion
from lean_gym.minilean.elab.binders import push_binders
from lean_gym.minilean.elab.deriving import derived, extensionality
from lean_gym.minilean.elab.display import show
from lean_gym.minilean.elab.equations import add_equations
from lean_gym.minilean.elab.guard_msgs import Note, in_order, judged
from lean_gym.minilean.elab.inductive_checks import (
    check_parameters,
    check_projections,
    check_universes,
    kernel_message,
)
from lean_gym.minilean.elab.matching import collect_level_mvars
from lean_gym.minilean.elab.names import Scope, resolve_exact
from lean_gym.minilean.elab.passing import recorded, undo
from lean_gym.minilean.elab.placeholder import USES_SORRY, mentions_sorry, name_place
from lean_gym.minilean.elab.queries import answer
from lean_gym.minilean.elab.recursion import compile_structural, mentions
from lean_gym.minilean.elab.scope_ends import scopes_to_end
from lean_gym.minilean.elab.structures import add_auxiliary_recursors, add_projections
from lean_gym.minilean.elab.term import AutoBoundError, Elab, TacticRunner
from lean_gym.minilean.elab.universes import generalize_all, header_levels
from lean_gym.minilean.elab.user_notation import expansion
from lean_gym.minilean.kernel.declaration import Inductive
from lean_gym.minilean.kernel.errors import DeepRecursion, KernelError
from lean_gym.minilean.kernel.expr import (
    IMPLICIT,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Pi,
    Sort,
    alpha_eq,
    get_app,
    get_app_args,
    get_app_fn,
    is_app_of,
    mk_apps,
    mk_const,
    mk_pi,
    mk_sort,
    subterms,
)
from lean_gym.minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from lean_gym.minilean.kernel.level import (
    ONE,
    Level,
    is_never_zero,
    is_zero,
    mk_max,
    mk_param,
    simplify,
)
from lean_gym.minilean.meta.context import LocalContext
from lean_gym.minilean.meta.errors import BudgetError, MetaError, UnsupportedError, message_of
from lean_gym.minilean.meta.extension import NEVER, REDUCIBLE, LeanEnv, Recursion
from lean_gym.minilean.meta.infer import infer_type, is_prop
from lean_gym.minilean.meta.metavars import Budget, Meta, collect_mvars, has_expr_mvar
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import unfold_definition, whnf, whnf_reducible
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.syntax.parser import parse_commands

IGNORED_ATTRIBUTES = frozenset(
    [
        "inline",
        "always_inline",
        "specialize",
        "noinline",
        "macro_inline",
        "implemented_by",
        "extern",
        "match_pattern",
        "inherit_doc",
        "grind",
        "ext",
        "congr",
        "norm_cast",
        "deprecated",
        "simproc",
        "unbox",
        "never_extract",
        "expose",
        "export",
        "app_unexpander",
        "induction_eliminator",
        "cases_eliminator",
        "stx",
        "elab_without_expected_type",
        "builtin_doc",
        "suggest_for",
    ]
)

_OPTION_WORDS = """
    autoImplicit relaxedAutoImplicit checkBinderAnnotations linter pp trace maxRecDepth maxHeartbeats
    hygiene warningAsError profiler diagnostics synthInstance tactic compiler Elab quotPrecheck bootstrap
    genSizeOf genInjectivity guard_msgs structureDiamondWarning smartUnfolding eval format debug server
    stderrAsMessages internal interpreter simprocs deprecated exponentiation backward
    allowUnsafeReducibility aesop
"""
OPTION_GROUPS = frozenset(_OPTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Signature:
    """An elaborated header. `type` is closed; `num_binders` of its leading binders come from the source."""

    level_params: tuple[str, ...]
    type: Expr
    num_binders: int


class CommandRunner:
    """Runs commands one after another on an environment and a scope."""

    def __init__(
        self,
        env: LeanEnv,
        run_tactics: TacticRunner | None,
        trusted: bool = False,
        scope: Scope | None = None,
        seconds: float = 60.0,
        report: Callable[[str, str, int | None], None] | None = None,
    ) -> None:
        """Start with an empty scope unless one is given.

        Args:
            env: What the commands add to.
            run_tactics: Runs the tactic blocks inside terms.
            trusted: Whether this is the library, which may declare axioms and has time.
            scope: The scope to start in.
            seconds: Time for one command.
            report: Gets severity, text and offset in the source; whoever gives one hears of axioms too, so may
                have them.
        """
        self.env = env
        self.run_tactics = run_tactics
        self.trusted = trusted
        self.scopes = [Scope() if scope is None else scope]
        self.seconds = seconds
        self.report = report
        self.source = ""
        self._written: Recursion | None = None
        self._log: list[tuple[str, str, int]] = []

    @property
    def scope(self) -> Scope:
        """The innermost scope."""
        return self.scopes[-1]

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole; `source` is the text that it was parsed from, for messages.

        Raises:
            MetaError: The command was refused; environment and scopes are as before.
        """
        self.source = source or self.source
        env, scopes = self.env, list(self.scopes)
        outer, self._log = self._log, []
        work = self.env = env.child()
        work.memo = env.memo
        try:
            self._run(command)
        except BaseException:
            env.memo.clear()  # it may speak of what is dropped here
            self.scopes[:] = scopes
            raise
        finally:
            self.env = env
            notes, self._log = self._log, outer
            for note in in_order(
                notes, isinstance(command, ast.Decl) and command.kind in ("theorem", "lemma")
            ):
                self._say(*note)
        if isinstance(command, ast.Decl) and command.kind == "example":
            env.memo.clear()
        else:
            env.adopt(work)

    def _run(self, command: ast.Command) -> None:
        if (
            self.report is None
            and not self.trusted
            and isinstance(command, ast.NotationCmd | ast.MacroCmd | ast.SetOption | ast.Hash | ast.GuardMsgs)
        ):
            # nobody would hear of it, and what is parsed next would not know of it
            raise UnsupportedError(f"the command `{_command_word(command)}` outside of a file")
        if isinstance(command, ast.Decl):
            self._declaration(command)
        elif isinstance(command, ast.InductiveCmd):
            self._inductive(command)
        elif isinstance(command, ast.StructureCmd):
            self._structure(command)
        elif isinstance(command, ast.VariableCmd):
            self._variables(command.binders)
        elif isinstance(command, ast.ScopeCmd):
            self._scope(command)
        elif isinstance(command, ast.AttributeCmd):
            for name in command.names:
                full = resolve_exact(self.env, self.scope, name)
                if full is None:
                    raise MetaError(f"Unknown constant `{name}`")
                self._attributes(full, command.attrs)
        elif isinstance(command, ast.InitQuot):
            self.env.kernel.add_quot()
        elif isinstance(command, ast.OpenCmd):
            self._open(command)
        elif isinstance(command, ast.InCmd):
            self._in(command)
        elif isinstance(command, ast.NotationCmd):
            meaning = expansion(self.env, self.scope, command)
            self._change_scopes(
                lambda s: replace(s, notations=(*s.notations, (command.key, meaning))), all_=not command.local
            )
        elif isinstance(command, ast.SetOption):
            if command.name.split(".")[0] not in OPTION_GROUPS:
                self._say("warning", f"unknown option `{command.name}`")
            options = (*self.scope.options, (command.name, command.value))
            self.scopes[-1] = replace(self.scope, options=options)
        elif isinstance(command, ast.VarsCmd):
            names = frozenset(command.names)
            kept = self.scope.included - names if command.kind == "omit" else self.scope.included | names
            self.scopes[-1] = replace(self.scope, included=kept)
        elif isinstance(command, ast.Hash):
            el = self._elab((), auto_bound=not self.trusted)
            push_binders(el, self.scope.variables)
            el.auto_bound = False
            self._query(el, command)
        elif isinstance(command, ast.MacroCmd):
            pass  # the parser has read it: the tactic stands for its block
        else:
            raise UnsupportedError(f"the command {type(command).__name__}")

    def _say(self, severity: str, text: str, offset: int | None = None) -> None:
        if self.report is not None:
            self.report(severity, text, offset)

    def _query(self, el: Elab, command: ast.Hash) -> None:
        if command.kind == "check_failure":
            try:
                answer(el, command)
            except (MetaError, KernelError) as error:
                self._say("info", message_of(error), getattr(error, "position", None))
                return
            raise MetaError("unexpected success")
        if text := answer(el, command):
            self._say("info", text)

    def _guarded(self, guard: ast.GuardMsgs, command: ast.Command) -> None:
        """`#guard_msgs in command`."""
        notes: list[Note] = []
        outer, self.report = self.report, lambda *note: notes.append(Note(*note))
        try:
            self.run(command)
        except (MetaError, KernelError, DeepRecursion) as error:
            notes.append(Note("error", message_of(error), getattr(error, "position", None)))
        finally:
            self.report = outer
        passed, mismatch = judged(guard, notes)
        for note in passed:
            self._say(*note)
        if mismatch is not None:
            raise MetaError(mismatch)

    def _change_scopes(self, change: Callable[[Scope], Scope], all_: bool) -> None:
        last = len(self.scopes) - 1
        self.scopes[:] = [change(s) if all_ or i == last else s for i, s in enumerate(self.scopes)]

    def _in(self, command: ast.InCmd) -> None:
        """`c in d`: what `c` sets up holds for `d` only."""
        if isinstance(command.first, ast.GuardMsgs):
            self._guarded(command.first, command.second)
            return
        depth = len(self.scopes)
        self._push()
        try:
            self.run(command.first)
            self.run(command.second)
        finally:
            self._pop(len(self.scopes) - depth)

    def _push(self, **changes: Any) -> None:
        """Open a scope that differs from the present one in `changes`."""
        self.scopes.append(replace(self.scope, **{"label": "", **changes}, passing=()))

    def _pop(self, count: int) -> None:
        """Close scopes, with the attributes that hold in them only."""
        for _ in range(count):
            undo(self.env, self.scopes.pop().passing)

    def _open(self, command: ast.OpenCmd) -> None:
        spaces = []
        for name in command.namespaces:
            found = self._namespace(name)
            if found is None:
                raise MetaError(f"unknown namespace `{name}`")
            spaces.append(found)
        aliases = [(short, f"{space}.{short}") for space in spaces for short in command.only or ()]
        aliases += [(new, f"{space}.{old}") for space in spaces for old, new in command.renaming]
        for _, full in aliases:
            if self.env.find(full) is None:
                raise MetaError(f"Unknown constant `{full}`")
        closed = {f"{space}.{name}" for space in spaces for name in command.hiding}
        closed |= {f"{space}.{old}" for space in spaces for old, _ in command.renaming}

        def change(scope: Scope) -> Scope:
            if command.only is None:
                scope = scope.opening(tuple(spaces))
            return replace(scope, aliases=(*scope.aliases, *aliases), closed=scope.closed | closed)

        if not command.scoped:
            self._change_scopes(change, all_=command.export)
        if command.only is None and not command.renaming:
            for space in spaces:
                self._activate(space)

    def _namespace(self, name: str) -> str | None:
        """The namespace that `name` means here."""
        outer = self.scope.namespace
        while outer:
            if f"{outer}.{name}" in self.env.namespaces:
                return f"{outer}.{name}"
            outer = outer.rpartition(".")[0]
        return name if name in self.env.namespaces else None

    def _variables(self, binders: tuple[ast.Binder, ...]) -> None:
        """`variable`: checked here, elaborated again in every declaration that uses them."""
        auto: tuple[ast.Binder, ...] = ()
        while True:
            variables = self.scope.variables + auto + binders
            try:
                push_binders(self._elab((), auto_bound=not self.trusted), variables)
                break
            except AutoBoundError as error:
                if len(auto) > 30:
                    raise
                auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        self.scopes[-1] = replace(self.scope, variables=variables)

    # --- scopes ------------------------------------------------------------------------------------------

    def _scope(self, command: ast.ScopeCmd) -> None:
        names = command.names
        if command.kind == "namespace":
            for part in names[0].split("."):
                outer = self.scope.namespace
                full = f"{outer}.{part}" if outer else part
                self.env.add_namespace(full)
                self._push(namespace=full, label=part)
                self._activate(full)
        elif command.kind == "section":
            for part in names[0].split(".") if names else ("",):
                self._push(label=part)
        elif command.kind == "end":
            self._pop(scopes_to_end(self.scopes, names[0] if names else None))
        elif command.kind == "universe":
            self.scopes[-1] = replace(self.scope, levels=self.scope.levels + names)
        else:
            raise UnsupportedError(f"`{command.kind}`")

    def _full(self, name: str) -> str:
        if name.startswith("_root_."):
            return name[len("_root_.") :]
        return f"{self.scope.namespace}.{name}" if self.scope.namespace else name

    def scope_of(self, decl: ast.Decl) -> Scope:
        """The scope inside a declaration: `def T.f` sees the names of the namespace `T`."""
        return self.scope.of(self._full(decl.name)) if decl.name and decl.kind != "instance" else self.scope

    def _elab(self, level_names: tuple[str, ...], auto_bound: bool) -> Elab:
        m = Meta(self.env, budget=Budget(20_000_000 if self.trusted else 2_000_000, self.seconds))
        m.log = self._log
        m.scope = self.scope
        return Elab(m, self.scope, self.run_tactics, level_names, auto_bound, self.source)

    # --- declarations ------------------------------------------------------------------------------------

    def _declaration(self, decl: ast.Decl) -> None:
        for word in ("partial", "unsafe"):
            if word in decl.modifiers:
                raise UnsupportedError(
                    f"`{word}` of `{decl.name}`: a definition that need not end proves nothing"
                )
        if decl.kind == "axiom" and not self.trusted and self.report is None:
            raise UnsupportedError(
                "new axioms are refused: a proof may use propext, Classical.choice, Quot.sound"
            )
        full = self._full(decl.name) if decl.name else "_example"
        if decl.kind == "instance" and not decl.name:
            full = self._instance_name(decl)
            # a file may have several; what only states a theorem names what it means
            full = full if self.report is None else self._fresh(full)
        if self.env.find(full) is not None and decl.kind != "example":
            raise MetaError(f"`{full}` has already been declared")
        if decl.kind == "opaque" and decl.value is None:
            params, type_, value, _ = self._inhabited(decl, full)
        else:
            params, type_, value, _ = self._elaborate(decl, full)
        if decl.kind in ("theorem", "lemma"):
            self._check_proposition(decl.name, type_)
        if decl.kind == "axiom":
            self.env.kernel.add_axiom(full, params, type_)
        elif decl.kind == "example":
            assert value is not None
            self.env.kernel.add_definition(full, params, type_, value)
            self._tell_sorry(decl, type_, value)
            return
        elif decl.kind in ("theorem", "lemma"):
            assert value is not None
            self.env.kernel.add_theorem(full, params, type_, value)
        else:
            assert value is not None
            opaque = decl.kind == "opaque"
            self.env.kernel.add_definition(
                full, params, type_, value, abbrev=decl.kind == "abbrev", opaque=opaque
            )
            if opaque:
                self.env.reducibility[full] = NEVER
        self._tell_sorry(decl, type_, value)
        self.env.memo.clear()
        if self._written is not None and decl.kind not in ("theorem", "lemma", "opaque"):
            self.env.recursions[full] = self._written
        if decl.kind in ("def", "abbrev"):
            add_equations(self._elab((), auto_bound=False), full)
        if "." in full:
            self.env.add_namespace(full.rpartition(".")[0])
        if "protected" in decl.modifiers:
            self.env.protected.add(full)
        if decl.kind == "abbrev":
            self.env.reducibility[full] = REDUCIBLE
        if decl.kind == "instance":
            kinds = [word for word in decl.modifiers if word in ("local", "scoped")]
            priority = "" if decl.priority is None else str(decl.priority)
            self._attributes(full, [("instance", " ".join([*kinds, priority]).strip())])
        self._attributes(full, decl.attrs)

    def _inhabited(self, decl: ast.Decl, full: str) -> tuple[tuple[str, ...], Expr, Expr | None, int]:
        """An opaque constant without a value is some element of its type, which has to have one."""
        for witness in ("Inhabited.default", "Classical.choice inferInstance"):
            fn, *args = (ast.Ident(f"_root_.{name}") for name in witness.split())
            value: ast.Term = ast.App(fn, tuple(args)) if args else fn
            kept = self.env
            self.env = kept.child()
            try:
                found = self._elaborate(replace(decl, value=value), full)
                kept.adopt(self.env)
                return found
            except BudgetError:
                raise
            except MetaError:
                continue
            finally:
                self.env = kept
        _, type_, _, _ = self._elaborate(decl, full)
        raise MetaError(
            f"failed to synthesize `Inhabited` or `Nonempty` instance for\n  {show(Meta(self.env), type_, 2)}\n\n"
            "If this type is defined using the `structure` or `inductive` command, you can try adding a "
            "`deriving Nonempty` clause to the command."
        )

    def _tell_sorry(self, decl: ast.Decl, type_: Expr, value: Expr | None) -> None:
        if self.report is not None and mentions_sorry([type_] if value is None else [type_, value]):
            self._log.append(("warning", USES_SORRY, name_place(decl, self.source)[0]))

    def _elaborate(self, decl: ast.Decl, full: str = "") -> tuple[tuple[str, ...], Expr, Expr | None, int]:
        """Universe parameters, closed type, closed value, and how many leading binders the header has."""
        auto: tuple[ast.Binder, ...] = ()
        while True:
            el = self._elab(decl.level_params, auto_bound=not self.trusted)
            if self.report is not None or self.trusted or decl.value is not None:
                # declarations of its own for what is compiled; a bare statement must leave no trace
                el.m.auxiliary_prefix = full or self._full(decl.name) or "_example"
            el.scope = el.m.scope = self.scope_of(decl)
            try:
                variables = push_binders(el, self.scope.variables)
                binders = push_binders(el, auto + decl.binders)
                if decl.type is None:
                    type_: Expr | None = None
                else:
                    type_ = el.elab_type(decl.type)
                    el.synthesize()
                break
            except AutoBoundError as error:
                if len(auto) > 30:
                    raise
                auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        m = el.m
        el.auto_bound = False
        binders = [*_bind_unknown_types(el, binders[: len(auto)]), *binders]
        self_var: FVar | None = None
        if type_ is not None:
            el.check_no_holes(m.mk_pi([*variables, *binders], type_))
            if decl.value is not None and decl.kind in ("theorem", "lemma"):
                used = self._used_variables(m, variables, binders, [type_], included=True)
                m.lctx = m.lctx.without({x.id for x in variables if x not in used})
            if decl.value is not None and decl.kind != "instance":
                header_levels(
                    el, [m.local(x).type for x in (*variables, *binders) if x.id in m.lctx] + [type_]
                )
            if full and decl.kind != "example" and decl.value is not None:
                self_var = m.push_local(full, m.mk_pi(binders, type_), hidden=True)
        value: Expr | None = None
        written: Expr | None = None
        self._written = None
        if decl.value is not None:
            stx = decl.value if isinstance(decl.value, ast.Term) else ast.FunMatch(decl.value, explicit=True)
            if type_ is None:
                value = el.elab_closed(stx)
                type_ = m.instantiate_mvars(infer_type(m, value))
            else:
                value = el.elab_closed(stx, type_)
            value = el.check_no_holes(value)
            _check_binder_types(m, [*variables, *binders])
            if self_var is not None and mentions(value, self_var):
                written = m.mk_lambda(binders, value)
                value = beta_apply(compile_structural(m, full, self_var, written), binders)
        if holes := el.open_holes():
            raise el.hole_error(holes)
        assert type_ is not None
        type_ = m.instantiate_mvars(type_)
        if decl.kind not in ("theorem", "lemma") or decl.value is None:
            theorem = decl.kind in ("theorem", "lemma")
            shown = [type_] if theorem or decl.kind == "axiom" or value is None else [type_, value]
            used = self._used_variables(m, variables, binders, shown, included=theorem)
        fvars = [*used, *binders]
        closed_type = m.mk_pi(fvars, type_)
        closed_value = None if value is None else m.mk_lambda(fvars, value)
        names = self.scope.levels + el.level_names
        terms = [closed_type] if closed_value is None else [closed_type, closed_value]
        if written is not None and self_var is not None:
            terms.append(m.mk_lambda([*used, self_var], written))
        level_names, done = generalize_all(m, names, terms)
        if any(has_expr_mvar(t) for t in done):
            raise MetaError("don't know how to synthesize placeholder")
        if written is not None:
            self._written = _as_written(self.env, full, level_names, done[2], len(used))
        return level_names, done[0], done[1] if closed_value is not None else None, len(fvars)

    def _used_variables(
        self,
        m: Meta,
        variables: Sequence[FVar],
        binders: Sequence[FVar],
        terms: Sequence[Expr],
        *,
        included: bool = False,
    ) -> list[FVar]:
        """The variables that terms and binders need; with `included` those that `include` asked for as well."""
        needed: set[int] = set()
        todo = [m.instantiate_mvars(t) for t in terms]
        if included:
            todo += [x for x in variables if m.local(x).name in self.scope.included]
        todo += [m.instantiate_mvars(m.local(x).type) for x in binders]
        while todo:
            term = todo.pop()
            for sub in subterms(term):
                if type(sub) is FVar and sub.id not in needed:
                    needed.add(sub.id)
                    if sub.id in m.lctx:
                        todo.append(m.instantiate_mvars(m.local(sub).type))
        used = []
        for x in variables:
            decl = m.local(x)
            if x.id in needed:
                used.append(x)
            elif decl.info == 3 and all(
                s.id in needed for s in subterms(m.instantiate_mvars(decl.type)) if type(s) is FVar
            ):
                needed.add(x.id)
                used.append(x)
        return used

    def signature(self, decl: ast.Decl) -> Signature:
        """Elaborate the header of a statement that is to be proved."""
        if decl.kind not in ("theorem", "lemma", "example"):
            raise MetaError(f"a statement to prove starts with `theorem`, got `{decl.kind}`")
        if decl.type is None:
            raise MetaError("the statement has no type: expected `theorem name binders : proposition`")
        full = self._full(decl.name) if decl.name and decl.kind != "example" else None
        # Under a name that is taken a statement could be proved by what has that name.
        if full is not None and self.env.find(full) is not None:
            raise MetaError(f"`{full}` has already been declared")
        params, type_, _, count = self._elaborate(replace(decl, value=None))
        if decl.kind != "example":
            self._check_proposition(decl.name, type_)
        return Signature(params, type_, count)

    def _check_proposition(self, theorem: str, type_: Expr) -> None:
        m = Meta(self.env)
        if not is_prop(m, type_):
            name = f"`{theorem}` " if theorem else ""
            raise MetaError(f"type of theorem {name}is not a proposition\n  {show(m, type_, 2)}")

    # --- attributes and instances ------------------------------------------------------------------------

    def _attributes(self, name: str, attrs: Sequence[tuple[str, str]]) -> None:
        for attr, text in attrs:
            words = text.split()
            kind = words[0] if words[:1] in (["local"], ["scoped"]) else ""
            argument = " ".join(words[1:] if kind else words)
            if kind == "scoped":
                space = self.scope.namespace
                if not space:
                    raise MetaError("scoped attributes must be used inside namespaces")
                self.env.scoped[space] = (*self.env.scoped.get(space, ()), (name, attr, argument))
            if kind or attr.startswith("-"):
                self._attribute_here(name, attr, argument)
            else:
                self._attribute(name, attr, argument)

    def _activate(self, namespace: str) -> None:
        """Let the `scoped` attributes of a namespace hold to the end of this scope."""
        for name, attr, argument in self.env.scoped.get(namespace, ()):
            self._attribute_here(name, attr, argument)

    def _attribute_here(self, name: str, attr: str, argument: str) -> None:
        changes = recorded(self.env, lambda: self._attribute(name, attr, argument))
        self.scopes[-1] = replace(self.scope, passing=(*self.scope.passing, *changes))

    def _attribute(self, name: str, attr: str, argument: str) -> None:
        if attr == "simp":
            if "←" in argument or "<-" in argument:
                raise UnsupportedError("`@[simp ←]`")
            self.env.simp_lemmas[name] = True
            self.env.memo.clear()
        elif attr == "-simp":
            if self.env.simp_lemmas.pop(name, None) is None:
                raise MetaError(f"`{name}` does not have a `[simp]` attribute")
        elif attr == "reducible":
            self.env.reducibility[name] = REDUCIBLE
        elif attr == "irreducible":
            self.env.reducibility[name] = 4
        elif attr in ("instance", "default_instance"):
            priority = int(argument) if argument.isdigit() else 1000
            if attr == "instance":
                self._add_instance(name, priority)
            else:
                self.env.add_default_instance(self._class_of(name), name, priority)
        elif attr == "-instance":
            self._remove_instance(name)
        elif attr == "class":
            self._add_class(name)
        elif attr in ("refl", "symm"):
            self._add_relation(name, attr)
        elif attr == "ext" and not self.trusted:
            self._add_ext(name)
        elif attr == "elab_as_elim":
            self.env.elab_as_elim[name] = True
        elif attr in ("induction_eliminator", "cases_eliminator"):
            # the library's own are for Nat, which the tactics know by themselves
            if not self.trusted:
                self._add_eliminator(name, attr.partition("_")[0])
        elif attr not in IGNORED_ATTRIBUTES:
            raise UnsupportedError(f"the attribute `{attr}`")

    def _remove_instance(self, name: str) -> None:
        class_name = self._class_of(name)
        entries = self.env.instances.get(class_name, ())
        left = tuple(entry for entry in entries if entry.name != name)
        if len(left) == len(entries):
            raise MetaError(f"`{name}` does not have `[instance]` attribute")
        self.env.instances[class_name] = left

    def _add_eliminator(self, name: str, kind: str) -> None:
        """Let `kind`, `induction` or `cases`, use the theorem for the type of its target."""
        decl = self.env.find(name)
        assert decl is not None
        m = Meta(self.env)
        binders, end = m.intro_binders(decl.type)
        motive, targets = get_app(end)
        if motive not in binders or not targets or any(x not in binders for x in targets):
            raise MetaError(
                f"Unexpected eliminator resulting type\n  {show(m, end, 2)}\nThe type must be a motive applied to "
                "targets"
            )
        fn = get_app_fn(whnf_reducible(m, infer_type(m, targets[-1])))
        if type(fn) is not Const:
            raise MetaError(
                f"Unexpected eliminator target\n  {show(m, targets[-1], 2)}\nThe type must be a constant"
            )
        self.env.eliminators[kind, fn.name] = name

    def _class_of(self, name: str) -> str:
        decl = self.env.find(name)
        assert decl is not None
        type_ = decl.type
        while type(type_) is Pi:
            type_ = type_.body
        fn = get_app_fn(type_)
        if type(fn) is Const and fn.name not in self.env.classes:
            # a reducible alias such as `DecidableEq α`
            m = Meta(self.env)
            _, body = m.intro_binders(decl.type)
            body = whnf(m, body)
            while type(body) is Pi:
                _, body = m.intro_binders(body)
                body = whnf(m, body)
            fn = get_app_fn(body)
        if type(fn) is not Const or fn.name not in self.env.classes:
            raise MetaError(f"`{name}` is not an instance of a class")
        return fn.name

    def _add_instance(self, name: str, priority: int) -> None:
        self.env.add_instance(self._class_of(name), name, priority)
        self.env.memo.clear()

    def _instance_name(self, decl: ast.Decl) -> str:
        parts: list[str] = []

        def words(t: ast.Term) -> None:
            if isinstance(t, ast.App):
                words(t.fn)
                for arg in t.args:
                    if isinstance(arg, ast.Term):
                        words(arg)
            elif isinstance(t, ast.Ident) and t.name[0].isupper():
                parts.append(t.name.rpartition(".")[2])
            elif isinstance(t, ast.Paren):
                words(t.term)

        if decl.type is not None:
            words(decl.type)
        return self._full("inst" + "".join(parts))

    def _fresh(self, name: str) -> str:
        """`name`, or `name_1` and so on where it is taken."""
        count, found = 0, name
        while self.env.find(found) is not None:
            count += 1
            found = f"{name}_{count}"
        return found

    def _add_class(self, name: str) -> None:
        decl = self.env.find(name)
        assert decl is not None
        out = []
        type_ = decl.type
        position = 0
        while type(type_) is Pi:
            fn = get_app_fn(type_.type)
            if type(fn) is Const and fn.name == "outParam":
                out.append(position)
            position += 1
            type_ = type_.body
        self.env.classes[name] = tuple(out)

    # --- inductive types ---------------------------------------------------------------------------------

    def _inductive(self, command: ast.InductiveCmd) -> None:
        name = self._full(command.name)
        if self.env.find(name) is not None:
            raise MetaError(f"`{name}` has already been declared")
        el, variables, params, sort = self._parameters(command)
        m = el.m
        type_ = m.new_sort_mvar() if sort is None else sort
        own = m.push_local(command.name, m.mk_pi(params, type_))
        ctors: list[tuple[str, Expr]] = []
        for ctor in command.ctors:
            ctor_type = self._ctor_type(el, ctor, own, params)
            check_parameters(m, own, params, ctor_type)
            ctors.append((f"{name}.{ctor.name}", ctor_type))
        # in here the type stands for itself applied to the variables of the section
        terms = [m.instantiate_mvars(type_), *(ctor for _, ctor in ctors)]
        used = self._used_variables(m, variables, params, terms)
        params = [*used, *params]
        full_type = m.mk_pi(params, type_)
        self_var = m.push_local(command.name, full_type)
        applied = mk_apps(self_var, used)
        ctors = [(ctor, instantiate1(abstract(t, [own]), applied)) for ctor, t in ctors]
        if command.type is None:
            self._assign_universe(m, type_, ctors)
        else:
            self._check_universe(m, type_)
        self._finish_inductive(el, name, params, full_type, self_var, ctors)
        add_injectivity(self.env, name)
        self._derive(name, command.deriving)
        self._attributes(name, command.attrs)

    def _derive(self, name: str, classes: Sequence[str]) -> None:
        """Instances for a type; what cannot be made is left out, and asking for it later says so."""
        for class_name in classes:
            for text in derived(self.env, name, class_name):
                if self._run_generated(text):
                    break

    def _run_generated(self, text: str) -> bool:
        """Run commands that were made here, all of them or none; whether they were accepted."""
        env, source = self.env, self.source
        self.scopes.append(Scope())
        self.env = env.child()
        try:
            for command in parse_commands(text):
                self.run(command, text)
            env.adopt(self.env)
        except BudgetError:
            raise
        except (MetaError, KernelError):
            return False
        finally:
            self.env, self.source = env, source
            self.scopes.pop()
        return True

    def _add_relation(self, name: str, attr: str) -> None:
        """`@[refl]`, `@[symm]`: a theorem that the tactics `rfl` and `symm` use for its relation."""
        decl = self.env.find(name)
        assert decl is not None
        m = Meta(self.env)
        conclusion = decl.type
        while type(conclusion) is Pi:
            conclusion = instantiate1(conclusion.body, m.push_local(conclusion.name, conclusion.type))
        conclusion = conclusion if is_app_of(conclusion, "Ne", 3) else whnf_reducible(m, conclusion)
        fn, args = get_app_fn(conclusion), get_app_args(conclusion)
        table = self.env.refl_lemmas if attr == "refl" else self.env.symm_lemmas
        left = args[1] if is_app_of(conclusion, "HEq", 4) else args[-2] if len(args) > 1 else None
        if type(fn) is not Const or left is None or (attr == "refl" and not is_def_eq(m, left, args[-1])):
            shape = "x ∼ x" if attr == "refl" else "x ∼ y → y ∼ x"
            raise MetaError(f"`@[{attr}]` attribute only applies to lemmas proving {shape}")
        table[fn.name] = (name, *table.get(fn.name, ()))

    def _add_ext(self, name: str) -> None:
        """`@[ext]`: theorems for a structure, or a theorem for the type that it is about."""
        if name in self.env.structures:
            text = extensionality(self.env, name)
            if text is None or not self._run_generated(text):
                raise UnsupportedError(f"`@[ext]` for the structure `{name}`")
            self.env.ext_lemmas[name] = (f"{name}.ext",)
            return
        decl = self.env.find(name)
        assert decl is not None
        type_ = decl.type
        while type(type_) is Pi:
            type_ = type_.body
        args = get_app_args(type_)
        fn = get_app_fn(args[0]) if is_app_of(type_, "Eq", 3) else None
        if fn is None:
            raise MetaError("`@[ext]` attribute only applies to structures and lemmas proving `x = y`")
        if type(fn) is Const:
            self.env.ext_lemmas[fn.name] = (name, *self.env.ext_lemmas.get(fn.name, ()))

    def _parameters(
        self, command: ast.InductiveCmd | ast.StructureCmd
    ) -> tuple[Elab, list[FVar], list[FVar], Expr | None]:
        """The elaborator with the variables and parameters of a type in its context, and the sort if written."""
        auto: tuple[ast.Binder, ...] = ()
        while True:
            el = self._elab(command.level_params, auto_bound=not self.trusted)
            try:
                variables = push_binders(el, self.scope.variables)
                params = push_binders(el, auto + command.binders)
                type_ = None if command.type is None else el.elab_type(command.type)
                el.synthesize()
                return el, variables, params, type_
            except AutoBoundError as error:
                if len(auto) > 30:
                    raise
                auto = (*auto, ast.Binder((error.name,), None, "implicit"))

    def _check_universe(self, m: Meta, type_: Expr) -> None:
        """A type is a proposition or it is data: `Sort u` could be either."""
        sort = m.instantiate_mvars(type_)
        while type(sort) is Pi:
            sort = sort.body
        if self.trusted or type(sort) is not Sort:
            return
        level = m.instantiate_level(sort.level)
        if not is_zero(level) and not is_never_zero(level):
            raise MetaError(
                "Invalid universe polymorphic resulting type: The resulting universe is not `Prop`, but it may "
                f"be `Prop` for some parameter values:\n  {show(m, sort, 2)}\n\nHint: A possible solution is to "
                "use levels of the form `max 1 _` or `_ + 1` to ensure the universe is of the form `Type _`"
            )

    def _assign_universe(self, m: Meta, type_: Expr, ctors: Sequence[tuple[str, Expr]]) -> None:
        """The least universe of data that holds the fields of all constructors."""
        level: Level = ONE
        assert type(type_) is Sort
        for _, ctor in ctors:
            old = m.lctx
            fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
            for x in fields:
                sort = whnf(m, infer_type(m, m.instantiate_mvars(m.local(x).type)))
                assert type(sort) is Sort
                own = m.instantiate_level(sort.level)
                found: dict[Level, str] = {}
                collect_level_mvars(own, found)
                if type_.level not in found:
                    level = simplify(mk_max(level, own))
            m.lctx = old
        m.mctx.assign_level(type_.level.id, level)  # type: ignore[attr-defined]

    def _ctor_type(self, el: Elab, ctor: ast.Ctor, self_var: FVar, params: Sequence[FVar]) -> Expr:
        m = el.m
        old = m.lctx
        auto: tuple[ast.Binder, ...] = ()
        while True:
            pending, mark = list(el.pending), m.mctx.mark()
            try:
                fields = push_binders(el, auto + ctor.binders)
                result = mk_apps(self_var, params) if ctor.type is None else el.elab_type(ctor.type)
                _settle_parameters(m, result, self_var, params)
                el.synthesize()
                return m.instantiate_mvars(m.mk_pi(fields, result))
            except AutoBoundError as error:
                # a name that nothing declares, as `n` in `cons : α → Vect α n → Vect α (n + 1)`
                if len(auto) > 30:
                    raise
                m.mctx.rollback(mark)
                el.pending = pending
                auto = (*auto, ast.Binder((error.name,), None, "implicit"))
            finally:
                m.lctx = old

    def _finish_inductive(
        self,
        el: Elab,
        name: str,
        params: Sequence[FVar],
        full_type: Expr,
        self_var: FVar,
        ctors: Sequence[tuple[str, Expr]],
    ) -> None:
        m = el.m
        closed: list[Expr] = [m.instantiate_mvars(full_type)]
        for _, ctor_type in ctors:
            _refuse_nested(self.env, m.instantiate_mvars(ctor_type), self_var)
            body = m.mk_pi(params, ctor_type)
            closed.append(abstract(body, [self_var]))
        names = self.scope.levels + el.level_names
        level_names, closed = generalize_all(m, names, closed)
        const = mk_const(name, tuple(mk_param(n) for n in level_names))

        ctor_types = [instantiate1(type_, const) for type_ in closed[1:]]
        num_params = len(params)
        while ctor_types and _is_fixed_index(self.env, name, closed[0], ctor_types, num_params):
            num_params += 1
        ctor_types = [_implicit_params(type_, len(params)) for type_ in ctor_types]
        named = [(ctor, type_) for (ctor, _), type_ in zip(ctors, ctor_types, strict=True)]
        sort = m.instantiate_mvars(full_type)
        while type(sort) is Pi:
            sort = sort.body
        if type(sort) is Sort:
            check_universes(m, sort.level, ctors)
        try:
            self.env.kernel.add_inductive(name, level_names, num_params, closed[0], named)
        except KernelError as error:
            text = kernel_message(error, num_params)
            if text is None:
                raise
            raise MetaError(text) from None
        self.env.memo.clear()
        self.env.add_namespace(name)
        add_auxiliary_recursors(self.env, name)
        add_recursion(self.env, name)

    def _structure(self, command: ast.StructureCmd) -> None:
        name = self._full(command.name)
        if self.env.find(name) is not None:
            raise MetaError(f"`{name}` has already been declared")
        el, variables, params, type_ = self._parameters(command)
        m = el.m
        old = m.lctx
        parents, shortcuts = self._push_parents(el, command)
        fields = [*(x for x, _, _ in parents), *push_binders(el, command.fields)]
        el.synthesize()
        if shortcuts:
            m.lctx = m.lctx.replace_all(
                [replace(d, type=_resolved(m, d.type, shortcuts)) for d in m.lctx if d.fvar not in shortcuts]
            )
        own = fields[len(parents) :]
        defaults = [(f, _resolved(m, v, shortcuts)) for f, v in self._field_defaults(el, command, own)]
        if type_ is None:
            type_ = mk_sort(self._structure_level(m, fields))
        else:
            self._check_universe(m, type_)
            check_projections(m, name, m.instantiate_mvars(type_), fields)
        terms = [m.instantiate_mvars(m.local(f).type) for f in fields]
        terms += [value for _, value in defaults]
        used = self._used_variables(m, variables, params, terms)
        params = [*used, *params]
        full_type = m.mk_pi(params, type_)
        self_var = m.push_local(command.name, full_type)
        ctor_type = m.mk_pi(fields, mk_apps(self_var, params))
        ctor_name = f"{name}.{command.ctor_name or 'mk'}"
        with_fields = m.lctx
        m.lctx = old.add(m.local(self_var))
        self._finish_inductive(el, name, params, full_type, self_var, [(ctor_name, ctor_type)])
        field_names = [to for _, to, _ in parents]
        field_names += [m_name for binder in command.fields for m_name in binder.names]
        add_projections(self.env, name, tuple(field_names), command.kind == "class")
        info = self.env.structures[name]
        self.env.structures[name] = replace(info, parents=tuple((to, parent) for _, to, parent in parents))
        add_injectivity(self.env, name)
        m.lctx = with_fields
        for f, value in defaults:
            self._add_default(m, name, params, fields[: fields.index(f)], f, value)
        for binder in command.fields:
            if isinstance(binder.default, ast.By):
                self.env.field_defaults.update({f"{name}.{f}": binder.default for f in binder.names})
        m.lctx = old
        if command.kind == "class":
            self._add_class(name)
            for _, to, _ in parents:
                self._add_instance(f"{name}.{to}", 1000)
        self._derive(name, command.deriving)
        self._attributes(name, command.attrs)

    def _field_defaults(
        self, el: Elab, command: ast.StructureCmd, fields: Sequence[FVar]
    ) -> list[tuple[FVar, Expr]]:
        """The values that fields have where none is given, over the fields before them."""
        m = el.m
        found: list[tuple[FVar, Expr]] = []
        flat = [(name, binder) for binder in command.fields for name in binder.names]
        inside = m.lctx
        for i, (x, (_, binder)) in enumerate(zip(fields, flat, strict=True)):
            if binder.default is None or isinstance(binder.default, ast.By):
                continue
            m.lctx = inside.without({y.id for y in fields[i:]})
            type_ = m.instantiate_mvars(inside.get(x).type)
            value = el.elab_closed(binder.default, type_)
            found.append((x, el.check_no_holes(value)))
        m.lctx = inside
        return found

    def _add_default(
        self, m: Meta, name: str, params: Sequence[FVar], before: Sequence[FVar], field: FVar, value: Expr
    ) -> None:
        """Define `S.f._default`, a function of the parameters and of the fields before `f`."""
        decl = self.env.find(name)
        assert decl is not None
        type_ = m.instantiate_mvars(m.local(field).type)
        key = f"{name}.{m.local(field).name}"
        xs = [*params, *before]
        closed = m.mk_lambda(xs, m.instantiate_mvars(value))
        full = _implicit_params(m.mk_pi(xs, type_), len(params))
        self.env.kernel.add_definition(f"{key}._default", decl.level_params, full, closed, abbrev=True)
        self.env.reducibility[f"{key}._default"] = REDUCIBLE
        self.env.field_defaults[key] = len(xs)

    def _push_parents(
        self, el: Elab, command: ast.StructureCmd
    ) -> tuple[list[tuple[FVar, str, str]], dict[FVar, Expr]]:
        """A field `toParent` for each structure extended, and its fields as names for what they are."""
        m = el.m
        parents: list[tuple[FVar, str, str]] = []
        shortcuts: dict[FVar, Expr] = {}
        seen: set[str] = set()
        for stx in command.extends:
            type_ = el.elab_type(stx)
            el.synthesize()
            type_ = m.instantiate_mvars(type_)
            fn = get_app_fn(type_)
            info = self.env.structures.get(fn.name) if type(fn) is Const else None
            if info is None:
                raise MetaError(f"expected structure, got\n  {show(m, type_, 2)}")
            names = all_fields(self.env, info)
            if overlap := seen & set(names):
                raise UnsupportedError(f"`extends` of structures that share fields (`{min(overlap)}`)")
            seen |= set(names)
            to = "to" + info.name.rpartition(".")[2]
            kind = 3 if command.kind == "class" else 0
            x = m.push_local(to, type_, kind)
            parents.append((x, to, info.name))
            known = {to for to, _ in info.parents}
            for name in names:
                if name in known:
                    continue
                value = el.elab_closed(ast.Proj(ast.Quoted(x), name))
                shortcut = m.push_local(name, m.instantiate_mvars(infer_type(m, value)), value=value)
                shortcuts[shortcut] = value
        return parents, shortcuts

    def _structure_level(self, m: Meta, fields: Sequence[FVar]) -> Level:
        level: Level = ONE
        for f in fields:
            sort = whnf(m, infer_type(m, m.instantiate_mvars(m.local(f).type)))
            assert type(sort) is Sort
            level = simplify(mk_max(level, m.instantiate_level(sort.level)))
        return level


def _resolved(m: Meta, e: Expr, shortcuts: Mapping[FVar, Expr]) -> Expr:
    """`e` with the names of inherited fields replaced by what they are."""
    e = m.instantiate_mvars(e)
    for x, value in reversed(list(shortcuts.items())):
        e = instantiate1(abstract(e, [x]), value)
    return e


def _command_word(command: ast.Command) -> str:
    if isinstance(command, ast.NotationCmd):
        return command.kind
    if isinstance(command, ast.Hash):
        return f"#{command.kind}"
    return "macro" if isinstance(command, ast.MacroCmd) else "set_option"


def _as_written(env: LeanEnv, full: str, params: tuple[str, ...], closed: Expr, used: int) -> Recursion:
    """The body of a recursive function with calls to the constant; `closed` binds variables and the function."""
    m = Meta(env)
    xs, rest = m.intro_binders(closed, used)
    const = mk_const(full, tuple(mk_param(p) for p in params))
    body = beta_apply(rest, [mk_apps(const, xs)])
    arity = used
    inner = body
    while type(inner) is Lam:
        arity += 1
        inner = inner.body
    with m.with_lctx(m.lctx):
        return Recursion(params, m.mk_lambda(xs, body), arity)


def _bind_unknown_types(el: Elab, auto: Sequence[FVar]) -> list[FVar]:
    """Variables `α✝` for the types that automatically bound variables still lack."""
    m = el.m
    found: list[FVar] = []
    for x in auto:
        for mvar in collect_mvars(m.instantiate_mvars(m.local(x).type)):
            sort = m.instantiate_mvars(m.mvar_decl(mvar).type)
            if type(sort) is not Sort:
                continue
            alpha, lctx = LocalContext().push("α✝", sort, IMPLICIT)
            m.mctx.assign(mvar.id, alpha)
            m.lctx = lctx.replace_all([lctx.get(alpha), *m.lctx])
            found.append(alpha)
    return found[::-1]


def _settle_parameters(m: Meta, result: Expr, self_var: FVar, params: Sequence[FVar]) -> None:
    """What a constructor makes has the type's own parameters, also where they are implicit and not yet known.

    Whether it has is checked once its type is complete.
    """
    result = m.instantiate_mvars(result)
    while type(result) is Pi:
        result = result.body
    fn, args = get_app(result)
    for param, arg in zip(params, args if fn is self_var else (), strict=False):
        if not arg.loose:
            m.attempt(lambda p=param, a=arg: is_def_eq(m, p, a))  # type: ignore[misc]


def _check_binder_types(m: Meta, binders: Sequence[FVar]) -> None:
    """Refuse binders without a type that nothing determined."""
    for x in binders:
        if x.id in m.lctx and has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`")


def _refuse_nested(env: LeanEnv, ctor: Expr, self_var: FVar) -> None:
    """Refuse a field whose type is another inductive type over the one that is declared, as `List Tree`."""
    while type(ctor) is Pi:
        field = ctor.type
        while type(field) is Pi:
            field = field.body
        fn = get_app_fn(field)
        inside = any(sub is self_var for arg in get_app_args(field) for sub in subterms(arg))
        while inside and type(fn) is Const and env.reducibility.get(fn.name) == REDUCIBLE:
            unfolded = unfold_definition(Meta(env), field)
            if unfolded is None:
                break
            field, fn = unfolded, get_app_fn(unfolded)
        if inside and type(fn) is Const and (isinstance(env.find(fn.name), Inductive) or fn.name == "Quot"):
            raise UnsupportedError(f"nested inductive types (`{fn.name}` over the type that is declared)")
        ctor = ctor.body


def _implicit_params(type_: Expr, count: int) -> Expr:
    """The first `count` binders made implicit, as a constructor's parameters are."""
    if count == 0:
        return type_
    assert type(type_) is Pi
    info = type_.info if type_.info == 3 else IMPLICIT
    return mk_pi(type_.name, type_.type, _implicit_params(type_.body, count - 1), info)


def _is_fixed_index(env: LeanEnv, name: str, type_: Expr, ctors: Sequence[Expr], position: int) -> bool:
    """Whether argument `position` never varies, so that it is a parameter, as in `Eq : α → α → Prop`.

    Source: Lean 4 `src/Lean/Elab/Inductive.lean`, fixed indices to parameters.
    """
    m = Meta(env)
    fvars, rest = m.intro_binders(type_, position)
    if type(rest) is not Pi:
        return False
    for ctor in ctors:
        body = ctor
        for x in fvars:
            if type(body) is not Pi:
                return False
            body = instantiate1(body.body, x)
        if type(body) is not Pi or not alpha_eq(body.type, rest.type):
            return False
        x = m.push_local(body.name, body.type)
        inner = instantiate1(body.body, x)
        applied = 0
        for sub in subterms(inner):
            if type(sub) is App and type(get_app_fn(sub)) is Const and get_app_fn(sub).name == name:  # type: ignore[attr-defined]
                args = get_app_args(sub)
                if len(args) > position:
                    if args[position] is not x:
                        return False
                    applied += 1
        if not applied:
            return False
    return True
