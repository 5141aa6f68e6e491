//! A pasted text, read once for all recordings: which known texts are in it, and what they name.

use std::sync::OnceLock;

use regex::{Captures, Regex};

use super::listed;
use super::normalize::{DENSE, Normal, is_token, normalize};
use super::tables;
use crate::targets::errors::{At, ErrorTable, Text};

/// Characters of an id in a text; `…` stands for what somebody left out.
const TOKEN: &str = "[A-Za-z0-9_.:|/@+=…-]+";
/// Places that are taken from one text, at most.
const MOST: usize = 100;
/// Shortest beginning of an id that is searched for.
const SHORTEST: usize = 6;
/// Characters of a pattern without its place, at least: it must still be a sentence of its own.
const SENTENCE: usize = 24;
/// Ids that are taken from one list, at most.
pub(super) const IDS: usize = 1000;

/// A text that was recognized.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    /// Its words.
    pub words: String,
    /// Who says it.
    pub table: usize,
    /// Which of the table's texts.
    pub row: usize,
    /// The number of the message, as it stands there.
    pub index: Option<u32>,
    /// The number of the block in the message, and of the block inside that one.
    pub block: Option<u32>,
    pub inner: Option<u32>,
    /// The ids, as they stand there: a dot behind the last one may be the sentence's.
    pub ids: Vec<String>,
    /// It names a call without an id.
    pub nameless: bool,
    /// The last id stands at the end of a line, so that the next one may go on with it.
    pub open: bool,
}

impl Heard {
    /// Whether it names the same as another one of the same text.
    fn is_same(&self, other: &Heard) -> bool {
        let place = |heard: &Heard| {
            (
                heard.table,
                heard.row,
                heard.index,
                heard.block,
                heard.inner,
            )
        };
        let rest = |heard: &Heard| (heard.nameless, heard.open);
        place(self) == place(other) && rest(self) == rest(other) && self.ids == other.ids
    }
}

/// Whose texts count first.
#[derive(Copy, Clone, Debug)]
pub(super) struct Own {
    /// The name of the target that a recording is judged for.
    pub target: &'static str,
    /// The name of its format.
    pub format: &'static str,
}

impl Own {
    /// The place of a table: the lowest is heard first.
    pub(super) fn rank(self, table: &ErrorTable) -> usize {
        match table.name {
            name if name == self.target => 0,
            _ if table.is_provider() => 1,
            name if name == self.format => 2,
            _ => 3,
        }
    }
}

/// A pasted text.
#[derive(Debug)]
pub(crate) struct Paste {
    pub(super) tables: Vec<ErrorTable>,
    /// What each table hears in each of the forms; all of one hearing are of one table.
    pub(super) forms: [Vec<Vec<Heard>>; 3],
    /// Only pieces of known texts are in it, so an id may stand elsewhere than the whole text has it.
    pub(super) pieces: bool,
    /// Every token of the text that might be an id.
    pub(super) tokens: Vec<String>,
}

impl Paste {
    /// Reads a text, with the texts of all providers and hosts.
    pub(crate) fn read(text: &str) -> Paste {
        let tables = tables::all();
        let normal = normalize(text);
        let mut forms = heard_in(&tables, &normal, Cut::Whole);
        let pieces = forms.iter().all(Vec::is_empty);
        if pieces {
            forms = heard_in(&tables, &normal, Cut::Headless);
        }
        Paste {
            forms,
            pieces,
            tokens: tokens(&normal),
            tables,
        }
    }

    /// What one form of it says for a recording: the table of its target counts first, then those of other providers,
    /// then that of its format.
    pub(super) fn heard(&self, form: usize, own: Own) -> Option<&[Heard]> {
        let rank = |heard: &&Vec<Heard>| {
            let table = heard.first().map(|heard| self.table(heard));
            table.map_or(usize::MAX, |table| own.rank(table))
        };
        self.forms
            .get(form)?
            .iter()
            .min_by_key(rank)
            .map(Vec::as_slice)
    }

    /// Words that stand, byte for byte, in a recording that holds an id of the text; also in others. Of a known text only its
    /// ids, else everything that is shaped like one. None: nothing in it leads to one recording among many.
    pub(crate) fn needles(&self) -> Vec<String> {
        let heard = self
            .forms
            .iter()
            .flatten()
            .flatten()
            .flat_map(|heard| &heard.ids);
        let mut needles: Vec<String> = heard.filter_map(|id| needle(id)).collect();
        if self.forms.iter().all(Vec::is_empty) || (self.pieces && needles.is_empty()) {
            let shaped = |word: &String| {
                word.contains(['_', '-', ':']) && word.bytes().any(|byte| byte.is_ascii_digit())
            };
            needles = self
                .tokens
                .iter()
                .filter_map(|word| needle(word))
                .filter(shaped)
                .collect();
        }
        needles.sort_unstable();
        needles.dedup();
        // What a shorter one finds, a longer one needs not look for.
        let all = needles.clone();
        needles.retain(|own| {
            !all.iter()
                .any(|other| other != own && own.starts_with(other.as_str()))
        });
        needles.truncate(IDS);
        needles
    }

