import contextlib
import glob
import json
import os

from provider import Provider, pause, text
from terminal import ENTER, ESC, UP, Terminal

from .lines import Lines, dashed, session_id

KEY = "sk-ant-dummy"
# Removes what is in the input line.
CLEAR = "\x15"


class ClaudeCode(Lines):
    name = "claude-code"
    title = "Claude Code"
    format = "claude-code"
    package = "@anthropic-ai/claude-code"
    pin = "2.1.332"
    where = "/.claude/projects/*/*.jsonl"
    link = ("uuid", "parentUuid")
    kind = "current"
    explained = {
        "malformed-record/claude-code-type-missing.repaired": "thinking that has lost the rest of its message is not sent",
        "result-before-call/claude-code-result-before-use": "it moves a result from directly before the response, but from nowhere else",
    }

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
        return {"IS_SANDBOX": "1", "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_BUG_COMMAND": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}

    def place_of(self, work, data):
        if b'"isSidechain":true' in data.split(b"\n")[0]:
            # A session of a sub-agent, which cannot be resumed.
            return None
        return f"{work}/home/.claude/projects/{dashed(work + '/proj')}/{session_id(data)}.jsonl"

    def said(self, record):
        return (record.get("message") or {}).get("content")

    def is_said(self, record):
        return record.get("type") in ("user", "assistant")

    def is_result(self, record):
        content = json.dumps((record.get("message") or {}).get("content"))
        return record.get("type") == "user" and "tool_result" in content

    def is_prompt(self, record):
        return record.get("type") == "user" and not self.is_result(record)

    def is_answer(self, record):
        return record.get("type") == "assistant"

    def stories(self):
        return (
            ("esc-before-the-first-answer", {"K01"}, self.esc_before_the_first_answer),
            ("esc-before-a-later-answer", {"K03"}, self.esc_before_a_later_answer),
            ("esc-in-a-tool", set(), self.esc_in_a_tool),
            ("rewind-to-the-first-prompt", {"K01", "T02", "K03", "T04"}, self.rewind_to_the_first_prompt),
            ("rewind-to-a-later-prompt", {"K03", "T04"}, self.rewind_to_a_later_prompt),
        )

    def esc_before_the_first_answer(self, work):
        with self.at_terminal(work, [[pause(8), text("T90 late.")], [text("T06 seven.")]]) as terminal:
            terminal.type("K01 count the boxes")
            terminal.wait_for("esc to interrupt")
            terminal.watch(1)
            terminal.press(ESC)
            terminal.watch(1.5)
            # The prompt is back in the input line.
            terminal.press(CLEAR)
            terminal.type("K05 count the jars")
            terminal.wait_for("T06 seven.")

    def esc_before_a_later_answer(self, work):
        with self.at_terminal(work, [[text("T02 nine.")], [pause(8), text("T90 late.")], [text("T06 seven.")]]) as terminal:
            terminal.type("K01 count the boxes")
            terminal.wait_for("T02 nine.")
            terminal.settle()
            terminal.type("K03 weigh them")
            terminal.wait_for("esc to interrupt")
            terminal.watch(1)
            terminal.press(ESC)
            terminal.watch(1.5)
            terminal.press(CLEAR)
            terminal.type("K05 count the jars")
            terminal.wait_for("T06 seven.")

    def esc_in_a_tool(self, work):
        with self.at_terminal(work, [[text("T02 I count."), self.tool(3, is_slow=True)], [text("T06 well.")]]) as terminal:
            terminal.type("K01 count the boxes")
            terminal.wait_for("T02 I count.")
            terminal.watch(3)
            terminal.press(ESC)
            terminal.wait_for("Interrupted")
            terminal.type("K05 go on")
            terminal.wait_for("T06 well.")

    def rewind_to_the_first_prompt(self, work):
        self.rewind(work, 2)

    def rewind_to_a_later_prompt(self, work):
        self.rewind(work, 1)

    def rewind(self, work, steps):
        """Goes back by this many prompts of two, and asks something else."""
        with self.at_terminal(work, [[text("T02 nine.")], [text("T04 heavy.")], [text("T06 seven.")]]) as terminal:
            terminal.type("K01 count the boxes")
            terminal.wait_for("T02 nine.")
            terminal.settle()
            terminal.type("K03 weigh them")
            terminal.wait_for("T04 heavy.")
            terminal.settle()
            terminal.type("/rewind")
            terminal.settle()
            for _ in range(steps):
                terminal.press(UP)
            terminal.press(ENTER)
            terminal.settle()
            # Restore the conversation: the first choice.
            terminal.press(ENTER)
            terminal.settle(1.5)
            terminal.press(CLEAR)
            terminal.type("K05 count the jars")
            terminal.wait_for("T06 seven.")

    @contextlib.contextmanager
    def at_terminal(self, work, script):
        """The client on a terminal, past its questions at the first start."""
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": ["Bash"]}
        config = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {work + "/proj": project},
                  "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}}
        with open(work + "/home/.claude.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        provider = Provider(script)
        environment = {**self.environment(work), **self.variables(provider.url)}
        terminal = Terminal([*self.program(), "--permission-mode", "default", "--allowedTools", "Bash"], work + "/proj", environment)
        try:
            terminal.settle(3)
            yield terminal
            terminal.settle()
            terminal.type("/exit")
            terminal.settle(2)
        finally:
            terminal.close()
            provider.close()
