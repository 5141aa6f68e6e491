//! The report of a transcript: one entry for it, and of a file of rows one more for each row that
//! has something to report.

use crate::transcript::{Code, Severity};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::build::{self, EntryOptions, conversation, hint, make_unsafe, no_safe_fix, withdraw};
use super::file::RecordFile;
use super::fold::{Cause, MOST_FINDINGS, cause, fold, folded, generalize, join};
use super::introduction::Introduction;
use super::model::{Conversation, ReportedFinding, RowAt, Rows, Verdict};
use super::redact::{RedactMode, StringKind};
use super::text::{Shown, path_hex};
use crate::bytes::window::Window;
use crate::engine::{Judged, TargetFrom};
use crate::format::Format;
use crate::repair::Excess;
use crate::rows::{Checked, Examined, LinesKind, OneConversation, Row, RowPlace};
use crate::targets;

/// The rows are for several providers.
const EACH_ROW: TargetFrom = TargetFrom::guessed("each row");
/// Most rows of a transcript that have an entry of their own, unless every row is asked for.
const MOST_ENTRIES: usize = MOST_FINDINGS;
/// What to do where a member of an archive cannot be read.
const NO_COPY: &str = "get a whole archive: no copy of this one can be written";
/// No row has a conversation.
const NO_ROW: TargetFrom = TargetFrom::guessed("no row");

/// The entries of one transcript, collected conversation by conversation.
#[derive(Debug)]
pub(crate) struct TranscriptReport {
    path: PathBuf,
    format: &'static Format,
    /// A process is writing it.
    live: bool,
    /// The only entry, if the transcript is one conversation.
    whole: Option<Conversation>,
    entries: Vec<Conversation>,
    /// Entries of lines whose rows follow, by line.
    freed: Vec<Conversation>,
    /// The entry for damage of the file itself.
    end: Option<Conversation>,
    rows: Rows,
    records: u64,
    calls: u64,
    not_selected: BTreeMap<Code, u64>,
    target: Option<(&'static str, TargetFrom)>,
    /// What else the rows may be.
    hint: Option<String>,
    missed: Vec<String>,
    /// The member of an archive that cannot be read.
    unreadable: Option<String>,
    /// Findings of rows about which there is nothing else to report, by cause; `None` while only
    /// one row has the cause.
    causes: HashMap<Cause, Option<ReportedFinding>>,
    /// Rows beyond [`MOST_ENTRIES`], whose findings are only counted.
    counted: u64,
    /// The last row that is reported with the file, and its verdict.
    last_shared: Option<(Option<u64>, Verdict)>,
    /// Whether healthy rows have entries of their own.
    every: bool,
    /// Whether there is only one row, which is reported alone.
    is_row: bool,
    /// Whether entries say by what people recognize a session.
    introduces: bool,
    /// Whether findings with the same cause become one in a transcript that is one conversation.
    folds: bool,
    /// Rows with a conversation, and those of them that a safe repair would change.
    judged: usize,
    changed: usize,
}

/// The finished entries of a transcript.
pub(crate) struct TranscriptEntries {
    /// The entry of the transcript, then those of its rows.
    pub conversations: Vec<Conversation>,
    /// The rows that could not be checked, and why.
    pub missed: Vec<String>,
}

impl TranscriptReport {
    /// A report of the transcript at `path`, as the user named it.
    pub(crate) fn new(path: &Path, format: &'static Format) -> TranscriptReport {
        TranscriptReport {
            path: path.to_owned(),
            format,
            live: false,
            whole: None,
            entries: Vec::new(),
            freed: Vec::new(),
            end: None,
            rows: Rows::default(),
            records: 0,
            calls: 0,
            not_selected: BTreeMap::new(),
            target: None,
            hint: None,
            missed: Vec::new(),
            unreadable: None,
            causes: HashMap::new(),
            counted: 0,
            last_shared: None,
            every: false,
            is_row: false,
            introduces: true,
            folds: true,
            judged: 0,
            changed: 0,
        }
    }

    /// Gives healthy rows entries of their own.
    pub(crate) fn with_every_row(self, every: bool) -> TranscriptReport {
        TranscriptReport { every, ..self }
    }

