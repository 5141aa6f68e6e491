//! A conversation's heading and what is said of it as a whole.

use super::{CommandLine, Lead, Look, PageBlock, PagePartKind, StyledSpan, StyledText, says};
use crate::outputs::human::{self, verdict_word};
use crate::outputs::layout::Medium;
use crate::outputs::link::Links;
use crate::outputs::paint::{Tone, of_verdict};
use crate::outputs::{OutputStyle, many, next};
use crate::report::model::{Applied, Conversation, Report, Verdict};

/// `STUCK run.jsonl`
pub(super) fn heading(conversation: &Conversation) -> StyledText {
    named(vec![verdict(conversation)], conversation, None)
}

/// Its verdict, with what limits it.
pub(super) fn verdict(conversation: &Conversation) -> StyledSpan {
    let look = Look::Label(of_verdict(conversation.verdict));
    StyledSpan::new(look, human::verdict(conversation))
}

/// A verdict before what it is on.
pub(super) fn named(
    mut verdict: StyledText,
    conversation: &Conversation,
    links: Option<&Links>,
) -> StyledText {
    let link = links.and_then(|links| links.target(&conversation.path, None));
    verdict.push(StyledSpan::new(Look::Place(link), conversation.place()));
    if conversation.live {
        verdict.push(StyledSpan::new(Look::Quiet, "still being written"));
    }
    verdict
}

/// Its verdict in a terminal, and what that means.
pub(crate) fn introduced(conversation: &Conversation, style: &OutputStyle) -> PageBlock {
    let heading = named(vec![verdict(conversation)], conversation, style.links.as_ref());
    part_of(heading, vec![lead(conversation, Medium::Terminal, style)])
}

/// The same after a repair: `REPAIRED  STUCK → HEALTHY  run.jsonl`
pub(crate) fn repaired(
    before: Verdict,
    conversation: &Conversation,
    applied: &Applied,
    style: &OutputStyle,
) -> PageBlock {
    let after = applied.proved.unwrap_or(conversation.verdict);
    let (tone, word) = if after <= Verdict::Pending {
        (Tone::Good, "REPAIRED  ")
    } else {
        (Tone::Warn, "PARTLY REPAIRED  ")
    };
    let change = vec![
        StyledSpan::new(Look::Label(tone), word),
        label(before),
        StyledSpan::new(Look::Plain, " → "),
        label(after),
    ];
    let left = human::meaning(conversation).filter(|_| after > Verdict::Pending);
    let lead = Lead {
        known: human::introduction(conversation, &style.next),
        facts: String::new(),
        says: std::iter::once(human::did(applied)).chain(left).collect(),
    };
    part_of(named(change, conversation, style.links.as_ref()), vec![PageBlock::Lead(lead)])
}

pub(super) fn part_of(heading: StyledText, blocks: Vec<PageBlock>) -> PageBlock {
    super::part(PagePartKind::Conversation, heading, blocks)
}

/// The title of a page about it.
pub(super) fn title(conversation: &Conversation) -> String {
    format!("{} {}", human::verdict(conversation), conversation.place())
}

/// The part of a conversation.
pub(super) fn part(conversation: &Conversation, blocks: Vec<PageBlock>) -> PageBlock {
    part_of(heading(conversation), blocks)
}

/// What the page is about, for somebody who never heard of this program.
pub(super) fn for_outsiders(conversation: &Conversation) -> PageBlock {
    let word = verdict_word(conversation.verdict);
    let what =
        "This page is about one recorded session of an AI agent, checked by transcript-doctor";
    says(&format!("{what}. {word} means: {}.", definition(conversation.verdict)))
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
pub(super) fn lead(conversation: &Conversation, medium: Medium, style: &OutputStyle) -> PageBlock {
    let hidden = human::not_selected([conversation]).map(|hidden| format!("Not shown: {hidden}."));
    let says = [human::meaning(conversation), human::by_client(conversation), hidden];
    PageBlock::Lead(Lead {
        known: match medium {
            Medium::Terminal => human::introduction(conversation, &style.next),
            Medium::Page => human::known_by(conversation, &style.next),
        },
        facts: human::facts(conversation),
        says: says.into_iter().flatten().collect(),
    })
}

/// A verdict as a label.
pub(super) fn label(verdict: Verdict) -> StyledSpan {
    StyledSpan::new(Look::Label(of_verdict(verdict)), verdict_word(verdict))
}

/// The command that continues with it in its host, and what must be so before it works.
pub(super) fn resume(conversation: &Conversation, what: &'static str) -> Option<PageBlock> {
    let resume = conversation.resume.as_ref()?;
    Some(PageBlock::Command(CommandLine {
        what: what.into(),
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
