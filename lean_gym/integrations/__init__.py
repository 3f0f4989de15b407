"""The environment behind the contracts of other frameworks.

shared_provers.py  episodes of many clients, proved by a few worker processes
task_sets.py       theorem sets as splits of numbered tasks, false theorems included
listening.py       sockets that servers listen at
mcp.py             `python -m lean_gym mcp`: proofs as tools of coding agents
serve.py           `python -m lean_gym.integrations.serve`
verifiers.py       taskset for verifiers: tactics by tool calls, whole proofs
skyrl.py           text environment for SkyRL-Gym
slime.py           generate function for slime
openenv/           server and client in the layout of an OpenEnv package
"""
