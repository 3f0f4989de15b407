"""Settings of elastic weight consolidation. Nothing here imports torch."""

from __future__ import annotations

from trainers.config.base import NonNegative, Settings


class ConsolidationConfig(Settings):
    """Elastic weight consolidation: a penalty on changes of the weights that earlier theorems depend on."""

    ewc: str = ""
    """File of a Fisher information and of the weights that it belongs to, `consolidation.safetensors` of
    `python -m trainers.lifelong`; empty for no penalty."""
    ewc_weight: NonNegative = 1000.0
    """Weight of the penalty, half the sum of Fisher information times squared change. The Fisher information is the
    mean over proof steps of the squared gradient of their log-probability, nats."""
