"""The GRPO family, one page each: advantages and a loss on plain tensors, no environment and no model.

    algorithm = create_algorithm("grpo", group_size=8)
    algorithm.compute_advantages([0.0, 0.5, 1.0, 0.3, 0.8])
    algorithm.compute_loss(batch)

`python -m trainers.algorithms` prints the table of all. To add one, write a subclass of `base.Algorithm`: in a module
of your own, and name it by its import path `package.module:Name`; or in a file here with a line in
`trainers.config.names.ALGORITHMS`. CONTRIBUTING has an example.

    grpo.py dr_grpo.py dapo.py gspo.py dgpo.py      a page for each algorithm
    cispo.py gmpo.py sapo.py luspo.py vespo.py rloo.py reinforce_pp.py
    base.py            the base class: advantages, loss, and requests to a trainer
    batch.py           the tensors of a loss
    settings.py        frozen settings with ranges, the shared options
    advantages.py      returns to advantages: group, population, consensus, sparse rewards
    ratios.py          probability ratios, clipping, averaging
    kl.py              KL estimators
    preferences.py     preference pairs and the DPO loss
    rollout_rules.py   dynamic sampling, group sizes, overlong charge, optimiser steps
    step_credit.py     credit for single steps of an episode
    value_credit.py    the same from a value of states

The table of each page compares our defaults with the paper's; `-` means that we know of no value in the paper.
"""

from __future__ import annotations

from typing import Any

from lean_gym.errors import imported_name, unknown_name
from trainers.algorithms.base import Algorithm
from trainers.algorithms.batch import LossBatch
from trainers.config import names

__all__ = ["ALGORITHMS", "Algorithm", "LossBatch", "create_algorithm", "find_algorithm"]

ALGORITHMS: dict[str, type[Algorithm]] = {
    name: imported_name("algorithm", f"{__name__}.{place}") for name, place in names.ALGORITHMS.items()
}


def find_algorithm(name: str) -> type[Algorithm]:
    """Return the class registered as `name`, or that of an import path `package.module:Name`.

    Raises:
        ValueError: The name is unknown, or the path does not lead to a complete subclass of `Algorithm`.
    """
    if ":" in name:
        return _checked(imported_name("algorithm", name), name)
    if name not in ALGORITHMS:
        raise ValueError(unknown_name("algorithm", name, ALGORITHMS))
    return ALGORITHMS[name]


def _checked(found: object, path: str) -> type[Algorithm]:
    """Return what an import path led to, if it is a complete algorithm."""
    kind = f"algorithm {path!r}"
    if not isinstance(found, type) or not issubclass(found, Algorithm):
        raise ValueError(f"{kind}: expected a subclass of trainers.algorithms.Algorithm, got {found!r}")
    missing = [*sorted(found.__abstractmethods__), *({"name", "settings_type"} - set(dir(found)))]
    if missing:
        raise ValueError(
            f"{kind}: expected a complete subclass of Algorithm, got one without {', '.join(missing)}"
        )
    return found


def create_algorithm(name: str, **config: Any) -> Algorithm:
    """Make the algorithm registered as `name`.

    Args:
        name: A key of `ALGORITHMS`, or an import path `package.module:Name`.
        **config: The algorithm's own settings.

    Raises:
        ValueError: The name or a setting is unknown, or a setting is out of range.
    """
    return find_algorithm(name)(**config)
