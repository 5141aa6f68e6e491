from .lines import Lines, dashed, session_id


class QwenCode(Lines):
    name = "qwen-code"
    title = "Qwen Code"
    format = "qwen-code"
    package = "@qwen-code/qwen-code"
    pin = "0.24.4"
    where = "/.qwen/projects/*/chats/*.jsonl"
    link = ("uuid", "parentUuid")
    node = 22

    def shell(self, command):
        # On a busy machine it loses the output of a command that ends at once.
        return "run_shell_command", {"command": command + "; sleep 0.3", "description": "count", "is_background": False}

    def command(self, work, url, prompt, resume):
        line = ["node", self.module(self.package, "cli.js"), "--auth-type", "openai", "--yolo"]
        if resume:
            line.append("--continue")
        return [*line, "-p", prompt], {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url + "/v1", "OPENAI_MODEL": "m1"}

    def place_of(self, work, data):
        return f"{work}/home/.qwen/projects/{dashed(work + '/proj')}/chats/{session_id(data)}.jsonl"

    def said(self, record):
        return (record.get("message") or {}).get("parts")

    def is_said(self, record):
        return record.get("type") in ("user", "assistant", "tool_result")

    def is_result(self, record):
        return record.get("type") == "tool_result"

    def is_answer(self, record):
        return record.get("type") == "assistant"
