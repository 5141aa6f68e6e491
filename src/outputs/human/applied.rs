//! A repair: the plan before it, and what it came to.

use std::io::{self, Write};

use super::{
    DRAWN, INDENT, among, finding, heading, introduction, meaning, verdict_word, write_command,
    write_wrapped,
};
use crate::outputs::document::finding::Depth;
use crate::outputs::document::words::sentence;
use crate::outputs::paint::{Tone, of_verdict, paint};
use crate::outputs::{Detail, OutputStyle, many, next};
use crate::report::model::{
    Applied, Conversation, Level, Report, ReportedFinding, ResumeCommand, Verdict,
};
use crate::report::text::width;

/// The words for the counts of a repair, and of a plan.
const DID: [&str; 4] = ["removed", "moved", "inserted", "changed"];
const WOULD: [&str; 4] = ["remove", "move", "insert", "change"];

/// What is wrong and what would be done about it, without the evidence.
pub(crate) fn plan(
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    heading(conversation, out, style)?;
    fixes(conversation, out, style)
}

/// What is wrong and what is done about it.
pub(crate) fn fixes(
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    writeln!(out)?;
    let layout = super::layout(std::slice::from_ref(conversation), style);
    let mut count = 0usize;
    for finding in conversation
        .findings
        .iter()
        .filter(|f| f.severity > Level::Note || !f.fix.actions.is_empty())
    {
        count += 1;
        if count <= DRAWN || style.detail == Detail::All {
            finding::brief(finding, Depth::Fix, &conversation.path, &layout, out)?;
        }
    }
    match count
        .checked_sub(DRAWN)
        .filter(|more| *more > 0 && style.detail < Detail::All)
    {
        Some(more) => writeln!(out, "and {more} more; -v shows them"),
        None => Ok(()),
    }
}

/// The result of a repair that was written: `REPAIRED  STUCK → HEALTHY  PATH`, and what was kept. The entries are those of the
/// transcript as it is afterwards, its own first.
pub(crate) fn repaired(
    before: Verdict,
    entries: &[Conversation],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let Some((conversation, applied)) = own(entries) else {
        return Ok(());
    };
    let after = applied.proved.unwrap_or(conversation.verdict);
    let (tone, word) = match after <= Verdict::Pending {
        true => (Tone::Good, "REPAIRED"),
        false => (Tone::Warn, "PARTLY REPAIRED"),
    };
    let indent = " ".repeat(INDENT);
    let (was, is) = (verdict_word(before), verdict_word(after));
    let path = conversation.place();
    let used = [word, was, is].map(width).iter().sum::<usize>();
    // The arrow and the blanks take seven columns.
    let gap = match used + 7 + width(&path) > style.width {
        true => format!("\n{indent}"),
        false => String::from("  "),
    };
    let path = style.path(&path, INDENT);
    writeln!(
        out,
        "{}  {} {} {}{gap}{}",
        paint(tone, word),
        paint(of_verdict(before), was),
        style.draw("→"),
        paint(of_verdict(after), is),
        paint(Tone::Strong, &path)
    )?;
    let left = meaning(conversation).filter(|_| after > Verdict::Pending);
    let lines = introduction(conversation).into_iter();
    let lines = lines.chain([did(applied)]).chain(left);
    for line in lines {
        write_wrapped(&style.draw(&line), &indent, out, style)?;
    }
    Ok(())
}

fn own(entries: &[Conversation]) -> Option<(&Conversation, &Applied)> {
    let conversation = entries.first()?;
    Some((conversation, conversation.applied.as_ref()?))
}

/// What a repair did, or would do: the entries of the recording as it is afterwards, its own first.
pub(crate) fn applied(
    entries: &[Conversation],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let Some((conversation, applied)) = own(entries) else {
        return Ok(());
    };
    if applied.planned_only {
        write_wrapped(&would(applied), "", out, style)?;
        conversation
            .remarks
            .iter()
            .try_for_each(|remark| write_wrapped(remark, "", out, style))?;
        return match style.next.repair(conversation, &[]) {
            Some(line) => write_command("Apply:  ", &line, out, style),
            None => Ok(()),
        };
    }
    // Else it is in the first line.
    let undecided = applied.nothing && still_broken(entries).next().is_some();
    if !undecided && (applied.nothing || applied.proved.is_none()) {
        writeln!(out, "{}", did(applied))?;
    }
    if let Some(op) = applied.op {
        writeln!(out, "Backed up   journal op {op}")?;
    }
    if let Some(output) = &applied.output {
        let used = width("Wrote       ");
        let (path, source) = (output.whole(), conversation.path.whole());
        writeln!(out, "Wrote       {}", style.path(&path, used))?;
        writeln!(out, "Untouched   {}", style.path(&source, used))?;
    }
    if let Some(verdict) = applied.proved {
        let word = format!("{}{}", verdict_word(verdict), among(conversation));
        let word = paint(of_verdict(verdict), &word);
        writeln!(
            out,
            "Verified    re-read from disk: {word} ({})",
            conversation.target_title
        )?;
    }
    if let Some(op) = applied.op {
        writeln!(
            out,
            "Undo        {}",
            paint(
                Tone::Strong,
                &format!("{} undo {op}", env!("CARGO_PKG_NAME"))
            )
        )?;
    }
    left(entries, undecided, out, style)?;
    conversation
        .remarks
        .iter()
        .try_for_each(|remark| write_wrapped(remark, "", out, style))?;
    if applied.op.is_some() && can_go_on(conversation) {
        resume(conversation, "Then        ", out, style)?;
    }
    Ok(())
}

