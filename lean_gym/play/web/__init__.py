"""Proving in a web browser: minilean in Pyodide, no server behind the page.

    session.py   requests of the page to the embedded Lean, and its answers, as JSON; runs in the browser
    bundle.py    the folder of files that a web server hands out: the page, Pyodide, minilean, theorem sets
    packing.py   minilean as bytecode of Pyodide's Python; make.mjs runs it in Pyodide
    serving.py   `python -m lean_gym play --web`: the folder behind a local address
    page/        HTML, style and scripts

The page keeps the history of a proof. The session holds nothing that it could not replay, so a tactic without end is
stopped by ending the browser's worker.
"""
