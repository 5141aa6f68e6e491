//! Transcripts, judged, and their report.

use std::collections::HashMap;
use std::path::Path;

use super::copies::Proposed;
use super::error::NotChecked;
use super::exit::RunOutcome;
use super::only_copy::Replacing;
use super::progress::Progress;
use super::{App, copies, owner, parallel, plan};
use crate::bytes::source::{Entries, Source, SourceShape};
use crate::containers::{ReadError, Scanned};
use crate::detect;
use crate::detect::shares;
use crate::engine::{self, CheckOptions};
use crate::find::{Finds, Found, Located, Missed, listed, name_of, store};
use crate::live::Readings;
use crate::outputs::Detail;
use crate::repair::Policy;
use crate::report::coverage::coverage;
use crate::report::model::{
    Caveat, Conversation, Report, ReportedFinding, Selection, StoredFiles, Verdict,
};
use crate::report::offer::Offer;
use crate::report::places;
use crate::report::rows::{TranscriptEntries, TranscriptReport};
use crate::report::text::Shown;
use crate::rows::{self, Examined};
use crate::rules;
use crate::transcript::{Code, Severity, Transcript};

/// What a verdict does not say of a large database.
const PARTLY: &str = "of its database, which is larger than 1 GB, only the pages with sessions were checked (-v checks all)";

/// The report entries of all transcripts found. `finds` collects what could not be read. `introduces`: they say by what
/// people recognize a session.
pub(crate) fn all(app: &App<'_>, finds: &mut Finds, introduces: bool) -> Vec<Conversation> {
    let world = owner::Once::default();
    let is_alone = finds.found.len() == 1;
    let progress = Progress::start(app, "Checked", finds.found.iter().map(|located| located.size));
    let judged = parallel::each(
        app.options.jobs,
        &finds.found,
        |located| located.size,
        |located| {
            let entries = check_located(app, located, &world, is_alone, introduces);
            progress.add(located.size);
            entries
        },
    );
    drop(progress);
    let mut conversations: Vec<Conversation> = Vec::with_capacity(judged.len());
    for (located, judged) in finds.found.iter().zip(judged) {
        match judged {
            Ok(entries) => {
                conversations.extend(entries.conversations);
                let missed = entries.missed.into_iter();
                finds.missed.extend(missed.map(|why| Missed::new(&located.path, why)));
            }
            Err(why) => finds.missed.push(Missed::new(&located.path, why)),
        }
    }
    conversations
}

/// The entries of a transcript, with what only some outputs show of it. `is_alone`: no other one is checked.
fn check_located(
    app: &App<'_>,
    located: &Located,
    world: &owner::Once,
    is_alone: bool,
    introduces: bool,
) -> Result<TranscriptEntries, NotChecked> {
    let found = located.open()?;
    // Several files share the threads.
    let jobs = if is_alone { app.options.jobs } else { 1 };
    let mut entries = check_source(app, &found, world, jobs, introduces)?;
    if app.offers_fixes() {
        offer_repair(app, &found, &mut entries);
    }
    if app.style.detail == Detail::All {
        say_why(&found, &mut entries.conversations);
    }
    if is_alone && app.tries() {
        set_stored(&mut entries.conversations, &found.source);
    }
    Ok(entries)
}

/// Says why the transcript was taken for its format, once for all its conversations.
fn say_why(found: &Found, conversations: &mut [Conversation]) {
    let Some(first) = conversations.first_mut() else {
        return;
    };
    // A file that changed meanwhile is reported where it is read.
    let why = shares::why(&found.source, &name_of(&found.path), &found.detection);
    first.remarks.extend(why.ok().flatten());
}

/// Says how a transcript is stored, for a page about it alone.
pub(super) fn set_stored(conversations: &mut [Conversation], source: &Source) {
    let ids = source.ids();
    let stored = StoredFiles {
        bytes: ids.iter().map(|id| source.len(*id)).sum(),
        files: ids.len() as u64,
        checksum: match ids[..] {
            [only] => source.checksum(only).ok().map(|sum| sum.to_string()),
            _ => None,
        },
    };
    for conversation in conversations {
        conversation.stored = Some(stored.clone());
    }
}

