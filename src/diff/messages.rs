//! The difference of what the provider would receive: a line per call, result and text, in the order of the request.

use std::collections::HashMap;
use std::io::{self, Write};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use crate::outputs::Style;
use crate::outputs::paint::{Tone, paint};
use crate::report::redact::Is;
use crate::report::text::{Ids, Shown, fit};
use crate::transcript::view::Sent;
use crate::transcript::{Origin, Part, PartKind, Role, Transcript, View};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// One line of a request. Two are equal if all but the position is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Position of the message in the request, from 0; `None`: it stands beside the messages, as a system prompt may.
    pub message: Option<u32>,
    words: String,
    ids: Vec<Shown>,
}

impl Line {
    fn text(&self, ids: &Ids) -> String {
        let number = self.message.map(|n| n.to_string()).unwrap_or_default();
        let list: Vec<String> = self.ids.iter().map(|id| ids.text(id)).collect();
        format!("{number:>5}  {}  {}", self.words, list.join("  "))
    }
}

/// The lines of a request.
pub fn lines(t: &Transcript, view: &View) -> Vec<Line> {
    view.order.iter().flat_map(|sent| item(t, view, sent)).collect()
}

fn item(t: &Transcript, view: &View, sent: &Sent) -> Vec<Line> {
    let message = view.api_index(sent.event);
    let role = match sent.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Nobody | Role::HostState => "-",
    };
    let event = t.event(sent.event);
    let record = t.text(event.id);
    let line = |what: &str, call: &str| Line {
        message,
        words: format!("{role:<9}  {what}"),
        ids: [(Is::Call, call), (Is::Record, record)]
            .into_iter()
            .filter(|(_, id)| !id.is_empty())
            .map(|(is, id)| Shown::of(is, id))
            .collect(),
    };
    if sent.summary {
        return vec![Line { message: None, ..line("summary of what was left out", "") }];
    }
    let mut out = Vec::new();
    let mut other: Vec<&str> = Vec::new();
    for part in event.parts.clone().map(|part| t.a_part(part)) {
        let tool = Shown::of(Is::Name, t.text(part.tool)).to_string();
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

fn worth(part: &Part) -> &'static str {
    match part.origin {
        Origin::Stub => "placeholder",
        Origin::HostError => "the host's error",
        Origin::Rejection => "rejected",
        Origin::Real => "recorded",
    }
}

/// Prints how one request differs from the other; returns whether it does.
///
/// # Errors
/// `out` does not take it.
pub fn write<'a>(old: &'a [Line], new: &'a [Line], out: &mut dyn Write, style: &Style) -> io::Result<bool> {
    let ids: Vec<&str> = old.iter().chain(new).flat_map(|line| &line.ids).map(Shown::exact).collect();
    let ids = Ids::short(&ids);
    // Lines as numbers, so that a long request is compared without its texts.
    let mut numbers: HashMap<(&str, &[Shown]), usize> = HashMap::new();
    let mut number = |line: &'a Line| {
        let next = numbers.len();
        *numbers.entry((&line.words, &line.ids)).or_insert(next)
    };
    let (a, b): (Vec<usize>, Vec<usize>) =
        (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect());
    let ops = capture_diff_slices(Algorithm::Myers, &a, &b);
    let differs = ops.iter().any(|op| op.tag() != DiffTag::Equal);
    let mut tell = |sign: char, tone: Option<Tone>, line: &Line| {
        let text = style.draw(&fit(&format!("{sign}{}", line.text(&ids)), style.width)).trim_end().to_owned();
        match tone {
            Some(tone) => writeln!(out, "{}", paint(tone, &text)),
            None => writeln!(out, "{text}"),
        }
    };
    for group in group_diff_ops(ops, CONTEXT).into_iter().filter(|_| differs) {
        for op in &group {
            if let DiffOp::Equal { new_index, len, .. } = *op {
                new[new_index..new_index + len].iter().try_for_each(|line| tell(' ', None, line))?;
                continue;
            }
            old[op.old_range()].iter().try_for_each(|line| tell('-', Some(Tone::Bad), line))?;
            new[op.new_range()].iter().try_for_each(|line| tell('+', Some(Tone::Good), line))?;
        }
    }
    Ok(differs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(message: u32, words: &str, id: &str) -> Line {
        Line { message: Some(message), words: words.into(), ids: vec![id.into()] }
    }

    fn diff(old: &[Line], new: &[Line]) -> (String, bool) {
        let mut out = Vec::new();
        let differs = write(old, new, &mut out, &Style::default()).unwrap();
        (anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string(), differs)
    }

    #[test]
    fn only_what_differs_is_shown() {
        let mut old: Vec<Line> = (0..10).map(|n| line(n, "user  text", &format!("e{n}"))).collect();
        old.push(line(10, "tool  result, placeholder", "call_1"));
        old.push(line(11, "tool  result, recorded", "call_1"));
        let mut new = old.clone();
        new.remove(10);
        new[10].message = Some(10);
        let wanted = "     7  user  text  e7
     8  user  text  e8
     9  user  text  e9
-   10  tool  result, placeholder  call_1
    10  tool  result, recorded  call_1
";
        assert_eq!(diff(&old, &new), (wanted.into(), true));
        assert_eq!(diff(&old, &old), (String::new(), false));
        assert!(!diff(&old[..1], &[line(0, "user  text", "\u{1b}[2J")]).0.contains('\u{1b}'));
    }
}
