//! The sentences of a story.

use crate::explain::cuts::{CutPoints, SafeCut};
use crate::explain::error::UNSEEN;
use crate::explain::recorded::{Ended, Recorded};
use crate::explain::story::{Account, FoundStory, StoryLine};
use crate::explain::{CallEffect, GoOn, MayContinue};
use crate::outputs::layout::TextLayout;
use crate::outputs::{human, many};
use crate::report::text::Shown;
use crate::transcript::{Confidence, Severity};

/// Calls that are named one by one, at most, unless everything is asked for.
pub(super) const NAMED: usize = 20;
/// Cuts that are named, at most, unless everything is asked for.
const CUTS: usize = 5;

/// What the transcript comes to.
pub(crate) fn summary(account: &Account) -> String {
    let summary = &account.summary;
    let damaged = account.conversation.findings.iter().any(|f| f.severity > Severity::Note);
    let mut says = Vec::new();
    if !damaged {
        says.push("No problems.".to_owned());
    }
    if summary.branches_left > 0 {
        says.push(format!("{}.", many_branches(summary.branches_left)));
    }
    if let Some(status) = &summary.status {
        says.push(format!("The last status is {status}."));
    }
    let last = summary.last.as_ref().and_then(|last| last_record(last.role));
    says.extend(last.map(|last| format!("The last {last}.")));
    says.join(" ")
}

fn many_branches(count: u64) -> String {
    match count {
        1 => "1 abandoned branch".to_owned(),
        count => format!("{count} abandoned branches"),
    }
}

/// What the last record is; `None` where that says nothing.
fn last_record(role: &str) -> Option<&'static str> {
    Some(match role {
        "user" => "message is from the user",
        "assistant" => "message is from the assistant",
        "call" => "message is a tool call",
        "result" | "tool" => "message is a tool result",
        "placeholder" => "message is a placeholder result",
        "unreadable" => "record cannot be read",
        _ => return None,
    })
}

/// `Event 61: the agent started … .`, and what is said after it.
pub(crate) fn line(line: &StoryLine) -> Vec<String> {
    let unit = sentence(line.unit);
    let mut lines = vec![format!("{unit} {}: {}{}", line.number, line.says, mark(line.certainty))];
    lines.extend(line.asides.iter().map(|(says, sure)| format!("{says}{}", mark(*sure))));
    lines
}

/// The time of day; with the date where it is another day than that of the first line. "" where none is recorded.
pub(crate) fn clock(line: &StoryLine, story: &FoundStory) -> String {
    let Some(time) = line.time.as_deref() else {
        return String::new();
    };
    let first = story.lines.first().unwrap_or(line);
    let [day, first_day] = [line, first].map(|line| line.time.as_deref()?.get(..10));
    let same = day == first_day;
    let shown = if same { time.get(11..23) } else { time.get(5..19) };
    shown.unwrap_or_default().replace('T', " ")
}

/// The calls of the same record of which the same is said.
pub(crate) fn also(story: &FoundStory, layout: &TextLayout<'_>) -> Option<String> {
    let calls = layout.list(
        story.also.iter().map(|call| named(call.tool.as_ref(), call.call_id.as_ref(), layout)),
        NAMED,
    );
    (!story.also.is_empty()).then(|| format!("The same for {calls}, in the same record."))
}

/// Where the same is said.
pub(crate) fn more(story: &FoundStory, layout: &TextLayout<'_>) -> Option<String> {
    if story.more.is_empty() {
        return None;
    }
    let unit = story.lines.first().map_or("record", |line| line.unit);
    let places = many(story.more.len() as u64, "more place");
    Some(format!("The same in {places}: {}.", layout.numbered(unit, &story.more, NAMED)))
}

/// Where the transcript itself says why it stopped.
pub(crate) fn recorded_at(recorded: &Recorded) -> String {
    format!("Recorded error, {} {}", recorded.unit, recorded.number)
}

