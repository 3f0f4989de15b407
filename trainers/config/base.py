"""Base of all settings: frozen pydantic models that refuse unknown keys and never turn one type into another.

A model may hold others, its sections. The fields of a section stand under its name in a file:

    seed: 1
    rollout:
      group_size: 8

The string below a field is its help on the command line, and its type carries the range of its values. A value that
cannot be used raises a `ConfigError` of one line. Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from trainers.errors import ConfigError

Fraction = Annotated[float, Field(gt=0, lt=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Decay = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=1)]
CountOrZero = Annotated[int, Field(ge=0)]
AtLeastTwo = Annotated[int, Field(ge=2)]

LONGEST_ECHO = 120
"""Characters of a value that a message repeats."""

SettingPath = tuple[str, ...]
"""Names that lead to a setting: its section, if it stands under one, and its own."""


class Settings(BaseModel):
    """Base class of settings.

    An instance is always valid: `model_copy` checks what it changes, like the constructor.

    Attributes:
        positional: Settings that a command line takes without a flag as well, in this order; `theorems` takes several.
        usual: Settings that `--help` of a program shows, those that people change; the others show with `--help-all`.
            Empty where `--help` shows all.
    """

    positional: ClassVar[tuple[str, ...]] = ()
    usual: ClassVar[tuple[str, ...]] = ()

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True, allow_inf_nan=False
    )

    def __init__(self, **values: Any) -> None:
        """Check the values.

        Raises:
            ConfigError: A key is unknown, or a value has the wrong type or is out of range.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError(str(find_problem(type(self), error))) from None

    # Sections are validated as parts of the whole, so that a message names the path to a setting.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("*", mode="before")
    @classmethod
    def _take_tuples_as_lists(cls, value: object) -> object:
        """Python programs write a constant list as a tuple; files cannot."""
        return list(value) if isinstance(value, tuple) else value

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed and everything checked again.

        Raises:
            ConfigError: A key is unknown, or a value has the wrong type or is out of range.
        """
        copy = super().model_copy(deep=deep)
        return type(self)(**(dict(copy) | dict(update))) if update else copy


def shortened(value: object) -> str:
    """Return the value as it stands in a message: its `repr`, the end of a long one cut off."""
    text = repr(value)
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}... ({len(text)} characters)"


class RefusedValue(ValueError):
    """A value that does not go with others; raised by `require` within a validator.

    Attributes:
        field: Name of the field, in the model whose validator refuses it.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def require(condition: bool, field: str, value: object, expected: str) -> None:
    """Refuse the value of a field unless the condition holds; for `model_validator` methods.

    Raises:
        RefusedValue: It does not.
    """
    if not condition:
        raise RefusedValue(field, f"expected {expected}, got {shortened(value)}")


def sections(kind: type[Settings]) -> dict[str, type[Settings]]:
    """Return the sections of a settings class by name."""
    kinds = {name: info.annotation for name, info in kind.model_fields.items()}
    return {
        name: inner
        for name, inner in kinds.items()
        if isinstance(inner, type) and issubclass(inner, Settings)
    }


def section_of_field(kind: type[Settings]) -> dict[str, str | None]:
    """Map every setting to the section it stands under in a file; `None` for the top level."""
    parts = sections(kind)
    found: dict[str, str | None] = {name: None for name in kind.model_fields if name not in parts}
    for section, part in parts.items():
        found.update(dict.fromkeys(part.model_fields, section))
    return found


def help_of(kind: type[Settings], field: str) -> str:
    """Return the text below a field, on one line."""
    return " ".join((kind.model_fields[field].description or "").split())


def allowed_values(kind: type[Settings]) -> dict[str, str]:
    """Return the values that each field of a settings class takes, in the words of the error messages."""
    schemas = kind.model_json_schema()["properties"]
    return {name: _in_words(schema) for name, schema in schemas.items() if name not in sections(kind)}


