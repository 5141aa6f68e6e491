//! A pasted text, read once for all transcripts: which known texts it contains, and what they name.

use super::patterns::{Coverage, patterns};

use regex::{Captures, Regex};

use super::likeness;
use super::listed;
use super::mentions;
use super::normalize::{DENSE, Normal, is_token, normalize};
use super::tables;
use crate::targets;
use crate::targets::errors::{At, ErrorTable, ErrorText};

/// Most matches taken from one text.
const MOST: usize = 100;
/// Shortest prefix of an ID that is searched for, in bytes.
const SHORTEST: usize = 6;
/// Most IDs taken from one list.
pub(super) const IDS: usize = 1000;

/// A recognized text.
#[derive(Clone, Debug)]
pub(super) struct Matched {
    pub words: String,
    /// Index of the table that it is from.
    pub table: usize,
    /// Index of the text in the table.
    pub row: usize,
    /// The number of the message, as written.
    pub index: Option<u32>,
    /// The number of the block in the message, and of the block inside that one.
    pub block: Option<u32>,
    pub inner: Option<u32>,
    /// The IDs as written. A dot after the last one may end the sentence.
    pub ids: Vec<String>,
    /// Whether it names a call without an ID.
    pub nameless: bool,
    /// Whether the last ID is at the end of a line, so that the next line may continue it.
    pub open: bool,
}

impl Matched {
    /// A text, given by its table and row, that a paste is like.
    pub(super) fn alike((table, row): (usize, usize), index: Option<u32>) -> Matched {
        Matched {
            words: String::new(),
            table,
            row,
            index,
            block: None,
            inner: None,
            ids: Vec::new(),
            nameless: false,
            open: false,
        }
    }

    /// Whether it names the same things as another match.
    fn is_same(&self, other: &Matched) -> bool {
        let places = [self, other].map(|own| (own.table, own.row, own.index, own.block, own.inner));
        places[0] == places[1]
            && self.nameless == other.nameless
            && self.open == other.open
            && self.ids == other.ids
    }
}

/// Whose texts take precedence.
#[derive(Copy, Clone, Debug)]
pub(super) struct Preferred {
    /// Name of the target that the transcript is checked against.
    pub target: &'static str,
    pub format: &'static str,
}

impl Preferred {
    /// The texts of the table with this name.
    pub(super) fn of(tables: &[ErrorTable], name: &str) -> Preferred {
        let target = tables.iter().find(|table| table.name == name).map_or("", |table| table.name);
        Preferred { target, format: "" }
    }

