"""The exceptions of trainers; the text of each is one line for the user."""

from __future__ import annotations


class ConfigError(ValueError):
    """A setting, a flag or a file that cannot be used."""


class PolicyError(ValueError):
    """A model that cannot be loaded or used."""
