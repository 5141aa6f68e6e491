import json
import sqlite3
import subprocess

from .base import FromPyPI
from .databases import Database


class OpenAIAgents(Database, FromPyPI):
    name = "openai-agents"
    title = "OpenAI Agents SDK"
    format = "openai-agents-sqlite"
    # Its rows hold the items of a request.
    fixtures = "openai-responses"
    package = "openai-agents"
    pin = "0.24.0"
    child = "openai_agents_child.py"
    where = "/agents.db"
    has_ids = False
    explained = {"empty-content/*": "no public report has OpenAI's answer to a message without content; the scripted provider takes it"}
    delays = (1.0,)
    damages = ("lost-result", "lost-of-batch", "duplicate", "late", "torn")

    def shell(self, command):
        return "shell", {"command": command}

    def command(self, work, url, prompt, resume):
        return self.run_child(work + "/home/agents.db", prompt, url), {"OPENAI_AGENTS_DISABLE_TRACING": "1"}

    def put_back(self, work, session, repaired):
        """A repair writes the list of items. The documented way back is `clear_session` and `add_items`."""
        with open(repaired, "rb") as file:
            is_database = file.read(6) == b"SQLite"
        if is_database:
            return super().put_back(work, session, repaired)
        line = self.run_child(session, "--load", repaired)
        return subprocess.run(line, check=True, capture_output=True, env=self.environment(work), timeout=60)

    def place(self, work, path):
        """Adds the items as an application does. They are kept as they are, whatever they are."""
        with open(path, encoding="utf-8") as file:
            items = json.load(file)
        if isinstance(items, dict):
            items = items.get("body", items)["input"]
        with open(work + "/items.json", "w", encoding="utf-8") as file:
            json.dump(items, file)
        is_done, _ = self.ask(work, work + "/home/agents.db", "--load", work + "/items.json")
        return is_done

    def records(self, session):
        with sqlite3.connect(session) as database:
            for (item,) in database.execute("select message_data from agent_messages order by id"):
                yield json.loads(item)

    def said(self, record):
        """With the names of calls, some of which have no other text."""
        return [record.get(member) for member in ("name", "arguments", "input", "output", "content", "summary")]

    def damage(self, session, kind):
        with sqlite3.connect(session) as database:
            rows = [row for (row,) in database.execute("select message_data from agent_messages order by id")]
            (own,) = database.execute("select session_id from agent_messages").fetchone()
            if kind == "lost-result":
                del rows[output(rows, 5)]
            elif kind == "lost-of-batch":
                del rows[output(rows, 4)]
            elif kind == "duplicate":
                rows.insert(output(rows, 5), rows[output(rows, 5)])
            elif kind == "late":
                late = rows.pop(output(rows, 5))
                prompt = next(at for at, row in enumerate(rows) if "K07" in row)
                rows.insert(prompt + 1, late)
            elif kind == "torn":
                rows[-1] = rows[-1][:rows[-1].index("T09")]
            database.execute("delete from agent_messages")
            insert = "insert into agent_messages (session_id, message_data) values (?, ?)"
            database.executemany(insert, [(own, row) for row in rows])
        return True


def output(rows, number):
    marker = f"R{number:02d}"
    items = enumerate(map(json.loads, rows))
    return next(at for at, item in items if item.get("type") == "function_call_output" and marker in rows[at])
