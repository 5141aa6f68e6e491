"""Microsoft Agent Framework: what `FileHistoryProvider` and a session write, and what the framework does with damage.

    python agent_framework_history.py write FOLDER   `history.jsonl` and `session.json`, by the framework with a scripted client
    python agent_framework_history.py load FILE      what it loads, and what it would send with a next prompt
"""

import asyncio
import json
import shutil
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, FileHistoryProvider, Message
from agent_framework import FunctionInvocationLayer, tool
from agent_framework_openai import OpenAIChatCompletionClient

SENT = []


def call(id, **arguments):
    return Content.from_function_call(id, "count", arguments=json.dumps(arguments))


ASKS = [
    [Content.from_text_reasoning(text="Two shelves."), Content.from_text("I count."), call("call_1", of="pots"), call("call_2", of="pans")],
    [Content.from_text("Twelve pots and twelve pans.")],
    [call("call_3", of="nothing")],
    [Content.from_text("It failed.")],
]


class Scripted(FunctionInvocationLayer, BaseChatClient):
    def __init__(self, steps):
        super().__init__()
        self.steps = iter(steps)

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        SENT.append(list(messages))
        return ChatResponse(messages=[Message("assistant", next(self.steps))])


@tool
def count(of: str) -> str:
    """Counts."""
    if of == "nothing":
        raise ValueError("no such shelf")
    return f"12 {of}"


def agent(steps, *providers):
    return Agent(Scripted(steps), instructions="Count things.", tools=[count], context_providers=list(providers))


async def write(folder):
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    session = AgentSession(session_id="history")
    counts = agent(ASKS, FileHistoryProvider(folder))
    await counts.run("How many?", session=session)
    await counts.run("And the shelf?", session=session)
    session = AgentSession(session_id="session")
    counts = agent(ASKS)
    await counts.run("How many?", session=session)
    await counts.run("And the shelf?", session=session)
    (folder / "session.json").write_text(json.dumps(session.to_dict()) + "\n")


async def load(path):
    path = Path(path)
    steps = [[Content.from_text("Yes.")]]
    if path.suffix == ".jsonl":
        session = AgentSession(session_id=path.stem)
        counts = agent(steps, FileHistoryProvider(path.parent))
    else:
        session = AgentSession.from_dict(json.loads(path.read_text()))
        counts = agent(steps)
    copy = path.read_bytes()
    result = await counts.run("Go on?", session=session)
    path.write_bytes(copy)
    client = OpenAIChatCompletionClient(model="m", api_key="none")
    for message in client._prepare_messages_for_openai(SENT[-1]):
        if message["role"] == "tool":
            print("result", message["tool_call_id"], json.dumps(message["content"]))
            continue
        if message.get("content"):
            print("text", json.dumps(message["content"]))
        for call in message.get("tool_calls", []):
            print("call", call["id"])
    print("answer", result.text)


asyncio.run({"write": write, "load": load}[sys.argv[1]](sys.argv[2]))
