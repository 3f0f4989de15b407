"""`python -m lean_gym mcp`: episodes as tools of an MCP server, for coding agents.

    python -m lean_gym mcp                                        on stdin and stdout, as agents start it
    python -m lean_gym mcp --transport http --port 8001           for clients over HTTP, at /mcp
    python -m lean_gym mcp --theorems nat --theorems FILE.jsonl   theorems that clients may name

It needs the extra `mcp`. Clients send statements and tactics only: they cannot name a file, a prover or a limit.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import inspect
import json
import signal
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, Final, ParamSpec, TypeVar

import uvicorn
from gymnasium.error import Error as GymnasiumError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, ValidationError
from starlette.requests import Request

from lean_gym import __version__
from lean_gym.backends.registry import backend_names, isolation_of, resolve_name, unisolated
from lean_gym.command_line import Parser, offer_completion
from lean_gym.errors import LeanGymError, excerpt
from lean_gym.integrations.http_border import HeadsInTime
from lean_gym.integrations.listening import listen
from lean_gym.integrations.mcp_lemmas import MOST_FOUND, LemmaSearch
from lean_gym.integrations.mcp_proofs import (
    MOST_TACTICS,
    MOST_TRIED,
    NOBODY,
    Judgement,
    Owner,
    Proofs,
    Trial,
    View,
)
from lean_gym.integrations.shared_provers import SharedProvers
from lean_gym.integrations.task_sets import SERVED, TaskSets

INSTRUCTIONS: Final = (
    "Prove theorems in Lean 4, one tactic at a time. start_theorem gives a proof handle; pass it to the other tools. "
    "When no goals are left, call submit: only its verdict counts."
)
Handle = Annotated[str, Field(description="The `proof` that start_theorem or branch returned")]
_CLIENT: Final[ContextVar[Owner]] = ContextVar("client", default=NOBODY)
"""The client whose tool is running."""
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def told(tool: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Return a tool whose errors of use reach the model as one line, without a traceback."""

    @functools.wraps(tool)
    def answered(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        try:
            return tool(*args, **kwargs)
        except (LeanGymError, ValueError, GymnasiumError) as error:
            raise ToolError(" ".join(str(error).split())) from None

    return answered


class _Server(MCPServer[Any]):
    """Server whose messages about wrong arguments are one line."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool.

        Raises:
            ToolError: The tool is unknown, or refuses the arguments.
        """
        try:
            json.dumps(arguments, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:  # an answer that quotes it could not be sent
            raise ToolError(f"{name}: the arguments are not valid Unicode text: {error.reason}") from None
        _CLIENT.set(_client_of(context))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = error.__cause__.errors(include_url=False)[0]
            got = "" if wrong["type"] == "missing" else f", got {excerpt(wrong['input'])}"
            place = ".".join(map(str, wrong["loc"]))
            raise ToolError(f"{name}: {place}: {' '.join(wrong['msg'].split())}{got}") from None


def _client_of(context: Context[Any, Any] | None) -> Owner:
    """Return the client of a call: its address with its session, else its connection; nothing on pipes."""
    request = None if context is None else context.request_context.request
    if not isinstance(request, Request):
        return NOBODY
    address, port = request.client or ("", 0)
    # under the newest revision of the protocol a client has no session, and keeps a connection at most
    return Owner(address, request.headers.get("mcp-session-id") or f"port {port}")


class Tools:
    """The tools. Their docstrings are what a model reads.

    Args:
        proofs: The proofs.
        lemmas: Searches the library; `None` where the prover does not list its lemmas.
    """

    def __init__(self, proofs: Proofs, lemmas: LemmaSearch | None) -> None:
        self._proofs = proofs
        self._lemmas = lemmas

    def all(self) -> list[Callable[..., Any]]:
        """Return the tools, in the order in which clients list them."""
        tools: list[Callable[..., Any]] = [
            *(self.start_theorem, self.goals, self.apply_tactic, self.try_tactics, self.undo, self.branch),
            *(self.goto, self.submit),
        ]
        return tools if self._lemmas is None else [*tools, self.search_lemmas]

    def start_theorem(
        self,
        theorem: Annotated[str, Field(description="A Lean statement without `:=`, or a theorem's name")],
        context: Annotated[str, Field(description="Lean commands before it, e.g. `open Nat`")] = "",
    ) -> View:
        """Start proving a theorem; returns its proof handle and the first goals.

        Example: start_theorem(theorem="theorem t (p q : Prop) (h : p ∧ q) : q ∧ p")
        """
        return self._proofs.start(theorem, context, _CLIENT.get()).view()

    def goals(self, proof: Handle) -> View:
        """Show the goals of the present state again, with the tactics that led to it.

        Example: goals(proof="proof-1f")
        """
        return self._proofs.get(proof).view()

    def apply_tactic(
        self, proof: Handle, tactic: Annotated[str, Field(description="One Lean 4 tactic, without `by`")]
    ) -> View:
        """Run a tactic on the main goal. A refused tactic changes nothing; `error` says why.

        Example: apply_tactic(proof="proof-1f", tactic="constructor")
        """
        return self._proofs.get(proof).apply(tactic)

    def try_tactics(
        self, proof: Handle, tactics: Annotated[list[str], Field(min_length=1, max_length=MOST_TRIED)]
    ) -> list[Trial]:
        """Try several tactics on the present state and keep none of them.

        Example: try_tactics(proof="proof-1f", tactics=["simp", "omega", "exact h.1"])
        """
        return self._proofs.get(proof).trials(tactics)

    def undo(self, proof: Handle, count: Annotated[int, Field(description="How many tactics")] = 1) -> View:
        """Take back the last accepted tactics.

        Example: undo(proof="proof-1f", count=2)
        """
        return self._proofs.get(proof).undo(count)

    def branch(self, proof: Handle) -> View:
        """Make a second handle at the present state, to follow another idea while the first stays where it is.

        Example: branch(proof="proof-1f") returns proof "proof-2c"
        """
        return self._proofs.branch(proof, _CLIENT.get()).view()

    def goto(self, proof: Handle, state: Annotated[int, Field(description="A `state` of an answer")]) -> View:
        """Go back (or forward) to any state of this theorem that was reached before; 0 is the start.

        Example: goto(proof="proof-1f", state=3)
        """
        return self._proofs.get(proof).goto(state)

    def submit(self, proof: Handle) -> Judgement:
        """Ask for the verdict: whether the kernel accepted the whole proof, replayed from the bare statement.

        Example: submit(proof="proof-1f") returns proved, reward, axioms and the script
        """
        return self._proofs.get(proof).judgement()

    def search_lemmas(
        self,
        query: Annotated[str, Field(description="Words and symbols, all of which the signature must hold")],
        limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 20,
        proof: Annotated[str, Field(description="Leave out lemmas that this proof may not use")] = "",
    ) -> list[str]:
        """Find library lemmas by words of their names and statements.

        Example: search_lemmas(query="Nat add comm") or search_lemmas(query="n + 0")
        """
        assert self._lemmas is not None
        theorem = self._proofs.get(proof).theorem if proof else None
        return self._lemmas.find(query, limit, theorem)


def make_server(proofs: Proofs, lemmas: LemmaSearch | None) -> MCPServer[Any]:
    """Make the server.

    Args:
        proofs: The proofs of its clients.
        lemmas: As for `Tools`.
    """
    server = _Server("lean-gym", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    for tool in Tools(proofs, lemmas).all():
        server.add_tool(told(tool), description=inspect.getdoc(tool), structured_output=True)
    return server


def main(argv: Sequence[str], program: str = "python -m lean_gym mcp") -> int:
    """Run the command line.

    Args:
        argv: Words after the program's name.
        program: How the program was started, for messages.

    Returns:
        The exit status: 0 after the server was stopped, 2 for wrong usage.
    """
    options = _options(argv, program)
    try:
        sets = TaskSets(options.theorems or SERVED)
        # A proof's own budget ends it, never the limit of an episode.
        provers = SharedProvers(
            sets.theorems, options.processes, backend=options.backend, max_steps=options.max_tactics + 1
        )
        isolation = isolation_of(resolve_name(options.backend, {}), {})
        named = {theorem.name: theorem for theorem in sets.theorems}
        proofs = Proofs(
            provers,
            named,
            options.imports or (),
            most_tactics=options.max_tactics,
            evaluates=isolation is not None,
        )
        found = None if options.transport == "stdio" else listen(options.host, options.port)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if isolation is not None and isolation != "bwrap":
        print(unisolated(isolation), file=sys.stderr)
    server = make_server(proofs, LemmaSearch() if options.backend == "minilean" else None)
    # Ctrl-C is the way to stop it; a SIGTERM ends it in the same way, so that no prover is left.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with provers, contextlib.suppress(KeyboardInterrupt):
        if found is None:
            server.run("stdio")
        else:
            app = server.streamable_http_app(host=options.host)
            with found:
                config = uvicorn.Config(app, http=HeadsInTime, log_level="warning")
                uvicorn.Server(config).run(sockets=[found])
    return 0


def _options(argv: Sequence[str], program: str) -> argparse.Namespace:
    parser = Parser(prog=program, description="Serve proofs as tools by the MCP protocol.")
    parser.add_argument(
        "--transport", default="stdio", choices=("stdio", "http"), help="stdio, or streamable HTTP at /mcp"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1: this machine)")
    parser.add_argument("--port", type=int, default=8001, help="port to listen at (8001)")
    parser.add_argument(
        "--theorems",
        action="append",
        metavar="SET",
        help=f"set or JSONL file whose theorems clients may name; repeat for more ({', '.join(SERVED)})",
    )
    parser.add_argument(
        "--import", dest="imports", action="append", metavar="MODULE", help="module for clients' statements"
    )
    parser.add_argument("--processes", type=int, help="processes that prove (one per core)")
    parser.add_argument(
        "--max-tactics", type=int, default=MOST_TACTICS, help=f"tactics per started theorem ({MOST_TACTICS})"
    )
    parser.add_argument(
        "--backend",
        default="minilean",
        choices=backend_names(),
        help="the prover; on real Lean tactics and statements are programs",
    )
    offer_completion(parser)
    return parser.parse_args(argv)
