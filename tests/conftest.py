"""Order of the test files."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with the longest time limits first, so that no process is left alone with a long one at the end.

    Files with the same limit keep their order, which is random.
    """
    longest: dict[Path, float] = {}
    for item in items:
        limit = item.get_closest_marker("timeout")
        longest[item.path] = max(longest.get(item.path, 0.0), limit.args[0] if limit else 0.0)
    items.sort(key=lambda item: longest[item.path], reverse=True)
