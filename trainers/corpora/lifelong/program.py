"""The program `python -m trainers.lifelong`: opens folder and store, runs the course, and ends it."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Console

from trainers.config.files import write_file
from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong.course import Course
from trainers.corpora.lifelong.retriever_needs import check_retriever
from trainers.corpora.lifelong.seams import Tracer
from trainers.corpora.lifelong.stage_log import StageEnded
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.distributed.launcher import refuse_several
from trainers.policies.transformers import prepare_libraries
from trainers.run.claim import claimed_folder
from trainers.run.trackers.opening import check_packages
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import say


def learn(config: LifelongConfig, resume: Path | None, program: str, tracer: Tracer | None = None) -> int:
    """Carry out a course, or the rest of an interrupted one.

    Args:
        config: The settings.
        resume: Folder of the interrupted course; `None` for a new one.
        program: How the program was started, for messages.
        tracer: Traces projects; that of the backend if left out.

    Returns:
        The exit code: 0; 3 if a false theorem counted as proved; 128 plus the signal's number after an interruption.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    refuse_several("lifelong learning")
    prepare_libraries(config.torch_threads)
    check_packages(["tensorboard"])
    check_retriever(config, is_new=resume is None)
    console = Console()
    with claimed_folder(config, resume) as folder:
        if resume is None:
            write_file(config, folder / "config.yaml")
        again = f"{program} --resume {shlex.quote(str(folder))}"
        say(console, f"run folder: {folder}")
        path = Path(config.database) if config.database else folder / "theorems.db"
        with Store(path) as store, StopRequest() as stop:
            own = tracer_of(config.backend, config.env.backend_options, stop.check)
            try:
                Course(config, folder, store, stop, console, tracer or own).run()
            except Interrupted as interruption:
                say(console, f"interrupted by {interruption}; to resume: {again}")
                return 128 + interruption.signal_number
            except StageEnded as ended:
                say(console, f"a stage ended with code {ended.code}; to resume: {again}")
                return ended.code
    return 0
