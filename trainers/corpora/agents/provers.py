"""`HFProver`, `RetrievalProver`, `ExternalProver`: a search for proofs with a policy; what it returns was verified.

    result, tactics = HFProver("outputs").search(goal="∀ (p q : Prop), p ∧ q → q ∧ p")

The provers of LeanDojo-v2 return what leaves no goals on a server that the caller starts. Here the environment judges
the finished script against the statement, and a replay of its text in another environment does so again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Final

from lean_gym.datasets.formats.lean_source import statement_of
from lean_gym.types import Theorem
from trainers.config.names import POLICY
from trainers.config.tasks import ProveConfig
from trainers.corpora.agents.settings import settings_of
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.errors import ConfigError
from trainers.policies.base import SeededPolicy
from trainers.policies.openai import PREFIX
from trainers.policies.presets.catalogue import read_name
from trainers.policies.source import PolicySource
from trainers.proving.search.drawing import draw_tree
from trainers.proving.search.proving import chosen_theorems, load_policy, replayed, search_with, source_of
from trainers.rollouts.env import check_backend

HUGGING_FACE: Final = "https://router.huggingface.co/v1"
"""OpenAI-compatible address of Hugging Face's inference providers."""
LARGE: Final = "deepseek-ai/DeepSeek-Prover-V2-671B:novita"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search.

    Attributes:
        success: Whether the theorem is proved: the environment's verdict on the script, and again on its text.
        steps: Tactics that were tried; with whole proofs the attempts.
        duration: Seconds.
        source: The theorem with its proof as Lean source; empty without one.
        axioms: Axioms that the proof depends on.
        failure: Why nothing was searched, such as a statement that does not elaborate; empty where it was.
    """

    success: bool
    steps: int
    duration: float
    source: str = ""
    axioms: tuple[str, ...] = ()
    failure: str = ""


class Prover:
    """Search for proofs with one policy, which is loaded once.

    Attributes:
        source: Source of the policy.
        config: Settings of the search, those of `python -m trainers.prove`.
    """

    def __init__(self, policy: str, **settings: Any) -> None:
        """Resolve the policy.

        Args:
            policy: A run folder, the path or hub id of a model, an endpoint, or a preset.
            **settings: Settings of `python -m trainers.prove`, such as `tactics=64`, `method="beam"` or
                `backend="minilean"`. Those of a run are its own unless they are named.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: There is no such run, model folder or endpoint.
        """
        self.source = PolicySource.find(policy)
        # What a prover of LeanDojo-v2 proves is what its model proves.
        below = {"tactics_from": POLICY} | self.source.defaults_for(settings.get("backend"), ProveConfig)
        decided = {"policy": policy, "theorem": "", "file": "", "out": "", "in_place": False}
        self.config = settings_of(ProveConfig, type(self).__name__, settings, decided, below)
        self._loaded: tuple[str, SeededPolicy | None] | None = None

    @property
    def whole_proofs(self) -> ProveConfig:
        """The settings with whole proofs as actions instead of tactics.

        Raises:
            ConfigError: The policy has the preset of a model that writes tactics.
        """
        if self.config.rollout.actions == "proof":
            return self.config
        if preset := self.config.rollout.preset:
            raise ConfigError(
                f"whole proofs: expected a model that writes them, got one of the preset {preset}"
            )
        kept = {"temperature", "top_p", "stop", "enable_thinking", "retriever", "premises"}
        rollout = self.config.rollout.model_dump(include=kept, exclude_defaults=True)
        budget = {"tactics", "model_calls", "seconds", "samples", "repairs", "patience"}
        search = self.config.search.model_dump(include=budget, exclude_defaults=True)
        values = {name: getattr(self.config, name) for name in ProveConfig.model_fields}
        changed = {"rollout": {"actions": "proof", **rollout}, "search": search, "tactics_from": POLICY}
        return ProveConfig(**values | changed)

    def search(
        self, goal: str | None = None, theorem: str | Theorem | None = None, verbose: bool = False
    ) -> tuple[SearchResult, list[str] | None]:
        """Search for a proof.

        Args:
            goal: A type, such as `"∀ (p : Prop), p → p"`.
            theorem: Instead of a goal, a statement, `"theorem t (p : Prop) (h : p) : p"`, or a theorem.
            verbose: Print the search tree.

        Returns:
            The result, and the tactics of the proof; `None` without one.

        Raises:
            ConfigError: Not exactly one of both is given, or it cannot be used.
            PolicyError: The policy cannot be used.
        """
        return self._search(self.config, _theorem_of(self.config, goal, theorem), verbose)

    def generate_whole_proof(self, theorem: str | Theorem) -> str | None:
        """Return a theorem with a whole proof that the policy wrote, as Lean source, if one of its attempts is a proof.

        Args:
            theorem: A statement, also one that ends in `:= by`, or a theorem.

        Raises:
            ConfigError: The statement cannot be used.
            PolicyError: The policy cannot be used.
        """
        result, _ = self._search(self.whole_proofs, _theorem_of(self.config, None, theorem), False)
        return result.source or None

    def _search(
        self, config: ProveConfig, theorem: Theorem, verbose: bool
    ) -> tuple[SearchResult, list[str] | None]:
        check_backend(config, [theorem])
        began = time.perf_counter()
        if self._loaded is None or self._loaded[0] != config.rollout.actions:
            self._loaded = config.rollout.actions, load_policy(config, self.source, lambda: None)
        (search,) = searches = search_with(
            config,
            [theorem],
            self._loaded[1],
            lambda: None,
            retriever=retriever_of(config.rollout),
        )
        if verbose and search.tree is not None:
            print("\n".join(draw_tree(search.tree)))
        verified = replayed(config, [theorem], searches)
        spent, seconds = search.spent.tactics, time.perf_counter() - began
        if theorem.name not in verified:
            return SearchResult(False, spent, seconds, failure=search.failure), None
        script, axioms = verified[theorem.name]
        return SearchResult(True, spent, seconds, source_of(theorem, script), axioms), list(script)


class HFProver(Prover):
    """Prover with a model of Hugging Face's format."""

    def __init__(self, ckpt_path: str, **settings: Any) -> None:
        """Resolve the model.

        Args:
            ckpt_path: The `output_dir` of a trainer, a run folder, or the path or hub id of a model; an adapter in it
                is found by its file.
            **settings: See `Prover`.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: There is no such folder.
        """
        super().__init__(ckpt_path, **settings)


