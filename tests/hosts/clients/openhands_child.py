"""Sends one prompt with the OpenHands SDK: WORKSPACE STORE PROMPT URL."""
import logging
import sys
import uuid
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from openhands.sdk import LLM, Agent, Conversation, Tool  # noqa: E402
from openhands.tools.terminal import TerminalTool  # noqa: E402
from pydantic import SecretStr  # noqa: E402

workspace, store, prompt, url = sys.argv[1:5]
llm = LLM(model="anthropic/claude-sonnet-4-5", base_url=url, api_key=SecretStr("none"), usage_id="seeds", num_retries=0,
          reasoning_effort=None, extended_thinking_budget=None)
agent = Agent(llm=llm, tools=[Tool(name=TerminalTool.name)], system_prompt="You look after a seed store.")
conversation = Conversation(agent=agent, workspace=workspace, persistence_dir=store, visualizer=None,
                            conversation_id=uuid.UUID("5eed0000-0000-4000-8000-000000000001"))
conversation.send_message(prompt)
conversation.run()
