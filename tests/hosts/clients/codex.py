import os
import re

from .lines import Lines, session_id

CONFIG = """model = "gpt-5.2-codex"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "%s/v1"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
[analytics]
enabled = false
"""


class Codex(Lines):
    name = "codex"
    title = "Codex CLI"
    format = "codex"
    package = "@openai/codex"
    pin = "0.171.0"
    other_formats = ("-exec",)
    has_ids = False
    where = "/.codex/sessions/*/*/*/*.jsonl"

    def shell(self, command):
        return "exec_command", {"cmd": command, "yield_time_ms": 25000}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.codex"
        os.makedirs(home, exist_ok=True)
        with open(home + "/config.toml", "w", encoding="utf-8") as file:
            file.write(CONFIG % url)
        line = [self.module(".bin/codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        if resume:
            line += ["resume", os.path.basename(self.session(work))[-len(".jsonl") - 36:-len(".jsonl")]]
        return [*line, prompt], {"CODEX_HOME": home}

    def own(self, work, data):
        return re.sub(rb'"model_provider":"[^"]*"', b'"model_provider":"mock"', super().own(work, data))

    def place_of(self, work, data):
        time = "2026-03-04T05-06-07"
        return f"{work}/home/.codex/sessions/2026/03/04/rollout-{time}-{session_id(data, b'id')}.jsonl"

    def records(self, session):
        """Without the turns that were taken back: their records have no IDs, by which `diff` could name others."""
        records = []
        for record in super().records(session):
            records.append(record)
            prompts = [at for at, one in enumerate(records) if self.is_prompt(one)]
            taken = record["payload"].get("num_turns") or 0
            if taken:
                del records[prompts[-min(taken, len(prompts))] if prompts else 0:]
        return records

    def said(self, record):
        payload = record["payload"]
        if self.replaces(record):
            return payload.get("replacement_history") or payload.get("message")
        return [payload.get(member) for member in ("content", "arguments", "input", "output", "summary")]

    def replaces(self, record):
        return record.get("type") == "compacted"

    def is_said(self, record):
        return record.get("type") in ("response_item", "compacted") or record.get("payload", {}).get("type") == "thread_rolled_back"

    def is_result(self, record):
        return record.get("type") == "response_item" and str(record["payload"].get("type", "")).endswith("_output")

    def is_prompt(self, record):
        return record.get("type") == "response_item" and record["payload"].get("role") == "user"

    def is_answer(self, record):
        return record.get("type") == "response_item" and record["payload"].get("role") == "assistant"
