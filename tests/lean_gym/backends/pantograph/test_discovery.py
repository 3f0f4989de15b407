import importlib.util
import sys

import pytest

from lean_gym.backends.pantograph.discovery import find_repl, project_lean_path, search_repl, toolchain
from lean_gym.errors import BackendUnavailable


def program(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """An interpreter without any package `pantograph`, and an empty PATH."""
    monkeypatch.setattr(
        sys, "path", [str(tmp_path / "site"), *(p for p in sys.path if "site-packages" not in p)]
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    importlib.invalidate_caches()
    return tmp_path


def test_nothing_found_says_what_to_run(alone):
    search = search_repl()
    assert search.found is None
    assert search.notes == (
        "Python package 'pantograph': not installed",
        "PATH: no program 'pantograph-repl'",
    )
    with pytest.raises(
        BackendUnavailable, match=r"pip install 'git\+https://github.com/stanford-centaur/PyPantograph'"
    ):
        find_repl()


def test_what_is_given_comes_first(alone):
    program(alone / "bin" / "pantograph-repl")
    assert find_repl(["/x/lake", "exe", "repl"]).command == ("/x/lake", "exe", "repl")
    assert find_repl("lake exe 'my repl'").command == ("lake", "exe", "my repl")
    with pytest.raises(BackendUnavailable, match="repl_command: got an empty command"):
        find_repl([])
    with pytest.raises(BackendUnavailable, match='repl_command: got "repl \'x", which no shell could split'):
        find_repl("repl 'x")


def test_pypantograph_before_path(alone):
    on_path = program(alone / "bin" / "pantograph-repl")
    assert find_repl().command == (str(on_path),)
    package = alone / "site" / "pantograph"
    inside = program(package / "pantograph-repl")
    (package / "__init__.py").write_text("raise RuntimeError('never imported')")
    (package / "lean-toolchain").write_text("leanprover/lean4:v4.29.1\n")
    importlib.invalidate_caches()
    found = find_repl()
    assert found.command == (str(inside),)
    assert found.source == "the installed PyPantograph"
    assert toolchain(found.directory) == "leanprover/lean4:v4.29.1"


def test_the_namesake_on_pypi(alone):
    package = alone / "site" / "pantograph"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    importlib.invalidate_caches()
    assert "unrelated package of that name on PyPI" in search_repl().notes[0]
    for name in ("server.py", "expr.py"):
        (package / name).write_text("")
    assert "PyPantograph, but its 'pantograph-repl' was not built" in search_repl().notes[0]
    (package / "pantograph-repl").write_text("")
    assert "is not executable; run chmod +x" in search_repl().notes[0]


def test_lean_path_loses_its_newline(alone):
    program(alone / "bin" / "lake", '#!/bin/sh\necho "a/lib:b/lib"\n')
    (alone / "lakefile.lean").touch()
    assert project_lean_path(str(alone)) == "a/lib:b/lib"


@pytest.mark.parametrize(
    ("lake", "text"),
    [
        (None, "install elan, or pass lean_path"),
        ("#!/bin/sh\necho 'error: no lakefile' >&2\nexit 1\n", "failed: error: no lakefile"),
        ("#!/bin/sh\n", "failed: exit status 0"),
    ],
)
def test_a_project_that_lake_does_not_know(alone, lake, text):
    (alone / "lakefile.toml").touch()
    if lake is not None:
        program(alone / "bin" / "lake", lake)
    with pytest.raises(BackendUnavailable, match=text):
        project_lean_path(str(alone))


def test_a_folder_without_a_lakefile(alone):
    program(alone / "bin" / "lake", "#!/bin/sh\necho a/lib\n")
    with pytest.raises(BackendUnavailable, match=r"has none of lakefile\.toml, lakefile\.lean"):
        project_lean_path(str(alone))


def test_no_project():
    with pytest.raises(BackendUnavailable, match="project_path '/nowhere' is no folder"):
        project_lean_path("/nowhere")
