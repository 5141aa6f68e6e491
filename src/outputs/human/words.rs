//! The sentences about a conversation and about a run.

use crate::dialects::spoken::CALLS_IN_TEXTS;
use crate::transcript::{Applicability, Code, Severity};
use std::collections::BTreeMap;

use crate::outputs::document::words::sentence;
use crate::outputs::next::AsTyped;
use crate::outputs::{grouped, many};
use crate::report::introduction::Introduction;
use crate::report::model::{BaselineUse, Conversation, Report, ReportedFinding, Verdict};
use crate::report::text::{Shown, escape};

/// The verdict as it is printed.
pub(crate) fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Empty => "EMPTY",
        Verdict::Healthy => "HEALTHY",
        Verdict::Pending => "PENDING",
        Verdict::Lossy => "LOSSY",
        Verdict::Stuck => "STUCK",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Unknown => "UNKNOWN",
    }
}

/// The verdict with what limits it: `HEALTHY among the selected rules, but 2 records are of kinds …`.
pub(crate) fn verdict(c: &Conversation) -> String {
    match but(c) {
        Some(but) => format!("{}{}, {but}", verdict_word(c.verdict), among(c)),
        None => format!("{}{}", verdict_word(c.verdict), among(c)),
    }
}

/// That a verdict says nothing of some findings: "" where it speaks of all.
pub(crate) fn among(c: &Conversation) -> &'static str {
    if c.not_selected.is_empty() { "" } else { " among the selected rules" }
}

/// What a good verdict does not say: `but 2 records are of kinds that OpenHands SDK 1.58 does not know`.
pub(crate) fn but(c: &Conversation) -> Option<String> {
    let says: Vec<&str> = c.caveats.iter().map(|caveat| caveat.says.as_str()).collect();
    (!says.is_empty() && c.verdict <= Verdict::Pending).then(|| format!("but {}", says.join(", ")))
}

/// `2 findings of rules that are not selected: TD101, TD301`; `None`: there are none.
pub(crate) fn not_selected<'a>(
    conversations: impl IntoIterator<Item = &'a Conversation>,
) -> Option<String> {
    let mut codes: BTreeMap<Code, u64> = BTreeMap::new();
    // What rows hide is counted in the entry of their file.
    for c in conversations.into_iter().filter(|c| c.row.is_none()) {
        c.not_selected.iter().for_each(|(code, count)| *codes.entry(*code).or_default() += count);
    }
    if codes.is_empty() {
        return None;
    }
    let findings = many(codes.values().sum(), "finding");
    Some(format!("{findings} of unselected rules: {}", Code::list(codes.keys().copied())))
}

/// What the baseline hides: `3 known findings in the baseline; 1 entry of it was not found`. `None`: there is none.
pub(crate) fn known(report: &Report) -> Option<String> {
    let BaselineUse { known, unused } = report.baseline?;
    let mut out = format!("{} in the baseline", many(known, "known finding"));
    if unused > 0 {
        let entries = match unused {
            1 => "1 entry of it was not found".to_owned(),
            many => format!("{many} entries of it were not found"),
        };
        out = format!("{out}; {entries} (--prune-baseline)");
    }
    Some(out)
}

/// Characters of a session's ID that are shown.
const ID: usize = 8;
/// The same of a UUID that begins with its time: the first 8 digits are those of all sessions of a minute.
const ID_WITH_TIME: usize = 13;

/// The ID of a session as it is shown: what commands call it, else its beginning. `None`: its reader may not see it.
pub(crate) fn session_id(c: &Conversation, next: &AsTyped) -> Option<String> {
    let id = c.session.as_ref().filter(|id| !id.is_masked())?.whole();
    // What was typed may be shorter, or whole.
    if let Some(name) = next.name_of(&c.path).map(Shown::whole)
        && (ID..id.len()).contains(&name.len())
        && id.starts_with(&name)
    {
        return Some(name);
    }
    let has_time = id.len() == 36 && id.as_bytes().get(14) == Some(&b'7');
    let most = if has_time { ID_WITH_TIME } else { ID };
    Some(id.chars().take(most).collect())
}