/// `From Anthropic: an error result is empty: "… content cannot be empty …". It means line 5, TD406 empty-error-result.`
pub(crate) fn recorded(recorded: &Recorded, account: &Account, layout: &TextLayout<'_>) -> String {
    let read = &recorded.read;
    let mut says = match read.speaker {
        "" => "Not a known error text".to_owned(),
        speaker => format!("From {speaker}: {}", read.means),
    };
    if !read.ids.is_empty() {
        let ids = layout.list(read.ids.iter().map(|id| layout.ids.text(id)), NAMED);
        says.push_str(&format!(" ({ids})"));
    }
    let mut meant = Vec::new();
    for at in &recorded.findings {
        let Some(finding) = account.conversation.findings.get(*at) else { continue };
        let number = human::main_record(finding).and_then(|record| record.line.or(record.index));
        let place = number.map(|number| format!("{} {number}, ", recorded.unit));
        let place = place.unwrap_or_default();
        meant.push(format!("{place}{} {}", finding.code, finding.name));
    }
    let leads = match recorded.ended {
        _ if !meant.is_empty() => format!("It means {}.", layout.list(meant.iter(), CUTS)),
        Ended::Answered => "The model answered again after it.".to_owned(),
        Ended::Failed => "It is not a problem of the transcript.".to_owned(),
        _ => UNSEEN.to_owned(),
    };
    let quote = recorded.quote.as_ref().map(|words| format!(": \"{words}\"")).unwrap_or_default();
    format!("{says}{quote}. {leads}")
}

/// Whether it is safe to go on, in a word.
pub(crate) fn answer(answer: MayContinue) -> &'static str {
    match answer {
        MayContinue::Yes => "Yes",
        MayContinue::AfterRepair => "Yes, after the repair",
        MayContinue::NotYet => "Not yet",
        MayContinue::Wait => "Wait",
    }
}

/// The same with the reasons.
pub(crate) fn go_on(go_on: &GoOn) -> String {
    let mut says = go_on.says.iter();
    let word = answer(go_on.answer);
    let first = says.next().map_or_else(|| format!("{word}."), |why| format!("{word}: {why}"));
    let rest: Vec<String> = says.map(|more| sentence(&more.to_string())).collect();
    [vec![first], rest].concat().join(" ")
}

/// What is known of the effects of a call.
pub(crate) fn effect(effect: &CallEffect, layout: &TextLayout<'_>) -> String {
    let call = named(effect.tool.as_ref(), effect.call_id.as_ref(), layout);
    format!("{call} ({} {}): {}.", effect.unit, effect.number, effect.ran)
}

/// A call by its tool and its ID.
fn named(tool: Option<&Shown>, id: Option<&Shown>, layout: &TextLayout<'_>) -> String {
    let tool = tool.map_or_else(|| "a tool".to_owned(), |tool| format!("`{tool}`"));
    let id = id.map(|id| format!(" {}", layout.ids.text(id)));
    tool + &id.unwrap_or_default()
}

/// Where a compaction may cut, the cuts that keep least first.
pub(crate) fn cuts(cuts: &CutPoints, layout: &TextLayout<'_>) -> String {
    let Some(first) = cuts.safe.first() else {
        let why = cuts.obstacle.unwrap_or("nothing is before the last message");
        return format!("No: {why}.");
    };
    let all: Vec<&SafeCut> = cuts.safe.iter().take(layout.most(CUTS)).collect();
    let bare = all.iter().filter(|cut| cut.begins_with_user);
    let bare: Vec<String> = bare.map(|cut| cut.number.to_string()).collect();
    let keeps: Vec<String> =
        all.iter().map(|cut| format!("{} (keeps {})", cut.number, cut.keeps)).collect();
    let mut says =
        format!("Before {} {} of {} messages", first.unit, keeps.join(", "), cuts.messages);
    if all.len() < cuts.safe.len() || cuts.more > 0 {
        says.push_str(", and earlier ones");
    }
    says.push('.');
    if !bare.is_empty() && bare.len() < all.len() {
        let bare = bare.join(", ");
        says.push_str(&format!(" Without a summary before them only {} {bare}.", first.unit));
    }
    says
}

/// How to prevent what happened, each advice once.
pub(crate) fn prevent(account: &Account) -> Vec<&'static str> {
    let mut texts: Vec<&str> = Vec::new();
    for text in account.stories.iter().map(|story| story.prevent).filter(|text| !text.is_empty()) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// How sure something is, where it is not certain.
pub(crate) fn mark(sure: Confidence) -> &'static str {
    match sure {
        Confidence::Certain => "",
        Confidence::Likely => " (likely)",
        Confidence::Guess => " (a guess)",
    }
}

/// With a capital at its beginning.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