    /// A report of one row of standard input for a program: nothing by which people recognize it.
    pub(crate) fn of_row(path: &Path, format: &'static Format) -> TranscriptReport {
        TranscriptReport {
            every: true,
            is_row: true,
            introduces: false,
            ..TranscriptReport::new(path, format)
        }
    }

    /// Whether entries say by what people recognize a session, for which up to three records are read again.
    pub(crate) fn with_introductions(self, introduces: bool) -> TranscriptReport {
        TranscriptReport { introduces, ..self }
    }

    /// Keeps each finding for itself: of a restricted repair each is asked for.
    pub(crate) fn with_each_finding(self, is_each: bool) -> TranscriptReport {
        TranscriptReport { folds: !is_each, ..self }
    }

    /// The entry of a conversation.
    fn entry(&self, checked: &OneConversation<'_>) -> Conversation {
        let how = EntryOptions {
            live: self.live,
            introduces: self.introduces,
            is_refused: matches!(checked.checked, Checked::Refused(..)),
            folds: self.folds && checked.row.is_none(),
        };
        placed(build::entry(&self.path, checked.entries, checked.judged(), how), checked)
    }

    /// Adds a part of the transcript. `live`: a process is writing it.
    pub(crate) fn add(&mut self, examined: &Examined<'_>, live: bool) {
        self.live = live;
        match examined {
            Examined::Conversation(conversation) => match conversation.row {
                Some((row, at)) => self.row(row, at, conversation),
                None => self.whole = Some(self.entry(conversation)),
            },
            Examined::Lines { row, kind, window, judged, .. } => {
                let entry = self.lines(row, window, judged);
                self.add_lines(*kind, entry);
            }
            Examined::Skipped => {
                self.rows.total += 1;
                self.rows.skipped += 1;
            }
            Examined::NotChecked(row, why) => {
                self.rows.total += 1;
                self.missed.push(match (row.line, row.index) {
                    (Some(line), _) => format!("line {line}: {why}"),
                    (None, Some(index)) => format!("element {index}: {why}"),
                    // A member of an archive: the reason has its name.
                    (None, None) => why.clone(),
                });
            }
            Examined::UnreadableMember(why) => {
                if !self.missed.contains(why) {
                    self.missed.push(why.clone());
                }
                self.unreadable = Some(why.clone());
            }
        }
    }

    fn row(&mut self, row: &Row, at: RowPlace, conversation: &OneConversation<'_>) {
        let judged = conversation.judged();
        if let RowPlace::Original(_) | RowPlace::Text(..) = at {
            self.flush_freed();
        }
        self.rows.total += 1;
        self.judged += 1;
        let plan = conversation.plan();
        self.changed += usize::from(plan.is_some_and(|plan| plan.changes_records));
        self.records = self.records.saturating_add(judged.records());
        self.calls = self.calls.saturating_add(judged.calls());
        judged.hidden.iter().for_each(|code| *self.not_selected.entry(*code).or_default() += 1);
        let choice = judged.target_choice.name();
        let target = self.target.get_or_insert((choice, judged.target_from));
        if target.0 != choice {
            *target = ("several", EACH_ROW);
        }
        self.hint = self.hint.take().or_else(|| hint(judged));
        let is_harmless = judged.verdict <= Verdict::Healthy;
        let lines = self
            .freed
            .iter()
            .position(|lines| lines.row.as_ref().and_then(|row| row.line) == row.line);
        if is_harmless && judged.findings.is_empty() && lines.is_none() && !self.every {
            self.rows.healthy += 1;
            self.rows.unlisted += 1;
            return;
        }
        let mut entry = self.entry(conversation);
        if let Some(lines) = lines.map(|at| self.freed.remove(at)) {
            entry.verdict = entry.verdict.max(lines.verdict);
            entry.findings.splice(0..0, lines.findings);
        }
        self.rows.healthy += u64::from(entry.verdict <= Verdict::Healthy);
        self.keep(entry);
    }

    /// The entry of lines without a conversation.
    pub(crate) fn lines(&self, row: &Row, window: &Window<'_>, judged: &Judged) -> Conversation {
        let mut entry = conversation(&self.path, window, judged, self.live);
        let findings = entry.findings.iter_mut();
        for record in findings.flat_map(|finding| &mut finding.records) {
            record.byte = record.byte.map(|at| at.map(|at| at.saturating_add(window.start())));
        }
        // The line of the damage, not the first line that was read.
        let found = entry
            .findings
            .iter()
            .flat_map(|finding| &finding.records)
            .find_map(|record| record.line);
        entry.row = Some(RowAt { line: found.or(row.line), ..RowAt::default() });
        (entry.records, entry.calls) = (0, 0);
        entry
    }

