import copy
import json
import shutil

from .base import FromNpm, here


class AiSdk(FromNpm):
    """The AI SDK has no session store: the child saves the list of messages as an application does."""

    name = "ai-sdk-7"
    title = "AI SDK"
    format = "ai-sdk-ui"
    package = "ai"
    pin = "7.0.173"
    more = ("zod@4",)
    where = "/messages.json"
    refuses_open_calls = True
    target = "openai-chat"
    delays = (0.3, 1.0)
    damages = ("lost-result", "lost-of-batch", "duplicate", "torn", "nul-tail")

    def shell(self, command):
        return "shell", {"command": command}

    def command(self, work, url, prompt, resume):
        return ["node", here("ai_sdk_child.mjs"), self.folder, work + "/home/messages.json", prompt, url], {}

    def place(self, work, path):
        """An application loads one list of messages."""
        shutil.copyfile(path, work + "/home/messages.json")
        try:
            with open(path, encoding="utf-8") as file:
                return isinstance(json.load(file), list)
        except ValueError:
            return path.endswith(".json")

    def texts(self, session):
        with open(session, encoding="utf-8", errors="replace") as file:
            text = file.read()
        yield text.rstrip("\0")

    def records(self, session):
        with open(session, encoding="utf-8", errors="replace") as file:
            try:
                messages = json.load(file)
            except ValueError:
                messages = []
        return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []

    def said(self, record):
        members = ("text", "input", "output", "errorText")
        parts = record.get("parts") if isinstance(record.get("parts"), list) else ()
        return [[part.get(member) for member in members] for part in parts if isinstance(part, dict)]

    def damage(self, session, kind):
        with open(session, encoding="utf-8") as file:
            text = file.read()
        if kind == "torn":
            text = text[:text.index("T09")]
        elif kind == "nul-tail":
            text += "\0" * 512
        else:
            text = json.dumps(without_result(json.loads(text), kind))
        with open(session, "w", encoding="utf-8") as file:
            file.write(text)
        return True


def without_result(messages, kind):
    number = 4 if kind == "lost-of-batch" else 5
    for message in messages:
        for at, part in enumerate(message["parts"]):
            if "toolCallId" not in part or f"C{number:02d}" not in json.dumps(part.get("input")):
                continue
            if kind == "duplicate":
                message["parts"].insert(at + 1, copy.deepcopy(part))
                return messages
            part.pop("output", None)
            part["state"] = "input-available"
    return messages


class AiSdk6(AiSdk):
    name = "ai-sdk-6"
    pin = "6.0.325"
    explained = {name: "the finding says that version 6 stops at it" for name in ("*-ui-denied", "*-ui-never-approved")}
