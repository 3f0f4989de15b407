"""The exceptions of lean_gym.

    LeanGymError
    ├── DataError (also ValueError)      a theorem, row or file is not usable: names file, line and field
    ├── RewardError (also ValueError)    a reward failed, or gave something that is no finite number
    └── BackendError                     the prover itself failed; a failing tactic is never an exception
        ├── BackendUnavailable           the backend is not installed or did not start
        ├── BackendCrashed               the process died or closed its pipe
        ├── BackendTimeout               the deadline passed and the backend had to be stopped
        └── ProtocolError                an answer that cannot be understood

Misuse of the API raises plain `ValueError` or `TypeError` whose text says what, got, expected, what to do.
"""

from __future__ import annotations


class LeanGymError(Exception):
    """Base of every exception that lean_gym defines."""


class DataError(LeanGymError, ValueError):
    """A theorem, a row or a file that cannot be used, e.g. a statement that does not elaborate."""


class RewardError(LeanGymError, ValueError):
    """A reward failed on a step, or gave something that is no finite number."""


class BackendError(LeanGymError):
    """The prover failed, as opposed to the tactic."""


class BackendUnavailable(BackendError):
    """The backend is not installed or did not start; the text says what to install or run."""


class BackendCrashed(BackendError):
    """The prover's process died or closed its pipe."""


class BackendTimeout(BackendError):
    """The deadline passed and the prover had to be stopped."""


class ProtocolError(BackendError):
    """The prover's answer has a shape that this version does not know."""