    pub(super) fn table(&self, heard: &Heard) -> &ErrorTable {
        &self.tables[heard.table]
    }

    pub(super) fn text(&self, heard: &Heard) -> &'static Text {
        &self.tables[heard.table].texts[heard.row]
    }
}

/// How much of a known text must be there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Cut {
    Whole,
    /// A piece will do, and the place in front of it may be missing: people paste from where the words begin, and hosts
    /// match so.
    Headless,
}

/// What each table hears in each of the forms.
fn heard_in(tables: &[ErrorTable], normal: &Normal, cut: Cut) -> [Vec<Vec<Heard>>; 3] {
    let mut forms = [const { Vec::new() }; 3];
    for form in 0..=DENSE {
        // Without a line break the second form is the first, and an id has a clear end there: blanks are taken out only of
        // a text that has lost some, or won some.
        let heard_already = forms
            .iter()
            .any(|heard: &Vec<Vec<Heard>>| !heard.is_empty());
        if normal.breaks.is_empty() && (form == 1 || form == DENSE && heard_already) {
            continue;
        }
        let hear = |table: usize| hear(tables, table, normal, (form, cut));
        forms[form] = (0..tables.len())
            .map(hear)
            .filter(|heard| !heard.is_empty())
            .collect();
    }
    forms
}

/// What a table hears in a form: every place where its first matching text matches. Texts that list several faults at
/// once are taken together.
fn hear(
    tables: &[ErrorTable],
    table: usize,
    normal: &Normal,
    (form, cut): (usize, Cut),
) -> Vec<Heard> {
    let text = &normal.forms[form];
    let patterns = &all(tables, form, cut)[table];
    let mut out: Vec<Heard> = Vec::new();
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
            let mut heard = from(&captures);
            (heard.table, heard.row) = (table, row);
            if let Some(ids) = captures
                .name("ids")
                .or_else(|| captures.name("id"))
                .filter(|_| form == 0)
            {
                let last = captures.get(0).is_some_and(|all| all.end() == ids.end());
                heard.open = last && normal.goes_on(ids.end());
                // Without a mark that may end a sentence it is as likely the beginning of an id as an id.
                if heard.open && !ids.as_str().ends_with(['.', ',', ':']) {
                    heard.ids.pop();
                }
            }
            if known.listed {
                let list = listed.get_or_insert_with(|| listed::calls(&normal.levels));
                heard.ids = list.ids.iter().take(IDS).cloned().collect();
                heard.nameless = list.nameless;
            }
            if heard.index.is_none() && matches!(known.at, At::This | At::Behind) {
                heard.index = *beside.get_or_insert_with(|| parameter(text));
            }
            // A later text of the list may be more general: what an earlier one took is not taken again.
            let taken = several && out.iter().any(|other| other.index == heard.index);
            if !taken && !out.iter().any(|other| other.is_same(&heard)) {
                out.push(heard);
            }
            kind = Some(known.at);
        }
    }
    out
}

/// The beginning of an id that is recorded like that: up to what was left out, without the sentence's end and without words
/// that hang on it. `None`: too short to tell anything.
fn needle(id: &str) -> Option<String> {
    let id = id
        .split_once('…')
        .or_else(|| id.split_once("..."))
        .map_or(id, |(head, _)| head);
    let id = without_words(id).trim_end_matches(['.', ':', ',']);
    (id.len() >= SHORTEST).then(|| id.to_owned())
}

/// An id without the sentence that hangs on it where blanks are gone: `toolu_1.Eachtool_use`.
pub(super) fn without_words(id: &str) -> &str {
    let hangs =
        |(at, _): &(usize, &str)| id[at + 1..].starts_with(|c: char| c.is_ascii_uppercase());
    id.match_indices('.')
        .find(hangs)
        .map_or(id, |(at, _)| &id[..at])
}

/// Whether what follows an id in a list is the next member of what the text was printed from: `type:`, `code=400`.
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

