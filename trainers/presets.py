"""List the published provers whose formats are known, or show one with a prompt.

python -m trainers.presets                      every preset, one line each
python -m trainers.presets --show bfs-prover-v2 its facts and settings, and the prompt of a sample state
python -m trainers.presets --json               the same as JSON, also with --show

Use one as `--policy preset:NAME` or `--model preset:NAME`, with a model of your own as `preset:NAME=FOLDER_OR_HUB_ID`.
Exit status: 0, or 2 for a name that does not exist.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from lean_gym.command_line import Parser, offer_completion
from trainers.config.cli import ending_in_one_line
from trainers.policies.presets.catalogue import PRESETS, find_preset
from trainers.policies.presets.listing import SAMPLE, described, page, table
from trainers.policies.presets.view import rendered


def main(argv: Sequence[str] | None = None, program: str = "python -m trainers.presets") -> int:
    """Run the command line `argv`, by default that of the process, and return the exit status."""
    parser = Parser(
        prog=program,
        description=(__doc__ or "").replace("python -m trainers.presets", program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--show", metavar="NAME", help="show one preset and a prompt")
    parser.add_argument("--json", action="store_true", help="print JSON")
    offer_completion(parser)
    given = parser.parse_args(argv)
    with ending_in_one_line():
        if given.show is None:
            rows = {name: described(preset) for name, preset in PRESETS.items()}
            print(json.dumps(rows, ensure_ascii=False, indent=1) if given.json else table())
            return 0
        preset = find_preset(given.show)
        if given.json:
            entry = described(preset) | {"prompt": str(rendered(preset, SAMPLE))}
            print(json.dumps(entry, ensure_ascii=False, indent=1))
        else:
            print(page(preset))
    return 0


if __name__ == "__main__":
    sys.exit(main())
