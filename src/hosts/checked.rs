//! The versions that the suite of hosts ran last. Written by `tests/hosts/run.sh --write`: do not edit.

pub(super) const AI_SDK_UI: &str = "AI SDK 6.0.325 and 7.0.173";
pub(super) const CLAUDE_CODE: &str = "Claude Code 2.1.332";
pub(super) const CODEX: &str = "Codex CLI 0.171.0";
pub(super) const COPILOT_CLI: &str = "Copilot CLI 1.0.102";
pub(super) const GEMINI_CLI: &str = "Gemini CLI 0.61.0";
pub(super) const HERMES: &str = "Hermes Agent 0.19.0";
pub(super) const KIMI_CODE: &str = "Kimi Code 2.1.0";
pub(super) const LANGGRAPH_CHECKPOINTS: &str = "LangGraph 1.2.24";
pub(super) const OPENAI_AGENTS_SQLITE: &str = "OpenAI Agents SDK 0.24.0";
pub(super) const OPENCODE: &str = "opencode 1.18.33";
pub(super) const OPENHANDS: &str = "OpenHands SDK 1.58.2";
pub(super) const PI: &str = "OpenClaw 2026.9.6, pi 1.6.0";
pub(super) const QWEN_CODE: &str = "Qwen Code 0.24.4";
