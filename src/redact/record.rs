//! One record or document, byte by byte: structure as it is, strings replaced. What nobody can read is masked as it stands.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::fields::{Field, Member, Members, is_of_calls};
use super::mask::{Mask, quoted};
use super::media;
use crate::dialects::picture::from_base64;
use crate::formats::host_frame;
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::json::tape::{End, Flags, FlawKind, Kind, Tape, Token};
use crate::stories;
use crate::transcript::replaced;

/// Times that reading begins again behind broken bytes.
const STARTS: usize = 64;
/// Strings of JSON in strings of JSON.
const DEEPEST: usize = 4;

/// A record that cannot be read, and cannot be masked either.
#[derive(Debug)]
pub(super) struct Beyond;

/// Who redacts: with which members, by which mask.
#[derive(Debug)]
pub(super) struct Redaction {
    /// The members of the format.
    pub members: Members,
    /// How strings are replaced.
    pub mask: Mask,
}

/// Where a value stands.
#[derive(Copy, Clone)]
struct Place {
    field: Field,
    /// Its member is called like an id.
    is_id: bool,
    /// Its member holds what is called.
    is_call: bool,
    /// Somewhere around it is what has no structure.
    free: bool,
}

/// Of a whole record.
const ROOT: Place = Place {
    field: Field::Known,
    is_id: false,
    is_call: false,
    free: false,
};

/// What is around a value.
struct Frame {
    /// Index of the token behind it.
    next: u32,
    /// What its items are, and its members' surroundings.
    place: Place,
    is_object: bool,
    /// A member of it tells that something is called.
    of_calls: bool,
}

impl Redaction {
    /// Writes bytes that are a record, several, or none.
    ///
    /// # Errors
    /// They are beyond a limit of what is read.
    pub(super) fn write(&self, bytes: &[u8], mode: Mode, out: &mut Vec<u8>) -> Result<(), Beyond> {
        self.bytes(bytes, (mode, None), ROOT, 0, out)
    }

    /// As [`Redaction::write`], of a line that was scanned.
    pub(super) fn write_scanned(
        &self,
        bytes: &[u8],
        tape: Tape,
        out: &mut Vec<u8>,
    ) -> Result<(), Beyond> {
        self.bytes(bytes, (Mode::Line, Some(tape)), ROOT, 0, out)
    }

    /// `scanned`: the tape from the first byte on, if there is one.
    fn bytes(
        &self,
        bytes: &[u8],
        (mode, mut scanned): (Mode, Option<Tape>),
        place: Place,
        deep: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Beyond> {
        let mut at = 0;
        let mut starts = STARTS;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let tape = scanned.take().unwrap_or_else(|| scan(rest, mode));
            let done = Walk {
                own: self,
                tape: &tape,
                bytes: rest,
                deep,
            }
            .write(place, out)?;
            // Where one value ends and another begins, the next is read as one, too.
            let next = match tape.end {
                End::Trailing { at } if at as usize > 0 => Some(at as usize),
                End::Bad { .. } | End::Torn if starts > 0 => {
                    let from = done.max(1);
                    let behind = rest.get(from..).unwrap_or_default();
                    memchr::memmem::find(behind, b"{\"").map(|at| from + at)
                }
                End::TooDeep { .. } | End::TooLong => return Err(Beyond),
                _ => None,
            };
            starts = starts.saturating_sub(1);
            let next = next.unwrap_or(rest.len()).clamp(done, rest.len());
            masked(rest.get(done..next).unwrap_or_default(), out);
            at = at.saturating_add(next);
        }
        Ok(())
    }
}

struct Walk<'a> {
    own: &'a Redaction,
    tape: &'a Tape,
    bytes: &'a [u8],
    deep: usize,
}

