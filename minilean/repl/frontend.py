"""Commands on files: `frontend.process`, `frontend.distil`.

Source: Pantograph `Repl.lean` (`frontend_process`, `frontend_distil`), `Pantograph/Frontend/Distil.lean`, 0.3.15;
`sorrys` of `frontend.process` is that of 0.3.4.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from minilean.repl.compile import ANONYMOUS, Unit, compile_text
from minilean.repl.distil import distilled, search_targets, with_holes
from minilean.repl.session import Session
from minilean.repl.show import goals_of
from minilean.repl.wire import Fields, Json, Refusal


def frontend_process(session: Session, fields: Fields) -> Json:
    """`frontend.process`: run a file; messages, new constants, tactic invocations, `sorry`s as goals."""
    name, text = fields.optional_text("fileName"), fields.optional_text("file")
    header, inherit = fields.flag("readHeader"), fields.flag("inheritEnv")
    invocations = fields.optional_text("invocations")
    sorrys, constants = fields.flag("sorrys"), fields.flag("newConstants")
    if (name is None) == (text is None):
        raise Refusal("arguments", "Exactly one of {fileName, file} must be supplied")
    if fields.flag("typeErrorsAsGoals"):
        raise Refusal("arguments", "unsupported: minilean has no `typeErrorsAsGoals`")
    if name is not None:
        text = _read(name)
    assert text is not None
    compiled = compile_text(session, text, name or ANONYMOUS, header, invocations is not None)
    if invocations is not None:
        units = [{"invocations": [i.as_json() for i in unit.invocations]} for unit in compiled.units]
        Path(invocations).write_text(json.dumps({"units": units}, ensure_ascii=False), "utf-8")
    at = ByteOffsets(compiled.text)
    answers = []
    for unit in compiled.units:
        answer: Json = {
            "boundary": [at[unit.start], at[unit.end]],
            "messages": unit.messages,
        }
        if invocations is not None:
            answer["nInvocations"] = len(unit.invocations)
        if constants:
            answer["newConstants"] = [decl.name for decl in unit.constants]
        if sorrys and unit.with_sorry and unit.before is not None:
            answer.update(_sorrys(session, at, unit))
        answers.append(answer)
    if inherit:
        session.env, session.scope = compiled.env, compiled.scope
    return {"units": answers}


def _read(name: str) -> str:
    try:
        return Path(name).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal("io", f"{name} is not UTF-8: {error.reason}") from None


class ByteOffsets:
    """Conversion of offsets in a text to offsets in its UTF-8 bytes; each conversion encodes at most one block."""

    _BLOCK = 1024

    def __init__(self, text: str) -> None:
        self._text = text
        blocks = (text[i : i + self._BLOCK] for i in range(0, len(text), self._BLOCK))
        self._starts = [0, *accumulate(len(block.encode()) for block in blocks)]

    def __getitem__(self, offset: int) -> int:
        block = offset // self._BLOCK
        return self._starts[block] + len(self._text[block * self._BLOCK : offset].encode())


def _sorrys(session: Session, at: ByteOffsets, unit: Unit) -> Json:
    """Return the `sorry`s of a unit as one goal state."""
    goal_state = with_holes(session, unit, unit.main or unit.with_sorry[0])
    goals = goal_state.state.goals
    goal_state = replace(goal_state, root=goals[0] if len(goals) == 1 else None)
    places = [[at[start], at[end]] for start, end in unit.sorry_places]
    return {
        "goalStateId": session.add_state(goal_state),
        "goals": goals_of(goal_state, session.options),
        # A `sorry` that runs on several goals has one position for all of them.
        "goalSrcBoundaries": places if len(places) == len(goals) else [],
    }


def frontend_distil(session: Session, fields: Fields) -> Json:
    """`frontend.distil`: every declaration with a `sorry` becomes a goal state, without itself in scope."""
    text, binder = fields.text("file"), fields.optional_text("binderName")
    ignore_values = fields.flag("ignoreValues", True)
    compiled = compile_text(session, text)
    if compiled.errors:
        raise Refusal("io", "\n".join(str(entry["data"]) for entry in compiled.errors))
    states = [distilled(session, target, binder, ignore_values) for target in search_targets(compiled)]
    answers = [(session.add_state(state), goals_of(state, session.options)) for state in states]
    return {"targets": [{"stateId": state_id, "goals": goals} for state_id, goals in answers]}
