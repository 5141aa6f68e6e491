import json
import os
import shutil

from .lines import Lines


class Pi(Lines):
    name = "pi"
    title = "pi"
    format = "pi"
    package = "@earendil-works/pi-coding-agent"
    pin = "1.6.0"
    where = "/.pi/agent/sessions/*/*.jsonl"
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

    def place(self, work, path):
        folder = "--" + (work + "/proj").strip("/").replace("/", "-") + "--"
        home = work + "/home/.pi/agent/sessions/" + folder
        os.makedirs(home)
        shutil.copy(path, home)
        return path.endswith(".jsonl")

    def is_result(self, record):
        return (record.get("message") or {}).get("role") == "toolResult"

    def is_answer(self, record):
        return (record.get("message") or {}).get("role") == "assistant"
