//! Texts that hosts write themselves, of all hosts; and what a user wrote next to them.

use std::sync::LazyLock;

use super::ALL;
use crate::dialects::{gemini, placeholders, responses};
use crate::format::about::{SEARCHED, is_short};
use crate::format::host_text::{HostText, begins, first_byte};
use crate::format::{Format, FormatContext};
use crate::transcript::{EventId, PartKind, Role, facts};

/// Texts of dialects, which several hosts write.
const SHARED: &[HostText] = &[
    begins(placeholders::NO_CONTENT),
    begins("(no content)"),
    begins(placeholders::LOST_BEGINNING),
    begins(gemini::CANCELLED),
    begins(responses::ABORTED),
];

/// The texts of all hosts, by the first byte of their start; those without one are under 0.
static BY_FIRST: LazyLock<Vec<Vec<HostText>>> = LazyLock::new(|| {
    let own = ALL.iter().flat_map(|format| format.traits.texts);
    let mut by_first = vec![Vec::new(); 256];
    for text in own.copied().flatten().chain(SHARED) {
        let first = usize::from(first_byte(text.start).unwrap_or_default());
        by_first[first].push(*text);
    }
    by_first
});

/// The lengths of the start and the end of a text that a host wrote; `None`: the host wrote none of it.
pub(crate) fn frame(text: &str) -> Option<(usize, usize)> {
    let inner = text.trim();
    let first = first_byte(inner).unwrap_or_default();
    // The longest start that matches is the most specific one.
    let found = [first, 0]
        .iter()
        .flat_map(|first| BY_FIRST.get(usize::from(*first)).into_iter().flatten())
        .filter(|own| own.is_around(inner))
        .map(|own| (own.start.len(), own.end.len()))
        .max_by_key(|(front, back)| front + back)
        .map(|(front, back)| {
            let before = text.len() - text.trim_start().len();
            let after = text.len() - text.trim_end().len();
            (before + front, after + back)
        });
    placeholders::frame(text).or(found)
}

/// The first text that the user wrote, without texts of the host in the role of the user.
pub(crate) fn first_prompt(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    prompt_of(context, format, context.transcript.records())
}

/// The same from the end.
pub(crate) fn last_prompt(context: &FormatContext<'_>, format: &Format) -> Option<String> {
    prompt_of(context, format, context.transcript.events.ids().rev())
}

/// The first of these records that the user wrote.
fn prompt_of(
    context: &FormatContext<'_>,
    format: &Format,
    records: impl Iterator<Item = EventId>,
) -> Option<String> {
    let t = context.transcript;
    let by_user = records.filter(|event| {
        t.event(*event).role == Role::User
            && t.part_of(*event, PartKind::Result).is_none()
            && is_short(t.event(*event))
            && [facts::BY_HOST, facts::SUMMARY].iter().all(|fact| !t.has(*event, *fact))
    });
    let mut texts = by_user.take(SEARCHED).filter_map(|event| (format.text)(context, event));
    texts.find_map(|text| users_text(&text).map(str::to_owned))
}

/// A text without the XML elements at its start, in which hosts wrap what they add. `None`: the user wrote none of it.
fn users_text(text: &str) -> Option<&str> {
    let mut rest = text.trim();
    while let Some(element) = rest.strip_prefix('<') {
        let name = element.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c)).next()?;
        let (_, after) = element.split_once(&format!("</{name}>"))?;
        rest = after.trim_start();
    }
    let is_of_host = frame(rest).is_some_and(|(front, _)| front > 0);
    (!rest.is_empty() && !is_of_host).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_host_wrote_is_its_own() {
        let kept = |text: &'static str| {
            let (front, back) = frame(text).unwrap();
            (&text[..front], &text[text.len() - back..])
        };
        assert_eq!(kept(" aborted\n"), (" aborted", "\n"));
        assert_eq!(kept("[Operation Cancelled] Reason: mine"), ("[Operation Cancelled]", ""));
        assert_eq!(kept("<skill>mine</skill>"), ("<skill>", "</skill>"));
        assert_eq!(
            kept(" <HOOK_PROMPT x>mine</hook_prompt> "),
            (" <HOOK_PROMPT", "</hook_prompt> ")
        );
        assert_eq!(kept("[Request interrupted by user]").0, "[Request interrupted by user]");
        assert_eq!(kept("Tool 'mine' did not complete (session was interrupted).").0, "Tool '");
        assert_eq!(kept(placeholders::NO_RESULT).0, placeholders::NO_RESULT);
        for text in ["what I said: aborted", "<skill>", "<skill></ski", "", "é"] {
            assert_eq!(frame(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_format_knows_a_record_by_is_in_the_list() {
        for own in ALL.iter().flat_map(|format| format.traits.texts).copied().flatten() {
            let text = format!("{} mine {}", own.start, own.end);
            let (front, back) = frame(&text).unwrap();
            assert!(front >= own.start.len() && back >= own.end.len(), "{text}");
        }
    }

    #[test]
    fn elements_of_hosts_are_not_the_users_text() {
        for (text, own) in [
            ("fix it", Some("fix it")),
            ("<system-reminder>a\n</system-reminder>\nfix it", Some("fix it")),
            ("<a x=\"1\">b</a><c>d</c> go on", Some("go on")),
            ("<command-name>/clear</command-name>", None),
            ("<open", None),
            ("[Request interrupted by user]", None),
            (" \n", None),
        ] {
            assert_eq!(users_text(text), own, "{text:?}");
        }
    }
}
