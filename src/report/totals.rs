//! A report from its parts: order and counts.

use crate::transcript::Severity;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::model::{Conversation, Report, SCHEMA, Skipped, Summary, Tool, Unchecked, Verdict};
use super::text::Shown;

impl Report {
    /// Puts the conversations in the order of their paths, each after the one that started it, and counts them. The exit
    /// status is 0 until a command sets it.
    pub fn new(
        mut conversations: Vec<Conversation>,
        mut not_checked: Vec<Unchecked>,
        mut skipped: Vec<Skipped>,
    ) -> Report {
        in_order(&mut conversations);
        not_checked.sort_by(|a, b| a.path.cmp(&b.path));
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Report {
            schema: SCHEMA,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            target: one_target(&conversations),
            selection: None,
            summary: count(&conversations, not_checked.len()),
            conversations,
            not_checked,
            skipped,
            coverage: Vec::new(),
            baseline: None,
            left_out: 0,
            exit_code: 0,
            fail_on: Some(Severity::Error),
        }
    }

    /// Takes the counts of another part of the same run, and what could not be checked, but not its conversations.
    pub(crate) fn add(&mut self, part: Report) {
        let own = &mut self.summary;
        let more = part.summary;
        for (own, more) in [
            (&mut own.conversations, more.conversations),
            (&mut own.empty, more.empty),
            (&mut own.healthy, more.healthy),
            (&mut own.stuck, more.stuck),
            (&mut own.lossy, more.lossy),
            (&mut own.pending, more.pending),
            (&mut own.unreadable, more.unreadable),
            (&mut own.unknown, more.unknown),
            (&mut own.not_checked, more.not_checked),
        ] {
            *own = own.saturating_add(more);
        }
        self.target = match (self.target, part.target) {
            ("none", other) | (other, "none") => other,
            (own, other) if own == other => own,
            _ => "several",
        };
        self.selection = part.selection;
        for own in part.coverage {
            if !self.coverage.contains(&own) {
                self.coverage.push(own);
            }
        }
        self.fail_on = part.fail_on;
        self.not_checked.extend(part.not_checked);
        self.skipped.extend(part.skipped);
    }

    /// Keeps so many findings, the worst ones, and counts the others.
    pub(crate) fn limit(&mut self, most: usize) {
        let all = self.conversations.iter().flat_map(|c| &c.findings);
        let mut levels: Vec<Severity> = all.map(|finding| finding.severity).collect();
        self.left_out = levels.len().saturating_sub(most) as u64;
        if self.left_out == 0 {
            return;
        }
        levels.sort_unstable_by_key(|level| Reverse(*level));
        // Of the least severe level that is kept, the first ones.
        let last = levels[..most].last().copied();
        let mut room = levels[..most].iter().filter(|level| Some(**level) == last).count();
        let mut is_kept = |level: Severity| match last {
            Some(last) if level == last => {
                let fits = room > 0;
                room = room.saturating_sub(1);
                fits
            }
            last => last.is_some_and(|last| level > last),
        };
        for conversation in &mut self.conversations {
            conversation.findings.retain(|finding| is_kept(finding.severity));
        }
    }

    /// Whether any finding is at this level or above.
    pub fn reaches(&self, level: Severity) -> bool {
        self.conversations.iter().flat_map(|c| &c.findings).any(|f| f.severity >= level)
    }
}

/// By path, each after the one that started it.
fn in_order(conversations: &mut [Conversation]) {
    let started = conversations.iter().filter_map(|c| Some((c.path.clone(), c.parent.clone()?)));
    let started: HashMap<Shown, Shown> = started.collect();
    let first = |conversation: &Conversation| {
        let (mut first, mut steps) = (&conversation.path, started.len());
        while let Some(parent) = started.get(first).filter(|_| steps > 0) {
            (first, steps) = (parent, steps - 1);
        }
        first.clone()
    };
    conversations.sort_by_cached_key(|conversation| {
        let Conversation { path, session, parent, .. } = conversation;
        // A transcript, then its rows; those that a repair of one line frees stay in their order.
        let row = conversation.row.as_ref().map(|row| (row.line, row.index));
        (first(conversation), parent.is_some(), path.clone(), row, session.clone())
    });
}

fn one_target(conversations: &[Conversation]) -> &'static str {
    let mut targets = conversations.iter().map(|c| c.target);
    match targets.next() {
        Some(first) if targets.all(|other| other == first) => first,
        Some(_) => "several",
        None => "none",
    }
}

fn count(conversations: &[Conversation], not_checked: usize) -> Summary {
    let mut sum = Summary { not_checked: not_checked as u64, ..Summary::default() };
    for conversation in conversations {
        if let Some(rows) = &conversation.rows {
            rows.without_entry().for_each(|(verdict, rows)| add(&mut sum, verdict, rows));
            if conversation.listed_rows().is_some() {
                continue;
            }
        }
        add(&mut sum, conversation.verdict, 1);
    }
    sum
}

/// Counts conversations of this verdict.
fn add(sum: &mut Summary, verdict: Verdict, conversations: u64) {
    sum.conversations += conversations;
    *match verdict {
        Verdict::Empty => &mut sum.empty,
        Verdict::Healthy => &mut sum.healthy,
        Verdict::Pending => &mut sum.pending,
        Verdict::Lossy => &mut sum.lossy,
        Verdict::Stuck => &mut sum.stuck,
        Verdict::Unreadable => &mut sum.unreadable,
        Verdict::Unknown => &mut sum.unknown,
    } += conversations;
}
