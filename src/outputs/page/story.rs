//! The story of a recording as a page for support.

use super::finding::{self, Rules};
use super::{Block, Kind, Look, Part, Span, Step, Text, chapter, conversation, prose, says, tail};
use crate::explain::Answer;
use crate::explain::planned::{self, Planned};
use crate::explain::story::{Account, Story};
use crate::outputs::layout::TextLayout;
use crate::outputs::paint::Tone;
use crate::outputs::story::{NAMED, words};
use crate::outputs::{Style, human, many};
use crate::report::ladder::rows;
use crate::report::model::{Level, Verdict};
use crate::transcript::Code;

/// Rows of a timeline, at most.
const ROWS: usize = 400;

/// A recording: verdict, story, whether it is safe to go on, what a repair would do, findings, timeline, surroundings.
pub(super) fn blocks(account: &Account, style: &Style, rules: &mut Rules) -> (String, Vec<Block>) {
    let conversation = &account.conversation;
    let layout = TextLayout::new(style, account.call_ids());

    let mut out = vec![conversation::for_outsiders(conversation)];
    out.extend(conversation::lead(conversation));
    out.push(says(&words::summary(account)));
    let stories = account.stories.len();
    let block = |(at, story)| self::story(at, stories, story, &layout);
    out.extend(account.stories.iter().enumerate().map(block));
    if let Some(recorded) = &account.recorded {
        let recorded_text = words::recorded(recorded, account, &layout);
        out.push(chapter(
            &words::recorded_at(recorded),
            vec![says(&recorded_text)],
        ));
    }
    out.push(go_on(account, &layout));
    out.extend(plan(account, style));
    out.extend(self::findings(account, &layout, rules));
    out.extend(timeline(account, &layout));
    if let Some(cuts) = &account.cuts {
        out.push(chapter(
            "Safe cut points",
            vec![says(&words::cuts(cuts, &layout))],
        ));
    }
    out.push(tail::environment(conversation, &account.tool));
    (
        conversation::title(conversation),
        vec![conversation::part(conversation, String::new(), out)],
    )
}

fn story(at: usize, all: usize, story: &Story, layout: &TextLayout<'_>) -> Block {
    let steps = story.lines.iter().map(|line| Step {
        says: words::line(line).iter().map(|text| prose(text)).collect(),
        time: words::clock(line, story),
    });
    let mut blocks = vec![
        Block::Text(vec![Span::new(Look::Quiet, "Certain unless marked.")]),
        Block::Steps(steps.collect()),
    ];
    if !story.so.is_empty() {
        blocks.push(says(&story.so.to_string()));
    }
    if !story.doubt.is_empty() {
        blocks.push(says(&format!("Other explanation: {}", story.doubt)));
    }
    let more = [words::also(story, layout), words::more(story, layout)];
    blocks.extend(more.iter().flatten().map(|more| says(more)));
    if !story.prevent.is_empty() {
        let mut text = vec![Span::new(Look::Strong, "Prevent it: ")];
        text.extend(prose(story.prevent));
        blocks.push(Block::Text(text));
    }
    let count = if all == 1 {
        String::new()
    } else {
        format!(" ({} of {all})", at + 1)
    };
    chapter(&format!("What happened{count}"), blocks)
}

fn go_on(account: &Account, layout: &TextLayout<'_>) -> Block {
    let go_on = &account.go_on;
    let tone = match go_on.answer {
        Answer::Yes | Answer::AfterRepair => Tone::Good,
        Answer::NotYet | Answer::Wait => Tone::Warn,
    };
    let mut blocks = vec![says(&words::go_on(go_on))];
    if !go_on.effects.is_empty() {
        blocks.push(says("Check the side effects of:"));
        let mut list: Vec<Text> = go_on
            .effects
            .iter()
            .take(layout.most(NAMED))
            .map(|effect| prose(&words::effect(effect, layout)))
            .collect();
        list.extend(
            layout
                .left_out(go_on.effects.len(), NAMED)
                .map(|more| prose(&format!("and {more} more"))),
        );
        blocks.push(Block::List(list));
    }
    Block::Part(Part {
        kind: Kind::Answer(tone),
        name: String::new(),
        heading: prose("Safe to continue?"),
        blocks,
    })
}

