"""`recheck-library` finds what a file of the library says and the sources do not prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minilean.__main__ import main
from minilean.library import cache, load, recheck
from minilean.library.encoding import encode, joined, separated
from minilean.library.load import LibraryError, build_library, library_files, load_library
from minilean.library.private_files import write_private
from minilean.meta.extension import LeanEnv

AXIOM, DEFINITION, THEOREM = 0, 1, 2


@pytest.fixture(scope="module")
def files() -> Iterator[list[Path]]:
    """The files of a library that ends early; what is compared, and how, is the same to its size."""
    names = [path.name for path in library_files()]
    files = library_files()[: names.index("NatSub.lean") + 1]
    with pytest.MonkeyPatch.context() as patched:
        for module in (load, recheck):
            patched.setattr(module, "library_files", lambda: files)
        yield files


@pytest.fixture(scope="module")
def proved(files: list[Path]) -> LeanEnv:
    """That library, proved."""
    return build_library()


@pytest.fixture
def run(
    files: list[Path],
    proved: LeanEnv,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:
    """The command on a shipped or cached file whose content was changed, digest and all; it proves nothing anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "proved.bin")
    monkeypatch.setattr(cache, "PROVED_HERE", tmp_path / "proved-here.txt")
    monkeypatch.setattr(recheck, "build_library", lambda progress: proved)
    # With a new library, this walks over all terms of this process, which are those of the other tests.
    monkeypatch.setattr(load, "keep_tables", lambda: None)
    key = cache.library_key(files)

    def changed(change: Callable[[dict[str, Any]], None], shipped: bool = True) -> tuple[int, str]:
        data, numbers = separated(encode(proved))
        change(data)
        content = cache.sealed(key, joined(data, numbers))
        if shipped:
            cache.SHIPPED.write_bytes(content)
        else:
            cache.record(key, content[:32].hex())
            write_private(cache.cache_path(key), content)
        # What is changed would be believed.
        load_library()
        status = main(["recheck-library"])
        return status, capsys.readouterr().out

    return changed


def declaration(data: dict[str, Any], name: str) -> list[Any]:
    [row] = [row for row in data["declarations"] if row[1] == name]
    assert isinstance(row, list)
    return row


def false_statement(data: dict[str, Any]) -> None:
    """`Nat.succ_ne_zero` states what `Nat.zero_le` states."""
    declaration(data, "Nat.succ_ne_zero")[3] = declaration(data, "Nat.zero_le")[3]


def test_an_unchanged_file_agrees(
    run: Callable[..., tuple[int, str]], files: list[Path], proved: LeanEnv
) -> None:
    status, out = run(lambda data: None)
    assert status == 0
    first, second, last = out.splitlines()
    assert first.startswith(f"proved from {len(files)} files: {len(list(proved.kernel)):,} declarations")
    assert second.startswith(f"loaded from {cache.SHIPPED}: {len(list(proved.kernel)):,} declarations")
    assert last == "every declaration and every table agrees"


@pytest.mark.parametrize("shipped", [True, False])
def test_a_changed_statement_with_a_right_digest_is_found(
    run: Callable[..., tuple[int, str]], shipped: bool
) -> None:
    status, out = run(false_statement, shipped)
    assert status == 1
    assert "Nat.succ_ne_zero: the field `type` differs" in out.splitlines()


def test_a_changed_definition_is_found(run: Callable[..., tuple[int, str]]) -> None:
    def swap(data: dict[str, Any]) -> None:
        declaration(data, "Nat.add")[4] = declaration(data, "Nat.mul")[4]

    status, out = run(swap)
    assert status == 1
    assert "Nat.add: the field `value` differs" in out.splitlines()


def test_hidden_axioms_are_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        assert declaration(data, "Classical.em")[5] == ["Classical.choice", "Quot.sound", "propext"]
        declaration(data, "Classical.em")[5] = []

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[2:] == ["Classical.em: the field `axioms` differs"]


def test_a_theorem_that_nobody_proved_is_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        rows = data["declarations"]
        rows.append([THEOREM, "False.proved", [], declaration(data, "True.intro")[3], None, []])

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[2:] == ["False.proved: in the file, not proved from the sources"]


def test_a_missing_theorem_and_an_axiom_in_its_place_are_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["declarations"] = [row for row in data["declarations"] if row[1] != "Nat.add_comm"]
        row = declaration(data, "Nat.mul_comm")
        row[:] = [AXIOM, *row[1:4]]

    status, out = run(change)
    assert status == 1
    assert set(out.splitlines()[2:]) == {
        "Nat.add_comm: proved from the sources, not in the file",
        "Nat.mul_comm: TheoremDecl by the sources, Axiom in the file",
    }


def test_a_changed_name_of_an_argument_is_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["values"][data["values"].index("motive")] = "notMotive"

    assert run(change)[0] == 1


def test_a_function_that_computes_without_its_equations_is_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["computing"].remove("Nat.add")
        data["computing"].append("Nat.rec")

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[2:] == [
        "Nat.add: computes on literals by the sources only",
        "Nat.rec: computes on literals by the file only",
    ]


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("simp_lemmas", "simp_lemmas: the entry of 'Nat.add_comm' differs"),
        ("instances", "instances: the entry of 'Inhabited' differs"),
        ("protected", "protected: 'Nat.notProtected' differs"),
    ],
)
def test_a_changed_table_is_found(run: Callable[..., tuple[int, str]], table: str, line: str) -> None:
    def change(data: dict[str, Any]) -> None:
        kind, _, rows = data["tables"][table]
        if table == "protected":
            rows.append("Nat.notProtected")
        elif table == "simp_lemmas":
            rows.append(["Nat.add_comm", 1000])
        else:
            [entry] = [entry for entry in rows if entry[0] == "Inhabited"]
            assert kind >= 0
            entry[1].reverse()

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[2:] == [line]


def test_a_changed_order_is_found(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        history = data["history"]
        history["sizes"][10] -= 1
        [entry] = [entry for entry in history["tables"]["simp_lemmas"] if entry[0] == "Nat.add_zero"]
        entry[1][0] -= 1

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[2:] == [
        "history: the sizes differ",
        "history: the changes of the table 'simp_lemmas' differ",
    ]


def test_many_differences_are_counted(run: Callable[..., tuple[int, str]]) -> None:
    def change(data: dict[str, Any]) -> None:
        data["declarations"] = data["declarations"][:300]

    status, out = run(change)
    assert status == 1
    assert out.splitlines()[12].startswith("... and ")


def test_without_a_file_there_is_nothing_to_compare(
    proved: LeanEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "proved.bin")
    monkeypatch.setattr(recheck, "build_library", lambda progress: proved)
    assert main(["recheck-library"]) == 0
    assert "no shipped or cached file is in use" in capsys.readouterr().out


def test_sources_that_prove_nothing_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(progress: object) -> LeanEnv:
        raise LibraryError("Nat.lean:3: add_comm: no")

    monkeypatch.setattr(recheck, "build_library", refuse)
    assert main(["recheck-library"]) == 1
    assert "the sources do not prove the library: Nat.lean:3: add_comm: no" in capsys.readouterr().err
