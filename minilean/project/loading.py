"""Modules of a project: each file run once, on the environment of its imports.

    project = Project(Path("my_project"))
    env, scope = project.environment(["Foo.Bar"])      # what a file that imports Foo.Bar starts from

Files are checked as any other text. `sorry` and `axiom` are allowed in them and show among the axioms of everything
that uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minilean.elab.names import Scope
from minilean.elab.scoped_attributes import undo
from minilean.elab.sorry import with_sorry
from minilean.kernel.errors import KernelError
from minilean.library import library
from minilean.meta.extension import TABLES, LeanEnv
from minilean.project.header import CORE_MODULES, is_core, split_header, without_header
from minilean.project.merging import Additions, additions, merge
from minilean.project.modules import (
    ProjectError,
    SourceFile,
    in_order,
    module_file,
    read_source,
    source_folders,
)
from minilean.project.privacy import private_names, renamed
from minilean.project.running import FileRunner, Message, Report, run_text
from minilean.tactics.state import run_nested


@dataclass(frozen=True, slots=True)
class Module:
    """A file that was run.

    Attributes:
        source: The file.
        above: The modules that it imports, directly or not, imports before importers.
        env: The environment after it, in which its private declarations have their plain names.
        passed_on: The environment of a file that imports it alone.
        scope: The scope of such a file.
        added: What it added to the environment of its imports.
        messages: Lean's messages about it.
        runner: The runner of its commands, after the last one.
    """

    source: SourceFile
    above: tuple[str, ...]
    env: LeanEnv
    passed_on: LeanEnv
    scope: Scope
    added: Additions
    messages: tuple[Message, ...]
    runner: FileRunner = field(repr=False)

    @property
    def errors(self) -> tuple[Message, ...]:
        """The messages that are errors."""
        return tuple(message for message in self.messages if message.severity == "error")


MakeRunner = Callable[[SourceFile, LeanEnv, Scope, Report], FileRunner]


def _plain(source: SourceFile, env: LeanEnv, scope: Scope, report: Report) -> FileRunner:
    return FileRunner(env, run_nested, scope=scope, report=report)


class Project:
    """The modules of a project. A module is run when it is first asked for.

    Args:
        root: The folder of the project.
        files: Its files by module, where they were read before; others are read when they are asked for.
        lenient: A file may import a module that has errors, and finds what the kernel accepted of it. Otherwise such
            an import is an error, as in Lean.
        make_runner: Makes the runner of a file; a plain one by default.
        base: The environment of a file without imports, where it is not minilean's library.
    """

    def __init__(
        self,
        root: Path,
        files: dict[str, SourceFile] | None = None,
        *,
        lenient: bool = False,
        make_runner: MakeRunner = _plain,
        base: LeanEnv | None = None,
    ) -> None:
        self.root = root
        self._folders = source_folders(root)
        self._files = dict(files or {})
        self._lenient = lenient
        self._make_runner = make_runner
        self._modules: dict[str, Module] = {}
        self._base = with_sorry(library() if base is None else base)

    def environment(self, imports: Iterable[str]) -> tuple[LeanEnv, Scope]:
        """Return a new environment with what these modules declare, and the scope of a file that imports them.

        Raises:
            ProjectError: A module is missing, in an import cycle or has errors, or two of them clash.
        """
        above = self._above(imports)
        if not above:
            return self._base.scope(), Scope()
        # the last module has most of the others above it
        main = max(map(self.load, above), key=lambda module: len(module.above))
        env, scope = main.passed_on.scope(), main.scope
        known = {main.source.module, *main.above}
        missing = [name for name in above if name not in known]
        if missing:
            scope = Scope()
            for name in missing:
                module = self.load(name)
                try:
                    merge(env, module.added)
                except KernelError as error:
                    raise ProjectError(f"import of `{name}` failed: {error}") from None
            for name in above:
                for change in self.load(name).added.syntax:
                    scope = change(scope)
        return env, scope

    def load(self, module: str) -> Module:
        """Return a module, which is run unless it was before.

        Raises:
            ProjectError: It is missing, imports a module that cannot be loaded, or is in an import cycle.
        """
        for name in self._order(module):
            if name not in self._modules:
                self._modules[name] = self._run(self._files[name])
        return self._modules[module]

    def _order(self, module: str) -> Sequence[str]:
        """Return a module and those above it that were not run, imports first."""
        if module in self._modules:
            return ()
        wanted: dict[str, SourceFile] = {}
        todo = [module]
        while todo:
            name = todo.pop()
            if name in wanted:
                continue
            wanted[name] = self._source(name)
            todo += wanted[name].imports
        sources = in_order(wanted, {})
        if module not in sources.files:
            raise ProjectError(f"module `{module}`: {sources.left_out[wanted[module].path]}")
        return tuple(sources.files)

    def _source(self, module: str) -> SourceFile:
        known = self._files.get(module)
        if known is None:
            file = module_file(self._folders, module)
            if file is None:
                raise ProjectError(
                    f"unknown module prefix '{module}': the project has no file of it, and minilean has "
                    f"{', '.join(CORE_MODULES)} only"
                )
            known = self._files[module] = read_source(file, self.root, module)
        return known

    def _above(self, imports: Iterable[str]) -> tuple[str, ...]:
        """Return the modules, with all above them, imports first; those of Lean itself are left out.

        Raises:
            ProjectError: From `load`; or a module has errors.
        """
        above: dict[str, None] = {}
        for name in imports:
            if is_core(name):
                continue
            module = self.load(name)
            for inner in (*module.above, name):
                above.setdefault(inner)
        if not self._lenient and (failed := self._failed(above)):
            raise ProjectError(failed[0])
        return tuple(above)

    def failed_imports(self, imports: Iterable[str]) -> list[str]:
        """Return a line for each module with errors among these modules and those above them.

        Raises:
            ProjectError: From `load`.
        """
        return self._failed(self._above(imports))

    def _failed(self, modules: Iterable[str]) -> list[str]:
        lines = []
        for name in modules:
            module = self._modules[name]
            if module.errors:
                first = module.errors[0]
                lines.append(
                    f"import of `{name}` failed: {module.source.path} has errors, the first at "
                    f"{first.line}:{first.column}: {first.text.splitlines()[0]}"
                )
        return lines

    def _run(self, source: SourceFile) -> Module:
        env, scope = self.environment(source.imports)
        before = {table: getattr(env, table).copy() for table in TABLES}
        text = without_header(source.text, split_header(source.text)[1])
        runner, messages = run_text(text, lambda report: self._make_runner(source, env, scope, report))
        for inner in reversed(runner.scopes):
            undo(env, inner.passing)
        later = scope
        for change in runner.syntax:
            later = change(later)
        above = self._above(source.imports)
        added, passed_on = additions(before, env, runner.syntax), env
        declared = (declaration.name for declaration in added.declarations)
        if private := private_names(dict(runner.written), declared, source.module):
            added = renamed(added, private)
            passed_on, _ = self.environment(source.imports)
            merge(passed_on, added)
        return Module(source, above, env, passed_on, later, added, tuple(messages), runner)