/// What a repair would do, and the commands.
fn plan(account: &Account, style: &Style) -> Option<Block> {
    let conversation = &account.conversation;
    let mut blocks = Vec::new();
    if let Some(planned) = &account.planned {
        blocks.extend(tried(planned));
    }
    let next = account.next.and_then(|next| {
        let word = if next.command == "repair" {
            "Repair"
        } else {
            "Preview the uncertain fix"
        };
        conversation::command(conversation, word, next.command, next.options, style)
    });
    let on = match account.go_on.answer {
        Answer::AfterRepair if next.is_some() => conversation::resume(conversation),
        Answer::Yes if human::can_go_on(conversation) => conversation::resume(conversation),
        _ => None,
    };
    blocks.extend(next);
    blocks.extend(on);
    let damaged = conversation
        .findings
        .iter()
        .any(|finding| finding.severity > Level::Note);
    let heading = if damaged {
        "What a repair would do"
    } else {
        "Next"
    };
    (!blocks.is_empty()).then(|| chapter(heading, blocks))
}

fn tried(planned: &Planned) -> Vec<Block> {
    let counts = &planned.counts;
    if counts.parked + counts.moved + counts.inserted + counts.replaced == 0
        && planned.steps.is_empty()
    {
        return vec![says(
            "There is nothing left that can be repaired automatically.",
        )];
    }
    let mut out = vec![says(&human::would(counts))];
    let ids: Vec<&str> = planned.steps.iter().map(|step| step.id.exact()).collect();
    let ids = crate::report::text::Ids::short(&ids);
    let step = |step: &planned::Step| -> Text {
        let place = step
            .place
            .map(|place| format!(" {place}"))
            .unwrap_or_default();
        let mut out = vec![
            Span::new(Look::Strong, step.what.word()),
            Span::new(Look::Plain, format!("{place} ")),
        ];
        for word in [step.kind.to_string(), ids.text(&step.id)]
            .into_iter()
            .filter(|word| !word.is_empty())
        {
            out.extend([Span::new(Look::Code, word), Span::new(Look::Plain, " ")]);
        }
        out
    };
    let mut list: Vec<Text> = planned.steps.iter().map(step).collect();
    if planned.more > 0 {
        list.push(prose(&format!(
            "and {}",
            many(planned.more as u64, "more record")
        )));
    }
    out.push(Block::List(list));
    let mut after = prose("Afterwards it is ");
    after.push(conversation::label(planned.verdict));
    if planned.verdict > Verdict::Pending {
        after.extend(prose(&format!(
            " with {} left",
            Code::list(planned.left.iter().copied())
        )));
    }
    after.extend(prose(
        ": tried on a copy in memory, which was read again from the start.",
    ));
    out.push(Block::Text(after));
    out
}

/// What is damage first, then notes.
fn findings(account: &Account, layout: &TextLayout<'_>, rules: &mut Rules) -> Vec<Block> {
    let conversation = &account.conversation;
    let mut out = Vec::new();
    let damage = finding::list(
        conversation,
        |_, finding| finding.severity > Level::Note,
        layout,
        rules,
    );
    if !damage.is_empty() {
        let mut blocks = Vec::new();
        if account.unexplained_damage().next().is_some() {
            let text = match account.stories.is_empty() {
                true if account.has_recorded_cause() => "The recorded error.",
                true => "Cause unknown. Problems in order:",
                false => "Cause unknown for some of these.",
            };
            blocks.push(says(text));
        }
        blocks.extend(damage);
        out.push(chapter("Findings", blocks));
    }
    let notes = finding::list(
        conversation,
        |_, finding| finding.severity == Level::Note,
        layout,
        rules,
    );
    if !notes.is_empty() {
        out.push(chapter("Worth knowing", notes));
    }
    out
}

fn timeline(account: &Account, layout: &TextLayout<'_>) -> Option<Block> {
    let records = &account.timeline;
    if records.is_empty() {
        return None;
    }
    let shown = records.get(..records.len().min(ROWS)).unwrap_or_default();
    let mut blocks = vec![Block::Ladder(rows(shown, &layout.ids, ""), "the timeline")];
    if let Some(more) = records.len().checked_sub(ROWS).filter(|more| *more > 0) {
        blocks.push(says(&format!(
            "and {more} more; --around and --context choose"
        )));
    }
    Some(chapter("Timeline", blocks))
}
