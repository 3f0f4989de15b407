"""Stages of a training run: warm start, evaluation, iterations, evaluation.

Every stage ends with a checkpoint. An interruption saves the last safe point (an optimiser step of the warm
start, an iteration); a resumed run gives the same results as an uninterrupted one. An update is abandoned if the last
checkpoint is that of the iteration's start, and waited for otherwise; before long updates there is one.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import numpy as np
import torch

from lean_gym.verification.canaries import canary_theorems, watch_canary
from trainers.config.run import Imitation, RunConfig
from trainers.curriculum.sampler import TheoremSampler
from trainers.curriculum.theorems import TheoremSplit
from trainers.evaluation.held_out import evaluate
from trainers.evaluation.yardstick import measure_automation
from trainers.learning.learner import Learner
from trainers.learning.rows import assign_credit
from trainers.learning.values import ValueSource
from trainers.policies.base import Completion
from trainers.policies.packing import Pair
from trainers.policies.transformers import load_pretrained
from trainers.rollouts.cache_stats import count_keys
from trainers.rollouts.groups import Gathered, gather_groups
from trainers.rollouts.player import EpisodePlayer, Trajectory, TrajectoryGroup
from trainers.rollouts.proof_buffer import ProofBuffer
from trainers.rollouts.replay import choose_proofs, replay
from trainers.rollouts.vine import play_vines
from trainers.run.ahead import PlannedGroup, RolloutsAhead
from trainers.run.checkpoint import CheckpointWriter, RunState
from trainers.run.display import News
from trainers.run.folder import RunFolder
from trainers.run.found_proofs import FoundProofs, ProofRow
from trainers.run.measurements import measurement_rows
from trainers.run.monitor import Monitor
from trainers.run.samples import record_samples
from trainers.run.scalars import count_steps, distributions, episode_scalars, mean_staleness
from trainers.run.warm_start import shown_pairs
from trainers.runtime.seeding import derive_seed
from trainers.runtime.signals import Stop

_LONG_UPDATE_S: Final = 10.0
"""Updates of so many seconds may be abandoned; shorter ones are waited for."""
_SAVES: Final = 20
"""Times as long as writing a checkpoint that an update must take for one to be written before it."""

_MOST_SAMPLER_KL: Final = 0.1
"""Nats a token; 16 bits and other kernels stay below 0.01."""


class TrainingRun:
    """A training run, resumable at every stage."""

    def __init__(
        self,
        config: RunConfig,
        split: TheoremSplit,
        player: EpisodePlayer,
        learner: Learner,
        state: RunState,
        folder: RunFolder,
        monitor: Monitor,
        began: float,
        value: ValueSource | None = None,
    ) -> None:
        """Keep the parts.

        Args:
            config: The settings.
            split: The theorems.
            player: Plays episodes; may raise `Interrupted` between steps.
            learner: Owns policy, algorithm and optimiser.
            state: Progress of the run; updated in place.
            folder: Files of the run.
            monitor: Terminal output and scalars.
            began: `time.perf_counter()` at the start of this process's part of the run.
            value: Potential of states for the credit `td`; that of the settings if left out.
        """
        self.config = config
        self.split = split
        self.player = player
        self.learner = learner
        self.policy = learner.policy
        self._processes = learner.processes
        self.state = state
        self.folder = folder
        self.monitor = monitor
        self._value = value
        self._counted_to = began
        self._pool_counted: dict[str, float] = {}
        self._reward_used = (config.rollout.reward, config.rollout.reward_options)
        self.proofs = FoundProofs(state, split)
        self._news = News()
        self._canaries = {theorem.name: theorem for theorem in canary_theorems()}
        self._held_out = [theorem.name for theorem in split.held_out]
        self._shown: list[Pair] | None = None
        self._saved_iteration, self._save_s, self._update_s = -1, 0.0, 0.0
        self._checkpoints = CheckpointWriter(folder.checkpoint, self._processes)
        self._in_update = False
        self._kept: ProofBuffer | None = None
        self._planned = 0
        if config.replay.replay_weight:
            self._kept = self._open_buffer(config.replay.proofs_per_theorem)

    def execute(self, stop: Stop) -> None:
        """Carry out the remaining stages.

        Raises:
            Interrupted: A stop was requested; `save` may be called.
        """
        state = self.state
        more = state.iteration < self.config.max_iterations and not self._out_of_tactics
        if state.stage == "done" and more:
            state.stage = "train"
        if state.stage == "warm_start":
            self._warm_start(stop)
        self._load_reference()
        if state.stage == "eval_before":
            self._measure_automation(stop)
            self._measure("before")
            self._enter("train")
        if state.stage == "train":
            self._iterate(stop)
            self._enter("eval_after")
        if state.stage == "eval_after":
            self._measure("after")
            self._enter("done")

    def _open_buffer(self, per_theorem: int) -> ProofBuffer:
        return ProofBuffer(self.folder.path / "kept_proofs.jsonl", per_theorem, self.state.iteration)

    def save(self, wait: bool = True) -> None:
        """Write the checkpoint, and the policy as it is now; nothing within an update, which is no safe point.

        Args:
            wait: Whether to wait for shards, which are written in the background.
        """
        if self._in_update:
            self._checkpoints.finish()
            return
        if self._kept is not None and self._processes.main:
            self._kept.save()
        now = time.perf_counter()
        self.state.seconds["total"] += now - self._counted_to
        self._counted_to = now
        self.state.event_bytes = self.monitor.flush() | self.folder.sizes()
        self._checkpoints.write(
            self.state,
            self.learner,
            lambda weights: self.policy.save(self.folder.policy, weights, self.policy.loaded_dtype),
        )
        if wait:
            self._checkpoints.finish()
        self._saved_iteration, self._save_s = self.state.iteration, time.perf_counter() - now

    def _save_before_long_update(self) -> None:
        """Write a checkpoint at the start of an iteration if its update takes so long that it is worth it."""
        long = self._update_s > max(_LONG_UPDATE_S, _SAVES * self._save_s)
        if self._processes.gather(long)[0] and self._saved_iteration < self.state.iteration:
            self.save(wait=False)

    def close(self) -> None:
        """Wait for files that are being written."""
        self._checkpoints.close()

    @contextmanager
    def _abandonable(self, stop: Stop) -> Iterator[None]:
        """Let a stop end the block, an update, if it can be done again from the checkpoint with no other iteration."""
        began = time.perf_counter()
        if self._saved_iteration == self.state.iteration:
            self.learner.on_part = stop.check
        self._in_update = True  # also after the block, if it does not end
        yield
        self._in_update = False
        self.learner.on_part = lambda: None
        self._update_s = time.perf_counter() - began

    def _enter(self, stage: str) -> None:
        self.state.stage = stage  # type: ignore[assignment]
        self.save()

    @contextmanager
    def _clock(self, kind: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - began
            self.state.seconds[kind] += spent

    def _warm_start(self, stop: Stop) -> None:
        settings = self.config.warm_start
        with self._clock("warm_start"):
            chosen = [
                theorem
                for theorems in self.split.by_set(self.split.train).values()
                for theorem in choose_proofs(theorems, settings.share_of(len(theorems)), self.config.seed)
            ]
            if settings.warm_start_epochs == 0:
                chosen = []
            texts = shown_pairs(self.config, self.split, self.player, chosen, self.monitor)
            pairs = self.policy.encode_pairs(texts)
            self.state.shown = [theorem.name for theorem in chosen]
            self._imitate_shown(pairs, settings.imitation, stop)
            self.learner.reset_optimizer()
            weights = self.learner.weights()
            if self._processes.main:
                self.policy.save(self.folder.start_policy, weights)
            self._processes.gather(None)  # the others read it
        self._enter("eval_before")

    def _imitate_shown(self, pairs: Sequence[Pair], settings: Imitation, stop: Stop) -> None:
        state, epochs = self.state, settings.epochs if pairs else 0
        steps = settings.steps(len(pairs))
        done = state.warm_start_epoch * steps + state.warm_start_step
        with self.monitor.bar("warm start, steps", epochs * steps, done) as bar:
            while (epoch := state.warm_start_epoch) < epochs:
                stop.check()
                generator = self._generator("warm start", epoch)
                for loss, tokens in self.learner.imitation_steps(
                    pairs, settings, epoch, generator, state.warm_start_step
                ):
                    state.warm_start_step += 1
                    loss, tokens = loss + state.warm_start_loss[0], tokens + state.warm_start_loss[1]
                    state.warm_start_loss = loss, tokens
                    bar.show(epoch * steps + state.warm_start_step, f"loss {loss / tokens:.3f}")
                    stop.check()
                # Steps up to 0, before the iterations: resuming at iteration n hides scalars of steps above n.
                loss, tokens = state.warm_start_loss
                self.monitor.scalars({"warm_start/loss": loss / tokens}, epoch + 1 - epochs)
                state.warm_start_epoch, state.warm_start_step, state.warm_start_loss = epoch + 1, 0, (0.0, 0)

    def _load_reference(self) -> None:
        if not self.learner.algorithm.needs_reference:
            return
        if self.policy.adapter is not None:
            self.policy.adapter.load_start(self.folder.start_policy)
        else:
            self.learner.use_reference(load_pretrained(str(self.folder.start_policy))[0])

    def _generator(self, purpose: str, number: int) -> torch.Generator:
        return torch.Generator().manual_seed(derive_seed(self.config.seed, purpose, number))

    def _measure_automation(self, stop: Stop) -> None:
        """Measure what automation proves on the held-out theorems, in the first process alone."""
        if not self.config.evaluation.automation or self.state.automation or not self._processes.main:
            return
        alone = self._processes.count == 1  # otherwise all processes must look for a stop together
        total = len(self.split.held_out)
        with self._clock("eval"), self.monitor.bar("automation", total) as bar:

            def on_theorem(done: int) -> None:
                bar.show(done, "")
                if alone:
                    stop.check()

            found = measure_automation(self.split.held_out, self.config, on_theorem)
        self.state.automation = found.plain
        self.monitor.say(f"held out, {found.line}")

    def _measure(self, when: str) -> None:
        self.state.evaluations[when] = self._evaluate()

    def _evaluate(self) -> dict[str, float]:
        """Measure on the held-out theorems; return the rates, of a mixture those of each set too, by their names."""
        samples, count = self.config.evaluation.eval_samples, self._processes.count
        seed = derive_seed(self.config.seed, "evaluation")
        played = itertools.count(1)
        episodes = -(-len(self._held_out) * samples // count)  # those of this process
        with (
            self._clock("eval"),
            self.monitor.bar("measuring held-out theorems", episodes, lines=4) as bar,
            self.player.counting(lambda: bar.show(next(played), "")),
        ):
            result = evaluate(self.player, self.policy, self._held_out, samples, seed)
        self._keep_episodes(result.episodes)
        self.state.measured_at = self.state.iteration
        rates = {"": result.rates()}
        if len(sets := self.split.by_set(self.split.held_out)) > 1:
            rates |= {name: result.rates(each.name for each in own) for name, own in sets.items()}
        scalars = {
            "/".join(filter(None, ("eval", name, rate.replace("@", "_at_")))): value
            for name, own in rates.items()
            for rate, value in own.items()
        }
        for name in ("best", "any") if self.state.automation else ():
            scalars[f"eval/automation_{name}"] = self.state.automation[name]
        scalars |= {"eval/proof_length": result.mean_length, "eval/proved": len(self.proofs.held_out)}
        self.monitor.scalars(scalars, self.state.iteration)
        told = "; ".join(
            " ".join(filter(None, (name, ", ".join(f"{rate} {value:.1%}" for rate, value in own.items()))))
            for name, own in rates.items()
        )
        self.monitor.say(
            f"held out, after {self.state.iteration} iterations: {told} "
            f"({len(self._held_out)} theorems, {samples} episodes each)"
        )
        return {
            " ".join(filter(None, (name, rate))): value
            for name, own in rates.items()
            for rate, value in own.items()
        }

    def _keep_episodes(self, episodes: Sequence[Trajectory[Completion]]) -> None:
        """Keep the proofs of a measurement and some of its episodes, and record samples."""
        since, now = self.state.measured_at, self.state.iteration
        fresh = [row for row in self.proofs.training if row["iteration"] > since]
        fresh += self._record_proofs(episodes)
        record_samples(self.monitor, now, fresh, episodes, self.split.held_out)
        if self._processes.main:
            self.folder.append_measurement(measurement_rows(now, episodes))

    def _iterate(self, stop: Stop) -> None:
        state = self.state
        sampler = TheoremSampler.over(self.split, self.config.curriculum, state.solve_rates)
        total, every = self.config.max_iterations, self.config.checkpoint_every
        with self._ahead() as ahead, self.monitor.bar("training", total, self.state.iteration) as bar:
            while self.state.iteration < total and not self._out_of_tactics:
                stop.check()
                if self._measurement_is_due():
                    if ahead is not None:
                        ahead.drain()
                    self._evaluate()
                self._checkpoints.finish(wait=False)
                self._save_before_long_update()
                self.player.timing.reset()
                self._pool_counts()  # resets the counts, so that an iteration excludes warm start and evaluations
                with self._clock("train"):
                    note = self._iteration(sampler, stop, ahead)
                done = self.state.iteration
                bar.show(done, note)
                if every and done % every == 0:
                    self.save(wait=False)

    @property
    def _out_of_tactics(self) -> bool:
        return 0 < self.config.max_tactics <= self.state.tactics

    def _completed(self, iterations: int, tactics: int) -> float:
        """Return the share of the run, from 0 to 1, that so many iterations with so many tactics are."""
        of_tactics = tactics / self.config.max_tactics if self.config.max_tactics else 0.0
        return max(of_tactics, iterations / max(1, self.config.max_iterations))

    def _measurement_is_due(self) -> bool:
        """Return whether an evaluation between iterations is due, or was interrupted."""
        done, every = self.state.iteration, self.config.evaluation.eval_every
        return every > 0 and done % every == 0 and done > self.state.measured_at

    @contextmanager
    def _ahead(self) -> Iterator[RolloutsAhead | None]:
        """Open the rollouts that run ahead of the learner, if they do."""
        if not self.config.rollout.staleness:
            yield None
            return
        if self._kept is not None:
            self._shown_steps()
        self._planned = self.state.iteration
        seed = derive_seed(self.config.seed, "rollout", self.state.iteration)
        own = self._processes.own_part(range(self._groups_per_iteration))
        algorithm = self.learner.algorithm
        with RolloutsAhead(
            self.player, self.policy, algorithm, self._processes, len(own), self.state.iteration, seed
        ) as ahead:
            yield ahead

    @property
    def _groups_per_iteration(self) -> int:
        return min(self.config.rollout.theorems_per_iteration, len(self.split.train))

    def _plan_ahead(self, sampler: TheoremSampler, ahead: RolloutsAhead) -> None:
        """Plan the groups that may begin now, of all iterations that the staleness allows."""
        settings, algorithm = self.config.rollout, self.learner.algorithm
        count = self._groups_per_iteration

        def groups(names: Sequence[str]) -> list[PlannedGroup]:
            rates = sampler.solve_rates
            return [PlannedGroup(name, algorithm.group_size_for(rates.get(name))) for name in names]

        bound = min(self.config.max_iterations, self.state.iteration + settings.staleness + 1)
        for number in range(self._planned, bound):
            sampler.completed = self._completed(number, self.state.tactics)
            rng = np.random.default_rng(derive_seed(self.config.seed, "theorems", number))
            names = sampler.draw(count, rng)
            more = sampler.draw(count * (1 + algorithm.settings.dynamic_sampling_rounds), rng)
            canaries = self._choose_canaries(number) if self._processes.main else []
            ahead.plan(
                [
                    *groups(self._processes.own_part(names)),
                    *(PlannedGroup(name, 2, is_canary=True) for name in canaries),
                ],
                groups(self._processes.own_part([name for name in more if name not in names])),
            )
        self._planned = max(self._planned, bound)

    def _iteration(self, sampler: TheoremSampler, stop: Stop, ahead: RolloutsAhead | None = None) -> str:
        """Carry out one rollout and its update. The run's state changes only after the rollout is complete.

        Rollouts that run ahead go on meanwhile.
        """
        began = time.perf_counter()
        if ahead is None:
            gathered = self._gather(sampler)
        else:
            self._plan_ahead(sampler, ahead)
            gathered = ahead.gather()
        self._watch_canaries(gathered)
        rolled_out = time.perf_counter()

        number = self.state.iteration
        with self._abandonable(stop):
            self.state.iteration += 1
            self.state.tactics += sum(map(count_steps, gathered.all))
            for group in gathered.groups + gathered.replaced:
                sampler.record(group.theorem, group.solve_rate)
            for group in gathered.all:
                self._news.found(row["name"] for row in self._record_proofs(group.trajectories))
            self._write_trajectories(gathered)
            learned = self._learn(gathered, number)
        if ahead is not None:
            ahead.follow(self.state.iteration)
        now = time.perf_counter()

        scalars = episode_scalars(gathered.groups) | learned
        scalars |= {"group/branches": len(gathered.branches), "group/replaced": len(gathered.replaced)}
        if self.config.credit.credit == "vine":
            scalars["vine/states"] = len(gathered.vines)
            scalars["vine/tactics"] = sum(map(count_steps, gathered.vines))
        scalars |= self._work_scalars(gathered.all, rolled_out - began, now - rolled_out)
        self.monitor.scalars(scalars, self.state.iteration)
        for name, values in distributions(gathered.groups).items():
            self.monitor.histogram(name, values, self.state.iteration)
        speed = scalars["time/tactics_per_second"]
        return self._news.note(scalars["proof/solve_rate"], len(self.proofs.training), speed)

    def _gather(self, sampler: TheoremSampler) -> Gathered:
        """Play the episodes of an iteration."""
        settings, number = self.config.rollout, self.state.iteration
        if self._kept is not None:
            self._shown_steps()  # played here, because an interruption must come before any change of the state
        self._use_reward(number)
        sampler.completed = self._completed(number, self.state.tactics)
        rng = np.random.default_rng(derive_seed(self.config.seed, "theorems", number))
        with self.policy.seeded(derive_seed(self.config.seed, "rollout", number)):
            canaries, algorithm = self._choose_canaries(number), self.learner.algorithm
            gathered = gather_groups(self.player, self.policy, sampler, algorithm, settings, rng, canaries)
            credit = self.config.credit
            if credit.credit == "vine":
                vines = play_vines(self.player, self.policy, gathered.learnt_from, credit, settings.max_steps)
                gathered = replace(gathered, vines=tuple(vines))
        return gathered

    def _watch_canaries(self, gathered: Gathered) -> None:
        for group in gathered.canaries:
            for episode in group.trajectories:
                watch_canary(self._canaries[group.theorem], episode.outcome, episode.tactics)

    def _use_reward(self, number: int) -> None:
        """Give the environment the reward of an iteration; it follows from the number, so a resumed run agrees."""
        reward = self.config.rollout.reward_at(number)
        if reward != self._reward_used:
            source, options = reward
            self.player.env.set_reward(source, **options)
            self.monitor.say(f"reward from iteration {number} on: {source}")
            self._reward_used = reward

    def _learn(self, gathered: Gathered, number: int) -> dict[str, float]:
        """Update the policy and return the scalars of the update; `number` counts iterations from 0."""
        algorithm, groups = self.learner.algorithm, gathered.learnt_from
        most = self.config.rollout.max_steps
        stale = self.config.rollout.staleness
        oldest = number - stale if stale else 0
        credit = assign_credit(
            groups, algorithm, self.config.credit, most, self._value, gathered.vines, oldest
        )
        completed = self._completed(number, self.state.tactics - sum(map(count_steps, gathered.all)))
        generator = self._generator("update", number)
        scalars = self._keep_proofs(gathered, number)
        weight = self.config.replay.weight_at(completed)
        learner, settings = self.learner, self.learner.settings
        steps = settings.update_epochs * len(algorithm.sync_windows(settings.minibatches))
        with self.monitor.bar("update, optimiser steps", steps, lines=0) as bar:
            learner.on_step = lambda done: bar.show(done, "")
            learned = learner.update(
                credit.samples,
                completed,
                generator,
                credit.preferences,
                credit.rollout,
                self._draw_proof_steps(generator) if weight else (),
                weight,
                older_weights=stale > 0,
            )
        if not stale and learned.get("sampler_kl", 0.0) > _MOST_SAMPLER_KL:
            self.monitor.say(
                f"sampler: got a KL divergence of {learned['sampler_kl']:.2f} nats a token from the learner with the "
                f"same weights, expected below {_MOST_SAMPLER_KL}; tactics are not sampled as the learner scores them: "
                "raise --top-p to 1, or choose another --engine"
            )
        if stale:
            scalars |= {
                "rows/too_old": credit.too_old,
                "rollout/staleness": mean_staleness(groups, number),
            }
        return (
            scalars
            | {f"policy/{name}": value for name, value in learned.items()}
            | {
                "group/zero_std_fraction": credit.zero_std_fraction,
                "rows/trained": len(credit.samples),
                "rows/dropped": credit.dropped_rows,
                "rows/truncated": credit.truncated,
                "credit/coverage": credit.coverage,
                "credit/anchored": credit.anchored,
                **credit.agreement,
            }
        )

    def _keep_proofs(self, gathered: Gathered, number: int) -> dict[str, float]:
        """Add the proofs of an iteration, counted from 0, to those to imitate; return the scalars of these."""
        if self._kept is None:
            return {}
        ended = self.policy.layout.ended
        fresh = sum(self._kept.add(group.trajectories, number + 1, ended) for group in gathered.all)
        return {"buffer/proofs": float(len(self._kept)), "buffer/fresh": float(fresh)}

    def _draw_proof_steps(self, generator: torch.Generator) -> list[Pair]:
        """Draw the proof steps that an update imitates beside its loss."""
        known = self._proof_steps()
        order = torch.randperm(len(known), generator=generator).tolist()
        return [known[index] for index in order[: self.config.replay.replayed_steps]]

    def _proof_steps(self) -> list[Pair]:
        """Return the steps of the proofs to imitate, those shown and those found; none if none are kept."""
        return [] if self._kept is None else [*self._shown_steps(), *self._kept.pairs()]

    def _shown_steps(self) -> list[Pair]:
        """Return the steps of the reference proofs of the warm start, replayed once."""
        if self._shown is None:
            shown = set(self.state.shown)
            theorems = [theorem for theorem in self.split.train if theorem.name in shown]
            self._shown = self.policy.encode_pairs(replay(self.player, theorems).pairs)
        return self._shown

    def _work_scalars(
        self, groups: Sequence[TrajectoryGroup], rollout_s: float, learn_s: float
    ) -> dict[str, float]:
        """Return seconds and prover work of an iteration, and the number of training theorems proved.

        To be called once per iteration, because it adds the keys of its tactics to the state.
        """
        played = [trajectory for group in groups for trajectory in group.trajectories]
        beside = self.config.rollout.staleness > 0  # then rollouts take place in all of the time
        counted = count_keys(played, self.state.cache_keys)
        scalars = {f"cache/{name}": value for name, value in counted.items()}
        scalars |= {f"pool/{name}": value for name, value in self._pool_counts().items()}
        return scalars | {
            "proof/new": len(self.proofs.training),
            "time/generate": self.player.timing.generate_s,
            "time/env": self.player.timing.env_s,
            "time/rollout": rollout_s,
            "time/learn": learn_s,
            "time/iteration": rollout_s + learn_s,
            "time/tactics_per_second": sum(map(count_steps, groups)) / (rollout_s + learn_s * beside),
            "rollout/tactics": sum(map(count_steps, groups)),
        }

    def _choose_canaries(self, number: int) -> list[str]:
        """Return the false theorems of an iteration, which are not trained on."""
        known = canary_theorems()
        rng = np.random.default_rng(derive_seed(self.config.seed, "canaries", number))
        return [known[index].name for index in rng.permutation(len(known))[: self.config.rollout.canaries]]

    def _pool_counts(self) -> dict[str, float]:
        """Return the counts of the environment's pool since the last call, and the share of tactics in its cache.

        `workers` is the current number of workers.
        """
        total = self.player.env.stats()
        counts = {name: value - self._pool_counted.get(name, 0.0) for name, value in total.items()}
        self._pool_counted = total
        share = counts["tactic_hits"] / max(1.0, counts["tactics"])
        return counts | {"workers": total["workers"], "tactic_hit_share": share}

    def _write_trajectories(self, gathered: Gathered) -> None:
        if self.config.save_trajectories and self._processes.main:
            self.folder.append_trajectories(self.state.iteration, gathered.all, len(gathered.learnt_from))

    def _record_proofs(self, episodes: Sequence[Trajectory[Completion]]) -> list[ProofRow]:
        """Keep new proofs and return their rows."""
        found = self.proofs.record(episodes)
        if found and self._processes.main:
            self.folder.write_proofs(self.state.proofs.values())
        return found
