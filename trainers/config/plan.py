"""Plan of a program as its settings tell it, for `--dry-run`. Nothing here imports torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Update:
    """Sizes that decide on the memory of an update of weights.

    Attributes:
        tokens: Most tokens of a batch.
        adapter: Words of the adapter, see `trainers.config.lora`; empty where all weights are trained.
        four_bit: The weights of the model are held in 4 bits.
        precision: `auto`, `fp32` or `bf16`.
        checkpointing: The blocks are computed again in the backward pass.
    """

    tokens: int
    adapter: str = ""
    four_bit: bool = False
    precision: str = "auto"
    checkpointing: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of a program.

    Attributes:
        lines: The work, as label and text.
        model: Model, run folder, endpoint or preset that it is about; empty for none.
        packages: Modules that it needs beyond those of every program, the engine left out.
        engine: Engine that samples.
        engine_share: Share of the device's memory that it takes; `None` for its default.
        engine_rests: Whether it frees that memory during updates.
        sampled_tokens: Most tokens of the prompts and completions that are sampled at once.
        prompt_tokens: Most tokens of a prompt.
        answer_tokens: Most tokens of a completion.
        update: Its update; `None` where it trains nothing.
        proves: It starts provers.
        processes: Processes that divide the work.
    """

    lines: tuple[tuple[str, str], ...] = ()
    model: str = ""
    packages: tuple[str, ...] = ()
    engine: str = "transformers"
    engine_share: float | None = None
    engine_rests: bool = False
    sampled_tokens: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    update: Update | None = None
    proves: bool = True
    processes: int = 1
