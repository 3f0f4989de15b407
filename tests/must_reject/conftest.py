"""Makes `kernel_terms` and `export_rows` importable by the tests here; kernel tests get a child of one library each.

Where Lean's library is installed, its kernel is asked about whatever the kernel tests have refused, and judges the
forged and broken exports together with minilean's comparison, as under `kernel="lean"`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from lean_gym.verification.kernels import LeanKernelProcess, kernels_here
from minilean.kernel.environment import Environment

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "minilean" / "kernel")]


@pytest.fixture(scope="session")
def library() -> Environment:
    import kernel_terms

    return kernel_terms.standard()


@pytest.fixture
def env(library: Environment) -> Environment:
    return library.child()


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from lean_kernel import Questions

    kernel = LeanKernelProcess()
    yield Questions(kernel, tmp_path_factory.mktemp("asked")) if "lean" in kernels_here(False) else None
    kernel.close()


@pytest.fixture(autouse=True)
def lean_is_asked(
    questions: object, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    from lean_kernel import ACCEPTED_BY_LEAN, Questions, asking

    file, test = request.path.name, request.node.name.partition("[")[0]
    if isinstance(questions, Questions) and file.startswith("test_kernel") and test not in ACCEPTED_BY_LEAN:
        with asking(questions, monkeypatch, 25 if file == "test_kernel_garbage.py" else 1):
            yield
    elif isinstance(questions, Questions) and file in ("test_forged_exports.py", "test_broken_exports.py"):
        import export_rows

        for module in (request.module, export_rows):
            monkeypatch.setattr(module, "judge_exports", partial(questions.judged, module.judge_exports))
        yield
    else:
        yield
