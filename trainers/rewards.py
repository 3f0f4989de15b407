"""List the rewards and the rules of step credit, or describe one.

python -m trainers.rewards                  every reward and every rule of step credit, one line each
python -m trainers.rewards --show novelty   the parameters of one, and its documentation
python -m trainers.rewards --json           the same as JSON, also with --show

A reward pays for steps (`--reward`), and step credit divides what an episode earned among its tactics (`--credit`).
Exit status: 0, or 2 for a name that does not exist.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.errors import unknown_name
from lean_gym.rewards import reward_names
from lean_gym.rewards.overview import reward_overview
from trainers.extras import install

_RULE = re.compile(r"`(\w+)`: (.+?)(?=; `|\.?$)")


def reward_lines() -> dict[str, str]:
    """Return the purpose of every registered reward by name."""
    return {name: reward_overview(name).purpose for name in reward_names()}


def credit_lines() -> dict[str, str]:
    """Return the meaning of every rule of step credit by name, from the settings; none where pydantic is missing."""
    if find_spec("pydantic") is None:
        return {}
    from trainers.config.base import help_of
    from trainers.config.credit import CreditConfig

    return dict(_RULE.findall(help_of(CreditConfig, "credit")))


def described(name: str) -> dict[str, Any]:
    """Return a reward or a rule of step credit in full.

    Args:
        name: Its name.

    Returns:
        `kind` (`reward` or `step credit`), `name`, `purpose`, `parameters` (each a mapping with `name`, `type`,
        `default`, and for step credit `meaning`; a `default` of `None` means that a value has to be given) and `text`.

    Raises:
        ValueError: There is no such name.
    """
    credits = credit_lines()
    if name in credits:
        parameters = _credit_parameters()
        return {
            "kind": "step credit",
            "name": name,
            "purpose": credits[name],
            "parameters": parameters,
            "text": f"{credits[name]}.",
        }
    if name not in reward_names():
        raise ValueError(unknown_name("reward or step credit", name, [*reward_names(), *credits]))
    found = reward_overview(name)
    options = [{"name": each.name, "type": each.type, "default": each.default} for each in found.options]
    return {
        "kind": "reward",
        "name": name,
        "purpose": found.purpose,
        "parameters": options,
        "text": found.text,
    }


def _credit_parameters() -> list[dict[str, str]]:
    """Return the settings beside the rule itself; the meaning of each says which rules read it."""
    from trainers.config.base import allowed_values, help_of
    from trainers.config.credit import CreditConfig

    return [
        {
            "name": name,
            "type": values,
            "default": json.dumps(CreditConfig.model_fields[name].default),
            "meaning": help_of(CreditConfig, name),
        }
        for name, values in allowed_values(CreditConfig).items()
        if name != "credit"
    ]


def _table(title: str, lines: Mapping[str, str], width: int) -> str:
    return "\n".join([title, *(f"  {name:<{width}}  {purpose}" for name, purpose in lines.items())])


def _page(entry: Mapping[str, Any]) -> str:
    """Return the text of `--show`."""
    parts = [f"{entry['name']} ({entry['kind']})", ""]
    for each in entry["parameters"]:
        given = "has to be given" if each["default"] is None else f"= {each['default']}"
        parts.append(f"  {each['name']}: {each['type']} {given}")
        if "meaning" in each:
            parts += textwrap.wrap(each["meaning"], 112, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join([*parts, "", entry["text"]])


def main(argv: Sequence[str] | None = None, program: str = "python -m trainers.rewards") -> int:
    """Run the command line `argv`, by default that of the process, and return the exit status."""
    parser = Parser(
        prog=program,
        description=(__doc__ or "").replace("python -m trainers.rewards", program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--show", metavar="NAME", help="describe one reward or one rule of step credit")
    parser.add_argument("--json", action="store_true", help="print JSON")
    offer_completion(parser)
    given = parser.parse_args(argv)
    if given.show is not None:
        try:
            entry = described(given.show)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        with unless_closed():
            print(json.dumps(entry, ensure_ascii=False, indent=1) if given.json else _page(entry))
        return 0
    rewards, credits = reward_lines(), credit_lines()
    with unless_closed():
        if given.json:
            print(json.dumps({"rewards": rewards, "step_credit": credits}, ensure_ascii=False, indent=1))
            return 0
        width = max(map(len, [*rewards, *credits]))
        print(
            _table("rewards (--reward NAME, or a mixture such as novelty:0.3+efficiency:0.2)", rewards, width)
        )
        if credits:
            print("\n" + _table("step credit (--credit NAME)", credits, width))
        else:
            print(f"\nstep credit: part of the trainers; {install('pydantic')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
