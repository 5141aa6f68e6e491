import json
import os
import re

from .lines import Lines

CONFIG = """\
default_model = "mock/m1"
telemetry = false

[providers.mock]
type = "openai"
base_url = "{url}/v1"
api_key = "sk-x"

[models."mock/m1"]
provider = "mock"
model = "m1"
max_context_size = 200000
capabilities = ["tool_use"]
"""


# The folder and the session that a fixture is put in; one that names a folder is put in that.
PROJECT = "wd_proj_5eed00000000"
SESSION = "session_5eed0000-0000-4000-8000-000000000002"


class KimiCode(Lines):
    name = "kimi-code"
    title = "Kimi Code"
    format = "kimi-code"
    package = "@moonshot-ai/kimi-code"
    pin = "2.1.0"
    node = 22
    where = "/.kimi-code/sessions/*/*/agents/main/wire.jsonl"
    target = "openai-chat"
    has_ids = False

    def shell(self, command):
        return "Bash", {"command": command}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.kimi-code"
        os.makedirs(home, exist_ok=True)
        with open(home + "/config.toml", "w", encoding="utf-8") as file:
            file.write(CONFIG.format(url=url))
        line = ["node", self.module(self.package, "dist/main.mjs"), "--model", "mock/m1"]
        if resume:
            line.append("--continue")
        return [*line, "-p", prompt], {"KIMI_CODE_HOME": home, "KIMI_DISABLE_TELEMETRY": "1"}

    def own(self, work, data):
        return re.sub(rb'"modelAlias":"[^"]*"', b'"modelAlias":"mock/m1"', super().own(work, data))

    def place_of(self, work, data):
        """The host finds a session by its list of sessions, and by the state next to the records."""
        home = work + "/home/.kimi-code"
        named = re.search(rb'"workspaceId":"(wd_[0-9a-z_]+)"', data)
        project = named[1].decode() if named else PROJECT
        folder = f"{home}/sessions/{project}/{SESSION}"
        agent = folder + "/agents/main"
        os.makedirs(agent)
        time = 1795863710217
        state = {"id": SESSION, "version": 2, "cwd": work + "/proj", "archived": False, "custom": {}, "lastTurnReason": "completed",
                 "agents": {"main": {"homedir": agent, "type": "main"}}, "createdAt": time, "updatedAt": time, "isCustomTitle": False}
        workspace = {"root": work + "/proj", "name": "proj", "created_at": "2026-11-28T11:01:49.649Z",
                     "last_opened_at": "2026-11-28T11:02:37.453Z"}
        written = {folder + "/state.json": state,
                   home + "/session_index.jsonl": {"sessionId": SESSION, "sessionDir": folder, "workDir": work + "/proj"},
                   home + "/workspaces.json": {"version": 1, "workspaces": {project: workspace}, "deleted_workspace_ids": []}}
        for path, value in written.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps(value) + "\n")
        return agent + "/wire.jsonl"

    def records(self, session):
        """Without the turns that were taken back."""
        records = []
        for record in super().records(session):
            records.append(record)
            if record["type"] == "context.undo":
                prompts = [at for at, one in enumerate(records) if (one.get("message") or {}).get("role") == "user"]
                del records[prompts[-min(record["count"], len(prompts))] if prompts else 0:]
        return records

    def said(self, record):
        event = record.get("event") or {}
        return [(record.get("message") or {}).get("content"), (event.get("part") or {}).get("text"), event.get("args"),
                (event.get("result") or {}).get("output"), record.get("contextSummary") or record.get("summary")]

    def replaces(self, record):
        return record.get("type") == "context.apply_compaction"

    def is_said(self, record):
        return record.get("type") in ("context.append_message", "context.append_loop_event", "context.apply_compaction", "context.undo")

    def is_result(self, record):
        return (record.get("event") or {}).get("type") == "tool.result"

    def is_prompt(self, record):
        return record.get("type") == "context.append_message"

    def is_answer(self, record):
        return (record.get("event") or {}).get("type") == "content.part"
