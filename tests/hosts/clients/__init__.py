"""The hosts, one a file. The first ones are quick to install and to run: they run on every push."""
from .ai_sdk import AiSdk, AiSdk6
from .claude_code import ClaudeCode
from .codex import Codex
from .copilot_cli import CopilotCli
from .gemini_cli import GeminiCli
from .hermes import Hermes
from .kimi_code import KimiCode
from .langgraph import LangGraph
from .openai_agents import OpenAIAgents
from .openclaw import OpenClaw
from .opencode import Opencode
from .openhands import OpenHands
from .pi import Pi
from .qwen_code import QwenCode

QUICK = (AiSdk, AiSdk6, Codex, ClaudeCode, Pi)
SLOW = (OpenAIAgents, CopilotCli, GeminiCli, Opencode, QwenCode, KimiCode, Hermes, OpenClaw, LangGraph,
        OpenHands)
ALL = {host.name: host for host in QUICK + SLOW}
