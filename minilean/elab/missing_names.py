"""Names that refer to nothing although a file may expect them.

Core names that the library does not define are refused as unsupported, neither auto-bound nor called unknown. Names
whose declaration was refused are not auto-bound either, and messages say where they were refused.
"""

from __future__ import annotations

import re

from minilean.elab.names import Scope
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import LeanEnv

_WORDS = """
    Acc Alternative Applicative BaseIO Bind ByteArray EIO EStateM Except ExceptCpsT ExceptT Float
    Float32 FloatArray ForIn ForM Functor Hashable IO ISize Int16 Int32 Int64 Int8 InvImage
    LawfulApplicative LawfulFunctor LawfulMonad Lean MProd Monad MonadControl MonadExcept MonadLift
    MonadLiftT MonadReader MonadState MonadStateOf OptionT Ord Ordering Pure ReaderM ReaderT Repr
    ReprAtom ST Seq SeqLeft SeqRight SizeOf Squash StateM StateRefT StateT StdGen Stream Subarray
    Substring Task Thunk ToStream UInt16 UInt64 UInt8 USize Vector WellFounded
    WellFoundedRelation compare compareOfLessAndEq dbgTrace dbg_trace getThe invImage lcProof measure
    modifyGet panic panicCore ptrEq repr reprStr throwThe tryCatch unsafeCast
"""
_CORE = frozenset(_WORDS.split())
_MISSING = re.compile(r"(?:Unknown (?:identifier|constant)|unknown namespace|does not contain) `([^`\n]+)`")


def unknown(env: LeanEnv, name: str) -> MetaError:
    """Return the error for a name that refers to nothing."""
    head = name.removeprefix("_root_.").partition(".")[0]
    if head in _CORE and env.find(head) is None and head not in env.namespaces:
        return UnsupportedError(f"`{name}`: the library has no `{head}`")
    return MetaError(f"Unknown identifier `{name}`")


def refused_name(env: LeanEnv, scope: Scope, name: str) -> str | None:
    """Return the full name of the refused declaration that a dotted name, or its beginning, stands for."""
    if not env.refused:
        return None
    parts = name.removeprefix("_root_.").split(".")
    around = scope.namespace.split(".") if scope.namespace else []
    spaces = [".".join(around[:count]) for count in range(len(around), 0, -1)]
    for cut in range(len(parts), 0, -1):
        head = ".".join(parts[:cut])
        for full in (
            *(f"{space}.{head}" for space in spaces),
            head,
            *(f"{space}.{head}" for space in scope.opened),
        ):
            if full in env.refused and env.find(full) is None:
                return full
    return None


def with_places(env: LeanEnv, scope: Scope, message: str) -> str:
    """Return an error message with a note about each unknown name in it whose declaration was refused."""
    if not env.refused:
        return message
    names = (refused_name(env, scope, found) for found in _MISSING.findall(message))
    notes = [
        f"\n\nNote: `{full}` is missing, its declaration was refused: {env.refused[full]}"
        for full in dict.fromkeys(name for name in names if name is not None)
    ]
    return message + "".join(notes)
