//! What a pasted error comes to.

use super::finding::{self, Depth, Rules};
use super::{
    Look, PageBlock, PagePartKind, StyledSpan, StyledText, conversation, ladder, more, part, prose,
    says, tail,
};
use crate::explain::error::{ErrorAccount, IdAnswer, IndexCheck, PastedText};
use crate::outputs::layout::{Medium, TextLayout};
use crate::outputs::paint::Tone;
use crate::outputs::{OutputStyle, human};
use crate::report::ladder::rows;
use crate::report::text::width;
use crate::transcript::Confidence;

/// Findings that are told in a terminal, at most, unless everything is asked for.
const SHOWN: usize = 10;
/// Numbers in a list, at most, unless everything is asked for.
const NUMBERS: usize = 10;

/// What the text says, what was found for it, what stands there, the findings, the next command.
pub(super) fn blocks(
    account: &ErrorAccount,
    style: &OutputStyle,
    medium: Medium,
    rules: &mut Rules,
) -> (String, Vec<PageBlock>) {
    let conversation = &account.conversation;
    let layout = TextLayout::new(style, medium, account.call_ids());
    let mut error = vec![facts(account, &layout)];
    if !layout.is_brief() {
        error.extend(answers(account, &layout));
        if !account.says.is_empty() {
            error.push(part(PagePartKind::Passage, Vec::new(), vec![says(&account.says)]));
        }
    }
    let mut out = vec![part(PagePartKind::Passage, prose("The error"), error)];
    if !layout.is_brief() {
        if !account.read.no_damage {
            out.extend(damage(account, &layout, rules));
        }
        out.extend(next(account, style));
    }
    if medium == Medium::Page {
        out.push(tail::environment(conversation, &account.tool));
        out = vec![conversation::part(conversation, out)];
    }
    (conversation::title(conversation), out)
}

/// `Found:  run.jsonl, by the ids in the text`
fn facts(account: &ErrorAccount, layout: &TextLayout<'_>) -> PageBlock {
    const FOUND: &str = "Found:";
    let (tone, before, found) = found(account);
    let path = layout.path(&account.conversation.path.whole(), width(FOUND) + 2);
    let place = vec![
        StyledSpan::new(Look::Name, path),
        StyledSpan::new(Look::Plain, before),
        StyledSpan::new(Look::Label(tone), found),
    ];
    let mut facts = vec![("Read:", prose(&read(&account.read, layout))), (FOUND, place)];
    let known = human::introduction(&account.conversation).filter(|_| !layout.is_page());
    facts.extend(known.map(|known| ("", vec![StyledSpan::new(Look::Plain, known)])));
    PageBlock::Facts(facts)
}

fn answers(account: &ErrorAccount, layout: &TextLayout<'_>) -> Option<PageBlock> {
    let all = account.answers.iter().take(layout.most(NUMBERS));
    let mut list: Vec<StyledText> = all.map(|own| prose(&answer(own, layout))).collect();
    list.extend(more(layout.left_out(account.answers.len(), NUMBERS)));
    let checks = account.index_checks.iter();
    list.extend(checks.map(|check| prose(&index(check, layout))));
    (!list.is_empty()).then(|| part(PagePartKind::Passage, Vec::new(), vec![PageBlock::List(list)]))
}

/// The records in question, what is wrong with them, and what else is wrong.
fn damage(account: &ErrorAccount, layout: &TextLayout<'_>, rules: &mut Rules) -> Vec<PageBlock> {
    let conversation = &account.conversation;
    let mut out = Vec::new();
    if !account.records.is_empty() {
        let rows = rows(&account.records, &layout.ids, "");
        let ladder = ladder(rows, "the records in question");
        out.push(part(PagePartKind::Passage, prose("Where it is"), vec![ladder]));
    }
    let groups = [
        (PagePartKind::Passage, "What it means", &account.findings, Depth::Fix),
        (PagePartKind::Chapter, "Also in this transcript", &account.others, Depth::Title),
    ];
    for (kind, heading, findings, depth) in groups {
        let blocks = if layout.is_page() {
            finding::list(conversation, |at, _| findings.contains(&at), layout, rules)
        } else {
            let findings = findings.iter().filter_map(|at| conversation.findings.get(*at));
            finding::brief(findings, depth, SHOWN, conversation, layout)
        };
        out.extend((!blocks.is_empty()).then(|| part(kind, prose(heading), blocks)));
    }
    out
}

