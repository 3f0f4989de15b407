"""The HTML file of a report, which needs nothing but itself.

The script of the page is named to the browser by its SHA-256 (Content-Security-Policy); it runs no other script and
requests nothing. Charts stand in a block of JSON, in which `<`, `>` and `&` are escaped; beside them the episodes,
compressed, which are unpacked when the first theorem is unfolded.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from lean_gym.play.web.serving import HOST, PORT
from trainers.reporting.curves import MAIN, MORE, Series, figures
from trainers.reporting.gather import RunReport
from trainers.reporting.goal_tree import tree_of
from trainers.reporting.rows import EpisodeRow
from trainers.reporting.run_folder import RunRecord
from trainers.reporting.theorems import HELD_OUT, NEW, STATUSES

_OUTCOMES: Final = {
    "proved": "proved",
    "step_limit": "out of steps",
    "time_limit": "out of time",
    "rejected": "finished, and refused by the verification",
    "crashed": "given up: the prover crashed",
    "running": "cut off",
    "tactic_error": "ended by a refused tactic",
}
_FIGURES: Final = ("pass@1", "pass@8")


@dataclass(slots=True)
class _Texts:
    """Texts of the page, each stored once."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def render(runs: Sequence[RunReport]) -> str:
    """Return the page about one or several runs.

    Args:
        runs: At least one; their names differ.
    """
    environment = Environment(
        loader=PackageLoader("trainers.reporting", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "shown": shown_value}
    source = environment.loader
    assert source is not None
    script = _inline(source.get_source(environment, "page.js")[0])
    text = environment.get_template("page.html").render(
        runs=runs,
        title=", ".join(run.record.name for run in runs),
        script=script,
        digest=_digest(script),
        style=source.get_source(environment, "page.css")[0],
        data=page_data(runs),
        colours=colours([run.record for run in runs]),
        overview=[overview(run) for run in runs],
        figures=_FIGURES,
        differing=differing_settings([run.record for run in runs]),
        statuses=STATUSES,
        outcomes=_OUTCOMES,
        version=version("lean-gym"),
    )
    # A name of a file may hold bytes that are no text.
    return text.encode("utf-8", "replace").decode("utf-8")


def page_data(runs: Sequence[RunReport]) -> dict[str, Any]:
    """Return the data of the page's script: charts, what `unpacked` reads, and `replay`, where proofs are replayed.

    Runs of the same settings are one line in a chart.
    """
    grouped: dict[int, list[RunReport]] = {}
    for run, colour in zip(runs, colours([run.record for run in runs]), strict=True):
        grouped.setdefault(colour, []).append(run)
    shown = [
        Series(colour, [(each.record.name, each.curves, each.automation) for each in same])
        for colour, same in grouped.items()
    ]
    text = json.dumps(_episodes(runs), ensure_ascii=False, separators=(",", ":"))
    packed = gzip.compress(text.encode("utf-8", "replace"), mtime=0)
    return {
        "main": figures(MAIN, shown),
        "more": figures(MORE, shown),
        "packed": base64.b64encode(packed).decode(),
        "replay": f"http://{HOST}:{PORT}/",
    }


def unpacked(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the episodes to show of each run and theorem, and their texts.

    A text stands as its number in `texts`. `theorem` is a statement with its context, to replay proofs of it, or
    `None`. An episode is a mapping; a goal is (number of its parent, text, tactic or -1, refused tactics with counts,
    whether the tactic also worked on an earlier goal).
    """
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(data["packed"])))
    return found


def _episodes(runs: Sequence[RunReport]) -> dict[str, Any]:
    texts = _Texts()
    episodes = []
    for run in runs:
        history = bool(run.record.settings.get("rollout.history"))
        episodes.append(
            [
                {
                    "proofs": [_episode(each, texts, history) for each in run.proofs.get(line.name, ())],
                    "failed": [_episode(each, texts, history) for each in run.failed.get(line.name, ())],
                    "theorem": None
                    if line.context is None
                    else [texts.number(line.statement), texts.number(line.context)],
                }
                for line in run.lines
            ]
        )
    return {"episodes": episodes, "texts": list(texts.numbers)}


def _episode(episode: EpisodeRow, texts: _Texts, history: bool) -> dict[str, Any]:
    nodes = tree_of(episode, history)
    source = "evaluation" if episode.iteration is None else f"iteration {episode.iteration}"
    return {
        "about": f"{source}: {_OUTCOMES.get(episode.outcome, episode.outcome)}",
        "script": [texts.number(tactic) for tactic in episode.tactics],
        "goals": [
            [
                node.parent,
                texts.number(node.goal),
                -1 if node.tactic is None else texts.number(node.tactic),
                [[texts.number(tactic), count] for tactic, count in node.refused.most_common()],
                node.joint,
            ]
            for node in nodes
        ],
    }


def overview(run: RunReport) -> dict[str, Any]:
    """Return the figures at the head of the page: rates before and after, automation, proofs, iterations, time."""
    summary, curves = run.record.summary, run.curves
    rates = {}
    for name in _FIGURES:
        curve = curves.get(f"eval/{name.replace('@', '_at_')}", ())
        stored = summary.eval if summary else {}
        before = stored.get("before", {}).get(name, curve[0][1] if curve else None)
        after = stored.get("after", {}).get(name, curve[-1][1] if len(curve) > 1 else None)
        rates[name] = (before, after)
    solve = curves.get("proof/solve_rate", ())
    seconds = summary.total_seconds if summary else None
    return {
        "rates": rates,
        "solve": (solve[0][1], solve[-1][1]) if solve else None,
        "iterations": solve[-1][0] if solve else 0,
        "new": sum(line.status == NEW and line.part != HELD_OUT for line in run.lines),
        "held_out": sum(line.status == NEW and line.part == HELD_OUT for line in run.lines),
        "tactics": summary.tactics if summary else None,
        "minutes": None if seconds is None else seconds / 60,
    }


def differing_settings(records: Sequence[RunRecord]) -> list[tuple[str, list[str]]]:
    """Return the settings that differ between runs, with their values; a setting that a run lacks is a dash."""
    names = dict.fromkeys(name for record in records for name in record.settings)
    rows = []
    for name in names:
        values = [
            shown_value(record.settings[name]) if name in record.settings else "–" for record in records
        ]
        if len(set(values)) > 1:
            rows.append((name, values))
    return rows


def colours(records: Sequence[RunRecord]) -> list[int]:
    """Return for each run the number of the first run that has its settings, the seed aside."""
    settings = [
        {name: shown_value(value) for name, value in record.settings.items() if name != "seed"}
        for record in records
    ]
    return [settings.index(own) for own in settings]


def percent(share: float | None) -> str:
    """Return a share as a percentage, a dash for `None`."""
    return "–" if share is None else f"{100 * share:.1f}%"


def shown_value(value: object) -> str:
    """Return the value of a setting as text."""
    if value is None or value == "":
        return "none" if value is None else '""'
    return str(value).lower() if isinstance(value, bool) else str(value)


def _inline(script: str) -> str:
    """Return a script as it may stand in a page; browsers hash it with plain line breaks.

    Raises:
        ValueError: It would end the element that it stands in.
    """
    plain = script.replace("\r\n", "\n").replace("\r", "\n")
    if "</script" in plain.lower() or "<!--" in plain:
        raise ValueError("expected a script without `</script` and `<!--`")
    return plain


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
