"""Needs of a retriever, which are told before any repository is traced."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong import retriever_needs
from trainers.corpora.lifelong.program import learn
from trainers.errors import ConfigError


def start(tmp_path: Path, repos: list[str], **settings: Any) -> str:
    """Start a course whose tracing fails the test, and return the message with which it ends."""

    def trace(source: str, out: Path) -> None:
        pytest.fail(f"{source} was traced")

    config = LifelongConfig(repos=repos, backend="fake", run_dir=str(tmp_path / "run"), **settings)
    with pytest.raises(ConfigError) as caught:
        learn(config, None, "a course", trace)
    assert not (tmp_path / "run").exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def project(tmp_path: Path) -> list[str]:
    (tmp_path / "project").mkdir()
    return [str(tmp_path / "project")]


@pytest.mark.parametrize("retriever", ["bm25", "encoder"])
@pytest.mark.parametrize("package", ["bm25s", "sentence_transformers"])
def test_a_missing_package_is_told_before_tracing(
    tmp_path: Path, project: list[str], monkeypatch: pytest.MonkeyPatch, retriever: str, package: str
) -> None:
    monkeypatch.setattr(retriever_needs, "find_spec", lambda name: None if name == package else name)
    assert start(tmp_path, project, retriever=retriever) == (
        f"retriever: got {retriever!r}, which needs bm25s and sentence_transformers; {package} is not installed; "
        "expected both; install them with: pip install 'lean-gym[retrieval]', or take --retriever none"
    )


@pytest.mark.parametrize(
    "module", ["trainers.corpora.retrieval.bm25", "trainers.corpora.retrieval.encoder", "faiss"]
)
def test_a_package_that_cannot_be_imported_is_told_before_tracing(
    tmp_path: Path, project: list[str], monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """As one of another version, which lacks a module."""
    monkeypatch.setattr(retriever_needs, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, module, None)
    found = start(tmp_path, project, retriever="encoder")
    assert found.startswith("retriever: got 'encoder', whose packages cannot be imported (import of ")
    assert found.endswith(
        "versions of: pip install 'lean-gym[retrieval]'; install them, or take --retriever none"
    )


def test_an_encoder_that_cannot_be_loaded_is_told_before_tracing(tmp_path: Path, project: list[str]) -> None:
    named = {"encoder": str(tmp_path / "nowhere")}
    found = start(tmp_path, project, retriever="encoder", retrieval=named)
    assert found == f"encoder: there is no folder {tmp_path}/nowhere"


def test_theorem_sets_alone_are_told_at_once(tmp_path: Path) -> None:
    found = start(tmp_path, ["logic", "nat"], retriever="bm25")
    assert found.startswith("retriever: expected a repository with premises, got theorem sets only")
