"""Source of a project: a folder, or a git repository at a commit, which is fetched into a cache.

The cache is `$XDG_CACHE_HOME/lean-gym/git`, by default below `~/.cache`: for each repository its objects, and for each
commit that was asked for a folder with its files. git does the transfer, with its own credentials and settings. Nothing
of the repository is run: no hooks, no filters, no submodules. git does not run in a folder at all, see
`lean_gym.checkout`.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from lean_gym.cache_folder import cache_folder
from lean_gym.checkout import Checkout, git, new_repository
from lean_gym.errors import DataError

_REMOTE: Final = re.compile(r"(?:(?:https?|ssh|git|file)://[^\s@]*(?:@[^\s/@]+)?/?|[\w.-]+@[\w.-]+:)[^\s@]+")
_REVISION: Final = re.compile(r"[\w./+-]{1,200}")
_NO_SUBMODULES: Final = "--no-recurse-submodules"
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
        checkout = Checkout.at(root)
        if checkout is None:
            return Source(root, root.name, "")
        return Source(root, checkout.origin() or root.name, _clean_commit(checkout))
    url, at, revision = text.rpartition("@")
    if not at or not (os.path.isdir(url) or _REMOTE.fullmatch(url)):
        url, revision = text, "HEAD"
    if not os.path.isdir(url) and _REMOTE.fullmatch(url) is None:
        raise DataError(
            f"trace: {text!r} is no folder and no git URL; expected FOLDER, FOLDER@COMMIT or URL@COMMIT"
        )
    if revision.startswith("-") or _REVISION.fullmatch(revision) is None:
        raise DataError(f"trace: got the commit {revision!r}, expected a hash, branch or tag")
    local = _folder(url)
    if local is None:
        return _fetched(url, revision, None)
    checkout = Checkout.at(local)
    if checkout is None:
        raise DataError(f"trace: {url} is no git repository, so it has no commit {revision!r}")
    return _fetched(url if url.startswith("file:") else str(local), revision, checkout)


def _folder(url: str) -> Path | None:
    """Return the folder on this machine that an address names; `None` for other addresses."""
    path = unquote(url.removeprefix("file://")) if url.startswith("file:///") else url
    return Path(path).absolute() if os.path.isdir(path) else None


def _fetched(url: str, revision: str, checkout: Checkout | None) -> Source:
    folder = _cache() / hashlib.sha256(url.encode()).hexdigest()[:24]
    objects = folder / "objects.git"
    known = re.fullmatch(r"[0-9a-f]{40}", revision) is not None and folder / revision
    if known and known.is_dir():
        return Source(known, url, revision)
    folder.mkdir(parents=True, exist_ok=True)
    if not objects.is_dir():
        new_repository(objects)
    inside = (f"--git-dir={objects}", "-c", "gc.auto=0")
    if checkout is None:
        wanted = _transferred(url, revision, inside)
    else:
        checkout.lend(objects)
        wanted = checkout.find(revision)
    try:
        commit = git(*inside, "rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}").decode().strip()
    except DataError:
        raise DataError(f"trace: {url} has no commit, branch or tag {revision!r}") from None
    root = folder / commit
    if not root.is_dir():
        archive = git(*inside, "archive", "--format=tar", commit)
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
    return cache_folder() / "git"


def _transferred(url: str, revision: str, inside: tuple[str, ...]) -> str:
    """Get a revision from a remote repository; return the name that it has in ours.

    Raises:
        DataError: git fails.
    """
    try:
        git(*inside, "fetch", "--quiet", "--depth=1", _NO_SUBMODULES, "--", url, revision, settings=True)
        return "FETCH_HEAD"
    except DataError:
        # a short hash, or a server that gives out branches and tags only
        git(*inside, "fetch", "--quiet", _NO_SUBMODULES, "--", url, *_BRANCHES, settings=True)
        return revision


def _clean_commit(checkout: Checkout) -> str:
    """Return the commit of a folder that has no changes."""
    commit = checkout.head()
    return commit if commit and checkout.is_clean(commit) else ""