    /// Adds the entry of lines without a conversation.
    pub(crate) fn add_lines(&mut self, kind: LinesKind, mut entry: Conversation) {
        match kind {
            LinesKind::Unreadable => {
                by_line(entry).into_iter().for_each(|entry| self.unreadable(entry))
            }
            LinesKind::Freed => {
                self.flush_freed();
                self.freed = by_line(entry);
            }
            LinesKind::CutOff | LinesKind::Around => {
                entry.row = None;
                self.end = Some(entry);
            }
            LinesKind::Unended => {
                let line = |entry: &Conversation| entry.row.as_ref().and_then(|row| row.line);
                match self.entries.last_mut().filter(|last| line(last) == line(&entry)) {
                    Some(last) => last.findings.extend(entry.findings),
                    None => {
                        let shared =
                            self.last_shared.take().filter(|(row, _)| *row == line(&entry));
                        let rows = self
                            .without_entry(shared.map_or(Verdict::Healthy, |(_, verdict)| verdict));
                        *rows = rows.saturating_sub(1);
                        self.entries.push(entry);
                    }
                }
            }
        }
    }

    fn unreadable(&mut self, entry: Conversation) {
        self.rows.total += 1;
        self.rows.healthy += u64::from(entry.verdict <= Verdict::Healthy);
        self.keep(entry);
    }

    /// Number of conversations with this verdict that have no entry of their own.
    fn without_entry(&mut self, verdict: Verdict) -> &mut u64 {
        match verdict {
            Verdict::Healthy => &mut self.rows.unlisted,
            verdict => self.rows.shared.entry(verdict).or_default(),
        }
    }

    /// Adds lines from which no row was freed.
    fn flush_freed(&mut self) {
        std::mem::take(&mut self.freed).into_iter().for_each(|entry| self.unreadable(entry));
    }

    /// Adds the entry of a row. Findings that several rows share are reported with the file.
    fn keep(&mut self, entry: Conversation) {
        if self.entries.len() >= MOST_ENTRIES && !self.every {
            return self.count(entry);
        }
        let causes: Option<Vec<Cause>> = entry.findings.iter().map(cause).collect();
        match causes.filter(|causes| !self.every && !causes.is_empty() && has_only_findings(&entry))
        {
            Some(causes) if causes.iter().all(|cause| self.causes.contains_key(cause)) => {
                self.share(entry, false)
            }
            Some(causes) => {
                causes.into_iter().for_each(|cause| _ = self.causes.entry(cause).or_default());
                self.entries.push(entry);
            }
            None => self.entries.push(entry),
        }
    }

    /// Counts the findings of a row with those of the file, whatever they are about.
    fn count(&mut self, mut entry: Conversation) {
        self.counted += 1;
        for finding in &mut entry.findings {
            generalize(finding);
            if let Some(cause) = cause(finding) {
                self.causes.entry(cause).or_default();
            }
        }
        self.share(entry, false);
    }

    /// Adds the findings of a row to those reported with the file. `first`: it comes before the
    /// others.
    fn share(&mut self, entry: Conversation, first: bool) {
        *self.without_entry(entry.verdict) += 1;
        let row = entry.row.as_ref();
        self.last_shared = Some((row.and_then(|row| row.line), entry.verdict));
        let index = row.and_then(|row| row.index);
        for mut finding in entry.findings {
            // The index of the row, because the records are from many rows.
            finding.records.iter_mut().for_each(|record| record.index = index);
            finding.resolution.fix.actions.iter_mut().for_each(|action| action.step.index = index);
            let Some(shared) = cause(&finding).and_then(|cause| self.causes.get_mut(&cause)) else {
                continue;
            };
            match shared {
                Some(shared) if first => {
                    let others = std::mem::replace(shared, finding);
                    join(shared, others);
                }
                Some(shared) => join(shared, finding),
                None => *shared = Some(finding),
            }
        }
    }

