"""Put the policy of a run on the Hugging Face hub, with a model card.

    python -m trainers.push runs/RUN OWNER/NAME              uploads, after hf auth login
    python -m trainers.push runs/RUN OWNER/NAME --out DIR    writes the folder that would be uploaded

Uploaded are the files of `policy/` and a model card (README.md) made from the settings and the results of the run;
`--model OWNER/NAME` and `--policy OWNER/NAME` load it. A new repository is private unless --public is given.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from lean_gym.command_line import Parser, offer_completion
from trainers.config.cli import ending_in_one_line
from trainers.config.flags import fail
from trainers.errors import ConfigError
from trainers.reporting.model_card import model_card
from trainers.reporting.run_folder import RunRecord, read_run
from trainers.runtime.atomic_files import replacing_folder

_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.push") -> int:
    """Run the command line and return the exit code."""
    parser = Parser(prog=program, description=(__doc__ or "").partition("\n")[0], allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="folder of a run")
    parser.add_argument("repository", metavar="OWNER/NAME", help="repository on the hub")
    parser.add_argument("--out", metavar="DIR", help="write the folder here, and upload nothing")
    parser.add_argument("--public", action="store_true", help="make a new repository public")
    offer_completion(parser)
    with ending_in_one_line():
        given, unknown = parser.parse_known_args(arguments)
        if unknown:
            fail(f"{program}: unknown flag {unknown[0]}; see --help")
        if not _REPOSITORY.fullmatch(given.repository):
            raise ConfigError(f"expected a repository OWNER/NAME, got {given.repository!r}")
        run = read_run(Path(given.run), given.run)
        if given.out is not None:
            out = Path(given.out)
            if out.exists():
                raise ConfigError(f"--out {out}: expected a folder that does not exist yet")
            out.parent.mkdir(parents=True, exist_ok=True)
            with replacing_folder(out) as folder:
                fill(run, given.repository, folder)
            print(f"written, not uploaded: {out}")
            return 0
        with TemporaryDirectory() as folder:
            fill(run, given.repository, Path(folder))
            print(f"uploaded: {upload(Path(folder), given.repository, private=not given.public)}")
    return 0


def fill(run: RunRecord, repository: str, folder: Path) -> None:
    """Write the files to upload into an empty folder.

    Args:
        run: The run.
        repository: Name on the hub, `owner/name`.
        folder: Exists.

    Raises:
        ConfigError: The run has no policy.
    """
    policy = run.path / "policy"
    if not policy.is_dir():
        raise ConfigError(f"{run.path}: the run has no folder policy, which it writes when it starts")
    for path in sorted(policy.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            shutil.copyfile(path, folder / path.name)
    (folder / "README.md").write_text(model_card(run, repository), encoding="utf-8")


def upload(folder: Path, repository: str, private: bool) -> str:
    """Upload a folder and return the address of the repository.

    Args:
        folder: The files.
        repository: Name on the hub; made if it does not exist.
        private: Whether a new repository is private.

    Raises:
        ConfigError: The hub refuses, or cannot be reached.
    """
    from huggingface_hub import HfApi  # takes a second

    hub = HfApi()
    try:
        place = hub.create_repo(repository, private=private, exist_ok=True)
        hub.upload_folder(repo_id=repository, folder_path=folder, commit_message="Policy of a lean-gym run")
    except Exception as error:  # the library has errors of its own for keys, networks and refusals
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f"the hub does not take {repository}: {reason}; hf auth login logs in") from error
    return str(place)


if __name__ == "__main__":
    sys.exit(main())
