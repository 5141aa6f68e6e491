//! A pasted error on a page.

use super::finding::{self, Rules};
use super::{Block, Look, Span, Text, chapter, conversation, prose, says, tail};
use crate::explain::error::Account;
use crate::outputs::error::{self, NUMBERS};
use crate::outputs::layout::TextLayout;
use crate::outputs::{Style, human};
use crate::report::ladder::rows;

/// What the text says, what was found for it, what stands there, the findings, the next command.
pub(super) fn blocks(account: &Account, style: &Style, rules: &mut Rules) -> (String, Vec<Block>) {
    let conversation = &account.conversation;
    let layout = TextLayout::new(style, account.call_ids());
    let (tone, found) = error::found(account);
    let mut facts: Vec<(&'static str, Text)> =
        vec![("the text says", prose(&error::read(&account.read, &layout)))];
    let mut place = vec![Span::new(Look::Code, conversation.path.whole())];
    place.push(Span::new(
        Look::Label(tone),
        found.trim_start_matches([',', ':', ' ']),
    ));
    facts.push(("found in", place));
    let mut blocks = vec![Block::Facts(facts)];
    let some = account.answers.iter().take(layout.most(NUMBERS));
    let mut list: Vec<Text> = some
        .map(|answer| prose(&error::answer(answer, &layout)))
        .collect();
    let more = layout.left_out(account.answers.len(), NUMBERS);
    list.extend(more.map(|more| prose(&format!("and {more} more ids"))));
    list.extend(
        account
            .index_checks
            .iter()
            .map(|check| prose(&error::index(check, &layout))),
    );
    if !list.is_empty() {
        blocks.push(Block::List(list));
    }
    if !account.says.is_empty() {
        blocks.push(says(account.says));
    }
    let mut out = vec![chapter("The error", blocks)];
    if !account.read.no_damage {
        if !account.records.is_empty() {
            let ladder = Block::Ladder(
                rows(&account.records, &layout.ids, ""),
                "the records in question",
            );
            out.push(chapter("Where it is", vec![ladder]));
        }
        let meant = finding::list(
            conversation,
            |at, _| account.findings.contains(&at),
            &layout,
            rules,
        );
        out.extend((!meant.is_empty()).then(|| chapter("What it means", meant)));
        let others = finding::list(
            conversation,
            |at, _| account.others.contains(&at),
            &layout,
            rules,
        );
        out.extend((!others.is_empty()).then(|| chapter("Also in this transcript", others)));
    }
    let next = account.next.and_then(|next| {
        conversation::command(conversation, "Next", next.command, next.options, style)
    });
    if let Some(next) = next {
        let then =
            conversation::resume(conversation).filter(|_| human::a_repair_suffices(conversation));
        out.push(chapter(
            "Next",
            [Some(next), then].into_iter().flatten().collect(),
        ));
    }
    out.push(tail::environment(conversation, &account.tool));
    (
        conversation::title(conversation),
        vec![conversation::part(conversation, String::new(), out)],
    )
}
