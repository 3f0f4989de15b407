"""The default model: a small Llama-style transformer with random weights, and its tokenizer.

The tokenizer is trained on the training goals and proofs. It is byte-level byte-pair encoding, so decoding gives back
any text exactly. Text is first split so that a name is the same piece everywhere: in `h : p ∧ q` and in `exact h.left`
the hypothesis is the piece `h`. A symbol includes the spaces around it (` ∧ `, `, `, `⊢ `), which keeps prompts short.
A global constant such as `Nat.add_comm` is one piece, and so is a projection such as `.left`.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from trainers.config.run import TinyConfig

END = "<end>"
SEPARATOR = ":::"

_PIECE = (
    r"\p{Lu}[\p{L}\p{N}_'✝]*(?:\.[\p{L}_][\p{L}\p{N}_']*)*"  # Nat.add_comm, And.intro, True
    r"|\.[\p{L}\p{N}_']+"  # .left .1 .mp
    r"|[\p{Ll}\p{Lo}_][\p{L}_]*"  # h, hp, intro, α
    r"|[\p{N}'✝]"  # one digit, subscript, prime or dagger at a time
    r"|\n+| (?=[\p{L}\p{N}_])"  # a space between two words is a piece of its own
    r"| ?[^\s\p{L}\p{N}_'✝.]+ ?"  # operators and brackets with the spaces around them
    r"|\s|."
)


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """Train a tokenizer.

    Args:
        texts: Goals and tactics.
        vocabulary: Largest number of tokens, including the 256 bytes and the special tokens.
    """
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECE), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=[END, SEPARATOR],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=END, clean_up_tokenization_spaces=False
    )


def tiny_shape(config: TinyConfig, vocabulary: int) -> LlamaConfig:
    """Return the shape of the tiny model for a number of tokens."""
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=config.hidden_size,
        intermediate_size=4 * config.hidden_size,
        num_hidden_layers=config.layers,
        num_attention_heads=config.attention_heads,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
    )


def build_model(config: TinyConfig, tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """Make a randomly initialised model for the tokenizer, the same one for the same seed."""
    shape = tiny_shape(config, len(tokenizer))
    shape.eos_token_id, shape.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(shape)