/// The entries of a transcript.
///
/// # Errors
/// It cannot be read.
pub(super) fn check_source(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    jobs: usize,
    introduces: bool,
) -> Result<TranscriptEntries, ReadError> {
    let report = TranscriptReport::new(&found.path, found.detection.format)
        .with_every_row(app.every_row())
        .with_introductions(introduces);
    let mut judged = JudgedTranscript::new(report, found);
    each(app, found, world, jobs, &mut |examined, live| judged.add(&examined, live))?;
    let mut entries = judged.finish(&app.options.check_at(&found.path));
    limit(app, found, &mut entries.conversations);
    Ok(entries)
}

/// Says what a good verdict of a session does not say of its database.
pub(super) fn limit(app: &App<'_>, found: &Found, conversations: &mut [Conversation]) {
    let database = match found.source.shape() {
        SourceShape::Database => store::of_member(&found.path),
        _ => None,
    };
    let is_limited = database.is_some_and(|(database, _)| store::is_large(&database));
    if !is_limited || app.style.detail == Detail::All {
        return;
    }
    for conversation in conversations {
        conversation.caveats.push(Caveat { records: 0, says: PARTLY.to_owned() });
    }
}

/// The entries of a row of standard input that was scanned. `check`: what to check it against.
///
/// # Errors
/// It cannot be read.
pub(super) fn scanned(
    app: &App<'_>,
    found: &Found,
    (line, conversations): (Scanned<'_>, &[detect::rows::FoundConversation]),
    check: &CheckOptions,
) -> Result<TranscriptEntries, ReadError> {
    let (path, detection) = (&found.path, &found.detection);
    // Of several, what they have in common is reported with the file.
    let report = match conversations.len() {
        1 => TranscriptReport::of_row(path, detection.format),
        _ => TranscriptReport::new(path, detection.format).with_every_row(app.every_row()),
    };
    let mut judged = JudgedTranscript::new(report, found);
    let (name, row) = (name_of(path), (line, conversations));
    rows::judge_scanned(&found.source, row, &name, detection, check, &mut |examined| {
        // Nobody writes what is in memory.
        judged.add(&examined, false);
    })?;
    Ok(judged.finish(check))
}

/// The report of a transcript whose conversations come one after the other.
struct JudgedTranscript<'a> {
    found: &'a Found,
    report: TranscriptReport,
    replacing: Replacing<'a>,
}

