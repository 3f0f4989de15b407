"""Reports on runs: one HTML file with curves, theorems, proof trees, failures and settings; model cards; Lean files.

    rows.py         rows of the files that are read, checked
    run_folder.py   what a run left in its folder; what is missing or broken becomes a note
    evaluations.py  results of `trainers.evaluate`, and the run that each belongs to
    curves.py       scalars of the event files, charts of them
    episodes.py     the stored episodes: counts per theorem, a few proofs and failed attempts, refused tactics
    replay.py       goals of proofs and messages of refused tactics that a run does not store, from minilean
    goal_tree.py    an episode as a tree of goals
    theorems.py     rows of the table of theorems
    gather.py       all of these for one run
    lean_source.py  proofs as Lean source, for `trainers.export`
    model_card.py   the card of a policy, for `trainers.push`
    page.py         the HTML file; its template, style and script are in page/

Everything that a run wrote is untrusted text: Jinja2 escapes it, the script of the page shows it as text, and the page
forbids the browser all scripts but its own two and all requests.
"""
