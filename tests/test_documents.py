"""The documents are true: Python blocks print what they say, commands take their flags, links lead somewhere."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from trainers.config.programs import PROGRAMS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *(
        path
        for folder in (
            "docs",
            "minilean",
            "lean_gym",
            "trainers",
            "envs_data",
            "configs",
            "examples",
            "benchmarks",
            "docker",
        )
        for path in sorted((ROOT / folder).rglob("*.md"))
    ),
]
SOURCES = [
    path
    for folder in (
        "trainers",
        "lean_gym",
        "lean_gym_cli",
        "lean_gym_verifiers",
        "minilean",
        "envs_data",
        "examples",
        "benchmarks",
    )
    for path in sorted((ROOT / folder).rglob("*.py"))
]
HISTORY = "log.md"
NEEDS_LEAN = "pantograph.md"
# Its programs run with the packages that they need: tests/trainers/integrations/test_documented.py, tests/frameworks.
NEEDS_FRAMEWORKS = "integrations.md"
# Its program runs on a repository of its own: tests/trainers/corpora/agents.
NEEDS_REPOSITORY = "leandojo.md"
SUBCOMMANDS = {
    "lean_gym": ("doctor", "mcp", "trace", "verify", "play"),
    "minilean": ("check", "repl", "export", "export-proof", "judge", "recheck-library"),
}

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\nprints\n\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
# Up to a comment, the end of inline code, or two spaces.
COMMAND = re.compile(
    r"python -m ((?:trainers|lean_gym|minilean|envs_data|benchmarks)[\w.]*)((?: [^`#\n]*?)?)(?=  |`|#|$)",
    re.M,
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def commands() -> dict[str, set[str]]:
    """Return each command that a document or docstring runs, with the flags it is given there."""
    found: dict[str, set[str]] = {}
    for path in DOCUMENTS + SOURCES:
        if path.name == HISTORY:
            continue
        for match in COMMAND.finditer(path.read_text(encoding="utf-8")):
            command = match[1].rstrip(".")
            word = (match[2].split() or [""])[0]
            if word in SUBCOMMANDS.get(command, ()):
                command += f" {word}"
            # What stands behind a lone -- is handed on to another program.
            flags = re.findall(r"(?<!\S)--[a-z][\w-]*", match[2].partition(" -- ")[0])
            found.setdefault(command, set()).update(flags)
    return found


BLOCKS = [
    pytest.param(path, match[1], match[2], id=f"{name_of(path)}-{number}")
    for path in DOCUMENTS
    if path != ROOT / "README.md"  # test_examples.py runs its program in a process of its own
    for number, match in enumerate(BLOCK.finditer(path.read_text(encoding="utf-8")))
]
COMMANDS = commands()


@pytest.mark.parametrize(("path", "program", "output"), BLOCKS)
def test_python_block_runs(
    path: Path, program: str, output: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = compile(program, name_of(path), "exec")
    if path.name in (NEEDS_LEAN, NEEDS_FRAMEWORKS, NEEDS_REPOSITORY):
        return
    monkeypatch.chdir(tmp_path)
    module = ModuleType("shown")
    monkeypatch.setitem(sys.modules, "shown", module)  # dataclasses look their module up
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, module.__dict__)
    assert output is None or printed.getvalue() == output


def test_blocks_and_commands_are_found() -> None:
    assert len(BLOCKS) >= 4
    assert {"--algorithm", "--seed", "--env", "--reward"} <= COMMANDS["trainers.grpo"]
    assert {"--policy", "--theorems", "--k"} <= COMMANDS["trainers.evaluate"]
    assert {"--project", "--import"} <= COMMANDS["lean_gym doctor"]


@pytest.mark.parametrize("command", sorted(name for name, flags in COMMANDS.items() if flags))
def test_commands_take_the_flags_they_are_shown_with(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, *words = command.split()
    spec = importlib.util.find_spec(module)
    assert spec is not None
    name = module if spec.submodule_search_locations is None else f"{module}.__main__"
    option = "--help-all" if f"python -m {module}" in PROGRAMS else "--help"
    monkeypatch.setattr(sys, "argv", [name, *words, option])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        importlib.import_module(name).main()
    assert not [flag for flag in COMMANDS[command] if not re.search(rf"{flag}(?![\w-])", printed.getvalue())]


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"trainers.PROGRAM"}))
def test_modules_that_are_run_exist(command: str) -> None:
    assert importlib.util.find_spec(command.split()[0]) is not None


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a document."""
    headings = HEADING.findall(FENCED.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    """The relative links of a document that lead to no file or to no heading."""
    found = []
    for link in LINK.findall(FENCED.sub("", document.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if "://" in link or link.startswith("mailto:"):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    assert broken_links(document) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Some `title`\n\n[x](b.md) [y](#some-title) [z](#none) [w](https://a.b)\n\n```\n[v](c.md)\n```\n"
    )
    assert broken_links(tmp_path / "a.md") == ["b.md", "#none"]


def test_the_index_lists_every_document() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    made = {ROOT / "docs" / "minilean" / "library.md"}  # by `make docs`
    assert sorted(name_of(path) for path in set(DOCUMENTS) - listed - {index} - made) == []


@pytest.mark.parametrize("package", ["minilean", "lean_gym", "trainers"])
def test_the_architecture_names_every_room(package: str) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {package}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    named = set(re.findall(r"^\| `(\w+)/` \|", section[0], re.MULTILINE))
    assert named == {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}


def places() -> list[tuple[str, list[tuple[str, str]]]]:
    """Questions of CONTRIBUTING, each with files and the names to look for in them."""
    lines = (
        (ROOT / "CONTRIBUTING.md")
        .read_text("utf-8")
        .partition("## Where things are")[2]
        .partition("\n## ")[0]
    )
    rows = [line.strip("| ").split(" | ") for line in lines.splitlines() if line.startswith("| ")][1:]
    return [(question, re.findall(r"`([\w/]+\.py)`: `(\w+)`", files)) for question, files in rows]


def test_each_question_leads_to_at_most_three_files_that_define_the_answer() -> None:
    found = places()
    assert len(found) >= 12
    for question, files in found:
        assert 1 <= len(files) <= 3, question
        for file, name in files:
            text = (ROOT / file).read_text("utf-8")
            defined = rf"^(?: *(?:async )?def|class) {name}\b|^{name}\b.*=|^ *from .* import .*\b{name}\b"
            assert re.search(defined, text, re.MULTILINE), f"{file} defines no {name}"
