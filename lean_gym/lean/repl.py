"""`python -m lean_gym.lean.repl`: Lean's own tactics behind Pantograph's protocol.

One command a line on standard input, `NAME {json}`, one answer a line on standard output, until the input ends. The
commands are those that `lean_gym.backends.pantograph` asks for, and two for the judgement by a process that never saw
a tactic: `frontend.export` writes what a proof declares, or a theorem and all that it rests on, and `frontend.judge`
judges what a proof declares.

Source: Pantograph `Main.lean`, `Repl.lean`, `Pantograph/Protocol.lean` (0.3.15).
"""

from __future__ import annotations

import gc
import itertools
import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Final

from lean_gym.command_line import Parser, end_with_parent, private_output, serve_lines, write_line
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.frontend import FILE, Frontend, Message, StatementError
from lean_gym.lean.judge import Judge, exported
from lean_gym.lean.library import find_library
from lean_gym.lean.tactics import Proof, Stepper

READY: Final = "ready."
_STACK_BYTES: Final = 1 << 29
_LONGEST_MS: Final = (1 << 31) - 1
_COLLECT_EVERY: Final = 1000
"""Requests between two searches for garbage."""
Json = dict[str, Any]
_OPTIONS: Final[Json] = {
    "printJsonPretty": False,
    "printExprPretty": True,
    "printExprAST": False,
    "printDependentMVars": False,
    "noRepeat": False,
    "printAuxDecls": False,
    "printImplementationDetailHyps": False,
    "automaticMode": True,
    "timeout": 0,
}
_NAME: Final = r"(?:«[^»]*»|[^\s«»])+"
_HYPOTHESIS: Final = re.compile(rf"({_NAME}(?: {_NAME})*) :(?=[ \n])")
_SIGNS: Final = ("⊢", "|")


class Refusal(Exception):
    """A command that fails.

    Attributes:
        kind: One of Pantograph's names of errors.
        desc: The reason, for a reader.
    """

    def __init__(self, kind: str, desc: str) -> None:
        super().__init__(desc)
        self.kind = kind
        self.desc = desc


