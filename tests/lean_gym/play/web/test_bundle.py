"""The files of the page: what the session imports, npm's packages, the local server, the command line."""

from __future__ import annotations

import ast
import http.client
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.integrations.listening import listen
from lean_gym.play.web import bundle as bundling
from lean_gym.play.web.bundle import BundleError, NpmPackage, session_sources
from lean_gym.play.web.packing import bytecode, imported
from lean_gym.play.web.serving import HOST, PageServer, fragment
from lean_gym.types import Theorem


def test_the_session_needs_no_package_and_no_other_file() -> None:
    files = session_sources()
    assert "lean_gym/play/web/session.py" in files
    assert "minilean/kernel/__init__.py" in files
    assert not [name for name in files if name.startswith("lean_gym/") and name.endswith("__init__.py")]
    for name, path in files.items():
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, name
                modules = [node.module or ""]
            for module in modules:
                top = module.partition(".")[0]
                assert top in sys.stdlib_module_names or top in ("lean_gym", "minilean"), f"{name}: {module}"


def test_imports_of_the_standard_library_are_found() -> None:
    lines = [
        "import os.path, minilean",
        "from json import loads",
        "def f():",
        " from lean_gym import types",
        " import re",
    ]
    assert imported("\n".join(lines).encode()) == {"os.path", "json", "re"}


def test_bytecode_keeps_assertions_and_drops_docstrings() -> None:
    lines = [
        '"""M."""',
        "from __future__ import annotations",
        "def f():",
        ' """F."""',
        'assert not f.__doc__, "kept"',
    ]
    source = "\n".join(lines).encode()
    content = bytecode(source, "m.py")
    assert b"kept" in content
    assert b"M." not in content
    assert b"F." not in content


def test_a_missing_program_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BundleError, match=r"\'npm\' is not installed: install Node.js 20 or newer") as raised:
        bundling._package(bundling.PYODIDE, tmp_path)
    assert "\n" not in str(raised.value)


@pytest.fixture
def npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Puts a program in the place of npm."""
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    yield program


def test_a_registry_out_of_reach_is_one_line(npm: Path, tmp_path: Path) -> None:
    npm.write_text("#!/bin/sh\necho 'npm error network\nnpm error ENOTFOUND registry' >&2\nexit 1\n")
    with pytest.raises(
        BundleError, match="ENOTFOUND registry; npm has to reach its registry for p@1"
    ) as raised:
        bundling._package(NpmPackage("p", "1", ""), tmp_path)
    assert "\n" not in str(raised.value)


def test_another_content_of_a_package_is_refused(npm: Path, tmp_path: Path) -> None:
    npm.write_text('#!/bin/sh\nprintf x > "$4/p-1.tgz"\necho p-1.tgz\n')
    with pytest.raises(BundleError, match=r"npm's package p@1 has SHA-512 .*, expected abc"):
        bundling._package(NpmPackage("p", "1", "abc"), tmp_path)


def test_the_server_gives_the_files_of_its_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    (folder / "empty").mkdir(parents=True)
    (folder / "a.mjs").write_text("1")
    (tmp_path / "secret").write_text("2")
    with PageServer(folder, listen(HOST, 0)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        found = {}
        for path in ("/a.mjs", "/empty/", "/../secret", "/%2e%2e/secret"):
            connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
            connection.request("GET", path)
            answer = connection.getresponse()
            found[path] = answer.status
            if path == "/a.mjs":
                assert answer.getheader("Content-Type") == "text/javascript"
                assert "connect" not in (answer.getheader("Content-Security-Policy") or "connect")
            connection.close()
        server.shutdown()
        thread.join()
    assert found == {"/a.mjs": 200, "/empty/": 404, "/../secret": 404, "/%2e%2e/secret": 404}


def test_a_fragment_has_the_theorem_and_the_proof() -> None:
    theorem = Theorem("t", "theorem t : 1 + 1 = 2", context="open Nat")
    assert fragment(theorem, ("a&b", "c")) == (
        "#theorem=theorem+t+%3A+1+%2B+1+%3D+2&context=open+Nat&tactic=a%26b&tactic=c"
    )


def test_the_command_line_reports_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["play", "nosuchtheorem", "--web"]) == 2
    assert capsys.readouterr().err.startswith("error: unknown theorem 'nosuchtheorem'")
    with listen(HOST, 0) as taken:
        for port in ("99999", "-1", str(taken.getsockname()[1])):  # each before anything is built
            assert main(["play", "--web", "--port", port]) == 2
            assert capsys.readouterr().err.startswith("error: ")
    (tmp_path / "file").touch()
    assert main(["play", "--web", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.endswith("expected a folder, got a file\n")
    monkeypatch.setattr(bundling, "bundle", lambda say: tmp_path)
    (tmp_path / "index.html").touch()
    assert main(["play", "--web", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "index.html").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "expected a THEOREM, or --web"),
        (["t", "--out", "x"], "--out and --port go with --web"),
        (["t", "--port", "1"], "--out and --port go with --web"),
        (["t", "--web", "--out", "x"], "--out goes with --web alone"),
        (["--web", "--out", "x", "--port", "1"], "--out goes with --web alone"),
    ],
)
def test_words_that_have_no_effect_are_refused(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", *words])
    assert ended.value.code == 2
    assert line in capsys.readouterr().err
