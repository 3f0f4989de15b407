"""README's tree is the tree: each listed path exists, and a directory shown with contents is shown whole."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOT_OURS = re.compile(r"\..*|__pycache__|__init__\.py|runs|build|dist|.*\.egg-info")


@dataclass(frozen=True)
class Entry:
    """One line of the tree: a path relative to the root, `/`-terminated for directories, and its comment."""

    path: str
    comment: str


def parse_tree(text: str) -> list[Entry]:
    """Read the fenced block marked `tree` from a Markdown text; two spaces of indentation are one level."""
    block = re.search(r"^```tree\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert block is not None, "README.md has no ```tree block"
    entries: list[Entry] = []
    parents: list[str] = []
    for line in block.group(1).splitlines():
        name, _, comment = line.strip().partition(" ")
        depth = (len(line) - len(line.lstrip())) // 2
        parents[depth:] = [name]
        entries.append(Entry("".join(parents), comment.strip()))
    return entries


def problems(root: Path, entries: list[Entry]) -> list[str]:
    """Say what the tree gets wrong about the directory `root`."""
    listed = {entry.path for entry in entries}
    found = [f"{path} is listed and missing" for path in sorted(listed) if not _exists(root, path)]
    shown_whole = {path.rstrip("/").rpartition("/")[0] for path in listed}
    for parent in sorted(shown_whole):
        for child in sorted((root / parent).iterdir()) if (root / parent).is_dir() else ():
            path = child.relative_to(root).as_posix() + ("/" if child.is_dir() else "")
            if not NOT_OURS.fullmatch(child.name) and _is_code(child) and path not in listed:
                found.append(f"{path} exists and is not listed")
    found += [f"{entry.path} has no comment" for entry in entries if not entry.comment]
    return found


def _exists(root: Path, path: str) -> bool:
    return _holds_files(root / path) if path.endswith("/") else (root / path).is_file()


def _is_code(path: Path) -> bool:
    return path.suffix == ".py" or _holds_files(path)


def _holds_files(path: Path) -> bool:
    # An empty directory is none to git.
    return path.is_dir() and any(inner.is_file() for inner in path.rglob("*"))


def test_readme_tree_is_the_tree() -> None:
    found = problems(ROOT, parse_tree((ROOT / "README.md").read_text(encoding="utf-8")))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("a/    one\n  x.py    two\n", []),
        ("a/    one\n", []),
        ("a/    one\n  x.py    two\nb.py    three\n", ["b.py is listed and missing"]),
        ("a/    one\n  y.py    two\n", ["a/y.py is listed and missing", "a/x.py exists and is not listed"]),
        ("a/    one\nempty/    two\n", ["empty/ is listed and missing"]),
        ("b/    one\n", ["b/ is listed and missing", "a/ exists and is not listed"]),
        ("a/\n", ["a/ has no comment"]),
    ],
)
def test_the_checker_finds_what_is_wrong(tmp_path: Path, tree: str, expected: list[str]) -> None:
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "x.py").touch()
    (tmp_path / "a" / "__init__.py").touch()
    (tmp_path / "empty").mkdir()
    assert problems(tmp_path, parse_tree(f"# Title\n\n```tree\n{tree}```\n")) == expected


_LISTED = re.compile(r"^ {4}((?:\w+(?:\.py|/) +)*\w+(?:\.py|/))(?= |$)", re.MULTILINE)


def listed_in(page: Path) -> set[str]:
    """Return the files and folders at the beginnings of the indented lines of a package's docstring."""
    text = ast.get_docstring(ast.parse(page.read_text(encoding="utf-8"))) or ""
    return {name for names in _LISTED.findall(text) for name in names.split()}


FIRST_PAGES = [
    page
    for package in ("minilean", "lean_gym", "trainers", "envs_data", "lean_gym_cli")
    for page in sorted((ROOT / package).rglob("__init__.py"))
    if len(listed_in(page)) > 1
]


@pytest.mark.parametrize("page", FIRST_PAGES, ids=lambda page: page.parent.relative_to(ROOT).as_posix())
def test_a_first_page_that_lists_files_lists_them_all(page: Path) -> None:
    """But for programs, which `python -m PACKAGE` lists, and folders without code."""
    listed, folder = listed_in(page), page.parent
    assert [name for name in sorted(listed) if not (folder / name).exists()] == []
    there = [child for child in folder.glob("[a-z]*.py") if "\ndef main(" not in child.read_text("utf-8")]
    there += [child.parent for child in folder.glob("*/__init__.py")]
    assert [child.name for child in there if not {child.name, f"{child.name}/"} & listed] == []


def test_there_are_first_pages() -> None:
    assert {ROOT / name / "__init__.py" for name in ("minilean", "trainers", "envs_data")} <= set(FIRST_PAGES)
