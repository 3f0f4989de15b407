"""Run a program of the project by its verb, or list the verbs.

    lean-gym                        lists the verbs
    lean-gym train --seed 1         the same as python -m trainers.grpo --seed 1
    lean-gym VERB --help            the program's own help
    lean-gym --version              prints the version

Exit status: 0 done, 1 the work failed, 2 wrong usage; 128 and more after a signal, as in a shell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from lean_gym_cli.verbs import VERBS, Verb

COMPLETION = """\
completion in bash and zsh (pip install 'lean-gym[completion]'):  eval "$(register-python-argcomplete lean-gym)"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default that of the process, and return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        from lean_gym.command_line import end_closed

        end_closed()
    return status


def _run(words: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        return _complete()
    if not words or words[0] in ("-h", "--help"):
        print(listed())
        return 0
    name, *arguments = words
    if name == "--version":
        from lean_gym import __version__

        print(f"lean-gym {__version__}")
        return 0
    if name not in VERBS:
        from lean_gym.errors import unknown_name

        print(f"error: {unknown_name('verb', name, VERBS)}", file=sys.stderr)
        return 2
    return start(name, VERBS[name], arguments)


def listed() -> str:
    """Return the verbs with their purposes and twins, one a line."""
    width = max(len(verb.purpose) for verb in VERBS.values())
    lines = [f"  {name:<17} {verb.purpose:<{width}}  {verb.twin}" for name, verb in VERBS.items()]
    heading = "lean-gym VERB ...: Lean 4 as a Gymnasium environment, and trainers; each verb has --help"
    return "\n".join([heading, *lines, "", COMPLETION.rstrip()])


def start(name: str, verb: Verb, arguments: Sequence[str]) -> int:
    """Run the program of a verb and return its exit status.

    Args:
        name: The verb.
        verb: Its entry in the table.
        arguments: The words behind it.

    Raises:
        SystemExit: With 1 and one line, where a package of an extra is missing, or the machine has no more memory,
            files or space.
    """
    from minilean.command_line import ending_in_want
    from trainers.extras import naming_the_extra

    with naming_the_extra(), ending_in_want():
        if verb.waits:
            print("loading torch ...", file=sys.stderr, flush=True)
        program: Callable[..., int] = import_module(verb.module).main
        if verb.alone:
            return program([*verb.words, *arguments])
        return program([*verb.words, *arguments], program="lean-gym" if verb.words else f"lean-gym {name}")


def _complete() -> int:
    """Answer the shell, which asks for completions of the line that it has in `COMP_LINE`."""
    try:
        import argcomplete
        import argcomplete.lexers
    except ImportError:
        return 1
    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
    _, _, _, typed, _ = argcomplete.lexers.split_line(line, point)
    if len(typed) < 2:  # the verb itself
        from argparse import ArgumentParser

        parser = ArgumentParser(prog="lean-gym")
        parser.add_argument("--version", action="store_true")
        parser.add_argument("verb", choices=list(VERBS))
        argcomplete.autocomplete(parser)
    verb = VERBS.get(typed[1])
    if verb is None or verb.alone:
        return 0
    if not verb.words:  # the program's own line begins at the verb
        os.environ["_ARGCOMPLETE"] = str(int(os.environ["_ARGCOMPLETE"]) + 1)
    return start(typed[1], verb, ())


if __name__ == "__main__":
    sys.exit(main())
