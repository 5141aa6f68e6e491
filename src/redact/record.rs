//! Redacts one record or document, byte by byte: structure stays, strings are replaced. Bytes that
//! cannot be parsed are masked.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::fields::{Field, FormatMembers, MemberRole, is_of_calls};
use super::mask::{Mask, quoted};
use super::media;
use crate::dialects::picture::from_base64;
use crate::hosts::host_frame;
use crate::json::embedded::string_of;
use crate::json::node::Node;
use crate::json::scan::{ScanMode, scan};
use crate::json::tape::{Flags, FlawKind, Kind, RecordEnd, Tape, Token};
use crate::stories;
use crate::transcript::replaced;

/// How often parsing restarts after broken bytes.
const STARTS: usize = 64;
/// Deepest nesting of JSON in JSON strings.
const DEEPEST: usize = 4;

/// A record exceeds a limit, so it can neither be parsed nor masked.
#[derive(Debug)]
pub(super) struct LimitExceeded;

/// Redacts with the members of a format and a mask.
#[derive(Debug)]
pub(super) struct Redaction {
    pub members: FormatMembers,
    pub mask: Mask,
}

/// The context of a value.
#[derive(Copy, Clone)]
struct ValuePlace {
    field: Field,
    /// Whether its member contains an ID.
    is_id: bool,
    /// Whether its member describes a call.
    is_call: bool,
    /// Whether it is inside content without structure.
    free: bool,
    /// Whether it is inside messages or their content.
    in_messages: bool,
}

/// The longest name that keeps its length, in bytes. A longer one is a text.
const LONGEST_NAME: usize = 256;

/// The context of a whole record.
const ROOT: ValuePlace = ValuePlace {
    field: Field::Known,
    is_id: false,
    is_call: false,
    free: false,
    in_messages: false,
};

/// A container around a value.
struct ValueFrame {
    /// Index of the token after it.
    next: u32,
    /// The context of its items or members.
    place: ValuePlace,
    is_object: bool,
    /// Index of its token.
    index: u32,
    /// Whether it describes a call; `None` until a member depends on it, which few do.
    of_calls: Option<bool>,
}

impl Redaction {
    /// Writes the redacted form of bytes with one record, several or none.
    ///
    /// # Errors
    /// The bytes exceed a limit of the parser.
    pub(super) fn write(
        &self,
        bytes: &[u8],
        mode: ScanMode,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitExceeded> {
        self.bytes(bytes, (mode, None), ROOT, 0, out)
    }

    /// Like [`Redaction::write`], for a line that was already scanned.
    pub(super) fn write_scanned(
        &self,
        bytes: &[u8],
        tape: Tape,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitExceeded> {
        self.bytes(bytes, (ScanMode::Line, Some(tape)), ROOT, 0, out)
    }

    /// `scanned` is the tape of the first value, if there is one.
    fn bytes(
        &self,
        bytes: &[u8],
        (mode, mut scanned): (ScanMode, Option<Tape>),
        place: ValuePlace,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitExceeded> {
        let mut at = 0;
        let mut starts = STARTS;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let tape = scanned.take().unwrap_or_else(|| scan(rest, mode));
            let done =
                RedactWalk { own: self, tape: &tape, bytes: rest, depth }.write(place, out)?;
            // After the end of one value, the next one is parsed as well.
            let next = match tape.end {
                RecordEnd::Trailing { at } if at as usize > 0 => Some(at as usize),
                RecordEnd::Bad { .. } | RecordEnd::Torn if starts > 0 => {
                    let from = done.max(1);
                    let after = rest.get(from..).unwrap_or_default();
                    memchr::memmem::find(after, b"{\"").map(|at| from + at)
                }
                RecordEnd::TooDeep { .. } | RecordEnd::TooLong => return Err(LimitExceeded),
                _ => None,
            };
            starts = starts.saturating_sub(1);
            let next = next.unwrap_or(rest.len()).clamp(done, rest.len());
            mask_gap(rest.get(done..next).unwrap_or_default(), out);
            at = at.saturating_add(next);
        }
        Ok(())
    }
}

struct RedactWalk<'a> {
    own: &'a Redaction,
    tape: &'a Tape,
    bytes: &'a [u8],
    depth: usize,
}

impl RedactWalk<'_> {
    /// Writes all tokens. Returns where they end.
    fn write(&self, root: ValuePlace, out: &mut Vec<u8>) -> Result<usize, LimitExceeded> {
        let mut frames: Vec<ValueFrame> = Vec::new();
        let mut done = 0;
        // The context of the next value, set by its key.
        let mut named: Option<ValuePlace> = None;
        for (index, token) in (0_u32..).zip(&self.tape.tokens) {
            while frames.last().is_some_and(|frame| index >= frame.next) {
                frames.pop();
            }
            let (start, end) = (token.start as usize, token.end as usize);
            mask_gap(self.bytes.get(done..start).unwrap_or_default(), out);
            done = start.max(done);
            let place = match frames.last() {
                None => root,
                Some(frame) if frame.is_object => named.unwrap_or(frame.place),
                Some(frame) => frame.place,
            };
            match token.kind {
                _ if token.flags.has(Flags::KEY) => {
                    named = frames.last_mut().map(|frame| self.key(token, index, frame, out));
                    done = end;
                }
                Kind::Object | Kind::Array => {
                    let is_object = token.kind == Kind::Object;
                    let has_messages = match place.field {
                        Field::Input if is_object => !place.in_messages && self.is_body(index),
                        Field::Input => true,
                        _ => false,
                    };
                    let place = match is_object {
                        _ if has_messages => ValuePlace { field: Field::Known, ..place },
                        true => self.within(place),
                        false => place,
                    };
                    frames.push(ValueFrame {
                        next: token.next,
                        place,
                        is_object,
                        index,
                        of_calls: place.is_call.then_some(true),
                    });
                }
                Kind::String => {
                    self.string(token, index, place, out)?;
                    done = end;
                }
                Kind::Number => {
                    let raw = self.bytes.get(start..end).unwrap_or_default();
                    let is_word = raw.iter().any(u8::is_ascii_alphabetic)
                        && !raw.iter().any(u8::is_ascii_digit);
                    let stays = is_word || (matches!(place.field, Field::Structure) && !place.free);
                    out.extend_from_slice(if stays { raw } else { b"0" });
                    done = end;
                }
                Kind::True | Kind::False | Kind::Null => {
                    out.extend_from_slice(self.bytes.get(start..end).unwrap_or_default());
                    done = end;
                }
            }
        }
        Ok(done)
    }

