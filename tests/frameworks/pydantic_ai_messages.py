"""pydantic-ai: a session with tool calls as `ModelMessagesTypeAdapter` writes it, and what the library does with damage.

    python pydantic_ai_messages.py write FILE    a healthy session, by the library with a scripted model
    python pydantic_ai_messages.py load FILE     what it loads, and what it would send with a next prompt
"""

import json
import sys
from pathlib import Path

from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

SENT = []
ASKS = [
    [ThinkingPart("Two shelves."), TextPart("I count."), ToolCallPart("count", {"of": "pots"}, "call_1"),
     ToolCallPart("count", '{"of":"pans"}', "call_2")],
    [TextPart("Twelve pots and twelve pans.")],
    [ToolCallPart("fail", {}, "call_3")],
    [TextPart("It failed.")],
]


def model(steps):
    steps = iter(steps)

    def answer(messages, info):
        SENT.append(json.loads(ModelMessagesTypeAdapter.dump_json(messages)))
        return ModelResponse(parts=next(steps))

    return FunctionModel(answer, model_name="scripted")


def agent(steps):
    from pydantic_ai import ModelRetry

    made = Agent(model(steps), system_prompt="Count things.")

    @made.tool_plain
    def count(of: str) -> str:
        return f"12 {of}"

    @made.tool_plain(retries=2)
    def fail() -> str:
        raise ModelRetry("no such shelf")

    return made


def write(path):
    counts = agent(ASKS)
    first = counts.run_sync("How many?")
    second = counts.run_sync("And the shelf?", message_history=first.all_messages())
    Path(path).write_bytes(second.all_messages_json() + b"\n")


def load(path):
    history = ModelMessagesTypeAdapter.validate_json(Path(path).read_bytes())
    result = agent([[TextPart("Yes.")]]).run_sync("Go on?", message_history=history)
    for part in (part for message in SENT[-1] for part in message["parts"]):
        match part["part_kind"]:
            case "tool-call":
                print("call", part["tool_call_id"])
            case "tool-return":
                print("result", part["tool_call_id"], json.dumps(part["content"]))
            case _:
                print("text", json.dumps(part["content"]))
    print("answer", result.output)


if __name__ == "__main__":
    {"write": write, "load": load}[sys.argv[1]](sys.argv[2])