/// What people know it by: `5f1c0000 · 2026-01-21 · /home/ana/shop · "Fix the login form"`. `None`: it does not say.
pub(crate) fn introduction(c: &Conversation, next: &AsTyped) -> Option<String> {
    let mut names = [&c.introduction.folder, &c.introduction.words].into_iter().flatten();
    let is_known = names.any(|shown| !shown.is_masked());
    known_by(c, next).filter(|_| is_known)
}

/// The same of a session that a command can name by its ID.
pub(crate) fn by_id(c: &Conversation, next: &AsTyped) -> Option<String> {
    next.name_of(&c.path).and(introduction(c, next))
}

/// The same with as much of it as its reader may see.
pub(crate) fn known_by(c: &Conversation, next: &AsTyped) -> Option<String> {
    let Introduction { date, folder, words, .. } = &c.introduction;
    let id = session_id(c, next);
    let [folder, words] = [folder, words].map(|shown| {
        let shown = shown.as_ref().filter(|shown| !shown.is_masked());
        shown.map(Shown::whole)
    });
    let words = words.map(|words| format!("\"{words}\""));
    let facts = [id, date.clone(), folder, words];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(" · "))
}

/// What it is, how big, and for whom it was judged.
pub(crate) fn facts(c: &Conversation) -> String {
    if let Some(rows) = &c.rows {
        let skipped = match rows.skipped {
            0 => String::new(),
            n => format!(", {n} without a conversation"),
        };
        let sizes = format!("{}{skipped}, {}", many(rows.total, "row"), many(c.calls, "call"));
        return format!("{}, {sizes}, checked against {}", c.title, c.provider());
    }
    let mut out = c.title.to_owned();
    // A line that no conversation could be read from has no sizes.
    if c.records > 0 || c.row.is_none() {
        let sizes = [many(c.records, "record"), many(c.calls, "call")];
        out.push_str(&format!(", {}", sizes.join(", ")));
    }
    out.push_str(&format!(", checked against {}", c.provider()));
    if let Some(parent) = &c.parent {
        let path = parent.rendered();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        out.push_str(&format!(", started by {}", escape(name)));
    }
    out
}

/// What the verdict means here; `None` where it says everything.
pub(crate) fn meaning(c: &Conversation) -> Option<String> {
    if let Some(rows) = &c.rows {
        let read = rows.total.saturating_sub(rows.skipped);
        let unpaired =
            if c.calls == 0 && read > 0 { format!(" {}", no_calls(c)) } else { String::new() };
        return Some(format!(
            "{} of {} are healthy.{unpaired}",
            rows.healthy,
            many(read, "conversation")
        ));
    }
    let worst = |level: Severity| {
        c.findings.iter().find(|f| f.severity >= level).map(|f| f.message.as_str())
    };
    let because = |level| worst(level).map(|why| format!(": {why}")).unwrap_or_default();
    Some(match c.verdict {
        Verdict::Stuck => {
            let will = if c.target_from.is_certain { "will" } else { "would" };
            format!(
                "{} {will} reject the next request{}.",
                c.refused_by.join(", "),
                because(Severity::Fatal)
            )
        }
        Verdict::Lossy => {
            let mut errors = c.findings.iter().filter(|f| f.severity >= Severity::Error);
            match worst(Severity::Error).filter(|_| errors.all(|f| f.effect.runs_again)) {
                Some(why) => format!("The session opens, but {why}."),
                None if stops_readers(c) => {
                    format!(
                        "Programs that read the rows stop at this one{}.",
                        because(Severity::Error)
                    )
                }
                None => {
                    let why = because(Severity::Error);
                    let hides = format!("; {} hides this", c.host_title);
                    let why = why.strip_suffix(hides.as_str()).unwrap_or(&why);
                    let what = unseen(c).unwrap_or_else(|| "a part of it".to_owned());
                    format!("The next request works, but the model does not see {what}{why}.")
                }
            }
        }
        Verdict::Unreadable => {
            let why =
                c.findings.iter().find(|f| f.effect.load_fails && f.severity >= Severity::Error);
            format!(
                "{}{} cannot open it{}.",
                host(c),
                unreadable_in(c),
                why.map(|f| format!(": {}", f.message)).unwrap_or_default()
            )
        }
        Verdict::Pending => {
            format!(
                "It waits for the result of {}, which is not a problem.",
                many((c.pending.len() as u64).max(1), "call")
            )
        }
        Verdict::Unknown => String::from("Unknown format."),
        Verdict::Empty => String::from("It has no messages."),
        // Where nothing could be wrong, healthy says less than it seems to.
        Verdict::Healthy if c.calls == 0 => no_calls(c).to_owned(),
        Verdict::Healthy => return None,
    })
}

