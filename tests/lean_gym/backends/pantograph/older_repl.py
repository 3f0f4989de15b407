"""A program for tests: minilean's REPL as earlier versions of Pantograph would answer.

    python older_repl.py TRAIT|VERSION [...] -- MODULE ...

Traits: `no-frontend` (no commands on files), `no-track`, `no-distil` (`frontend.process` collects `sorry`s),
`no-inherit` (files leave nothing behind), `one-tactic` (`goal.tactic` takes a single tactic), `tactic-errors`
(failures as `tacticErrors`), `text-messages` (messages as strings), `no-flags` (`goal.print` and
`goal.tactic` without flags), `no-term` (`goal.print` without the root), `no-listing` (files say nothing of their
messages), `no-delete` (states cannot be deleted), `manual` (no automatic mode, and no option for it),
`forgets-scope` (tactics do not see what a context opened), `lost-instances` (nor the instances around a term
`sorry`), `one-goal` (a tactic sees the first goal only), `leaks` (a command on a state leaves the REPL with
that state's environment), `no-timeout` (there is no option for it), `always-goals` (a unit without `sorry` has an
empty list of goals), `closed-distil` (`frontend.distil` knows no `ignoreValues`), `no-sorrys`
(`frontend.process` collects none). A version of Pantograph stands for the traits that its sources show. With any
traits, the tactics `die now`, `hang now`, `answer twice`, `answer again` and `interrupt now` do what they say, and so
do `die_in_a_file` and `hang_in_a_file` where a file has these words.
"""

import json
import os
import re
import sys
import time

from minilean.repl import server

FLAGLESS = ("tactic-errors", "text-messages", "no-flags")
NO_TRACK = ("no-distil", "no-track", "forgets-scope", "lost-instances", "one-tactic")
OLDEST = (*NO_TRACK, *FLAGLESS, "no-inherit", "leaks", "one-goal", "no-timeout")
# From `Pantograph/Protocol.lean`, `Repl.lean`, `Pantograph/Goal.lean` and `Pantograph/Frontend/` at each tag.
VERSIONS = {
    # These two are refused.
    "0.2.17": (*OLDEST, "no-frontend", "manual"),
    "0.2.18": (*OLDEST, "no-frontend"),
    "0.2.19": (*OLDEST, "always-goals"),
    "0.2.25": OLDEST,
    "0.3.0": (*NO_TRACK, *FLAGLESS, "leaks", "one-goal"),
    "0.3.1": (*NO_TRACK, "text-messages", "leaks", "one-goal"),
    "0.3.2": (*NO_TRACK, "text-messages", "one-goal"),
    "0.3.4": NO_TRACK,
    "0.3.15": (),
}


def text_of(message):
    at = message["pos"]
    severity = "" if message["severity"] == "information" else f"{message['severity']}: "
    return f"<anonymous>:{at['line']}:{at['column']}: {severity}{message['data']}"


class Older:
    def __init__(self, names):
        self.traits = {trait for name in names for trait in VERSIONS.get(name, (name,))}
        self.session = server.new_session()
        self.opened = {}
        self.without_instances = set()
        if "manual" in self.traits:
            server.execute(self.session, "options.set", {"automaticMode": False})

    def answer(self, command, payload):
        unknown = {"error": "command", "desc": f"Unknown command {command}"}
        if command == "frontend.distil" and self.traits & {"no-distil", "no-frontend"}:
            return unknown
        if command == "frontend.track" and self.traits & {"no-track", "no-frontend"}:
            return unknown
        if command == "frontend.process" and "no-frontend" in self.traits:
            return unknown
        if command == "goal.delete" and "no-delete" in self.traits:
            return unknown
        if command == "frontend.distil" and "closed-distil" in self.traits:
            payload = {key: value for key, value in payload.items() if key != "ignoreValues"}
        if command == "frontend.process" and "no-sorrys" in self.traits:
            payload = {key: value for key, value in payload.items() if key != "sorrys"}
        if command == "goal.tactic":
            return self.tactic(payload)
        if command == "frontend.process":
            return self.process(payload)
        if command == "options.set" and "no-timeout" in self.traits:
            payload = {key: value for key, value in payload.items() if key != "timeout"}
        if command == "options.set" and "manual" in self.traits:
            payload = {key: value for key, value in payload.items() if key != "automaticMode"}
        if command == "goal.print":
            self.leak(payload["stateId"])
        answer = server.execute(self.session, command, payload)
        if command == "options.print" and "manual" in self.traits:
            del answer["automaticMode"]
        if command == "options.print" and "no-timeout" in self.traits:
            del answer["timeout"]
        if command == "goal.print" and "no-flags" in self.traits:
            if answer.get("rootHasMVar"):
                del answer["root"]
            answer = {key: value for key, value in answer.items() if not key.startswith("rootHas")}
        if command == "goal.print" and "no-term" in self.traits:
            answer.pop("root", None)
        return answer

    def leak(self, state):
        if "leaks" in self.traits and state in self.session.states:
            self.session.env = self.session.states[state].problem.env

    def process(self, payload):
        if "no-inherit" in self.traits:
            payload = {**payload, "inheritEnv": False}
        if "die_in_a_file" in payload["file"]:
            os._exit(137)
        if "hang_in_a_file" in payload["file"]:
            time.sleep(60)
        answer = server.execute(self.session, "frontend.process", payload)
        for unit in answer.get("units", ()):
            if "text-messages" in self.traits:
                unit["messages"] = [text_of(message) for message in unit["messages"]]
            if "no-listing" in self.traits:
                unit["messages"] = []
            if "always-goals" in self.traits:
                unit.setdefault("goals", [])
            start, end = unit["boundary"]
            command = payload["file"].encode()[start:end].decode().rstrip()
            if "goalStateId" in unit and command.endswith(":= sorry"):
                self.without_instances.add(unit["goalStateId"])
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
            if "inner" in payload["tactic"].replace("LeanGymProbe.inner", "") and not said:
                payload = {**payload, "tactic": payload["tactic"].replace("inner", "nowhere")}
        if "lost-instances" in self.traits and payload["stateId"] in self.without_instances:
            payload = {**payload, "tactic": payload["tactic"].replace("Decidable.em", "nowhere")}
        return self.shaped(payload, self.step(payload))

    def step(self, payload):
        state = payload["stateId"]
        if "one-goal" not in self.traits or state not in self.session.states:
            self.leak(state)
            return server.execute(self.session, "goal.tactic", payload)
        goals = self.session.states[state].state.goals
        if not goals:
            return {"error": "index", "desc": "Invalid goal index 0"}
        self.leak(state)
        # On the first goal alone, and then the others are brought back.
        answer = server.execute(self.session, "goal.tactic", {**payload, "goalId": 0, "autoResume": False})
        if "goals" not in answer:
            return answer
        names = [goal["name"] for goal in answer["goals"]] + [f"_uniq.{goal.id}" for goal in goals[1:]]
        resumed = server.execute(
            self.session, "goal.continue", {"target": answer["nextStateId"], "goals": names}
        )
        return {**answer, **resumed}

    def shaped(self, payload, answer):
        after = answer.get("nextStateId")
        if after is not None and payload["stateId"] in self.without_instances:
            self.without_instances.add(after)
        if "tactic-errors" in self.traits and "messages" in answer:
            messages = answer.pop("messages")
            if "goals" not in answer:
                answer = {"tacticErrors": [message["data"] for message in messages]}
        elif "text-messages" in self.traits and "messages" in answer:
            answer["messages"] = [message["data"] for message in answer["messages"]]
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
