import subprocess
import sys
from importlib import import_module
from pathlib import Path

import gymnasium as gym
import pytest

import lean_gym
from lean_gym.registration import ENTRY_POINTS, register_envs

ROOT = Path(__file__).resolve().parents[2]


def run(code: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_lean_gym_loads_no_framework_and_no_prover():
    code = (
        "import sys, lean_gym; "
        "print([m for m in sys.modules if m.split('.')[0] in ('torch', 'transformers', 'trl', 'rich')"
        " or m.startswith('minilean')])"
    )
    assert run(code) == "[]"


def test_exports_are_loaded_when_they_are_asked_for():
    code = "import lean_gym, sys; print(lean_gym.LeanProofEnv.__name__, 'torch' in sys.modules)"
    assert run(code) == "LeanProofEnv False"
    with pytest.raises(AttributeError, match="module 'lean_gym' has no attribute 'nothing'"):
        lean_gym.__getattr__("nothing")
    for name in lean_gym.__all__:
        assert name in dir(lean_gym)


def test_gymnasium_may_be_imported_behind_lean_gym():
    code = "import lean_gym, gymnasium; print(gymnasium.spec('LeanProof-v0').entry_point)"
    assert run(code) == "lean_gym.envs.env:LeanProofEnv"


def test_importing_lean_gym_registers_the_ids():
    assert gym.spec("LeanProof-v0").entry_point == "lean_gym.envs.env:LeanProofEnv"
    assert gym.spec("LeanProof-v0").vector_entry_point == "lean_gym.envs.vector:LeanProofVectorEnv"


def test_registering_twice_warns_of_nothing():
    before = gym.spec("LeanProof-v0")
    register_envs()  # Gymnasium warns when an id is overridden, and warnings are errors here.
    assert gym.spec("LeanProof-v0") is before


def test_entry_points_exist():
    for entry_point, vector_entry_point in ENTRY_POINTS.values():
        for target in (entry_point, vector_entry_point):
            module, _, name = target.partition(":")
            assert callable(vars(import_module(module))[name])


def test_gymnasium_imports_lean_gym_by_the_name_of_its_module():
    code = (
        "import gymnasium; env = gymnasium.make('lean_gym:LeanProof-v0', theorems=['theorem t : True'],"
        " backend='fake'); print(env.reset(seed=0)[0])"
    )
    assert run(code) == "⊢ True"


def test_an_id_that_nobody_registered_names_itself():
    code = (
        "import gymnasium\ntry:\n    gymnasium.make('LeanProof-v0')\n"
        "except gymnasium.error.NameNotFound as error:\n    print(error)"
    )
    assert "LeanProof" in run(code)


def test_public_names_are_sorted_and_exist():
    assert list(lean_gym.__all__) == sorted(lean_gym.__all__)
    assert all(hasattr(lean_gym, name) for name in lean_gym.__all__)
