//! What a repair did, or would do.

use super::finding::{self, DRAWN, Depth};
use super::{
    Look, PageBlock, PagePartKind, StyledSpan, StyledText, checked, command, conversation, prose,
    says,
};
use crate::journal::BATCH;
use crate::outputs::OutputStyle;
use crate::outputs::human;
use crate::outputs::layout::TextLayout;
use crate::outputs::next::word;
use crate::outputs::paint::of_verdict;
use crate::report::model::{Applied, Conversation, Report, ReportedFinding};
use crate::report::text::Shown;
use crate::transcript::{Applicability, Severity};

/// What is wrong and what is done about it, without the evidence.
pub(crate) fn fixes(conversation: &Conversation, style: &OutputStyle) -> Vec<PageBlock> {
    let layout = checked::layout(std::slice::from_ref(conversation), style);
    let findings = conversation.findings.iter();
    let findings =
        findings.filter(|f| f.severity > Severity::Note || !f.resolution.fix.actions.is_empty());
    finding::brief(findings, Depth::Fix, DRAWN, conversation, &layout)
}

/// On a page.
pub(super) fn page(
    conversation: &Conversation,
    applied: &Applied,
    layout: &TextLayout<'_>,
) -> Vec<PageBlock> {
    if applied.planned_only {
        return vec![says(&human::would(applied))];
    }
    let mut out = vec![says(&human::did(applied))];
    out.extend(proof(conversation, applied, layout));
    out.extend(conversation.remarks.iter().map(|remark| says(remark)));
    out
}

/// In a terminal. The entries are those of the transcript as it is afterwards, its own first.
pub(crate) fn result(entries: &[Conversation], style: &OutputStyle) -> Vec<PageBlock> {
    let own = entries.first();
    let Some((conversation, applied)) = own.and_then(|own| Some((own, own.applied.as_ref()?)))
    else {
        return Vec::new();
    };
    let remarks = conversation.remarks.iter().map(|remark| says(remark));
    if applied.planned_only {
        let apply = style.next.repair(conversation, &[]);
        let apply = apply.map(|line| command("Apply", line));
        let would = std::iter::once(says(&human::would(applied)));
        return would.chain(remarks).chain(apply).collect();
    }
    // Else it is in the first line.
    let undecided = applied.nothing && still_broken(entries).next().is_some();
    let mut out = Vec::new();
    if !undecided && (applied.nothing || applied.proved.is_none()) {
        out.push(says(&human::did(applied)));
    }
    let layout = checked::layout(entries, style);
    out.push(beside(proof(conversation, applied, &layout)));
    out.extend(left(entries, undecided, &layout));
    out.extend(remarks);
    if applied.op.is_some() && human::can_go_on(conversation) {
        let then = conversation::resume(conversation, "Then");
        out.push(beside(then.into_iter().collect()));
    }
    out
}

fn beside(blocks: Vec<PageBlock>) -> PageBlock {
    super::part(PagePartKind::Result, Vec::new(), blocks)
}

