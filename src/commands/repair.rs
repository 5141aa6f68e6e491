//! `repair`: the plan that `diff` shows, written and proved.

mod copy;
mod in_place;
mod named;
mod output;
mod tell;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::difference::{self, Seen};
use super::exit::Outcome;
use super::{Run, Usage, check, owner, paste, signals, treat};
use crate::bytes::overlay::Overlay;
use crate::cli::Repair;
use crate::diff::records::Records;
use crate::engine::{Ask, judge};
use crate::find::{Found, Missed, open_again};
use crate::live::{Looks, System};
use crate::outputs::paint::Tone;
use crate::outputs::{BULK, Detail, human};
use crate::repair::{Plan, Policy, Refused, WriteStyle, plan};
use crate::report::build::{conversation, name_of};
use crate::report::model::{Applied, Conversation};
use crate::report::text::Shown;
use output::Output;

pub(super) use in_place::settle;

/// What to know of a repair that was appended.
const BRANCHED: &str = "The repaired end was appended as a new branch. The old end stays in the file, beside it, as it was: \
     whoever goes back there finds it still broken.";

/// One run of the command.
struct Job<'a> {
    run: &'a Run<'a>,
    args: &'a Repair,
    policy: Policy,
    output: Output,
    /// A line for each source, because there are many.
    brief: bool,
    /// What happens is told as it happens: the human shape.
    aloud: bool,
}

/// One source with its plan.
struct Work<'a> {
    found: &'a Found,
    plan: Plan,
    /// What the plan changes.
    records: Records,
    /// The recording as it is.
    before: Conversation,
}

/// What became of one source.
struct Done {
    /// The recording as it is afterwards.
    after: Conversation,
    written: bool,
    refused: bool,
    /// There was something to do, and it was not done.
    undone: bool,
}

