"""Conduct of HTTP servers towards strangers: names under which they answer, and time for the head of a request.

A page in the user's browser reaches the servers of this machine by a name of its own that it lets point to it (DNS
rebinding). The browser takes such a server for the page's own, so no rule about origins applies, but the request has
that name in its header `Host`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_S: Final = 10.0
"""Seconds from the first byte of a request, or from the connection, until its head must be complete."""
_EVERYWHERE: Final = ("", "0.0.0.0", "::")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class KnownHosts:
    """Application that answers requests for known names only: addresses, names of this machine, and those given.

    Args:
        app: The application.
        host: Where the server listens. A server that listens everywhere answers to the name of the machine as well.
        names: Further names; `*` among them permits every name.
    """

    def __init__(self, app: App, host: str, names: Collection[str] = ()) -> None:
        self._app = app
        own = (socket.gethostname(),) if host in _EVERYWHERE else (host,)
        self._names = {name.lower().rstrip(".") for name in (*names, *own)}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket") or self.knows(_host_of(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _refuse(send, _host_of(scope))

    def knows(self, host: str) -> bool:
        """Return whether requests for a name are answered.

        Args:
            host: The header `Host`, with or without a port.
        """
        if host.startswith("["):
            name = host[1:].partition("]")[0]
        else:
            name = host.partition(":")[0] if host.count(":") == 1 else host
        name = name.lower().rstrip(".")
        if "*" in self._names or name in self._names or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True  # no page has an address as its name


def _host_of(scope: Message) -> str:
    found = [value for name, value in scope["headers"] if name == b"host"]
    return bytes(found[0]).decode("latin-1") if len(found) == 1 else ""


async def _refuse(send: Send, host: str) -> None:
    message = f"requests for the host {host[:100]!r} are refused; --hosts permits further names"
    error = {"message": message, "type": "permission_error", "param": None, "code": "unknown_host"}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class HeadsInTime(H11Protocol):
    """HTTP/1.1 of uvicorn that closes a connection whose request does not have a complete head in `HEAD_S` seconds."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Pass the arguments on, as uvicorn gives them."""
        super().__init__(*args, **options)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEAD_S, self._end_late)

    def data_received(self, data: bytes) -> None:
        """Wait no longer once the head of a request is there."""
        super().data_received(data)
        if not self._has_no_request():
            self._wait_no_longer()
        elif self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(HEAD_S, self._end_late)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to another protocol."""
        self._wait_no_longer()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def _has_no_request(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # `None` before the first request
        return self.transport.get_protocol() is self and (cycle is None or cycle.response_complete)

    def _wait_no_longer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end_late(self) -> None:
        self._late = None
        if self._has_no_request():
            self.transport.close()
