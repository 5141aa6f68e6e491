import json
import os
import sqlite3

from .base import here, run
from .lines import Lines

# What OpenClaw derives from the events.
DERIVED = ("transcript_event_identities", "session_transcript_active_events")


class OpenClaw(Lines):
    """OpenClaw keeps the lines of a session as rows of a database. They are checked, and damaged, as the file that they were."""

    name = "openclaw"
    title = "OpenClaw"
    format = "pi"
    package = "openclaw"
    pin = "2026.9.6"
    link = ("id", "parentId")
    node = 24
    patience = 300
    delays = (1.0,)
    explained = {"late": "this version moves the result to its call; others put a placeholder there"}
    # A row is written whole or not at all, so none is torn.
    damages = ("lost-result", "lost-of-batch", "duplicate", "late", "lost-parent")

    def shell(self, command):
        return "exec", {"command": command}

    def command(self, work, url, prompt, resume):
        home = work + "/home/.openclaw"
        os.makedirs(home, exist_ok=True)
        model = {"id": "claude-mock-1", "name": "mock", "contextWindow": 200000, "maxTokens": 8000}
        provider = {"baseUrl": url, "apiKey": "sk-x", "api": "anthropic-messages", "models": [model]}
        defaults = {"model": {"primary": "mock/claude-mock-1"}, "workspace": work + "/proj", "skipBootstrap": True}
        config = {"models": {"providers": {"mock": provider}}, "agents": {"defaults": defaults},
                  "tools": {"exec": {"host": "gateway", "security": "full", "ask": "off"}}}
        with open(home + "/openclaw.json", "w", encoding="utf-8") as file:
            json.dump(config, file)
        return ["node", self.module(self.package, "openclaw.mjs"), "agent", "--local", "--session-id", "seeds", "-m", prompt], {}

    def session(self, work):
        """The lines of the session, in the folder that older versions kept them in."""
        if not os.path.exists(database(work)):
            return None
        with sqlite3.connect(database(work)) as rows:
            events = [event for (event,) in rows.execute("select event_json from transcript_events order by seq")]
        if not events:
            return None
        path = work + "/home/.openclaw/agents/main/sessions/seeds.jsonl"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(event + "\n" for event in events))
        return path

    def damage(self, session, kind):
        return super().damage(session, kind) and self.load(session, session)

    def put_back(self, work, session, repaired):
        self.load(session, repaired)

    def load(self, session, lines):
        """Replaces the rows by these lines."""
        with open(lines, encoding="utf-8") as file:
            events = [line for line in file.read().split("\n") if line]
        store = database(session.split("/home/.openclaw/")[0])
        with sqlite3.connect(store) as rows:
            # Its tables check lengths with a function that SQLite has from 3.43 on.
            rows.create_function("octet_length", 1, lambda text: len(text.encode()), deterministic=True)
            created = dict(rows.execute("select seq, created_at from transcript_events"))
            for table in ("transcript_events", *DERIVED):
                rows.execute(f"delete from {table}")
            for seq, event in enumerate(events):
                rows.execute("insert into transcript_events (session_id, seq, event_json, created_at, event_utf8_bytes) "
                             "values ('seeds', ?, ?, ?, ?)", (seq, event, created.get(seq, created[0]), len(event.encode())))
            rows.execute("update session_transcript_index_state set needs_rebuild = 1")
        rows.close()
        line = [os.path.join(self.node_folder(), "node"), here("openclaw_child.mjs"), self.folder, store, "seeds"]
        run(*line)
        return True

    def is_result(self, record):
        return (record.get("message") or {}).get("role") == "toolResult"

    def is_answer(self, record):
        return (record.get("message") or {}).get("role") == "assistant"


def database(work):
    return work + "/home/.openclaw/agents/main/agent/openclaw-agent.sqlite"