    /// The rank of a table; the lowest takes precedence.
    pub(super) fn rank(self, table: &ErrorTable) -> usize {
        match table.name {
            name if name == self.target => 0,
            _ if table.is_provider() => 1,
            name if name == self.format => 2,
            _ => 3,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Paste {
    pub(super) tables: Vec<ErrorTable>,
    /// The matches in each of the forms, grouped by table.
    pub(super) forms: [Vec<Vec<Matched>>; 3],
    /// Whether only parts of known texts matched, so that an ID may be elsewhere than in the whole
    /// text.
    pub(super) pieces: bool,
    /// Whether it is only like a known text, of which words are missing.
    pub(super) is_alike: bool,
    /// Every token of the text that may be an ID.
    pub(super) tokens: Vec<String>,
    /// The words between quotes or backticks.
    pub(super) quoted: Vec<String>,
    /// The text in one line, without what terminals and quoting put into it.
    pub(super) plain: String,
}

impl Paste {
    /// Matches a text that a person pasted against the known texts of all providers and hosts. Words of it may be missing.
    pub(crate) fn read(text: &str) -> Paste {
        let mut paste = Paste::recorded(text);
        if paste.forms.iter().all(Vec::is_empty) {
            paste.forms[0] = likeness::find(&paste.tables, &paste.plain);
            paste.is_alike = !paste.forms[0].is_empty();
        }
        paste
    }

    /// Matches a text that a program recorded.
    pub(crate) fn recorded(text: &str) -> Paste {
        let tables = tables::all();
        let normal = normalize(text);
        let mut forms = match_forms(&tables, &normal, Coverage::Whole);
        let pieces = forms.iter().all(Vec::is_empty);
        if pieces {
            forms = match_forms(&tables, &normal, Coverage::WithoutPlace);
        }
        Paste {
            forms,
            pieces,
            is_alike: false,
            tokens: tokens(&normal),
            quoted: mentions::quoted(&normal.forms[0]),
            plain: normal.forms[0].clone(),
            tables,
        }
    }

    /// The matches in one form that take precedence for a transcript: those of the table of its
    /// target, then of other providers, then of its format.
    pub(super) fn matched(&self, form: usize, preferred: Preferred) -> Option<&[Matched]> {
        self.forms
            .get(form)?
            .iter()
            .min_by_key(|matched| {
                let table = matched.first().map(|matched| self.table(matched));
                table.map_or(usize::MAX, |table| preferred.rank(table))
            })
            .map(Vec::as_slice)
    }

    /// Words to search transcripts for: a transcript with an ID of the text contains one of them,
    /// byte for byte. For a known text, only its IDs; else everything that has the shape of an ID.
    /// Empty if nothing in the text can identify a transcript.
    pub(crate) fn needles(&self) -> Vec<String> {
        let matched = self.forms.iter().flatten().flatten().flat_map(|matched| &matched.ids);
        let mut needles: Vec<String> = matched.filter_map(|id| needle(id)).collect();
        if self.forms.iter().all(Vec::is_empty) || (self.pieces && needles.is_empty()) {
            needles = self.shaped();
        } else if needles.is_empty() {
            needles = self.shaped().into_iter().filter(|word| is_unique(word)).collect();
        }
        needles.sort_unstable();
        needles.dedup();
        // A word finds everything that its longer forms would find.
        let all = needles.clone();
        needles.retain(|needle| {
            !all.iter().any(|other| other != needle && needle.starts_with(other.as_str()))
        });
        needles.truncate(IDS);
        needles
    }

    /// Whether it is nothing but an ID.
    pub(crate) fn is_id(&self) -> bool {
        let word = self.plain.as_str();
        let is_of_call = word.len() > SHORTEST
            && word.contains('_')
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        is_unique(word) || is_of_call
    }

    /// Its words that have the shape of an ID.
    pub(super) fn shaped(&self) -> Vec<String> {
        let words = self.tokens.iter().filter_map(|word| needle(word));
        words
            .filter(|word| {
                word.contains(['_', '-', ':']) && word.bytes().any(|byte| byte.is_ascii_digit())
            })
            .collect()
    }

    /// The same, with those that are too short to find a transcript by.
    pub(super) fn shaped_or_short(&self) -> Vec<String> {
        let words = self.plain.split(|c| !is_token(c));
        let words = words.map(|word| word.trim_end_matches(['.', ':', ',']));
        let short = words.filter(|word| {
            let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
            let has_number = word.contains('_') && word.bytes().any(|byte| byte.is_ascii_digit());
            (SHORTEST - 2..SHORTEST).contains(&word.len()) && begins && has_number
        });
        let mut all = self.shaped();
        all.extend(short.map(str::to_owned));
        all
    }

    pub(super) fn table(&self, matched: &Matched) -> &ErrorTable {
        &self.tables[matched.table]
    }

    pub(super) fn text(&self, matched: &Matched) -> &'static ErrorText {
        &self.tables[matched.table].texts[matched.row]
    }
}

/// The matches in each of the forms, grouped by table.
fn match_forms(
    tables: &[ErrorTable],
    normal: &Normal,
    coverage: Coverage,
) -> [Vec<Vec<Matched>>; 3] {
    let mut forms = [const { Vec::new() }; 3];
    for form in 0..=DENSE {
        // Without line breaks the second form equals the first, and IDs have a clear end in it:
        // spaces are removed only from a text that was wrapped or matched nothing.
        let has_matches = forms.iter().any(|matched: &Vec<Vec<Matched>>| !matched.is_empty());
        if normal.breaks.is_empty() && (form == 1 || form == DENSE && has_matches) {
            continue;
        }
        forms[form] = (0..tables.len())
            .map(|table| match_table(tables, table, normal, (form, coverage)))
            .filter(|matched| !matched.is_empty())
            .collect();
    }
    forms
}

/// The matches of a table in a form: every place where its first matching text matches. Texts that
/// list several faults at once are combined.
fn match_table(
    tables: &[ErrorTable],
    table: usize,
    normal: &Normal,
    (form, coverage): (usize, Coverage),
) -> Vec<Matched> {
    let text = &normal.forms[form];
    let patterns = &self::patterns(tables, form, coverage)[table];
    let mut out: Vec<Matched> = Vec::new();
    let (mut kind, mut listed, mut beside) = (None, None, None);
    for (row, known) in tables[table].texts.iter().enumerate() {
        let several = matches!(known.at, At::Member | At::Parameter);
        if kind.is_some_and(|kind| kind != known.at || !several) {
            continue;
        }
        let Some(regex) = &patterns[row] else {
            continue;
        };
        for captures in regex.captures_iter(text).take(MOST) {
            let mut matched = from_captures(&captures);
            (matched.table, matched.row) = (table, row);
            if let Some(ids) =
                captures.name("ids").or_else(|| captures.name("id")).filter(|_| form == 0)
            {
                let last = captures.get(0).is_some_and(|all| all.end() == ids.end());
                matched.open = last && normal.is_wrapped_at(ids.end());
                // Without punctuation after it, this is as likely the start of an ID as an ID.
                if matched.open && !ids.as_str().ends_with(['.', ',', ':']) {
                    matched.ids.pop();
                }
            }
            if known.listed {
                let list = listed.get_or_insert_with(|| listed::calls(&normal.levels));
                matched.ids = list.ids.iter().take(IDS).cloned().collect();
                matched.nameless = list.nameless;
            }
            if matched.index.is_none() && matches!(known.at, At::This | At::Behind) {
                matched.index = *beside.get_or_insert_with(|| parameter(text));
            }
            // A later text of the table may be more general: what an earlier one matched is not
            // matched again.
            let taken = several && out.iter().any(|other| other.index == matched.index);
            if !taken && !out.iter().any(|other| other.is_same(&matched)) {
                out.push(matched);
            }
            kind = Some(known.at);
        }
    }
    out
}

/// The start of an ID as recorded: up to what was left out, without the punctuation of the sentence
/// and without words attached to it. `None` if it is too short to identify anything.
fn needle(id: &str) -> Option<String> {
    let id = id.split_once('…').or_else(|| id.split_once("...")).map_or(id, |(head, _)| head);
    let id = without_words(id).trim_end_matches(['.', ':', ',']);
    (id.len() >= SHORTEST).then(|| id.to_owned())
}

/// Whether a word is an ID that no other session has: that of a session, of a request, or of a call in the shape of a provider.
fn is_unique(word: &str) -> bool {
    let is_uuid = word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let is_request = word.strip_prefix("req_").is_some_and(|rest| rest.len() > 8);
    is_uuid || is_request || targets::by_call_id(word).is_some()
}

/// An ID without the sentence that follows it directly if spaces are missing:
/// `toolu_1.Eachtool_use`.
pub(super) fn without_words(id: &str) -> &str {
    id.match_indices('.')
        .find(|(at, _)| id[at + 1..].starts_with(|c: char| c.is_ascii_uppercase()))
        .map_or(id, |(at, _)| &id[..at])
}

/// Whether what follows an ID in a list is the next member of the printed object: `type:`,
/// `code=400`.
fn is_key(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    let mut rest = name.chars();
    let sets = match rest.next() {
        Some(':') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c == '=',
        None => false,
    };
    sets && name.len() < word.len()
}

fn from_captures(captures: &Captures<'_>) -> Matched {
    let group = |name| captures.name(name).map(|group| group.as_str());
    let number = |name| group(name).and_then(|number| number.parse().ok());
    let mut ids =
        group("ids").or_else(|| group("id")).unwrap_or("").split(',').map(|id| {
            id.trim_matches(|c: char| c.is_whitespace() || "\\'\"`".contains(c)).to_owned()
        });
    let first = ids.next();
    let ids = first.into_iter().chain(ids.take_while(|id| !is_key(id)));
    Matched {
        words: captures.get(0).map_or("", |all| all.as_str()).to_owned(),
        table: 0,
        row: 0,
        index: number("n"),
        block: number("m"),
        inner: number("k"),
        ids: ids.filter(|id| !id.is_empty()).take(IDS).collect(),
        nameless: false,
        open: false,
    }
}

/// The number in `messages.[2].role`, which OpenAI reports in a member next to the text.
fn parameter(text: &str) -> Option<u32> {
    let regex = Regex::new(
        r"(?:messages|input)\.?\[([0-9]+)\]\.(?:role|content|tool_call|call_id|id|name|type)",
    )
    .ok()?;
    regex.captures(text)?.get(1)?.as_str().parse().ok()
}

/// Every run of characters that IDs may contain, in the first two forms, except those that a line
/// break may have cut.
fn tokens(normal: &Normal) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (form, text) in normal.forms[..DENSE].iter().enumerate() {
        let mut at = 0;
        for word in text.split(|c| !is_token(c)) {
            let (start, end) = (at, at + word.len());
            at = end + text[end..].chars().next().map_or(0, char::len_utf8);
            let coverage = form == 0
                && (normal.is_wrapped_at(end)
                    || start.checked_sub(1).is_some_and(|at| normal.is_wrapped_at(at)));
            if word.len() > 5 && !coverage && out.len() < 10_000 {
                out.push(word.to_owned());
                // What was left out before an ID may begin in another word.
                out.extend(word.rsplit_once("...").map(|(_, rest)| rest.to_owned()));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
#[path = "mangled_tests.rs"]
mod mangled;
#[cfg(test)]
#[path = "paste_tests.rs"]
mod tests;
