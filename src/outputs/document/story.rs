//! The story of a transcript.

use super::finding::{self, Depth, Rules, Says};
use super::words::{self, NAMED};
use super::{
    Look, PageBlock, PagePartKind, StoryStep, StyledSpan, StyledText, apart_from_above, chapter,
    conversation, ladder, more, part, prose, says, tail,
};
use crate::explain::MayContinue;
use crate::explain::planned::{Planned, PlannedStep};
use crate::explain::story::{Account, FoundStory};
use crate::outputs::layout::{Medium, TextLayout};
use crate::outputs::paint::Tone;
use crate::outputs::{Detail, OutputStyle, human, many};
use crate::report::ladder::rows;
use crate::report::model::{ReportedFinding, Verdict};
use crate::transcript::{Code, Severity};

/// Rows of a timeline, at most: in a terminal, on a page.
const ROWS: [usize; 2] = [200, 400];

/// What happened, whether it is safe to go on, what a repair would do, findings, timeline. A page also says what it is about,
/// and in what surroundings; in a terminal, the verdict is printed before all of it.
pub(super) fn blocks(
    account: &Account,
    style: &OutputStyle,
    medium: Medium,
    rules: &mut Rules,
) -> (String, Vec<PageBlock>) {
    let conversation = &account.conversation;
    let layout = TextLayout::new(style, medium, account.call_ids());
    let mut out = Vec::new();
    if layout.is_page() {
        out.push(conversation::for_outsiders(conversation));
        out.push(conversation::lead(conversation, medium, style));
    }
    let summary = words::summary(account);
    out.extend((!summary.is_empty()).then(|| says(&summary)));
    if layout.is_page() {
        out.extend(decisions(account, &layout));
    }
    let stories = account.stories.len();
    out.extend(
        account
            .stories
            .iter()
            .enumerate()
            .map(|(at, story)| self::story(at, stories, story, &layout)),
    );
    if !layout.is_page() {
        out.extend(unexplained(account, &layout));
    }
    if let Some(recorded) = &account.recorded {
        let says = self::says(&words::recorded(recorded, account, &layout));
        let heading = prose(&words::recorded_at(recorded));
        out.push(part(PagePartKind::Remark, heading, vec![says]));
    }
    out.push(go_on(account, &layout));
    if layout.is_page() {
        out.extend(plan(account, style));
        out.extend(findings(account, &layout, rules));
    }
    let cuts = account.cuts.as_ref();
    // Only those who want to know everything ask for them.
    let cuts = cuts.filter(|_| layout.is_page() || style.detail == Detail::All);
    out.extend(cuts.map(|cuts| {
        let says = says(&words::cuts(cuts, &layout));
        part(PagePartKind::Remark, prose("Safe cut points"), vec![says])
    }));
    out.extend(timeline(account, &layout));
    if layout.is_page() {
        out.push(tail::environment(conversation, &account.tool));
        out = vec![conversation::part(conversation, out)];
    } else {
        let next = commands(account, style, "Next", "Next");
        out.extend((!next.is_empty()).then(|| apart_from_above(next)));
    }
    (conversation::title(conversation), out)
}

/// What the user has to choose, with the commands, at the top of a page.
fn decisions(account: &Account, layout: &TextLayout<'_>) -> Option<PageBlock> {
    let conversation = &account.conversation;
    let damage = conversation.findings.iter().filter(|own| own.severity > Severity::Note);
    let open = damage.filter(|own| !own.is_safe() && !own.resolution.choices.is_empty());
    let choices: Vec<PageBlock> = open
        .take(NAMED)
        .flat_map(|own| finding::choices(own, &conversation.path, layout, Says::Sentence))
        .collect();
    (!choices.is_empty()).then(|| chapter("Your decision", choices))
}

fn story(at: usize, all: usize, story: &FoundStory, layout: &TextLayout<'_>) -> PageBlock {
    let steps = story.lines.iter().map(|line| StoryStep {
        says: words::line(line).iter().map(|text| prose(text)).collect(),
        time: words::clock(line, story),
    });
    let mut blocks = vec![PageBlock::Steps(steps.collect())];
    if !story.so.is_empty() {
        blocks.push(says(&story.so.to_string()));
    }
    if !story.doubt.is_empty() {
        blocks.push(says(story.doubt));
    }
    let more = [words::also(story, layout), words::more(story, layout)];
    blocks.extend(more.iter().flatten().map(|more| says(more)));
    let count = match all {
        1 => String::new(),
        _ => format!(" ({} of {all})", at + 1),
    };
    let heading = vec![
        StyledSpan::new(Look::Plain, format!("What happened{count}")),
        StyledSpan::new(Look::Quiet, "(certain unless marked)"),
    ];
    part(PagePartKind::Chapter, heading, blocks)
}

