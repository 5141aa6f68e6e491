//! The difference of what the provider would receive: a line per call, result and text, in the order of the request, and
//! what changed in the content of each message.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use super::pointer::{ChangedPlace, changes};
use super::records::member;
use super::sides;
use super::words::ColoredWords;
use crate::bytes::source::{Entries, Span};
use crate::engine::Judged;
use crate::format::FormatContext;
use crate::json::node::{Node, Owned};
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{RecordEnd, Tape};
use crate::outputs::OutputStyle;
use crate::outputs::paint::{Tone, paint};
use crate::report::redact::{Redactor, StringKind};
use crate::report::text::{ReportIds, Shown, fit};
use crate::transcript::request::Sent;
use crate::transcript::{EventId, Origin, Part, PartKind, Role, State};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Longest record whose members are compared, in bytes; a longer one is compared as a whole.
const LONGEST: u64 = 8 << 20;

/// A request: what would be sent of a transcript.
pub struct RequestText<'a> {
    context: FormatContext<'a>,
    judged: &'a Judged,
    reader: &'a Redactor,
    /// The document around the messages, or the host's state next to them.
    state: Option<EventId>,
    lines: Vec<RequestLine>,
}

/// One line of a request. Two are equal if all but the position is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RequestLine {
    /// Position of the message in the request, from 0; `None`: it is next to the messages, as a system prompt may.
    message: Option<u32>,
    words: String,
    ids: Vec<Shown>,
    /// Of the first line of a record: the record, and a hash of what the provider gets of it.
    content: Option<(EventId, u64)>,
}

impl RequestLine {
    /// What it is, whatever it says.
    fn name(&self) -> (&str, &[Shown]) {
        (&self.words, &self.ids)
    }

    fn text(&self, ids: &ReportIds) -> String {
        let number = self.message.map(|n| n.to_string()).unwrap_or_default();
        let list: Vec<String> = self.ids.iter().map(|id| ids.text(id)).collect();
        format!("{number:>5}  {}  {}", self.words, list.join("  "))
    }
}

