"""Requests and errors of all routes: bodies read within a limit, OpenAI's form of an error, clients that go away."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from trainers.config.base import shortened
from trainers.config.serve import ServeConfig
from trainers.errors import PolicyError
from trainers.proving.serving.asks import Refused
from trainers.proving.serving.batching import QueueFull

_LOG: Final = logging.getLogger("uvicorn.error")
RETRY_AFTER_S: Final = 1
GONE: Final = 499
"""Status of a request whose client went away; nobody gets it, it is counted."""
_TYPES: Final = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}

Body = TypeVar("Body", bound=BaseModel)
Result = TypeVar("Result")


class Failure(HTTPException):
    """An answer that is an error; its message is put on one line.

    Attributes:
        param: The field of the request that is wrong.
        code: Name of the error for programs.
    """

    def __init__(
        self,
        status: int,
        message: str,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, " ".join(message.split()), dict(headers) if headers else None)
        self.param = param
        self.code = code


async def read(request: Request, kind: type[Body], config: ServeConfig) -> Body:
    """Read the body of a request, whatever content type it names.

    Args:
        request: The request.
        kind: Form of the body.
        config: Its `body_kib` is the size from which on a body is refused, without reading all of it; its `timeout`
            the seconds until all of it must be there.

    Raises:
        Failure: It is too large (413), comes too slowly (408), or has another form (400).
    """
    most_bytes = config.body_kib << 10
    too_large = Failure(413, f"the request is larger than {most_bytes} bytes", code="request_too_large")
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > most_bytes:
        raise too_large
    text = bytearray()
    try:
        async with asyncio.timeout(config.timeout):
            async for chunk in request.stream():
                text += chunk
                if len(text) > most_bytes:
                    raise too_large
    except ClientDisconnect:
        raise Failure(GONE, "the client went away") from None
    except TimeoutError:
        slow = f"the body was not complete within {config.timeout:g} seconds"
        # The rest of the body would be read as the next request.
        raise Failure(408, slow, code="timeout", headers={"Connection": "close"}) from None
    try:
        return kind.model_validate_json(bytes(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or None
        expected = str(problem["ctx"]["error"]) if problem["type"] == "value_error" else problem["msg"]
        got = "" if problem["type"] in ("missing", "json_invalid") else f", got {shortened(problem['input'])}"
        raise Failure(
            400, f"{f'{place}: ' if place else ''}{expected}{got}", place, problem["type"]
        ) from None


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of some work, which is cancelled when the client goes away.

    Args:
        request: The request; its body has been read.
        work: The work.

    Raises:
        Failure: The client went away.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Failure(GONE, "the client went away")
    finally:
        for task in (working, leaving):
            task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def answered(work: Coroutine[Any, Any, Result], timeout_s: float) -> Result:
    """Return the result of a request to a batcher, its errors as statuses.

    Args:
        work: The request.
        timeout_s: Its limit in seconds, for the message.

    Raises:
        Failure: Too many wait (429), it took too long (504), this policy cannot answer it (400), or fails (503).
    """
    try:
        return await work
    except QueueFull as error:
        raise Failure(
            429, str(error), code="queue_full", headers={"Retry-After": str(RETRY_AFTER_S)}
        ) from None
    except TimeoutError:
        raise Failure(504, f"no answer within {timeout_s:g} seconds", code="timeout") from None
    except Refused as refusal:
        raise Failure(400, str(refusal), code=refusal.code) from None
    except PolicyError as error:
        raise Failure(503, str(error), code="policy_error") from None
    except Failure:
        raise
    except Exception as error:  # a mistake of ours: the log has it, and the connection goes on
        _LOG.exception("a request failed")
        raise Failure(500, f"the server failed: {type(error).__name__}") from None


def failure_answer(_: Request, error: Exception) -> JSONResponse:
    """Return the answer to a request that failed, in OpenAI's form."""
    if not isinstance(error, HTTPException):
        error = Failure(500, f"the server failed: {type(error).__name__}")
    own = error if isinstance(error, Failure) else Failure(error.status_code, str(error.detail))
    kind = _TYPES.get(
        error.status_code, "invalid_request_error" if error.status_code < 500 else "server_error"
    )
    shown = {"message": str(own.detail), "type": kind, "param": own.param, "code": own.code}
    return JSONResponse({"error": shown}, error.status_code, headers=error.headers)


def events(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return server-sent events as OpenAI writes them, one JSON object each, and the mark of the end."""
    lines = [f"data: {json.dumps(row, ensure_ascii=False)}\n\n" for row in rows]
    return "".join([*lines, "data: [DONE]\n\n"])
