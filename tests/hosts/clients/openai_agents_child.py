"""Sends one prompt with the OpenAI Agents SDK and an SQLiteSession: DATABASE PROMPT URL. Or loads items: DATABASE --load ITEMS."""
import asyncio
import json
import subprocess
import sys

from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)


@function_tool
def shell(command: str) -> str:
    """Runs a command."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout


async def run(database, prompt, last):
    session = SQLiteSession("seeds", database)
    if prompt == "--load":
        with open(last, encoding="utf-8") as file:
            items = json.load(file)
        await session.clear_session()
        return await session.add_items(items)
    client = AsyncOpenAI(base_url=last + "/v1", api_key="none", max_retries=0)
    agent = Agent(name="seeds", model=OpenAIResponsesModel(model="m1", openai_client=client), tools=[shell])
    print((await Runner.run(agent, prompt, session=session)).final_output)


def main(*arguments):
    asyncio.run(run(*arguments))


if __name__ == "__main__":
    main(*sys.argv[1:4])
