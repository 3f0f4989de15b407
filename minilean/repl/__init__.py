"""The REPL: minilean as a server of Pantograph's wire protocol.

server.py        the command line, the loop, the table of commands
wire.py          lines, fields and errors
session.py       state that is kept between commands; `stat reset options.*`
show.py sexp.py  terms, goals and messages as JSON
terms.py         elaborating terms; `expr.echo`
environment.py   `env.*`
goals.py         `goal.start goal.print goal.continue goal.delete`
steps.py         `goal.tactic`, with draft.py and calc.py for drafts and calc mode
subsume.py       `goal.subsume`
compile.py       whole files, with invocations.py for their tactics
frontend.py      `frontend.process frontend.distil`, with distil.py for search targets
track.py         `frontend.track`
"""

from __future__ import annotations

from minilean.repl.server import main

__all__ = ["main"]
