"""Sends one prompt to a LangGraph agent with a SQLite checkpointer: DATABASE PROMPT URL. A run that was interrupted is finished first."""
import subprocess
import sys

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver


@tool
def shell(command: str) -> str:
    """Runs a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


database, prompt, url = sys.argv[1:4]
with SqliteSaver.from_conn_string(database) as saver:
    model = ChatAnthropic(model="claude-mock-1", base_url=url, api_key="none", max_retries=0)
    graph = create_agent(model, [shell], checkpointer=saver)
    thread = {"configurable": {"thread_id": "seeds"}}
    if graph.get_state(thread).next:
        graph.invoke(None, thread)
    graph.invoke({"messages": [("user", prompt)]}, thread)
