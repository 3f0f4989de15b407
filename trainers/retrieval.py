"""Train, index or evaluate a retriever of premises.

    python -m trainers.retrieval train --data traced/DIR --out-dir runs/retriever
    python -m trainers.retrieval index --data traced/DIR --encoder runs/retriever --out-dir runs/index
    python -m trainers.retrieval evaluate --data traced/DIR --encoder runs/retriever

Each command has --help. `--retriever runs/index` of the other programs shows the premises found above the goals.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lean_gym.command_line import unless_closed
from trainers.config.base import Settings
from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.flags import fail
from trainers.config.retrieval import EvaluateRetrievalConfig, IndexConfig, TrainRetrieverConfig

COMMANDS: dict[str, tuple[type[Settings], str]] = {
    "train": (TrainRetrieverConfig, "Train an encoder on the states of traced proofs and their premises."),
    "index": (IndexConfig, "Write the index of a corpus, by an encoder or by BM25."),
    "evaluate": (EvaluateRetrievalConfig, "Measure an encoder and BM25 on the states of a split."),
}


@unless_closed()
def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.retrieval") -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help"):
        print((__doc__ or "").strip().replace("python -m trainers.retrieval", program))
        return 0
    if words[0] not in COMMANDS:
        fail(f"{program}: expected one of {', '.join(COMMANDS)}, got {words[0]!r}")
    kind, description = COMMANDS[words[0]]
    with ending_in_one_line():
        given = read_flags(kind, words[1:], f"{program} {words[0]}", description)
        config = given.settings()
        announce_loading()
        from trainers.corpora.retrieval.program import run

        return run(config, given.dry_run)


if __name__ == "__main__":
    sys.exit(main())
