"""Forged cache files: whoever writes one, no theorem in it counts that this installation did not prove."""

from __future__ import annotations

import os
import signal
import stat
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.verify import verify_script
from minilean.kernel.expr import TYPE
from minilean.library import cache, load
from minilean.library import library as loaded
from minilean.library.encoding import encode, joined, separated
from minilean.library.load import library_files, load_library
from minilean.meta.extension import LeanEnv

THEOREM = 2
FALSE = Theorem("t", "theorem t : 1 = 2")
SCRIPT = ("exact oops.elim",)
"""Proves everything in a library with `oops : False`."""


def installed(library: LeanEnv, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache file of an installation that proved this library; proving it once more takes no time."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setattr(cache, "SHIPPED", folder / "absent.bin")
    monkeypatch.setattr(cache, "PROVED_HERE", folder / "proved-here.txt")
    monkeypatch.setattr(load, "build_library", lambda progress=None: library)
    # With a new library, these walk over all terms of this process, which are those of the other tests.
    monkeypatch.setattr(load, "keep_tables", lambda: None)
    monkeypatch.setattr(load, "trim_tables", lambda: None)
    load_library()
    path = cache.cache_path(cache.library_key(library_files()))
    assert path.exists()
    return path


@pytest.fixture
def library() -> LeanEnv:
    """A library with one axiom; which library a file holds is the same to its permissions and its digest."""
    env = LeanEnv()
    env.kernel.add_axiom("Nat.add_comm", (), TYPE)
    return env


@pytest.fixture
def genuine(library: LeanEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache file of an installation with that library."""
    return installed(library, tmp_path, monkeypatch)


def with_oops(env: LeanEnv) -> bytes:
    """A library with the theorem `oops : False` that nobody proved, encoded without a mistake."""
    data, numbers = separated(encode(env))
    # a new last row of the table of terms: the constant `False`, without universes
    name = len(data["values"])
    data["values"] += ["False", []]
    data["declarations"].append([THEOREM, "oops", [], len(numbers) // 5, None, []])
    numbers.extend((3, name, name + 1, 0, 0))
    return joined(data, numbers)


def forged(env: LeanEnv) -> bytes:
    """The whole content of a forged cache file, with a digest that fits."""
    return cache.sealed(cache.library_key(library_files()), with_oops(env))


def verdict_on_false(monkeypatch: pytest.MonkeyPatch) -> Verdict:
    """The judgement on `1 = 2` by a process that loads its library now."""
    loaded = load_library()
    monkeypatch.setattr("minilean.project.positions.library", lambda: loaded)
    return verify_script(MinileanBackend(), FALSE, SCRIPT, verify="full")


def test_the_forged_theorem_would_prove_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(loaded(), tmp_path, monkeypatch)
    # the attack itself works: with the installation's own files forged, nothing can help
    cache.SHIPPED.write_bytes(forged(loaded()))
    assert verdict_on_false(monkeypatch) == Verdict(True)


def test_a_forged_cache_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = installed(loaded(), tmp_path, monkeypatch)
    genuine.write_bytes(forged(loaded()))
    genuine.chmod(0o600)
    assert verdict_on_false(monkeypatch).reason.startswith("step 1 fails")
    # the file is as it was before
    assert cache.read_cached(cache.library_key(library_files())) is not None


def test_a_rehashed_file_that_holds_together_nowhere_is_replaced(genuine: Path) -> None:
    key = cache.library_key(library_files())
    for payload in (
        b"",
        b"null",
        b"[]",
        joined({}, array("I")),
        joined({"levels": [["s", 7]]}, array("I")),
        encode(LeanEnv())[:20],
        encode(LeanEnv()) + b"1234",
    ):
        genuine.write_bytes(cache.sealed(key, payload))
        assert "Nat.add_comm" in load_library().kernel
        assert cache.read_cached(key) is not None


@pytest.mark.parametrize(
    "payload", [b"null", *(joined({"levels": [row]}, array("I")) for row in (["s", 1e999], ["p", {}]))]
)
def test_a_shipped_file_that_holds_together_nowhere_is_passed_over(genuine: Path, payload: bytes) -> None:
    cache.SHIPPED.write_bytes(cache.sealed(cache.library_key(library_files()), payload))
    assert "Nat.add_comm" in load_library().kernel


def loosened_file(path: Path) -> None:
    path.chmod(0o644)


def loosened_folder(path: Path) -> None:
    path.parent.chmod(0o750)


def foreign_file(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 12345, -1)


def link(path: Path) -> None:
    path.replace(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))


@pytest.mark.parametrize("loosen", [loosened_file, loosened_folder, foreign_file, link])
def test_a_file_that_others_can_have_written_is_proved_anew(
    library: LeanEnv, genuine: Path, monkeypatch: pytest.MonkeyPatch, loosen: Callable[[Path], None]
) -> None:
    proofs: list[object] = []

    def build(progress: object = None) -> LeanEnv:
        proofs.append(progress)
        return library

    monkeypatch.setattr(load, "build_library", build)
    load_library()
    assert not proofs
    loosen(genuine)
    load_library()
    assert len(proofs) == 1
    # and what was written instead is used
    load_library()
    assert len(proofs) == 1
    assert stat.S_IMODE(genuine.lstat().st_mode) == 0o600
    assert stat.S_IMODE(genuine.parent.stat().st_mode) == 0o700


def test_a_folder_of_another_user_is_not_used(
    genuine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    monkeypatch.setattr(cache, "is_first_process", lambda topic: True)
    os.chown(genuine.parent, 12345, -1)
    assert "Nat.add_comm" in load_library().kernel
    assert "(the directory belongs to user 12345)" in capsys.readouterr().err


@contextmanager
def limit_s(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"still reading after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("what", ["pipe", "device", "folder", "large"])
def test_what_is_no_file_of_a_library_stops_nothing(genuine: Path, what: str) -> None:
    genuine.unlink()
    if what == "pipe":
        os.mkfifo(genuine, 0o600)
    elif what == "device":
        genuine.symlink_to("/dev/zero")
    elif what == "folder":
        genuine.mkdir()
    else:
        with genuine.open("wb") as file:
            file.truncate(1 << 40)
    for path in (genuine.with_suffix(".lock"), cache.PROVED_HERE):
        path.unlink()
        os.mkfifo(path, 0o600)
    with limit_s(60):
        assert "Nat.add_comm" in load_library().kernel


def test_a_lock_that_is_a_link_costs_no_other_file_its_content(genuine: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("content", "utf-8")
    lock = genuine.with_suffix(".lock")
    lock.unlink()
    lock.symlink_to(victim)
    genuine.unlink()
    load_library()
    assert victim.read_text("utf-8") == "content"
