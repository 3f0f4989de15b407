"""The drawings of the imports are those that the script makes now, and the script refuses rooms without layers."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
PACKAGES = ("minilean", "lean_gym", "trainers")


def draw(out: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "docs" / "draw_imports.py", "--root", root, "--out", out]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("drawings")
    result = draw(out)
    assert result.returncode == 0, result.stdout + result.stderr
    return out


def make_package(root: Path, modules: dict[str, str]) -> None:
    for name, source in modules.items():
        path = root / "minilean" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(source, encoding="utf-8")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_committed_drawing_is_up_to_date(drawn: Path, package: str) -> None:
    name = f"imports-{package}.svg"
    same = (ROOT / "docs" / name).read_text("utf-8") == (drawn / name).read_text("utf-8")
    assert same, f"docs/{name} is out of date: run `make docs` and commit it"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_boxes_overlap_and_every_folder_is_drawn(drawn: Path, package: str) -> None:
    picture = ElementTree.parse(drawn / f"imports-{package}.svg")
    boxes = [
        [float(box.attrib[key]) for key in ("x", "y", "width", "height")]
        for box in picture.iter(f"{SVG}rect")
    ]
    for at, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:at]:
            apart = x >= other_x + other_width or other_x >= x + width
            assert apart or y >= other_y + other_height or other_y >= y + height
    folders = {f"{path.parent.name}/" for path in (ROOT / package).glob("*/__init__.py")}
    assert folders <= {text.text for text in picture.iter(f"{SVG}text")}


def test_arrows_stand_for_imports_that_no_other_arrows_show(tmp_path: Path) -> None:
    make_package(
        tmp_path,
        {
            "low/x.py": "",
            "middle/x.py": "import minilean.low.x",
            "high/x.py": "import minilean.middle.x\nimport minilean.low.x",
        },
    )
    assert draw(tmp_path, tmp_path).returncode == 0
    picture = ElementTree.parse(tmp_path / "imports-minilean.svg")
    lines = [path for path in picture.iter(f"{SVG}path") if path.get("stroke")]
    heights = {text.text: float(text.attrib["y"]) for text in picture.iter(f"{SVG}text")}
    assert len(lines) == 2
    assert heights["high/"] < heights["middle/"] < heights["low/"]


def test_rooms_that_import_each_other_are_refused(tmp_path: Path) -> None:
    make_package(
        tmp_path,
        {
            "a/x.py": "import minilean.b.x",
            "a/y.py": "",
            "b/x.py": "def f():\n    import minilean.a.y",
            "c/x.py": "import minilean.b.x",
        },
    )
    result = draw(tmp_path, tmp_path)
    assert result.returncode == 1
    assert "minilean.b -> minilean.a: minilean.b.x imports minilean.a.y" in result.stdout
    assert "minilean.c" not in result.stdout
    assert not (tmp_path / "imports-minilean.svg").exists()
