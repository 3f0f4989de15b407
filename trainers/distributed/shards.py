"""Shards of a checkpoint: each process writes the rows that it holds to a file of its own, in the background.

A training state that is gathered in one process needs its memory there, and all processes wait for the file. Here each
copies its shards to the CPU, which is short, and writes them while training goes on. FSDP divides every tensor by rows,
so the files of all processes in order are the whole tensor, and any number of processes can read its part of them.

The run's checkpoint names folder and checksums of the files and holds the state's structure, where a tensor on torch's
device `meta` stands for one whose rows are in the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.distributed.tensor import DTensor, Shard

from trainers.runtime.atomic_files import naming_unwritable


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Tensor whose rows are in the files of a checkpoint.

    Attributes:
        files: Files of the processes that wrote it, in order.
        name: Its name in each of them.
        shape: Shape of the whole.
        dtype: Its dtype.
    """

    files: tuple[Path, ...]
    name: str
    shape: torch.Size
    dtype: torch.dtype

    def read(self, first: int = 0, end: int | None = None) -> Tensor:
        """Return rows `first` to `end`, (rows, ...), on the CPU; all of them if left out."""
        end = self.shape[0] if end is None else end
        found, row = [torch.empty((0, *self.shape[1:]), dtype=self.dtype)], 0
        for path in self.files:
            with safe_open(path, "pt") as file:
                held = file.get_slice(self.name)
                rows = held.get_shape()[0]
                start, stop = max(0, first - row), min(rows, end - row)
                if start < stop:
                    found.append(held[start:stop])
            row += rows
        return torch.cat(found)

    def read_like(self, like: Tensor) -> Tensor:
        """Return the rows that this process holds of a tensor divided like another one; all if it is not divided."""
        if not isinstance(like, DTensor):
            return self.read()
        _check_division(like)
        # As `torch.chunk`: all processes but the last ones hold as many rows.
        size = -(-self.shape[0] // like.device_mesh.size())
        first = min(self.shape[0], size * like.device_mesh.get_local_rank())
        own = self.read(first, min(self.shape[0], first + size)).to(like.device)
        return DTensor.from_local(
            own, like.device_mesh, like.placements, run_check=False, shape=self.shape, stride=like.stride()
        )


class ShardWriter:
    """Writes the shards of one checkpoint at a time, in a thread."""

    def __init__(self, rank: int) -> None:
        """Start no thread yet; `rank` is the number of this process."""
        self._rank = rank
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="shards")
        self._writing: Future[dict[str, str]] | None = None

    def begin(self, folder: Path, state: Any, also: Callable[[], None]) -> Any:
        """Copy the shards of nested mappings and lists to the CPU and begin to write them.

        Args:
            folder: Folder for the files of all processes; the same in each, and made by this call.
            state: The state; tensors that are not divided are equal in all processes, and not written.
            also: Called in the thread afterwards.

        Returns:
            The state with tensors on the device `meta` in place of those that are written.
        """
        held: dict[str, Tensor] = {}

        def set_apart(name: str, tensor: Tensor) -> Tensor:
            if not isinstance(tensor, DTensor):
                return tensor.detach().to("cpu", copy=True)
            _check_division(tensor)
            held[name] = tensor.to_local().detach().to("cpu", copy=True).contiguous()
            return torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")

        structure = over_tensors(state, set_apart)
        self._writing = self._thread.submit(self._write, folder, held, also)
        return structure

    @property
    def done(self) -> bool:
        """Return whether the files of this process are written, or could not be."""
        return self._writing is None or self._writing.done()

    def result(self) -> dict[str, str]:
        """Wait for the files of this process and return their names with their checksums.

        Raises:
            ConfigError: They cannot be written.
        """
        assert self._writing is not None, "begin comes first"
        return self._writing.result()

    def close(self) -> None:
        """Wait for the thread."""
        self._thread.shutdown()

    def _write(self, folder: Path, held: dict[str, Tensor], also: Callable[[], None]) -> dict[str, str]:
        path = folder / f"{self._rank:05}.safetensors"
        with naming_unwritable(path):
            folder.mkdir(exist_ok=True)
            save_file(held, path)
        also()
        return {path.name: checksum(path)}


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stored_rows(structure: Any, files: tuple[Path, ...]) -> Any:
    """Return the result of `ShardWriter.begin` with `StoredRows` in place of the tensors that were written."""

    def place(name: str, tensor: Tensor) -> Tensor | StoredRows:
        return StoredRows(files, name, tensor.shape, tensor.dtype) if tensor.is_meta else tensor

    return over_tensors(structure, place)


def over_tensors(value: Any, function: Callable[[str, Tensor], Any], name: str = "") -> Any:
    """Return the same nested mappings and lists with `function` applied to the tensors and their names, in order."""
    if isinstance(value, Tensor):
        return function(name, value)
    if isinstance(value, Mapping):
        return {key: over_tensors(inner, function, f"{name}/{key}") for key, inner in value.items()}
    if isinstance(value, list):
        return [over_tensors(inner, function, f"{name}/{at}") for at, inner in enumerate(value)]
    return value


def _check_division(tensor: DTensor) -> None:
    if tensor.placements != (Shard(0),):
        raise RuntimeError(f"expected a tensor divided by rows among all processes, got {tensor.placements}")
