"""The default model: a small Llama-style transformer with random weights, and its tokenizer.

The tokenizer is trained on the training goals and proofs. It is byte-level byte-pair encoding, so decoding gives back
any text exactly. Text is first split into words, brackets and operators: `A.mul (A.add a b) c` has the pieces `A.mul `,
`(`, `A.add `, `a `, `b`, `) `, `c`. The space before an argument belongs to the word in front, and an operator includes
the spaces around it (` ∧ `, `, `, `⊢ `), which keeps prompts short. A global constant such as `Nat.add_comm` is one
piece, and so is a projection such as `.left`.
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

_SPACE = r"(?: (?=[\p{L}\p{N}_(\[⟨]))?"  # the space before an argument
_PIECE = (
    rf"\p{{Lu}}[\p{{L}}\p{{N}}_'✝]*(?:\.[\p{{L}}_][\p{{L}}\p{{N}}_']*)*{_SPACE}"  # Nat.add_comm, And.intro, True
    rf"|\.[\p{{L}}\p{{N}}_']+{_SPACE}"  # .left .1 .mp
    rf"|[\p{{Ll}}\p{{Lo}}_][\p{{L}}_]*{_SPACE}"  # h, hp, intro, α
    rf"|[\p{{N}}'✝]{_SPACE}"  # one digit, subscript, prime or dagger at a time
    rf"|[(\[{{⟨]|[)\]}}⟩]{_SPACE}"  # one bracket at a time
    r"|\n+| ?[^\s\p{L}\p{N}_'✝.()\[\]{}⟨⟩]+ ?"  # operators with the spaces around them
    r"|\s|."
)
# Goals are some hundred tokens long; the usual base is made for texts of thousands.
_ROTARY_BASE = 100.0


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
        num_key_value_heads=config.key_heads,
        head_dim=config.head_size,
        rope_parameters={"rope_type": "default", "rope_theta": _ROTARY_BASE},
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
