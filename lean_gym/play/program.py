r"""Prove a theorem by hand in the terminal.

    python -m lean_gym play "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
    python -m lean_gym play prop_identity --theorems logic        a theorem of a set, by name
    python -m lean_gym play --web                                 in a web browser, as a page with a course

Every line is a tactic; `\` at its end goes on in the next line. Other lines:

    ?            tactics that apply here, with the goals that they leave
    :undo [N]    take back the last tactics
    :history     the script so far
    :goals       the goals once more
    :restart     from the beginning
    :quit        leave, as Ctrl-D does

The tab key completes tactics, hypotheses and, on the embedded Lean, lemmas. Exit status: 0 for a proof that the kernel
accepts, 1 without one, 2 for wrong usage.

With --web the page proves by itself, with the embedded Lean; only its files come from here, until Ctrl-C. The first
start builds it by npm and Node.js. Exit status: 0 after Ctrl-C, 1 if the page cannot be built or served.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from lean_gym.backends import backend_names, create_backend
from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.datasets import load_theorems, set_names
from lean_gym.errors import BackendError, BackendUnavailable, DataError, unknown_name
from lean_gym.integrations.listening import listen
from lean_gym.play.hand_proof import HandProof
from lean_gym.play.web.serving import HOST, PORT, PageServer, fragment
from lean_gym.play.words import NO_WORD, completions, suggestions
from lean_gym.types import LibraryLister, ProofBackend, TacticResult, Theorem

PROMPT: Final = "> "
COMMANDS: Final = ("?", ":undo", ":history", ":goals", ":restart", ":help", ":quit")
_COMMAND_WITHOUT_COLON: Final = re.compile(
    rf"({'|'.join(re.escape(each[1:]) for each in COMMANDS if each.startswith(':'))})|undo [0-9]+"
)
_CLEAR: Final = "\x1b[H\x1b[2J"

Reader = Callable[[], str | None]


def main(argv: Sequence[str], program: str = "python -m lean_gym play") -> int:
    """Run the command line and return the exit status."""
    parser = Parser(
        prog=program,
        description=(__doc__ or "").replace("python -m lean_gym play", program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "theorem", nargs="?", metavar="THEOREM", help="a statement, or the name of a theorem of --theorems"
    )
    parser.add_argument(
        "--theorems", metavar="SET", help="the set of that name (default: all sets of the project)"
    )
    parser.add_argument("--backend", default="auto", choices=backend_names(), help="the prover (auto)")
    parser.add_argument("--backend-options", default="{}", metavar="JSON", help="the prover's options")
    parser.add_argument(
        "--tactic-seconds", type=float, default=10.0, help="wall-clock seconds for a tactic (10)"
    )
    parser.add_argument("--web", action="store_true", help="serve the page for web browsers at 127.0.0.1")
    parser.add_argument("--port", type=int, help=f"the port of --web, 0 for any ({PORT})")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="with --web: write the page there, for any web server, and serve nothing",
    )
    offer_completion(parser)
    options = parser.parse_args(argv)
    if not options.web and (options.out is not None or options.port is not None):
        parser.error("--out and --port go with --web")
    if options.out is not None and (options.theorem is not None or options.port is not None):
        parser.error("--out goes with --web alone: the page is written, not served")
    if options.out is not None:
        return write_page(Path(options.out))
    if options.web:
        return serve_page(options.theorem, options.theorems, PORT if options.port is None else options.port)
    if options.theorem is None:
        parser.error("expected a THEOREM, or --web")
    try:
        theorem = find_theorem(options.theorem, options.theorems)
        backend = create_backend(options.backend, **json.loads(options.backend_options))
    except (ValueError, TypeError, DataError, BackendUnavailable) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        proof = HandProof(backend, theorem, options.tactic_seconds)
        with unless_closed():
            return Game(proof, _reader(proof, backend), redraws=sys.stdout.isatty()).play()
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BackendError as error:
        print(f"error: the prover failed: {error}", file=sys.stderr)
        return 1
    finally:
        backend.close()


def serve_page(text: str | None, source: str | None, port: int) -> int:
    """Serve the page until Ctrl-C; return the exit status.

    Args:
        text: The theorem that the page opens with, as for `find_theorem`; `None` for none.
        source: As for `find_theorem`.
        port: The port.
    """
    from lean_gym.play.web.bundle import BundleError, bundle  # loads the embedded Lean

    try:
        opened = "" if text is None else fragment(find_theorem(text, source))
        listener = listen(HOST, port)  # before the page is built, which takes half a minute
    except (ValueError, DataError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        with listener, PageServer(bundle(say=_say), listener) as server:
            print(f"{server.address}{opened}\nCtrl-C ends it", flush=True)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
            return 0
    except (BundleError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def write_page(folder: Path) -> int:
    """Write the files of the page to a folder; return the exit status."""
    from lean_gym.play.web.bundle import BundleError, bundle

    if folder.exists() and not folder.is_dir():
        print(f"error: --out {folder}: expected a folder, got a file", file=sys.stderr)
        return 2
    try:
        shutil.copytree(bundle(say=_say), folder, dirs_exist_ok=True)
    except (BundleError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{folder}: the page is index.html, the course course.html", flush=True)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def find_theorem(text: str, source: str | None) -> Theorem:
    """Return the theorem of a name, or that of a statement.

    Args:
        text: A name in the set, or Lean source, which has a space.
        source: As for `load_theorems`; `None` looks through all sets of the project.

    Raises:
        DataError: There is none of that name, or the statement cannot be used.
    """
    if len(text.split()) > 1:
        return load_theorems([text])[0]
    sets = set_names() if source is None else (source,)
    known = [theorem for name in sets for theorem in load_theorems(name)]
    for theorem in known:
        if theorem.name == text:
            return theorem
    places = ", ".join(sets)
    near = unknown_name("theorem", text, [theorem.name for theorem in known]).partition(" (known:")[0]
    raise DataError(f"{near}; looked in: {places}. A statement is given as in 'theorem t : 1 = 1'")


class Game:
    """The loop: reads lines, shows goals.

    Args:
        proof: The proof.
        reader: Returns the next line, `None` after the last.
        redraws: The screen is cleared before goals are shown.
    """

    def __init__(self, proof: HandProof, reader: Reader, redraws: bool = False) -> None:
        self._proof = proof
        self._read = reader
        self._redraws = redraws

    def play(self) -> int:
        """Play until the proof is accepted or the lines end; return the exit status."""
        self._show("? for tactics that apply, :help for the other commands")
        while (line := self._line()) is not None and line != ":quit":
            if line.startswith((":", "?")):
                self._obey(line)
            elif line:
                self._show(_told(self._proof.apply(line), line))
            if self._proof.state.is_finished and self._proved():
                return 0
        print(f"no proof after {len(self._proof.tactics)} tactics")
        return 1

    def _line(self) -> str | None:
        """Return the next line, with those that it goes on in."""
        parts: list[str] = []
        while (line := self._read()) is not None:
            if not line.endswith("\\"):
                return "\n".join([*parts, line]).strip()
            parts.append(line[:-1].rstrip())
        return None

    def _obey(self, line: str) -> None:
        command, _, word = line.partition(" ")
        if command == ":undo" and (not word or word.isdecimal()):
            self._show(f"{self._proof.undo(int(word or 1))} taken back")
        elif line == ":restart":
            self._proof.undo(len(self._proof.tactics))
            self._show("from the beginning")
        elif line == "?":
            found = suggestions(self._proof.state, self._proof.tried)
            for one in found:
                left = "closes it" if one.goals < len(self._proof.state.goals) else f"leaves {one.goals}"
                print(f"  {one.tactic:<24} {' '.join([left, *' '.join(one.messages).split()])}")
            print(f"{len(found)} tactics apply" if found else "none of the usual tactics applies")
        elif line == ":history":
            print(self._proof.script())
        elif line == ":goals":
            self._show("")
        elif line == ":help":
            print((__doc__ or "").partition("\n\n")[2])
        else:
            print(unknown_name("command", line, COMMANDS))

    def _proved(self) -> bool:
        """Have the finished script judged; a refused one is taken back by one tactic."""
        verdict = self._proof.verdict()
        if verdict.proved:
            print(f"proved; axioms: {', '.join(verdict.axioms) or 'none'}\n\n{self._proof.script()}")
            return True
        self._proof.undo()
        self._show(f"rejected: {verdict.reason}; the last tactic is taken back")
        return False

    def _show(self, message: str) -> None:
        """Show the goals, below the script where the screen is drawn anew, and a message."""
        if self._redraws:
            print(_CLEAR + self._proof.script() + "\n")
        print(self._proof.state.text)
        if message:
            print(f"-- {message}")
        sys.stdout.flush()


def _told(result: TacticResult, line: str) -> str:
    if result.state is not None:
        return "\n".join(result.messages)
    # Lean has the last word on a tactic, and a user's macro may have the name of a command: it is never obeyed unasked.
    meant = _COMMAND_WITHOUT_COLON.fullmatch(line)
    return f"refused: {result.error}" + (f"; did you mean :{meant[0]}?" if meant else "")


def _reader(proof: HandProof, backend: ProofBackend) -> Reader:
    """Return the reader of the process's input: with editing and completion at a terminal, else with an echo."""
    if not sys.stdin.isatty():

        def piped() -> str | None:
            line = sys.stdin.readline()
            print(f"{PROMPT}{line.rstrip()}")
            return line.rstrip("\n") if line else None

        return piped
    import readline

    lemmas = backend.declarations(proof.theorem) if isinstance(backend, LibraryLister) else []

    def complete(word: str, number: int) -> str | None:
        names = [one.name for goal in proof.state.goals[:1] for one in goal.hypotheses]
        found = completions(readline.get_line_buffer()[: readline.get_begidx()], word, names, lemmas)
        return found[number] if number < len(found) else None

    readline.set_completer_delims(NO_WORD)
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")

    def typed() -> str | None:
        try:
            return input(PROMPT)
        except EOFError:
            return None

    return typed
