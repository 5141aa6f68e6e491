//! A list of sessions.

use super::{Look, PageBlock, PagePart, PagePartKind, StyledSpan, StyledText, prose};
use crate::outputs::human::verdict_word;
use crate::outputs::paint::of_verdict;
use crate::report::sessions::{Session, Sessions};
use crate::report::text::{Shown, size};

/// A line for each.
pub(super) fn list(sessions: &Sessions) -> (String, Vec<PageBlock>) {
    let part = PagePart {
        kind: PagePartKind::Page,
        name: String::new(),
        heading: prose("The sessions"),
        blocks: vec![PageBlock::List(sessions.sessions.iter().map(line).collect())],
    };
    ("the sessions".to_owned(), vec![PageBlock::Part(part)])
}

fn line(session: &Session) -> StyledText {
    let verdict =
        StyledSpan::new(Look::Label(of_verdict(session.verdict)), verdict_word(session.verdict));
    let known = [&session.folder, &session.title].into_iter().flatten();
    let known = known.filter(|shown| !shown.is_masked()).map(Shown::whole);
    let reason = session.rule.map(|code| format!("{code} {}", session.rule_name));
    let facts: Vec<String> = reason
        .into_iter()
        .chain([session.host_title.to_owned(), size(session.size)])
        .chain(session.modified.clone())
        .chain(known)
        .collect();
    vec![
        verdict,
        StyledSpan::new(Look::Plain, " "),
        StyledSpan::new(Look::Name, session.name.whole()),
        StyledSpan::new(Look::Plain, format!(": {}", facts.join(", "))),
    ]
}
