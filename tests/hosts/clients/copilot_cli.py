import os

from .lines import Lines, session_id

# What the client writes next to the events.
WORKSPACE = """id: {}
cwd: {}
client_name: github/cli
name: seeds
user_named: false
summary_count: 0
fork_count: 0
created_at: 2026-03-04T05:00:41.725Z
updated_at: 2026-03-04T05:00:41.725Z
"""


class CopilotCli(Lines):
    name = "copilot-cli"
    title = "Copilot CLI"
    format = "copilot-cli"
    package = "@github/copilot"
    pin = "1.0.102"
    where = "/.copilot/session-state/*/events.jsonl"
    link = ("id", "parentId")

    def shell(self, command):
        return "bash", {"command": command, "description": "count"}

    def command(self, work, url, prompt, resume):
        line = [self.module(".bin/copilot"), "--allow-all-tools", "--no-auto-update"]
        if resume:
            line.append("--continue")
        return [*line, "-p", prompt], {"COPILOT_HOME": work + "/home/.copilot", "COPILOT_OFFLINE": "true",
                                       "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": url + "/v1",
                                       "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "gpt-4.1"}

    def place_of(self, work, data):
        own = session_id(data)
        folder = f"{work}/home/.copilot/session-state/{own}"
        os.makedirs(folder)
        with open(folder + "/workspace.yaml", "w", encoding="utf-8") as file:
            file.write(WORKSPACE.format(own, work + "/proj"))
        return folder + "/events.jsonl"

    def said(self, record):
        data = record.get("data") or {}
        calls = [call.get("arguments") for call in data.get("toolRequests") or ()]
        result = data.get("result")
        return [data.get("content"), calls, result.get("content") if isinstance(result, dict) else result]

    def is_said(self, record):
        return record.get("type") in ("user.message", "assistant.message", "tool.execution_complete")

    def is_result(self, record):
        return record.get("type") == "tool.execution_complete"

    def is_prompt(self, record):
        return record.get("type") == "user.message"

    def is_answer(self, record):
        return record.get("type") == "assistant.message"