/// Where the old and the new bytes are, that these are what was planned, and how to get back.
fn proof(
    conversation: &Conversation,
    applied: &Applied,
    layout: &TextLayout<'_>,
) -> Vec<PageBlock> {
    let mut facts: Vec<(&'static str, StyledText)> = Vec::new();
    if let Some(op) = applied.op {
        facts.push(("backed up", prose(&format!("original kept (operation {op})"))));
    }
    if let Some(output) = &applied.output {
        facts.push(("wrote", path(output, layout)));
        facts.push(("untouched", path(&conversation.path, layout)));
    }
    if let Some(script) = &applied.script {
        facts.push(("wrote", path(&script.apply, layout)));
        facts.push(("undo", path(&script.undo, layout)));
        facts.push(("untouched", path(&conversation.path, layout)));
    }
    if let Some(verdict) = applied.proved {
        let word = human::verdict_word(verdict);
        let word = format!("{word}{}", human::among(conversation));
        // What went through a pipe cannot be read again.
        let is_on_disk = applied.op.is_some() || applied.output.is_some();
        let how = match applied.script {
            Some(_) => "as its rows will be read: ",
            None if is_on_disk => "re-read from disk: ",
            None => "before it was written: ",
        };
        facts.push((
            "verified",
            vec![
                StyledSpan::new(Look::Plain, how),
                StyledSpan::new(Look::Label(of_verdict(verdict)), word),
                StyledSpan::new(Look::Plain, format!(" ({})", conversation.target_title)),
            ],
        ));
    }
    let facts = (!facts.is_empty()).then_some(PageBlock::Facts(facts));
    let undo = applied.op.map(|op| {
        let line = format!("{} undo {op}", env!("CARGO_PKG_NAME"));
        command("Undo", line)
    });
    facts.into_iter().chain(undo).chain(runs(applied)).collect()
}

/// The commands that run a script: with the client of SQLite, and with Python where that is missing.
fn runs(applied: &Applied) -> Vec<PageBlock> {
    const PYTHON: &str = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); \
        db.executescript(open(sys.argv[2], encoding=\"UTF-8\").read()); \
        print(\"applied\" if db.execute(\"SELECT max(ok) FROM temp.guard\").fetchone()[0] else \"nothing written\")";
    let Some(script) = &applied.script else {
        return Vec::new();
    };
    let (Some(database), Some(script)) = (word(&script.database), word(&script.apply)) else {
        return Vec::new();
    };
    vec![
        command("Apply", format!("sqlite3 -bail {database} < {script}")),
        command("Or with Python", format!("python3 -c '{PYTHON}' {database} {script}")),
    ]
}

fn path(path: &Shown, layout: &TextLayout<'_>) -> StyledText {
    let used = crate::outputs::terminal::BESIDE;
    vec![StyledSpan::new(Look::Place(None), layout.path(&path.whole(), used))]
}

/// What is wrong in a transcript as it is afterwards.
fn still_broken(
    entries: &[Conversation],
) -> impl Iterator<Item = (&Conversation, &ReportedFinding)> {
    let all =
        entries.iter().flat_map(|entry| entry.findings.iter().map(move |finding| (entry, finding)));
    all.filter(|(_, finding)| finding.severity > Severity::Note)
}

/// What only the user can decide, with the choices.
pub(crate) fn undecided(entries: &[Conversation], style: &OutputStyle) -> Vec<PageBlock> {
    left(entries, true, &checked::layout(entries, style))
}

/// What is still wrong after a repair. `undecided`: it could do nothing without a decision.
fn left(entries: &[Conversation], undecided: bool, layout: &TextLayout<'_>) -> Vec<PageBlock> {
    let left: Vec<_> = still_broken(entries).collect();
    let Some((first, _)) = left.first() else {
        return Vec::new();
    };
    let mut out = vec![match (undecided, left.len()) {
        (false, _) => says("Still broken:"),
        (true, 1) => says("No automatic fix. 1 problem needs your decision:"),
        (true, n) => says(&format!("No automatic fix. {n} problems need your decision:")),
    }];
    let drawn = left.iter().take(DRAWN);
    out.extend(
        drawn.map(|(entry, own)| finding::block(own, Depth::Left, &entry.path, layout, Vec::new())),
    );
    if let Some(more) = left.len().checked_sub(DRAWN).filter(|more| *more > 0) {
        out.push(says(&format!("and {more} more")));
    }
    let unsafe_fix =
        left.iter().any(|(_, own)| own.resolution.fix.applicability == Applicability::Unsafe);
    let look = layout.style.next.look(first).filter(|_| unsafe_fix);
    out.extend(look.map(|line| command("Preview the uncertain fix", line)));
    out
}

/// The command that undoes all operations of a run, where there are several.
pub(crate) fn undo_all(report: &Report) -> Option<PageBlock> {
    let applied = report.conversations.iter().filter_map(|c| c.applied.as_ref());
    let written: Vec<&Applied> = applied.filter(|own| own.op.is_some()).collect();
    let batch = written.iter().find_map(|own| own.batch);
    let batch = batch.filter(|_| written.len() > 1)?;
    let line = format!("{} undo {BATCH}{batch}", env!("CARGO_PKG_NAME"));
    Some(command(format!("Undo all {}", written.len()), line))
}
