"""Table of the programs: the verbs of `lean-gym`, and what `python -m` alone starts.

`python -m lean_gym` and `python -m trainers` list their programs from it. It imports the standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb.

    Attributes:
        purpose: Its line in the list.
        module: Module whose function `main` is the program.
        words: First words of the program's command line, before those of the user.
        alone: The program takes the words only: it is not told its name, and does not complete them.
        waits: Its import loads torch, which takes seconds.
    """

    purpose: str
    module: str
    words: tuple[str, ...] = ()
    alone: bool = False
    waits: bool = False

    @property
    def twin(self) -> str:
        """The same program without `lean-gym`."""
        return " ".join(["python -m", self.module.removesuffix(".__main__"), *self.words])


VERBS: Final[dict[str, Verb]] = {
    "train": Verb("train a policy with GRPO or another algorithm of its family", "trainers.grpo"),
    "sft": Verb("fine-tune a model on the steps of proofs", "trainers.sft"),
    "expert-iteration": Verb("sample, keep proofs, fine-tune on them, repeat", "trainers.expert_iteration"),
    "progress": Verb("train a model of the tactics that are left", "trainers.progress"),
    "retrieval": Verb("train, index or evaluate a retriever of premises", "trainers.retrieval"),
    "evaluate": Verb("measure a policy: pass@k with intervals", "trainers.evaluate"),
    "prove": Verb("search for a proof of a theorem with a policy", "trainers.prove"),
    "serve-policy": Verb("serve a policy to editors, agents and evaluations", "trainers.serve"),
    "report": Verb("write a page on runs: curves, theorems, proofs", "trainers.report"),
    "export-run": Verb("write the proofs of a run as Lean files", "trainers.export"),
    "push": Verb("put a policy with a model card on the Hugging Face hub", "trainers.push"),
    "lifelong": Verb("learn repositories one after another", "trainers.lifelong"),
    "database": Verb("keep repositories and their theorems in a database", "trainers.database"),
    "algorithms": Verb(
        "list the algorithms, or the settings of one", "trainers.algorithms.__main__", waits=True
    ),
    "presets": Verb("list published provers, or show the prompts of one", "trainers.presets"),
    "rewards": Verb("list the rewards and rules of step credit, or describe one", "trainers.rewards"),
    "datasets": Verb("list the theorem sets and generators, or show one", "lean_gym.datasets.__main__"),
    "convert": Verb("make a JSONL set of a benchmark or of Lean files", "lean_gym.datasets.convert"),
    "trace": Verb("make a data set of a Lean project", "lean_gym.__main__", ("trace",)),
    "validate": Verb("replay the reference proofs of theorem sets", "envs_data.validate"),
    "verify": Verb("judge finished scripts, one JSON object a line", "lean_gym.__main__", ("verify",)),
    "play": Verb("prove a theorem by hand in the terminal; --web: a page", "lean_gym.__main__", ("play",)),
    "serve": Verb("serve the environment by the OpenEnv protocol", "lean_gym.integrations.serve"),
    "mcp": Verb("serve proofs as tools to coding agents, by MCP", "lean_gym.__main__", ("mcp",)),
    "check": Verb("print Lean's messages about a file; --kernel lean", "lean_gym.__main__", ("check",)),
    "export": Verb("write a finished proof for other checkers", "minilean.__main__", ("export",), alone=True),
    "doctor": Verb("report which provers are usable, and what is missing", "lean_gym.__main__", ("doctor",)),
}
"""By name, in the order of the list."""

OTHERS: Final = (
    Verb("score a checker of proofs, one class of tricks a row", "lean_gym.checkers.__main__"),
    Verb("measure what automation scripts prove on a theorem set", "envs_data.automation.__main__"),
    Verb("answer Pantograph's protocol with the embedded Lean", "minilean.__main__", ("repl",)),
    Verb("judge an exported proof against an exported statement", "minilean.__main__", ("judge",)),
    Verb("prove the embedded Lean's library again", "minilean.__main__", ("recheck-library",)),
)
"""Programs without a verb."""


def programs() -> dict[str, str]:
    """Return the purposes of all programs, by their `python -m`."""
    return {each.twin: each.purpose for each in (*VERBS.values(), *OTHERS)}
