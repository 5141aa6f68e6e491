//! Documents must have names that the provider accepts, each another one, and there must not be too many.

use std::mem::discriminant;

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use super::{Need, RequestContext, refused};
use crate::dialects::piece::MemberRef;
use crate::json::cut::RecordChange;
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::targets::Documents;
use crate::transcript::{
    Applicability, Code, Diagnostic, EventId, Flaws, Inclusion, Label, LabelRole, Within,
};

pub(crate) const NEED: Need =
    Need { name: "documents", reports: &[Code::BadMedia, Code::TooManyImages], check };

/// How a format records documents.
#[derive(Copy, Clone)]
pub(crate) struct RecordedDocuments {
    /// Finds the documents of a record, also those inside results.
    pub find: for<'a> fn(Node<'a>) -> Vec<RecordedDocument<'a>>,
    /// Whether the name is sent without what follows its first dot.
    pub without_extension: bool,
    /// Writes a text in place of a document. `None`: no text can be there.
    pub as_text: Option<fn(&str) -> String>,
}

impl RecordedDocuments {
    /// A host that names documents itself.
    pub(crate) const NONE: RecordedDocuments =
        RecordedDocuments { find: |_| Vec::new(), without_extension: false, as_text: None };

    /// The part of a name that is sent, and the rest.
    fn sent<'n>(&self, name: &'n str) -> (&'n str, &'n str) {
        let dot = name.find('.').filter(|_| self.without_extension);
        name.split_at(dot.unwrap_or(name.len()))
    }
}

/// A document in a record.
pub(crate) struct RecordedDocument<'a> {
    /// Its block, or its part.
    pub block: Node<'a>,
    /// Its name. `None`: the host makes one.
    pub name: Option<MemberRef<'a>>,
}

/// The name of a document that is sent.
struct SentName {
    event: EventId,
    /// Which one of its record it is.
    at: usize,
    text: String,
}

/// What is wrong with a name.
enum NameFlaw {
    /// What is wrong with it.
    Refused(String),
    /// A document of this record has it, too.
    Twice(EventId),
}

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let Some(limits) = cx.context.target.needs.documents else {
        return Vec::new();
    };
    let (mut counts, mut names) = (Vec::new(), Vec::new());
    for event in cx.flawed(Flaws::DOCUMENT) {
        if cx.request.inclusion(event) != Inclusion::Sent {
            continue;
        }
        let Ok(record) = cx.context.record(event) else {
            continue;
        };
        let documents = (cx.wire.documents.find)(record.root());
        if !documents.is_empty() {
            counts.push((event, documents.len()));
        }
        for (at, document) in documents.iter().enumerate() {
            let Some(name) = &document.name else {
                continue;
            };
            let text = name.str().unwrap_or_default().into_owned();
            names.push(SentName { event, at, text });
        }
    }
    let mut found = bad_names(cx, limits, &names);
    found.extend(too_many(cx, limits, &counts));
    found
}

fn bad_names(cx: &RequestContext<'_>, limits: Documents, names: &[SentName]) -> Vec<Diagnostic> {
    let mut first: HashMap<String, EventId> = HashMap::new();
    let mut flawed: Vec<(&SentName, NameFlaw)> = Vec::new();
    for name in names {
        let text = cx.wire.documents.sent(&name.text).0.to_owned();
        if !limits.takes(&text) {
            flawed.push((name, NameFlaw::Refused(limits.refusal(&text))));
            continue;
        }
        match first.entry(text) {
            Entry::Occupied(other) => flawed.push((name, NameFlaw::Twice(*other.get()))),
            Entry::Vacant(free) => {
                free.insert(name.event);
            }
        }
    }
    // Whether names that differ only in case are distinct is not known.
    let mut taken: HashSet<String> = first.keys().map(|name| name.to_lowercase()).collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<Diagnostic> = Vec::new();
    let alike = flawed.chunk_by(|(name, flaw), (next, other)| {
        name.event == next.event && discriminant(flaw) == discriminant(other)
    });
    for same in alike {
        let (name, flaw) = &same[0];
        let mut diagnostic = refused(Code::BadMedia, flaw.message(), name.event);
        diagnostic.within = Within::Block;
        if let NameFlaw::Twice(other) = flaw
            && *other != name.event
        {
            diagnostic.labels.push(Label::new(*other, LabelRole::Record));
        }
        let new: Vec<(usize, String)> = same
            .iter()
            .map(|(name, _)| {
                let (text, rest) = cx.wire.documents.sent(&name.text);
                let number = next.entry(limits.fit(text, 1)).or_insert(1);
                while !taken.insert(limits.fit(text, *number).to_lowercase()) {
                    *number += 1;
                }
                (name.at, limits.fit(text, *number) + rest)
            })
            .collect();
        let is_safe = same.iter().all(|(name, _)| keeps_letters(&name.text));
        let applicability = if is_safe { Applicability::Safe } else { Applicability::Unsafe };
        diagnostic.fixes =
            cx.fix_record(name.event, applicability, |record| renamed(cx, record, &new));
        found.push(diagnostic);
    }
    found
}

/// Whether a name that is accepted can have all letters of this one.
fn keeps_letters(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii() || !c.is_alphanumeric())
}

impl NameFlaw {
    fn message(&self) -> String {
        match self {
            NameFlaw::Refused(why) => why.clone(),
            NameFlaw::Twice(_) => "documents with the same name".to_owned(),
        }
    }
}

fn renamed(
    cx: &RequestContext<'_>,
    record: Node<'_>,
    new: &[(usize, String)],
) -> Vec<RecordChange> {
    let documents = (cx.wire.documents.find)(record);
    let named = new.iter().filter_map(|(at, name)| {
        let member = documents.get(*at)?.name.as_ref()?;
        Some(member.put(&quote(name), &[]))
    });
    named.collect()
}

/// Finds more documents than allowed. The fix replaces the oldest ones.
fn too_many(
    cx: &RequestContext<'_>,
    limits: Documents,
    counts: &[(EventId, usize)],
) -> Option<Diagnostic> {
    let all: usize = counts.iter().map(|(_, count)| *count).sum();
    let mut excess = all.checked_sub(limits.most).filter(|excess| *excess > 0)?;
    let message = format!("{all} documents; the provider accepts {} in a request", limits.most);
    let mut diagnostic = refused(Code::TooManyImages, message, counts[0].0);
    diagnostic.labels =
        counts.iter().map(|(event, _)| Label::new(*event, LabelRole::Record)).collect();
    let Some(as_text) = cx.wire.documents.as_text else {
        return Some(diagnostic);
    };
    let text = as_text(&format!(
        "[document removed by transcript-doctor: a request may have {} documents]",
        limits.most
    ));
    let mut actions = Vec::new();
    for (event, count) in counts {
        let action = cx.context.change(*event, |record| {
            let documents = (cx.wire.documents.find)(record);
            let oldest = documents.iter().take(excess);
            oldest.map(|own| RecordChange::new(own.block.span(), text.clone().into())).collect()
        });
        actions.extend(action);
        excess = excess.saturating_sub(*count);
    }
    diagnostic.fix_with_guess(actions);
    Some(diagnostic)
}
