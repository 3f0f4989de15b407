"""Policies: goals in, tactics with token ids and log-probabilities out.

base.py           the contract
source.py         a policy from the name of a run, a model or an endpoint
prompts.py        text of a prompt and of an answer, without a tokenizer
presets/          formats of published provers
layout.py         prompts as tokens: chat templates and plain text, length budget, end of a tactic
transformers.py   any Hugging Face language model
model_folder.py   checks of a model's folder, which load nothing
tiny.py           the default model and its tokenizer
demo.py           pretrained models that a package brings
low_precision.py  16-bit copies of the weights, for sampling
sampling.py       batched sampling with a key-value cache
beam.py           the likeliest tactics, by a beam search
encoder_decoder.py  models with an encoder, such as ByT5
scoring.py        log-probabilities of sampled tactics, with gradient
packing.py        training rows that share a prompt
adapters.py       low-rank adapters
progress.py       model that predicts the number of tactics left
vllm.py           sampling through vLLM
mismatch.py       difference between the probabilities of sampling engine and learner
openai.py         any OpenAI-compatible endpoint
"""