impl<'a> JudgedTranscript<'a> {
    fn new(report: TranscriptReport, found: &'a Found) -> JudgedTranscript<'a> {
        JudgedTranscript { found, report, replacing: Replacing::new(found) }
    }

    /// `live`: somebody is writing the transcript.
    fn add(&mut self, examined: &Examined<'_>, live: bool) {
        self.replacing.see(examined);
        self.report.add(examined, live);
    }

    /// `check`: what the transcript was checked against.
    fn finish(self, check: &CheckOptions) -> TranscriptEntries {
        let mut entries = self.report.finish();
        if self.replacing.only_copy().is_some() {
            copies::name(&mut entries.conversations, self.found, &Proposed::Checked(check));
        }
        places::locate(&mut entries.conversations, &self.found.source);
        if let [whole] = &mut entries.conversations[..]
            && whole.rows.is_none()
            && whole.row.is_none()
        {
            whole.remarks.extend(whole.hint.clone());
        }
        entries
    }
}

/// Adds the repair of a transcript to the first entry with a safe fix, because it is one set of edits.
fn offer_repair(app: &App<'_>, found: &Found, entries: &mut TranscriptEntries) {
    let mut conversations = entries.conversations.iter_mut();
    let fixable = conversations.find(|own| own.findings.iter().any(ReportedFinding::is_safe));
    if let Some(entry) = fixable {
        entry.offer = Some(offer_of(app, found, entry));
    }
}

fn offer_of(app: &App<'_>, found: &Found, entry: &Conversation) -> Offer {
    if entry.live {
        return Offer::withheld("a process is writing the transcript");
    }
    if entry.copy.is_some() {
        return Offer::withheld("only a copy can be repaired");
    }
    let (source, detection) = (&found.source, &found.detection);
    let (check, policy) = (app.options.check_at(&found.path), Policy::default());
    match plan::outline(source, &name_of(&found.path), detection, &check, &policy, None) {
        Err(why) => Offer::withheld(why.to_string()),
        Ok(outline) if outline.patch.is_empty() => {
            Offer::withheld("the transcript would be worse with it")
        }
        Ok(outline) => Offer::of(&found.path, source, &detection.layout, &outline.patch),
    }
}

/// Every conversation of a transcript, judged on up to `jobs` threads, and whether somebody is writing it.
///
/// # Errors
/// It cannot be read.
pub(super) fn each(
    app: &App<'_>,
    found: &Found,
    world: &owner::Once,
    jobs: usize,
    each: &mut dyn FnMut(Examined<'_>, bool),
) -> Result<(), ReadError> {
    let (source, name, detection) = (&found.source, name_of(&found.path), &found.detection);
    let mut check = CheckOptions { jobs, ..app.options.check_at(&found.path) };
    check.left_out = listed::left_out(&found.path, detection.format);
    // Rows do not say who writes their file.
    check.live = detection.conversations.are_rows()
        && owner::of(world, found, &Transcript::default(), Readings::Once).is_live();
    let mut is_written = false;
    rows::judge(source, &name, detection, &check, &mut |examined| {
        if let Examined::Conversation(whole) = &examined
            && whole.row.is_none()
            && owner::of(world, found, &whole.judged().transcript, Readings::Once).is_live()
        {
            is_written = true;
        } else {
            each(examined, check.live);
        }
    })?;
    if !is_written {
        return Ok(());
    }
    // Judged anew: what looks torn may be a record that is just being written.
    check.live = true;
    rows::judge(source, &name, detection, &check, &mut |examined| each(examined, true))
}

/// The report of a run over these finds.
pub(crate) fn report(app: &App<'_>, mut conversations: Vec<Conversation>, finds: &Finds) -> Report {
    let parents: HashMap<Shown, &Located> = finds
        .found
        .iter()
        .filter_map(|f| Some((Shown::path(&f.path), finds.found.get(f.parent?)?)))
        .collect();
    for conversation in &mut conversations {
        conversation.parent =
            parents.get(&conversation.path).map(|parent| Shown::path(&parent.path));
    }
    set_levels(app, &mut conversations);
    let missed = finds.missed.iter().map(super::not_examined).collect();
    let skipped = finds.skipped.iter().map(super::skipped).collect();
    let engine::RuleSelection { mut select, extend_select, ignore, .. } =
        app.options.check.selection.clone();
    // Added to all rules, they change nothing.
    if !select.is_empty() {
        select.extend(extend_select);
    }
    let selection =
        (!select.is_empty() || !ignore.is_empty()).then_some(Selection { select, ignore });
    Report {
        selection,
        fail_on: app.options.fail_on,
        ..Report::new(conversations, missed, skipped)
    }
}

/// Says which rules were asked for the conversations of a report.
pub(crate) fn set_coverage(app: &App<'_>, report: &mut Report) {
    let ignored = |conversation: &Conversation| {
        app.options.ignored_at(Path::new(conversation.path.exact())).cloned().collect()
    };
    report.coverage = coverage(&report.conversations, &app.options.check.selection, &ignored);
}

/// Gives findings the severities that the user chose for their rules.
pub(super) fn set_levels(app: &App<'_>, conversations: &mut [Conversation]) {
    for finding in conversations.iter_mut().flat_map(|c| &mut c.findings) {
        if let Some(level) = level_of(app, finding.code) {
            finding.severity = level;
        }
    }
}

/// The severity that a rule is reported with, if that is not its own.
fn level_of(app: &App<'_>, code: Code) -> Option<Severity> {
    let rule = rules::ALL.iter().find(|rule| rule.code == code)?;
    let (_, level) = app.options.levels.iter().rev().find(|(word, _)| engine::names(word, rule))?;
    Some(*level)
}

/// What the findings of a report come to.
pub(crate) fn outcome(app: &App<'_>, report: &Report) -> RunOutcome {
    let unknown = report.conversations.iter().any(|c| c.verdict == Verdict::Unknown);
    let empty = report.conversations.is_empty() && report.not_checked.is_empty();
    RunOutcome {
        unconfirmed: false,
        refused: false,
        not_examined: unknown || !report.not_checked.is_empty(),
        left: app.options.fail_on.is_some_and(|level| report.reaches(level)),
        nothing: empty && !app.options.allow_empty,
    }
}