    /// The context of the members of an object in this context.
    fn within(&self, place: ValuePlace) -> ValuePlace {
        let free = place.free
            || matches!(
                place.field,
                Field::Free | Field::Arguments | Field::Input | Field::Foreign
            );
        ValuePlace { free, ..place }
    }

    /// Whether an object is the body of a request, or what a log puts around one.
    fn is_body(&self, index: u32) -> bool {
        Node::of(self.tape, &self.bytes, index).is_some_and(|node| {
            let messages = node.get("messages");
            messages.is_some_and(|list| list.kind() == Kind::Array)
                || node.get("inputBodyJson").is_some()
        })
    }

    fn is_of_calls(&self, index: u32) -> bool {
        let Some(node) = Node::of(self.tape, &self.bytes, index) else {
            return false;
        };
        let mut says_so = false;
        for (key, value) in node.members() {
            match key.str() {
                Some(key) if is_of_calls(&key) => return true,
                // A call may have none of the members that only calls have.
                Some(key) if key == "type" => says_so = value.is_str("toolCall"),
                _ => {}
            }
        }
        says_so
    }

    /// Writes a key. Returns the context of its value.
    fn key(
        &self,
        token: &Token,
        index: u32,
        frame: &mut ValueFrame,
        out: &mut Vec<u8>,
    ) -> ValuePlace {
        let key = Node::of(self.tape, &self.bytes, index).and_then(|node| node.utf8());
        let member = key.as_deref().map_or(MemberRole::UNNAMED, |key| self.own.members.member(key));
        let field = match member.field {
            Field::Name => {
                let of_calls = || self.is_of_calls(frame.index);
                if *frame.of_calls.get_or_insert_with(of_calls) {
                    Field::Structure
                } else {
                    Field::Spelled
                }
            }
            other => other,
        };
        match key.as_deref() {
            Some(key) if field == Field::Foreign && !key.is_empty() => {
                let key = String::from_utf8_lossy(key);
                let mut other = quoted(&self.own.mask.key(&key));
                other.pop();
                out.extend(other);
                self.flaws(token, out);
                out.push(b'"');
            }
            Some(_) => out.extend_from_slice(self.raw(token)),
            None => self.open(token, out),
        }
        ValuePlace {
            field,
            is_id: member.is_id,
            is_call: member.is_call,
            free: frame.place.free,
            in_messages: frame.place.in_messages
                || matches!(key.as_deref(), Some(b"messages" | b"content")),
        }
    }

