"""AutoGen: the state of an agent and of a team, and what the library does with a damaged one.

    python autogen_state.py write FOLDER   `agent.json`, `team.json`, and `messages.json`, with a replayed model
    python autogen_state.py load FILE      what it loads, and what it would send with a next prompt (of an agent's state)
"""

import asyncio
import json
import sys
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.openai._openai_client import to_oai_type
from autogen_ext.models.replay import ReplayChatCompletionClient

SENT = []


async def count(of: str) -> str:
    """Counts."""
    if of == "nothing":
        raise ValueError("no such shelf")
    return f"12 {of}"


def says(content, thought=None):
    reason = "stop" if isinstance(content, str) else "function_calls"
    return CreateResult(finish_reason=reason, content=content, usage=RequestUsage(1, 1), cached=False, thought=thought)


def call(id, of):
    return FunctionCall(id=id, name="count", arguments=json.dumps({"of": of}))


ASKS = [
    says([call("call_1", "pots"), call("call_2", "pans")], "Two shelves."),
    says("Twelve pots and twelve pans."),
    says([call("call_3", "nothing")]),
    says("It failed."),
]


class Replayed(ReplayChatCompletionClient):
    async def create(self, messages, **rest):
        SENT.append(list(messages))
        return await super().create(messages, **rest)


def agent(steps):
    info = ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)
    client = Replayed(steps, model_info=info)
    return AssistantAgent("counter", client, tools=[count], reflect_on_tool_use=True, system_message="Count things.")


async def write(folder):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    counts = agent(list(ASKS))
    await counts.run(task="How many?")
    await counts.run(task="And the shelf?")
    state = await counts.save_state()
    (folder / "agent.json").write_text(json.dumps(state) + "\n")
    (folder / "messages.json").write_text(json.dumps(state["llm_context"]["messages"]) + "\n")
    team = RoundRobinGroupChat([agent(list(ASKS))], termination_condition=MaxMessageTermination(2))
    await team.run(task="How many?")
    (folder / "team.json").write_text(json.dumps(await team.save_state()) + "\n")


async def load(path):
    state = json.loads(Path(path).read_text())
    if isinstance(state, list):
        state = {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": state}}
    counts = agent([says("Yes.")])
    await counts.load_state(state)
    result = await counts.run(task="Go on?")
    for message in SENT[-1]:
        for sent in to_oai_type(message, prepend_name=False, model="m", model_family="unknown"):
            if sent["role"] == "tool":
                print("result", sent["tool_call_id"], json.dumps(sent["content"]))
                continue
            if sent.get("content"):
                print("text", json.dumps(sent["content"]))
            for call in sent.get("tool_calls", []):
                print("call", call["id"])
    print("answer", result.messages[-1].content)


asyncio.run({"write": write, "load": load}[sys.argv[1]](sys.argv[2]))
