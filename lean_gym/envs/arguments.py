"""Checks of what users pass to environments: one line that names the argument, what it got and what it expects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from lean_gym.envs.picture import check_pillow
from lean_gym.errors import excerpt, unknown_name

RENDER_MODES: Final = ("ansi", "human", "rgb_array")
# Far more than any machine has, and little enough for every interface of the system.
_MOST_COUNT: Final = 10**12
_MOST_SECONDS: Final = 10**9


def check_count(name: str, value: object, least: int, most: int = _MOST_COUNT) -> int:
    """Return an integer from `least` to `most`.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        limit = f" and <= {most}" if isinstance(value, int) and value > most else ""
        raise ValueError(f"{name}: got {excerpt(value)}, expected an integer >= {least}{limit}")
    return int(value)


def check_seconds(name: str, value: object) -> None:
    """Refuse what is no time limit.

    Raises:
        ValueError: Not a number of seconds above 0 and at most 10^9, about 30 years.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= _MOST_SECONDS:  # type: ignore[operator]
        limit = f" and <= {_MOST_SECONDS}" if number and value > 0 and value < math.inf else ""  # type: ignore[operator]
        raise ValueError(f"{name}: got {excerpt(value)}, expected a finite number of seconds > 0{limit}")


def check_options(name: str, value: object) -> None:
    """Refuse what are no keyword arguments.

    Raises:
        ValueError: Not a mapping whose keys are strings.
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name}: got {excerpt(value)}, expected a mapping from names to values")


def check_actions(actions: object, count: int) -> Sequence[str]:
    """Return the actions of several episodes, which are not looked at.

    Raises:
        ValueError: Not a list, tuple or array of so many.
    """
    if isinstance(actions, str | bytes) or not isinstance(actions, Sequence | np.ndarray):
        raise ValueError(
            f"actions: got {excerpt(actions)}, expected a list with a tactic for each of {count} episodes"
        )
    if len(actions) != count:
        raise ValueError(f"actions: got {len(actions)}, expected one for each of {count} episodes")
    return actions  # type: ignore[return-value]


def check_env_ids(env_ids: object, count: int) -> list[int]:
    """Return the numbers of episodes.

    Raises:
        ValueError: Not a list of different integers from 0 to `count - 1`.
    """
    valid = isinstance(env_ids, Sequence | np.ndarray | range) and not isinstance(env_ids, str | bytes)
    numbers = list(env_ids) if valid else []  # type: ignore[call-overload]
    valid = valid and all(
        isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one < count
        for one in numbers
    )
    if not valid or len(set(numbers)) != len(numbers):
        raise ValueError(
            f"env_ids: got {excerpt(env_ids)}, expected a list of different numbers from 0 to {count - 1}"
        )
    return [int(one) for one in numbers]


def check_points(points: object, kind: type, count: int) -> None:
    """Refuse what is no mapping from numbers of episodes to saved points.

    Raises:
        ValueError: It is none, or names an episode that does not exist.
    """
    if not isinstance(points, Mapping) or not all(isinstance(point, kind) for point in points.values()):
        raise ValueError(
            f"points: got {excerpt(points)}, expected a mapping from numbers of episodes to points of save()"
        )
    if not set(points) <= set(range(count)):
        raise ValueError(f"points: got {excerpt(list(points))}, expected numbers from 0 to {count - 1}")


def check_mask(name: str, mask: npt.ArrayLike | None, count: int) -> list[int]:
    """Return the numbers of the episodes that a mask selects; `None` selects all.

    Raises:
        ValueError: Not a Boolean array of shape `(count,)`.
    """
    if mask is None:
        return list(range(count))
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (count,):
        raise ValueError(
            f"{name}: got an array of dtype {array.dtype} and shape {array.shape}, expected bool and ({count},)"
        )
    return [int(slot) for slot in np.flatnonzero(array)]


def check_autoreset_mode(mode: object) -> AutoresetMode:
    """Return the autoreset mode, also by its name.

    Raises:
        ValueError: There is none of that name.
    """
    names = [one.value for one in AutoresetMode]
    if isinstance(mode, AutoresetMode) or mode in names:
        return AutoresetMode(mode)
    raise ValueError(unknown_name("autoreset mode", str(mode), names))


def check_render_mode(render_mode: str | None) -> str | None:
    """Refuse a render mode that does not exist.

    Raises:
        ValueError: Unknown mode.
        DependencyNotInstalled: Pillow is not installed, and the mode needs it.
    """
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(unknown_name("render mode", str(render_mode), RENDER_MODES))
    if render_mode == "rgb_array":
        check_pillow()
    return render_mode


def check_reset_options(options: dict[str, Any] | None, known: tuple[str, ...]) -> None:
    """Refuse reset options that would be ignored.

    Raises:
        ValueError: No mapping, or an unknown option.
    """
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise ValueError(
            f"options: got {excerpt(options)}, expected a mapping with some of the keys {', '.join(known)}"
        )
    for name in options:
        if name not in known:
            raise ValueError(unknown_name("reset option", str(name), known))


def check_tactic(action: object) -> str:
    """Refuse an action that is no text.

    Raises:
        TypeError: Not a string.
    """
    if not isinstance(action, str):
        raise TypeError(
            f"action: got {excerpt(action)} ({type(action).__name__}), expected one tactic as a string"
        )
    return str(action)


def refuse_copy(kind: str) -> None:
    """Say why an environment cannot be pickled or copied.

    Raises:
        TypeError: Always.
    """
    raise TypeError(
        f"{kind}: an environment with its prover cannot be pickled or copied; pass a function that makes one, or use "
        "save() and restore() to branch an episode"
    )
