import glob
import json
import os

from .lines import Lines


class ClaudeCode(Lines):
    name = "claude-code"
    title = "Claude Code"
    formats = ("claude-code",)
    package = "@anthropic-ai/claude-code"
    pin = "2.1.332"
    where = "/.claude/projects/*/*.jsonl"
    link = ("uuid", "parentUuid")

    def install(self, version):
        super().install(version)
        # The program is a package of its own for each platform, which npm installs as an optional one.
        if not self.program():
            raise FileNotFoundError("no program for this platform in " + self.folder)

    def program(self):
        found = glob.glob(self.module("@anthropic-ai/claude-code-*/claude"))
        if found:
            return [found[0]]
        script = self.module(self.package, "cli.js")
        return ["node", script] if os.path.exists(script) else None

    def shell(self, command):
        return "Bash", {"command": command, "description": "count"}

    def command(self, work, url, prompt, resume):
        line = [*self.program(), "-p", prompt, "--output-format", "json", "--allowedTools", "Bash,Read"]
        if resume:
            line += ["--resume", os.path.basename(self.session(work))[:-len(".jsonl")]]
        return line, self.variables(url)

    def variables(self, url):
        return {"IS_SANDBOX": "1", "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-dummy", "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_BUG_COMMAND": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}

    def is_said(self, record):
        return record.get("type") in ("user", "assistant")

    def is_result(self, record):
        content = json.dumps((record.get("message") or {}).get("content"))
        return record.get("type") == "user" and "tool_result" in content

    def is_prompt(self, record):
        return record.get("type") == "user" and not self.is_result(record)

    def is_answer(self, record):
        return record.get("type") == "assistant"