impl Walk<'_> {
    /// Writes all tokens; the answer is how far they reach.
    fn write(&self, root: Place, out: &mut Vec<u8>) -> Result<usize, Beyond> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut done = 0;
        // What the next value is: said by the key in front of it.
        let mut named: Option<Place> = None;
        for (index, token) in (0_u32..).zip(&self.tape.tokens) {
            while frames.last().is_some_and(|frame| index >= frame.next) {
                frames.pop();
            }
            let (start, end) = (token.start as usize, token.end as usize);
            masked(self.bytes.get(done..start).unwrap_or_default(), out);
            done = start.max(done);
            let place = match frames.last() {
                None => root,
                Some(frame) if frame.is_object => named.unwrap_or(frame.place),
                Some(frame) => frame.place,
            };
            match token.kind {
                _ if token.flags.has(Flags::KEY) => {
                    named = frames
                        .last()
                        .map(|frame| self.key(token, index, frame, out));
                    done = end;
                }
                Kind::Object | Kind::Array => {
                    let is_object = token.kind == Kind::Object;
                    let of_calls = is_object && (place.is_call || self.is_of_calls(index));
                    let place = match (is_object, place.field) {
                        (true, _) => self.within(place),
                        (false, Field::Input) => Place {
                            field: Field::Known,
                            ..place
                        },
                        (false, _) => place,
                    };
                    frames.push(Frame {
                        next: token.next,
                        place,
                        is_object,
                        of_calls,
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

    /// What the members of an object are in that stands at this place.
    fn within(&self, place: Place) -> Place {
        let free = place.free
            || matches!(
                place.field,
                Field::Free | Field::Arguments | Field::Input | Field::Foreign
            );
        Place { free, ..place }
    }

    fn is_of_calls(&self, index: u32) -> bool {
        let Some(node) = Node::of(self.tape, &self.bytes, index) else {
            return false;
        };
        let mut says_so = false;
        for (key, value) in node.members() {
            match key.str() {
                Some(key) if is_of_calls(&key) => return true,
                // A call may lack all that only calls have.
                Some(key) if key == "type" => says_so = value.is_str("toolCall"),
                _ => {}
            }
        }
        says_so
    }

    /// Writes a key; the answer is what its value is.
    fn key(&self, token: &Token, index: u32, frame: &Frame, out: &mut Vec<u8>) -> Place {
        let key = Node::of(self.tape, &self.bytes, index).and_then(|node| node.str());
        let member = key
            .as_deref()
            .map_or(Member::UNNAMED, |key| self.own.members.member(key));
        let field = match member.field {
            Field::Name if frame.of_calls => Field::Structure,
            Field::Name => Field::Known,
            other => other,
        };
        match key.as_deref() {
            Some(key) if field == Field::Foreign && !key.is_empty() => {
                let mut other = quoted(&self.own.mask.key(key));
                other.pop();
                out.extend(other);
                self.flaws(token, out);
                out.push(b'"');
            }
            Some(_) => out.extend_from_slice(self.raw(token)),
            None => self.open(token, out),
        }
        Place {
            field,
            is_id: member.is_id,
            is_call: member.is_call,
            free: frame.place.free,
        }
    }

    fn raw(&self, token: &Token) -> &[u8] {
        self.bytes
            .get(token.start as usize..token.end as usize)
            .unwrap_or_default()
    }

    /// Writes a string's value.
    fn string(
        &self,
        token: &Token,
        index: u32,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Result<(), Beyond> {
        let node = Node::of(self.tape, &self.bytes, index);
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
        if place.field == Field::Structure && !place.free {
            match self.own.mask.structure(&text, place.is_id) {
                None => out.extend_from_slice(self.raw(token)),
                Some(other) => out.extend(quoted(&other)),
            }
            return Ok(());
        }
        let is_json = matches!(place.field, Field::Arguments | Field::Input);
        if is_json && self.deep < DEEPEST && text.trim_start().starts_with(['{', '[']) {
            let mut inside = Vec::new();
            let free = Place {
                field: Field::Free,
                is_id: false,
                is_call: false,
                free: true,
            };
            self.own.bytes(
                text.as_bytes(),
                (Mode::Document, None),
                free,
                self.deep + 1,
                &mut inside,
            )?;
            out.extend(quoted(&String::from_utf8_lossy(&inside)));
            return Ok(());
        }
        out.extend(quoted(&self.text(&text, place)));
        Ok(())
    }

    /// What stands for a free text.
    fn text(&self, text: &str, place: Place) -> String {
        let mask = &self.own.mask;
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
            None => match said(text) {
                Some(said) => format!("{} {said}", mask.text(text)),
                None => mask.text(text),
            },
        }
    }

    /// A string with what is wrong in it, and without its words.
    fn flawed(&self, token: &Token, text: &str, out: &mut Vec<u8>) -> Result<(), Beyond> {
        let mut other = quoted(&self.own.mask.text(text));
        other.pop();
        out.extend(other);
        self.flaws(token, out);
        out.push(b'"');
        Ok(())
    }

    /// A string that does not end.
    fn open(&self, token: &Token, out: &mut Vec<u8>) {
        out.push(b'"');
        let inside = self.raw(token).get(1..).unwrap_or_default();
        // The brackets at its end tell whether the record stops there, or lacks a quote.
        let is_text = |byte: &u8| !matches!(byte, b'}' | b']') && !byte.is_ascii_whitespace();
        let (words, brackets) =
            inside.split_at(inside.iter().rposition(is_text).map_or(0, |last| last + 1));
        if !words.is_empty() {
            out.extend_from_slice(
                self.own
                    .mask
                    .text(&String::from_utf8_lossy(words))
                    .as_bytes(),
            );
            // That a mark cut it is a fact of the record; its own bracket may be among those that follow.
            if replaced::ends_in_mark(inside) {
                let mark: &[u8] = if brackets.starts_with(b"]") {
                    b" [REDACTED"
                } else {
                    b" [REDACTED]"
                };
                out.extend_from_slice(mark);
            }
            self.flaws(
                &Token {
                    end: token.end - brackets.len() as u32,
                    ..*token
                },
                out,
            );
        }
        out.extend_from_slice(brackets);
        // Only an escape that is none breaks a string.
        if self.tape.end == (End::Bad { at: token.end }) {
            out.extend_from_slice(b"\\x");
        }
    }

    /// What strict readers stumble over in a string, in its order.
    fn flaws(&self, token: &Token, out: &mut Vec<u8>) {
        let first = self
            .tape
            .flaws
            .partition_point(|flaw| flaw.start < token.start);
        let flaws = self.tape.flaws.get(first..).unwrap_or_default();
        for flaw in flaws.iter().take_while(|flaw| flaw.end <= token.end) {
            let raw = self
                .bytes
                .get(flaw.start as usize..flaw.end as usize)
                .unwrap_or_default();
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

/// What providers say in errors that hosts keep, and that explains a recording.
pub(super) fn said(text: &str) -> Option<&'static str> {
    static SAID: LazyLock<Vec<(&str, Finder<'_>)>> = LazyLock::new(|| {
        let refusals = ["does not support assistant message prefill", "pre-fill"];
        let all = refusals.into_iter().chain(stories::failures());
        all.map(|said| (said, Finder::new(said))).collect()
    });
    let is_in = |(_, finder): &&(&str, Finder<'_>)| finder.find(text.as_bytes()).is_some();
    SAID.iter().find(is_in).map(|(said, _)| *said)
}

/// A lone half of the same kind.
fn surrogate(raw: &[u8]) -> &'static [u8] {
    let low = raw
        .get(3)
        .is_some_and(|digit| matches!(digit, b'c'..=b'f' | b'C'..=b'F'));
    if low { b"\\udc00" } else { b"\\ud800" }
}

/// `data:image/png`
fn is_kind(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"/+-.".contains(&c);
    text.len() <= 64
        && text
            .strip_prefix("data:")
            .is_some_and(|kind| kind.bytes().all(plain))
}

fn is_base64(text: &str) -> bool {
    const SHORTEST: usize = 64;
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"+/=_-\r\n".contains(&c);
    text.len() >= SHORTEST && text.bytes().all(plain)
}

/// Bytes that belong to no value: what has a meaning in JSON stays, letters and digits go.
fn masked(bytes: &[u8], out: &mut Vec<u8>) {
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
