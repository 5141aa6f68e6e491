"""What hosts load and send after a script has repaired a session in their database (`repair -o fix.sql`).

    python scripts.py HOST DOCTOR    with the Python that has the host; HOST is a function below

Each makes a database, or copies one of the fixtures, damages it, runs the script, and lets the host read the session and continue it.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures"
DOCTOR = os.path.abspath(sys.argv[2])


def copied(name, path):
    for ending in ["", "-wal", "-shm"]:
        Path(path + ending).unlink(missing_ok=True)
        if (FIXTURES / "databases" / (name + ending)).exists():
            shutil.copy(FIXTURES / "databases" / (name + ending), path + ending)


def repaired(path, session):
    """Makes the script and runs it, as the plain shell of SQLite does."""
    subprocess.run([DOCTOR, "repair", f"{path}#{session}", "-o", "fix.sql", "--force"], check=True, capture_output=True)
    with open("fix.sql") as script:
        ran = subprocess.run(["sqlite3", path], stdin=script, capture_output=True, text=True)
    assert ran.stdout.strip() == "applied" and not ran.stderr, ran
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def langgraph():
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.checkpoint.sqlite import SqliteSaver

    sent, ran = [], []

    class Model(GenericFakeChatModel):
        def bind_tools(self, *args, **kwargs):
            return self

        def _generate(self, messages, *args, **kwargs):
            sent.append([message.type for message in messages])
            return super()._generate(messages, *args, **kwargs)

    @tool
    def good(q: str) -> str:
        """Answers."""
        ran.append(q)
        return q

    for name, thread, messages in [
        ("langgraph-result-dropped.sqlite", "t1", ["human", "ai", "tool", "tool", "human", "ai"]),
        ("langgraph-late-result.sqlite", "t1", None),
        ("langgraph-two-threads.sqlite", "bad-thread", ["human", "ai", "tool", "human"]),
    ]:
        for prompt in [{"messages": [("user", "and now?")]}, None]:
            copied(name, "own.sqlite")
            repaired("own.sqlite", thread)
            sent.clear()
            with SqliteSaver.from_conn_string("own.sqlite") as saver:
                model = Model(messages=iter([AIMessage("fine"), AIMessage("fine")]))
                graph = create_agent(model, [good], checkpointer=saver)
                config = {"configurable": {"thread_id": thread}}
                state = [message.type for message in graph.get_state(config).values["messages"]]
                assert messages in (None, state), state
                graph.invoke(prompt, config)
            assert not ran, "no tool runs again"
            assert all(own[: len(state)] == state for own in sent), sent
            print(name, "new message" if prompt else "resume", sent)


def openai_agents():
    from agents import SQLiteSession

    async def items(session):
        own = SQLiteSession(session, "own.db")
        await own.add_items([{"role": "user", "content": "more"}])
        return await own.get_items()

    for name, session, damage in [
        ("openai-agents-sqlite.db", "hive/1", ""),
        ("openai-agents-in-memory.db", "two-outputs", ""),
        (
            "openai-agents-sqlite.db",
            "hive:2",
            "DELETE FROM agent_messages WHERE id = 6; INSERT INTO agent_messages (session_id, message_data)"
            " VALUES ('hive:2', '{\"role\": \"user\", \"content\": \"and?\"}')",
        ),
    ]:
        copied(name, "own.db")
        with sqlite3.connect("own.db") as database:
            database.executescript(damage)
        database.close()
        repaired("own.db", session)
        own = asyncio.run(items(session))
        calls = [item["call_id"] for item in own if item.get("type") == "function_call"]
        outputs = [item["call_id"] for item in own if item.get("type") == "function_call_output"]
        assert calls == outputs and own[-1]["content"] == "more", own
        print(name, session, [item.get("type", "message") for item in own])


def hermes():
    from hermes_state import SessionDB

    database = SessionDB(Path("state.db"))
    database.create_session("s1", "cli", model="m")
    call = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    database.append_message("s1", "user", "count the hives")
    database.append_message("s1", "assistant", "", tool_calls=[call], finish_reason="tool_calls")
    database.append_message("s1", "user", "it's\n\x1b[2J?")
    database.append_message("s1", "assistant", "Yes.")
    database.close()
    repaired("state.db", "s1")
    with sqlite3.connect("state.db") as own:
        found = own.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'interrupted'").fetchone()
        own.execute("INSERT INTO messages_fts(messages_fts) VALUES('integrity-check')")
    own.close()
    database = SessionDB(Path("state.db"))
    database.append_message("s1", "user", "go on")
    messages = database.get_messages_as_conversation("s1")
    database.close()
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "tool", "user", "assistant", "user"] and found == (1,), (roles, found)
    assert messages[3]["content"] == "it's\n\x1b[2J?"
    print("hermes", roles)


def google_adk():
    sys.path.insert(0, str(HERE.parent / "frameworks"))
    source = (HERE.parent / "frameworks/google_adk_session.py").read_text().rsplit("asyncio.run", 1)[0]
    own = {"__name__": "session"}
    exec(source, own)
    from google.adk.sessions import DatabaseSessionService

    def kinds(parts):
        return ["call" if part.function_call else "result" if part.function_response else "text" for part in parts]

    async def run(path, make):
        service = make()
        runner = own["Runner"](agent=own["agent"](own["ASKS"]), app_name="pots", session_service=service)
        session = await service.create_session(app_name="pots", user_id="user", session_id="s1")
        await own["ask"](runner, session, "How many?")
        await own["ask"](runner, session, "And nothing?")
        with sqlite3.connect(path) as database:
            database.execute("DELETE FROM events WHERE id = (SELECT id FROM events ORDER BY timestamp LIMIT 1 OFFSET 2)")
        database.close()
        repaired(path, "pots/user/s1")
        service = make()
        session = await service.get_session(app_name="pots", user_id="user", session_id="s1")
        events = [kinds(event.content.parts) for event in session.events]
        assert events[1:3] == [["text", "text", "call", "call"], ["result", "result"]], events
        own["SENT"].clear()
        runner = own["Runner"](agent=own["agent"]([[own["text"]("Go on.")]]), app_name="pots", session_service=service)
        await own["ask"](runner, session, "More?")
        sent = [kinds(content.parts) for content in own["SENT"][-1]]
        assert sent[: len(events)] == events, sent
        print(path, sent)

    asyncio.run(run("own.db", lambda: own["SqliteSessionService"]("own.db")))
    asyncio.run(run("other.db", lambda: DatabaseSessionService("sqlite+aiosqlite:///other.db")))


def opencode():
    """The program is in the environment variable `OPENCODE`."""
    home = os.getcwd() + "/"
    names = {"DATA_HOME": "data", "CONFIG_HOME": "config", "STATE_HOME": "state", "CACHE_HOME": "cache"}
    more = {"XDG_" + name: home + folder for name, folder in names.items()}
    environment = {**os.environ, **more, "HOME": home, "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def run(*words):
        done = subprocess.run([os.environ["OPENCODE"], *words], env=environment, capture_output=True, text=True, check=True, timeout=200)
        return done.stdout

    run("import", str(FIXTURES / "healthy/opencode/export.json"))
    path = home + "data/opencode/opencode.db"
    with sqlite3.connect(path) as database:
        (session,) = database.execute("SELECT id FROM session").fetchone()
        tool = "SELECT id, data FROM part WHERE json_extract(data, '$.type') = 'tool' LIMIT 1"
        part, data = database.execute(tool).fetchone()
        data = json.loads(data)
        data["state"] = {"status": "running", "input": data["state"]["input"], "time": {"start": data["state"]["time"]["start"]}}
        database.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(data), part))
    database.close()
    repaired(path, session)
    exported = json.loads(run("export", session))
    parts = [own for message in exported["messages"] for own in message["parts"] if own["type"] == "tool"]
    assert all(own["state"]["status"] == "error" for own in parts) and len(parts) == 2, parts
    print("opencode", [own["state"]["error"][:30] for own in parts])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    globals()[sys.argv[1].replace("-", "_")]()
