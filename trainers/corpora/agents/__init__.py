"""LeanDojo-v2's classes over the programs of `trainers`: set a repository up, train, prove, evaluate.

    from trainers.corpora.agents import HFAgent, SFTTrainer

    agent = HFAgent(SFTTrainer("tiny", output_dir="outputs", epochs_per_repo=40, lr=5e-3))
    agent.setup_local_repository("my_project")
    agent.train()
    agent.prove()

docs/trainers/leandojo.md compares them line by line.
"""

from trainers.corpora.agents.agents import BaseAgent, ExternalAgent, HFAgent, LeanAgent
from trainers.corpora.agents.filling import FilledRepository, FilledSorry
from trainers.corpora.agents.provers import ExternalProver, HFProver, Prover, RetrievalProver, SearchResult
from trainers.corpora.agents.trainers import ProgressTrainer, RetrievalTrainer, SFTTrainer
from trainers.integrations.leandojo import GRPOTrainer

__all__ = [
    "BaseAgent",
    "ExternalAgent",
    "ExternalProver",
    "FilledRepository",
    "FilledSorry",
    "GRPOTrainer",
    "HFAgent",
    "HFProver",
    "LeanAgent",
    "ProgressTrainer",
    "Prover",
    "RetrievalProver",
    "RetrievalTrainer",
    "SFTTrainer",
    "SearchResult",
]
