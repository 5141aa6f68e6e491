//! Runs of the TRAE agent: a log of what was sent, which the agent never reads back.

mod document;
mod layout;
mod read;
mod write;

use crate::containers::RecordReader;
use crate::dialects::placeholders;
use crate::format::vocabulary::WordSet;
use crate::format::{Format, FormatContext, Host, HostTraits, Rank, Verification};
use crate::requests::error_results::{self, Results};
use crate::requests::{Wire, refused};
use crate::shapes::chat::{self, diagnostics};
use crate::transcript::pairs::{Paired, Pairs};
use crate::transcript::request::Request;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Label, LabelRole, PartKind, Subject, Transcript,
};
use document::TraeDocument;

crate::transcript::fact::own_facts! {
    /// Document: the provider.
    PROVIDER,
    /// Document: the model.
    MODEL,
    /// Document: the last request was rejected.
    REFUSED,
    /// Document: how many requests there are whose messages are recorded, including a rejected
    /// one.
    REQUESTS,
    /// A message: its position in its list.
    NUMBER,
}

pub(crate) const TRAE: Format = Format {
    name: "trae-trajectory",
    host: &Host::new("trae-agent", "TRAE"),
    title: "TRAE agent trajectory",
    page: include_str!("page.md"),
    checked: Verification::Recorded("893 recorded runs"),
    rank: Rank::Document,
    recognize: layout::recognize,
    explains: layout::owns,
    records: RecordReader::new(layout::owns, read::read),
    pieces: read::pieces,
    project,
    wire: Wire {
        needs: &[&error_results::NEED],
        results: Results { fill: Some(fill_errors), ..Results::TEXTS },
        ..Wire::NONE
    },
    supports: write::SCHEMA.supports,
    planner: write::planner,
    text,
    model,
    traits: HostTraits {
        noun: "interaction",
        words: Some(WordSet::of(&["llm_interactions:["])),
        takes_reused_ids: true,
        has_place: write::has_place,
        ..HostTraits::NONE
    },
    after_write: "The agent never reads a run back: a repaired one is for replay, training, and \
        evidence.",
};

/// The target, by the provider that the run names. Claude counts as `anthropic` whoever serves it.
fn model(t: &Transcript) -> Option<String> {
    let provider = chat::state_text(t, own::PROVIDER)?.to_ascii_lowercase();
    let claude =
        chat::state_text(t, own::MODEL).is_some_and(|m| m.to_ascii_lowercase().contains("claude"));
    let target = match provider.as_str() {
        _ if claude => "anthropic",
        "bedrock" | "anthropic" => "anthropic",
        "openai" | "azure" => "openai-responses",
        "google" => "gemini",
        _ => "openai-chat",
    };
    Some(target.to_owned())
}

/// The text of a message.
fn text(context: &FormatContext<'_>, event: EventId) -> Option<String> {
    let record = context.record(event).ok()?;
    let message = record.root();
    if let Some(text) = message.string("content") {
        return Some(text.into_owned());
    }
    let result = message.get("tool_result");
    let mut texts = ["result", "error"].iter().filter_map(|key| result?.get(key));
    let text = texts.find(|text| !text.is_blank_str() && text.str().is_some());
    let text = text.and_then(|text| text.str()).or_else(|| message.string("error"))?;
    Some(text.into_owned())
}

fn project(context: &FormatContext<'_>) -> Request {
    let t = context.transcript;
    let all: Vec<EventId> = t
        .with_inner()
        .filter(|event| t.event(*event).within.is_some() && t.event(*event).role.is_sent())
        .collect();
    let sequence = chat::without_system(t, &all);
    let mut pairs = Pairs::find(t, TRAE.traits.pairs, &Paired::events(&sequence));
    clear_pending(t, &mut pairs);
    let mut diagnostics = late_results(context, &pairs);
    diagnostics.extend(diagnostics::unreadable(t, &pairs, TRAE.traits.unreadable));
    chat::request(context, all, &[], pairs, diagnostics)
}

/// A rejected request proves that the run continued after the last response.
fn clear_pending(t: &Transcript, pairs: &mut Pairs) {
    if t.host_state().is_some_and(|state| t.has(state, own::REFUSED)) {
        pairs.batches.iter_mut().for_each(|batch| batch.pending = false);
    }
}

/// Reports results that are one request too late, for providers that accept results anywhere: the
/// request before them had an unanswered call.
fn late_results(context: &FormatContext<'_>, pairs: &Pairs) -> Vec<Diagnostic> {
    let t = context.transcript;
    if !context.target.results_anywhere {
        return Vec::new();
    }
    let mut found = Vec::new();
    for batch in &pairs.batches {
        let mut late = Vec::new();
        for call in &batch.calls {
            let Some(result) = pairs.answer(*call) else { continue };
            let [asks, answers] =
                [*call, result].map(|part| write::number_of(t, t.part(part).event));
            // A result is in the request after that of its call.
            if answers > asks + 1 {
                late.push((*call, result));
            }
        }
        let Some((first, _)) = late.first() else { continue };
        let mut diagnostic = refused(
            Code::ResultNotNext,
            "tool result comes one message too late",
            t.part(*first).event,
        );
        let both = late
            .iter()
            .flat_map(|(call, result)| [(*call, LabelRole::Call), (*result, LabelRole::Result)]);
        diagnostic.labels = both.clone().map(|(part, role)| Label::of(t, part, role)).collect();
        diagnostic.about = both.map(|(part, _)| Subject::Place(part)).collect();
        let (calls, results) = (late.iter().map(|pair| pair.0), late.iter().map(|pair| pair.1));
        diagnostic.fix_safely([Action::MoveTogether(calls.chain(results).collect())]);
        found.push(diagnostic);
    }
    found
}

/// Gives empty error results the placeholder text, in the trajectory and in its copies.
fn fill_errors(context: &FormatContext<'_>, events: &[EventId]) -> Vec<Option<Action>> {
    let t = context.transcript;
    let document = TraeDocument::of(context);
    let run = document.as_ref().and_then(TraeDocument::run);
    events
        .iter()
        .map(|event| {
            let Action::EditBytes { event, word, mut edits } =
                context.change(*event, |message| {
                    vec![document::set_error_text(
                        document::result_in(message),
                        placeholders::NO_OUTPUT,
                    )]
                })?
            else {
                return None;
            };
            if let (Some(document), Some(run)) = (&document, &run) {
                let part = t.part_of(event, PartKind::Result);
                let id = part.map(|part| t.text(t.part(part).id)).unwrap_or_default();
                let copies =
                    run.set_error_text(write::number_of(t, event), id, placeholders::NO_OUTPUT);
                edits.extend(document.edits(copies));
            }
            Some(Action::edits(event, word, edits))
        })
        .collect()
}
