//! A repair: the plan before it, and what it came to.

use std::io::{self, Write};

use super::heading;
use crate::outputs::document::{self, words::sentence};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{OutputStyle, many};
use crate::report::model::{Applied, Conversation, ResumeCommand, Verdict};
use crate::report::text::width;
use crate::transcript::Severity;

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
    super::print(&document::applied::fixes(conversation, style), out, style)
}

/// The result of a repair that was written: `REPAIRED  STUCK → HEALTHY  PATH`, and what was kept. The entries are those of the
/// transcript as it is afterwards, its own first.
pub(crate) fn repaired(
    before: Verdict,
    entries: &[Conversation],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    let Some((conversation, applied)) =
        entries.first().and_then(|own| Some((own, own.applied.as_ref()?)))
    else {
        return Ok(());
    };
    let heading = document::conversation::repaired(before, conversation, applied, style);
    super::print(&[heading], out, style)
}

/// What a repair did, or would do: the entries of the transcript as it is afterwards, its own first.
pub(crate) fn applied(
    entries: &[Conversation],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    super::print(&document::applied::result(entries, style), out, style)
}

/// What must be so before the command that resumes it works.
pub(crate) fn proviso(resume: &ResumeCommand) -> Option<String> {
    let missing = resume.folder.as_ref().filter(|_| !resume.has_folder);
    match missing {
        Some(folder) => Some(format!("(in {}, which does not exist here)", folder.whole())),
        None => (!resume.at_home).then(|| String::from("(once it is where the host looks for it)")),
    }
}

/// Whether its host would continue it as it is.
pub(crate) fn can_go_on(conversation: &Conversation) -> bool {
    !conversation.live && conversation.verdict <= Verdict::Pending
}

/// Whether its host would continue it once everything that is safe is repaired.
pub(crate) fn a_repair_suffices(conversation: &Conversation) -> bool {
    let damage = conversation.findings.iter().filter(|f| f.severity >= Severity::Error);
    !conversation.live && damage.into_iter().all(|f| f.is_safe())
}

/// The same in one line: `PATH: removed 1; 65 of 66 records unchanged (operation 42)`. Nothing where nothing was to be done.
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
        (false, Some(op)) => (counts(applied, DID), format!(" (operation {op})")),
        (false, None) => (counts(applied, DID), String::new()),
    };
    if changes.is_empty() {
        return Ok(());
    }
    let kept = unchanged(applied);
    let all = width("    ; ") + width(&changes) + width(&kept) + width(&how);
    let how = if all > style.width { format!("\n   {how}") } else { how };
    let rest = format!("; {kept}{how}");
    let used = width(": ") + width(&changes) + width(&rest);
    let id = style.next.name_of(&conversation.path).filter(|_| conversation.row.is_none());
    let id = id.and(super::session_id(conversation, &style.next));
    let path = id.unwrap_or_else(|| style.path(&conversation.place(), used));
    let gap = if used + width(&path) > style.width {
        String::from(":\n    ")
    } else {
        String::from(": ")
    };
    writeln!(out, "{path}{gap}{}{rest}", paint(Tone::Strong, &changes))
}

/// `63 of 65 records unchanged`
fn unchanged(applied: &Applied) -> String {
    let touched = applied.removed + applied.moved + applied.replaced;
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
    let changes =
        if changes.is_empty() { String::from("changed only what is around them") } else { changes };
    format!("{}; {changes}.", sentence(&unchanged(applied)))
}

/// `Would remove 1; 63 of 64 records unchanged. Nothing was written.`
pub(crate) fn would(applied: &Applied) -> String {
    let kept = unchanged(applied);
    let changes = counts(applied, WOULD);
    let changes =
        if changes.is_empty() { String::from("change only what is around them") } else { changes };
    format!("Would {changes}; {kept}. Nothing was written.")
}

fn counts(applied: &Applied, words: [&str; 4]) -> String {
    let counts = [applied.removed, applied.moved, applied.inserted, applied.replaced];
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
        after.remarks.push("Restart the agent if it is open.".into());
        after.applied = Some(Applied {
            op: Some(42),
            kept: 65,
            removed: 1,
            replaced: 2,
            proved: Some(Verdict::Lossy),
            ..Applied::default()
        });
        let wanted = "\
Backed up   original kept (operation 42)
Verified    re-read from disk: LOSSY (Anthropic)
Undo        transcript-doctor undo 42
Still broken:
error[TD301] the parent of a record does not exist               fix: unsafe
  at a.jsonl:61
Preview the uncertain fix:  transcript-doctor diff --unsafe a.jsonl
Restart the agent if it is open.
";
        assert_eq!(
            shown(&after, |c, out, style| applied(std::slice::from_ref(c), out, style)),
            wanted
        );
    }

    #[test]
    fn a_plan_writes_nothing_and_says_so() {
        let mut c = sample::conversation("a b", Verdict::Stuck, vec![sample::two_results()]);
        c.applied = Some(Applied { kept: 1, removed: 1, planned_only: true, ..Applied::default() });
        assert_eq!(
            shown(&c, |c, out, style| applied(std::slice::from_ref(c), out, style)),
            "Would remove 1; 1 of 2 records unchanged. Nothing was written.\nApply:  transcript-doctor repair 'a b'\n"
        );
        let shown = shown(&c, plan);
        assert!(shown.contains("fatal[TD104] two results for one tool call"), "{shown}");
        assert!(
            shown.ends_with("  fix: remove event 63 (kept in the journal)\n")
                && !shown.contains("09:48"),
            "{shown}"
        );
    }
}
