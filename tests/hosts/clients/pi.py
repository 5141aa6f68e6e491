import json
import os

from .lines import Lines, session_id


class Pi(Lines):
    name = "pi"
    title = "pi"
    format = "pi"
    package = "@earendil-works/pi-coding-agent"
    pin = "1.6.0"
    where = "/.pi/agent/sessions/*/*.jsonl"
    # Other programs with sessions of this format.
    other_formats = ("-oh-my-pi", "-openclaw")
    link = ("id", "parentId")
    node = 22
    target = "anthropic"

    def shell(self, command):
        return "bash", {"command": command}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.pi/agent"
        os.makedirs(home, exist_ok=True)
        model = {"id": "claude-mock-1", "contextWindow": 200000, "maxTokens": 8000}
        provider = {"baseUrl": url, "apiKey": "sk-x", "api": "anthropic-messages", "models": [model]}
        with open(home + "/models.json", "w", encoding="utf-8") as file:
            json.dump({"providers": {"mock": provider}}, file)
        line = ["node", self.module(self.package, "dist/cli.js"), "-p", "--provider", "mock", "--model", "claude-mock-1",
                "--offline"]
        if resume:
            line.append("--continue")
        return [*line, prompt], {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def place_of(self, work, data):
        folder = "--" + (work + "/proj").strip("/").replace("/", "-") + "--"
        return f"{work}/home/.pi/agent/sessions/{folder}/2026-03-04T05-06-07-000Z_{session_id(data, b'id')}.jsonl"

    def records(self, session):
        """As edits of the context left them."""
        records = list(super().records(session))
        edits = {record["targetId"]: record["replacement"] for record in records if record.get("type") == "context_edit"}
        return [edited(record, edits[record["id"]]) if record.get("id") in edits else record for record in records]

    def said(self, record):
        """It sends thinking only to the model that thought."""
        content = (record.get("message") or {}).get("content")
        if isinstance(content, str):
            return content
        return [block for block in content or () if not (isinstance(block, dict) and block.get("type") == "thinking")]

    def is_result(self, record):
        return (record.get("message") or {}).get("role") == "toolResult"

    def is_answer(self, record):
        return (record.get("message") or {}).get("role") == "assistant"


def edited(record, replacement):
    """A record with what takes the place of members of its message, or without a message."""
    return {**record, "message": {**record["message"], **replacement} if replacement else None}
