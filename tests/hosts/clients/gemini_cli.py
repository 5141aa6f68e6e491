import glob
import json
import os

from .lines import Lines, session_id, values


class GeminiCli(Lines):
    name = "gemini-cli"
    title = "Gemini CLI"
    format = "gemini-cli"
    package = "@google/gemini-cli"
    pin = "0.61.0"
    where = "/.gemini/tmp/*/chats/*.jsonl"

    def shell(self, command):
        return "run_shell_command", {"command": command, "description": "count"}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.gemini"
        os.makedirs(home, exist_ok=True)
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                    "general": {"enableAutoUpdate": False, "sessionRetention": {"enabled": False}},
                    "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
        with open(home + "/settings.json", "w", encoding="utf-8") as file:
            json.dump(settings, file)
        line = ["node", self.module(self.package, "bundle/gemini.js"), "--model", "gemini-3-pro-preview", "--yolo"]
        if resume:
            line += ["--resume", "latest"]
        return [*line, "-p", prompt], {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url,
                                       "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def place_of(self, work, data):
        """Older clients wrote the header as the first line of a file of the same name."""
        home = work + "/home/.gemini"
        folder = home + "/tmp/proj"
        os.makedirs(folder + "/chats")
        with open(home + "/projects.json", "w", encoding="utf-8") as file:
            json.dump({"projects": {work + "/proj": "proj"}}, file)
        with open(folder + "/.project_root", "w", encoding="utf-8") as file:
            file.write(work + "/proj")
        return f"{folder}/chats/session-2026-03-04T05-06-{session_id(data)[:8]}.jsonl"

    def said(self, record):
        """It sends no thoughts back."""
        content = record.get("content")
        if isinstance(content, list):
            content = [part for part in content if not (isinstance(part, dict) and part.get("thought"))]
        calls = [(call.get("args"), call.get("result")) for call in record.get("toolCalls") or ()]
        return [content, list(map(list, calls))]

    def session(self, work):
        """The largest one: each start writes the beginning of another."""
        found = glob.glob(work + "/home" + self.where)
        return max(found, key=os.path.getsize, default=None)

    def is_result(self, record):
        return record.get("type") == "user" and "functionResponse" in json.dumps(record.get("content"))

    def is_answer(self, record):
        return record.get("type") == "gemini"

    def texts(self, session):
        """The messages that are left: `$set` replaces all of them, without the prompt of a request that was refused."""
        messages = {}
        with open(session, encoding="utf-8", errors="replace") as file:
            records = [record for line in file.read().split("\n") for _, record in values(line)]
        for record in records:
            replaced = record.get("$set", {}).get("messages")
            if replaced is not None:
                messages = {message["id"]: message for message in replaced}
            elif "id" in record:
                messages[record["id"]] = record
        return map(json.dumps, messages.values())
