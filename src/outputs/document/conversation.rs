//! A conversation's heading and what is said of it as a whole.

use super::{
    CommandLine, Look, PageBlock, PagePart, PagePartKind, StyledSpan, StyledText, prose, says,
};
use crate::outputs::human::{self, verdict_word};
use crate::outputs::paint::of_verdict;
use crate::outputs::{OutputStyle, many, next};
use crate::report::model::{Applied, Conversation, Report, Verdict};

/// `STUCK run.jsonl`
pub(super) fn heading(conversation: &Conversation) -> StyledText {
    let word = human::verdict(conversation);
    let mut out = vec![
        StyledSpan::new(Look::Label(of_verdict(conversation.verdict)), word),
        StyledSpan::new(Look::Name, conversation.place()),
    ];
    if conversation.live {
        out.push(StyledSpan::new(Look::Quiet, "still being written"));
    }
    out
}

/// The title of a page about it.
pub(super) fn title(conversation: &Conversation) -> String {
    format!("{} {}", human::verdict(conversation), conversation.place())
}

/// The part of a conversation.
pub(super) fn part(conversation: &Conversation, name: String, blocks: Vec<PageBlock>) -> PageBlock {
    PageBlock::Part(PagePart {
        kind: PagePartKind::Conversation,
        name,
        heading: heading(conversation),
        blocks,
    })
}

/// What the page is about, for somebody who never heard of this program.
pub(super) fn for_outsiders(conversation: &Conversation) -> PageBlock {
    let word = verdict_word(conversation.verdict);
    let what =
        "This page is about one recorded session of an AI agent, checked by transcript-doctor";
    says(&format!(
        "{what}. {word} means: {}.",
        definition(conversation.verdict)
    ))
}

/// The same for many, with what the verdicts in the report mean.
pub(super) fn for_outsiders_of(report: &Report) -> Vec<PageBlock> {
    let sessions = many(report.summary.conversations, "recorded session");
    let what = format!("This page is about {sessions} of AI agents, checked by transcript-doctor.");
    let mut verdicts: Vec<Verdict> = report.conversations.iter().map(|c| c.verdict).collect();
    verdicts.sort_unstable();
    verdicts.dedup();
    let meaning = verdicts.into_iter().rev().map(|verdict| {
        let says = format!(": {}", definition(verdict));
        vec![label(verdict), StyledSpan::new(Look::Plain, says)]
    });
    vec![says(&what), PageBlock::List(meaning.collect())]
}

/// What a verdict says, whatever its reason.
fn definition(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stuck => {
            "the provider rejects the next request, so the session cannot continue until it is repaired"
        }
        Verdict::Lossy => "the session opens, but the model does not see all of its history",
        Verdict::Unreadable => "the agent cannot open the session",
        Verdict::Pending => "the session waits for a tool or a person, which is not a problem",
        Verdict::Healthy => "nothing in the session stops the next request",
        Verdict::Empty => "the session has no messages, which is not a problem",
        Verdict::Unknown => "the format of the file is unknown, so nothing was checked",
    }
}

/// What the verdict means, and what it is a verdict on.
pub(super) fn lead(conversation: &Conversation) -> Vec<PageBlock> {
    let hidden = human::not_selected([conversation]).map(|hidden| format!("Not shown: {hidden}."));
    let said = [
        human::meaning(conversation),
        human::by_client(conversation),
        hidden,
    ];
    let known = human::known_by(conversation);
    let known = known.map(|known| PageBlock::Text(vec![StyledSpan::new(Look::Quiet, known)]));
    let mut out: Vec<PageBlock> = known.into_iter().collect();
    let said = said
        .into_iter()
        .flatten()
        .map(|text| PageBlock::Text(vec![StyledSpan::new(Look::Strong, text)]));
    out.extend(said);
    out.push(PageBlock::Text(vec![StyledSpan::new(
        Look::Quiet,
        human::facts(conversation),
    )]));
    out
}

/// What a repair did, or would do.
pub(super) fn applied(conversation: &Conversation, applied: &Applied) -> Vec<PageBlock> {
    let mut out = Vec::new();
    if applied.planned_only {
        out.push(says(&human::would(applied)));
        return out;
    }
    out.push(says(&human::did(applied)));
    let mut facts: Vec<(&'static str, StyledText)> = Vec::new();
    if let Some(op) = applied.op {
        facts.push(("backed up", prose(&format!("journal op {op}"))));
    }
    if let Some(output) = &applied.output {
        facts.push(("wrote", vec![StyledSpan::new(Look::Name, output.whole())]));
    }
    facts.extend(
        applied
            .proved
            .map(|verdict| ("read again", vec![label(verdict)])),
    );
    if !facts.is_empty() {
        out.push(PageBlock::Facts(facts));
    }
    if let Some(op) = applied.op {
        let undo = format!("{} undo {op}", env!("CARGO_PKG_NAME"));
        out.push(super::command("Undo", undo));
    }
    out.extend(conversation.remarks.iter().map(|remark| says(remark)));
    out
}

/// A verdict as a label.
pub(super) fn label(verdict: Verdict) -> StyledSpan {
    StyledSpan::new(Look::Label(of_verdict(verdict)), verdict_word(verdict))
}

/// The command that goes on with it in its host, and what must be so before it works.
pub(super) fn resume(conversation: &Conversation, what: &'static str) -> Option<PageBlock> {
    let resume = conversation.resume.as_ref()?;
    Some(PageBlock::Command(CommandLine {
        what,
        line: next::resume(resume)?,
        note: human::proviso(resume).unwrap_or_default(),
    }))
}

/// A command for it, where one can be typed.
pub(super) fn command(
    conversation: &Conversation,
    word: &'static str,
    command: &str,
    options: &[&str],
    style: &OutputStyle,
) -> Option<PageBlock> {
    let line = match command {
        "repair" => style.next.repair(conversation, options)?,
        command => style.next.for_path(command, options, &conversation.path)?,
    };
    Some(super::command(word, line))
}
