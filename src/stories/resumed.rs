//! Finds the message of a server that resumed the conversation in the output of a tool: the command
//! itself started that server.

use super::log::Log;
use crate::transcript::{Confidence, EventId, PartId, time};

/// Most results searched.
const LOOKED_AT: usize = 8;

/// Microseconds in a second. Such logs have no finer clock.
const SECOND: i64 = 1_000_000;

/// The status in the dump of a server's state, without white space.
const RUNNING: &str = "'execution_status':<ConversationExecutionStatus.RUNNING";

/// The ID of a conversation as servers print it: 8-4-4-4-12 hex digits. `None` if it is not such an
/// ID.
pub(super) fn dashed(session: &str) -> Option<String> {
    let hex: String = session.chars().filter(|c| *c != '-').collect();
    if hex.len() != 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let parts =
        [hex.get(..8)?, hex.get(8..12)?, hex.get(12..16)?, hex.get(16..20)?, hex.get(20..)?];
    Some(parts.join("-").to_ascii_lowercase())
}

/// The result with that message, and how sure it is that the command caused it while the call ran.
/// Searches from the call to the second result after the placeholder, because a terminal may assign
/// its output to a neighboring call.
pub(super) fn find(
    log: &Log<'_>,
    session: &str,
    call: PartId,
    stub: EventId,
) -> Option<(EventId, Confidence)> {
    let call = log.t.part(call).event;
    let before = log.results_after(call).iter().take_while(|event| **event < stub);
    let after = log.results_after(stub).iter().take(2);
    let span = log.t.event(call).time().zip(log.t.event(stub).time());
    let found: Vec<(EventId, Confidence)> = before
        .take(LOOKED_AT)
        .chain(after)
        .filter_map(|event| Some((*event, read(&log.text(*event)?, session, span)?)))
        .collect();
    // `max_by_key` keeps the last of equals; the first of them is wanted.
    found.into_iter().rev().max_by_key(|(_, certainty)| *certainty)
}

/// How sure one text makes it.
fn read(text: &str, session: &str, span: Option<(i64, i64)>) -> Option<Confidence> {
    // Terminals and loggers wrap lines wherever they like, also inside the ID.
    let text: String = text.split_whitespace().collect();
    let sentence = format!("Resumedconversation{session}frompersistentstorage");
    let first = text.find(&sentence)?;
    if text.get(first..).is_some_and(|after| after.contains(RUNNING)) {
        return Some(Confidence::Certain);
    }
    let while_it_ran = text.match_indices(&sentence).any(|(at, _)| {
        let clock = text.get(..at).and_then(last_clock);
        clock.zip(span).is_some_and(|(clock, (call, stub))| {
            call.div_euclid(SECOND) <= clock && clock <= stub.div_euclid(SECOND)
        })
    });
    Some(if while_it_ran { Confidence::Certain } else { Confidence::Likely })
}

/// The last `[MM/DD/YYHH:MM:SS]` of a text without white space, in seconds.
fn last_clock(text: &str) -> Option<i64> {
    text.rmatch_indices('[').find_map(|(at, _)| clock(text.get(at..at.checked_add(18)?)?))
}

fn clock(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let fits = inner.bytes().enumerate().all(|(at, byte)| match at {
        2 | 5 => byte == b'/',
        10 | 13 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    if !fits {
        return None;
    }
    let (month, day, year, clock) =
        (inner.get(..2)?, inner.get(3..5)?, inner.get(6..8)?, inner.get(8..)?);
    Some(time::parse(&format!("20{year}-{month}-{day}T{clock}"))?.div_euclid(SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "6be77f2e-ccd7-4469-80fa-a5afe69efd9e";

    fn span() -> Option<(i64, i64)> {
        time::parse("2026-08-25T17:30:40.144").zip(time::parse("2026-08-25T17:30:44.740"))
    }

    #[test]
    fn ids_are_dashed() {
        assert_eq!(dashed("6BE77F2Eccd7446980faa5afe69efd9e").as_deref(), Some(ID));
        assert_eq!(dashed(ID).as_deref(), Some(ID));
        assert_eq!(dashed("b_nested_server.jsonl"), None);
        assert_eq!(dashed("é".repeat(16).as_str()), None);
    }

    #[test]
    fn the_sentence_alone_is_likely() {
        let said = format!("ok\nResumed conversation\n  {ID} from persistent\n storage");
        assert_eq!(read(&said, ID, span()), Some(Confidence::Likely));
        assert_eq!(read(&said.replace("6be7", "7be7"), ID, span()), None);
        assert_eq!(read("", ID, span()), None);
    }

    #[test]
    fn a_state_or_a_clock_makes_it_certain() {
        let sentence = format!("Resumed conversation {ID} from persistent storage");
        let running = format!(
            "{sentence} State: {{'execution_status': <Conversation\nExecutionStatus.RUNNING: 'running'>"
        );
        assert_eq!(read(&running, ID, None), Some(Confidence::Certain));
        for (clock, wanted) in [
            ("17:30:40", Confidence::Certain),
            ("17:30:44", Confidence::Certain),
            ("17:30:39", Confidence::Likely),
            ("17:30:45", Confidence::Likely),
        ] {
            let logged = format!("[x] [08/25/26 {clock}] INFO {sentence}");
            assert_eq!(read(&logged, ID, span()), Some(wanted), "{clock}");
            assert_eq!(read(&logged, ID, None), Some(Confidence::Likely));
        }
        // A clock after the sentence belongs to the next line.
        assert_eq!(
            read(&format!("{sentence} [08/25/26 17:30:42]"), ID, span()),
            Some(Confidence::Likely)
        );
        assert_eq!(
            read(&format!("[08/25/é6 17:30:42] {sentence}"), ID, span()),
            Some(Confidence::Likely)
        );
    }
}
