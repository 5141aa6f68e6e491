from .base import FromPyPI
from .databases import Database


class LangGraph(Database, FromPyPI):
    name = "langgraph"
    title = "LangGraph"
    format = "langgraph-checkpoints"
    package = "langgraph"
    pin = "1.2.24"
    more = ("langgraph-checkpoint-sqlite", "langchain", "langchain-anthropic")
    child = "langgraph_child.py"
    where = "/graph.sqlite"
    delays = (1.0,)
    # Checkpoints are binary: nobody edits them by hand.
    damages = ()

    def shell(self, command):
        return "shell", {"command": command}

    def command(self, work, url, prompt, resume):
        return self.run_child(work + "/home/graph.sqlite", prompt, url), {"LANGSMITH_TRACING": "false"}
