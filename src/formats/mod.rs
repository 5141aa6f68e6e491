//! Formats: what a host writes, sends, breaks and accepts. One file or folder each, and a line in [`ALL`].

pub(crate) mod about;
mod ai_sdk_model;
mod ai_sdk_ui;
mod anthropic;
mod atif;
pub(crate) mod blamed;
mod chat;
mod claude_code;
mod codex;
mod converse;
mod copies;
pub(crate) mod fit;
mod gemini_cli;
mod gemini_contents;
mod goose;
pub(crate) mod head;
pub(crate) mod home;
mod host_text;
mod items;
mod kimi_cli;
mod langchain;
mod mini_swe_agent;
pub(crate) mod named;
mod openai_chat;
mod openai_responses;
pub(crate) mod openhands;
pub(crate) mod openhands_v0;
pub(crate) mod pi;
pub(crate) mod policy;
pub(crate) mod rows;
pub(crate) mod stores;
pub(crate) mod streams;
mod swe_agent;
mod trae;
pub(crate) mod unbuilt;
mod words;

use std::path::{Path, PathBuf};

use crate::bytes::edit::Edit;
use crate::bytes::source::EntryId;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, RecordReader, Step};
use crate::json::node::Node;
use crate::live::Signals;
use crate::requests::Wire;
use crate::targets::errors::Text;
use crate::transcript::pairs::PairPolicy;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Action, ActionKind, Code, EventId, PartKind, Request, Transcript};

pub(crate) use crate::requests::{Client, FormatContext};
pub(crate) use host_text::{HostText, frame as host_frame};
pub(crate) use words::result_text;

pub(crate) use ai_sdk_model::AI_SDK_MODEL;
pub(crate) use ai_sdk_ui::AI_SDK_UI;
pub(crate) use anthropic::ANTHROPIC;
pub(crate) use atif::ATIF;
pub(crate) use claude_code::CLAUDE_CODE;
pub(crate) use codex::CODEX;
pub(crate) use converse::CONVERSE;
pub(crate) use gemini_cli::GEMINI_CLI;
pub(crate) use gemini_contents::GEMINI_CONTENTS;
pub(crate) use goose::GOOSE;
pub(crate) use kimi_cli::KIMI_CLI;
pub(crate) use langchain::LANGCHAIN;
pub(crate) use mini_swe_agent::MINI_SWE_AGENT;
pub(crate) use openai_chat::OPENAI_CHAT;
pub(crate) use openai_responses::OPENAI_RESPONSES;
pub(crate) use openhands::OPENHANDS;
pub(crate) use openhands_v0::OPENHANDS_V0;
pub(crate) use pi::{OPENCLAW, PI};
pub(crate) use swe_agent::SWE_AGENT;
pub(crate) use trae::TRAE;

use about::About;
use blamed::Means;
use fit::{Detected, What};
use head::Sample;
use home::{Home, Resume};