    /// The findings reported with the file. The first row of each cause was kept until another one
    /// had it.
    fn shared(&mut self) -> Vec<ReportedFinding> {
        for entry in std::mem::take(&mut self.entries) {
            let shared = has_only_findings(&entry) && !entry.findings.is_empty();
            if shared
                && entry.findings.iter().all(|finding| {
                    cause(finding)
                        .is_some_and(|cause| self.causes.get(&cause).is_some_and(Option::is_some))
                })
            {
                self.share(entry, true);
            } else {
                self.entries.push(entry);
            }
        }
        let mut shared: Vec<ReportedFinding> =
            std::mem::take(&mut self.causes).into_values().flatten().collect();
        let place = |finding: &ReportedFinding| {
            finding.records.first().map(|record| (record.line, record.index))
        };
        shared.sort_by(|a, b| (place(a), a.code, &a.message).cmp(&(place(b), b.code, &b.message)));
        shared
    }

    /// The transcript's own entry before those of its rows.
    pub(crate) fn finish(mut self) -> TranscriptEntries {
        if let Some(whole) = self.whole {
            return TranscriptEntries {
                conversations: vec![if self.folds { folded(whole) } else { whole }],
                missed: Vec::new(),
            };
        }
        self.flush_freed();
        if self.is_row {
            return TranscriptEntries {
                conversations: self.entries.into_iter().map(folded).collect(),
                missed: self.missed,
            };
        }
        let own = self.entries.iter().map(|entry| entry.verdict);
        let all = own.chain(self.rows.shared.keys().copied());
        let worst = all.fold(Verdict::Healthy, Verdict::max);
        let (target, target_from) = self.target.unwrap_or(("none", NO_ROW));
        let mut refused_by: Vec<&'static str> =
            self.entries.iter().flat_map(|entry| entry.refused_by.iter().copied()).collect();
        refused_by.sort_unstable();
        refused_by.dedup();
        let mut findings = self.end.take().map(|end| end.findings).unwrap_or_default();
        self.rows.is_file_damaged =
            findings.iter().any(|finding| finding.severity > Severity::Note);
        let verdict = if findings.is_empty() { worst } else { worst.max(Verdict::Unreadable) };
        findings.extend(self.shared());
        let (mut findings, _) = fold(findings);
        let excess = Excess::of_rows(self.format, self.changed, self.judged);
        let of_rows = self.entries.iter_mut().flat_map(|entry| &mut entry.findings);
        let all = of_rows.chain(&mut findings);
        let withheld = match (&self.unreadable, &excess) {
            (Some(why), _) => {
                all.for_each(|finding| withdraw(finding, NO_COPY));
                Some((why.clone(), format!("No fix: {why}.")))
            }
            (None, Some(excess)) => {
                all.for_each(make_unsafe);
                Some((excess.to_string(), no_safe_fix(excess)))
            }
            (None, None) => None,
        };
        let whole_entry = Conversation {
            path: Shown::path(&self.path),
            path_hex: path_hex(&self.path),
            format: self.format.name,
            host: self.format.host.name,
            host_title: self.format.host.title,
            title: self.format.title,
            session: None,
            parent: None,
            rows: Some(self.rows),
            row: None,
            verdict,
            live: self.live,
            target,
            target_title: targets::title(target),
            refused_by,
            clients: Default::default(),
            recorded_by: None,
            target_from,
            hint: self.hint,
            may_be_habits: false,
            introduction: Introduction::default(),
            records: self.records,
            calls: self.calls,
            findings,
            not_selected: self.not_selected,
            known: 0,
            caveats: Vec::new(),
            pending: Vec::new(),
            unknown_side_effects: Vec::new(),
            applied: None,
            resume: None,
            copy: None,
            container: None,
            no_safe_fix: withheld.as_ref().map(|(why, _)| why.clone()),
            needs_from: excess.is_some(),
            offer: None,
            remarks: withheld
                .map(|(_, says)| says)
                .into_iter()
                .chain(beyond(self.counted))
                .collect(),
            stored: None,
            redacted: RedactMode::default(),
        };
        let mut conversations = vec![whole_entry];
        conversations.extend(self.entries.into_iter().map(folded));
        TranscriptEntries { conversations, missed: self.missed }
    }
}

/// What is said of rows that are only counted.
fn beyond(counted: u64) -> Option<String> {
    let own =
        if counted == 1 { "1 more row is".to_owned() } else { format!("{counted} more rows are") };
    (counted > 0).then(|| format!("{own} counted with the file; -v lists each."))
}

/// Whether an entry contains nothing but findings.
fn has_only_findings(entry: &Conversation) -> bool {
    entry.applied.is_none() && entry.pending.is_empty() && entry.unknown_side_effects.is_empty()
}

/// The same findings, an entry for each line.
fn by_line(mut entry: Conversation) -> Vec<Conversation> {
    let mut lines: BTreeMap<Option<u64>, Vec<ReportedFinding>> = BTreeMap::new();
    for finding in std::mem::take(&mut entry.findings) {
        let line = finding.records.iter().filter_map(|record| record.line).min();
        lines.entry(line).or_default().push(finding);
    }
    lines
        .into_iter()
        .map(|(line, findings)| {
            let broken = findings.iter().any(|finding| finding.severity >= Severity::Error);
            let verdict = if broken { entry.verdict } else { Verdict::Healthy };
            let own_line = entry.row.as_ref().and_then(|row| row.line);
            let row = Some(RowAt { line: line.or(own_line), ..RowAt::default() });
            Conversation { row, verdict, findings, ..entry.clone() }
        })
        .collect()
}

/// The entry of a conversation, with its places in the transcript.
pub(crate) fn entry(path: &Path, checked: &OneConversation<'_>, live: bool) -> Conversation {
    let entry = conversation(path, checked.entries, checked.judged(), live);
    placed(entry, checked)
}

fn placed(mut entry: Conversation, checked: &OneConversation<'_>) -> Conversation {
    if let Checked::Refused(_, excess) = &checked.checked
        && entry.no_safe_fix.is_none()
    {
        entry.no_safe_fix = Some(excess.to_string());
        entry.needs_from = true;
        entry.remarks.push(no_safe_fix(excess));
        entry.findings.iter_mut().for_each(make_unsafe);
    }
    if let Some((row, at)) = checked.row {
        set_places(&mut entry, row, at);
    }
    entry
}

/// Changes the places in the entry of a row to places in the file.
pub(crate) fn set_places(entry: &mut Conversation, row: &Row, at: RowPlace) {
    for finding in &mut entry.findings {
        for record in &mut finding.records {
            record.line = row.line;
            // Its number is that in the row.
            record.is_numbered &= row.line.is_some();
            record.file = row.file.as_deref().map(RecordFile::inside);
            record.byte = record.byte.map(|byte| match at {
                RowPlace::Original(start) => byte.map(|at| at.saturating_add(start)),
                RowPlace::Freed(start, end) | RowPlace::Text(start, end) => [start, end],
            });
            if let (Some(own), Some(pointer)) = (row.pointer(), &mut record.pointer) {
                *pointer = Shown::of(StringKind::Pointer, format!("{own}{}", pointer.exact()));
            }
        }
        finding.resolution.fix.actions.iter_mut().for_each(|action| action.step.line = row.line);
    }
    entry.row = Some(RowAt::of(row));
}

impl RowAt {
    /// The row as the report names it.
    pub(crate) fn of(row: &Row) -> RowAt {
        RowAt {
            line: row.line,
            index: row.index,
            file: row.file.as_deref().map(|file| Shown::of(StringKind::File, file)),
            list: row.list,
            part: row.part.clone(),
            key: row.key.as_deref().map(|key| Shown::of(StringKind::Session, key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let more = 3;
        let mut report = TranscriptReport::new(
            Path::new("rows.jsonl"),
            crate::hosts::by_name("openai-chat").unwrap(),
        );
        for line in 0..MOST_ENTRIES as u64 + more {
            let mut entry =
                sample::conversation("rows.jsonl", Verdict::Stuck, vec![sample::two_results()]);
            entry.row = Some(RowAt { line: Some(line), ..RowAt::default() });
            report.keep(entry);
        }
        let all = report.finish().conversations;
        assert_eq!(all.len(), 1 + MOST_ENTRIES);
        let file = &all[0];
        assert_eq!(file.verdict, Verdict::Stuck);
        assert_eq!(file.rows.as_ref().unwrap().shared.get(&Verdict::Stuck), Some(&more));
        assert_eq!(file.findings.iter().map(|own| own.identity.count).sum::<u64>(), more);
        assert_eq!(file.remarks, ["3 more rows are counted with the file; -v lists each."]);
    }
}
