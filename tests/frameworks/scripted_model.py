"""A model behind OpenAI's chat protocol whose answers are a function of the dialogue."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""Messages of the dialogue -> the next message, without its role."""


def says(text: str) -> dict[str, Any]:
    return {"content": text}


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "content": None,
        "tool_calls": [{"index": 0, "id": "call", "type": "function", "function": function}],
    }


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Serve the model within the block; yields the address for clients."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", **answer(body["messages"])}
            reason = "tool_calls" if "tool_calls" in message else "stop"
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            base = {"id": "answer", "created": 0, "model": "scripted"}
            if body.get("stream"):
                choice = {"index": 0, "delta": message, "finish_reason": reason}
                chunk = {**base, "object": "chat.completion.chunk", "choices": [choice], "usage": usage}
                text, kind = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream"
            else:
                choice = {"index": 0, "message": message, "finish_reason": reason}
                whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
                text, kind = json.dumps(whole), "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