fn from(captures: &Captures<'_>) -> Heard {
    let group = |name| captures.name(name).map(|group| group.as_str());
    let number = |name| group(name).and_then(|number| number.parse().ok());
    let bare = |id: &str| {
        id.trim_matches(|c: char| c.is_whitespace() || "\\'\"`".contains(c))
            .to_owned()
    };
    let mut ids = group("ids")
        .or_else(|| group("id"))
        .unwrap_or("")
        .split(',')
        .map(bare);
    let first = ids.next();
    let ids = first.into_iter().chain(ids.take_while(|id| !is_key(id)));
    Heard {
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

/// The number in `messages.[2].role`, which OpenAI tells beside the text.
fn parameter(text: &str) -> Option<u32> {
    let regex = Regex::new(r"messages\.?\[([0-9]+)\]\.(?:role|content|tool_call)").ok()?;
    regex.captures(text)?.get(1)?.as_str().parse().ok()
}

/// Patterns by table and row.
type Patterns = Vec<Vec<Option<Regex>>>;

/// All patterns for one form, by table and row.
fn all(tables: &[ErrorTable], form: usize, cut: Cut) -> &'static [Vec<Option<Regex>>] {
    static FORMS: [[OnceLock<Patterns>; 3]; 2] = [const { [const { OnceLock::new() }; 3] }; 2];
    FORMS[usize::from(cut == Cut::Headless)][form].get_or_init(|| {
        let one = |text: &Text| match cut {
            Cut::Whole if text.piece => None,
            Cut::Headless if text.piece => compiled(text.pattern, form),
            Cut::Whole => compiled(text.pattern, form),
            Cut::Headless => headless(text.pattern).and_then(|pattern| compiled(&pattern, form)),
        };
        tables
            .iter()
            .map(|table| table.texts.iter().map(one).collect())
            .collect()
    })
}

/// A table's pattern without the place in front of it; `None` where there is none, or where too little is left to be told
/// from other texts.
fn headless(pattern: &str) -> Option<String> {
    const PLACES: [&str; 3] = ["{L}", r"messages\.{n}\.content\.{m}", r"messages\.{n}"];
    let behind = PLACES
        .iter()
        .find_map(|place| pattern.strip_prefix(place))?;
    let rest = behind
        .strip_prefix(": ")
        .or_else(|| behind.strip_prefix(r"\."))?;
    // What follows a bar at the top is another text, with a place of its own.
    let mut depth = 0_usize;
    let bar = rest.bytes().any(|byte| {
        depth = match byte {
            b'(' => depth + 1,
            b')' => depth.saturating_sub(1),
            _ => depth,
        };
        byte == b'|' && depth == 0
    });
    (rest.len() >= SENTENCE && !bar).then(|| rest.to_owned())
}

/// A table's pattern for one form. `None` only for a pattern that is none, which a test excludes.
fn compiled(pattern: &str, form: usize) -> Option<Regex> {
    let place =
        r"messages\.{n}(?:\.content\.(?<m>[0-9]+)(?:\.tool_result\.content\.(?<k>[0-9]+))?)?";
    let blank = if form == DENSE { "" } else { " ?" };
    // A quote that closes nothing ends the list: in `call_1.","type":` it is the end of the text, and a key follows.
    let quoted = ["'", "`", "\""]
        .map(|quote| format!(r"\\*{quote}{TOKEN}\\*{quote}"))
        .join("|");
    let list = |one: &str| format!("(?:{one})(?:{{s}},{{s}}(?:{one}))*");
    let ids = format!("(?<ids>{}|{{q}}{})", list(&quoted), list(TOKEN));
    // Without blanks, `ids` ends where the known text goes on only if that is no part of an id; who looks ids up knows.
    let mut out = pattern
        .replace("{L}", place)
        .replace("{n}", "(?<n>[0-9]+)")
        .replace("{m}", "(?:[0-9]+)")
        .replace("{ids}", &ids)
        .replace("{id}", &format!("(?<id>{TOKEN})"))
        .replace("{q}", r#"\\*['"`]?"#);
    if form == DENSE {
        out.retain(|c| c != ' ');
    }
    Regex::new(&out.replace("{s}", blank)).ok()
}

/// Every run of characters that ids are made of, in the first two forms. What a line break may have cut is left out.
fn tokens(normal: &Normal) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (form, text) in normal.forms[..DENSE].iter().enumerate() {
        let mut at = 0;
        for word in text.split(|c| !is_token(c)) {
            let (start, end) = (at, at + word.len());
            at = end + text[end..].chars().next().map_or(0, char::len_utf8);
            let cut = form == 0
                && (normal.goes_on(end)
                    || start.checked_sub(1).is_some_and(|at| normal.goes_on(at)));
            if word.len() > 5 && !cut && out.len() < 10_000 {
                out.push(word.to_owned());
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
#[path = "paste_tests.rs"]
mod tests;
