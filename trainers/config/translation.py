"""Translation of the words in `foreign.py` to our own, in a file or on a command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trainers.config import names
from trainers.config.base import Settings, section_of_field, shortened
from trainers.config.foreign import (
    ALGORITHM_KEY,
    ALGORITHM_SETTINGS,
    ALGORITHMS,
    LORA_ALPHA,
    LORA_PART,
    PASSES,
    REFERENCE,
    REFUSED,
    RENAMED,
    WORDS,
    Own,
)
from trainers.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Translated:
    """Settings in our own words.

    Attributes:
        values: The settings, nested like a file.
        notes: A line for every word that was translated.
        claims: Values of `num_train_epochs` and `reference_model`, which need the other settings.
    """

    values: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    claims: dict[str, Any] = field(default_factory=dict)


def translate(
    kind: type[Settings], program: str, values: Mapping[str, Any], words: Mapping[str, Any]
) -> Translated:
    """Translate the words of other systems in a file, or on a command line.

    Args:
        kind: The settings class of the program.
        program: The program's name, for messages.
        values: Settings nested like a file; those at the top may be words of other systems.
        words: Words of other systems that stand elsewhere, as from flags.

    Raises:
        ConfigError: A word has no counterpart, or says something else than another word.
    """
    top = kind.model_fields
    foreign = {
        name: value for name, value in values.items() if name not in top and name in {*WORDS, *REFUSED}
    }
    found = Translated({name: value for name, value in values.items() if name not in foreign})
    work = _Translation(kind, program, found)
    work.add_settings({**foreign, **words})
    work.add_algorithm_words()
    return found


class _Translation:
    """Work of one translation; fills in a `Translated`."""

    def __init__(self, kind: type[Settings], program: str, found: Translated) -> None:
        self._homes = section_of_field(kind)
        self._program = program
        self._found = found
        self._lora: dict[str, Any] = {}
        self._said: dict[str, str] = {}

    def add_settings(self, given: Mapping[str, Any]) -> None:
        """Translate settings.

        Raises:
            ConfigError: A word has no counterpart, or says something else than another word.
        """
        if refused := [name for name in given if name in REFUSED]:
            listed = "; ".join(f"{name}: {REFUSED[name]}" for name in refused)
            raise ConfigError(f"words without a counterpart here: {listed}")
        for name, value in given.items():
            word = WORDS[name]
            if name == "algorithm_config":
                self._found.notes.append("algorithm_config is algo_config here")
            own = word.becomes(value, self._homes)
            if not own and value != {}:
                instead = f"; use {word.instead}" if word.instead else ""
                raise ConfigError(
                    f"{name}: {self._program} has no counterpart of the value {shortened(value)}{instead}"
                )
            for place, each in own.items():
                self._put(name, place, each)
        if self._lora:
            self._put_lora(" and ".join(name for name in given if WORDS[name].ours == "`lora`"))
        if PASSES in self._found.claims and "max_iterations" in self._found.values:
            raise ConfigError(f"{PASSES} and max_iterations both say how long the run is; keep one")

    def add_algorithm_words(self) -> None:
        """Translate the algorithm's name, and the keys of its settings.

        Raises:
            ConfigError: A key says something else than another one.
        """
        section = self._found.values.get("algo")
        if not isinstance(section, Mapping) or "algo_config" not in self._homes:
            return
        section = self._found.values["algo"] = dict(section)
        name = section.get("algorithm")
        if isinstance(name, str) and name not in names.ALGORITHMS and name.lower() in ALGORITHMS:
            section["algorithm"] = ALGORITHMS[name.lower()]
            self._found.notes.append(f"algorithm {name} is {section['algorithm']} here")
        options = section.get("algo_config")
        if isinstance(options, Mapping):
            self._add_keys({str(key): value for key, value in options.items()})

    def _add_keys(self, options: dict[str, Any]) -> None:
        refused = [name for name in options if name in REFUSED]
        if refused:
            self.add_settings(dict.fromkeys(refused))
        plain = {key: value for key, value in options.items() if key in RENAMED}
        other = {key: value for key, value in options.items() if key in ALGORITHM_SETTINGS}
        own = {key: value for key, value in options.items() if key not in plain and key not in other}
        self._found.values["algo"]["algo_config"] = own
        given = dict(own)
        for name, value in plain.items():
            self._put(name, ALGORITHM_KEY + RENAMED[name], value)
        if "target_group_size" in other:
            self._put("target_group_size", "group_size", other.pop("target_group_size"))
        given |= {RENAMED[name]: value for name, value in plain.items()}
        for name, (word, value) in _algorithm_settings(other, given).items():
            self._put(word, ALGORITHM_KEY + name, value)

    def _put(self, word: str, place: str, value: Any) -> None:
        """Give a setting of ours its value.

        Raises:
            ConfigError: It has another one already.
        """
        if place in (PASSES, REFERENCE):
            self._found.claims[place] = value
            return
        if place.startswith(LORA_PART):
            self._lora[place.removeprefix(LORA_PART)] = value
            return
        if place == ALGORITHM_KEY + "group_size":  # a key of lean-grpo's `algorithm_config`, and a field here
            place = "group_size"
        values, name, path = self._found.values, place, place
        if place.startswith(ALGORITHM_KEY):
            values, name = (
                _part_of(_part_of(values, "algo"), "algo_config"),
                place.removeprefix(ALGORITHM_KEY),
            )
        elif home := self._homes[place]:
            values, path = _part_of(values, home), f"{home}.{place}"
        if name in values and values[name] != value:
            before = self._said.get(place, name)
            raise ConfigError(
                f"{word}: this says {name} {shortened(value)}, but {before} says {shortened(values[name])}; keep one"
            )
        values[name] = value
        self._said[place] = word
        if (
            word != "algorithm_config" or name == "group_size"
        ):  # its other keys have a line of their own, if any
            self._found.notes.append(f"{word} is {path} here: {shortened(value)}")

    def _put_lora(self, words: str) -> None:
        parts = {"alpha": LORA_ALPHA, **self._lora}
        if "r" not in parts:
            raise ConfigError(f"{words}: expected lora_rank as well")
        if isinstance(targets := parts.get("targets"), list | tuple):
            parts["targets"] = "+".join(map(str, targets))
        order = [name for name in ("r", "alpha", "targets") if name in parts]
        self._put(words, "lora", ",".join(f"{name}={parts[name]}" for name in order))


def _part_of(values: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a copy of the mapping under a name, which takes its place.

    Raises:
        ConfigError: Something else stands there.
    """
    part = values.get(name, {})
    if not isinstance(part, Mapping):
        raise ConfigError(f"{name}: expected settings under this section, got {shortened(part)}")
    copy = values[name] = dict(part)
    return copy


