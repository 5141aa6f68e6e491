"""AG-UI: messages as a front end keeps them, and what two servers make of damaged ones.

    python ag_ui_messages.py write FILE   the input of a run, by ag-ui-protocol, from a session of pydantic-ai with a scripted model
    python ag_ui_messages.py load FILE    what pydantic-ai and Microsoft Agent Framework read of it
"""

import json
import sys
from pathlib import Path

from ag_ui.core import RunAgentInput
from agent_framework_ag_ui._message_adapters import normalize_agui_input_messages
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.ui.ag_ui import AGUIAdapter


def write(path):
    import pydantic_ai_messages as session

    counts = session.agent(session.ASKS)
    first = counts.run_sync("How many?")
    second = counts.run_sync("And the shelf?", message_history=first.all_messages())
    messages = AGUIAdapter.dump_messages(second.all_messages())
    given = RunAgentInput(thread_id="thread", run_id="run", state={}, messages=messages, tools=[], context=[], forwarded_props={})
    Path(path).write_text(given.model_dump_json(by_alias=True, exclude_none=True) + "\n")


def load(path):
    document = json.loads(Path(path).read_text())
    messages = document["messages"] if isinstance(document, dict) else document
    whole = {"threadId": "t", "runId": "r", "state": {}, "tools": [], "context": [], "forwardedProps": {}}
    given = RunAgentInput.model_validate(whole | {"messages": messages})
    loaded = ModelMessagesTypeAdapter.dump_python(AGUIAdapter.load_messages(given.messages), mode="json")
    for part in (part for message in loaded for part in message["parts"]):
        match part["part_kind"]:
            case "tool-call":
                print("call", part["tool_call_id"])
            case "tool-return":
                print("result", part["tool_call_id"], json.dumps(part["content"]))
            case _:
                print("text", json.dumps(part["content"]))
    normalized = normalize_agui_input_messages(messages)[0]
    results = [content for message in normalized for content in message.contents if content.type == "function_result"]
    print("answer Yes.", len(results))


if __name__ == "__main__":
    {"write": write, "load": load}[sys.argv[1]](sys.argv[2])
