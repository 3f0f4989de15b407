"""Things that the retriever of a course needs, checked before any repository is traced."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from trainers.config.lifelong import LifelongConfig
from trainers.config.retrieval import NGRAMS
from trainers.corpora.lifelong.sources import is_project
from trainers.errors import ConfigError
from trainers.extras import install

_PACKAGES: Final = ("bm25s", "sentence_transformers")
"""Packages that indexes of premises need."""
_MODULES: Final = ("trainers.corpora.retrieval.bm25", "trainers.corpora.retrieval.encoder")
"""Modules that import them."""
_FASTER: Final = "faiss"
"""Package that an encoder's index takes where it is installed."""
NO_PREMISES: Final = (
    "retriever: expected a repository with premises, got theorem sets only; name traced folders or projects, or leave "
    "it out"
)
"""Message about a course that has nothing to retrieve."""


def check_retriever(config: LifelongConfig, is_new: bool) -> None:
    """Check what the retriever of a course needs: tracing takes hours, and comes first.

    Args:
        config: The settings.
        is_new: The course begins; one that goes on may have its own encoder already, and has traced repositories.

    Raises:
        ConfigError: A package is missing, the first encoder cannot be loaded, or no repository can have premises.
    """
    if config.retriever == "none":
        return
    if absent := [name for name in _PACKAGES if find_spec(name) is None]:
        verb = "is" if len(absent) == 1 else "are"
        raise ConfigError(
            f"retriever: got {config.retriever!r}, which needs {' and '.join(_PACKAGES)}; {' and '.join(absent)} "
            f"{verb} not installed; expected both; install them with: {install(_PACKAGES[0])}, or take --retriever none"
        )
    for module in (
        *_MODULES,
        *[_FASTER] * (config.retriever == "encoder" and find_spec(_FASTER) is not None),
    ):
        try:
            import_module(module)
        except ImportError as error:  # a package of another version, or a damaged one
            reason = " ".join(str(error).split())
            raise ConfigError(
                f"retriever: got {config.retriever!r}, whose packages cannot be imported ({reason[:200]}); expected "
                f"the versions of: {install(_PACKAGES[0])}; install them, or take --retriever none"
            ) from None
    if not is_new:
        return
    if not any(is_project(each) or (Path(each) / "metadata.json").is_file() for each in config.repos):
        raise ConfigError(NO_PREMISES)
    named = str(config.retrieval.get("encoder", NGRAMS))
    if config.retriever == "encoder" and named != NGRAMS:
        # Imported here: the checks of the packages come before.
        from trainers.corpora.retrieval.encoder import load_encoder

        load_encoder(named)
