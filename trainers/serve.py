"""Serve a policy with OpenAI's completions and chat, for editors and evaluations.

    python -m trainers.serve --policy runs/RUN
    python -m trainers.serve --policy Qwen/Qwen3-0.6B --port 8010 --api-key KEY

It needs the extra `serve`. `lean-gym serve-policy` is the same program; `lean-gym serve` serves the environment.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lean_gym.command_line import offer_completion
from trainers.config.cli import announce_loading, ending_in_one_line
from trainers.config.rollout import SamplingConfig
from trainers.config.tasks import EndpointConfig
from trainers.errors import PolicyError


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.serve") -> int:
    """Run the command line and return the exit code."""
    options = _options(arguments, program)
    with ending_in_one_line():
        import uvicorn

        from trainers.policies.source import PolicySource
        from trainers.serving.app import Limits, make_app

        source = PolicySource.find(options.policy)
        if source.kind == "endpoint":
            raise PolicyError(f"policy: got the endpoint {options.policy!r}, expected a run or a model")
        announce_loading()
        from trainers.policies.transformers import TransformersPolicy
        from trainers.serving.sampler import Sampler

        settings = SamplingConfig(**source.defaults.get("rollout", {}))
        policy = source.load(settings, EndpointConfig(), "transformers", 0, lambda: None)
        assert isinstance(policy, TransformersPolicy)
        limits = Limits(options.queue, options.batch, options.timeout)
        app = make_app(Sampler(policy), options.policy, limits, options.api_key)
        uvicorn.run(app, host=options.host, port=options.port, log_level="warning")
    return 0


def _options(arguments: Sequence[str] | None, program: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=program, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--policy", required=True, help="a run folder, or the path or hub id of a model")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1: this machine)")
    parser.add_argument("--port", type=int, default=8010, help="port to listen at (8010)")
    parser.add_argument("--api-key", default="", help="key that requests must bring (none)")
    parser.add_argument("--queue", type=int, default=256, help="requests that may wait (256)")
    parser.add_argument("--batch", type=int, default=64, help="requests sampled together (64)")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds until an answer (120)")
    offer_completion(parser)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
