"""Repository of a folder that somebody else made: read as files, and by git only from a repository of our own.

git runs programs that a repository names: hooks, filters, `core.fsmonitor`, `core.sshCommand`, text conversions, and
the same of its submodules. So git never runs in such a folder, nor with its configuration. What `HEAD` and the branches
are is read from their files; for the rest git runs in an empty repository that borrows the objects of the folder.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.errors import DataError

_HASH: Final = re.compile(r"[0-9a-f]{40}")
_REF: Final = re.compile(r"refs/(?:[^/\s.~^:?*\[\\][^/\s~^:?*\[\\]*/)*[^/\s.~^:?*\[\\][^/\s~^:?*\[\\]*")
_ORIGIN: Final = re.compile(r'^\s*\[remote "origin"\]\s*$(?P<lines>[^\[]*)', re.MULTILINE)
_URL: Final = re.compile(r"^\s*url\s*=\s*(\S.*?)\s*$", re.MULTILINE)
_PLACES: Final = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/origin/")
_MOST_BYTES: Final = 1 << 24
_MOST_LINKS: Final = 5
_SECONDS: Final = 300.0
_OF_ITS_OWN: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Environment in which git reads no configuration but that of the repository that it is given."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """Repository of a folder.

    Attributes:
        folder: The folder, whose top it is.
        own: Folder of its `HEAD`.
        common: Folder of its branches and objects; another one for a second work tree of a repository.
    """

    folder: Path
    own: Path
    common: Path

    @classmethod
    def at(cls, folder: Path) -> Checkout | None:
        """Return the repository of a folder that is the top of one, or is a bare one; `None` for others."""
        own = folder / ".git"
        if own.is_file():
            own = folder / _text(own).removeprefix("gitdir:").strip()
        elif not own.is_dir() and (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            own = folder
        if not own.is_dir():
            return None
        shared = _text(own / "commondir").strip()
        common = own / shared if shared else own
        return cls(folder, own, common) if (common / "objects").is_dir() else None

    def head(self) -> str:
        """Return the commit that is checked out; `""` where there is none."""
        return self._ref("HEAD", _MOST_LINKS)

    def find(self, revision: str) -> str:
        """Return the commit or tag of a branch, tag or `HEAD`; another revision, such as a short hash, as it is."""
        if revision == "HEAD":
            return self.head()
        return next(filter(None, (self._ref(place + revision, _MOST_LINKS) for place in _PLACES)), revision)

    def origin(self) -> str:
        """Return the address of the remote `origin`; `""` where there is none."""
        section = _ORIGIN.search(_text(self.common / "config"))
        url = None if section is None else _URL.search(section["lines"])
        return "" if url is None else url[1]

    def lend(self, repository: Path) -> None:
        """Let a bare repository of our own find the objects of this one.

        Raises:
            DataError: The folder has a name that git cannot take.
        """
        objects = str((self.common / "objects").resolve())
        if "\n" in objects:
            raise DataError(f"trace: got the folder {objects!r}, expected a name without line breaks")
        (repository / "objects" / "info" / "alternates").write_text(
            f"{objects}\n", "utf-8", "surrogateescape"
        )

    def is_clean(self, commit: str, untracked: bool = True) -> bool:
        """Return whether the files of the folder are those of a commit, which has no submodules.

        Args:
            commit: The commit.
            untracked: Whether further files, which are not ignored, count as a change.
        """
        with tempfile.TemporaryDirectory() as made:
            repository = Path(made) / "lent.git"
            try:
                new_repository(repository)
                self.lend(repository)
                (repository / "HEAD").write_text(f"{commit}\n")
                given = [f"--git-dir={repository}", f"--work-tree={self.folder}", "-c", "core.bare=false"]
                ignored = self.common / "info" / "exclude"
                if ignored.is_file():
                    given += ["-c", f"core.excludesFile={ignored}"]
                if any(
                    line.startswith(b"160000 ") for line in git(*given, "ls-tree", "-r", commit).splitlines()
                ):
                    return False
                git(*given, "read-tree", commit)
                others = f"--untracked-files={'normal' if untracked else 'no'}"
                return not git(*given, "status", "--porcelain", "--ignore-submodules=all", others)
            except DataError:
                return False

    def _ref(self, name: str, links: int) -> str:
        if name != "HEAD" and (_REF.fullmatch(name) is None or ".." in name):
            return ""
        text = _text((self.own if name == "HEAD" else self.common) / name).strip()
        if text.startswith("ref:"):
            return self._ref(text.removeprefix("ref:").strip(), links - 1) if links else ""
        if _HASH.fullmatch(text):
            return text
        return next((each for each, packed in self._packed() if packed == name), "")

    def _packed(self) -> Iterator[tuple[str, str]]:
        for line in _text(self.common / "packed-refs").splitlines():
            commit, _, name = line.partition(" ")
            if _HASH.fullmatch(commit):
                yield commit, name.strip()


def new_repository(path: Path) -> None:
    """Make an empty bare repository, without the hooks that git copies from a template.

    Raises:
        DataError: git is missing or fails.
    """
    git("init", "--quiet", "--bare", "--template=", str(path))
    (path / "objects" / "info").mkdir(exist_ok=True)


def git(*arguments: str, settings: bool = False) -> bytes:
    """Run git and return its output. Hooks, file system monitors and further programs of a repository are off.

    Args:
        arguments: Words after `git`; what is read of a repository is named by `--git-dir`.
        settings: Use the settings of the user, for credentials and proxies, and wait as long as it takes.

    Raises:
        DataError: git is missing, fails or takes too long; the text has the last line of its message.
    """
    off = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "protocol.ext.allow=never")
    words = ["git", "--no-pager", *(word for each in off for word in ("-c", each)), *arguments]
    try:
        done = subprocess.run(
            words,
            env=_environment(settings),
            stdin=None if settings else subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=None if settings else _SECONDS,
        )
    except OSError as error:
        raise DataError(f"trace: git cannot be run: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise DataError(f"trace: git {_verb(arguments)} took longer than {_SECONDS:g} seconds") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise DataError(f"trace: git {_verb(arguments)} failed: {lines[-1]}")
    return done.stdout


def _environment(settings: bool) -> dict[str, str]:
    """Return the variables of git: none that names a repository, and of the user's only those of a transfer."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    if not settings:
        return kept | _OF_ITS_OWN
    if not sys.stdin.isatty():
        kept["GIT_TERMINAL_PROMPT"] = "0"
    ours = ("GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG", "GIT_PROXY", "GIT_SSL", "GIT_HTTP")
    return kept | {name: value for name, value in os.environ.items() if name.startswith(ours)}


def _verb(arguments: tuple[str, ...]) -> str:
    return next(word for word in arguments if not word.startswith("-") and "=" not in word)


def _text(path: Path) -> str:
    """Return a small file; `""` for what is none, cannot be read, or would block the reader."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