/// A recorded format: facts as data, and the functions that read and write its records.
pub struct Format {
    /// As typed: `openhands`.
    pub name: &'static str,
    /// The program that writes it.
    pub host: &'static Host,
    /// As people say it.
    pub title: &'static str,
    /// The manual page, Markdown.
    pub page: &'static str,
    /// How what it says of its host is known.
    pub checked: Checked,
    /// Which of two formats wins that explain the same records: the one of the lower step.
    pub step: u8,
    /// Says where the records are, if something shows that the recording may be of this format.
    pub recognize: Recognize,
    /// Whether a record has the members that the format requires: the share of such records tells formats apart.
    pub explains: fn(Node<'_>) -> bool,
    /// How one record is known and read.
    pub records: RecordReader,
    /// Puts together what would be sent; everything that needs two records.
    pub project: fn(&FormatContext<'_>) -> Request,
    /// What its host passes on to a provider, and where a record holds it.
    pub(crate) wire: Wire,
    /// The kinds of actions that it has a place for. Fixes with others are not offered.
    pub(crate) supports: &'static [ActionKind],
    /// Turns the accepted actions of one layer into edits.
    pub plan_edits: PlanEdits,
    /// Whether a container is written in its place; else only as a copy.
    pub in_place: fn(&Layout) -> bool,
    /// The host's id of the conversation.
    pub session: fn(&FormatContext<'_>) -> Option<String>,
    /// What a record says in words, for people to read: a message, the output of a tool, an error. `None`: nothing, or
    /// more than is kept in memory.
    pub text: fn(&FormatContext<'_>, EventId) -> Option<String>,
    /// The model that the recording names, or the target, where the format or the recording says it outright.
    pub model: fn(&Transcript) -> Option<String>,
    /// What damage is to its host, where that differs from the rule's own severity.
    pub(crate) policy: &'static [policy::Row],
    /// What its host does differently from most.
    pub traits: HostTraits,
    /// Where the host leaves signs of life; the recording's own files are added by who asks.
    pub signs: fn(&Path, &Transcript) -> Signals,
    /// What to say after the conversation was written.
    pub after_write: &'static str,
}

impl Format {
    /// The host that wrote a recording of this format at this path.
    pub fn host_of(&self, path: &Path, t: &Transcript) -> &'static Host {
        (self.traits.host)(path, t).unwrap_or(self.host)
    }
}

/// How what a format says of its host is known, and of which versions.
#[derive(Copy, Clone, Debug)]
pub enum Checked {
    /// The programs were run, on what they wrote and on what we repaired.
    Run(&'static str),
    /// Their source, or what a provider documents and rejects, was read.
    Read(&'static str),
    /// Recordings were looked at.
    Recorded(&'static str),
}

impl Checked {
    /// For people: `run: pi 0.58.3`.
    pub fn words(self) -> String {
        let (how, what) = match self {
            Checked::Run(what) => ("run", what),
            Checked::Read(what) => ("read", what),
            Checked::Recorded(what) => ("seen", what),
        };
        format!("{how}: {what}")
    }
}

/// The files and folders in a folder; none where it cannot be read.
pub(crate) type ListFolder = dyn Fn(&Path) -> Vec<PathBuf>;

/// A program that writes transcripts.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// As reports name it.
    pub name: &'static str,
    /// As a sentence names it.
    pub title: &'static str,
}

impl Host {
    /// Any application that keeps such a list.
    const fn nameless(name: &'static str) -> Host {
        Host {
            name,
            title: "the application",
        }
    }
}

/// What a host does differently from most. Start from [`HostTraits::NONE`].
#[derive(Copy, Clone, Debug)]
pub struct HostTraits {
    /// How it pairs results with calls.
    pub pairs: PairPolicy,
    /// Of several real results of one call it always takes the first: the host and the model have seen no other.
    pub takes_first_result: bool,
    /// It takes a call for unanswered whose record no result names, and runs it again.
    pub runs_unlinked: bool,
    /// It looks nothing up by a call's id alone, so a later turn may use an id again where the target takes that.
    pub takes_reused_ids: bool,
    /// Calls and results need no ids: it pairs by name and order within a turn.
    pub ids_are_optional: bool,
    /// What to know of a call that waits at the end; "" for nothing.
    pub pending_hint: &'static str,
    /// What becomes of a call that waits for its result; "" where nothing is known.
    pub pending_note: &'static str,
    /// Members of a record whose values reach the provider; none: the whole record does.
    pub sent: &'static [&'static [&'static str]],
    /// Members beside the list of messages that reach the provider with them.
    pub beside: &'static [&'static [&'static str]],
    /// Texts that its host writes itself, and that records are known by.
    pub texts: &'static [&'static [HostText]],
    /// Where the list is whose items are a record's parts, one each, in order: the first of these that a record has.
    pub blocks: &'static [&'static [&'static str]],
    /// What it does with a record that it cannot read.
    pub unreadable: OnUnreadable,
    /// Records need no ids of their own, so a new id of a call is made from the place of its record.
    pub names_by_place: bool,
    /// Codes of damage that decides which records are sent, so that it is repaired together with the tree's.
    pub with_tree: &'static [Code],
    /// Whether the thinking in a record is bound to its place, so that an open tool loop with it must stay whole.
    pub thinking_is_bound: fn(&Transcript, EventId) -> bool,
    /// The messages of a view, in order, behind each of which its host sends another one that is not recorded as such.
    pub sends_beside: fn(&Transcript, &Request) -> Vec<u32>,
    /// How it takes out what only the provider's own text names. `None`: not at all.
    pub blames: Option<&'static Means>,
    /// Whether a file of this name is a recording that the host has set aside: looked at only when it is named.
    pub sets_aside: fn(&str) -> bool,
    /// Whether the host only reads a file at this path, because it knows it by its hash or keeps it as an original.
    pub never_written: fn(&Path) -> bool,
    /// Which of several hosts that share the format wrote this recording. `None`: the one that the format is named for.
    pub host: fn(&Path, &Transcript) -> Option<&'static Host>,
    /// Whether a host's index would miss a repair of this recording that keeps the time of its file; why, in words.
    pub watches_mtime: fn(&Path, &Transcript) -> Option<&'static str>,
    /// Where records name their parents and the host takes the last one for the end: the lines that make of the repaired
    /// state a new branch of the file as it was. `None`: repairs are written in place only.
    pub branch: Option<Branch>,
    /// It finds no record by an id, and sends calls and results in the order in which they are recorded: ids that another
    /// program replaced are not worth a warning.
    pub needs_no_ids: bool,
    /// A record takes the place of an earlier one with its id.
    pub replaces_by_id: bool,
    /// Nobody tells which call a result without one was meant for: where the batch before it lacks exactly one result,
    /// that call is offered as a guess.
    pub guesses_calls: bool,
    /// A file of it may hold many conversations: one a line, or one an element of an array.
    pub rows: bool,
    /// Whether it has a place for an action of a kind that it supports, at these records. What has none is not offered.
    pub has_place: fn(&Transcript, &Action) -> bool,
    /// Notes about records because of which it, in the version that is known here, refuses a conversation that is healthy.
    pub cannot_load: &'static [CannotLoad],
    /// What it says itself when it cannot go on with a conversation.
    pub errors: &'static [Text],
    /// For which target recordings that show no sign of any format are read as this one, and where the records are in
    /// such a recording.
    pub unsigned: Option<(&'static str, Recognize)>,
    /// Kinds of its clients that read one recording differently, the one that most people run first; none: all read alike.
    pub clients: &'static [Client],
    /// Its own members that are structure: a redacted copy keeps them.
    pub fields: Fields,
    /// Where records say what a session is about.
    pub about: About,
    /// Where its hosts keep their recordings.
    pub homes: &'static [Home],
    /// The recording of the conversation that started this one, by its path, its first records, and what is in folders.
    pub started_by: fn(&Path, &Sample<'_>, &ListFolder) -> Option<PathBuf>,
    /// How to go on with a conversation that lies at this path. `None`: its host does not read it back.
    pub resume: fn(&FormatContext<'_>, &Path) -> Option<Resume>,
}

/// A note about records that a version of the host cannot load, and how a verdict mentions it.
#[derive(Copy, Clone, Debug)]
pub struct CannotLoad {
    /// What the note says of one record.
    pub note: &'static str,
    /// What follows `1 record`.
    pub one: &'static str,
    /// What follows `2 records`.
    pub many: &'static str,
}

/// Members of records that are structure, beside those that all formats share; keys apart by blanks.
#[derive(Copy, Clone, Debug)]
pub struct Fields {
    /// Members whose values stay where they have the shape of structure.
    pub structure: &'static str,
    /// Members that hold others.
    pub known: &'static str,
}

impl Fields {
    /// None of its own.
    pub const NONE: Fields = Fields {
        structure: "",
        known: "",
    };
}

impl HostTraits {
    /// None of them.
    pub const NONE: HostTraits = HostTraits {
        pairs: PairPolicy::CONVERSATION,
        takes_first_result: false,
        runs_unlinked: false,
        takes_reused_ids: false,
        ids_are_optional: false,
        pending_hint: "",
        pending_note: "",
        sent: &[],
        beside: &[],
        texts: &[],
        blocks: &[],
        unreadable: OnUnreadable::FAILS,
        names_by_place: false,
        with_tree: &[],
        thinking_is_bound: |t, event| t.part_of(event, PartKind::Thinking).is_some(),
        sends_beside: |_, _| Vec::new(),
        blames: None,
        sets_aside: |_| false,
        never_written: |_| false,
        host: |_, _| None,
        watches_mtime: |_, _| None,
        branch: None,
        needs_no_ids: false,
        replaces_by_id: false,
        guesses_calls: false,
        rows: false,
        has_place: |_, _| true,
        cannot_load: &[],
        errors: &[],
        unsigned: None,
        clients: &[],
        fields: Fields::NONE,
        about: About::NOTHING,
        homes: &[],
        started_by: |_, _, _| None,
        resume: |_, _| None,
    };
}

/// The edits that append what is repaired as a new branch: of a conversation as it was, and as it would be in place.
pub(crate) type Branch = fn(&FormatContext<'_>, &FormatContext<'_>) -> Result<Vec<Edit>, CannotDo>;

/// Says where the records are, if a recording may be of a format.
pub(crate) type Recognize = fn(&Sample<'_>) -> Option<Layout>;

/// Turns the actions of one layer into edits, all of them or none.
pub(crate) type PlanEdits =
    fn(&FormatContext<'_>, &Request, &[Action]) -> Result<Vec<Edit>, CannotDo>;

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All formats.
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
    &SWE_AGENT,
    &KIMI_CLI,
    &GOOSE,
    &ATIF,
    &AI_SDK_UI,
    &AI_SDK_MODEL,
];

/// Names of formats and stores that are recognized and not supported yet.
pub fn named_only() -> impl Iterator<Item = &'static str> {
    let formats = || unbuilt::ALL.iter().map(|named| named.name);
    let is_known = move |name: &&str| by_name(name).is_some() || formats().any(|own| own == *name);
    formats().chain(stores::names().filter(move |name| !is_known(name)))
}

/// A format by the name people type.
pub fn by_name(name: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| format.name == name).copied()
}

/// The places of all hosts.
pub fn homes() -> impl Iterator<Item = &'static Home> {
    ALL.iter().flat_map(|format| format.traits.homes)
}

/// What a recording is: its format and where the records are.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The format.
    pub format: &'static Format,
    /// Where its records are; of many conversations, where they are.
    pub layout: Layout,
    /// How many conversations it holds.
    pub conversations: Conversations,
    /// What it may be just as well, where its records show no sign of a format and nobody named one.
    pub other: Option<Alternative>,
    /// Its records decide that. Not those of a row, nor where the user named the format.
    pub detected: bool,
}

impl Detection {
    /// One conversation of this format.
    pub fn new(format: &'static Format, layout: Layout) -> Detection {
        Detection {
            format,
            layout,
            conversations: Conversations::One,
            other: None,
            detected: false,
        }
    }

    /// The same of records that changed since: what else they may be is decided again.
    #[must_use]
    pub(crate) fn with_changed(self, head: &Sample<'_>) -> Detection {
        let other = match self.detected {
            true => alternative(head, &self),
            false => self.other,
        };
        Detection { other, ..self }
    }
}

/// What a recording without a sign of its format is read as when a target is named.
#[derive(Copy, Clone, Debug)]
pub struct Alternative {
    /// The name of that target.
    pub target: &'static str,
    /// The format.
    pub format: &'static Format,
}

/// How many conversations a recording holds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Conversations {
    #[default]
    One,
    /// Each row of it is one, or none. `forced`: the user says so.
    EachRow {
        /// A row need not look like one.
        forced: bool,
    },
}

impl Conversations {
    /// Whether each row is a conversation.
    pub fn are_rows(self) -> bool {
        matches!(self, Conversations::EachRow { .. })
    }

    /// Whether the user says so.
    pub fn is_forced(self) -> bool {
        self == Conversations::EachRow { forced: true }
    }
}

/// The format that explains a recording best, or the one that was named if it can be that. `None`: of no format that is
/// read.
pub fn recognize(head: &Sample<'_>, only: Option<&'static Format>) -> Option<Detection> {
    match only {
        Some(format) => claim_as(head, format, true),
        None => match fit::detect(head) {
            Detected::Is(What::Read(claim)) => Some(claim),
            _ => None,
        },
    }
}

/// As a recording of this format. `settled`: it is of this format or none.
fn claim_as(head: &Sample<'_>, format: &'static Format, settled: bool) -> Option<Detection> {
    let whole = || {
        let layout = (format.recognize)(head)?;
        Some(Detection::new(format, layout))
    };
    // A line that holds a conversation is no record of one; a list of messages is no list of conversations.
    match head.document {
        Some(_) => whole().or_else(|| each_row(head, format, false, settled)),
        None => each_row(head, format, false, settled).or_else(whole),
    }
}

/// As [`recognize`], where the user says that each row is a conversation.
pub(crate) fn recognize_rows(
    head: &Sample<'_>,
    only: Option<&'static Format>,
) -> Option<Detection> {
    asked(only)
        .into_iter()
        .find_map(|format| each_row(head, format, true, only.is_some()))
}

/// As a recording of many conversations of this format. `settled`: it is of this format or none.
fn each_row(
    head: &Sample<'_>,
    format: &'static Format,
    forced: bool,
    settled: bool,
) -> Option<Detection> {
    let layout = rows::recognize(head, format, forced, settled)?;
    Some(Detection {
        conversations: Conversations::EachRow { forced },
        ..Detection::new(format, layout)
    })
}

/// As a recording of a format that is taken where nothing shows a sign of any, with as many conversations.
pub(crate) fn read_as(
    head: &Sample<'_>,
    format: &'static Format,
    conversations: Conversations,
) -> Option<Detection> {
    match conversations {
        Conversations::EachRow { forced } => each_row(head, format, forced, true),
        Conversations::One => {
            let (_, recognize) = format.traits.unsigned?;
            recognize(head).map(|layout| Detection::new(format, layout))
        }
    }
}

/// What else a recording may be whose first messages show no sign of a format.
fn alternative(head: &Sample<'_>, claim: &Detection) -> Option<Alternative> {
    let formats = ALL
        .iter()
        .filter(|other| other.name != claim.format.name && claim.format.step >= other.step);
    let mut unsigned = formats.filter_map(|format| Some((*format, format.traits.unsigned?)));
    let (format, (target, _)) = unsigned.find(|(_, (_, recognize))| match claim.conversations {
        Conversations::One => recognize(head).is_some(),
        Conversations::EachRow { .. } => rows::are_all(head, *recognize),
    })?;
    Some(Alternative { target, format })
}

fn asked(only: Option<&'static Format>) -> Vec<&'static Format> {
    let mut asked: Vec<&'static Format> = only.map_or_else(|| ALL.to_vec(), |format| vec![format]);
    asked.sort_by_key(|format| format.step);
    asked
}

/// The list of a document at the first of these ways on which there is a record.
pub(crate) fn list_on(
    ways: &[&[Step]],
    entry: EntryId,
    root: Node<'_>,
    is_record: fn(Node<'_>) -> bool,
) -> Option<Layout> {
    let holds = |way: &&&[Step]| follow(root, way).is_some_and(|list| list.items().any(is_record));
    let way = ways.iter().find(holds)?;
    Some(Layout::Items {
        entry,
        path: way.to_vec(),
        envelope: !way.is_empty(),
    })
}

/// The value at the end of a way into another.
fn follow<'a>(root: Node<'a>, way: &[Step]) -> Option<Node<'a>> {
    way.iter().try_fold(root, |node, step| match step {
        Step::Key(key) => node.get(key),
        Step::At(index) => node.items().nth(*index as usize),
    })
}
