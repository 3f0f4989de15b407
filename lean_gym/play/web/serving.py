"""The page at a local address: `python -m lean_gym play --web`."""

from __future__ import annotations

import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from lean_gym.types import Theorem

HOST: Final = "127.0.0.1"
PORT: Final = 8731
"""Port of the page by default; a report's links lead there."""


_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'"
)
"""Content-Security-Policy, for the worker too: nothing is loaded from elsewhere, whatever a tactic says."""

_TYPES: Final = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
}


class PageServer(ThreadingHTTPServer):
    """Server of the files in one folder, for this machine alone.

    Args:
        folder: From `lean_gym.play.web.bundle.bundle`.
        listener: Socket that listens, from `lean_gym.integrations.listening.listen`; closed with the server.
    """

    daemon_threads = True

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        address = listener.getsockname()
        super().__init__(address, partial(_Handler, directory=str(folder)), bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = address

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_port}/"


class _Handler(SimpleHTTPRequestHandler):
    def guess_type(self, path: Any) -> str:
        """Return the type of a file; browsers insist on those of `_TYPES`, which a machine's table may lack."""
        return _TYPES.get(Path(path).suffix) or super().guess_type(path)

    def end_headers(self) -> None:
        """Let browsers ask whether a file has changed, and read it as what it is."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """Refuse: a folder without a page has nothing to show."""
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def fragment(theorem: Theorem, tactics: tuple[str, ...] = ()) -> str:
    """Return what an address has after the page to open it with a theorem, and with a proof to replay."""
    values = [("theorem", theorem.statement), ("context", theorem.context), *(("tactic", t) for t in tactics)]
    return "#" + urlencode([(name, value) for name, value in values if value])