def _in_words(schema: Mapping[str, Any]) -> str:
    """Describe the JSON schema of one field."""
    options = schema.get("anyOf", [schema])
    option = next(each for each in options if each.get("type") != "null")
    if "enum" in option:
        text = "one of " + ", ".join(option["enum"])
    else:
        names = {
            "boolean": "true or false",
            "string": "a text",
            "object": "a mapping",
            "array": "a list of texts",
        }
        numbers = {"integer": "a whole number", "number": "a number"}
        text = (names | numbers)[option["type"]] + _bounds_in_words(option)
    return f"{text}, or null" if len(options) > 1 else text


def _bounds_in_words(schema: Mapping[str, Any]) -> str:
    keys = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    bounds = (schema.get(key) for key in keys)
    low, above, high, below = (f"{bound:g}" if isinstance(bound, float) else bound for bound in bounds)
    if above is not None and below is not None:
        return f" between {above} and {below}"
    if low is not None and high is not None:
        return f" from {low} to {high}"
    words = {"at least": low, "above": above, "at most": high, "below": below}
    return "".join(
        f"{' and' if number else ''} {word} {bound}"
        for number, (word, bound) in enumerate(pair for pair in words.items() if pair[1] is not None)
    )


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """The first thing that is wrong with some values.

    Attributes:
        place: The setting.
        text: What was expected and what was got, or what to write instead of an unknown name.
        unknown: There is no such setting.
    """

    place: SettingPath
    text: str
    unknown: bool = False

    def __str__(self) -> str:
        path = ".".join(self.place)
        if self.unknown:
            path = path if len(path) <= LONGEST_ECHO else path[:LONGEST_ECHO] + "..."
            return f"unknown setting {path}{self.text}"
        return f"{path}: {self.text}" if path else self.text


def find_problem(kind: type[Settings], error: ValidationError) -> SettingProblem:
    """Return the first problem that pydantic found, unknown names before wrong values.

    Args:
        kind: The class whose values were checked.
        error: What pydantic raised.
    """
    order = ["extra_forbidden", "invalid_key", "model_type"]
    found = error.errors(include_url=False)
    first = min(found, key=lambda each: order.index(each["type"]) if each["type"] in order else len(order))
    place, owner = tuple(map(str, first["loc"])), kind
    for depth, name in enumerate(place[:-1], start=1):
        if name not in sections(owner):
            in_list = first["loc"][-1] != "[key]"
            expected = allowed_values(owner)[name] if in_list else "texts as keys"
            return SettingProblem(place[:depth], f"expected {expected}, got {shortened(first['input'])}")
        owner = sections(owner)[name]
    if first["type"] in ("extra_forbidden", "invalid_key"):
        return SettingProblem(place, _nearest(place[-1], owner, kind), unknown=True)
    if first["type"] == "model_type":
        return SettingProblem(place, f"expected settings under this section, got {shortened(first['input'])}")
    if first["type"] == "value_error":
        refusal = first["ctx"]["error"]
        inner = (refusal.field,) if isinstance(refusal, RefusedValue) else ()
        return SettingProblem(place + inner, str(refusal))
    expected = allowed_values(owner)[place[-1]]
    if first["type"] == "finite_number":
        expected = expected.replace("a number", "a finite number")
    got = "nothing" if first["type"] == "missing" else shortened(first["input"])
    return SettingProblem(place, f"expected {expected}, got {got}")


def _nearest(name: str, owner: type[Settings], kind: type[Settings]) -> str:
    """Return the hint for an unknown name among the fields of `owner`, a section of `kind`."""
    home = section_of_field(kind).get(name)
    if home:
        return f"; it belongs under the section {home!r}"
    return suggestion(name, owner.model_fields)


def suggestion(name: str, known: Collection[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known one, or all of them."""
    # `lean_gym` loads Gymnasium, which only a mistake has to wait for.
    from lean_gym.errors import nearest_name

    near = nearest_name(name, known)
    return f"; did you mean {near!r}?" if near else f" (valid: {', '.join(known)})"