/// The findings that no story explains, in a terminal: what is damage first, then notes.
fn unexplained(account: &Account, layout: &TextLayout<'_>) -> Vec<PageBlock> {
    let conversation = &account.conversation;
    let all = account.unexplained.iter();
    let all = all.filter_map(|at| conversation.findings.get(*at));
    let (mut notes, damage): (Vec<&ReportedFinding>, Vec<&ReportedFinding>) =
        all.partition(|finding| finding.severity == Severity::Note);
    if layout.style.detail < Detail::All && conversation.verdict != Verdict::Pending {
        notes.retain(|note| note.is_told());
    }
    let head = match account.stories.is_empty() {
        true if account.has_recorded_cause() => "The recorded error",
        true => "Problems (cause unknown)",
        false => "Other problems (cause unknown)",
    };
    let groups = [(head, damage), ("Worth knowing", notes)];
    groups
        .into_iter()
        .filter_map(|(head, findings)| {
            let blocks =
                finding::brief(findings.into_iter(), Depth::Place, NAMED, conversation, layout);
            (!blocks.is_empty()).then(|| chapter(head, blocks))
        })
        .collect()
}

fn go_on(account: &Account, layout: &TextLayout<'_>) -> PageBlock {
    let go_on = &account.go_on;
    let conversation = &account.conversation;
    let tone = match go_on.answer {
        MayContinue::Yes | MayContinue::AfterRepair => Tone::Good,
        MayContinue::NotYet | MayContinue::Wait => Tone::Warn,
    };
    let mut blocks = vec![says(&words::go_on(go_on))];
    if !go_on.then.is_empty() {
        let then = go_on.then.iter().map(|then| prose(&words::sentence(&then.to_string())));
        blocks.extend([says("After the repair:"), PageBlock::List(then.collect())]);
    }
    if !layout.is_page() {
        // On a page, they are next to the findings.
        let open = conversation.findings.iter().filter(|own| !own.is_safe());
        let choices =
            open.map(|own| finding::choices(own, &conversation.path, layout, Says::Sentence));
        blocks.extend(choices.filter(|own| !own.is_empty()).take(NAMED).flatten());
    }
    if !go_on.effects.is_empty() {
        blocks.push(says("Check the side effects of:"));
        let effects = go_on.effects.iter().take(layout.most(NAMED));
        let mut list: Vec<StyledText> =
            effects.map(|effect| prose(&words::effect(effect, layout))).collect();
        list.extend(more(layout.left_out(go_on.effects.len(), NAMED)));
        blocks.push(PageBlock::List(list));
    }
    for advice in words::prevent(account) {
        let mut text = vec![StyledSpan::new(Look::Strong, "Prevent it: ")];
        text.extend(prose(advice));
        blocks.push(PageBlock::Text(text));
    }
    part(PagePartKind::Answer(tone), prose("Safe to continue?"), blocks)
}

/// What a repair would do, and the commands.
fn plan(account: &Account, style: &OutputStyle) -> Option<PageBlock> {
    let mut blocks = Vec::new();
    if let Some(planned) = &account.planned {
        blocks.extend(tried(planned));
    }
    blocks.extend(commands(account, style, "Repair", "Preview the uncertain fix"));
    let findings = &account.conversation.findings;
    let is_damaged = findings.iter().any(|own| own.severity > Severity::Note);
    let heading = if is_damaged { "What a repair would do" } else { "Next" };
    (!blocks.is_empty()).then(|| chapter(heading, blocks))
}