/// What must be so before the command that resumes it works.
pub(crate) fn proviso(resume: &ResumeCommand) -> Option<String> {
    let missing = resume.folder.as_ref().filter(|_| !resume.has_folder);
    match missing {
        Some(folder) => Some(format!(
            "(in {}, which does not exist here)",
            folder.whole()
        )),
        None => (!resume.at_home).then(|| String::from("(once it is where the host looks for it)")),
    }
}

/// The command that undoes all operations of a run, where there are several.
pub(crate) fn undo_all(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let written = || {
        report
            .conversations
            .iter()
            .filter_map(|c| c.applied.as_ref())
            .filter(|own| own.op.is_some())
    };
    let Some(batch) = written()
        .find_map(|own| own.batch)
        .filter(|_| written().count() > 1)
    else {
        return Ok(());
    };
    let line = format!(
        "{} undo {}{batch}",
        env!("CARGO_PKG_NAME"),
        crate::journal::BATCH
    );
    writeln!(
        out,
        "Undo all {}:  {}",
        written().count(),
        paint(Tone::Strong, &line)
    )
}

/// Whether its host would go on with it as it is.
pub(crate) fn can_go_on(conversation: &Conversation) -> bool {
    !conversation.live && conversation.verdict <= Verdict::Pending
}

/// Whether its host would go on with it once everything that is safe is repaired.
pub(crate) fn a_repair_suffices(conversation: &Conversation) -> bool {
    let damage = conversation
        .findings
        .iter()
        .filter(|f| f.severity >= Level::Error);
    !conversation.live && damage.into_iter().all(|f| f.is_safe())
}

/// The command that goes on with the conversation in its host.
fn resume(
    conversation: &Conversation,
    head: &str,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let Some(resume) = &conversation.resume else {
        return Ok(());
    };
    let Some(line) = next::resume(resume) else {
        return Ok(());
    };
    write_command(head, &line, out, style)?;
    let indent = " ".repeat(width(head));
    match proviso(resume) {
        Some(proviso) => write_wrapped(&proviso, &indent, out, style),
        None => Ok(()),
    }
}

/// The same in one line: `PATH: removed 1; 65 of 66 records unchanged (op 42)`. Nothing where nothing was to be done.
pub(crate) fn line(
    conversation: &Conversation,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let Some(applied) = &conversation.applied else {
        return Ok(());
    };
    let (changes, how) = match (applied.planned_only, applied.op) {
        (true, _) => (counts(applied, WOULD), String::from(" (planned)")),
        (false, Some(op)) => (counts(applied, DID), format!(" (op {op})")),
        (false, None) => (counts(applied, DID), String::new()),
    };
    if changes.is_empty() {
        return Ok(());
    }
    let kept = unchanged(applied);
    let rest = format!("; {kept}{how}");
    let used = width(": ") + width(&changes) + width(&rest);
    let path = style.path(&conversation.place(), used);
    let gap = match used + width(&path) > style.width {
        true => format!(":\n{}", " ".repeat(INDENT)),
        false => String::from(": "),
    };
    writeln!(out, "{path}{gap}{}{rest}", paint(Tone::Strong, &changes))
}

/// What is wrong in a transcript as it is afterwards.
fn still_broken(
    entries: &[Conversation],
) -> impl Iterator<Item = (&Conversation, &ReportedFinding)> {
    let all = entries
        .iter()
        .flat_map(|entry| entry.findings.iter().map(move |finding| (entry, finding)));
    all.filter(|(_, finding)| finding.severity > Level::Note)
}

