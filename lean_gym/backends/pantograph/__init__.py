"""Real Lean 4, or any other REPL that speaks Pantograph's JSON protocol.

discovery.py    the search for a REPL
launch.py       start of a process that ends with this one
process.py      the process and its line protocol: one request, one answer, a deadline
facts.py        facts found once per machine, shared by its processes
admission.py    admission of processes by memory
dialect.py      abilities of a REPL, found by small requests
repl.py         a process ready for proofs
goals.py        goals as the REPL sends them and as Lean prints them
steps.py        the requests of an episode: start a theorem, run a tactic
recompile.py    full verification: the script compiled as a file
file_errors.py  errors of whole proofs, with their positions
axioms.py       what `#print axioms` lists, and the constants of a term
independent.py  exports of proofs, for kernels that never saw the script
verdicts.py     verdicts, from processes that run no episode
fleet.py        the processes of a backend, by imports: which start, which end
client.py       the backend
"""

from lean_gym.backends.pantograph.client import PantographBackend

__all__ = ["PantographBackend"]