/// What was written.
#[derive(Default)]
struct Written {
    /// The journal's operation.
    op: Option<u64>,
    /// Where the bytes are, to be read again.
    path: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The command line asks for what cannot be done, or the report cannot be written.
pub fn run(run: &mut Run<'_>, args: &Repair) -> Result<u8> {
    treat::choose(run, &args.treat);
    let mut output = Output::of(args)?;
    let stdin = args.targets.iter().any(|target| target.as_os_str() == "-");
    let paste = args.error.as_deref().map(|text| paste::read(text, stdin)).transpose()?;
    run.data_on_stdout = output == Output::Stdout;
    if output == Output::InPlace && !args.dry_run {
        in_place::settle(run)?;
    }
    let mut finds = run.find(&args.targets)?;
    output.prepare(&finds, args)?;
    let mut policy = treat::policy(&args.treat);
    if let Some(paste) = &paste {
        match named::restrict(run, &finds, paste)? {
            Ok(focus) => policy.focus = Some(focus),
            Err(status) => return Ok(status),
        }
        if let Some(text) = args.error.as_deref().filter(|_| args.dry_run) {
            run.style.next.options.extend(["--error".into(), text.into()]);
        }
    }
    let job = Job {
        run,
        args,
        policy,
        output,
        brief: finds.found.len() > BULK && run.style.detail < Detail::All,
        aloud: run.output.name == "human" && run.style.detail >= Detail::Normal,
    };
    let mut trees = HashSet::new();
    let mut outcome = Outcome::default();
    let mut conversations = Vec::with_capacity(finds.found.len());
    for found in &finds.found {
        match job.one(found, &mut trees)? {
            Ok(done) => {
                outcome.refused |= done.refused;
                outcome.left |= done.undone || (done.written && args.error_on_change);
                conversations.push(done.after);
            }
            Err(why) => finds.missed.push(Missed { path: found.path.clone(), why }),
        }
    }
    let mut report = check::report(conversations, &finds);
    let found = check::outcome(job.run, &report);
    outcome = Outcome { refused: outcome.refused, left: outcome.left || found.left, ..found };
    report.exit_code = outcome.status();
    if job.aloud {
        job.run.write(|out| human::end(&report, out))?;
    } else {
        job.run.print(&report)?;
    }
    Ok(report.exit_code)
}

impl Job<'_> {
    /// One source. The inner error says why it could not be looked at.
    fn one(&self, found: &Found, trees: &mut HashSet<PathBuf>) -> Result<Result<Done, String>> {
        let mut again = None;
        let (mut plan, mut live) = match self.plan(found) {
            Ok(planned) => planned,
            Err(refused) => return Ok(self.no_plan(found, refused)),
        };
        let writes = self.output == Output::InPlace && !self.args.dry_run;
        if live && writes && !plan.patch.is_empty() && self.args.wait > 0 {
            owner::wait(&System, found, &plan.before, Duration::from_secs(self.args.wait));
            // What was written meanwhile belongs to it.
            let (source, claim) = match open_again(&found.path, found.source.shape(), found.claim.format) {
                Ok(opened) => opened,
                Err(error) => return Ok(Err(error.to_string())),
            };
            let found = again.insert(Found { path: found.path.clone(), source, claim, parent: found.parent });
            (plan, live) = match self.plan(found) {
                Ok(planned) => planned,
                Err(refused) => return Ok(self.no_plan(found, refused)),
            };
        }
        let found = again.as_ref().unwrap_or(found);
        let records = match changed_records(found, &plan) {
            Ok(records) => records,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let before = conversation(&found.path, &found.source, &plan.before, live);
        let work = Work { found, plan, records, before };
        let nothing = work.plan.patch.is_empty();
        if self.args.dry_run || (nothing && self.output == Output::InPlace) {
            let applied = Applied { planned_only: !nothing, nothing, ..work.records.counts() };
            let after = Conversation { applied: Some(applied), ..work.before.clone() };
            self.tell_unwritten(&work, &after)?;
            return Ok(Ok(Done { after, written: false, refused: false, undone: !nothing }));
        }
        if live && writes {
            self.refuse(found, &in_place::belongs_to(self, &work));
            return Ok(Ok(Done { after: work.before, written: false, refused: true, undone: true }));
        }
        if !self.agreed(&work)? {
            return Ok(Ok(Done { after: work.before, written: false, refused: false, undone: true }));
        }
        let written = {
            let _signals_wait = signals::writing();
            match self.output {
                Output::InPlace => in_place::write(self, &work),
                Output::Stdout => copy::to_stdout(&work).map(|()| Written::default()),
                Output::Copies(_) => copy::to_path(self, &work, trees),
            }
        };
        match written.and_then(|written| self.afterwards(&work, written)) {
            Ok(after) => {
                self.tell_written(&work, &after)?;
                Ok(Ok(Done { after, written: !nothing, refused: false, undone: false }))
            }
            Err(why) => {
                self.refuse(found, &why);
                Ok(Ok(Done { after: work.before, written: false, refused: true, undone: !nothing }))
            }
        }
    }

    fn refuse(&self, found: &Found, why: &str) {
        self.run.say(Tone::Bad, &format!("refused: {}: {why}", Shown::path(&found.path).whole()));
    }

    /// The plan, and whether somebody is writing the recording where we would: then what looks torn may be a record that
    /// is just being written.
    fn plan(&self, found: &Found) -> Result<(Plan, bool), Refused> {
        let name = name_of(&found.path);
        let plan = |ask: &Ask| plan(&found.source, &name, &found.claim, ask, &self.policy);
        let first = plan(&self.run.ask)?;
        let asked = self.output == Output::InPlace && !self.args.force_live;
        let looks = if self.args.dry_run || first.patch.is_empty() { Looks::Once } else { Looks::Twice };
        if !asked || !owner::of(&System, found, &first.before, looks).is_live() {
            return Ok((first, false));
        }
        Ok((plan(&Ask { live: true, ..self.run.ask.clone() })?, true))
    }

    /// A source for which no plan could be made.
    fn no_plan(&self, found: &Found, refused: Refused) -> Result<Done, String> {
        if let Refused::Read(error) = refused {
            return Err(error.to_string());
        }
        self.refuse(found, &refused.to_string());
        let judged = judge(&found.source, &name_of(&found.path), &found.claim, &self.run.ask);
        let judged = judged.map_err(|error| error.to_string())?;
        let after = conversation(&found.path, &found.source, &judged, false);
        Ok(Done { after, written: false, refused: true, undone: true })
    }

    /// The recording as it was written, read again.
    fn afterwards(&self, work: &Work<'_>, written: Written) -> Result<Conversation, String> {
        let Work { found, plan, .. } = work;
        let patched = Overlay::new(&found.source, &plan.patch);
        let mut after = conversation(&found.path, &patched, plan.after(), false);
        let proved = match &written.path {
            // What went through a pipe cannot be read again; it is the plan's.
            None => plan.after().verdict,
            Some(path) => {
                let again = in_place::judge_again(self.run, path, found);
                again.map_err(|why| format!("it was written, but reading it again failed: {why}"))?.verdict
            }
        };
        after.applied = Some(Applied {
            op: written.op,
            output: written.path.filter(|_| self.output != Output::InPlace).map(|path| Shown::path(&path)),
            proved: Some(proved),
            nothing: plan.patch.is_empty(),
            ..work.records.counts()
        });
        let watched = in_place::watches_mtime(work).filter(|_| self.args.keep_mtime && written.op.is_some());
        after.remarks.extend(watched.map(|why| format!("--keep-mtime was ignored: {why}.")));
        if self.policy.style == WriteStyle::Branch && !plan.patch.is_empty() {
            after.remarks.push(BRANCHED.to_owned());
        }
        if written.op.is_some() && !found.claim.format.after_write.is_empty() {
            after.remarks.push(found.claim.format.after_write.to_owned());
        }
        Ok(after)
    }
}

fn changed_records(found: &Found, plan: &Plan) -> std::io::Result<Records> {
    if plan.patch.is_empty() {
        return Ok(Records { kept: plan.before.records(), ..Records::default() });
    }
    let patched = Overlay::new(&found.source, &plan.patch);
    let old = Seen { entries: &found.source, judged: &plan.before };
    let new = Seen { entries: &patched, judged: plan.after() };
    difference::records(old, new, Some(&plan.patch))
}
