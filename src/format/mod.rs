//! What a format is: facts as data, and functions that read and write its records. Knows no host.

pub(crate) mod about;
pub(crate) mod blamed;
mod detection;
pub(crate) mod foreign;
pub(crate) mod head;
pub(crate) mod home;
mod host;
pub(crate) mod host_text;
pub(crate) mod plain;
pub(crate) mod policy;
pub(crate) mod records;
pub(crate) mod rows;
pub(crate) mod server_items;
pub(crate) mod signs;
pub(crate) mod split_pairs;
mod verification;
pub(crate) mod vocabulary;
pub(crate) mod words;

use std::path::{Path, PathBuf};

use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::containers::{Layout, PathStep, RecordReader};
use crate::dialects::Pieces;
use crate::dialects::members::Members;
use crate::json::node::Node;
use crate::live::Signals;
use crate::requests::Wire;
use crate::rewrite::Planner;
use crate::targets::errors::ErrorText;
use crate::targets::{self, Serving};
use crate::transcript::pairs::PairPolicy;
use crate::transcript::unreadable::OnUnreadable;
use crate::transcript::{Action, ActionKind, Code, EventId, PartKind, Request, Transcript};

pub(crate) use crate::requests::{Client, ClientKind, FormatContext};
pub use detection::Detection;
pub(crate) use detection::{Alternative, ConversationCount, FormatSign, RowFilter};
pub(crate) use host::Host;
pub(crate) use host_text::HostText;
pub(crate) use verification::Verification;
pub(crate) use words::result_text;

use about::AboutPlaces;
use blamed::Means;
use head::Sample;
use home::{Home, Resume, SessionList};
use vocabulary::WordSet;

/// A transcript format: facts as data, and the functions that read and write its records.
pub struct Format {
    /// Name as typed: `openhands`.
    pub name: &'static str,
    /// The program that writes it.
    pub host: &'static Host,
    /// Display name.
    pub title: &'static str,
    /// The manual page, Markdown.
    pub page: &'static str,
    /// How the facts about its host were verified.
    pub checked: Verification,
    /// Which format wins if several explain the same records.
    pub rank: Rank,
    /// Finds the records, if the transcript has a sign of this format.
    pub recognize: Recognize,
    /// Whether a record has the members that the format requires. The share of such records decides which format it is.
    pub explains: fn(Node<'_>) -> bool,
    /// Recognizes and reads a record.
    pub records: RecordReader,
    /// Reads the pieces of a record, from which its parts are made.
    pub(crate) pieces: Pieces,
    /// Builds the next request, and does everything that needs more than one record.
    pub project: fn(&FormatContext<'_>) -> Request,
    /// What its host sends as recorded, and where records have it.
    pub(crate) wire: Wire,
    /// The kinds of actions that it can write. Fixes with others are not offered.
    pub(crate) supports: &'static [ActionKind],
    /// A plan of its records, and the writer that changes them.
    pub(crate) planner: for<'a> fn(&'a FormatContext<'a>, &'a Request) -> Planner<'a>,
    /// The text of a record for people: a message, the output of a tool, an error. `None`: it has none, or one that is too
    /// long to keep in memory.
    pub text: fn(&FormatContext<'_>, EventId) -> Option<String>,
    /// The model in the transcript, or the target, if the format or the transcript determines it.
    pub model: fn(&Transcript) -> Option<String>,
    /// What its host does differently from most hosts.
    pub traits: HostTraits,
    /// What to tell the user after the transcript was written.
    pub after_write: &'static str,
}

impl Format {
    /// Finds the records, if the transcript may have a sign of this format.
    pub(crate) fn find(&self, head: &Sample<'_>) -> Option<Layout> {
        let may_be = head.may_have(self.traits.words.as_ref());
        debug_assert!(may_be || (self.recognize)(head).is_none(), "{}", self.name);
        may_be.then(|| (self.recognize)(head)).flatten()
    }

    /// The conversations of a row or a document that has several.
    pub(crate) fn several(&self, head: &Sample<'_>) -> Vec<rows::InsideRow> {
        let find = self.traits.conversations;
        find.map_or_else(Vec::new, |find| find(head))
    }

    /// The target for the model of the agent that a document names, see [`HostTraits::agent_model`].
    pub(crate) fn serving_agent(&self, root: Node<'_>, path: &[PathStep]) -> Option<Serving> {
        let model = (self.traits.agent_model)(root, path)?;
        targets::serving(&model.str()?)
    }

    /// The host that wrote the transcript at this path.
    pub fn host_of(&self, path: &Path, t: &Transcript) -> &'static Host {
        (self.traits.host)(path, t).unwrap_or(self.host)
    }
}

/// How much of a transcript only its own format would write. If several explain the same records, the first one wins.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Records that resemble those of other hosts, with a sign that only they have.
    Signed,
    /// Records of one host.
    Host,
    /// Records that other hosts write with changes. Theirs come first.
    Copied,
    /// Documents with a sign around their messages.
    Document,
    /// Messages of an API, with members or records that one host adds.
    Extended,
    /// Messages of an API, as any program may write them.
    Api,
    /// Messages with a role and content, which are parts of other APIs, too.
    Chat,
    /// Messages of a library, whose content is that of any API.
    Library,
}

