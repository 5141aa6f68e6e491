"""Google ADK: a session as `adk run --save_session` and `adk web` write it, and what the kit does with a damaged one.

    python google_adk_session.py write FOLDER   `x.session.json`, `events.db` (SqliteSessionService), with a scripted model
    python google_adk_session.py load FILE      what it loads, and what it would send with a next prompt
"""

import asyncio
import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

SENT = []


def text(said, thought=None):
    return types.Part(text=said, thought=thought)


def call(of):
    return types.Part(function_call=types.FunctionCall(name="count", args={"of": of}))


ASKS = [
    [text("Two shelves.", True), text("I count."), call("pots"), call("pans")],
    [text("Twelve pots and twelve pans.")],
    [call("nothing")],
    [text("None.")],
]


class Scripted(BaseLlm):
    steps: list = []

    async def generate_content_async(self, llm_request, stream=False):
        SENT.append(llm_request.contents)
        yield LlmResponse(content=types.Content(role="model", parts=self.steps.pop(0)))


def count(of: str) -> dict:
    """Counts."""
    return {"error": "no such shelf"} if of == "nothing" else {"count": f"12 {of}"}


def agent(steps):
    return LlmAgent(name="counter", model=Scripted(model="scripted", steps=list(steps)), instruction="Count things.", tools=[count])


async def ask(runner, session, prompt):
    message = types.Content(role="user", parts=[types.Part(text=prompt)])
    answer = ""
    async for event in runner.run_async(user_id=session.user_id, session_id=session.id, new_message=message):
        answer = event.content.parts[0].text if event.content and event.content.parts else answer
    return answer


async def write(folder):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    database = folder / "events.db"
    database.unlink(missing_ok=True)
    service = SqliteSessionService(str(database))
    runner = Runner(agent=agent(ASKS), app_name="pots", session_service=service)
    session = await service.create_session(app_name="pots", user_id="user", session_id="s1")
    await ask(runner, session, "How many?")
    await ask(runner, session, "And nothing?")
    session = await service.get_session(app_name="pots", user_id="user", session_id="s1")
    # As `google/adk/cli/cli.py` saves it.
    saved = session.model_dump_json(indent=2, exclude_none=True, by_alias=True)
    (folder / "x.session.json").write_text(saved, encoding="utf-8")


async def load(path):
    saved = Session.model_validate_json(Path(path).read_text(encoding="utf-8"))
    service = InMemorySessionService()
    session = await service.create_session(app_name=saved.app_name, user_id=saved.user_id, session_id=saved.id)
    for event in saved.events:
        await service.append_event(session, event)
    # Its IDs are left out for models of Gemini, but not for those that pair by them.
    runner = Runner(agent=agent([[text("Yes.")]]), app_name=saved.app_name, session_service=service)
    answer = await ask(runner, session, "Go on?")
    names = 0
    for part in (part for content in SENT[-1] for part in content.parts):
        if part.function_call:
            names += 1
            print("call", names)
        elif part.function_response:
            print("result", json.dumps(part.function_response.response))
        else:
            print("text", json.dumps(part.text))
    print("answer", answer)


asyncio.run({"write": write, "load": load}[sys.argv[1]](sys.argv[2]))