class Session:
    """State of a REPL between commands. A command that fails does not change it.

    Args:
        frontend: Lean with its environment.
    """

    def __init__(self, frontend: Frontend) -> None:
        self._frontend = frontend
        self._stepper = Stepper(frontend)
        self._judge = Judge(frontend)
        self._options = dict(_OPTIONS)
        self._states: dict[int, Proof] = {}
        self._next = 0
        self._commands: dict[str, Callable[[Json], Json]] = {
            "options.set": self._set_options,
            "options.print": lambda payload: dict(self._options),
            "stat": lambda payload: {"nGoals": len(self._states)},
            "reset": self._reset,
            "goal.start": self._start,
            "goal.tactic": self._step,
            "goal.print": self._print,
            "goal.delete": self._delete,
            "frontend.distil": self._distil,
            "frontend.process": self._process,
            "frontend.export": self._export,
            "frontend.judge": self._judged,
        }

    def answer(self, line: str) -> Json:
        """Return the answer to a request; any failure becomes one."""
        name, _, rest = line.strip().partition(" ")
        try:
            handler = self._commands.get(name)
            if handler is None:
                raise Refusal("command", f"Unknown command {name}")
            payload = json.loads(rest) if rest.strip() else {}
            if not isinstance(payload, dict):
                raise Refusal("command", f"{name}: got {rest[:60]}, expected an object")
            return handler(payload)
        except Refusal as refusal:
            return {"error": refusal.kind, "desc": refusal.desc}
        except UnicodeEncodeError as error:
            return _failure(f"the request is no valid text: {error.reason}")
        except (ValueError, RecursionError) as error:
            return _failure(f"{name}: {' '.join(str(error).split())}")

    # --- options and states -----------------------------------------------------------------------------------

    def _set_options(self, payload: Json) -> Json:
        for name, value in payload.items():
            if type(value) is not type(_OPTIONS.get(name)):
                raise Refusal("command", f"options.set: got {name!r} = {value!r}, expected one of {_OPTIONS}")
            if type(value) is int and not 0 <= value <= _LONGEST_MS:
                raise Refusal(
                    "command", f"options.set: {name}: expected milliseconds from 0 to {_LONGEST_MS}"
                )
        self._options |= payload
        return {}

    def _reset(self, payload: Json) -> Json:
        count = len(self._states)
        self._states.clear()
        return {"nGoals": count}

    def _delete(self, payload: Json) -> Json:
        for number in _list_of(payload, "stateIds", int):
            self._states.pop(number, None)
        return {}

    def _state(self, payload: Json) -> Proof:
        number = payload.get("stateId")
        proof = self._states.get(number) if type(number) is int else None
        if proof is None:
            raise Refusal("index", f"Invalid state index {number}")
        return proof

    def _added(self, proof: Proof) -> int:
        number = self._next
        self._states[number] = proof
        self._next += 1
        return number

    def _goals(self, proof: Proof) -> list[Json]:
        return [_goal(text) for text in self._stepper.shown(proof)]

    # --- proofs -----------------------------------------------------------------------------------------------

    def _start(self, payload: Json) -> Json:
        # A proposition of its own: an unknown name is a mistake, no parameter.
        text = f"set_option autoImplicit false in\nexample : {_text_of(payload, 'expr')} := by sorry"
        try:
            proof = self._stepper.start(text)
        except StatementError as error:
            raise Refusal("elab", str(error)) from None
        return {"stateId": self._added(proof), "root": "root"}

    def _distil(self, payload: Json) -> Json:
        try:
            proof = self._stepper.start(_text_of(payload, "file"))
        except StatementError as error:
            raise Refusal("io", str(error)) from None
        return {"targets": [{"stateId": self._added(proof), "goals": self._goals(proof)}]}

    def _step(self, payload: Json) -> Json:
        before = self._state(payload)
        text = _text_of(payload, "tactic")
        if not next(self._stepper.goals(before), None):
            raise Refusal("index", "Invalid goal index 0")
        limit = self._options["timeout"]
        step = self._stepper.run(before, text, limit / 1000 if limit else None)
        if step.parse_error is not None:
            return {"hasSorry": False, "hasUnsafe": False, "parseError": step.parse_error}
        if step.stopped and step.proof is None:
            raise Refusal("io", "interrupt")
        messages = [_message(message) for message in step.messages]
        if step.proof is None:
            return {"hasSorry": False, "hasUnsafe": False, "messages": messages}
        return {
            "nextStateId": self._added(step.proof),
            "goals": self._goals(step.proof),
            "messages": messages,
            "hasSorry": self._stepper.uses_sorry(before, step.proof),
            "hasUnsafe": False,
        }

    def _print(self, payload: Json) -> Json:
        return {"goals": self._goals(self._state(payload))}

    # --- files ------------------------------------------------------------------------------------------------

    def _process(self, payload: Json) -> Json:
        compiled = self._frontend.compile(_text_of(payload, "file"))
        units = [
            {"boundary": [unit.start, unit.end], "messages": [_message(message) for message in unit.messages]}
            for unit in compiled.units
        ]
        return {"units": units}

    def _export(self, payload: Json) -> Json:
        file = _text_of(payload, "file")
        if "theorem" in payload:
            given = frozenset(_list_of(payload, "given", str))
            problem, rows = exported(self._frontend, file, _text_of(payload, "theorem"), given)
        else:
            problem, rows = exported(self._frontend, file)
        return {"problem": problem, "rows": rows}

    def _judged(self, payload: Json) -> Json:
        try:
            judgement = self._judge.judge(_text_of(payload, "statement"), _text_of(payload, "rows"))
        except StatementError as error:
            raise Refusal("elab", str(error)) from None
        return {"problem": judgement.problem, "axioms": list(judgement.axioms)}


# --- goals ------------------------------------------------------------------------------------------------------


