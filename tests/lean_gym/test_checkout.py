"""Repositories of folders that somebody else made: what they are is read, and no program that they name runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_gym.checkout import Checkout
from lean_gym.errors import DataError
from lean_gym.tracing.sources import find_source


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    allowed = ["-c", "protocol.file.allow=always"]
    words = ["git", "-C", str(folder), *author, *allowed, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=check).stdout.strip()


def made(folder: Path) -> Path:
    """Make a repository of one commit and one file."""
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


def program(folder: Path, name: str, then: str = "cat") -> str:
    """Write a program that leaves the file `ran` beside the folder, by default a filter; return its path."""
    path = folder / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {folder.parent / 'ran'}\n{then}\n")
    path.chmod(0o755)
    return str(path)


def _filtered(folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.lean filter=x\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "attributes")
    git(folder, "config", "filter.x.clean", program(folder, "clean"))
    git(folder, "config", "filter.x.smudge", program(folder, "smudge"))
    os.utime(folder / "A.lean", (1, 1))


def _process(folder: Path) -> None:
    _filtered(folder)
    git(folder, "config", "filter.x.process", program(folder, "process"))


def _hooked(folder: Path) -> None:
    for hook in ("post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction"):
        program(folder, f"hooks/{hook}")
    os.utime(folder / "A.lean", (1, 1))


def _hooks_elsewhere(folder: Path) -> None:
    program(folder, "elsewhere/post-index-change")
    git(folder, "config", "core.hooksPath", str(folder / ".git" / "elsewhere"))
    os.utime(folder / "A.lean", (1, 1))


def _monitored(folder: Path) -> None:
    git(folder, "config", "core.fsmonitor", program(folder, "monitor"))


def _submodule(folder: Path) -> None:
    inner = made(folder.parent / "inner")
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    git(folder, "commit", "--quiet", "-m", "sub")
    own = folder / ".git" / "modules" / "sub"
    git(folder / "sub", "config", "core.fsmonitor", program(folder, "monitor"))
    assert own.is_dir()


def _included(folder: Path) -> None:
    (folder / "more").write_text(f"[core]\n\tfsmonitor = {program(folder, 'monitor')}\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "more")
    git(folder, "config", "include.path", str(folder / "more"))


def _converted(folder: Path) -> None:
    _filtered(folder)
    (folder / ".gitattributes").write_text("*.lean filter=x diff=x\n")
    git(folder, "config", "diff.x.textconv", program(folder, "textconv"))
    git(folder, "config", "diff.external", program(folder, "external"))


def _asked_for_objects(folder: Path) -> None:
    git(folder, "config", "core.sshCommand", program(folder, "ssh", "exit 1"))
    git(folder, "config", "core.pager", program(folder, "pager"))
    git(folder, "config", "alias.status", f"!{program(folder, 'alias')}")
    git(folder, "config", "core.repositoryFormatVersion", "1")
    git(folder, "config", "remote.origin.url", "ssh://host/x")
    git(folder, "config", "remote.origin.promisor", "true")
    git(folder, "config", "extensions.partialClone", "origin")
    blob = git(folder, "rev-parse", "HEAD:A.lean")
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


KINDS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "a filter": (_filtered, ("status",)),
    "a filter that stays": (_process, ("status",)),
    "a hook": (_hooked, ("status",)),
    "hooks elsewhere": (_hooks_elsewhere, ("status",)),
    "a monitor": (_monitored, ("status",)),
    "a monitor in a submodule": (_submodule, ("status",)),
    "a file that is included": (_included, ("status",)),
    "a conversion": (_converted, ("diff",)),
    "missing objects": (_asked_for_objects, ("show", "HEAD:A.lean")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_a_repository_names_is_run(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, ran = made(tmp_path / "project"), tmp_path / "ran"
    prepare, triggers = KINDS[kind]
    prepare(folder)
    ran.unlink(missing_ok=True)
    commit = git(folder, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")
    copy = shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    assert not ran.exists()
    for source in (str(folder), f"{folder}@HEAD", f"{folder}@main", f"file://{folder}@{commit}"):
        try:
            found = find_source(source)
        except DataError:
            assert kind == "missing objects"
        else:
            assert found.commit in (commit, "")
        assert not ran.exists(), source
    assert copy.is_dir()
    # the programs of the folder do run where git runs in it
    git(folder, *triggers, check=False)
    assert ran.exists()


def test_a_folder_without_changes_is_its_commit(tmp_path: Path) -> None:
    folder = made(tmp_path / "project")
    commit = git(folder, "rev-parse", "HEAD")
    assert find_source(str(folder)).commit == commit
    git(folder, "pack-refs", "--all")
    git(folder, "gc", "--quiet")
    assert find_source(str(folder)).commit == commit
    git(folder, "checkout", "--quiet", "--detach")
    assert find_source(str(folder)).commit == commit
    (folder / ".git" / "info" / "exclude").write_text("built\n")
    (folder / "built").write_text("")
    assert find_source(str(folder)).commit == commit
    (folder / "B.lean").write_text("")
    assert find_source(str(folder)).commit == ""
    found = Checkout.at(folder)
    assert found is not None
    assert (found.is_clean(commit), found.is_clean(commit, untracked=False)) == (False, True)
    (folder / "A.lean").write_text("")
    assert not found.is_clean(commit, untracked=False)


def test_a_second_work_tree_and_a_bare_repository_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = made(tmp_path / "project")
    commit = git(folder, "rev-parse", "HEAD")
    git(folder, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "second"))
    assert find_source(str(tmp_path / "second")).commit == commit
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), "bare.git")
    for revision in ("main", "HEAD", commit, commit[:9], "refs/heads/main"):
        assert find_source(f"{tmp_path / 'bare.git'}@{revision}").commit == commit
    with pytest.raises(DataError, match="has no commit, branch or tag 'nowhere'"):
        find_source(f"{folder}@nowhere")


def test_the_remote_is_read_from_the_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "project")
    assert find_source(str(folder)).url == "project"
    git(folder, "remote", "add", "other", "https://host/other")
    git(folder, "remote", "add", "origin", "https://host/owner/name")
    git(folder, "config", "core.editor", "true")
    assert find_source(str(folder)).url == "https://host/owner/name"


@pytest.mark.parametrize("broken", ["HEAD", "objects", "config", "refs"])
@pytest.mark.parametrize("by", ["nothing", "a pipe", "a loop", "garbage"])
def test_a_broken_repository_is_no_commit(broken: str, by: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "project")
    commit = git(folder, "rev-parse", "HEAD") if broken == "config" else ""
    place = folder / ".git" / broken
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    if by == "a pipe":
        os.mkfifo(place)
    elif by == "a loop":
        place.symlink_to(broken)
    elif by == "garbage":
        place.write_bytes(b'ref: ../../../etc/passwd\n\xff[remote "origin"]')
    assert find_source(str(folder)).commit in ("", commit)


def test_the_environment_of_git_names_no_other_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = made(tmp_path / "project"), made(tmp_path / "other")
    commit = git(folder, "rev-parse", "HEAD")
    for name, value in (
        ("GIT_DIR", other / ".git"),
        ("GIT_WORK_TREE", other),
        ("GIT_INDEX_FILE", tmp_path / "i"),
    ):
        monkeypatch.setenv(name, str(value))
    assert find_source(str(folder)).commit == commit
