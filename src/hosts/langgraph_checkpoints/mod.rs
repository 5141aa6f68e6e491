//! Threads of LangGraph in the database of its SQLite saver: the messages of the newest checkpoint, with what is next. Only a
//! database has them, so no file is recognized as this format.

use super::checked;
use super::langchain::LANGCHAIN;
use crate::dialects::members::{Holding, Members};
use crate::format::{Format, FormatContext, Host, HostTraits, Verification};
use crate::requests::refused;
use crate::transcript::{Code, Effect, Instance, Label, LabelRole, Request, Subject};

pub(crate) const LANGGRAPH_CHECKPOINTS: Format = Format {
    name: "langgraph-checkpoints",
    host: &Host::new("langgraph", "LangGraph"),
    title: "LangGraph checkpoints",
    page: include_str!("page.md"),
    checked: Verification::Suite(
        checked::LANGGRAPH_CHECKPOINTS,
        "langgraph 1.2.22, 0.2.60 and 0.2.14, langgraph-checkpoint-sqlite 3.1.2, 2.0.1 and 1.0.0, deepagents 0.7.32",
    ),
    explains: |_| false,
    project,
    traits: HostTraits {
        rows: false,
        // They are those of langchain, and would be found twice.
        errors: HostTraits::NONE.errors,
        rows_in: &[],
        members: Members::own(&[
            (
                Holding::Details,
                "_summarization_event summary_message next tasks error interrupts result recovered lost_parent",
            ),
            (Holding::Envelope, "path"),
        ]),
        pending_hint: "resume the thread (invoke it with `None`) to keep the results of the tools that have finished: \
            a new message instead drops them",
        ..LANGCHAIN.traits
    },
    after_write: "To load it into the thread: `graph.update_state` with all messages replaced, see docs/formats.md. The old \
        checkpoints stay.",
    ..LANGCHAIN
};

fn project(context: &FormatContext<'_>) -> Request {
    let mut request = (LANGCHAIN.project)(context);
    let Some(state) = context.transcript.host_state() else {
        return request;
    };
    if context.record(state).is_ok_and(|record| record.root().get("lost_parent").is_some()) {
        let message = "a checkpoint is missing, so messages from before it are, too";
        let mut diagnostic = refused(Code::CompactionAnchor, message, state);
        diagnostic.instance = Some(Instance::Dropped);
        (diagnostic.effect, diagnostic.about) = (Effect::None, vec![Subject::State]);
        diagnostic.labels = vec![Label::new(state, LabelRole::State)];
        request.diagnostics.push(diagnostic);
    }
    request
}
