"""The yardstick: what a fixed list of automation scripts proves, see `python -m envs_data.automation --help`.

scripts.py      the scripts, their placeholders
measuring.py    trying them on theorems
cache.py        results kept in the user's cache folder
shipped.py      results for the sets on which runs are measured by default, in shipped.json
__main__.py     the command
"""

from envs_data.automation.measuring import SECONDS, Measured, measure, wrong_flags
from envs_data.automation.scripts import SCRIPTS, definitions, filled

__all__ = ["SCRIPTS", "SECONDS", "Measured", "definitions", "filled", "measure", "wrong_flags"]
