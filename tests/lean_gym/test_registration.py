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
        "print([m for m in sys.modules if m.split('.')[0] in ('gymnasium', 'numpy', 'torch', 'rich')"
        " or m.startswith('lean_gym.minilean')])"
    )
    assert run(code) == "[]"


def test_exports_are_loaded_when_they_are_asked_for():
    code = "import lean_gym, sys; print(lean_gym.LeanProofEnv.__name__, 'torch' in sys.modules, lean_gym.env.__name__)"
    assert run(code) == "LeanProofEnv False lean_gym.env"
    with pytest.raises(AttributeError, match="module 'lean_gym' has no attribute 'nothing'"):
        lean_gym.__getattr__("nothing")
    for name in lean_gym.__all__:
        assert name in dir(lean_gym)


def test_gymnasium_may_be_imported_behind_lean_gym():
    code = "import lean_gym, gymnasium; print(gymnasium.spec('LeanProof-v0').entry_point)"
    assert run(code) == "lean_gym.env:LeanProofEnv"


def test_importing_lean_gym_registers_the_ids():
    assert gym.spec("LeanProof-v0").entry_point == "lean_gym.env:LeanProofEnv"
    assert gym.spec("LeanProof-v0").vector_entry_point == "lean_gym.vector:LeanProofVectorEnv"


def test_registering_twice_warns_of_nothing():
    before = gym.spec("LeanProof-v0")
    register_envs()  # Gymnasium warns when an id is overridden, and warnings are errors here.
    assert gym.spec("LeanProof-v0") is before


def test_entry_points_exist():
    for entry_point, vector_entry_point in ENTRY_POINTS.values():
        for target in (entry_point, vector_entry_point):
            module, _, name = target.partition(":")
            assert callable(vars(import_module(module))[name])


def startup(directory: Path) -> str:
    """Lay out the startup files as the wheel installs them and return code that makes Python read them."""
    (directory / "lean_gym_startup.py").write_bytes((ROOT / "lean_gym" / "registration.py").read_bytes())
    (directory / "lean_gym_startup.pth").write_bytes((ROOT / "lean_gym" / "startup.pth").read_bytes())
    return f"import site, sys; site.addsitedir({str(directory)!r}); "


def test_startup_file_makes_the_id_known_without_an_import_of_ours(tmp_path):
    code = startup(tmp_path) + (
        "assert 'gymnasium' not in sys.modules; import gymnasium; "
        "env = gymnasium.make('LeanProof-v0', theorems=['theorem t : True'], backend='fake'); "
        "print(env.reset(seed=0)[0], gymnasium.make_vec('LeanProof-v0', num_envs=2, num_workers=0,"
        " theorems=['theorem t : True'], backend='fake').num_envs)"
    )
    assert run(code) == "⊢ True 2"


def test_startup_file_imports_nothing_of_ours_by_itself(tmp_path):
    code = startup(tmp_path) + (
        "import gymnasium; print('LeanProof-v0' in gymnasium.registry, 'lean_gym' in sys.modules,"
        " sys.meta_path[0])"
    )
    registered, imported, finder = run(code).split(" ", 2)
    assert (registered, imported) == ("True", "False")
    assert "AfterGymnasium" not in finder


def test_startup_file_works_when_gymnasium_is_loaded_already(tmp_path):
    code = "import gymnasium; " + startup(tmp_path) + "print('LeanProof-v0' in gymnasium.registry)"
    assert run(code) == "True"


def test_public_names_are_sorted_and_exist():
    assert list(lean_gym.__all__) == sorted(lean_gym.__all__)
    assert all(hasattr(lean_gym, name) for name in lean_gym.__all__)
