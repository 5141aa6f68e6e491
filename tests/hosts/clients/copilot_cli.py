from .lines import Lines


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

    def is_said(self, record):
        return record.get("type") in ("user.message", "assistant.message", "tool.execution_complete")

    def is_result(self, record):
        return record.get("type") == "tool.execution_complete"

    def is_prompt(self, record):
        return record.get("type") == "user.message"

    def is_answer(self, record):
        return record.get("type") == "assistant.message"
