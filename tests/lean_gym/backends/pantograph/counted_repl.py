"""A program for tests: minilean's REPL that writes down each of its starts, and imports what its modules' names say.

    COUNTED_LOG=FILE python counted_repl.py MODULE ...

`Missing...` is no module: the program ends with exit status 1. `Killed...` kills the program while it starts, and
`Once...` the first time only. `Slow...` never gets ready. The tactic `die now` ends the program, and
`take memory` takes 800 MB and a minute. The file COUNTED_LOG.signals has one line for each request to run a tactic that
somebody shall meet with a signal, the signal's number; the line is removed. COUNTED_LOG.judging is the same for
requests to compile a file, and COUNTED_LOG.starting for starts.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from minilean.repl import server


def start(log, modules):
    past = log.read_text().split("\n") if log.exists() else []
    line = " ".join(modules)
    with log.open("a") as file:
        file.write(line + "\n")
    meet_signal(log.with_suffix(".starting"))
    for module in modules:
        if module.startswith("Missing"):
            print(f"uncaught exception: unknown module prefix '{module}'", file=sys.stderr)
            sys.exit(1)
        if module.startswith("Killed") or (module.startswith("Once") and line not in past):
            os.kill(os.getpid(), signal.SIGKILL)
        if module.startswith("Slow"):
            time.sleep(60)


def meet_signal(file):
    numbers = file.read_text().split() if file.exists() else []
    if numbers:
        file.write_text("\n".join(numbers[1:]))
        os.kill(os.getpid(), int(numbers[0]))


def main():
    log = Path(os.environ["COUNTED_LOG"])
    start(log, [word for word in sys.argv[1:] if not word.startswith("--")])
    session = server.new_session()
    print("ready.", flush=True)
    for line in sys.stdin:
        command, _, payload = line.strip().partition(" ")
        if not command:
            break
        fields = json.loads(payload or "{}")
        with log.with_suffix(".commands").open("a") as file:
            file.write(command + "\n")
        if command == "goal.tactic":
            meet_signal(log.with_suffix(".signals"))
        if command == "frontend.process":
            meet_signal(log.with_suffix(".judging"))
        if fields.get("tactic") == "die now":
            os._exit(3)
        if fields.get("tactic") == "take memory":
            taken = bytearray(b"x") * 800_000_000
            time.sleep(60)
            del taken
        answer = server.execute(session, command, fields)
        print(json.dumps(answer, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    main()
