"""Values of Lean with counted references, and calls of any function of the library.

Each function has one calling convention here. Where compiled code has a variant `NAME___boxed`, that one is called: it
takes all arguments as objects and owns them. Where there is none, all arguments are objects that the function owns.
A result is owned by the caller. Functions of `IO` and of the monads above it take one argument more, for the state of
the world, and return a constructor: 0 with the result, or 1 with the exception; those of `BaseIO` return the result.

Source: Lean 4 `src/include/lean/lean.h`, `src/Lean/Compiler/IR/Boxing.lean` (4.35).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, c_int32, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p, cast, string_at
from typing import Any, Final

from lean_gym.lean.objects import Address, Lean, box

_ARRAY: Final = 246
_CLOSURE: Final = 245
_WORD: Final = 8
_FIELDS: Final = 8
_ELEMENTS: Final = 24
WORLD: Final = box(0)
"""The argument of functions of `IO` for the state of the world."""

Native = Callable[..., int]


class LeanError(Exception):
    """An exception of Lean.

    Attributes:
        value: The exception, of the type that the function's monad throws.
    """

    def __init__(self, value: Value) -> None:
        super().__init__("an exception of Lean")
        self.value = value


class Value:
    """A value of Lean that this process owns one reference to.

    Its address must not outlive it: `lean.text(lean.call(..).at)` reads what has just been freed.

    Args:
        runtime: The library.
        at: The object, or a small value.
    """

    __slots__ = ("_release", "at")

    def __init__(self, runtime: Runtime, at: Address) -> None:
        self._release = runtime.release
        self.at = at

    def __del__(self) -> None:
        at = self.at
        if not at & 1:
            count = c_int32.from_address(at)
            if count.value > 1:
                count.value -= 1
            elif count.value:
                self._release(at)

    def give_away(self) -> Address:
        """Return the object together with the reference to it; this value has none from here on."""
        at, self.at = self.at, box(0)
        return at

    @property
    def tag(self) -> int:
        """The number of the constructor."""
        return self.at >> 1 if self.at & 1 else c_uint8.from_address(self.at + 7).value

    @property
    def is_small(self) -> bool:
        """True for what is no object: a small number, or a constructor without fields."""
        return bool(self.at & 1)


class Runtime(Lean):
    """Lean's library with counted values.

    Args:
        path: The file.

    Raises:
        BackendUnavailable: See `Lean`.
    """

    ABORTS = False

    def __init__(self, path: Any) -> None:
        self._functions: dict[str, Callable[..., int]] = {}
        self._natives: list[Any] = []
        super().__init__(path)
        self.library.lean_init_task_manager()

    def prepare(self) -> None:
        """Bind what every value needs."""
        self.release: Callable[[Address], None] = self._call["lean_dec_ref_cold"]

    # --- references -------------------------------------------------------------------------------------------

    def value(self, at: Address) -> Value:
        """Return a value that shares an object."""
        return Value(self, self.given(at))

    # --- calls ------------------------------------------------------------------------------------------------

    def call(self, name: str, *arguments: Value | int) -> Value:
        """Call a function.

        Args:
            name: Its symbol, without `___boxed`.
            *arguments: Values, or small values as `box` makes them.
        """
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self._bound(name, len(arguments))
        given = [argument if isinstance(argument, int) else self.given(argument.at) for argument in arguments]
        return Value(self, function(*given))

    def run(self, name: str, *arguments: Value | int) -> Value:
        """Call a function of `IO` or of a monad above it and return its result.

        Raises:
            LeanError: It throws.
        """
        result = self.call(name, *arguments, WORLD)
        if result.tag == 0:
            return self.part(result, 0)
        raise LeanError(self.part(result, 0))

    def constant(self, name: str) -> Value:
        """Return a constant without arguments, by its symbol."""
        at = c_void_p.in_dll(self.library, name).value
        assert at is not None, name
        return self.value(at)

    def native(self, function: Native, arity: int) -> Value:
        """Return a function of Lean that is computed here; it owns the addresses it gets and gives away its result."""
        made = CFUNCTYPE(c_void_p, *[c_void_p] * arity)(function)
        self._natives.append(made)
        at = self("lean_alloc_object", 24)
        c_int32.from_address(at).value = 0
        c_uint16.from_address(at + 4).value = 24
        c_uint8.from_address(at + 6).value = 0
        c_uint8.from_address(at + 7).value = _CLOSURE
        c_uint64.from_address(at + 8).value = cast(made, c_void_p).value or 0
        c_uint16.from_address(at + 16).value = arity
        c_uint16.from_address(at + 18).value = 0
        return Value(self, at)

    def _bound(self, name: str, arity: int) -> Callable[..., int]:
        try:
            function = getattr(self.library, f"{name}___boxed")
        except AttributeError:
            function = getattr(self.library, name)
        function.argtypes, function.restype = [c_void_p] * arity, c_void_p
        return function  # type: ignore[no-any-return]

    # --- built ------------------------------------------------------------------------------------------------

    def made_of(self, tag: int, *fields: Value | int, scalars: bytes = b"") -> Value:
        """Make a constructor with fields and the bytes of its scalars."""
        held = [field if type(field) is int else self.given(field.at) for field in fields]  # type: ignore[union-attr]
        at = self.constructor(tag, *held, scalars=scalars)
        c_int32.from_address(at).value = 1
        return Value(self, at)

    def changed(self, value: Value, parts: Mapping[int, Value], scalars: bytes | None = None) -> Value:
        """Return a copy of a constructor with other values for some of its fields, or with other scalars."""
        count = c_uint8.from_address(value.at + 6).value
        start = _FIELDS + _WORD * count
        if scalars is None:
            scalars = string_at(value.at + start, c_uint16.from_address(value.at + 4).value - start)
        fields = [parts[at] if at in parts else self.part(value, at) for at in range(count)]
        return self.made_of(value.tag, *fields, scalars=scalars)

    def array_of(self, items: Sequence[Value]) -> Value:
        """Make an `Array`."""
        at = self("lean_alloc_object", _ELEMENTS + _WORD * max(len(items), 1))
        c_int32.from_address(at).value = 1
        c_uint16.from_address(at + 4).value = 0
        c_uint8.from_address(at + 6).value = 0
        c_uint8.from_address(at + 7).value = _ARRAY
        c_size_t.from_address(at + 8).value = len(items)
        c_size_t.from_address(at + 16).value = max(len(items), 1)
        for number, item in enumerate(items):
            c_uint64.from_address(at + _ELEMENTS + _WORD * number).value = self.given(item.at)
        return Value(self, at)

    def list_of(self, items: Sequence[Value]) -> Value:
        """Make a `List`."""
        made = Value(self, box(0))
        for item in reversed(items):
            made = self.made_of(1, item, made)
        return made

    def text_of(self, text: str) -> Value:
        """Make a `String`.

        Raises:
            UnicodeEncodeError: Half a surrogate pair is no text.
        """
        content = text.encode()
        return Value(self, self("lean_mk_string_from_bytes", content, len(content)))

    def name_of(self, name: str) -> Value:
        """Make a `Name` of its components, with dots between them."""
        made = Value(self, box(0))
        for part in name.split("."):
            made = self.call("lean_name_mk_string", made, self.text_of(part))
        return made

    def reference_to(self, value: Value) -> Value:
        """Make an `IO.Ref`."""
        return self.call("lean_st_mk_ref", value)

    # --- read -------------------------------------------------------------------------------------------------

    def part(self, value: Value, number: int) -> Value:
        """Return a field of a constructor."""
        return self.value(self.field(value.at, number))

    def each(self, value: Value) -> Iterator[Value]:
        """Yield the elements of a `List`."""
        for item in self.items(value.at):
            yield self.value(item)

    def elements(self, value: Value) -> list[Value]:
        """Return the elements of an `Array`."""
        return [self.value(at) for at in self.addresses(value.at)]

    def addresses(self, array: Address) -> Iterator[Address]:
        """Yield the elements of an `Array`, which is kept meanwhile."""
        start = array + _ELEMENTS
        for number in range(c_size_t.from_address(array + _FIELDS).value):
            yield c_uint64.from_address(start + _WORD * number).value

    def content(self, reference: Value) -> Value:
        """Return the value of an `IO.Ref`, which this thread alone uses."""
        return self.value(c_uint64.from_address(reference.at + _FIELDS).value)

    def string_in(self, value: Value) -> str:
        """Return the text of a `String`."""
        return self.text(value.at)
