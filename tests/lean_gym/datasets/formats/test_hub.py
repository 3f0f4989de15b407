"""The hub path, with a stand-in for the `datasets` package that reads folders on this disk."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lean_gym.datasets import load_minif2f, load_proofnet, load_theorems
from lean_gym.errors import DataError

ROW = {
    "name": "from_hub",
    "header": "import Mathlib\nopen Real\n",
    "formal_statement": "theorem from_hub (x : ℝ) : x = x := by sorry",
}


@pytest.fixture
def library(monkeypatch, tmp_path):
    """A `datasets` whose hub is the folder `hub` on disk; calls are recorded."""
    calls = []

    def read(folder):
        splits = {path.stem: json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.rows"))}
        if not splits:
            raise FileNotFoundError(f"no data set {folder}")
        return splits if set(splits) != {"only"} else splits["only"]

    def load_dataset(place):
        calls.append(("load_dataset", place))
        return read(tmp_path / "hub" / place)

    def load_from_disk(place):
        calls.append(("load_from_disk", place))
        return read(place)

    module = ModuleType("datasets")
    module.load_dataset = load_dataset
    module.load_from_disk = load_from_disk
    monkeypatch.setitem(sys.modules, "datasets", module)
    return calls


def put(folder, **splits):
    folder.mkdir(parents=True)
    for split, rows in splits.items():
        (folder / f"{split}.rows").write_text(json.dumps(rows))
    return folder


def test_a_hub_data_set_with_splits(library, tmp_path):
    put(tmp_path / "hub" / "someone" / "made_up", validation=[ROW], test=[{**ROW, "name": "second"}])
    second, first = load_minif2f("someone/made_up")
    assert (first.name, first.split, first.context, first.imports) == (
        "from_hub",
        "valid",
        "open Real",
        ("Mathlib",),
    )
    assert first.source == "minif2f: someone/made_up, validation 0"
    assert (second.name, second.split) == ("second", "test")
    assert load_theorems("minif2f:someone/made_up:test") == [second]
    assert library == [("load_dataset", "someone/made_up")] * 2


def test_a_saved_data_set_and_one_without_splits(library, tmp_path):
    folder = put(tmp_path / "saved", only=[ROW])
    (folder / "dataset_info.json").write_text("{}")
    (theorem,) = load_proofnet(folder)
    assert (theorem.split, theorem.source) == ("", f"proofnet: {folder}, row 0")
    assert library == [("load_from_disk", str(folder))]


def test_a_folder_of_parquet_files_goes_through_the_library(library, tmp_path):
    folder = put(tmp_path / "hub" / "x" / "y", test=[ROW])
    (folder / "test-00000-of-00001.parquet").touch()
    (theorem,) = load_minif2f(folder)
    assert theorem.split == "test"
    assert library == [("load_dataset", str(folder))]


def test_what_the_library_cannot_load_is_one_line(library):
    with pytest.raises(DataError, match="someone/nothing: cannot be loaded: FileNotFoundError: no data set"):
        load_minif2f("someone/nothing")


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(
        DataError, match="need the 'datasets' package: pip install datasets, or give"
    ) as caught:
        load_minif2f("someone/made_up")
    assert "\n" not in str(caught.value)
