//! What a repair of several transcripts came to.

use super::document::{
    self, IndexLine, LineMark, Look, PageBlock, PagePartKind, StyledSpan, prose,
};
use super::{OutputStyle, human};
use crate::report::model::{Conversation, ReportedFinding};
use crate::report::redact::redact_fields;
use crate::transcript::{Applicability, Severity};

/// How many were repaired, and which were not.
#[derive(Debug, Default)]
pub(crate) struct RunSummary {
    pub repaired: u64,
    pub left: Vec<LeftTranscript>,
    /// What to know of the repairs, each once.
    pub remarks: Vec<String>,
    /// `repair` asks which results are right.
    pub can_ask: bool,
}

/// A transcript that is still damaged.
#[derive(Debug)]
pub(crate) struct LeftTranscript {
    pub conversation: Conversation,
    /// Why its repair was refused.
    pub refused: Option<String>,
    /// The user wanted it so.
    pub is_answered: bool,
}

redact_fields! {
    RunSummary { left }
    LeftTranscript { conversation }
}

/// `Repaired 5 of 7 sessions; left 2:` with each of these, its reason, and its command.
pub(super) fn blocks(summary: &RunSummary, style: &OutputStyle) -> Vec<PageBlock> {
    let mut out: Vec<PageBlock> =
        summary.remarks.iter().map(|remark| document::says(remark)).collect();
    let (repaired, left) = (summary.repaired, summary.left.len() as u64);
    if repaired + left == 0 {
        return out;
    }
    let mut left_paths = summary.left.iter().map(|own| &own.conversation.path);
    let are_sessions =
        style.next.is_project || left_paths.all(|path| style.next.name_of(path).is_some());
    let word = if are_sessions { "session" } else { "transcript" };
    let all = super::many(repaired + left, word);
    if left == 0 {
        out.push(document::says(&format!("Repaired {all}.")));
        return out;
    }
    out.push(document::says(&format!("Repaired {repaired} of {all}; left {left}:")));
    out.extend(summary.left.iter().flat_map(|own| left_one(own, summary.can_ask, style)));
    out
}

fn left_one(own: &LeftTranscript, can_ask: bool, style: &OutputStyle) -> Vec<PageBlock> {
    let conversation = &own.conversation;
    let (reason, command) = reason(own, can_ask, style);
    let line = IndexLine {
        mark: LineMark::Verdict(conversation.verdict),
        name: name(conversation, style),
        says: String::new(),
    };
    let mut below = vec![PageBlock::Facts(vec![("", prose(&reason))])];
    below.extend(command.map(|line| document::command(" ", line)));
    let below = document::part(PagePartKind::Result, Vec::new(), below);
    vec![PageBlock::Index(vec![line]), below]
}

/// What people know a session by, else its path.
fn name(conversation: &Conversation, style: &OutputStyle) -> StyledSpan {
    match human::by_id(conversation, &style.next) {
        Some(known) => StyledSpan::new(Look::Plain, known),
        None => StyledSpan::new(Look::Name, conversation.place()),
    }
}

/// Why it was left, and what to type next.
fn reason(own: &LeftTranscript, can_ask: bool, style: &OutputStyle) -> (String, Option<String>) {
    let conversation = &own.conversation;
    let command =
        |command, options: &[&str]| style.next.for_path(command, options, &conversation.path);
    // The first reason that a reader can act on.
    if let Some(refused) = &own.refused {
        let first = refused.lines().next().unwrap_or(refused);
        let first = first.split("; nothing was written").next().unwrap_or(first);
        return (format!("refused: {first}"), style.next.repair(conversation, &[]));
    }
    let damage = || conversation.findings.iter().filter(|own| own.severity > Severity::Note);
    let Some(worst) = damage().max_by_key(|own| own.severity) else {
        return ("it was left as it is".to_owned(), command("explain", &[]));
    };
    if own.is_answered && damage().any(|own| own.is_safe()) {
        let safe = damage().find(|own| own.is_safe()).unwrap_or(worst);
        return (described(safe, "you left it"), style.next.repair(conversation, &[]));
    }
    if let Some(open) = damage().find(|own| !own.resolution.choices.is_empty()) {
        let asks = can_ask && open.resolution.fix.applicability == Applicability::Manual;
        let next =
            if asks { style.next.repair(conversation, &[]) } else { command("explain", &[]) };
        return (described(open, human::choose(open)), next);
    }
    if let Some(guess) =
        damage().find(|own| own.resolution.fix.applicability == Applicability::Unsafe)
    {
        let next = style.next.look(conversation);
        return (described(guess, "its fix guesses or loses content"), next);
    }
    let why = match worst.resolution.advice.as_ref() {
        "" if worst.is_safe() => "its fix is safe, but was left out".to_owned(),
        "" => human::fix_word(worst.resolution.fix.applicability).to_owned(),
        advice => format!("no automatic fix: {advice}"),
    };
    (described(worst, &why), command("explain", &[]))
}

/// `TD105: two different results for one tool call; you decide which result is right`
fn described(finding: &ReportedFinding, why: &str) -> String {
    format!("{}: {}; {why}", finding.code, finding.message)
}
