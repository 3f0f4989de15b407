"""Source of a project: a folder, or a git repository at a commit, which is fetched into a cache.

The cache is `$XDG_CACHE_HOME/lean-gym/git`, by default below `~/.cache`: for each repository its objects, and for each
commit that was asked for a folder with its files. git does the transfer, with its own credentials and settings. Nothing
of the repository is run: no hooks, no filters, no submodules.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.errors import DataError

_REMOTE: Final = re.compile(r"(?:(?:https?|ssh|git|file)://[^\s@]*(?:@[^\s/@]+)?/?|[\w.-]+@[\w.-]+:)[^\s@]+")
_REVISION: Final = re.compile(r"[\w./+-]{1,200}")
_BRANCHES: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


@dataclass(frozen=True, slots=True)
class Source:
    """A project on this machine.

    Attributes:
        root: Its folder.
        url: Where it is from; the folder's name without a repository.
        commit: Its commit; `""` for a folder that is no commit as it is.
    """

    root: Path
    url: str
    commit: str


def find_source(text: str) -> Source:
    """Return the project that a source names; a commit is fetched unless it is in the cache.

    Args:
        text: A folder, `FOLDER@COMMIT`, `URL` or `URL@COMMIT`; a commit may be a branch or tag.

    Raises:
        DataError: There is no such folder, repository or commit, or git fails.
    """
    if os.path.isdir(text):
        root = Path(text).absolute()
        return Source(root, _remote(root) or root.name, _clean_commit(root))
    url, at, revision = text.rpartition("@")
    if not at or not (os.path.isdir(url) or _REMOTE.fullmatch(url)):
        url, revision = text, "HEAD"
    if not os.path.isdir(url) and _REMOTE.fullmatch(url) is None:
        raise DataError(
            f"trace: {text!r} is no folder and no git URL; expected FOLDER, FOLDER@COMMIT or URL@COMMIT"
        )
    if revision.startswith("-") or _REVISION.fullmatch(revision) is None:
        raise DataError(f"trace: got the commit {revision!r}, expected a hash, branch or tag")
    place = str(Path(url).absolute()) if os.path.isdir(url) else url
    return _fetched(place, revision)


def _fetched(url: str, revision: str) -> Source:
    folder = _cache() / hashlib.sha256(url.encode()).hexdigest()[:24]
    objects = folder / "objects.git"
    known = re.fullmatch(r"[0-9a-f]{40}", revision) is not None and folder / revision
    if known and known.is_dir():
        return Source(known, url, revision)
    folder.mkdir(parents=True, exist_ok=True)
    if not objects.is_dir():
        _git("init", "--quiet", "--bare", str(objects))
    inside = (f"--git-dir={objects}", "-c", "gc.auto=0")
    try:
        _git(*inside, "fetch", "--quiet", "--depth=1", "--no-recurse-submodules", "--", url, revision)
        wanted = "FETCH_HEAD"
    except DataError:
        # a short hash, or a server that gives out branches and tags only
        _git(*inside, "fetch", "--quiet", "--no-recurse-submodules", "--", url, *_BRANCHES)
        wanted = revision
    try:
        commit = _git(*inside, "rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}").decode().strip()
    except DataError:
        raise DataError(f"trace: {url} has no commit, branch or tag {revision!r}") from None
    root = folder / commit
    if not root.is_dir():
        archive = _git(*inside, "archive", "--format=tar", commit)
        fresh = Path(tempfile.mkdtemp(dir=folder))
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                files.extractall(fresh, filter="data")
            fresh.chmod(0o755)
            fresh.rename(root)
        except KeyboardInterrupt:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        except (OSError, tarfile.TarError) as error:
            shutil.rmtree(fresh, ignore_errors=True)
            if not root.is_dir():  # another process may have been faster
                raise DataError(f"trace: {url} at {commit} cannot be unpacked: {error}") from None
    return Source(root, url, commit)


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root) / "lean-gym" / "git"


def _git(*arguments: str) -> bytes:
    """Run git and return its output.

    Raises:
        DataError: git is missing or fails; the text has the last line of its message.
    """
    environment = dict(os.environ)
    if not sys.stdin.isatty():
        environment["GIT_TERMINAL_PROMPT"] = "0"
    try:
        done = subprocess.run(["git", *arguments], env=environment, capture_output=True, check=False)
    except OSError as error:
        raise DataError(f"trace: git cannot be run: {error.strerror or error}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise DataError(f"trace: git {_verb(arguments)} failed: {lines[-1]}")
    return done.stdout


def _verb(arguments: tuple[str, ...]) -> str:
    return next(word for word in arguments if not word.startswith("-") and "=" not in word)


def _inside(root: Path, *arguments: str) -> str:
    """Return what git says about a folder; `""` if it is in no repository."""
    try:
        return (
            _git("-C", str(root), "-c", "core.fsmonitor=false", *arguments).decode("utf-8", "replace").strip()
        )
    except DataError:
        return ""


def _remote(root: Path) -> str:
    return _inside(root, "remote", "get-url", "origin") if (root / ".git").exists() else ""


def _clean_commit(root: Path) -> str:
    """Return the commit of a folder that is the top of a repository and has no changes."""
    if not (root / ".git").exists() or _inside(root, "status", "--porcelain"):
        return ""
    return _inside(root, "rev-parse", "HEAD")