impl Rank {
    /// Whether one host writes such records. Any program may write the others: logs have some lines with a role or content,
    /// so such a format must explain every line of a line file.
    pub(crate) fn is_of_a_host(self) -> bool {
        self < Rank::Api
    }
}

/// Lists the files and folders in a folder; none if it cannot be read.
pub(crate) type ListFolder = dyn Fn(&Path) -> Vec<PathBuf>;

/// What a host does differently from most hosts. Formats start from [`HostTraits::NONE`].
#[derive(Copy, Clone, Debug)]
pub struct HostTraits {
    /// What it calls a record that is not a line.
    pub noun: &'static str,
    /// How it pairs results with calls.
    pub pairs: PairPolicy,
    /// Which of several real results of one call it sends.
    pub sends_result: SentResult,
    /// It runs a call again if no result links to its record.
    pub runs_unlinked: bool,
    /// It never looks anything up by a call ID alone, so later turns may reuse IDs if the target accepts that.
    pub takes_reused_ids: bool,
    /// A message whose calls all have IDs of earlier calls is sent with an empty list of calls.
    pub empties_reused_calls: bool,
    /// Calls and results do not need IDs: it pairs by name and order within a turn.
    pub ids_are_optional: bool,
    /// What users should know about a pending call; "" for nothing.
    pub pending_hint: &'static str,
    /// What happens to a pending call; "" if that is unknown.
    pub pending_note: &'static str,
    /// Members of a record that are sent; empty: the whole record is sent.
    pub sent: &'static [&'static [&'static str]],
    /// Members next to the list of messages that are sent.
    pub beside: &'static [&'static [&'static str]],
    /// Texts that the host writes, by which records are recognized.
    pub texts: &'static [&'static [HostText]],
    /// Paths of the list whose items are the parts of a record, in order. The first one that a record has counts.
    pub blocks: &'static [&'static [&'static str]],
    /// The list of a message whose items are calls together with their results, so findings name the item. "": it has none.
    pub joined: &'static str,
    /// What it does with an unreadable record.
    pub unreadable: OnUnreadable,
    /// Records may have no IDs, so a new call ID is made from the place of its record.
    pub names_by_place: bool,
    /// Rules whose damage decides which records are sent, so it is repaired together with that of the tree.
    pub with_tree: &'static [Code],
    /// Whether the thinking in a record must stay at its place, so that an open tool loop with it must stay whole.
    pub thinking_is_bound: fn(&Transcript, EventId) -> bool,
    /// The messages of a request, in order, after which the host sends another one that is not recorded as a message.
    pub sends_beside: fn(&Transcript, &Request) -> Vec<u32>,
    /// Whether it sends a system prompt that it does not record among the messages.
    pub adds_prompt: bool,
    /// How it removes what only the provider's error shows. `None`: it cannot.
    pub blames: Option<&'static Means>,
    /// Whether a file with this name is a transcript that the host has set aside. It is checked only if it is named.
    pub sets_aside: fn(&str) -> bool,
    /// Whether the host never writes to a file at this path, because it identifies it by its hash or keeps it as an original.
    pub never_written: fn(&Path) -> bool,
    /// Which of several hosts with this format wrote the transcript. `None`: the host of the format.
    pub host: fn(&Path, &Transcript) -> Option<&'static Host>,
    /// Why the host's index would miss a repair that keeps the modification time of the file, as text; `None`: it would not.
    pub watches_mtime: fn(&Path, &Transcript) -> Option<&'static str>,
    /// Plans the lines that append the repaired state as a new branch, for hosts whose records have parents and that continue
    /// after the last record. `None`: repairs are only written in place.
    pub branch: Option<PlanBranch>,
    /// It never looks up a record by ID, and sends calls and results in recorded order, so replaced IDs are not worth a
    /// warning.
    pub needs_no_ids: bool,
    /// A record replaces an earlier one with the same ID.
    pub replaces_by_id: bool,
    /// The target of the only API that its host uses, whatever model a transcript names.
    pub api: Option<&'static str>,
    /// Another form of its records, which is read as a format of its own, if these are in it and the user named no target.
    pub form: fn(&Detection, &Transcript) -> Option<&'static Format>,
    /// Many providers serve its API: the recorded model shows which one. `None`: what [`Format::model`] returns is certain.
    pub shared_api: Option<for<'t> fn(&'t Transcript) -> Option<&'t str>>,
    /// The model of the agent in the document around conversations, or around the text at this path that holds one.
    pub agent_model: for<'a> fn(Node<'a>, &[PathStep]) -> Option<Node<'a>>,
    /// What users can do about damage instead of a repair, as part of a sentence, if no transcript is repaired.
    pub instead_of_repair: Option<&'static str>,
    /// Words of which each single file with a sign of this format has one. `None`: it may have none.
    pub(crate) words: Option<WordSet>,
    /// A file may have many conversations, one in each line or array element.
    pub rows: bool,
    /// Words of which each line has one that is such a row, outside of text that has its conversation. `None`: it may have none.
    pub(crate) row_words: Option<WordSet>,
    /// Members of a document that have such rows.
    pub rows_in: &'static [&'static str],
    /// From the name of a file in an archive, the ID of the row that the file is. `None`: it is not a row.
    pub row_file: fn(&str) -> Option<&str>,
    /// Paths from a row to its messages: an empty list there is a row without any.
    pub(crate) row_lists: &'static [&'static [PathStep]],
    /// The conversations of a row or a document that has several, or one in another way than as a list. None: it has the
    /// recognized one.
    pub(crate) conversations: Option<fn(&Sample<'_>) -> Vec<rows::InsideRow>>,
    /// Whether it can write an action of a supported kind for these records. Other actions are not offered.
    pub has_place: fn(&Transcript, &Action) -> bool,
    /// Notes about records that a version of the host rejects, although the transcript is healthy.
    pub cannot_load: &'static [CannotLoad],
    /// The errors of the host when it cannot continue a session.
    pub errors: &'static [ErrorText],
    /// The target for which transcripts without a sign of any format are read as this format, and how their records are
    /// found.
    pub unsigned: Option<(&'static str, Recognize)>,
    /// Kinds of clients that read one transcript differently, newest first; empty: all read it alike.
    pub clients: &'static [ClientKind],
    /// The kind of the client that wrote last. `None`: its version is not recorded, or not known to be of a kind.
    pub recorded_by: fn(&Transcript) -> Option<Client>,
    /// What the members of its records hold, where that is not as in most formats.
    pub(crate) members: Members,
    /// Where records have what a session is about.
    pub about: AboutPlaces,
    /// Where its hosts keep transcripts.
    pub homes: &'static [Home],
    /// Where they keep the list of the sessions that users can choose from. `None`: they look for files, or it is not known.
    pub(crate) list: Option<SessionList>,
    /// Finds the transcript of the session that started this one, from its path, its first records, and folder listings.
    pub started_by: fn(&Path, &Sample<'_>, &ListFolder) -> Option<PathBuf>,
    /// How to resume the session at this path. `None`: its host cannot.
    pub resume: fn(&FormatContext<'_>, &Path) -> Option<Resume>,
    /// Whether a container can be repaired in place, rather than only as a copy.
    pub in_place: fn(&Layout) -> bool,
    /// The host's ID of the session.
    pub session: fn(&FormatContext<'_>) -> Option<String>,
    /// How damage affects it, where that differs from the rule's severity.
    pub(crate) policy: &'static [policy::PolicyRow],
    /// Where it shows that it is running. The caller adds the files of the transcript.
    pub signs: fn(&Path, &Transcript) -> Signals,
}

/// Which of several real results of one call a host sends. Of those that it leaves out, the model has seen nothing since.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SentResult {
    /// Unknown, or all of them.
    Any,
    First,
    Last,
}

/// A note about records that a version of the host cannot load, and its text in a verdict.
#[derive(Copy, Clone, Debug)]
pub struct CannotLoad {
    /// The message of the note.
    pub note: &'static str,
    /// The text after `1 record`.
    pub one: &'static str,
    /// The text after `2 records`.
    pub many: &'static str,
}

impl HostTraits {
    /// No differences.
    pub const NONE: HostTraits = HostTraits {
        noun: "record",
        pairs: PairPolicy::CONVERSATION,
        sends_result: SentResult::Any,
        runs_unlinked: false,
        takes_reused_ids: false,
        empties_reused_calls: false,
        ids_are_optional: false,
        pending_hint: "",
        pending_note: "",
        sent: &[],
        beside: &[],
        texts: &[],
        blocks: &[],
        joined: "",
        unreadable: OnUnreadable::FAILS,
        names_by_place: false,
        with_tree: &[],
        thinking_is_bound: |t, event| t.part_of(event, PartKind::Thinking).is_some(),
        sends_beside: |_, _| Vec::new(),
        adds_prompt: false,
        blames: None,
        sets_aside: |_| false,
        never_written: |_| false,
        host: |_, _| None,
        in_place: |_| true,
        session: |_| None,
        policy: &[],
        signs: |_, _| Signals::default(),
        watches_mtime: |_, _| None,
        branch: None,
        needs_no_ids: false,
        replaces_by_id: false,
        api: None,
        form: |_, _| None,
        shared_api: None,
        agent_model: |_, _| None,
        instead_of_repair: None,
        words: None,
        rows: false,
        row_words: None,
        rows_in: &[],
        row_file: |_| None,
        row_lists: &[],
        conversations: None,
        has_place: |_, _| true,
        cannot_load: &[],
        errors: &[],
        unsigned: None,
        clients: &[],
        recorded_by: |_| None,
        members: Members::NONE,
        about: AboutPlaces::NOTHING,
        homes: &[],
        list: None,
        started_by: |_, _, _| None,
        resume: |_, _| None,
    };
}

/// Plans the edits that append a repair as a new branch, given the transcript before and after a repair in place.
pub(crate) type PlanBranch =
    fn(&FormatContext<'_>, &FormatContext<'_>) -> Result<Vec<Edit>, CannotDo>;

/// Finds the records, if the transcript has a sign of a format.
pub(crate) type Recognize = fn(&Sample<'_>) -> Option<Layout>;

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