def _goal(text: str) -> Json:
    """Return a goal as Pantograph sends it, of Lean's own text, which is sent as well.

    A hypothesis begins at the left margin, and its further lines are indented.
    """
    lines = text.split("\n")
    goal: Json = {"pp": text, "vars": [], "fragment": "tactic"}
    at = 0
    if lines[0].startswith("case "):
        goal["userName"], at = lines[0].removeprefix("case "), 1
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end].startswith("  "):
            end += 1
        part = "\n".join([lines[at], *(line[2:] for line in lines[at + 1 : end])])
        at = end
        if part.startswith(_SIGNS):
            goal["isConversion"] = part[0] == "|"
            goal["target"] = {"pp": part[1:].strip()}
            continue
        found = _HYPOTHESIS.match(part)
        if found is None:
            continue
        kind, value = _with_value(part[found.end() :].strip())
        for name in re.findall(_NAME, found[1]):
            row: Json = {"userName": name, "isInaccessible": "✝" in name, "type": {"pp": kind}}
            goal["vars"].append(row if value is None else {**row, "value": {"pp": value}})
    return goal


def _with_value(text: str) -> tuple[str, str | None]:
    """Split the type of a hypothesis from the value behind `:=`, which stands outside of brackets and binders."""
    depth = binders = 0
    for mark in re.finditer(r"[(\[{⟨]|[)\]}⟩]|:=|\b(?:let|have)\b", text):
        if mark[0] in "([{⟨":
            depth += 1
        elif mark[0] in ")]}⟩":
            depth -= 1
        elif depth == 0 and mark[0] == ":=":
            if not binders:
                return text[: mark.start()].strip(), text[mark.end() :].strip()
            binders -= 1
        elif depth == 0:
            binders += 1
    return text, None


def _message(message: Message) -> Json:
    position = {"line": message.start[0], "column": message.start[1]}
    end = None if message.end is None else {"line": message.end[0], "column": message.end[1]}
    return {
        "severity": message.severity,
        "data": message.text,
        "pos": position,
        "endPos": end,
        "fileName": FILE,
        "caption": "",
        "kind": "[anonymous]",
        "isSilent": False,
        "keepFullRange": False,
    }


# --- requests ---------------------------------------------------------------------------------------------------


def _text_of(payload: Json, key: str) -> str:
    value = payload.get(key)
    if not isinstance(value, str):
        raise Refusal("command", f"{key}: String expected")
    return value


def _list_of(payload: Json, key: str, kind: type) -> list[Any]:
    value = payload.get(key)
    if not isinstance(value, list) or not all(type(item) is kind for item in value):
        raise Refusal("command", f"{key}: Array expected")
    return value


def serve(frontend: Frontend, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer requests until they end, or one is empty."""
    session = Session(frontend)
    numbers = itertools.count(1)

    def answer(line: bytes) -> str | None:
        if next(numbers) % _COLLECT_EVERY == 0:
            gc.collect()
        if not line.strip():
            return None
        try:
            return _encoded(session.answer(line.decode()))
        except UnicodeDecodeError as error:
            return _encoded(_failure(f"the line is not UTF-8: {error.reason}"))

    write_line(out, READY)
    serve_lines(lines, out, answer, lambda problem: _encoded(_failure(problem)))


def _encoded(answer: Json) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _failure(text: str) -> Json:
    return {"error": "command", "desc": text}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the REPL as a process and return its exit status."""
    parser = Parser(prog="python -m lean_gym.lean.repl", description="Lean's tactics on stdin and stdout.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="module to import")
    parser.add_argument("--library", metavar="FILE", help="Lean's library libleanshared.so")
    parser.add_argument("--folder", metavar="DIR", action="append", default=[], help="compiled modules")
    # Lean's core options come along, as for Pantograph's REPL; the commands of a theorem set them too.
    options, _ = parser.parse_known_args(arguments)
    end_with_parent()
    out = private_output()
    # Another thread must never free an object of Lean's: its counts are not atomic.
    gc.disable()
    # Lean's parser and elaborator recurse, and end the process where the stack ends.
    threading.stack_size(_STACK_BYTES)
    status = 1

    def run() -> None:
        nonlocal status
        try:
            library = find_library(options.library)
            serve(Frontend(library, options.folder, options.modules), sys.stdin.buffer, out)
            status = 0
        except BackendUnavailable as error:
            print(f"error: {error}", file=sys.stderr)
        except BrokenPipeError:  # the client has closed the pipe
            status = 0

    thread = threading.Thread(target=run, name="Lean")
    thread.start()
    thread.join()
    return status


if __name__ == "__main__":
    sys.exit(main())
