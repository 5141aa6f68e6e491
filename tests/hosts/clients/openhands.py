import copy
import glob
import json
import os
import re
import shutil
import uuid

from .base import FromPyPI, here
from .lines import write_json

# The ID of a conversation that a log does not name, and a state for it.
OWN = "5eed0000000040008000000000000001"
STATE = here("../../../fixtures/healthy/openhands/single-folder/8162594143274ac6a9a44ba08aafa96f/base_state.json")
# Why it goes on where others do not.
OFF_BRANCH = "it reads only the events of the branch; a program that lists all of them stops here"
BY_NAME = "it finds events by the IDs in the names of their files"


class OpenHands(FromPyPI):
    name = "openhands"
    title = "OpenHands SDK"
    format = "openhands"
    package = "openhands-sdk"
    pin = "1.58.2"
    more = ("openhands-tools==PIN",)
    child = "openhands_child.py"
    where = "/store/*"
    delays = (1.0,)
    target = "anthropic"
    other_formats = ("-v0",)
    leaves_open_calls = True
    damages = ("lost-result", "lost-of-batch", "duplicate", "late", "torn", "lost-parent")
    explained = {
        "malformed-record/openhands-empty-object": OFF_BRANCH,
        "missing-call-id/openhands-off-the-branch-folder": OFF_BRANCH,
        "torn-tail/openhands-two-empty-folder": OFF_BRANCH,
        "malformed-record/openhands-no-id-*": BY_NAME,
        "record-order/openhands-name-is-meant-folder": BY_NAME,
        "record-order/openhands-gap-legacy-folder": "of a log without parents it reads what is before the gap",
        "bad-input/openhands-empty": "LiteLLM sends empty arguments as `{}` to Anthropic; other providers are sent them as they are",
        "compaction-split-pair/openhands-summary-in-first-unit.*": "the log is a part of one: its beginning is not known",
        "broken-parent/openhands-false-root-on-a-result": "what is left begins with the assistant, which Anthropic refuses",
        "missing-call-id/openhands-empty-on-both-sides": "LiteLLM gives a call with an empty ID, and its result, one ID of its own",
        "record-order/openhands-gap-at-the-start-folder.unsafe": "without its system prompt, the SDK continues no conversation that has a "
                                                                 "message of the user",
        "torn-tail/openhands-empty-before-head-folder": OFF_BRANCH,
        "unreadable-record/openhands-garbage": OFF_BRANCH,
        "two-results/openhands-thinking-*": "of a turn with thinking whose results are doubled, it leaves out all calls and results",
        "unknown-record/*": "the kind is of a plugin that this SDK does not have",
        "killed-*-resumed": "resumed without a repair, the SDK itself left the calls on a branch; afterwards nothing tells it "
                            "from navigate_to",
    }

    @property
    def kind(self):
        """Before 1.17, it brought a LiteLLM that does not mend pairs."""
        return "current" if int(self.version().split(".")[1]) >= 17 else "strict"

    def shell(self, command):
        return "terminal", {"command": command}

    def command(self, work, url, prompt, resume):
        return self.run_child(work + "/proj", work + "/home/store", prompt, url), {
            "OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}

    def place(self, work, path):
        """A folder as it is; the lines of an exported log as the event files that they were."""
        store = work + "/home/store/"
        events = glob.glob(path + "/**/events", recursive=True)
        if events and glob.glob(events[0] + "/event-*.json"):
            folder = os.path.dirname(events[0])
            shutil.copytree(folder, store + conversation_id(folder))
            return True
        if not path.endswith(".jsonl"):
            return False
        with open(path, "rb") as file:
            lines = [line for line in file.read().split(b"\n") if line]
        os.makedirs(f"{store}{OWN}/events")
        for number, line in enumerate(lines):
            own = re.match(rb'\{"id":"([-0-9a-f]{36})"', line)
            name = own.group(1).decode() if own else str(uuid.UUID(int=number))
            with open(f"{store}{OWN}/events/event-{number:05d}-{name}.json", "wb") as file:
                file.write(line)
        # The newest event, as far as the last line says which.
        newest = re.match(rb'\{"id":"([-0-9a-f]{36})"', lines[-1])
        state = {**read(STATE), "id": str(uuid.UUID(OWN)), "leaf_event_id": newest.group(1).decode() if newest else None}
        with open(f"{store}{OWN}/base_state.json", "w", encoding="utf-8") as file:
            json.dump(state, file)
        return True

    def said(self, record):
        return [record.get("llm_message"), record.get("thought"), (record.get("tool_call") or {}).get("arguments"),
                (record.get("observation") or {}).get("content"), record.get("error"), record.get("rejection_reason")]

    def texts(self, session):
        for path in glob.glob(session + "/events/*.json"):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            try:
                json.loads(text)
            except ValueError:
                continue
            yield text

    def damage(self, session, kind):
        return getattr(Folder(session), kind.replace("-", "_"))()


class Folder:
    """The event files of a conversation, to be damaged."""

    def __init__(self, path):
        self.path = path
        self.files = sorted(glob.glob(path + "/events/event-*.json"))
        self.events = [read(name) for name in self.files]
        self.state = read(path + "/base_state.json")

    def write(self):
        for name in self.files:
            os.remove(name)
        for number, event in enumerate(self.events):
            with open(f"{self.path}/events/event-{number:05d}-{event['id']}.json", "wb") as file:
                file.write(write_json(event))
        with open(self.path + "/base_state.json", "wb") as file:
            file.write(write_json(self.state))
        return True

    def observation(self, number):
        marker = f"R{number:02d}"
        return self.find(lambda event: event["kind"] == "ObservationEvent" and marker in json.dumps(event))

    def prompt(self):
        return self.find(lambda event: event["source"] == "user" and "K07" in json.dumps(event))

    def find(self, is_one):
        return next(at for at, event in enumerate(self.events) if is_one(event))

    def set_parents(self, old, new):
        """Events of version 1.16 name no parents."""
        for event in self.events:
            if event.get("parent_id") == old:
                event["parent_id"] = new
        if self.state.get("leaf_event_id") == old:
            self.state["leaf_event_id"] = new

    def remove(self, at):
        event = self.events.pop(at)
        self.set_parents(event["id"], event.get("parent_id"))
        return event

    def lost_result(self):
        self.remove(self.observation(5))
        return self.write()

    def lost_of_batch(self):
        self.remove(self.observation(4))
        return self.write()

    def duplicate(self):
        at = self.observation(5)
        first = self.events[at]
        twin = {**copy.deepcopy(first), "id": str(uuid.UUID(int=0x5EED))}
        if "parent_id" in first:
            self.set_parents(first["id"], twin["id"])
            twin["parent_id"] = first["id"]
        self.events.insert(at + 1, twin)
        return self.write()

    def late(self):
        event = self.remove(self.observation(5))
        at = self.prompt()
        prompt = self.events[at]["id"]
        if "parent_id" in event:
            self.set_parents(prompt, event["id"])
            event["parent_id"] = prompt
        self.events.insert(at + 1, event)
        return self.write()

    def torn(self):
        last = max(at for at, event in enumerate(self.events) if "T09" in json.dumps(event))
        with open(self.files[last], "rb") as file:
            text = file.read()
        with open(self.files[last], "wb") as file:
            file.write(text[:text.index(b"T09")])
        for name in self.files[last + 1:]:
            os.remove(name)
        return True

    def lost_parent(self):
        parent = self.events[self.prompt()].get("parent_id")
        if parent is None:
            return False
        self.events = [event for event in self.events if event["id"] != parent]
        return self.write()


def conversation_id(folder):
    """The folder of a conversation has its ID as its name."""
    name = os.path.basename(folder)
    return name if re.fullmatch("[0-9a-f]{32}", name) else OWN


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
