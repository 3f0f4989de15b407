"""Checks of the folder of a model, which load nothing."""

from __future__ import annotations

from pathlib import Path

from trainers.errors import PolicyError
from trainers.policies.demo import find_demo
from trainers.runtime.checksums import SUMS, damaged_file


def check_model_folder(name: str) -> None:
    """Check a model that is named by its folder, or as a demo model; any other name is taken as it is.

    Raises:
        PolicyError: There is no such folder or demo model, or it is a run instead of a model.
    """
    find_demo(name)
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise PolicyError(f"cannot load the model {name!r}: no such folder")
    if (Path(name) / "policy").is_dir() and (Path(name) / "config.yaml").is_file():
        raise PolicyError(
            f"cannot load the model {name!r}: it is a run; its model is {Path(name) / 'policy'}"
        )


def check_undamaged(folder: Path) -> None:
    """Check the files of a model that a run wrote; nothing for other models.

    Raises:
        PolicyError: A file is not the one that was written.
    """
    if (name := damaged_file(folder)) is not None:
        raise PolicyError(
            f"cannot load the model {str(folder)!r}: {name} is damaged (its checksum is not that in {SUMS}); restore "
            f"it, or delete {SUMS} if the change is yours"
        )
