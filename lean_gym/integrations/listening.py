"""Sockets that servers listen at, with one line where an address cannot be had."""

from __future__ import annotations

import os
import socket


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; clients that come before it is served wait.

    Args:
        host: Name or address of this machine.
        port: Its port; 0 takes a free one.

    Raises:
        ValueError: It cannot be listened at.
    """
    if not 0 <= port <= 65535:  # a resolver takes the remainder
        raise ValueError(f"port: got {port}, expected a number from 0 to 65535")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number is not None and number > 0 else str(error)
        raise ValueError(
            f"cannot listen at {host}, port {port}: {reason}; another --port may be free, 0 takes a free one"
        ) from None
