"""Presets in words: the table of all, and a page on one with a rendered prompt."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final

from trainers.policies.premises import Premise
from trainers.policies.presets.base import Preset, Shown
from trainers.policies.presets.catalogue import PREFIX, PRESETS
from trainers.policies.presets.view import rendered

WIDTH: Final = 112
SAMPLE: Final = Shown(
    state="p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    name="and_swap",
    statement="theorem and_swap (p q : Prop) : p ∧ q → q ∧ p",
    tactics=("intro h",),
    premises=(Premise("And.symm", "theorem And.symm : a ∧ b → b ∧ a"),),
)
"""State that a page shows the prompt of."""


def table() -> str:
    """Return a line for each preset: its name, what an answer is, its decoding, the score of its search, the model."""
    rows = [("preset", "answer", "decoding", "score", "model")]
    for preset in PRESETS.values():
        decoding = f"{preset.decoding.method} {preset.decoding.samples}"
        score = preset.search.score if preset.search.method == "best_first" else "-"
        rows.append((preset.name, preset.action, decoding, score, preset.about))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]])


def described(preset: Preset) -> dict[str, Any]:
    """Return the facts and settings of a preset, by their names on the page."""
    decoding, search = preset.decoding, preset.search
    return {
        "name": preset.name,
        "about": preset.about,
        "models": list(preset.hub),
        "architecture": preset.architecture,
        "answer": preset.action,
        "prompt_tokens": decoding.prompt_tokens,
        "answer_tokens": decoding.answer_tokens,
        "stop": list(preset.stop),
        "decoding": decoding.method,
        "samples": decoding.samples,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "search": search.method,
        "score": search.score,
        "length_exponent": search.length_exponent if search.score == "length_scaled" else None,
        "model_calls": search.calls,
        "seconds": search.seconds,
        "repairs": f"{search.repairs_each} of each failure, {search.repairs} rounds"
        if search.repairs
        else None,
        "published_search": search.published or None,
        "premises": preset.premises,
        "lean_trained": preset.lean_trained,
        "licence": preset.licence,
        "reported": preset.reported,
        "source": preset.source,
    }


def page(preset: Preset) -> str:
    """Return the facts and settings of a preset, and its prompt for a sample state."""
    lines = []
    for name, value in described(preset).items():
        shown = ", ".join(map(repr, value)) if name == "stop" else value
        shown = ", ".join(value) if name == "models" else shown
        if shown in ("", None):
            continue
        lines += textwrap.wrap(f"{name}: {shown}", WIDTH, subsequent_indent="  ", break_long_words=False)
    prompt = rendered(preset, SAMPLE)
    kind = (
        "prompt" if isinstance(preset.prompt(SAMPLE), str) else "messages, for the chat template of the model"
    )
    model = "" if preset.hub else "=FOLDER_OR_HUB_ID"
    use = f'python -m trainers.prove "theorem t (p : Prop) (h : p) : p" --policy {PREFIX}{preset.name}{model}'
    return "\n".join([*lines, "", f"--- {kind} ---", str(prompt), "--- end ---", "", use])
