"""Supervised fine-tuning of encoder-decoder models, by transformers' own trainer: TRL's is for causal models only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from transformers import DataCollatorForSeq2Seq, Trainer, TrainerCallback, TrainingArguments

from trainers.policies.packing import Pair
from trainers.policies.transformers import TransformersPolicy


def make_trainer(
    policy: TransformersPolicy,
    arguments: TrainingArguments,
    pairs: Sequence[Pair],
    adapter: Any,
    callbacks: Sequence[TrainerCallback],
) -> Trainer:
    """Return a trainer: the prompt is the encoder's input, and the tactic what the decoder learns.

    Args:
        policy: The model and its tokenizer.
        arguments: Rates, batches and folders.
        pairs: (prompt, tactic) token ids.
        adapter: Settings of peft for an adapter, which is put on the model; `None` to train all weights.
        callbacks: Called during the training.
    """
    model: Any = policy.model
    if adapter is not None:
        from peft import get_peft_model

        model = get_peft_model(model, adapter)
        if arguments.gradient_checkpointing:
            model.enable_input_require_grads()  # frozen embeddings would cut off the recomputed blocks
    rows = [{"input_ids": list(prompt), "labels": list(tactic)} for prompt, tactic in pairs]
    collator = DataCollatorForSeq2Seq(policy.tokenizer, model=policy.model, label_pad_token_id=-100)
    return Trainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        data_collator=collator,
        callbacks=list(callbacks),
    )
