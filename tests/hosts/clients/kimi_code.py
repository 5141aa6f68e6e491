import os

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


class KimiCode(Lines):
    name = "kimi-code"
    title = "Kimi Code"
    format = "kimi-code"
    package = "@moonshot-ai/kimi-code"
    pin = "2.1.0"
    node = 22
    where = "/.kimi-code/sessions/*/*/agents/main/wire.jsonl"
    target = "openai-chat"

    def shell(self, command):
        return "Bash", {"command": command}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.kimi-code"
        os.makedirs(home, exist_ok=True)
        with open(home + "/config.toml", "w", encoding="utf-8") as file:
            file.write(CONFIG.format(url=url))
        line = ["node", self.module(self.package, "dist/main.mjs")]
        if resume:
            line.append("--continue")
        return [*line, "-p", prompt], {"KIMI_CODE_HOME": home, "KIMI_DISABLE_TELEMETRY": "1"}

    def is_said(self, record):
        return record.get("type") in ("context.append_message", "context.append_loop_event")

    def is_result(self, record):
        return (record.get("event") or {}).get("type") == "tool.result"

    def is_prompt(self, record):
        return record.get("type") == "context.append_message"

    def is_answer(self, record):
        return (record.get("event") or {}).get("type") == "content.part"