/// The next command, and how to go on in the host once that is safe.
fn commands(
    account: &Account,
    style: &OutputStyle,
    repair: &'static str,
    preview: &'static str,
) -> Vec<PageBlock> {
    let conversation = &account.conversation;
    let next = account.next.and_then(|next| {
        let what = if next.command == "repair" { repair } else { preview };
        conversation::command(conversation, what, next.command, next.options, style)
    });
    let on = match account.go_on.answer {
        MayContinue::AfterRepair if next.is_some() => conversation::resume(conversation, "Then"),
        MayContinue::Yes if human::can_go_on(conversation) => {
            conversation::resume(conversation, "Go on")
        }
        _ => None,
    };
    next.into_iter().chain(on).collect()
}

fn tried(planned: &Planned) -> Vec<PageBlock> {
    let counts = &planned.counts;
    if counts.removed + counts.moved + counts.inserted + counts.replaced == 0
        && planned.steps.is_empty()
    {
        return vec![says("There is nothing left that can be repaired automatically.")];
    }
    let mut out = vec![says(&human::would(counts))];
    let mut list: Vec<StyledText> = planned.steps.iter().map(step).collect();
    if planned.more > 0 {
        list.push(prose(&format!("and {}", many(planned.more as u64, "more step"))));
    }
    out.push(PageBlock::List(list));
    let mut after;
    if planned.verdict > Verdict::Pending {
        after = prose("This repair alone leaves it ");
        after.push(conversation::label(planned.verdict));
        after.extend(prose(&format!(": {}.", still_to_do(planned))));
    } else {
        after = prose("It is then ");
        after.push(conversation::label(planned.verdict));
        after.extend(prose("."));
    }
    out.push(PageBlock::Text(after));
    out
}

/// `remove line 5 "42 passing"`
fn step(step: &PlannedStep) -> StyledText {
    let mut out = prose(&step.says);
    if let Some(text) = step.text.as_ref().filter(|text| !text.is_masked()) {
        out.extend([
            StyledSpan::new(Look::Plain, " "),
            StyledSpan::new(Look::Name, format!("\"{text}\"")),
        ]);
    }
    out
}

/// What a repair leaves to the user.
fn still_to_do(planned: &Planned) -> String {
    let others = planned.left.iter().filter(|code| **code != Code::ConflictingResults);
    let others: Vec<Code> = others.copied().collect();
    let choose = "you must also choose a result (above)";
    match (others.len() < planned.left.len(), others.is_empty()) {
        (true, true) => choose.to_owned(),
        (true, false) => format!("{choose}, and {} stays", Code::list(others)),
        (false, _) => format!("{} stays", Code::list(others)),
    }
}

/// What is damage first, then notes.
fn findings(account: &Account, layout: &TextLayout<'_>, rules: &mut Rules) -> Vec<PageBlock> {
    let conversation = &account.conversation;
    let mut list = |is_note: bool| {
        finding::list(
            conversation,
            |_, own| (own.severity == Severity::Note) == is_note,
            layout,
            rules,
        )
    };
    let (damage, notes) = (list(false), list(true));
    let mut out = Vec::new();
    // Only damage needs a cause.
    if !damage.is_empty() {
        let mut blocks = Vec::new();
        if account.unexplained_damage().next().is_some() {
            blocks.push(says(if !account.stories.is_empty() {
                "The cause of some of these is unknown."
            } else if account.has_recorded_cause() {
                "The recorded error."
            } else {
                "Their cause is unknown."
            }));
        }
        blocks.extend(damage);
        out.push(chapter("Findings", blocks));
    }
    if !notes.is_empty() {
        out.push(chapter("Worth knowing", notes));
    }
    out
}

fn timeline(account: &Account, layout: &TextLayout<'_>) -> Option<PageBlock> {
    let records = &account.timeline;
    if records.is_empty() {
        return None;
    }
    let most = ROWS[usize::from(layout.is_page())];
    let shown = records.get(..records.len().min(most)).unwrap_or_default();
    let mut blocks = vec![ladder(rows(shown, &layout.ids, ""), "the timeline")];
    if let Some(more) = records.len().checked_sub(most).filter(|more| *more > 0) {
        blocks.push(says(&format!(
            "and {more} more; --around and --context choose, --format json has all"
        )));
    }
    let mut times = records.iter().filter(|record| record.time.is_some()).peekable();
    let are_utc = times.peek().is_some() && times.all(|record| record.has_zone);
    let heading = if are_utc { "Timeline (times in UTC)" } else { "Timeline" };
    Some(chapter(heading, blocks))
}