/// The versions that cannot open it, if others can: ` 2.1.20 and older`.
fn unreadable_in(c: &Conversation) -> String {
    let mut cannot = c.clients.values().filter(|client| client.verdict == Verdict::Unreadable);
    match (cannot.next(), cannot.next()) {
        (Some(only), None) if c.clients.len() > 1 => format!(" {}", only.versions),
        _ => String::new(),
    }
}

/// The host at the beginning of a sentence. A name keeps its case: `pi`.
fn host(c: &Conversation) -> String {
    if c.host_title.starts_with("the ") { sentence(c.host_title) } else { c.host_title.to_owned() }
}

/// What there is to know of a conversation without calls that can be paired.
fn no_calls(c: &Conversation) -> &'static str {
    let mut findings = c.findings.iter();
    if findings.any(|finding| finding.message.starts_with(CALLS_IN_TEXTS)) {
        "Tool calls are plain text: not checked."
    } else {
        "No tool calls."
    }
}

/// Whether it is a row in which nothing is hidden, and that those who read it cannot use.
fn stops_readers(c: &Conversation) -> bool {
    const STOPS: &[Code] = &[Code::BadInput, Code::MalformedRecord, Code::DuplicateRecordId];
    let mut errors = c.findings.iter().filter(|finding| finding.severity >= Severity::Error);
    c.row.is_some() && errors.all(|own| own.effect.hides == 0 && STOPS.contains(&own.code))
}

/// How many messages are hidden: `at least 2 messages`. Two findings may hide the same ones, so only the largest number is sure.
fn unseen(c: &Conversation) -> Option<String> {
    let mut counts =
        c.findings.iter().map(|finding| finding.effect.hides).filter(|count| *count > 0);
    let first = counts.next()?;
    let others = counts.max();
    let most = first.max(others.unwrap_or(0));
    let least = if others.is_some() { "at least " } else { "" };
    let messages = many(u64::from(most), "message");
    let before = broken_link(c).filter(|_| others.is_none());
    Some(match before {
        Some(line) => format!("{messages} before line {line}"),
        None => format!("{least}{messages}"),
    })
}

/// The line whose missing parent hides what is before it, where that is all that is hidden.
fn broken_link(c: &Conversation) -> Option<u64> {
    let hiding = c.findings.iter().find(|finding| finding.effect.hides > 0)?;
    let records = hiding.records.as_slice();
    match (hiding.code, hiding.identity.count, records) {
        (Code::BrokenParent, 1, [only]) => only.line,
        _ => None,
    }
}

/// `Claude Code 2.1.329 and later continue without this part (LOSSY); 2.1.20 and older cannot continue (STUCK).`, and which
/// version recorded it; `None` where it is the same in all versions.
pub(crate) fn by_client(c: &Conversation) -> Option<String> {
    let clients = c.clients.values();
    if clients.clone().all(|client| client.verdict == c.verdict) {
        return None;
    }
    let does: Vec<String> = clients
        .map(|client| {
            let verdict = verdict_word(client.verdict);
            format!("{} {} ({verdict})", client.versions, goes_on(client.verdict))
        })
        .collect();
    let recorded = c.introduction.version.as_ref();
    let recorded = recorded.map(|version| format!(" This session was recorded with {version}."));
    Some(format!("{} {}.{}", c.host_title, does.join("; "), recorded.unwrap_or_default()))
}