impl<'a> RequestText<'a> {
    /// The request of the view that is shown. `name`: of the transcript's file or folder.
    ///
    /// # Errors
    /// The transcript cannot be read.
    pub fn of(
        entries: &'a dyn Entries,
        judged: &'a Judged,
        name: &'a str,
        reader: &'a Redactor,
    ) -> io::Result<RequestText<'a>> {
        let context = judged.context(0, entries, name, false);
        let state = judged.transcript.host_state();
        let mut text = RequestText { context, judged, reader, state, lines: Vec::new() };
        text.lines.extend(text.beside()?);
        let mut before = None;
        for sent in &judged.request().order {
            let mut lines = text.item(sent);
            // The results and the rest of one message are two items of one record.
            if before != Some(sent.event)
                && let Some(first) = lines.first_mut()
            {
                first.content = Some((sent.event, text.hash(sent.event)?));
            }
            before = Some(sent.event);
            text.lines.extend(lines);
        }
        Ok(text)
    }

    /// What is next to the messages in a request that was recorded as it was sent.
    fn beside(&self) -> io::Result<Option<RequestLine>> {
        let Some(state) = self.state else {
            return Ok(None);
        };
        if self.record(state)?.is_none_or(|record| self.sent(state, &record).is_empty()) {
            return Ok(None);
        }
        let content = Some((state, self.hash(state)?));
        Ok(Some(RequestLine {
            message: None,
            words: "system     prompt".to_owned(),
            ids: Vec::new(),
            content,
        }))
    }

    fn item(&self, sent: &Sent) -> Vec<RequestLine> {
        let (t, request) = (&self.judged.transcript, self.judged.request());
        let message = request.api_index(sent.event);
        let role = match sent.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            // It is not sent, but closes the turn before it.
            Role::Nobody | Role::HostState => "-",
        };
        let record = t.text(t.event(sent.event).id);
        let line = |what: &str, call: &str| RequestLine {
            message,
            words: format!("{role:<9}  {what}"),
            ids: [(StringKind::Call, call), (StringKind::Record, record)]
                .into_iter()
                .filter(|(_, id)| !id.is_empty())
                .map(|(is, id)| Shown::of(is, id).read_by(self.reader))
                .collect(),
            content: None,
        };
        if sent.summary {
            return vec![RequestLine { message: None, ..line("summary of what was left out", "") }];
        }
        let mut out = Vec::new();
        let mut other: Vec<&str> = Vec::new();
        for part in sent.parts.clone().map(|part| t.part(part)) {
            let tool = Shown::of(StringKind::Name, t.text(part.tool)).read_by(self.reader);
            let id = t.text(part.sent_id.or(part.id));
            match part.kind {
                PartKind::Call => out.push(line(&format!("call {tool}"), id)),
                PartKind::Result => out.push(line(&format!("result, {}", worth(part)), id)),
                PartKind::Text => other.push("text"),
                PartKind::Thinking => other.push("thinking"),
                PartKind::Media => other.push("media"),
                PartKind::Hosted => out.push(line("tool of the provider", id)),
            }
        }
        other.dedup();
        if !other.is_empty() || out.is_empty() {
            let what = match (other.is_empty(), sent.role) {
                (false, _) => other.join(" and "),
                (true, Role::System) => String::from("prompt"),
                (true, _) => String::from("nothing"),
            };
            out.insert(0, line(&what, ""));
        }
        out
    }

    /// A hash of what the provider gets of a record.
    fn hash(&self, event: EventId) -> io::Result<u64> {
        let mut hasher = DefaultHasher::new();
        match self.record(event)? {
            Some(record) => self.sent(event, &record).iter().for_each(|(path, node)| {
                path.hash(&mut hasher);
                hasher.write(&node.meaning());
            }),
            None => {
                let Span { entry, start, end } = self.judged.transcript.event(event).at();
                let mut piece = [0; 1 << 16];
                let mut bytes = self.context.entries.open(entry)?;
                io::copy(&mut (&mut bytes).take(start), &mut io::sink())?;
                let mut bytes = bytes.take(end.saturating_sub(start));
                loop {
                    match bytes.read(&mut piece)? {
                        0 => break,
                        count => hasher.write(&piece[..count]),
                    }
                }
            }
        }
        Ok(hasher.finish())
    }

    /// A record as JSON; `None`: it is none, or too long to be kept.
    fn record(&self, event: EventId) -> io::Result<Option<Json>> {
        let known = self.judged.transcript.event(event);
        if known.at().end.saturating_sub(known.at().start) > LONGEST {
            return Ok(None);
        }
        let bytes = self.context.entries.fetch(known.at())?;
        // What a repair would strip around a record is not sent.
        let mut text = bytes.as_slice();
        if known.state != State::Whole {
            let blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
            let start = text.iter().take_while(|byte| blank(byte)).count();
            let end = text.iter().rev().take_while(|byte| blank(byte)).count();
            text = text.get(start..text.len().saturating_sub(end)).unwrap_or_default();
        }
        let tape = scan(text.trim_ascii(), ScanMode::Document);
        let text = Owned(text.trim_ascii().to_vec());
        Ok(matches!(tape.end, RecordEnd::Whole).then_some(Json { text, tape }))
    }

    /// What changed in a record that both have.
    fn changes(
        &self,
        event: EventId,
        new: &RequestText<'_>,
        other: EventId,
    ) -> io::Result<(Vec<ChangedPlace>, usize)> {
        let (Some(a), Some(b)) = (self.record(event)?, new.record(other)?) else {
            return Ok((Vec::new(), 0));
        };
        let (old, new) = (self.sent(event, &a), new.sent(other, &b));
        let mut out: (Vec<ChangedPlace>, usize) = (Vec::new(), 0);
        let pointer = |path: &[&str]| path.iter().map(|key| format!("/{key}")).collect::<String>();
        for (path, node) in &old {
            match new.iter().find(|(other, _)| other == path) {
                Some((_, other)) => {
                    let (list, more) = changes(*node, *other, self.reader);
                    out.0.extend(list.into_iter().map(|change| change.below(&pointer(path))));
                    out.1 += more;
                }
                None => out.0.push(ChangedPlace::removed(&pointer(path), *node, self.reader)),
            }
        }
        let fresh = new.iter().filter(|(path, _)| !old.iter().any(|(other, _)| other == path));
        out.0.extend(
            fresh.map(|(path, node)| ChangedPlace::added(&pointer(path), *node, self.reader)),
        );
        Ok(out)
    }

    /// What the provider gets of a record, with the paths to it.
    fn sent<'j>(
        &self,
        event: EventId,
        record: &'j Json,
    ) -> Vec<(&'static [&'static str], Node<'j>)> {
        let Some(root) = Node::root(&record.tape, &record.text) else {
            return Vec::new();
        };
        let traits = &self.judged.detection.format.traits;
        let is_state = self.state == Some(event);
        let paths = if is_state { traits.beside } else { traits.sent };
        let found: Vec<_> = paths.iter().filter_map(|path| Some((*path, root.at(path)?))).collect();
        if found.is_empty() && !is_state { vec![(&[], root)] } else { found }
    }

    /// The first words of a record.
    fn excerpt(&self, line: &RequestLine) -> String {
        let text = line
            .content
            .and_then(|(event, _)| (self.judged.detection.format.text)(&self.context, event));
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) if self.reader.hides_text() => format!("  {}", self.reader.text(&text)),
            Some(text) => format!("  \"{}\"", self.reader.text(&text)),
            None => String::new(),
        }
    }
}