    fn raw(&self, token: &Token) -> &[u8] {
        self.bytes.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// Writes a string.
    fn string(
        &self,
        token: &Token,
        index: u32,
        place: ValuePlace,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitExceeded> {
        let node = Node::of(self.tape, &self.bytes, index);
        let is_structure = place.field == Field::Structure && !place.free;
        if is_structure && !token.flags.has(Flags::FLAWED) {
            self.structure(token, node, place.is_id, out);
            return Ok(());
        }
        let Some((node, text)) = node.and_then(|node| Some((node, node.str()?))) else {
            self.open(token, out);
            return Ok(());
        };
        if token.flags.has(Flags::FLAWED) {
            return self.flawed(token, &text, out);
        }
        if node.is_blank_str() {
            out.extend_from_slice(self.raw(token));
            return Ok(());
        }
        if let Some(inside) = json_in(&text, place).filter(|_| self.depth < DEEPEST) {
            let mut other = Vec::new();
            let (bytes, depth) = (text.as_bytes(), self.depth + 1);
            self.own.bytes(bytes, (ScanMode::Document, None), inside, depth, &mut other)?;
            out.extend(quoted(&String::from_utf8_lossy(&other)));
            return Ok(());
        }
        out.extend(quoted(&self.text(&text, place)));
        Ok(())
    }

    /// Writes a structural string.
    fn structure(&self, token: &Token, node: Option<Node<'_>>, is_id: bool, out: &mut Vec<u8>) {
        // Its bytes, because most of these were seen before and need not be proven to be UTF-8.
        let Some((node, text)) = node.and_then(|node| Some((node, node.utf8()?))) else {
            return self.open(token, out);
        };
        let other = self.own.mask.structure(&text, is_id);
        match other.filter(|_| !node.is_blank_str()) {
            None => out.extend_from_slice(self.raw(token)),
            Some(other) => out.extend(quoted(&other)),
        }
    }

    /// The replacement of a free text.
    fn text(&self, text: &str, place: ValuePlace) -> String {
        let mask = &self.own.mask;
        if place.field == Field::Spelled && text.len() <= LONGEST_NAME {
            // Equal names without their extensions stay equal.
            let parts: Vec<String> = text.split('.').map(|part| mask.alike(part)).collect();
            return parts.join(".");
        }
        if place.field == Field::Media || text.starts_with("data:") {
            let (front, data) = match text.split_once(";base64,") {
                Some((kind, data)) if is_kind(kind) => (text.len() - data.len(), data),
                _ => (0, text),
            };
            if let Some(other) = media::redacted(data) {
                return format!("{}{other}", text.get(..front).unwrap_or(""));
            }
            if front > 0 || is_base64(text) || from_base64(text).is_some() {
                return format!("{}{}", text.get(..front).unwrap_or(""), mask.alike(data));
            }
        }
        if let Some(address) = mask.address(text) {
            return address;
        }
        match host_frame(text) {
            Some((front, back)) => mask.framed(text, front, back),
            None => match known_error_in(text) {
                Some(words) => format!("{} {words}", mask.text(text)),
                None => mask.text(text),
            },
        }
    }

    /// Writes a string with its flaws, but without its words.
    fn flawed(&self, token: &Token, text: &str, out: &mut Vec<u8>) -> Result<(), LimitExceeded> {
        let mut other = quoted(&self.own.mask.text(text));
        other.pop();
        out.extend(other);
        self.flaws(token, out);
        out.push(b'"');
        Ok(())
    }

    /// Writes an unterminated string.
    fn open(&self, token: &Token, out: &mut Vec<u8>) {
        out.push(b'"');
        let inside = self.raw(token).get(1..).unwrap_or_default();
        // The brackets at its end show whether the record is cut off there, or only a quote is
        // missing.
        let (words, brackets) = inside.split_at(
            inside
                .iter()
                .rposition(|byte| !matches!(byte, b'}' | b']') && !byte.is_ascii_whitespace())
                .map_or(0, |last| last + 1),
        );
        if !words.is_empty() {
            out.extend_from_slice(self.own.mask.text(&String::from_utf8_lossy(words)).as_bytes());
            // That a mark ends it is a fact of the record; the bracket of the mark may be among
            // those that follow.
            if replaced::ends_in_mark(inside) {
                let mark: &[u8] =
                    if brackets.starts_with(b"]") { b" [REDACTED" } else { b" [REDACTED]" };
                out.extend_from_slice(mark);
            }
            self.flaws(&Token { end: token.end - brackets.len() as u32, ..*token }, out);
        }
        out.extend_from_slice(brackets);
        // Only an invalid escape makes a string a syntax error.
        if self.tape.end == (RecordEnd::Bad { at: token.end }) {
            out.extend_from_slice(b"\\x");
        }
    }

    /// Writes the flaws of a string, in order.
    fn flaws(&self, token: &Token, out: &mut Vec<u8>) {
        let first = self.tape.flaws.partition_point(|flaw| flaw.start < token.start);
        let flaws = self.tape.flaws.get(first..).unwrap_or_default();
        for flaw in flaws.iter().take_while(|flaw| flaw.end <= token.end) {
            let raw = self.bytes.get(flaw.start as usize..flaw.end as usize).unwrap_or_default();
            out.push(b'x');
            match flaw.kind {
                FlawKind::LoneSurrogate => out.extend_from_slice(surrogate(raw)),
                FlawKind::InvalidUtf8 => out.push(0xFF),
                FlawKind::RawControl | FlawKind::RawSeparator => out.extend_from_slice(raw),
                FlawKind::NonFinite => {}
            }
        }
    }
}

/// Whether a text is JSON for a string with JSON in it: arguments that were encoded twice.
fn is_encoded_twice(text: &str) -> bool {
    text.trim_start().starts_with('"')
        && string_of(text.trim())
            .is_some_and(|inner| inner.trim_start().starts_with(['{', '[', '"']))
}

/// The context of the JSON that a text is; `None`: it is words.
fn json_in(text: &str, place: ValuePlace) -> Option<ValuePlace> {
    let free = ValuePlace { field: Field::Free, free: true, ..ROOT };
    let is_list = || {
        let items = text.strip_prefix('[').map(str::trim_start);
        items.is_some_and(|items| items.starts_with(['{', ']']))
    };
    match place.field {
        Field::Arguments | Field::Input if is_encoded_twice(text) => Some(place),
        Field::Arguments | Field::Input => {
            let is_json = text.trim_start().starts_with(['{', '[']);
            is_json.then_some(free)
        }
        Field::Records if !place.free => is_list().then_some(ROOT),
        _ => None,
    }
}

/// The known words of a recorded provider error, which may explain a transcript.
pub(super) fn known_error_in(text: &str) -> Option<&'static str> {
    static SAID: LazyLock<Vec<(&str, Finder<'_>)>> = LazyLock::new(|| {
        let refusals = ["does not support assistant message prefill", "pre-fill"];
        let all = refusals.into_iter().chain(stories::failures());
        all.map(|words| (words, Finder::new(words))).collect()
    });
    SAID.iter().find(|(_, finder)| finder.find(text.as_bytes()).is_some()).map(|(words, _)| *words)
}

