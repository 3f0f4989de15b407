"""Search for proofs; prints them as checked Lean source.

    python -m trainers.prove "theorem t (p q : Prop) : p ∧ q → q ∧ p"
    python -m trainers.prove "theorem t (p q : Prop) : p ∧ q → q ∧ p" --policy runs/RUN
    python -m trainers.prove --theorems logic:test --policy runs/RUN --method beam --tactics 1000 --json
    python -m trainers.prove prop_chain --theorems logic --policy runs/RUN --show tree
    python -m trainers.prove --file F.lean --in-place --policy runs/RUN
    python -m trainers.prove --theorems logic --policy runs/RUN --actions proof --max-repairs 2

A proof is printed if the environment proved it and a replay of its text in a new one did so again. A Ctrl-C ends the
search and prints what was found. With `--file` the `sorry`s of a file are filled, and it is printed or written only if
it checks. Exit code: 0 if every theorem is proved, 1 if one is not, 2 for a wrong setting or file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainers.config.cli import ending_in_one_line, read_flags
from trainers.config.tasks import ProveConfig
from trainers.errors import ConfigError
from trainers.run.plan import print_plan

if TYPE_CHECKING:
    from lean_gym.types import Theorem  # loads Gymnasium


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.prove") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(ProveConfig, arguments, program, description)
        from trainers.policies.source import PolicySource

        source = PolicySource.find(given.policy) if "policy" in given.named else None
        below = {} if source is None else source.defaults_for(given.named.get("backend"), ProveConfig)
        config = given.settings(below=below)
        if not {"theorem", "theorems", "file"} & given.named.keys():
            raise ConfigError(
                "theorem: expected a statement such as 'theorem t : 1 = 1', or --theorems SET or --file F.lean, got "
                "none"
            )
        if given.dry_run:
            return print_plan(config, program, choose=lambda: theorems_of(config))
        from trainers.corpora.retrieval.retriever import retriever_of

        if config.file:
            from trainers.proving.editing.filling import fill

            return fill(config, source, retriever_of(config.rollout))
        from trainers.proving.search.proving import prove

        return prove(config, source, retriever_of(config.rollout))


def theorems_of(config: ProveConfig) -> list[Theorem]:
    """Return the theorems to prove: those of a file whose `sorry`s can be filled, or those chosen.

    Raises:
        ConfigError: A file, a set or a statement cannot be used.
    """
    from trainers.proving.editing.filling import theorems_in_file
    from trainers.proving.search.proving import chosen_theorems

    return theorems_in_file(config) if config.file else chosen_theorems(config)


if __name__ == "__main__":
    sys.exit(main())
