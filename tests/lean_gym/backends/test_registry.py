import pickle

import pytest

from lean_gym.backends import ProofBackend, backend_names, create_backend
from lean_gym.backends.fake import FakeBackend
from lean_gym.backends.registry import backend_factory, resolve_name
from lean_gym.errors import BackendUnavailable


def test_names():
    assert backend_names() == ("auto", "fake", "lean", "minilean", "pantograph")


def test_create_by_name_with_options():
    backend = create_backend("fake", crash_on=["boom"])
    assert isinstance(backend, ProofBackend)
    assert backend.name == "fake"


def test_unknown_name_and_option_suggest():
    with pytest.raises(ValueError, match=r"unknown backend 'minlean'; did you mean 'minilean'\?"):
        create_backend("minlean")
    with pytest.raises(
        ValueError, match=r"unknown option of backend 'fake': 'crash'; did you mean 'crash_on'\?"
    ):
        create_backend("fake", crash=["boom"])


@pytest.mark.parametrize("name", ["lean4", "Lean"])
def test_a_slip_of_lean_is_lean(name):
    with pytest.raises(ValueError, match=r"did you mean 'lean'\?"):
        create_backend(name)


@pytest.mark.parametrize("name", ["elan", "mathlib"])
def test_a_name_that_means_some_lean_gets_all(name):
    choice = "did you mean 'lean' or 'pantograph', which are Lean itself, or 'minilean', the embedded one?"
    with pytest.raises(ValueError) as caught:
        create_backend(name)
    assert str(caught.value).startswith(f"unknown backend '{name}'; {choice} (known: ")


def test_pantograph_is_said_to_be_missing(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BackendUnavailable, match=r"no Pantograph REPL found .* or use backend='minilean'"):
        create_backend("pantograph")


def test_lean_is_never_asked_for_less_than_full_verification():
    with pytest.raises(
        ValueError, match="verify: got 'replay', expected 'full' or 'independent' with the backend"
    ):
        create_backend("lean", verify="replay")


def test_lean_without_its_library(monkeypatch, tmp_path):
    monkeypatch.setenv("LEAN_GYM_LEAN_LIBRARY", str(tmp_path / "nowhere.so"))
    with pytest.raises(BackendUnavailable, match=r"expected the file libleanshared\.so, got '.*nowhere\.so'"):
        create_backend("lean")


def test_auto_looks_for_a_repl(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert resolve_name("auto", {}) == "minilean"
    repl = tmp_path / "pantograph-repl"
    repl.write_text("#!/bin/sh\n")
    repl.chmod(0o755)
    assert resolve_name("auto", {}) == "pantograph"
    assert resolve_name("auto", {"repl_command": ["/bin/true"]}) == "pantograph"
    # What was asked for and is not there is an error, not another prover.
    assert resolve_name("auto", {"repl_command": []}) == "pantograph"


def test_verify_reaches_only_backends_that_know_both_levels(tmp_path):
    assert create_backend("fake", verify="replay").name == "fake"
    with pytest.raises(ValueError, match=r"unknown verify 'ful'; did you mean 'full'\?"):
        create_backend("pantograph", verify="ful")


def test_factories():
    factory = pickle.loads(pickle.dumps(backend_factory("fake", {"cheats": ["magic"]})))
    first, second = factory(), factory()
    assert first is not second
    assert backend_factory(FakeBackend, {}) is FakeBackend


def test_what_is_no_factory_is_refused():
    with pytest.raises(ValueError, match="unknown backend 'faek'"):
        backend_factory("faek", {})
    with pytest.raises(ValueError, match="only a backend given by name takes options"):
        backend_factory(FakeBackend, {"cheats": []})
    with pytest.raises(ValueError, match="backend: got 7, expected a name"):
        backend_factory(7, {})
