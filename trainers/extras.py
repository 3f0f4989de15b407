"""Packages of the optional extras: the one line about a missing one.

Programs that are started as `python -m trainers.PROGRAM` check when this package is imported; `naming_the_extra` is for
all other programs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final, NoReturn

EXTRAS: Final = {
    **dict.fromkeys(
        [
            *("accelerate", "datasets", "filelock", "httpx", "huggingface_hub", "jinja2", "peft", "pydantic"),
            *("rich", "safetensors", "scipy", "tensorboard", "tokenizers", "torch", "transformers", "trl"),
            "yaml",
        ],
        "train",
    ),
    "bitsandbytes": "quantized",
    "deepspeed": "deepspeed",
    "gguf": "demo-model",
    **dict.fromkeys(["bm25s", "sentence_transformers"], "retrieval"),
    **dict.fromkeys(["fastapi", "starlette", "uvicorn"], "serve"),
    **{name: name for name in ("ray", "trackio", "vllm", "wandb")},
}
"""Module -> extra of `pyproject.toml` that installs it."""
ALWAYS: Final = ("pydantic", "torch", "transformers", "yaml")
"""Modules that every program of this package needs."""


def install(module: str) -> str:
    """Return the command that installs a module of an extra."""
    return f"pip install 'lean-gym[{EXTRAS[module]}]'"


@contextmanager
def naming_the_extra() -> Iterator[None]:
    """End the program in one line where an import finds that a package of an extra is not installed.

    Raises:
        SystemExit: With code 1.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS or find_spec(module) is not None:
            raise
        _end(module)


def require(*modules: str) -> None:
    """End the program in one line where one of these modules of an extra is not installed, before torch is loaded.

    Raises:
        SystemExit: With code 1.
    """
    for module in modules:
        if find_spec(module) is None:
            _end(module)


def check_start() -> None:
    """End a program of this package that is being started, where it could not run.

    Raises:
        SystemExit: With code 1.
    """
    # While `python -m` looks for a module, and imports the packages above it, this is the whole of sys.argv[0].
    if sys.argv[:1] != ["-m"] or "-m" not in sys.orig_argv:
        return
    started = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    if started.startswith("trainers."):
        require(*ALWAYS)


def _end(module: str) -> NoReturn:
    print(f"error: needs the package {module}; install it with: {install(module)}", file=sys.stderr)
    raise SystemExit(1)
