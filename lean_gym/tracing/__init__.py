"""Lean projects to corpora: declarations, theorems and the steps of their proofs, in LeanDojo's layout.

    from lean_gym.tracing import trace
    trace("my_project", "traced/my_project", jsonl=True)

`python -m lean_gym trace` is the program.
"""

from lean_gym.tracing.project import FileState, Summary, trace

__all__ = ["FileState", "Summary", "trace"]