/// A lone surrogate of the same half.
fn surrogate(raw: &[u8]) -> &'static [u8] {
    let low = raw.get(3).is_some_and(|digit| matches!(digit, b'c'..=b'f' | b'C'..=b'F'));
    if low { b"\\udc00" } else { b"\\ud800" }
}

/// `data:image/png`
fn is_kind(text: &str) -> bool {
    text.len() <= 64
        && text.strip_prefix("data:").is_some_and(|kind| {
            kind.bytes().all(|c| c.is_ascii_alphanumeric() || b"/+-.".contains(&c))
        })
}

fn is_base64(text: &str) -> bool {
    const SHORTEST: usize = 64;
    text.len() >= SHORTEST
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"+/=_-\r\n".contains(&c))
}

/// Masks bytes outside of values: characters with a meaning in JSON stay, letters and digits are
/// replaced.
#[inline]
fn mask_gap(bytes: &[u8], out: &mut Vec<u8>) {
    // Almost every gap is a bracket, a colon or a comma.
    match bytes {
        [] => {}
        [byte @ (b':' | b',' | b'{' | b'[')] => out.push(*byte),
        _ => mask_words(bytes, out),
    }
}

fn mask_words(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '0'..='9' => out.push(b'0'),
                '\u{feff}' => out.extend_from_slice("\u{feff}".as_bytes()),
                c if c.is_ascii_alphabetic() || !c.is_ascii() => out.push(b'x'),
                c => out.extend(u8::try_from(c)),
            }
        }
        if !chunk.invalid().is_empty() {
            out.push(0xFF);
        }
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
