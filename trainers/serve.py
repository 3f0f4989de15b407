"""Serve a policy to editors, agents and evaluations.

    python -m trainers.serve --policy runs/RUN
    python -m trainers.serve --policy Qwen/Qwen3-0.6B --port 8010 --api-key KEY
    python -m trainers.serve --policy runs/RUN --progress-model runs/progress-seed0
    python -m trainers.serve --policy preset:goedel-v2

It speaks OpenAI's completions and chat and the protocols of LeanCopilot, llmstep and reap, and searches for proofs of
theorems that it is sent. It needs the extra `serve`. `lean-gym serve-policy` is the same program; `lean-gym serve`
serves the environment.

A Ctrl-C or SIGTERM ends it after the requests under way, with 128 plus the number of the signal. A wrong setting or a
port in use ends it with one line and exit code 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.serve import ServeConfig
from trainers.run.plan import print_plan


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.serve") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(ServeConfig, arguments, program, description)
        name = given.policy
        from trainers.policies.source import PolicySource

        source = PolicySource.find(name)
        defaults = source.defaults_for(given.named.get("backend"), ServeConfig)
        if defaults.get("search", {}).get("seconds") == 0:  # of a preset; a server's searches have a limit
            del defaults["search"]["seconds"]
        config = given.settings(below=defaults)
        if given.dry_run:
            return print_plan(config, program)
        if source.kind != "endpoint":
            announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.proving.serving.program import serve

        return serve(config, source, retriever_of(config.rollout))


if __name__ == "__main__":
    sys.exit(main())
