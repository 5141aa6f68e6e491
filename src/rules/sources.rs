//! From where it is known what a provider rejects.

use crate::transcript::Code;

/// Something that a provider rejects.
#[derive(Debug)]
pub struct Requirement {
    /// The rule that reports it.
    pub code: Code,
    /// What must hold.
    pub what: &'static str,
    pub provider: &'static str,
    pub models: &'static str,
    /// The first report of it.
    pub since: &'static str,
    /// Documentation, or public reports.
    pub source: &'static str,
}

/// One row each, in the order of codes.
pub const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        code: Code::MalformedRecord,
        what: "a call in `tool_calls` has a `type`",
        provider: "OpenAI Chat Completions",
        models: "all",
        since: "February 2025",
        source: "langchain-ai/langchain-azure #35",
    },
    Requirement {
        code: Code::MalformedRecord,
        what: "calls of hosted tools have their `id`, but for `web_search_call`, which Codex sends without one",
        provider: "OpenAI Responses",
        models: "all",
        since: "May 2026",
        source: "openai/openai-agents-python #3267 and #3341, openai/openai-python (`types/responses`: `id: Required[str]`)",
    },
    Requirement {
        code: Code::MalformedRecord,
        what: "the text of `tools` in a row is JSON",
        provider: "LLaMA-Factory",
        models: "all",
        since: "March 2025",
        source: "hiyouga/LlamaFactory #7547",
    },
    Requirement {
        code: Code::DuplicateRecordId,
        what: "no two requests of a batch have the same `custom_id`",
        provider: "OpenAI Batch API, Anthropic Message Batches",
        models: "all",
        since: "September 2024",
        source: "API references (`custom_id`), llm-d/llm-d-batch-gateway #147, sgl-project/sglang #1415",
    },
    Requirement {
        code: Code::BadInput,
        what: "the text of a `function_call` in a row is JSON",
        provider: "LLaMA-Factory",
        models: "all",
        since: "before March 2025",
        source: "`FunctionFormatter` in src/llamafactory/data/formatter.py of hiyouga/LlamaFactory",
    },
    Requirement {
        code: Code::BadToolName,
        what: "the `name` of a message has no white space and none of `<`, `|`, `\\`, `/`, `>`",
        provider: "OpenAI Chat Completions",
        models: "all; older deployments of Azure take only letters, digits, `_` and `-`, which is not checked",
        since: "February 2026; the older pattern: December 2023",
        source: "langchain-ai/langchain #35054, microsoft/autogen #941",
    },
    Requirement {
        code: Code::BadCallId,
        what: "the `id` of each message begins with `msg`, also of user and developer messages",
        provider: "OpenAI Responses",
        models: "all",
        since: "July 2026",
        source: "openai/codex #33176, #34283 and #27928, farion1231/cc-switch #5338",
    },
    Requirement {
        code: Code::Thinking,
        what: "answers with tool calls have their `reasoning_content`; for DeepSeek also the other answers of such a turn",
        provider: "DeepSeek, Moonshot, Xiaomi (Chat Completions)",
        models: "DeepSeek with thinking, Kimi K2.5 and later, MiMo",
        since: "March 2026 (Kimi), April 2026 (DeepSeek V4), May 2026 (MiMo)",
        source: "DeepSeek API docs (Thinking Mode), earendil-works/pi #3636, continuedev/continue #11806, \
            NousResearch/hermes-agent #24443; a space in place of an empty text: #17341 and #18263",
    },
    Requirement {
        code: Code::BadMedia,
        what: "the name of a document has 1 to 200 letters, digits, single spaces, or `-`, `_`, `(`, `)`, `[`, `]`",
        provider: "Amazon Bedrock Converse",
        models: "all",
        since: "December 2024",
        source: "AWS API reference (`DocumentBlock`), simonw/llm-bedrock #8; tried on the service: vercel/ai #20366, \
            aws-samples/generative-ai-use-cases #1671",
    },
    Requirement {
        code: Code::BadMedia,
        what: "no two documents of a request have the same name, also not those in tool results",
        provider: "Amazon Bedrock Converse",
        models: "all",
        since: "April 2025",
        source: "pydantic/pydantic-ai #1523, anomalyco/opencode #48756",
    },
    Requirement {
        code: Code::BadMedia,
        what: "the URL of an image is of the web, or a data URL of an image in base64 that is not empty",
        provider: "OpenAI Chat Completions, OpenAI Responses",
        models: "all",
        since: "February 2025 (Chat Completions), October 2025 (Responses)",
        source: "Alibaba-NLP/OmniSearch #3, openai/codex #5346, #24376 and #32287",
    },
    Requirement {
        code: Code::ReasoningItem,
        what: "reasoning with an ID and without encrypted content is followed by what the model made next",
        provider: "OpenAI Responses",
        models: "all",
        since: "July 2025",
        source: "vercel/ai #7099, langchain-ai/langchainjs #9072, openai/openai-node #1791",
    },
    Requirement {
        code: Code::ReasoningItem,
        what: "reasoning has no readable `content`",
        provider: "OpenAI Responses",
        models: "those of OpenAI but `gpt-oss`",
        since: "September 2026",
        source: "musistudio/claude-code-router #1783, router-for-me/CLIProxyAPI #5825, openai/codex #36704",
    },
    Requirement {
        code: Code::ForeignBlock,
        what: "at most 4 cache breakpoints in the tools, the system prompt, and the messages together",
        provider: "Anthropic",
        models: "all",
        since: "January 2025; some requests with 5 were accepted until August 2026",
        source: "nick1udwig/kibitz #38, anthropics/claude-agent-sdk-typescript #432, continuedev/continue #6937",
    },
    Requirement {
        code: Code::ForeignBlock,
        what: "a `system` message in `messages` comes after a turn of the user, or of a call that the provider runs, and not before \
            one of the user; one without content that has `output_config` may be anywhere",
        provider: "Anthropic",
        models: "Claude from Opus 4.8 on; older ones take none",
        since: "May 2026",
        source: "Anthropic, \"What's new in Claude 4.8\"; tried on the service: pydantic/pydantic-ai #6765; LeenHawk/gproxy #209",
    },
    Requirement {
        code: Code::TooManyImages,
        what: "at most 100 images and pages of documents together, 600 for models with a context window of more than 200,000 tokens",
        provider: "Anthropic",
        models: "all",
        since: "August 2025 (pages), February 2026 (together)",
        source: "Anthropic, \"Vision\" and \"PDF support\"; anthropics/claude-code #6231 and #24541",
    },
    Requirement {
        code: Code::TooManyImages,
        what: "at most 5 documents in a request, also in tool results",
        provider: "Amazon Bedrock Converse",
        models: "all",
        since: "February 2025",
        source: "AWS user guide (API restrictions), aaif-goose/goose #1267, strands-agents/harness-sdk #1861",
    },
    Requirement {
        code: Code::ServerItem,
        what: "reasoning has encrypted content if the request is not stored",
        provider: "OpenAI Responses",
        models: "all",
        since: "July 2025",
        source: "vercel/ai #7543 and #10060, anomalyco/opencode #7724",
    },
    Requirement {
        code: Code::ServerItem,
        what: "encrypted reasoning and compactions come from the same provider and account",
        provider: "OpenAI Responses",
        models: "all",
        since: "December 2025; compactions: July 2026",
        source: "openai/codex #8123, #25290 and #35334, Wei-Shaw/sub2api #5084; `ocx1:`: lidge-jun/opencodex \
            (`src/responses/compaction.ts`)",
    },
];
