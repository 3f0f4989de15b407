"""Policies: goals in, tactics with token ids and log-probabilities out.

base.py           the contract
source.py         from what a user names to a policy
prompts.py        the words of a prompt and of an answer
layout.py         .. as tokens: chat templates and plain text, length budget, end of a tactic
transformers.py   any Hugging Face causal language model
tiny.py           the default model and its tokenizer, made on the spot
sampling.py       batched sampling with a key-value cache
scoring.py        log-probabilities of sampled tactics, with gradient
packing.py        training rows that share a prompt
adapters.py       low-rank adapters
vllm.py           sampling through vLLM
mismatch.py       where sampling engine and learner disagree
openai.py         any OpenAI-compatible endpoint
"""