/// What is still wrong after a repair. `undecided`: it could do nothing without a decision.
fn left(
    entries: &[Conversation],
    undecided: bool,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let left = || still_broken(entries);
    let Some((first, _)) = left().next() else {
        return Ok(());
    };
    match (undecided, left().count()) {
        (false, _) => writeln!(out, "Still broken:")?,
        (true, 1) => writeln!(out, "No automatic fix. 1 problem needs your decision:")?,
        (true, n) => writeln!(out, "No automatic fix. {n} problems need your decision:")?,
    }
    let layout = super::layout(entries, style);
    for (entry, finding) in left().take(DRAWN) {
        finding::brief(finding, Depth::Left, &entry.path, &layout, out)?;
    }
    if let Some(more) = left().count().checked_sub(DRAWN).filter(|more| *more > 0) {
        writeln!(out, "and {more} more")?;
    }
    if !left().any(|(_, finding)| finding.fix.class == "unsafe") {
        return Ok(());
    }
    match style.next.look(&first.path) {
        Some(line) => write_command("Preview the uncertain fix:  ", &line, out, style),
        None => Ok(()),
    }
}

/// `63 of 65 records unchanged`
fn unchanged(applied: &Applied) -> String {
    let touched = applied.parked + applied.moved + applied.replaced;
    match touched {
        0 if applied.kept == 1 => String::from("the only record unchanged"),
        0 => format!("all {} unchanged", many(applied.kept, "record")),
        touched => {
            let all = applied.kept + touched;
            format!("{} of {} unchanged", applied.kept, many(all, "record"))
        }
    }
}

/// `63 of 65 records unchanged; removed 1, changed 1.`
pub(crate) fn did(applied: &Applied) -> String {
    let changes = counts(applied, DID);
    if applied.nothing {
        return String::from("Nothing to repair.");
    }
    let changes = match changes.is_empty() {
        true => String::from("changed only what is around them"),
        false => changes,
    };
    format!("{}; {changes}.", sentence(&unchanged(applied)))
}

/// `Would remove 1; 63 of 64 records unchanged. Nothing was written.`
pub(crate) fn would(applied: &Applied) -> String {
    let kept = unchanged(applied);
    let changes = counts(applied, WOULD);
    let changes = if changes.is_empty() {
        String::from("change only what is around them")
    } else {
        changes
    };
    format!("Would {changes}; {kept}. Nothing was written.")
}

fn counts(applied: &Applied, words: [&str; 4]) -> String {
    let counts = [
        applied.parked,
        applied.moved,
        applied.inserted,
        applied.replaced,
    ];
    let parts: Vec<String> = words
        .iter()
        .zip(counts)
        .filter(|(_, n)| *n > 0)
        .map(|(word, n)| format!("{word} {n}"))
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Verdict;
    use crate::report::sample;

    fn shown(
        conversation: &Conversation,
        what: fn(&Conversation, &mut dyn Write, &OutputStyle) -> io::Result<()>,
    ) -> String {
        let mut out = Vec::new();
        let conversation = crate::report::redact::at_hand(conversation.clone());
        what(&conversation, &mut out, &OutputStyle::default()).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn a_repair_is_told_with_its_proof_and_its_undo() {
        let mut after =
            sample::conversation("a.jsonl", Verdict::Lossy, vec![sample::broken_parent()]);
        after
            .remarks
            .push("Restart the agent if it is open.".into());
        after.applied = Some(Applied {
            op: Some(42),
            kept: 65,
            parked: 1,
            replaced: 2,
            proved: Some(Verdict::Lossy),
            ..Applied::default()
        });
        let wanted = "\
Backed up   journal op 42
Verified    re-read from disk: LOSSY (Anthropic)
Undo        transcript-doctor undo 42
Still broken:
error[TD301] the parent of a record does not exist               fix: unsafe
  at a.jsonl:61
Preview the uncertain fix:  transcript-doctor diff --unsafe a.jsonl
Restart the agent if it is open.
";
        assert_eq!(
            shown(&after, |c, out, style| applied(
                std::slice::from_ref(c),
                out,
                style
            )),
            wanted
        );
    }

    #[test]
    fn a_plan_writes_nothing_and_says_so() {
        let mut c = sample::conversation("a b", Verdict::Stuck, vec![sample::two_results()]);
        c.applied = Some(Applied {
            kept: 1,
            parked: 1,
            planned_only: true,
            ..Applied::default()
        });
        assert_eq!(
            shown(&c, |c, out, style| applied(
                std::slice::from_ref(c),
                out,
                style
            )),
            "Would remove 1; 1 of 2 records unchanged. Nothing was written.\nApply:  transcript-doctor repair 'a b'\n"
        );
        let shown = shown(&c, plan);
        assert!(
            shown.contains("fatal[TD104] two results for one tool call"),
            "{shown}"
        );
        assert!(
            shown.ends_with("  fix: remove event 63 (kept in the journal)\n")
                && !shown.contains("09:48"),
            "{shown}"
        );
    }
}
