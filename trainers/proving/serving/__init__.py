"""One policy behind the protocols of its clients: `python -m trainers.serve`.

asks.py            requests to a policy, and its answers
batching.py        concurrent requests to batches: a bounded queue, timeouts, counts
sampler.py         answers of a policy on this machine, by transformers or vLLM
endpoint.py        answers of a policy behind an endpoint
served.py          the policy, the progress model, and the queues in front of them
wire.py            bodies, errors, clients that go away
openai_api.py      requests and answers of OpenAI's completions and chat
openai_routes.py   their routes
tactic_api.py      requests and answers of LeanCopilot, llmstep and reap
tactic_routes.py   their routes
statements.py      statements and contexts that a client may send
proofs.py          searches side by side on a pool of provers, each proof replayed
environments.py    prover processes of searches and of replays
proof_routes.py    their route: limits, progress as a stream
app.py             the FastAPI application: key, origin, counts
program.py         the port, loading, signals
"""
