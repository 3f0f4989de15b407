"""A program for tests: minilean's REPL as earlier versions of Pantograph would answer.

    python older_repl.py TRAIT [TRAIT ...] -- MODULE ...

Traits: `no-frontend` (no commands on files), `no-track`, `no-distil` (`frontend.process` collects `sorry`s),
`no-inherit` (files leave nothing behind), `one-tactic` (`goal.tactic` takes a single tactic), `tactic-errors`
(failures as `tacticErrors`), `text-messages` (messages as strings), `no-flags` (`goal.print` and `goal.tactic` without
flags), `remove` (states freed by `goal.remove`), `manual` (no automatic mode), `forgets-scope` (tactics do not see
what a context opened). With any traits, the tactics `die now`, `hang now`, `answer twice`, `answer again` and
`interrupt now` do what they say.
"""

import json
import os
import re
import sys
import time

from lean_gym.minilean.repl import server


def text_of(message):
    at = message["pos"]
    severity = "" if message["severity"] == "information" else f"{message['severity']}: "
    return f"<anonymous>:{at['line']}:{at['column']}: {severity}{message['data']}"


class Older:
    def __init__(self, traits):
        self.traits = set(traits)
        self.session = server.new_session()
        self.opened = {}

    def answer(self, command, payload):
        unknown = {"error": "command", "desc": f"Unknown command {command}"}
        if command == "frontend.distil" and self.traits & {"no-distil", "no-frontend"}:
            return unknown
        if command == "frontend.track" and self.traits & {"no-track", "no-frontend"}:
            return unknown
        if command == "frontend.process" and "no-frontend" in self.traits:
            return unknown
        if "remove" in self.traits and command in ("goal.delete", "goal.remove"):
            if command == "goal.delete":
                return unknown
            command = "goal.delete"
        if command == "goal.tactic":
            return self.tactic(payload)
        if command == "frontend.process" and "no-inherit" in self.traits:
            payload = {**payload, "inheritEnv": False}
        answer = server.execute(self.session, command, payload)
        if command == "options.print" and "manual" in self.traits:
            del answer["automaticMode"]
        if command == "goal.print" and "no-flags" in self.traits:
            answer = {key: value for key, value in answer.items() if not key.startswith("rootHas")}
        if "text-messages" in self.traits:
            for unit in answer.get("units", ()):
                unit["messages"] = [text_of(message) for message in unit["messages"]]
        return answer

    def tactic(self, payload):
        text = payload["tactic"]
        if text == "die now":
            print("uncaught exception: out of memory", file=sys.stderr, flush=True)
            os._exit(137)
        if text == "hang now":
            time.sleep(60)
        if text == "answer twice":
            return '{"goals": [], "nextStateId": 1000}\n{"goals": [], "nextStateId": 1001}'
        if text == "answer again":
            return {"goals": [], "nextStateId": payload["stateId"], "messages": []}
        if text == "interrupt now":
            time.sleep(self.session.options.timeout / 1000)
            return {"error": "io", "desc": "interrupt"}
        if "one-tactic" in self.traits and ("\n" in text or ";" in text):
            inner = re.fullmatch(r"\(\n(.*)\n\)", text, flags=re.DOTALL)
            if inner is None:
                return {"parseError": "<Pantograph>:1:4: expected end of input"}
            payload = {**payload, "tactic": inner[1]}
        if "forgets-scope" in self.traits:
            lines = payload["tactic"].split("\n")
            said = [line for line in lines if re.fullmatch(r"open .* in", line)]
            payload = {**payload, "tactic": "\n".join(line for line in lines if line not in said)}
            if "inner" in payload["tactic"] and not said:
                payload = {**payload, "tactic": payload["tactic"].replace("inner", "nowhere")}
        answer = server.execute(self.session, "goal.tactic", payload)
        if "tactic-errors" in self.traits and "messages" in answer and "goals" not in answer:
            answer = {"tacticErrors": [message["data"] for message in answer["messages"]]}
        if "no-flags" in self.traits:
            answer.pop("hasSorry", None)
            answer.pop("hasUnsafe", None)
        return answer


def main():
    split = sys.argv.index("--")
    repl = Older(sys.argv[1:split])
    print("ready.", flush=True)
    for line in sys.stdin:
        command, _, payload = line.strip().partition(" ")
        if not command:
            break
        answer = repl.answer(command, json.loads(payload or "{}"))
        line = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    main()
