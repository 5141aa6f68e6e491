//! Error texts of chat templates, and of the servers that render them: vLLM, SGLang, llama.cpp, and what is built on it.

use super::{At, ErrorTable, ErrorText};
use crate::transcript::Code;

const ORPHAN: &[Code] = &[Code::OrphanResult, Code::ResultNotNext, Code::ResultBeforeCall];
const TEMPLATE: &str =
    "The chat template of the model refuses this; other models and servers may accept it.";

/// The texts, as quoted in public reports. The last ones are what servers put around any text of a template.
#[rustfmt::skip]
pub(super) const TABLE: ErrorTable = ErrorTable {
    name: "chat-template",
    title: "A chat template",
    source: "issues of vllm-project/vllm, ggml-org/llama.cpp, and sgl-project/sglang",
    texts: &[
        ErrorText::new("(?i:conversation roles must alternate user)", &[Code::RoleOrder], At::Nowhere, "consecutive messages with the same role")
            .hint(TEMPLATE)
            .seen("ggml-org/llama.cpp#19851, run-llama/llama_index#11731"),
        ErrorText::new("System message must be at the beginning", &[Code::BadStart, Code::RoleOrder], At::Nowhere, "system messages in the middle of the conversation")
            .hint(TEMPLATE)
            .seen("vllm-project/vllm#41114, ggml-org/llama.cpp#20733"),
        ErrorText::new("No user query found in messages", &[Code::BadStart], At::Nowhere, "no message of the user with a text is left")
            .hint("The template looks for the last text of the user: a compaction may have removed it, or the program sent none.")
            .seen("Qwen3.5 and later, with llama.cpp and vLLM"),
        ErrorText::new("(?i:System role not supported)", &[], At::Nowhere, "a system message, which the template of this model does not take")
            .hint("The transcript is not damaged: the program that sends it must put its instructions into the first user message.")
            .seen("ggml-org/llama.cpp, models/templates/google-gemma-2-2b-it.jinja"),
        ErrorText::new("Cannot pass both content and thinking in an assistant message", &[Code::Thinking], At::Nowhere, "content and thinking in one message")
            .hint("The model's template does not accept both; for other servers the transcript is fine."),
        ErrorText::new("Message has tool role, but there was no previous assistant message with a tool call", ORPHAN, At::Nowhere, "a tool result without a call before it")
            .seen("gpt-oss: cubist38/mlx-openai-server#205"),
        ErrorText::new("This model only supports single tool-calls at once", &[], At::Nowhere, "more than one tool call in a message")
            .hint("The transcript is not damaged: the template of this model takes one call for each message. Use another template, or another model.")
            .seen("Llama 3: vllm-project/vllm#12938, vllm-project/vllm#25108"),
        ErrorText::new("Can only get item pairs from a mapping", &[Code::BadInput, Code::MalformedRecord], At::Nowhere, "tool call arguments that are text, where the template needs an object")
            .hint("The server gives the template arguments as recorded, which is text in this API: the transcript is fine for servers that parse it.")
            .seen("Qwen: QwenLM/Qwen3#1894, QwenLM/Qwen3-Coder#444"),
        ErrorText::new("Tool call IDs should be alphanumeric strings with length 9", &[Code::BadCallId, Code::MissingCallId], At::Nowhere, "a tool call id that is not nine letters and digits")
            .seen("Mistral: ggml-org/llama.cpp#11402"),
        ErrorText::new("can only concatenate str \\(not {q}[A-Za-z]{1,20}{q}\\) to str", &[Code::MalformedRecord, Code::ForeignBlock, Code::EmptyContent], At::Nowhere, "content that is not text, where the template needs text")
            .hint(TEMPLATE)
            .seen("vllm-project/vllm#16245, OpenGVLab/InternVL#726"),
        ErrorText::new("(?:All non-assistant messages must contain {q}content|Assistant message must contain either {q}content{q} or {q}tool_calls)", &[Code::EmptyContent, Code::MalformedRecord], At::Nowhere, "a message without content")
            .seen("ggml-org/llama.cpp, tools/server/server-common.cpp"),
        ErrorText::new("(?:Expected {q}content{q} to be a string or an array|Invalid {q}content{q} type: expected string or array)", &[Code::EmptyContent, Code::MalformedRecord], At::Nowhere, "a message without content")
            .seen("ggml-org/llama.cpp#13471, ggml-org/llama.cpp#29248"),
        ErrorText::new("(?:Missing|Unsupported) content part type", &[Code::ForeignBlock], At::Nowhere, "an unknown block type")
            .seen("ggml-org/llama.cpp#29248"),
        ErrorText::new("Missing tool call type", &[Code::MalformedRecord], At::Nowhere, "a tool call without a type")
            .seen("ggml-org/llama.cpp#29248"),
        ErrorText::new("Value is not callable: null", &[Code::EmptyContent, Code::MalformedRecord], At::Nowhere, "a message without content")
            .hint(TEMPLATE)
            .seen("janhq/jan#6123"),
        ErrorText::new("Cannot have 2 or more assistant messages at the end of the list", &[Code::EndsWithAssistant, Code::RoleOrder], At::Last, "the request ends with two answers")
            .hint("llama.cpp continues the last answer, and there may be only one: send a new user message, or remove one of the two.")
            .seen("ggml-org/llama.cpp, tools/server/server-common.cpp"),
        ErrorText::new("Assistant response prefill is incompatible with enable_thinking", &[Code::EndsWithAssistant], At::Last, "the request ends with an assistant message")
            .hint("llama.cpp continues the last answer, which this model cannot do while it thinks: send a new user message.")
            .seen("ggml-org/llama.cpp, tools/server/server-common.cpp"),
        ErrorText::new("messages\\.{n}\\.(?:ChatCompletion[A-Za-z]{1,60}Param|user|assistant|tool|system)\\.[A-Za-z0-9_.\\[\\],]{1,120} Input should be", &[Code::MalformedRecord, Code::EmptyContent, Code::MissingCallId, Code::ForeignBlock], At::This, "a field with the wrong type")
            .seen("sgl-project/sglang#4236, vllm-project/vllm#18729"),
        ErrorText::new("(?:Jinja Exception|jinja2\\.exceptions\\.|Jinja template error|Unable to generate parser for this template)", &[Code::RoleOrder, Code::OrphanResult, Code::BadStart, Code::EmptyContent, Code::MalformedRecord], At::Nowhere, "the chat template of the model cannot render the messages")
            .hint(TEMPLATE)
            .seen("ggml-org/llama.cpp#20733, vllm-project/vllm#25108"),
    ],
};
