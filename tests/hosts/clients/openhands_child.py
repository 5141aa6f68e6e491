"""Sends one prompt with the OpenHands SDK: WORKSPACE STORE PROMPT URL."""
import glob
import json
import logging
import os
import sys
import uuid
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from openhands.sdk import LLM, Agent, Conversation, Tool  # noqa: E402
from openhands.tools.file_editor import FileEditorTool  # noqa: E402, F401
from openhands.tools.terminal import TerminalTool  # noqa: E402
from pydantic import SecretStr  # noqa: E402


def tools_of(states):
    """The names of the tools that a conversation has."""
    try:
        with open(states[0], encoding="utf-8") as file:
            return [tool["name"] for tool in json.load(file)["agent"]["tools"]]
    except (IndexError, KeyError, ValueError):
        return []


def main(workspace, store, prompt, url):
    # A conversation keeps its ID and its tools.
    states = glob.glob(store + "/*/base_state.json")
    folders = glob.glob(store + "/*")
    own = os.path.basename(folders[0]) if folders else "5eed0000000040008000000000000001"
    tools = [Tool(name=name) for name in tools_of(states) or [TerminalTool.name]]
    llm = LLM(model="anthropic/claude-sonnet-4-5", base_url=url, api_key=SecretStr("none"), usage_id="seeds", num_retries=0,
              reasoning_effort=None, extended_thinking_budget=None)
    agent = Agent(llm=llm, tools=tools, system_prompt="You look after a seed store.")
    conversation = Conversation(agent=agent, workspace=workspace, persistence_dir=store, visualizer=None,
                                conversation_id=uuid.UUID(own))
    conversation.send_message(prompt)
    conversation.run()


if __name__ == "__main__":
    main(*sys.argv[1:5])
