"""Make `property_goals` and `property_terms` importable by the property tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
