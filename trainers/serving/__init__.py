"""One policy behind the protocols of its clients: `python -m trainers.serve`.

batching.py    concurrent requests to batches: a bounded queue, timeouts, counts
sampler.py     a batch of prompts to sampled answers
openai_api.py  requests and answers of OpenAI's completions and chat
app.py         the FastAPI application: routes, key, errors
"""