def _algorithm_settings(given: Own, own: Own) -> dict[str, tuple[str, Any]]:
    """Return our keys of `algo_config` for those of lean-grpo that are not plainly renamed.

    Args:
        given: Keys of lean-grpo that stand in `ALGORITHM_SETTINGS`.
        own: Our keys given beside them.

    Returns:
        For each key the word that it comes from, and its value.

    Raises:
        ConfigError: A value cannot be used.
    """
    found: dict[str, tuple[str, Any]] = {}
    clip = ("use_asymmetric_clip", "clip_low", "clip_high")
    found |= _bounds(clip, {"epsilon": 0.2, "epsilon_high": 0.2}, given)
    loss = ("use_asymmetric_loss", "ratio_clip_low", "ratio_clip_high")
    bounds = _bounds(loss, {"epsilon": 0.5, "epsilon_high": 1.5}, given)
    if bounds.get("epsilon") and "negative_advantage_scale" not in own:
        bounds["negative_advantage_scale"] = (loss[0], 0.8)
    found |= bounds
    usual = {
        "use_population_norm": ("population_size", 100, 0),
        "use_reward_shaping": ("sparse_reward_threshold", 0.9, 1.0),
    }
    for word, (key, on, off) in usual.items():
        if word in given:
            found[key] = (word, own.get(key, on) if _switch(word, given) else off)
    if (word := "normalize_advantages") in given:
        normalised = _switch(word, given)
        if not normalised or "advantage_norm" not in own:
            found["advantage_norm"] = (word, "standard" if normalised else "none")
    return found


def _bounds(words: tuple[str, str, str], usual: dict[str, float], given: Own) -> dict[str, tuple[str, Any]]:
    """Return the clip bounds for a switch of asymmetric clipping and its two bounds.

    Args:
        words: The switch, the word for the lower bound, the word for the upper bound.
        usual: Our two keys, with the bounds that hold where only the switch is given.
        given: Keys of lean-grpo.
    """
    switch, *bounds = words
    named = [word for word in bounds if word in given]
    if switch not in given and not named:
        return {}
    if _switch(switch, given | {switch: given.get(switch, True)}):
        pairs = zip(usual.items(), bounds, strict=True)
        return {
            key: (word if word in given else switch, given.get(word, value)) for (key, value), word in pairs
        }
    if named:
        raise ConfigError(f"{switch}: false leaves {named[0]} without effect; drop one of them")
    return {"epsilon_high": (switch, None)}


def _switch(name: str, given: Own) -> bool:
    if not isinstance(given[name], bool):
        raise ConfigError(f"{name}: expected true or false, got {shortened(given[name])}")
    return bool(given[name])


def iterations_of(passes: Any, theorems: int, per_iteration: int) -> int:
    """Return the number of iterations in which each theorem is drawn this often, rounded up.

    Raises:
        ConfigError: The number of passes is not positive.
    """
    if isinstance(passes, bool) or not isinstance(passes, int | float) or not 0 < passes < math.inf:
        raise ConfigError(f"{PASSES}: expected a number above 0, got {shortened(passes)}")
    return math.ceil(passes * theorems / per_iteration)
