"""Bytes of the tensors that a computation holds, counted where torch creates and frees them."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


class TensorBytes(TorchDispatchMode):
    """Counter of the bytes that operations within its block create and have not freed yet.

    A storage counts once, however many views it has. It also answers in place of tensors without numbers where the
    computation asks for numbers, see `chosen`.

    Attributes:
        now: Bytes held, by kind.
        peak: Bytes held by kind at the moment when they were most.
        operations: Number of calls of each operation.
    """

    def __init__(self, device: torch.device, kind: Callable[[Tensor], str], chosen: int) -> None:
        """Count nothing yet.

        Args:
            device: Tensors of other devices are not counted.
            kind: Names the kind of a new tensor.
            chosen: Elements that a mask of truth values selects. With tensors without numbers nobody can know.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self._device = device
        self._kind = kind
        self._chosen = chosen
        self._known: dict[int, weakref.ref[torch.UntypedStorage]] = {}
        self._total = self._most = 0
        self.now: Counter[str] = Counter()
        self.peak: Counter[str] = Counter()
        self.operations: Counter[str] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry an operation out and count what it returns."""
        self.operations[str(func)] += 1
        for part in tree_iter((args, kwargs)):
            if isinstance(part, Tensor):
                self._see(
                    part, counts=False
                )  # weights and other inputs: made before, and views of them are no more
        found = self._without_numbers(func, args)
        if found is None:
            found = func(*args, **(kwargs or {}))
        for part in tree_iter(found):
            if isinstance(part, Tensor):
                self._see(part, counts=part.device.type == self._device.type)
        return found

    def _without_numbers(self, func: Any, args: tuple[Any, ...]) -> Any:
        """Return the result of an operation that depends on numbers; `None` for any other."""
        if func is torch.ops.aten._local_scalar_dense.default:
            return False  # transformers asks whether a mask is without effect
        if func is torch.ops.aten.index.Tensor:
            masks = [at for at in args[1] if at is not None and at.dtype == torch.bool]
            if masks:
                return args[0].new_empty((self._chosen, *args[0].shape[masks[0].dim() :]))
        return None

    def _see(self, tensor: Tensor, counts: bool) -> None:
        storage = tensor.untyped_storage()
        key, size, kind = id(storage), storage.nbytes() * counts, self._kind(tensor)
        if (known := self._known.get(key)) is not None and known() is storage:
            return

        def freed(_: object) -> None:
            self.now[kind] -= size
            self._total -= size
            self._known.pop(key, None)

        self._known[key] = weakref.ref(storage, freed)
        self.now[kind] += size
        self._total += size
        if self._total > self._most:
            self._most, self.peak = self._total, self.now.copy()
