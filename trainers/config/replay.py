"""Settings of the replay of proofs. Nothing here imports torch."""

from __future__ import annotations

from trainers.config.base import Count, Decay, NonNegative, Settings


class ReplayConfig(Settings):
    """Imitation of the proofs shown and found, beside the policy gradient.

    Rewards sharpen what the policy does, and a proof found once is soon forgotten; a proof that is imitated again is
    not. This is the positive-example term of VAPO (arXiv 2504.05118), on proofs of earlier iterations too.
    """

    replay_weight: NonNegative = 1.0
    """Weight of the mean negative log-likelihood of replayed proof steps beside the policy loss, at the start of the
    run; 0 replays none. The default suits the tiny model, whose warm start shows few proofs."""
    replay_share: Decay = 1.0
    """Share of the run over which the weight falls to 0, along a line."""
    replayed_steps: Count = 768
    """Proof steps, drawn from the proofs shown and those found, that an iteration imitates."""
    proofs_per_theorem: Count = 4
    """Different proofs kept of a theorem, the shortest ones."""

    def weight_at(self, completed: float) -> float:
        """Return the weight when a share of the run, from 0 to 1, is completed."""
        return self.replay_weight * max(0.0, 1.0 - completed / self.replay_share)
