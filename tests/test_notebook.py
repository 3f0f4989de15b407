"""examples/tour.ipynb runs from top to bottom, holds no outputs, and installs nothing where the package is there."""

from __future__ import annotations

import re
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.timeout(300)  # on a busy machine
TOUR = ROOT / "examples" / "tour.ipynb"


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Texts that the code cells print."""
    notebook = nbformat.read(TOUR, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=280,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("tour"))}},
    )
    client.execute()
    return [
        "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")
        for cell in code_cells(notebook)
    ]


@pytest.mark.filterwarnings("default")  # Jupyter's own
def test_it_runs_and_learns(printed: list[str]) -> None:
    install, prove, branch, reward, many, cheat, _, result = printed
    assert install == ""
    assert "reward 1.0, proved" in prove
    assert "(False, True, False)" in branch
    assert "rfl: +0.95" in reward
    assert re.search(r"proved \d of 8", many)
    assert cheat.count("] refused: ") == 4
    before, after = (float(rate) for rate in re.findall(r"'pass@1': '([\d.]+)%'", result))
    assert after > before


def test_it_is_stored_without_outputs() -> None:
    notebook = nbformat.read(TOUR, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in code_cells(notebook))


def test_its_badge_opens_this_file() -> None:
    text = nbformat.read(TOUR, as_version=4).cells[0].source
    assert re.search(
        r"\(https://colab\.research\.google\.com/github/\w+/lean-gym/blob/main/examples/tour\.ipynb\)", text
    )
