"""Sources of policies: the name of a run, a model or an endpoint is resolved and loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os.path import isfile
from pathlib import Path
from typing import Any

from trainers.config.base import Settings
from trainers.config.endpoint import EndpointConfig
from trainers.config.env import EnvConfig
from trainers.config.files import read_file
from trainers.config.rollout import RolloutConfig, SamplingConfig
from trainers.errors import ConfigError, PolicyError
from trainers.policies.base import SeededPolicy
from trainers.policies.demo import find_demo, model_address
from trainers.policies.openai import PREFIX, OpenAIPolicy, split_address
from trainers.policies.presets.base import Preset
from trainers.policies.presets.catalogue import find_preset, read_name
from trainers.runtime.terminal import warn

_EDGE_BYTES = 1 << 20
_MODEL_FILES = ("config.json", "adapter_config.json")


@dataclass(frozen=True, slots=True)
class PolicySource:
    """Source of a policy.

    Attributes:
        name: Name as given by the user.
        kind: `"run"`, `"model"` or `"endpoint"`.
        model: Folder, hub id or endpoint address to load.
        defaults: Settings of an evaluation that the run's own `config.yaml` names: `backend`, the section `env`, and
            the part of the section `rollout` that an evaluation uses. A preset adds its own.
        search: Settings of a search for proofs that a preset names.
    """

    name: str
    kind: str
    model: str
    defaults: dict[str, Any]
    search: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def find(cls, name: str) -> PolicySource:
        """Resolve a name.

        Raises:
            ConfigError: The run's settings cannot be used.
            PolicyError: There is no such run, model folder or endpoint.
        """
        if (named := read_name(name)) is not None:
            inner = cls.find(named.model)
            return replace(inner._with_preset(named.preset, wins=True), name=name)
        if name.startswith(PREFIX):
            split_address(name)
            return cls(name, "endpoint", name, {})
        if find_demo(name) is not None:
            return cls(name, "model", name, {})
        folder = Path(name).expanduser()
        if isfile(folder / "config.yaml"):  # also for a name that no file can have
            if not (folder / "policy").is_dir():
                raise PolicyError(f"policy: the run {name} holds no policy (expected {folder / 'policy'})")
            run = cls(name, "run", str(folder / "policy"), _defaults(folder / "config.yaml"))
            preset = run.defaults.get("rollout", {}).get("preset")
            return run._with_preset(find_preset(preset)) if preset else run
        if name.startswith((".", "/", "~")) and not any(isfile(folder / file) for file in _MODEL_FILES):
            raise PolicyError(
                f"policy: {name} is neither a run (no config.yaml in it) nor a model (no "
                f"{' or '.join(_MODEL_FILES)} in it)"
            )
        return cls(name, "model", name, {})

    def defaults_for(self, backend: Any, kind: type[Settings]) -> dict[str, Any]:
        """Return the defaults for a program on a backend; the options of another backend are left out.

        Args:
            backend: The backend that the user names; `None` for the run's own.
            kind: Settings class of the program, which takes those that it has.
        """
        env = dict(self.defaults.get("env", {}))
        if backend not in (None, self.defaults.get("backend")):
            env.pop("backend_options", None)
        known = self.defaults | ({"env": env} if env else {})
        known |= {"search": self.search} if self.search else {}
        return {name: value for name, value in known.items() if name in kind.model_fields}

    def _with_preset(self, preset: Preset, wins: bool = False) -> PolicySource:
        """Return the source with the settings of a preset.

        Args:
            preset: The preset.
            wins: Whether the preset wins where both name a setting: the user names it with the source.
        """
        own, stored = preset.rollout(), self.defaults.get("rollout", {})
        defaults = self.defaults | {"rollout": stored | own if wins else own | stored}
        if self.kind != "endpoint":
            return replace(self, defaults=defaults, search=preset.proving())
        # No endpoint offers a beam search.
        search = preset.proving() | {"decoding": "sample"}
        return replace(self, defaults=defaults | {"endpoint": {"api": preset.api}}, search=search)

    def fingerprint(self) -> str:
        """Return a fingerprint of a folder's content: SHA-256 over names, sizes, first and last bytes of its files.

        Empty for hub ids and endpoints, whose content is not accessible.
        """
        folder = Path(model_address(self.model))
        if self.kind == "endpoint" or not folder.is_dir():
            return ""
        digest = hashlib.sha256()
        for path in sorted(path for path in folder.iterdir() if path.is_file()):
            size = path.stat().st_size
            digest.update(f"{path.name}:{size};".encode())
            with path.open("rb") as file:
                digest.update(file.read(_EDGE_BYTES))
                file.seek(max(0, size - _EDGE_BYTES))
                digest.update(file.read(_EDGE_BYTES))
        return digest.hexdigest()

    def load(
        self,
        rollout: SamplingConfig,
        endpoint: EndpointConfig,
        engine: str,
        torch_threads: int,
        on_wait: Callable[[], None],
        decoding: str = "sample",
    ) -> SeededPolicy:
        """Load the policy.

        Args:
            rollout: Settings of sampling.
            endpoint: Settings of requests to an endpoint.
            engine: `"transformers"` or `"vllm"`; not used for an endpoint.
            torch_threads: Threads of torch, 0 for one per core; not used for an endpoint.
            on_wait: Called about twice a second while an endpoint computes; may raise to stop.
            decoding: `"sample"`, or `"beam"`: completions for equal goals are the best ones of a beam search.

        Raises:
            PolicyError: The policy cannot be loaded.
        """
        if self.kind == "endpoint":
            if decoding == "beam":
                raise PolicyError(f"decoding: got 'beam', expected 'sample' with the endpoint {self.model!r}")
            return OpenAIPolicy(self.model, rollout, endpoint, on_wait)
        if self.kind == "run" and not isfile(Path(self.model).with_name("summary.json")):
            warn(f"policy: the run {self.name} has not ended; its policy is not the last one")
        # Imported here, because an endpoint needs no torch.
        import torch

        from trainers.policies.beam import BeamPolicy
        from trainers.policies.transformers import TransformersPolicy, load_pretrained, prepare_libraries

        prepare_libraries(torch_threads)
        model, tokenizer = load_pretrained(self.model)
        model.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))  # type: ignore[arg-type]
        if engine == "vllm":
            from trainers.policies.vllm import ColocatedEngine, VllmPolicy

            policy: TransformersPolicy = VllmPolicy(
                model, tokenizer, rollout, ColocatedEngine(model, rollout)
            )
        else:
            policy = TransformersPolicy(model, tokenizer, rollout)
        return BeamPolicy(policy) if decoding == "beam" else policy


class _Trained(Settings):
    """Settings of a run that an evaluation of its policy takes over, as far as it uses them."""

    backend: str = "auto"
    env: EnvConfig = EnvConfig()
    rollout: RolloutConfig = RolloutConfig()


def _defaults(path: Path) -> dict[str, Any]:
    """Return what the settings of a run, stored in a file, say about the evaluation of its policy.

    Raises:
        ConfigError: The file cannot be read, or has values that cannot be used.
    """
    stored = read_file(path)
    try:
        trained = _Trained(**{key: stored[key] for key in _Trained.model_fields if key in stored})
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    used = set(SamplingConfig.model_fields)
    if trained.rollout.actions == "proof":
        used -= {"max_steps"}  # follows from `max_repairs`, which the user may name
    return trained.model_dump(exclude_unset=True, include={"backend": True, "env": True, "rollout": used})
