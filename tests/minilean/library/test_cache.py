"""The choice of the file that is loaded, damaged files, and several processes that need it at once."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from minilean.kernel.expr import TYPE
from minilean.library import cache, load
from minilean.library.encoding import encode
from minilean.library.load import library_files, load_library
from minilean.library.private_files import write_private
from minilean.library.progress import Progress
from minilean.meta.extension import LeanEnv

ROOT = Path(__file__).resolve().parents[3]
DEADLINE_S = 90.0


def small(name: str) -> LeanEnv:
    """A library with one axiom."""
    env = LeanEnv()
    env.kernel.add_axiom(name, (), TYPE)
    return env


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of the library, with no file of it: an empty cache, nothing shipped, and proving gives `Proved`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "proved.bin")
    monkeypatch.setattr(cache, "PROVED_HERE", tmp_path / "proved-here.txt")
    monkeypatch.setattr(load, "build_library", lambda progress=None: small("Proved"))
    # With a new library, these walk over all terms of this process, which are those of the other tests.
    monkeypatch.setattr(load, "keep_tables", lambda: None)
    monkeypatch.setattr(load, "trim_tables", lambda: None)
    return cache.library_key(library_files())


def loaded_names() -> list[str]:
    return list(load_library().kernel)


def put(path: Path, key: str, name: str) -> bytes:
    """Write a file, in the cache one that this installation proved; return its content."""
    content = cache.sealed(key, encode(small(name)))
    if path == cache.SHIPPED:
        path.write_bytes(content)
    else:
        cache.record(key, content[:32].hex())
        write_private(path, content)
    return content


def test_the_shipped_file_comes_first_then_the_users_then_proving(key: str) -> None:
    put(cache.SHIPPED, key, "Shipped")
    put(cache.cache_path(key), key, "Cached")
    assert loaded_names() == ["Shipped"]
    cache.SHIPPED.unlink()
    assert loaded_names() == ["Cached"]
    cache.cache_path(key).unlink()
    assert loaded_names() == ["Proved"]
    assert cache.find(key) is not None


def test_a_valid_shipped_file_leaves_the_users_cache_alone(key: str, tmp_path: Path) -> None:
    put(cache.SHIPPED, key, "Shipped")
    load_library()
    assert not (tmp_path / "cache").exists()


def test_a_file_of_another_key_is_not_used(key: str) -> None:
    put(cache.SHIPPED, "0" * 64, "Shipped")
    assert loaded_names() == ["Proved"]


@pytest.mark.parametrize("shipped", [True, False])
@pytest.mark.parametrize("size", [0, 10, 32, 33, -1])
def test_a_truncated_file_is_ignored_and_replaced(key: str, size: int, shipped: bool) -> None:
    path = cache.SHIPPED if shipped else cache.cache_path(key)
    path.write_bytes(put(path, key, "Damaged")[:size])
    assert loaded_names() == ["Proved"]
    assert cache.read_cached(key) is not None


@pytest.mark.parametrize("shipped", [True, False])
@pytest.mark.parametrize("position", [0, 31, 32, 60, -1])
def test_a_file_with_a_flipped_bit_is_ignored_and_replaced(key: str, position: int, shipped: bool) -> None:
    path = cache.SHIPPED if shipped else cache.cache_path(key)
    content = bytearray(put(path, key, "Damaged"))
    content[position] ^= 1
    path.write_bytes(content)
    assert loaded_names() == ["Proved"]
    assert cache.read_cached(key) is not None


def test_a_right_digest_over_what_is_no_library_is_ignored(key: str) -> None:
    cache.SHIPPED.write_bytes(cache.sealed(key, b'{"levels": []}'))
    assert loaded_names() == ["Proved"]


def test_what_is_written_is_private(key: str) -> None:
    path = cache.cache_path(key)
    path.parent.mkdir(parents=True, mode=0o755)
    load_library()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_record_keeps_the_newest_libraries(key: str) -> None:
    for number in range(cache.MAX_RECORDED + 5):
        cache.record(str(number), "digest")
        cache.record(str(number), "digest")
    lines = cache.PROVED_HERE.read_text("ascii").splitlines()
    assert lines == [f"{number} digest" for number in range(5, cache.MAX_RECORDED + 5)]


def test_what_a_killed_process_has_left_is_removed_and_what_another_writes_is_not(key: str) -> None:
    folder = cache.cache_path(key).parent
    folder.mkdir(parents=True)
    (folder / "library-old.tmp").write_bytes(b"half")
    os.utime(folder / "library-old.tmp", (0, 0))
    (folder / "library-new.tmp").write_bytes(b"half")
    cache.write(key, small("Own"))
    assert {path.name for path in folder.iterdir()} == {"library-new.tmp", cache.cache_path(key).name}


def test_the_key_hangs_on_the_text_and_the_order_of_the_sources(key: str) -> None:
    files = library_files()
    assert cache.library_key(files) == key
    assert cache.library_key(files[:-1]) != key
    assert cache.library_key([files[1], files[0], *files[2:]]) != key


def test_the_modules_that_proving_loads_are_in_the_key() -> None:
    program = (
        "import sys\nimport minilean.library.load\n"
        "print(*sorted({m.split('.')[1] for m in sys.modules if m.startswith('minilean.')}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    assert set(done.stdout.split()) <= set(cache._DECIDING)


def test_a_full_disk_is_said_and_leaves_nothing_behind(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache, "record", lambda *_: None)
    monkeypatch.setattr("os.replace", full)
    assert loaded_names() == ["Proved"]
    folder = tmp_path / "cache" / "lean-gym"
    assert [path.suffix for path in folder.iterdir()] == [".lock"]
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"minilean: the proved library cannot be kept in {folder} (No space left on device), so every process proves "
        "it anew, for about 20 seconds; set XDG_CACHE_HOME to a directory that can be written\n"
    )


def test_an_installation_that_cannot_be_written_keeps_no_file(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(cache, "PROVED_HERE", tmp_path / "absent" / "proved-here.txt")
    assert loaded_names() == ["Proved"]
    assert not cache.cache_path(key).exists()
    assert capsys.readouterr().err == (
        f"minilean: the proved library cannot be kept in {tmp_path / 'absent'} (No such file or directory), so every "
        "process proves it anew, for about 20 seconds; run `python -m minilean.library.ship "
        f"{cache.SHIPPED}` as its owner\n"
    )


# Proving is replaced by something quick that leaves a mark each time.
WORKER = """
import sys, time
from pathlib import Path
from minilean.kernel.expr import TYPE
from minilean.library import cache, load
from minilean.meta.extension import LeanEnv
marks = Path(sys.argv[1])
cache.SHIPPED = marks / "absent"
cache.PROVED_HERE = marks / "proved-here.txt"
def build(progress=None):
    with open(marks / "proved", "a") as file:
        file.write("proved\\n")
    time.sleep(float(sys.argv[2]))
    env = LeanEnv()
    env.kernel.add_axiom("Proved", (), TYPE)
    return env
