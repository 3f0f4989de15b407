"""`python -m minilean export-proof`: a statement, or a statement with its proof, as an export for `judge`.

    echo '{"statement": "theorem t : 1 = 1", "tactics": ["rfl"]}' | python -m minilean export-proof > solution.ndjson
    echo '{"statement": "theorem t : 1 = 1"}' | python -m minilean export-proof > challenge.ndjson

One JSON object on standard input: `statement`, and where they are not empty `context` (commands in front of it),
`position` (a place in minilean's library or in a project, see `minilean.project.positions`) and `tactics`. Without
tactics the statement is written as an axiom. The constant is called `exported_proof` in both files. Declarations of
minilean's library are left out; with `--deep` the library is proved anew from its sources, and everything down to the
axioms is written.

Nothing is promised about the output: `judge` decides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from minilean.command_line import Parser
from minilean.export.format import export_ndjson
from minilean.export.judge import COMPUTED
from minilean.export.limits import limit_process
from minilean.kernel.declaration import Axiom, TheoremDecl
from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError
from minilean.kernel.fuel import deep_stack
from minilean.library import library
from minilean.library.load import build_library
from minilean.library.prefix import PositionError, library_before, prefix_of
from minilean.meta.extension import LeanEnv
from minilean.project.positions import environment_at, in_project, project_before_on
from minilean.proof import Context, ProofError, replay

NAME = "exported_proof"
"""The name of the theorem in the files."""


@dataclass(frozen=True, slots=True)
class Source:
    """A statement in its context, with the script that proves it or `None`."""

    statement: str
    context: str = ""
    position: str = ""
    tactics: tuple[str, ...] | None = None

    @classmethod
    def from_json(cls, text: str) -> Source:
        """Return the source that a JSON object describes.

        Raises:
            ValueError: It describes none.
        """
        data = json.loads(text)
        if type(data) is not dict or not data.keys() <= {"statement", "context", "position", "tactics"}:
            raise ValueError("expected an object with `statement`, `context`, `position` and `tactics`")
        texts = [data.get(key, "") for key in ("statement", "context", "position")]
        tactics = data.get("tactics")
        if not all(type(part) is str for part in [*texts, *(tactics or ())]) or not texts[0]:
            raise ValueError("expected texts, and a statement that is not empty")
        statement, context, position = texts
        return cls(statement, context, position, None if tactics is None else tuple(tactics))


def base_environment(position: str) -> LeanEnv:
    """Return minilean's library, or its part before a position in it; the whole library for a position in a project.

    Raises:
        PositionError: The library has no such position.
    """
    return library_before(position) if position and not in_project(position) else library()


def proof_export(source: Source, deep: bool = False) -> str:
    """Return the export of a statement or of a finished proof.

    Args:
        source: The statement and the script.
        deep: Write the library too, proved anew.

    Raises:
        ProofError: The statement does not elaborate, a tactic fails, or goals are left.
        PositionError: There is no such position.
        KernelError: The context declares `exported_proof`.
    """
    scope = None
    if deep:
        base = build_library()
        if in_project(source.position):
            start, scope = project_before_on(base, source.position)
        else:
            start = prefix_of(base, source.position) if source.position else base
    else:
        base = base_environment(source.position)
        # what the files of a project declare before the theorem is written like the declarations of a context
        start, scope = environment_at(source.position)
    problem = Context(start, source.context, scope).problem(source.statement)
    params, type_ = problem.signature.level_params, problem.signature.type
    env: Environment = problem.env.kernel.child()
    if source.tactics is None:
        env.load_trusted(Axiom(NAME, params, type_))
    else:
        env.load_trusted(
            TheoremDecl(NAME, params, type_, problem.proof_term(replay(problem, source.tactics)), ())
        )
    # The challenge says what the axioms state, and the constants that kernels know by name.
    roots = [name for name in env if isinstance(env.get(name), Axiom) or name in COMPUTED] if deep else []
    with deep_stack():
        return export_ndjson(env, dict.fromkeys([*roots, NAME]), None if deep else base.kernel)


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit status: 0, 1 if there is no proof to export, 2 for input of another form.
    """
    parser = Parser(
        prog="python -m minilean export-proof",
        description="Write a statement, or a proof of it, that is given as JSON on standard input.",
    )
    parser.add_argument("--deep", action="store_true", help="prove the library anew and write it too")
    parser.add_argument("--seconds", type=int, help="processor time after which the process ends")
    parser.add_argument("--memory-mib", type=int, help="memory at which the process ends")
    options = parser.parse_args(list(argv))
    limit_process(options.seconds, options.memory_mib)
    try:
        source = Source.from_json(sys.stdin.read())
    except (ValueError, RecursionError) as error:
        print(f"standard input: {error}", file=sys.stderr)
        return 2
    try:
        text = proof_export(source, options.deep)
    except (ProofError, PositionError, KernelError) as error:
        print(str(error), file=sys.stderr)
        return 1
    sys.stdout.write(text)
    return 0
