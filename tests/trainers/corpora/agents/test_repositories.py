"""LeanDojo-v2's quickstart ends with files that check, and tricks fill nothing in."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from minilean.check_command import check_file
from minilean.project.loading import Project
from trainers.corpora.agents import HFAgent
from trainers.corpora.lifelong.store import Store
from trainers.errors import ConfigError

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of each other
NAMES = ("Sums/Basic.lean", "Sums/More.lean", "Sums.lean")


def errors(root: Path, *more: str) -> list[str]:
    """Return the errors of the files of a project, by the embedded Lean's own check."""
    project = Project(root)
    files = [root / name for name in (*NAMES, *more)]
    return [each.text for path in files for each in check_file(path, project)[0] if each.severity == "error"]


def sorries(root: Path) -> list[int]:
    return [(root / name).read_text(encoding="utf-8").count("sorry") for name in NAMES]


def test_the_quickstart_ends_with_files_that_check(shown: ModuleType, place: Path, tmp_path: Path) -> None:
    (filled,) = shown.found
    assert {each.name: each.tactics for each in filled.filled} == {
        "double_five": ("rfl",),
        "le_double": ("unfold double", "omega"),
        "double_pos": ("unfold double", "omega"),
    }
    assert (filled.sorries, filled.failures, filled.written) == (4, {}, ())
    assert set(filled.proved) == {"double_five", "Sums.le_double", "Sums.double_pos"}
    assert errors(filled.folder) == []
    assert sorries(filled.folder) == [0, 0, 1]  # the false one

    # The repository itself and the copy that git fetched are untouched; the patch applies.
    assert sorries(place / "sums") == [1, 1, 2]
    assert errors(shown.agent.repos[1].sources) == []
    assert sorries(shown.agent.repos[1].sources) == [1, 1, 2]
    clone = tmp_path / "clone"
    shutil.copytree(place / "sums", clone)
    subprocess.run(["git", "apply", str(filled.patch.resolve())], cwd=clone, check=True)
    assert sorries(clone) == [0, 0, 1]


def test_opening_a_database_erases_nothing(shown: ModuleType, tmp_path: Path) -> None:
    HFAgent(shown.trainer, str(shown.agent.database))
    with Store(shown.agent.database) as store:
        (row,) = store.repositories()
        assert (row.theorems["sorry_proved"], row.verified) == (3, 3)
    theirs = tmp_path / "dynamic_database.json"
    theirs.write_text('{"repositories": []}')
    with pytest.raises(ConfigError, match="a database of LeanDojo-v2 is read by `add`"):
        HFAgent(shown.trainer, str(theirs))
    assert theirs.read_text() == '{"repositories": []}'


def test_files_of_a_local_repository_are_written(local: Callable[..., tuple[HFAgent, Path]]) -> None:
    agent, root = local()
    more = root / "Sums" / "More.lean"
    more.write_text(more.read_text(encoding="utf-8") + "\n-- a note\n", encoding="utf-8")
    before = more.read_bytes()
    (filled,) = agent.prove()
    assert filled.written == ("Sums.lean", "Sums/Basic.lean")
    assert "changed since it was traced" in filled.failures["Sums/More.lean"]
    assert more.read_bytes() == before
    assert (sorries(root), errors(root)) == ([0, 1, 1], [])

    # What is left is found after the repository is set up again.
    agent.setup_local_repository(str(root))
    (filled,) = agent.prove(in_place=False)
    assert (filled.sorries, [each.name for each in filled.filled]) == (2, ["double_pos"])
    assert sorries(root) == [0, 1, 1]
    (again,) = agent.prove()
    assert again.written == ("Sums/More.lean",)
    assert (sorries(root), errors(root)) == ([0, 0, 1], [])


def test_whole_proofs_fill_sorries(
    local: Callable[..., tuple[HFAgent, Path]], tell: Callable[..., None]
) -> None:
    agent, root = local()
    tell("by sorry", "by rfl", "theorem double_false : double 2 = 4 := by rfl")
    (filled,) = agent.prove(whole_proof=True)
    assert [(each.name, each.tactics) for each in filled.filled] == [("double_five", ("rfl",))]
    assert (sorries(root), errors(root)) == ([1, 1, 1], [])


COUNTING = """import Sums.{0}

/-- info: 'Sums.{1}' depends on axioms: [sorryAx] -/
#guard_msgs in
#print axioms Sums.{1}

theorem {1}_counted : True := by
  trivial
"""


def test_no_proof_breaks_a_file_that_imports_it(local: Callable[..., tuple[HFAgent, Path]]) -> None:
    """A file that expects a theorem of another one to have a `sorry`; its neighbour has no such importer."""
    agent, root = local(**{"Sums/Count.lean": COUNTING.format("Basic", "le_double")})
    before = (root / "Sums" / "Basic.lean").read_bytes()
    (filled,) = agent.prove()
    assert "Sums/Count.lean:4 would not check with its proofs" in filled.failures["Sums/Basic.lean"]
    assert (root / "Sums" / "Basic.lean").read_bytes() == before
    assert (filled.folder / "Sums" / "Basic.lean").read_bytes() == before
    assert "Basic" not in filled.patch.read_text(encoding="utf-8")
    assert filled.written == ("Sums.lean", "Sums/More.lean")
    assert {each.file for each in filled.filled} == set(filled.written)
    assert errors(root, "Sums/Count.lean") == []


def test_a_sorry_is_not_filled_by_itself_or_by_another(
    local: Callable[..., tuple[HFAgent, Path]], tell: Callable[..., None]
) -> None:
    agent, root = local()
    by_names = (
        "exact le_double n",
        "exact Sums.le_double n",
        "exact Nat.le_trans h (Sums.le_double n)",
        "sorry",
    )
    tell(*by_names, "exact absurd double_false (by decide)", "native_decide", "exact double_five")
    (filled,) = agent.prove()
    assert (filled.filled, filled.proved, filled.written) == ((), (), ())
    assert sorries(root) == [1, 1, 2]


def test_a_trace_names_files_inside_it_alone(shown: ModuleType, tmp_path: Path) -> None:
    """A traced folder from elsewhere, whose theorems are said to stand in another place."""
    (project,) = shown.agent.repos.values()
    traced = tmp_path / "traced"
    shutil.copytree(project.traced, traced)
    shown.agent.trace(str(traced))
    for part in ("train", "val", "test"):
        path = traced / "random" / f"{part}.json"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"Sums/Basic.lean"', '"../Sums/Basic.lean"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"expected files inside it, got a theorem of '\.\./Sums"):
        shown.agent.trace(str(traced))
