"""Real Lean 4, or any other REPL that speaks Pantograph's JSON protocol.

discovery.py   the search for a REPL
launch.py      start of a process that ends with this one
process.py     the process and its line protocol: one request, one answer, a deadline
facts.py       facts found once per machine, shared by its processes
dialect.py     abilities of a REPL, found by small requests
repl.py        a process ready for proofs
goals.py       goals as the REPL sends them and as Lean prints them
statement.py   theorems as source text
steps.py       the requests of an episode: start a theorem, run a tactic
recompile.py   full verification: the script compiled as a file
axioms.py      what `#print axioms` lists, and the constants of a term
verdicts.py    verdicts, from processes that run no episode
sandbox.py     isolation by bubblewrap
fleet.py       the processes of a backend, by imports: which start, which end
client.py      the backend
"""

from lean_gym.backends.pantograph.client import PantographBackend

__all__ = ["PantographBackend"]
