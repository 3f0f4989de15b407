"""Core names that the library does not define: refused as unsupported, neither auto-bound nor called unknown."""

from __future__ import annotations

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


def unknown(env: LeanEnv, name: str) -> MetaError:
    """Return the error for a name that refers to nothing."""
    head = name.removeprefix("_root_.").partition(".")[0]
    if head in _CORE and env.find(head) is None and head not in env.namespaces:
        return UnsupportedError(f"`{name}`: the library has no `{head}`")
    return MetaError(f"Unknown identifier `{name}`")