fn next(account: &ErrorAccount, style: &OutputStyle) -> Option<PageBlock> {
    let conversation = &account.conversation;
    if account.repaired_by.is_some() {
        let restart = conversation::resume(conversation, "Restart")?;
        return Some(part(PagePartKind::Passage, prose("Next"), vec![restart]));
    }
    let next = account.next?;
    let next = conversation::command(conversation, "Next", next.command, next.options, style)?;
    let then = conversation::resume(conversation, "Then");
    let then = then.filter(|_| human::a_repair_suffices(conversation));
    let commands = [next].into_iter().chain(then).collect();
    Some(part(PagePartKind::Passage, prose("Next"), commands))
}

/// `Anthropic · a call has no result in the next message · message 21 · id toolu_019Mg…DRQe`
pub(super) fn read(read: &PastedText, layout: &TextLayout<'_>) -> String {
    let mut facts = match read.speaker {
        "" => vec!["not a known error text".to_owned()],
        speaker if read.is_alike => vec![format!("like {speaker}"), read.means.to_owned()],
        speaker => vec![speaker.to_owned(), read.means.to_owned()],
    };
    if !read.indices.is_empty() {
        facts.push(format!("message {}", layout.list(read.indices.iter(), NUMBERS)));
    }
    if !read.ids.is_empty() {
        let ids = read.ids.iter().map(|id| layout.ids.text(id));
        let word = if read.ids.len() == 1 { "ID" } else { "IDs" };
        facts.push(format!("{word} {}", layout.list(ids, NUMBERS)));
    }
    facts.join(" · ")
}

/// What was found for the text, after the path and some characters.
fn found(account: &ErrorAccount) -> (Tone, &'static str, String) {
    let (tone, says) = match (account.found, account.read.no_damage) {
        (_, true) => (Tone::Good, "not a problem of the transcript"),
        (false, _) => (Tone::Warn, "nothing matches this text"),
        (true, _) => {
            let by = match account.evidence {
                "ids" => "by the IDs in the text",
                "index" => "by the number of the message",
                _ => "by the kind of problem only",
            };
            let sure = match account.certainty {
                Confidence::Certain => "",
                Confidence::Likely => " (likely)",
                Confidence::Guess => " (a guess)",
            };
            return (Tone::Strong, ", ", format!("{by}{sure}"));
        }
    };
    (tone, ": ", says.to_owned())
}

/// `toolu_019Mg…DRQe has more than one result: line 88, 90 (its call: line 87)`
fn answer(answer: &IdAnswer, layout: &TextLayout<'_>) -> String {
    let id = answer.id.as_ref().unwrap_or(&answer.asked);
    let doubt =
        if answer.doubt.is_empty() { String::new() } else { format!(" ({})", answer.doubt) };
    let place = match answer.status {
        // Each is another record that only holds the same word.
        _ if answer.numbers.is_empty() => String::new(),
        "mentioned" => {
            let each = answer.numbers.iter();
            let each = each.map(|number| format!("{} {number}", answer.unit));
            format!(": {}", layout.list(each, NUMBERS))
        }
        _ => {
            let numbers = layout.list(answer.numbers.iter(), NUMBERS);
            format!(": {} {numbers}", answer.unit)
        }
    };
    let call =
        answer.call.map(|call| format!(" (its call: {} {call})", answer.unit)).unwrap_or_default();
    format!("{}{doubt} {}{place}{call}", layout.ids.text(id), answer.says)
}

/// `index check: message 21 in the error is line 88 here`
fn index(check: &IndexCheck, layout: &TextLayout<'_>) -> String {
    let numbers = layout.list(check.numbers.iter(), NUMBERS);
    if check.api == check.ours {
        let place = if check.numbers.is_empty() {
            "has no record".to_owned()
        } else {
            format!("is {} {numbers}", check.unit)
        };
        return format!("index check: message {} in the error {place} here", check.api);
    }
    let place = if check.numbers.is_empty() {
        ", which has no record".to_owned()
    } else {
        format!(", {} {numbers}", check.unit)
    };
    format!(
        "index check: the error says message {}, we count message {}{place}: the request had \
        other messages before it",
        check.api, check.ours
    )
}
