"""Model card of a policy, made from the folder of its run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final

import yaml

from trainers.reporting.run_folder import RunRecord

_TAGS: Final = ("lean4", "theorem-proving", "reinforcement-learning", "lean-gym")
_HUB_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_SHOWN: Final = (
    *("algo.algorithm", "theorems", "max_iterations", "rounds", "rollout.theorems_per_iteration"),
    *("rollout.group_size", "rollout.max_steps", "rollout.reward", "rollout.forbidden", "credit.credit"),
    *(
        "learner.learning_rate",
        "learner.lora",
        "warm_start.proof_share",
        "warm_start.warm_start_epochs",
        "seed",
    ),
)
"""Settings in the card; others may hold addresses and paths of the machine."""


def model_card(run: RunRecord, repository: str) -> str:
    """Return the text of `README.md`: metadata of the Hugging Face hub, results, use, training.

    Args:
        run: The run.
        repository: Name on the hub, `owner/name`.
    """
    header = yaml.safe_dump(_metadata(run, repository), sort_keys=False, allow_unicode=True)
    return f"---\n{header}---\n\n" + "\n".join(_body(run, repository))


def _metadata(run: RunRecord, repository: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "library_name": "transformers",
        "tags": list(_TAGS),
        "pipeline_tag": "text-generation",
    }
    base = str(run.settings.get("model", ""))
    if _HUB_ID.fullmatch(base):
        found["base_model"] = base
    rates = (run.summary.eval if run.summary else {}).get("after", {})
    if rates:
        data = _plain(run.settings.get("theorems", ""))
        found["model-index"] = [
            {
                "name": repository.rpartition("/")[2],
                "results": [
                    {
                        "task": {"type": "text-generation", "name": "theorem proving in Lean 4"},
                        "dataset": {"type": "lean-gym", "name": f"{data}, held-out theorems"},
                        "metrics": [
                            {"type": name, "name": name, "value": round(value, 4), "verified": False}
                            for name, value in rates.items()
                        ],
                    }
                ],
            }
        ]
    return found


def _body(run: RunRecord, repository: str) -> Iterator[str]:
    name, summary = repository.rpartition("/")[2], run.summary
    yield f"# {name}"
    yield ""
    yield "A policy for theorem proving in Lean 4. Its prompt is the goals as Lean prints them, its completion is one"
    yield "tactic. It was trained with lean-gym, where a reward of 1 means that a kernel re-checked the finished proof."
    yield ""
    yield "```"
    theorems = _plain(run.settings.get("theorems", "logic"))
    yield f"python -m trainers.evaluate --policy {repository} --theorems {theorems}"
    yield "```"
    if summary is not None and summary.eval:
        yield from ["", "## Results", "", "Held-out theorems, each proof verified:", ""]
        yield "| | before training | after |"
        yield "|---|---|---|"
        before, after = summary.eval.get("before", {}), summary.eval.get("after", {})
        for rate in before | after:
            yield f"| {rate} | {_percent(before.get(rate))} | {_percent(after.get(rate))} |"
        if summary.automation is not None:
            best, either = _percent(summary.automation.best), _percent(summary.automation.any)
            yield f"| automation, best single script; any script | {best}; {either} | |"
        yield ""
        if summary.new_proofs is not None:
            yield f"Training theorems proved whose reference proof was not shown: {summary.new_proofs}."
        if summary.tactics is not None:
            yield f"Tactics sampled in training: {summary.tactics}."
    yield from ["", "## Training", "", f"Prover: {_code(run.facts.backend or 'unknown')}. Settings:", ""]
    yield "| setting | value |"
    yield "|---|---|"
    for setting in _SHOWN:
        if setting in run.settings:
            yield f"| `{setting}` | {_code(_plain(run.settings[setting]))} |"
    yield from ["", "## Limits", ""]
    yield "The policy proposes tactics; only a prover tells whether they prove anything. The rates are those of the"
    yield "theorem set and the prover above, with the number of steps and samples of the run."
    yield ""


def _plain(value: object) -> str:
    """Return a setting as a text without the folders of this machine."""
    parts = str(value).split(",")
    return ",".join(PurePath(part.strip()).name if "/" in part else part.strip() for part in parts)


def _code(text: str) -> str:
    """Return a text as a span of code in a cell of a table."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return f"`{shown.replace('`', chr(39)).replace('|', '/')}`" if shown.strip() else "none"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
