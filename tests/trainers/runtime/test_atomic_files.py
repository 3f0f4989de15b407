from __future__ import annotations

from pathlib import Path

import pytest

from trainers.runtime.atomic_files import replacing, replacing_folder


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_folder(tmp_path: Path) -> None:
    path = tmp_path / "policy"
    for text in ("old", "new"):
        with replacing_folder(path) as written:
            (written / text).write_text(text)
    assert [child.name for child in path.iterdir()] == ["new"]
    with pytest.raises(RuntimeError), replacing_folder(path) as written:
        (written / "half").write_text("half")
        raise RuntimeError
    assert [child.name for child in path.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [path]