/// A record, read again.
struct Json {
    text: Owned,
    tape: Tape,
}

fn worth(part: &Part) -> &'static str {
    match part.origin {
        Origin::Placeholder => "placeholder",
        Origin::HostError => "the host's error",
        Origin::Rejection => "rejected",
        Origin::Real => "recorded",
    }
}

/// Prints how one request differs from the other; returns whether it does.
///
/// # Errors
/// A transcript cannot be read, or `out` does not take it.
pub fn write(
    old: &RequestText<'_>,
    new: &RequestText<'_>,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<bool> {
    let all = old.lines.iter().chain(&new.lines);
    let ids: Vec<&str> = all.flat_map(|line| &line.ids).map(Shown::exact).collect();
    let mut request = Diff { old, new, ids: ReportIds::short(&ids), out, style };
    let ops =
        by_number(&old.lines, &new.lines, |line| (line.name(), line.content.map(|(_, hash)| hash)));
    let differs = ops.iter().any(|op| op.tag() != DiffTag::Equal);
    for group in group_diff_ops(ops, CONTEXT).into_iter().filter(|_| differs) {
        for op in &group {
            match *op {
                DiffOp::Equal { new_index, len, .. } => {
                    let same = &new.lines[new_index..new_index + len];
                    same.iter().try_for_each(|line| request.line(' ', None, line, ""))?;
                }
                _ => request.replaced(&old.lines[op.old_range()], &new.lines[op.new_range()])?,
            }
        }
    }
    Ok(differs)
}

/// The difference of two lists of lines by what `key` says of them. Lines become numbers, so that a long request is compared
/// without its texts.
fn by_number<'a, K: std::hash::Hash + Eq>(
    old: &'a [RequestLine],
    new: &'a [RequestLine],
    key: impl Fn(&'a RequestLine) -> K,
) -> Vec<DiffOp> {
    let mut numbers: HashMap<K, usize> = HashMap::new();
    let mut number = |line: &'a RequestLine| {
        let next = numbers.len();
        *numbers.entry(key(line)).or_insert(next)
    };
    let (a, b): (Vec<usize>, Vec<usize>) =
        (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect());
    capture_diff_slices(Algorithm::Myers, &a, &b)
}

/// The difference in progress.
struct Diff<'a, 'o> {
    old: &'a RequestText<'a>,
    new: &'a RequestText<'a>,
    ids: ReportIds,
    out: &'o mut dyn Write,
    style: &'a OutputStyle,
}

impl Diff<'_, '_> {
    fn line(
        &mut self,
        sign: char,
        tone: Option<Tone>,
        line: &RequestLine,
        rest: &str,
    ) -> io::Result<()> {
        let text = format!("{sign}{}{rest}", line.text(&self.ids));
        if self.style.side_by_side {
            let text = fit(text.trim_end(), sides::columns(self.style, 0));
            let text = self.style.draw(&text);
            let words = [ColoredWords::of(tone, &text)];
            let (old, new): (&[_], &[_]) = match sign {
                '-' => (&words, &[]),
                '+' => (&[], &words),
                _ => (&words, &words),
            };
            return sides::write([old, new], 0, self.out, self.style);
        }
        let text = self.style.draw(&fit(&text, self.style.width)).trim_end().to_owned();
        match tone {
            Some(tone) => writeln!(self.out, "{}", paint(tone, &text)),
            None => writeln!(self.out, "{text}"),
        }
    }

    /// Lines that took the place of others: those that are the same message say what changed in it.
    fn replaced(&mut self, old: &[RequestLine], new: &[RequestLine]) -> io::Result<()> {
        for op in by_number(old, new, RequestLine::name) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                for at in 0..len {
                    self.same_message(&old[old_index + at], &new[new_index + at])?;
                }
                continue;
            }
            for line in &old[op.old_range()] {
                self.line('-', Some(Tone::Bad), line, &self.old.excerpt(line))?;
            }
            for line in &new[op.new_range()] {
                self.line('+', Some(Tone::Good), line, &self.new.excerpt(line))?;
            }
        }
        Ok(())
    }

    fn same_message(&mut self, old: &RequestLine, new: &RequestLine) -> io::Result<()> {
        let (Some((a, before)), Some((b, now))) = (old.content, new.content) else {
            return self.line(' ', None, new, "");
        };
        if before == now {
            return self.line(' ', None, new, "");
        }
        let (list, more) = self.old.changes(a, self.new, b)?;
        let unread = if list.is_empty() { "  its bytes" } else { "" };
        self.line('~', Some(Tone::Warn), new, unread)?;
        list.iter().try_for_each(|change| member(change, self.out, self.style))?;
        if more > 0 { writeln!(self.out, "    and {more} more") } else { Ok(()) }
    }
}