class RetrievalProver(Prover):
    """Prover whose model sees premises that a retriever finds."""

    def __init__(self, gen_ckpt_path: str, indexed_corpus_path: str, **settings: Any) -> None:
        """Resolve the model.

        Args:
            gen_ckpt_path: The model that reads premises and goals, as for `HFProver`, or a preset such as
                `preset:reprover-retrieval`.
            indexed_corpus_path: The index of a `RetrievalTrainer`, which names the encoder that it was made with.
            **settings: See `Prover`.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: There is no such folder.
        """
        super().__init__(gen_ckpt_path, **{"retriever": indexed_corpus_path, **settings})


class ExternalProver(Prover):
    """Prover with a model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        model_name: str = LARGE,
        base_url: str = HUGGING_FACE,
        *,
        api_key_variable: str = "HF_TOKEN",
        **settings: Any,
    ) -> None:
        """Resolve the endpoint; no request is sent.

        Args:
            model_name: The model's name there.
            base_url: Address of the endpoint.
            api_key_variable: Environment variable that holds the key.
            **settings: See `Prover`, e.g. `api="completions"`.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: The address has another form.
        """
        named = model_name.startswith(PREFIX) or read_name(model_name) is not None
        policy = model_name if named else f"{PREFIX}{model_name}@{base_url}"
        super().__init__(policy, **{"api_key_variable": api_key_variable, **settings})


def _theorem_of(config: ProveConfig, goal: str | None, theorem: str | Theorem | None) -> Theorem:
    """Return the theorem to prove, without a proof.

    Raises:
        ConfigError: Not exactly one of both is given, or it is no statement.
    """
    if (goal is None) == (theorem is None):
        raise ConfigError("search: expected either a goal or a theorem")
    if isinstance(theorem, Theorem):
        return replace(theorem, proof="")
    text = f"theorem goal : {goal}" if theorem is None else theorem
    if theorem is None and statement_of(text) != text.rstrip():
        raise ConfigError(f"goal: expected a type and nothing behind it, got {goal!r}")
    if len(text.split()) < 2:
        raise ConfigError(f"theorem: expected a statement such as 'theorem t : 1 = 1', got {text!r}")
    (found,) = chosen_theorems(config.model_copy(update={"theorem": text}))
    return found
