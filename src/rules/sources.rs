//! From where it is known what a provider rejects.

use crate::transcript::Code;

/// Something that a provider rejects.
#[derive(Debug)]
pub struct Requirement {
    /// The rule that reports it.
    pub code: Code,
    /// What must hold.
    pub what: &'static str,
    /// The provider.
    pub provider: &'static str,
    /// Its models.
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
        code: Code::ForeignBlock,
        what: "at most 4 cache breakpoints in the tools, the system prompt, and the messages together",
        provider: "Anthropic",
        models: "all",
        since: "January 2025; some requests with 5 were accepted until August 2026",
        source: "nick1udwig/kibitz #38, anthropics/claude-agent-sdk-typescript #432, continuedev/continue #6937",
    },
    Requirement {
        code: Code::TooManyImages,
        what: "at most 5 documents in a request, also in tool results",
        provider: "Amazon Bedrock Converse",
        models: "all",
        since: "February 2025",
        source: "AWS user guide (API restrictions), aaif-goose/goose #1267, strands-agents/harness-sdk #1861",
    },
];
