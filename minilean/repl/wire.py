"""Format of requests, answers and errors in Pantograph's protocol.

A request is `command {json}` or `{"cmd": command, "payload": {json}}`; an answer is one line of JSON. All failures,
also requests that cannot be read, are answered with `{"error": kind, "desc": text}`.

Source: Pantograph `Main.lean`, `Pantograph/Protocol.lean` (0.3.15); the wording of type errors is that of Lean 4's
derived `FromJson` instances.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

Json = dict[str, Any]


class Refusal(Exception):
    """A command that fails; the answer is `{"error": kind, "desc": text}`.

    Attributes:
        kind: One of Pantograph's error names: `command index parse elab typing arguments structure invalid
            operation exception frontend io main`.
        desc: The reason, for a reader.
    """

    def __init__(self, kind: str, desc: str) -> None:
        super().__init__(desc)
        self.kind = kind
        self.desc = desc

    def as_json(self) -> Json:
        """Return the answer that reports the refusal."""
        return {"error": self.kind, "desc": self.desc}


def parse_request(line: str) -> tuple[str, Any]:
    """Return the name of a command and its payload, `None` when it has none.

    Raises:
        Refusal: The line is not a request.
    """
    line = line.strip()
    if not line.startswith("{"):
        name, _, rest = line.partition(" ")
        return name, _decode(rest) if rest.strip() else None
    request = _decode(line)
    name = request.get("cmd")
    if not isinstance(name, str):
        raise Refusal("command", "Pantograph.Protocol.Command.cmd: String expected")
    return name, request.get("payload")


def _decode(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_no_constant)
        if "\\u" in text:
            # An escaped half of a surrogate pair is not a character: it cannot be encoded in an answer.
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        raise Refusal("command", f"offset {error.pos}: {error.msg}") from None
    except RecursionError:
        raise Refusal("command", "the JSON nests too deeply") from None
    except ValueError as error:
        raise Refusal("command", f"the JSON is not valid: {error}") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def encode(answer: Json, pretty: bool = False) -> str:
    """Return an answer as text, keys in alphabetical order; on one line unless `pretty`."""
    if pretty:
        return json.dumps(answer, ensure_ascii=False, sort_keys=True, indent=1)
    return json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Fields:
    """The fields of a payload, checked one by one. Unknown fields are ignored, as in Pantograph.

    In messages an optional field is written with a question mark, as Pantograph declares it.

    Args:
        structure: The name of Pantograph's structure for this payload, e.g. `GoalTactic`, for messages.
        payload: The payload of the request; only an object has fields.
    """

    def __init__(self, structure: str, payload: Any) -> None:
        self._structure = structure
        self._values: Json = payload if isinstance(payload, dict) else {}

    def text(self, name: str) -> str:
        """Return a required string."""
        value = self.optional_text(name, name)
        return self._wrong(name, "String expected") if value is None else value

    def optional_text(self, name: str, label: str = "") -> str | None:
        """Return a string or `None`; `label` is Pantograph's name of the field where it is not `name?`."""
        value = self._values.get(name)
        if value is None or isinstance(value, str):
            return value
        self._wrong(label or f"{name}?", "String expected")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a required array of strings."""
        value = self.optional_texts(name, name)
        return self._wrong(name, "expected JSON array, got 'null'") if value is None else value

    def optional_texts(self, name: str, label: str = "") -> tuple[str, ...] | None:
        """Return an array of strings or `None`."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self._wrong(label or f"{name}?", f"expected JSON array, got '{_excerpt(value)}'")
        if not all(isinstance(x, str) for x in value):
            self._wrong(label or f"{name}?", "String expected")
        return tuple(value)

    def number(self, name: str) -> int:
        """Return a required natural number."""
        value = self.optional_number(name, name)
        return self._wrong(name, "Natural number expected") if value is None else value

    def optional_number(self, name: str, label: str = "") -> int | None:
        """Return a natural number or `None`."""
        value = self._values.get(name)
        if value is None or _is_natural(value):
            return value
        self._wrong(label or f"{name}?", "Natural number expected")

    def numbers(self, name: str) -> list[int]:
        """Return a required array of natural numbers."""
        value = self._values.get(name)
        if not isinstance(value, list):
            self._wrong(name, f"expected JSON array, got '{_excerpt(value)}'")
        if not all(_is_natural(x) for x in value):
            self._wrong(name, "Natural number expected")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a Boolean, `default` when the field is missing."""
        value = self.optional_flag(name, name)
        return default if value is None else value

    def optional_flag(self, name: str, label: str = "") -> bool | None:
        """Return a Boolean or `None`."""
        value = self._values.get(name)
        if value is None or isinstance(value, bool):
            return value
        self._wrong(label or f"{name}?", "Bool expected")

    def _wrong(self, label: str, problem: str) -> NoReturn:
        field = f"Pantograph.Protocol.{self._structure}.{label}"
        raise Refusal("command", f"Unable to parse json: {field}: {problem}")


def _is_natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _excerpt(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
