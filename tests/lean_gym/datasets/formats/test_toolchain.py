import json

import pytest

from lean_gym.datasets.formats.toolchain import Versions, lean_version, project_versions

PACKAGE = {"name": "mathlib", "rev": "abc123", "url": "https://example.org"}


@pytest.mark.parametrize(
    ("packages", "revision"),
    [
        ([{"name": "aesop", "rev": "1"}, PACKAGE], "abc123"),
        ([{"git": {**PACKAGE, "name": "«mathlib»"}}], "abc123"),
        ([{"name": "aesop", "rev": "1"}], ""),
        ([], ""),
        ("none", ""),
    ],
)
def test_versions_of_a_lake_project(tmp_path, packages, revision):
    (tmp_path / "lean-toolchain").write_text("leanprover/lean4:v4.9.0\n")
    (tmp_path / "lake-manifest.json").write_text(json.dumps({"packages": packages}))
    assert project_versions(tmp_path) == Versions("4.9.0", revision)


def test_the_project_is_found_around_and_inside(tmp_path):
    project = tmp_path / "lean4"
    (project / "src").mkdir(parents=True)
    (project / "lean-toolchain").write_text("leanprover/lean4:v4.27.0-rc1")
    assert project_versions(tmp_path).lean == "4.27.0-rc1"
    assert project_versions(project / "src").lean == "4.27.0-rc1"
    (project / "lake-manifest.json").write_text("{broken")
    assert project_versions(project) == Versions("4.27.0-rc1", "")


def test_names_of_toolchains():
    assert lean_version("leanprover/lean4:nightly-2024-02-01") == "nightly-2024-02-01"
    assert lean_version("v4.9.0") == "4.9.0"
    assert lean_version("") == ""
