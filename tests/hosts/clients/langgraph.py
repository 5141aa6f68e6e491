import json
import os

from .base import FromPyPI
from .databases import Database


class LangGraph(Database, FromPyPI):
    name = "langgraph"
    title = "LangGraph"
    format = "langgraph-checkpoints"
    # Its messages, dumped.
    fixtures = "langchain"
    package = "langgraph"
    pin = "1.2.24"
    more = ("langgraph-checkpoint-sqlite", "langchain", "langchain-anthropic", "langchain-aws", "langchain-openai")
    child = "langgraph_child.py"
    where = "/graph.sqlite"
    delays = (1.0,)
    target = "anthropic"
    targets = ("bedrock", "openai-chat")
    # Checkpoints are binary: nobody edits them by hand.
    damages = ()

    def shell(self, command):
        return "shell", {"command": command}

    def command(self, work, url, prompt, resume):
        keys = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_EC2_METADATA_DISABLED": "true"}
        return self.run_child(work + "/home/graph.sqlite", prompt, url, self.sends_to), {"LANGSMITH_TRACING": "false", **keys}

    def place(self, work, path):
        """Makes a thread of messages that were dumped. Those that are no messages cannot be in one."""
        is_done, _ = self.ask(work, work + "/home/graph.sqlite", "--load", path)
        return is_done

    def records(self, session):
        _, dumped = self.ask(os.path.dirname(session), session, "--messages")
        for message in json.loads(dumped):
            yield message["data"]

    def said(self, record):
        return [record.get("content"), [call.get("args") for call in record.get("tool_calls") or ()]]
