"""The exceptions of trainers; the text of each is one line for the user."""

from __future__ import annotations


class ConfigError(ValueError):
    """A setting, a flag or a file that cannot be used."""


class PolicyError(ValueError):
    """A model that cannot be loaded or used."""


def first_line(error: Exception) -> str:
    """Return the first line of an error's text that is not blank, or the name of its class where there is none."""
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
