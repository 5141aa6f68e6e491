//! What a pasted error comes to.

use super::finding::{self, Depth, Rules};
use super::{
    Look, PageBlock, PagePartKind, StyledSpan, StyledText, conversation, ladder, more, part, prose,
    says, tail,
};
use crate::explain::error::{ErrorAccount, IdAnswer, IndexCheck, PastedText};
use crate::outputs::layout::{Medium, TextLayout};
use crate::outputs::paint::Tone;
use crate::outputs::{OutputStyle, human, many};
use crate::report::ladder::rows;
use crate::report::text::width;
use crate::transcript::Confidence;

/// Findings that are shown in a terminal, at most, unless everything is asked for.
const SHOWN: usize = 10;
/// What the pasted text says.
pub(super) const ERROR: &str = "Error:";
/// Numbers in a list, at most, unless everything is asked for.
const NUMBERS: usize = 10;

/// What the text says, what was found for it, what is there, the findings, the next command.
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

/// `Found:  run.jsonl, by the IDs in the text`
fn facts(account: &ErrorAccount, layout: &TextLayout<'_>) -> PageBlock {
    const FOUND: &str = "Found:";
    let (tone, before, found) = found(account);
    let path = layout.path(&account.conversation.path.whole(), width(FOUND) + 2);
    let mut facts = vec![(ERROR, prose(&read(&account.read, layout)))];
    let used = width(FOUND) + 2 + width(&path) + width(before) + width(&found);
    let found = StyledSpan::new(Look::Label(tone), found);
    if layout.is_page() || used <= layout.columns {
        let path = StyledSpan::new(Look::Name, path);
        facts.push((FOUND, vec![path, StyledSpan::new(Look::Plain, before), found]));
    } else {
        // A path is not broken.
        facts.push((FOUND, vec![StyledSpan::new(Look::Place(None), path)]));
        facts.push(("", vec![found]));
    }
    let known = human::introduction(&account.conversation, &layout.style.next);
    let known = known.filter(|_| !layout.is_page());
    facts.extend(known.map(|known| ("", vec![StyledSpan::new(Look::Plain, known)])));
    PageBlock::Facts(facts)
}

fn answers(account: &ErrorAccount, layout: &TextLayout<'_>) -> Option<PageBlock> {
    let all = account.answers.iter().take(layout.most(NUMBERS));
    let host = account.conversation.host_title;
    let mut list: Vec<StyledText> = all.map(|own| prose(&answer(own, host, layout))).collect();
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

/// `from Anthropic: a tool call has no result in the next message (message 21, toolu_019Mg…DRQe)`
pub(super) fn read(read: &PastedText, layout: &TextLayout<'_>) -> String {
    let says = match read.speaker {
        "" => "not a known error text".to_owned(),
        speaker if read.is_alike => format!("similar to one from {speaker}: {}", read.means),
        speaker => format!("from {speaker}: {}", read.means),
    };
    let mut places = Vec::new();
    if !read.indices.is_empty() {
        let numbers: Vec<u64> = read.indices.iter().map(|at| u64::from(*at)).collect();
        places.push(layout.numbered("message", &numbers, NUMBERS));
    }
    if !read.ids.is_empty() {
        places.push(layout.list(read.ids.iter().map(|id| layout.ids.text(id)), NUMBERS));
    }
    if places.is_empty() { says } else { format!("{says} ({})", places.join(", ")) }
}

/// What was found for the text, after the path and some characters.
fn found(account: &ErrorAccount) -> (Tone, &'static str, String) {
    let (tone, says) = match (account.found, account.read.no_damage) {
        (_, true) => (Tone::Good, "not a problem of the transcript"),
        (false, _) => (Tone::Warn, "nothing matches this text"),
        (true, _) if account.repaired_by.is_some() => (Tone::Good, "it was repaired"),
        // The text alone was answered.
        (true, _) if account.evidence == "kind" && account.findings.is_empty() => {
            (Tone::Warn, "nothing matches this text")
        }
        (true, _) => {
            let by = match account.evidence {
                "ids" => "by the IDs in the text",
                "index" => "by the number of the message",
                _ => {
                    return (
                        Tone::Strong,
                        " ",
                        "(a guess: it has a problem of this kind)".to_owned(),
                    );
                }
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

/// `toolu_019Mg…DRQe has more than one result: lines 88 and 90 (its call: line 87)`
fn answer(answer: &IdAnswer, host: &str, layout: &TextLayout<'_>) -> String {
    let id = answer.id.as_ref().unwrap_or(&answer.asked);
    let doubt =
        if answer.doubt.is_empty() { String::new() } else { format!(" ({})", answer.doubt) };
    let place = match answer.status {
        _ if answer.numbers.is_empty() => String::new(),
        // Each is another record that only holds the same word.
        "proper" | "mentioned" => {
            let each = answer.numbers.iter().map(|number| format!("{} {number}", answer.unit));
            format!(": {}", layout.list(each, NUMBERS))
        }
        _ => format!(": {}", layout.numbered(answer.unit, &answer.numbers, NUMBERS)),
    };
    let says = match answer.status {
        "not_sent" => format!("is only in a part of this session that {host} does not send"),
        _ => answer.says.to_owned(),
    };
    let call =
        answer.call.map(|call| format!(" (its call: {} {call})", answer.unit)).unwrap_or_default();
    format!("{}{doubt} {says}{place}{call}", layout.ids.text(id))
}

/// `message 2 of the error is lines 4 and 5 of this file`
fn index(check: &IndexCheck, layout: &TextLayout<'_>) -> String {
    let records = layout.numbered(check.unit, &check.numbers, NUMBERS);
    if check.api == check.ours {
        return match records.as_str() {
            "" => format!("message {} of the error has no record here", check.api),
            records => format!("message {} of the error is {records} of this file", check.api),
        };
    }
    let records = if records.is_empty() { String::new() } else { format!(" ({records})") };
    let why = match u64::from(check.api.abs_diff(check.ours)) {
        more if check.api > check.ours => {
            format!("the request had {} before it", many(more, "more message"))
        }
        1 => "the request did not contain the first message".to_owned(),
        less => format!("the request did not contain the first {}", many(less, "message")),
    };
    format!("message {} of the error is message {} here{records}: {why}", check.api, check.ours)
}