load.build_library = build
print(*load.load_library().kernel, flush=True)
sys.stdin.read()
"""


def run_workers(marks: Path, cache_home: Path, number: int, seconds: float) -> tuple[list[str], str, int]:
    """Start processes side by side that all live until each has its library.

    Returns:
        What they printed, what they wrote on standard error together, and how many of them proved the library.
    """
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache_home)}
    command = [sys.executable, "-c", WORKER, str(marks), str(seconds)]
    pipe = subprocess.PIPE
    children = [
        subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(number)
    ]
    try:
        said = [child.stdout.readline().strip() for child in children if child.stdout is not None]
        errors = "".join(child.communicate(timeout=DEADLINE_S)[1] for child in children)
    finally:
        for child in children:
            child.kill()
    return said, errors, len((marks / "proved").read_text("utf-8").splitlines())


def test_one_of_several_processes_proves_and_the_others_wait(tmp_path: Path) -> None:
    said, errors, proofs = run_workers(tmp_path, tmp_path / "cache", 3, seconds=3.0)
    assert (said, errors, proofs) == (["Proved"] * 3, "", 1)


def test_a_directory_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said, errors, proofs = run_workers(tmp_path, tmp_path / "file", 3, seconds=0.0)
    assert (said, proofs) == (["Proved"] * 3, 3)
    assert errors.count("\n") == 1
    assert f"cannot be kept in {tmp_path / 'file' / 'lean-gym'} (Not a directory)" in errors
    assert "set XDG_CACHE_HOME" in errors


class Terminal:
    """A standard error that may be a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        self.text = ""
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool, first_line_s: float) -> str:
    stream = Terminal(terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("minilean.library.progress._FIRST_LINE_S", first_line_s)
    progress = Progress(3)
    for done in (1, 2, 3):
        progress.show(done)
    progress.end()
    return stream.text


def test_progress_is_rewritten_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, terminal=True, first_line_s=60.0)
    assert text.startswith("\rminilean: proving its library, 1 of 3 files (once per version) ...\r")
    assert text.endswith("3 of 3 files (once per version)    \n")
    assert text.count("\n") == 1


def test_progress_elsewhere_is_silent_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=False, first_line_s=60.0) == ""
    assert (
        shown(monkeypatch, terminal=False, first_line_s=0.0)
        == "minilean: proving its library, 1 of 3 files (once per version) ...\n"
    )


def test_progress_without_a_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    progress = Progress(1)
    progress.show(1)
    progress.end()