/// What clients do with a session of this verdict.
fn goes_on(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stuck => "cannot continue",
        Verdict::Unreadable | Verdict::Unknown => "cannot open it",
        Verdict::Lossy => "continue without this part",
        Verdict::Pending | Verdict::Healthy | Verdict::Empty => "continue",
    }
}

/// `3 conversations: 2 healthy, 1 stuck.  1 fatal (1 safe fix).`
pub(crate) fn totals(report: &Report) -> String {
    let sum = &report.summary;
    let kinds = [
        (sum.unknown, "unknown"),
        (sum.unreadable, "unreadable"),
        (sum.stuck, "stuck"),
        (sum.lossy, "lossy"),
        (sum.pending, "pending"),
        (sum.healthy, "healthy"),
        (sum.empty, "empty"),
    ];
    let mut out = many(sum.conversations, "conversation");
    let parts: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if !parts.is_empty() {
        out = format!("{out}: {}", parts.join(", "));
    }
    if sum.not_checked > 0 {
        out = format!("{out}; {} not checked", sum.not_checked);
    }
    out.push('.');
    let levels = levels(report);
    if !levels.is_empty() {
        out = format!("{out}  {levels}.");
    }
    out
}

/// Findings by severity, and what may be done: `2 fatal, 1 warning (2 safe fixes, 1 manual)`.
pub(crate) fn levels(report: &Report) -> String {
    let all: Vec<&ReportedFinding> =
        report.conversations.iter().flat_map(|c| &c.findings).collect();
    let mut parts = Vec::new();
    for (level, one, more) in [
        (Severity::Fatal, "fatal", "fatal"),
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let own = all.iter().filter(|f| f.severity == level);
        match own.map(|f| f.identity.count).sum::<u64>() {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            n => parts.push(format!("{} {more}", grouped(n))),
        }
    }
    // Notes need no fix, so they are not counted.
    let mut fixes = Vec::new();
    for applicability in [Applicability::Safe, Applicability::Unsafe, Applicability::Manual] {
        let mut count: u64 = 0;
        for finding in &all {
            if finding.resolution.fix.applicability == applicability
                && finding.severity > Severity::Note
            {
                count += finding.identity.count;
            }
        }
        match (applicability, count) {
            (_, 0) => {}
            (Applicability::Manual, n) => fixes.push(format!("{} to decide", grouped(n))),
            (own, 1) => fixes.push(format!("1 {} fix", own.name())),
            (own, n) => fixes.push(format!("{} {} fixes", grouped(n), own.name())),
        }
    }
    let tail = if fixes.is_empty() { String::new() } else { format!(" ({})", fixes.join(", ")) };
    if parts.is_empty() { String::new() } else { parts.join(", ") + &tail }
}

/// What was met on a walk and not checked, by reason, the most frequent first; without a full stop. `None`: nothing.
pub(crate) fn skipped(report: &Report) -> Option<String> {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for skipped in &report.skipped {
        // What follows is about the one file.
        let reason = skipped.why.split(": ").next().unwrap_or_default();
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, u64)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    match reasons.as_slice() {
        [] => None,
        [("not a transcript", 1)] => Some("Skipped 1 file that is not a transcript".to_owned()),
        [("not a transcript", n)] => Some(format!("Skipped {n} files that are not transcripts")),
        [(why, n)] => Some(format!("Skipped {n}: {why}")),
        several => {
            let each: Vec<String> =
                several.iter().map(|(why, count)| format!("{count} {why}")).collect();
            Some(format!("Skipped {}: {}", report.skipped.len(), each.join("; ")))
        }
    }
}
