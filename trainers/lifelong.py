"""Learn repositories one after another, and measure what is kept of the earlier ones.

    python -m trainers.lifelong --repos A B C                        folders or addresses of Lean projects
    python -m trainers.lifelong --repos logic nat --model tiny       theorem sets, two CPU cores, minutes
    python -m trainers.lifelong --repos A B --replay-share 0.2 --retriever encoder
    python -m trainers.lifelong --repos A B --dry-run                the plan alone

For each repository, the easiest first: trace it, fine-tune on its proofs, reinforce, search for the proofs of its
`sorry`s (a patch, which checks), and measure the held-out theorems of all repositories: backward and forward transfer.

A wrong setting ends with one line and exit code 2. Ctrl-C, SIGTERM and a kill lose at most a stage; `--resume RUN` goes
on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.lifelong import LifelongConfig
from trainers.errors import ConfigError

RESUMABLE = ("workers", "pool", "torch_threads")
"""Settings that may change when a course goes on."""


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.lifelong") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    words = with_list(list(sys.argv[1:] if arguments is None else arguments))
    with ending_in_one_line():
        given = read_flags(LifelongConfig, words, program, description, resumable=RESUMABLE)
        config = given.settings()
        if not config.repos:
            raise ConfigError("--repos: expected repositories, got none")
        announce_loading()
        if given.dry_run:
            from trainers.corpora.lifelong.planning import print_plan

            return print_plan(config, given.resume, program)
        from trainers.corpora.lifelong.program import learn

        return learn(config, given.resume, program)


def with_list(words: list[str]) -> list[str]:
    """Return a command line with the words behind `--repos` as one JSON list."""
    if "--repos" not in words:
        return words
    begin = words.index("--repos") + 1
    end = next((at for at in range(begin, len(words)) if words[at].startswith("--")), len(words))
    if words[begin:end] and words[begin].startswith("["):
        return words
    return [*words[:begin], json.dumps(words[begin:end]), *words[end:]]


if __name__ == "__main__":
    sys.exit(main())
