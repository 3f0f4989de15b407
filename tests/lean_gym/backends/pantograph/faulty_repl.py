"""A program for tests: a REPL that goes wrong in one way.

    python faulty_repl.py FAULT

It answers `{}` to `options.set`, and `{"echo": command}` to everything else but the command `fault`.
"""

import os
import signal
import sys
import time

FAULT = sys.argv[1]


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def misbehave():
    if FAULT == "dies":
        sys.stdout.write('{"half": ')
        sys.stdout.flush()
        print("uncaught exception: stack overflow", file=sys.stderr, flush=True)
        os._exit(3)
    if FAULT == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if FAULT in ("hangs", "ignores-sigterm"):
        time.sleep(60)
    if FAULT == "twice":
        sys.stdout.write('{"first": 1}\n{"forged": 2}\n')
        sys.stdout.flush()
    if FAULT == "late-second":
        say('{"first": 1}')
        time.sleep(0.2)
        say('{"forged": 2}')
    if FAULT == "garbage":
        say("segmentation fault (core dumped)")
    if FAULT == "list":
        say("[1, 2]")
    if FAULT == "long":
        say('{"text": "' + "x" * 3_000_000 + '"}')
    if FAULT == "half-a-pair":
        say('{"text": "\\ud800"}')
    if FAULT == "not-utf8":
        sys.stdout.buffer.write(b'{"text": "\xff\xfe"}\n')
        sys.stdout.flush()
    if FAULT == "floods-stderr":
        for _ in range(2000):
            sys.stderr.write("trace " * 100 + "\n")
        say('{"echo": "fault"}')
    if FAULT == "has-child":
        child = os.fork()
        if child == 0:
            time.sleep(60)
        say(f'{{"child": {child}}}')


def main():
    if FAULT == "never-ready":
        print("importing Mathlib", file=sys.stderr, flush=True)
        time.sleep(60)
    if FAULT == "wrong-greeting":
        say("hello")
    if FAULT == "no-module":
        print("uncaught exception: unknown module prefix 'Mathlib'", file=sys.stderr, flush=True)
        sys.exit(1)
    if FAULT == "ignores-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("ready.")
    for line in sys.stdin:
        command = line.split(" ", 1)[0]
        if command == "options.set":
            say("{}")
        elif command == "fault":
            misbehave()
        else:
            say(f'{{"echo": "{command}"}}')


main()
