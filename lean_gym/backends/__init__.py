"""Backends: the provers of the environment.

    registry.py  names -> backends
    lean.py      Lean's own library, on minilean's, in processes of its own ("lean")
    minilean.py  the embedded Lean, in this process ("minilean"; "auto" without a REPL)
    preloaded.py the library in memory, for a fork server of minilean's workers
    pantograph/  real Lean 4 through Pantograph's protocol ("pantograph"; "auto" with a REPL)
    fake.py      a scripted backend for tests without a prover ("fake")
    conformance.py  the suite that every backend must pass
    sandbox.py  isolation of processes by bubblewrap
    statement.py scripts.py mathlib_header.py  theorems, whole proofs and headers as source text

`lean_gym.backends.conformance.check_backend` is the suite that every backend must pass.
"""

from lean_gym.backends.registry import backend_names, create_backend
from lean_gym.types import ProofBackend

__all__ = ["ProofBackend", "backend_names", "create_backend"]
