"""The loop: one command a line on stdin, one answer a line on stdout, until stdin ends.

    minilean-repl Init                       # the modules to import; minilean has its own library for them
    minilean-repl Init --maxHeartbeats=400000
    minilean-repl --version
    python -m minilean repl Init             # the same program

Source: Pantograph `Main.lean`, `Repl.lean` (`execute`), 0.3.15.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from minilean.command_line import end_with_parent, private_output, serve_lines, write_line
from minilean.kernel.errors import DeepRecursion, KernelError
from minilean.meta.budget import MAX_HEARTBEATS
from minilean.meta.errors import RECURSION, MetaError
from minilean.proof import limit_shared_terms
from minilean.repl import environment, frontend, goals, session, steps, subsume, terms, track
from minilean.repl.compile import imported
from minilean.repl.session import Session, heartbeats_of
from minilean.repl.wire import Fields, Json, Refusal, encode, parse_request
from minilean.syntax.errors import ParseError

VERSION = "0.3.15"
"""The version of Pantograph whose protocol is implemented."""
READY = "ready."

Handler = Callable[[Session, Fields], Json]

COMMANDS: dict[str, tuple[str, Handler]] = {
    "reset": ("Reset", session.reset),
    "stat": ("Stat", session.stat),
    "options.set": ("OptionsSet", session.options_set),
    "options.print": ("OptionsPrint", session.options_print),
    "expr.echo": ("ExprEcho", terms.expr_echo),
    "env.describe": ("EnvDescribe", environment.env_describe),
    "env.module_read": ("EnvModuleRead", environment.env_module_read),
    "env.catalog": ("EnvCatalog", environment.env_catalog),
    "env.inspect": ("EnvInspect", environment.env_inspect),
    "env.add": ("EnvAdd", environment.env_add),
    "env.parse": ("EnvParse", environment.env_parse),
    "goal.start": ("GoalStart", goals.goal_start),
    "goal.tactic": ("GoalTactic", steps.goal_tactic),
    "goal.continue": ("GoalContinue", goals.goal_continue),
    "goal.subsume": ("GoalSubsume", subsume.goal_subsume),
    "goal.delete": ("GoalDelete", goals.goal_delete),
    "goal.print": ("GoalPrint", goals.goal_print),
    "frontend.process": ("FrontendProcess", frontend.frontend_process),
    "frontend.distil": ("FrontendDistil", frontend.frontend_distil),
    "frontend.track": ("FrontendTrack", track.frontend_track),
}
UNSUPPORTED = frozenset(["env.save", "env.load", "goal.save", "goal.load", "frontend.refactor"])


def new_session(imports: Sequence[str] = ("Init",), heartbeats: int = MAX_HEARTBEATS) -> Session:
    """Return a new session: minilean's library, `sorry` as an axiom, and imported files of the working directory.

    Raises:
        Refusal: A module cannot be imported.
    """
    base, scope = imported(imports)
    return Session(base, tuple(imports), base, scope, heartbeats=heartbeats)


def execute(repl: Session, command: str, payload: Any) -> Json:
    """Run one command; any failure becomes an answer."""
    if command in UNSUPPORTED:
        return Refusal("io", f"unsupported: minilean has no `{command}`").as_json()
    if command not in COMMANDS:
        return Refusal("command", f"Unknown command {command}").as_json()
    structure, handler = COMMANDS[command]
    started = time.monotonic()
    limit_shared_terms(repl.base, repl.env)
    try:
        return handler(repl, Fields(structure, payload))
    except Exception as error:
        refusal = _refusal(error)
    # A failure caused by the time limit cannot be distinguished from another failure at that moment.
    return (repl.interrupt(started) or refusal).as_json()


def _refusal(error: Exception) -> Refusal:
    """Return the refusal that reports an exception of a handler."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, (DeepRecursion, RecursionError)):
        return Refusal("exception", RECURSION)
    if isinstance(error, (MetaError, KernelError, ParseError)):
        return Refusal("exception", str(error))
    if isinstance(error, OSError):
        return Refusal("io", f"{error.strerror}: {error.filename}")
    if isinstance(error, MemoryError):
        return Refusal("main", "out of memory")
    # A defect of minilean: it must not end the session, whose other proofs are intact.
    return Refusal("main", f"internal error of minilean: {type(error).__name__}: {error}")


def answer(repl: Session, line: bytes) -> str | None:
    """Return the answer to one line, `None` to end the session."""
    try:
        text = line.decode("utf-8")
        if not text.strip():
            return None
        command, payload = parse_request(text)
    except UnicodeDecodeError as error:
        return encode(Refusal("command", f"the line is not UTF-8: {error.reason}").as_json())
    except Refusal as refusal:
        return encode(refusal.as_json())
    pretty = repl.options.printJsonPretty
    return encode(execute(repl, command, payload), pretty)


def serve(repl: Session, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer lines until they end or one is empty."""
    serve_lines(
        lines,
        out,
        lambda line: answer(repl, line),
        lambda problem: encode(Refusal("command", problem).as_json()),
    )


def main(arguments: Sequence[str]) -> int:
    """Run the REPL as a process; returns its exit status."""
    if list(arguments) == ["--version"]:
        print(VERSION)
        return 0
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    try:
        heartbeats = _heartbeats([a for a in arguments if a.startswith("--")])
        imports = [a for a in arguments if not a.startswith("--")]
        repl = new_session(imports or ("Init",), heartbeats)
    except (ValueError, Refusal) as error:
        print(f"uncaught exception: {error}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()
    out = private_output()
    try:
        write_line(out, READY)
        serve(repl, sys.stdin.buffer, out)
    except BrokenPipeError:
        # The client has closed the pipe.
        return 0
    return 0


def _heartbeats(options: Sequence[str]) -> int:
    """Return the bound that Lean's core options set; options without an effect here are reported on standard error."""
    bound = MAX_HEARTBEATS
    for option in options:
        name, _, value = option[2:].partition("=")
        if name != "maxHeartbeats":
            print(f"minilean: the option {option} has no effect", file=sys.stderr)
        elif not value.isdecimal() or len(value) > 18:
            raise ValueError(f"invalid option {option}, expected --maxHeartbeats=NUMBER")
        else:
            bound = heartbeats_of(int(value))
    return bound
