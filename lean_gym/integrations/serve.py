"""`python -m lean_gym.integrations.serve`: the environment for clients over the network, by the OpenEnv protocol.

    python -m lean_gym.integrations.serve
    python -m lean_gym.integrations.serve --theorems nat --theorems FILE.jsonl --sessions 256 --processes 16

It needs the extra `openenv`. The prover of minilean runs in this machine's processes; clients send tactics only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from lean_gym.backends.registry import backend_names, isolation_of, resolve_name, unisolated
from lean_gym.command_line import Parser, offer_completion
from lean_gym.integrations.task_sets import SERVED

_MOST_MESSAGE_BYTES: Final = 1 << 20
"""Longest message of a client; a longer one ends its connection."""


def main(argv: Sequence[str] | None = None, program: str = "python -m lean_gym.integrations.serve") -> int:
    """Run the command line `argv`, by default that of the process.

    Args:
        argv: Words after the program's name.
        program: How the program was started, for messages.

    Returns:
        The exit status: 0 after the server was stopped, 1 without the extra `openenv`, 2 for wrong usage.
    """
    parser = Parser(prog=program, description="Serve the environment by the OpenEnv protocol.")
    parser.add_argument(
        "--theorems",
        action="append",
        metavar="SET",
        help=f"set or JSONL file; repeat for more ({', '.join(SERVED)})",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1: this machine)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen at (8000)")
    parser.add_argument("--sessions", type=int, default=64, help="most clients at once (64)")
    parser.add_argument("--processes", type=int, help="processes that prove (one per core)")
    parser.add_argument("--max-steps", type=int, default=32, help="tactics per episode (32)")
    parser.add_argument(
        "--reward", default="binary", help="the reward, see docs/lean_gym/rewards.md (binary)"
    )
    parser.add_argument(
        "--backend",
        default="minilean",
        choices=backend_names(),
        help="the prover; on real Lean tactics are programs",
    )
    offer_completion(parser)
    options = parser.parse_args(argv)

    try:
        import uvicorn

        from lean_gym.integrations.http_border import HeadsInTime
        from lean_gym.integrations.openenv.server.app import make_app
    except ModuleNotFoundError as error:
        if error.name not in ("uvicorn", "fastapi", "openenv"):
            raise
        missing = f"error: needs the package {error.name}; install it with: pip install 'lean-gym[openenv]'"
        print(missing, file=sys.stderr)
        return 1
    try:
        app = make_app(
            options.theorems or SERVED,
            options.sessions,
            options.processes,
            max_steps=options.max_steps,
            reward=options.reward,
            backend=options.backend,
        )
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    isolation = isolation_of(resolve_name(options.backend, {}), {})
    if isolation is not None and isolation != "bwrap":
        print(unisolated(isolation), file=sys.stderr)
    uvicorn.run(app, http=HeadsInTime, host=options.host, port=options.port, ws_max_size=_MOST_MESSAGE_BYTES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
