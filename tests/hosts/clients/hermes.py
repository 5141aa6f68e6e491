import json
import os
import sqlite3
import subprocess

from .base import FromPyPI
from .databases import Database

CONFIG = """model:
  default: m1
  provider: custom
  base_url: %s/v1
  api_key: none
security:
  allow_lazy_installs: false
  tirith_enabled: false
"""


class Hermes(Database, FromPyPI):
    name = "hermes"
    title = "Hermes Agent"
    format = "hermes"
    package = "hermes-agent"
    pin = "0.19.0"
    child = "hermes_child.py"
    has_ids = False
    where = "/.hermes/state.db"
    delays = (1.0,)
    explained = dict.fromkeys(("healthy/hermes/gateway", "healthy/hermes/snapshot"), "one of its answers is an item of the Responses API, "
                              "and this Hermes sends to Chat Completions")
    damages = ("lost-result", "lost-of-batch", "duplicate", "late", "torn")

    def shell(self, command):
        return "terminal", {"command": command}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.hermes"
        os.makedirs(home, exist_ok=True)
        with open(home + "/config.yaml", "w", encoding="utf-8") as file:
            file.write(CONFIG % url)
        line = [os.path.join(self.folder, "bin/hermes"), "chat", "-Q", "--yolo", "--ignore-rules", "-t", "terminal"]
        if resume:
            line.append("--continue")
        return [*line, "-q", prompt], {"HERMES_HOME": home, "HERMES_DISABLE_UPDATE_CHECK": "1"}

    def place(self, work, path):
        """Imports what the gateway and older versions wrote as files."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            messages = json.loads(text)["messages"] if path.endswith(".json") else [json.loads(line) for line in text.splitlines()]
        except (ValueError, KeyError):
            return False
        messages = [message for message in messages if message["role"] != "session_meta"]
        session = {"id": "20260402_080000_5eed00", "source": "cli", "model": "m1", "started_at": 1775116800.0, "messages": messages}
        self.command(work, "http://127.0.0.1:1", "", False)
        with open(work + "/import.json", "w", encoding="utf-8") as file:
            json.dump(session, file)
        return self.put_back(work, work + "/home/.hermes/state.db", work + "/import.json").returncode == 0

    def records(self, session):
        with sqlite3.connect(session) as database:
            for content, calls in database.execute("select content, tool_calls from messages where active = 1 order by id"):
                yield {"content": content, "tool_calls": calls}

    def texts(self, session):
        with sqlite3.connect(session) as database:
            for row in database.execute("select content, tool_calls from messages where active = 1"):
                yield from (text for text in row if text)

    def put_back(self, work, session, repaired):
        """A repair writes the session as the host exports it. The documented way back is to delete and to import it."""
        line = self.run_child(repaired)
        return subprocess.run(line, check=True, capture_output=True, timeout=60,
                              env={**self.environment(work), "HERMES_HOME": os.path.dirname(session)})

    def damage(self, session, kind):
        with sqlite3.connect(session) as database:
            database.row_factory = sqlite3.Row
            rows = [dict(row) for row in database.execute("select * from messages order by id")]
            if kind == "lost-result":
                del rows[result(rows, 5)]
            elif kind == "lost-of-batch":
                del rows[result(rows, 4)]
            elif kind == "duplicate":
                rows.insert(result(rows, 5), dict(rows[result(rows, 5)]))
            elif kind == "late":
                late = rows.pop(result(rows, 5))
                prompt = next(at for at, row in enumerate(rows) if "K07" in (row["content"] or ""))
                rows.insert(prompt + 1, late)
            elif kind == "torn":
                at = next(at for at, row in enumerate(rows) if "C08" in (row["tool_calls"] or ""))
                rows[at]["tool_calls"] = rows[at]["tool_calls"][:rows[at]["tool_calls"].index("C08")]
            database.execute("delete from messages")
            for number, row in enumerate(rows, 1):
                row["id"] = number
                names = ", ".join(row)
                database.execute(f"insert into messages ({names}) values ({', '.join('?' * len(row))})", list(row.values()))
        return True


def result(rows, number):
    marker = f"R{number:02d}"
    return next(at for at, row in enumerate(rows) if row["role"] == "tool" and marker in json.dumps(row["content"]))
