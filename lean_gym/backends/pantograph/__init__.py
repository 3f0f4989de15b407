"""Real Lean 4, or any other REPL that speaks Pantograph's JSON protocol.

discovery.py   which REPL
launch.py      a process that ends when we do
process.py     the process and its line protocol: one request, one answer, a deadline
dialect.py     what this REPL can do, found by trying
repl.py        a process ready for proofs
goals.py       goals as they come and as Lean prints them
statement.py   theorems as source text
steps.py       a theorem becomes a state, a tactic makes the next one
recompile.py   full verification: the script compiled as a file
judge.py       verdicts, from processes of their own
client.py      the backend
"""

from lean_gym.backends.pantograph.client import PantographBackend

__all__ = ["PantographBackend"]
