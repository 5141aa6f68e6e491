"""Sends one prompt to a LangGraph agent with a SQLite checkpointer: DATABASE PROMPT URL PROVIDER. A run that was interrupted is
finished first. Or makes a thread of messages in a file: DATABASE --load FILE. Or prints the messages of the thread: DATABASE --messages."""
import json
import subprocess
import sys

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_core.load import load
from langchain_core.messages import convert_to_messages, messages_from_dict, messages_to_dict
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

THREAD = {"configurable": {"thread_id": "seeds"}}


@tool
def shell(command: str) -> str:
    """Runs a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


def model_of(provider, url):
    if provider == "bedrock":
        return ChatBedrockConverse(model="anthropic.claude-mock-1", endpoint_url=url, region_name="us-east-1")
    if provider == "openai-chat":
        return ChatOpenAI(model="m1", base_url=url + "/v1", api_key="none", max_retries=0, use_responses_api=False)
    return ChatAnthropic(model="claude-mock-1", base_url=url, api_key="none", max_retries=0)


def agent(saver, provider="anthropic", url="http://127.0.0.1:1"):
    return create_agent(model_of(provider, url), [shell], checkpointer=saver)


def send(saver, prompt, url, provider):
    graph = agent(saver, provider, url)
    if graph.get_state(THREAD).next:
        graph.invoke(None, THREAD)
    graph.invoke({"messages": [("user", prompt)]}, THREAD)


def make(saver, path):
    """A thread as it is after its last message: calls without a result are next, or the model."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    dumped = json.loads(text) if path.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    if isinstance(dumped, dict):
        dumped = dumped.get("values", dumped)["messages"]
    messages = list(map(message, dumped))
    writer = {"ai": "model", "tool": "tools"}.get(messages[-1].type, "__start__")
    agent(saver).update_state(THREAD, {"messages": messages}, as_node=writer)


def message(dumped):
    """A message of any of the forms that it is dumped in."""
    if "lc" in dumped:
        return load(dumped, allowed_objects="messages")
    if "data" in dumped:
        return messages_from_dict([dumped])[0]
    if "type" in dumped:
        return messages_from_dict([{"type": dumped["type"], "data": dumped}])[0]
    return convert_to_messages([dumped])[0]


def main(database, order, *more):
    with SqliteSaver.from_conn_string(database) as saver:
        if order == "--load":
            make(saver, more[0])
        elif order == "--messages":
            json.dump(messages_to_dict(agent(saver).get_state(THREAD).values["messages"]), sys.stdout)
        else:
            send(saver, order, *more)


if __name__ == "__main__":
    main(*sys.argv[1:])
