//! A list of sessions.

use super::{Block, Kind, Look, Part, Span, Text, prose};
use crate::outputs::human::verdict_word;
use crate::outputs::paint::of_verdict;
use crate::report::sessions::{Session, Sessions};
use crate::report::text::{Shown, size};

/// A line for each.
pub(super) fn list(sessions: &Sessions) -> (String, Vec<Block>) {
    let part = Part {
        kind: Kind::Page,
        name: String::new(),
        heading: prose("The sessions"),
        blocks: vec![Block::List(sessions.sessions.iter().map(line).collect())],
    };
    ("the sessions".to_owned(), vec![Block::Part(part)])
}

fn line(session: &Session) -> Text {
    let verdict = Span::new(
        Look::Label(of_verdict(session.verdict)),
        verdict_word(session.verdict),
    );
    let known = [&session.folder, &session.title].into_iter().flatten();
    let known = known.filter(|shown| !shown.is_masked()).map(Shown::whole);
    let facts: Vec<String> = [session.host_title.to_owned(), size(session.size)]
        .into_iter()
        .chain(session.modified.clone())
        .chain(known)
        .collect();
    vec![
        verdict,
        Span::new(Look::Plain, " "),
        Span::new(Look::Name, session.name.whole()),
        Span::new(Look::Plain, format!(": {}", facts.join(", "))),
    ]
}
