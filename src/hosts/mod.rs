//! What hosts write, send, break and accept. Each format is a file or folder, and a line in [`ALL`].

mod ag_ui;
mod agent_framework;
mod ai_sdk_4;
mod ai_sdk_model;
mod ai_sdk_ui;
mod amazon_q;
mod anthropic;
mod atif;
mod autogen;
mod checked;
mod claude_code;
mod cline_roo;
mod codex;
mod codex_exec;
mod converse;
mod copilot_cli;
mod droid;
mod gemini_cli;
mod gemini_contents;
mod google_adk;
mod goose;
mod hermes;
mod inspect;
mod kimi_cli;
mod kimi_code;
mod langchain;
mod langgraph_checkpoints;
mod mastra;
mod mini_swe_agent;
mod openai_agents;
mod openai_chat;
mod openai_responses;
mod opencode;
pub(crate) mod openhands;
pub(crate) mod openhands_v0;
mod otel_genai;
pub(crate) mod pi;
mod pydantic_ai;
mod qwen_code;
mod sharegpt;
mod swe_agent;
mod tau_bench;
mod texts;
mod trae;
mod vscode_chat;

pub(crate) use ag_ui::AG_UI;
pub(crate) use agent_framework::AGENT_FRAMEWORK;
pub(crate) use ai_sdk_4::AI_SDK_4;
pub(crate) use ai_sdk_model::AI_SDK_MODEL;
pub(crate) use ai_sdk_ui::AI_SDK_UI;
pub(crate) use amazon_q::AMAZON_Q;
pub(crate) use anthropic::ANTHROPIC;
pub(crate) use atif::ATIF;
pub(crate) use autogen::AUTOGEN;
pub(crate) use claude_code::CLAUDE_CODE;
pub(crate) use cline_roo::CLINE_ROO;
pub(crate) use codex::CODEX;
pub(crate) use codex_exec::CODEX_EXEC;
pub(crate) use converse::CONVERSE;
pub(crate) use copilot_cli::COPILOT_CLI;
pub(crate) use droid::FACTORY_DROID;
pub(crate) use gemini_cli::GEMINI_CLI;
pub(crate) use gemini_contents::GEMINI_CONTENTS;
pub(crate) use google_adk::GOOGLE_ADK;
pub(crate) use goose::GOOSE;
pub(crate) use hermes::HERMES;
pub(crate) use inspect::INSPECT;
pub(crate) use kimi_cli::KIMI_CLI;
pub(crate) use kimi_code::KIMI_CODE;
pub(crate) use langchain::LANGCHAIN;
pub(crate) use langgraph_checkpoints::LANGGRAPH_CHECKPOINTS;
pub(crate) use mastra::MASTRA;
pub(crate) use mini_swe_agent::{MINI_SWE_AGENT, MINI_SWE_AGENT_RESPONSES};
pub(crate) use openai_agents::OPENAI_AGENTS;
pub(crate) use openai_chat::OPENAI_CHAT;
pub(crate) use openai_responses::OPENAI_RESPONSES;
pub(crate) use opencode::OPENCODE;
pub(crate) use openhands::OPENHANDS;
pub(crate) use openhands_v0::OPENHANDS_V0;
pub(crate) use otel_genai::OTEL_GENAI;
pub(crate) use pi::{OPENCLAW, PI};
pub(crate) use pydantic_ai::PYDANTIC_AI;
pub(crate) use qwen_code::QWEN_CODE;
pub(crate) use sharegpt::SHAREGPT;
pub(crate) use swe_agent::SWE_AGENT;
pub(crate) use tau_bench::TAU_BENCH;
pub(crate) use trae::TRAE;
pub(crate) use vscode_chat::VSCODE_CHAT;

use crate::format::Format;
use crate::format::home::Home;
pub(crate) use texts::{first_prompt, frame as host_frame, last_prompt};

pub const ALL: &[&Format] = &[
    &OPENHANDS,
    &OPENHANDS_V0,
    &PI,
    &CONVERSE,
    &GEMINI_CLI,
    &GEMINI_CONTENTS,
    &OPENAI_RESPONSES,
    &TRAE,
    &LANGCHAIN,
    &CLAUDE_CODE,
    &OPENAI_CHAT,
    &ANTHROPIC,
    &CODEX,
    &MINI_SWE_AGENT,
    &MINI_SWE_AGENT_RESPONSES,
    &SWE_AGENT,
    &KIMI_CLI,
    &KIMI_CODE,
    &GOOSE,
    &HERMES,
    &ATIF,
    &AI_SDK_UI,
    &AI_SDK_MODEL,
    &INSPECT,
    &TAU_BENCH,
    &QWEN_CODE,
    &CLINE_ROO,
    &COPILOT_CLI,
    &VSCODE_CHAT,
    &SHAREGPT,
    &CODEX_EXEC,
    &OPENCODE,
    &FACTORY_DROID,
    &OTEL_GENAI,
    &OPENAI_AGENTS,
    &LANGGRAPH_CHECKPOINTS,
    &PYDANTIC_AI,
    &AGENT_FRAMEWORK,
    &AG_UI,
    &GOOGLE_ADK,
    &AUTOGEN,
    &AI_SDK_4,
    &AMAZON_Q,
    &MASTRA,
];

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| format.name == name).copied()
}

/// The folders of all hosts.
pub fn homes() -> impl Iterator<Item = &'static Home> {
    ALL.iter().flat_map(|format| format.traits.homes)
}
