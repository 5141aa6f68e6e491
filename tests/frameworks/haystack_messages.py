"""Haystack: the messages of an agent as `ChatMessage.to_dict` writes them, and what the library does with damaged ones.

    python haystack_messages.py write FILE   the messages of two runs, with a scripted model
    python haystack_messages.py load FILE    what the agent would send of them with a next prompt
"""

import json
import os
import sys
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool

SENT = []


@component
class Scripted:
    """A model that answers what it was told to, and keeps what it was sent, as OpenAI would get it."""

    def __init__(self, answers):
        self.answers = list(answers)

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools=None, **_):
        SENT.append([message.to_openai_dict_format() for message in messages])
        return {"replies": [self.answers.pop(0)]}


def count(of: str) -> str:
    return f"twelve {of}"


def agent(answers):
    parameters = {"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]}
    tool = Tool(name="count", description="Counts.", parameters=parameters, function=count)
    return Agent(chat_generator=Scripted(answers), tools=[tool], system_prompt="You count.")


def asks(*calls):
    calls = [ToolCall(tool_name="count", arguments={"of": of}, id=id) for id, of in calls]
    return ChatMessage.from_assistant("I count.", tool_calls=calls)


def says(text):
    return ChatMessage.from_assistant(text)


def write(path):
    counts = agent([asks(("call_1", "pots"), ("call_2", "pans")), says("Twelve each."), asks(("call_3", "lids")), says("Twelve.")])
    first = counts.run(messages=[ChatMessage.from_user("How many?")])
    second = counts.run(messages=first["messages"] + [ChatMessage.from_user("And the shelf?")])
    Path(path).write_text(json.dumps([message.to_dict() for message in second["messages"]]))


def load(path):
    messages = [ChatMessage.from_dict(message) for message in json.loads(Path(path).read_text())]
    result = agent([says("Yes.")]).run(messages=messages + [ChatMessage.from_user("Go on?")])
    for message in SENT[-1]:
        if message["role"] == "tool":
            print("result", message["tool_call_id"], json.dumps(message["content"]))
            continue
        print("text", json.dumps(message.get("content")))
        for call in message.get("tool_calls", []):
            print("call", call["id"])
    print("answer", result["messages"][-1].text)


if __name__ == "__main__":
    {"write": write, "load": load}[sys.argv[1]](sys.argv[2])
