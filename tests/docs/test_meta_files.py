"""Files for GitHub, citation and containers: each fits its schema, and each make target in them exists."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [
    path for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"
]
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "custom.github-workflows-require-timeout": WORKFLOWS,
    "vendor.github-issue-forms": FORMS,
    "vendor.github-issue-config": [ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def problems(schema: str, *files: Path) -> str:
    """Return what a schema says against files, `""` if nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)],
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("schema", sorted(SCHEMAS))
def test_files_fit_their_schema(schema: str) -> None:
    assert SCHEMAS[schema]
    assert problems(schema, *SCHEMAS[schema]) == ""


def test_a_schema_refuses_a_wrong_workflow(tmp_path: Path) -> None:
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    (tmp_path / "wrong.yml").write_text(text.replace("runs-on", "run-on"))
    assert "run-on" in problems("vendor.github-workflows", tmp_path / "wrong.yml")


def commands(workflow: Path) -> list[str]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def test_workflows_call_targets_of_the_makefile() -> None:
    rules = re.findall(r"^([a-z -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    targets = {target for rule in rules for target in rule.split()}
    lines = [line for path in WORKFLOWS for line in commands(path)]
    called = {
        target for words in re.findall(r"\bmake((?: [a-z-]+)+)", "\n".join(lines)) for target in words.split()
    }
    assert {"test", "lint", "docs", "package"} <= called <= targets


def test_the_tests_run_on_the_pythons_from_the_oldest_that_is_allowed() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert versions == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == f">={versions[0]}"


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])


def test_only_the_publishing_jobs_may_write() -> None:
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}
        assert {name for name, job in workflow["jobs"].items() if "permissions" in job} <= {"publish"}
