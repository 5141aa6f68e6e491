//! What is to be done about one source: one conversation, or all rows that need it. One patch either way.

use std::io;

use super::difference::{self, Seen as Side};
use crate::bytes::overlay::Overlay;
use crate::bytes::patch::Patch;
use crate::bytes::source::Entries;
use crate::containers::ReadError;
use crate::diff::records::Records;
use crate::engine::{Blame, CheckOptions, Judged, judge};
use crate::find::Found;
use crate::find::name_of;
use crate::formats::Detection;
use crate::outputs::many;
use crate::repair::{Focus, Plan, Policy, Refused, Taken, plan};
use crate::report::build::conversation;
use crate::report::fold::folded;
use crate::report::model::{Applied, Conversation};
use crate::report::redact::Redactor;
use crate::report::rows::{Sheet, of_row};
use crate::report::text::{Shown, escape};
use crate::rows::{self, Row, Seen, Spot, Window};
use crate::transcript::{Code, Place, Transcript, named};

/// How a plan is made.
#[derive(Clone)]
pub(crate) struct Planning {
    /// What is asked of the engine.
    pub check: CheckOptions,
    /// Which fixes may be taken.
    pub policy: Policy,
}

impl Planning {
    /// The same, of nothing but this. `blame`: what a text names, which no check can see.
    pub(super) fn of(mut self, focus: Focus, blame: Option<Blame>) -> Planning {
        self.policy.focus = Some(focus);
        self.check.blame = blame;
        self
    }
}

/// One source with its plan.
pub(super) struct Work<'a> {
    pub found: &'a Found,
    /// What is done, against the source.
    pub patch: Patch,
    /// The conversations that are changed, with what is done to each.
    pub parts: Vec<Part>,
    /// The entries of the recording as it is.
    pub before: Vec<Conversation>,
    /// What is done, in numbers.
    pub counts: Applied,
    /// The codes of what is left afterwards, in order.
    pub left: Vec<Code>,
    /// Rows that could not be looked at, and why.
    pub missed: Vec<String>,
    /// What to know of the repair.
    pub remarks: Vec<String>,
    /// A conversation in it is evidence: it is written only as a copy.
    pub copy_only: bool,
    /// Of a recording that is one conversation.
    plan: Option<Plan>,
    nothing: Transcript,
}

/// A conversation that is changed.
pub(super) struct Part {
    /// As it is.
    pub before: Conversation,
    /// What is mended.
    pub taken: Vec<Taken>,
    /// Its records that differ.
    pub records: Records,
}

impl Work<'_> {
    /// The facts of a recording that is one conversation; else none.
    pub(crate) fn facts(&self) -> &Transcript {
        self.plan
            .as_ref()
            .map_or(&self.nothing, |plan| &plan.before.transcript)
    }

    /// A recording that is one conversation, as it would be.
    pub(crate) fn after(&self) -> Option<&Judged> {
        self.plan.as_ref().map(Plan::after)
    }

    /// The same, as it is.
    pub(crate) fn judged(&self) -> Option<&Judged> {
        self.plan.as_ref().map(|plan| &plan.before)
    }
}

/// Works out what is to be done.
///
/// # Errors
/// As [`plan`].
pub(super) fn make<'a>(
    found: &'a Found,
    ask: &CheckOptions,
    policy: &Policy,
    reader: &Redactor,
) -> Result<Work<'a>, Refused> {
    let rows = found.claim.conversations.are_rows();
    let mut work = if rows {
        each_row(found, ask, policy, reader)
    } else {
        one(found, ask, policy, reader)
    }?;
    work.remarks.extend(unnamed(&work.before, ask));
    Ok(work)
}

/// What to say where `--call` names no call that has several results.
fn unnamed(before: &[Conversation], ask: &CheckOptions) -> Option<String> {
    let word = ask.prefer_for.as_deref()?;
    let findings = before.iter().flat_map(|entry| &entry.findings);
    let several = findings
        .filter(|finding| matches!(finding.code, Code::TwoResults | Code::ConflictingResults));
    let ids = several
        .flat_map(|finding| &finding.call_ids)
        .map(Shown::exact);
    let none = named(word, ids).is_none();
    none.then(|| {
        format!(
            "--call {}: it names no call with several results here.",
            escape(word)
        )
    })
}

fn one<'a>(
    found: &'a Found,
    ask: &CheckOptions,
    policy: &Policy,
    reader: &Redactor,
) -> Result<Work<'a>, Refused> {
    let mut plan = plan(
        &found.source,
        &name_of(&found.path),
        &found.claim,
        ask,
        policy,
    )?;
    let records = match plan.patch.is_empty() {
        true => Records {
            kept: plan.before.records(),
            ..Records::default()
        },
        false => changed(&found.source, &plan, reader)?,
    };
    let counts = records.counts();
    let before = conversation(&found.path, &found.source, &plan.before, ask.live);
    // Of a restricted repair each finding is asked for itself.
    let before = if policy.focus.is_some() {
        before
    } else {
        folded(before)
    };
    let patch = std::mem::take(&mut plan.patch);
    let part = Part {
        before: before.clone(),
        taken: std::mem::take(&mut plan.taken),
        records,
    };
    Ok(Work {
        found,
        patch,
        parts: vec![part],
        before: vec![before],
        counts,
        left: codes(plan.after()),
        missed: Vec::new(),
        remarks: remarks(&plan),
        copy_only: !(found.claim.format.in_place)(&found.claim.layout),
        plan: Some(plan),
        nothing: Transcript::default(),
    })
}

fn remarks(plan: &Plan) -> Vec<String> {
    let bound = plan.bound.map(|place| bound(&at(place)));
    bound
        .into_iter()
        .chain(plan.withheld.iter().map(|why| (*why).to_owned()))
        .collect()
}

fn at(place: Place) -> String {
    let word = if matches!(place, Place::Line(_)) {
        "line"
    } else {
        "message"
    };
    format!("on {word} {}", place.number())
}

/// What to know of thinking that stays behind a change. `place`: where the first of it is.
fn bound(place: &str) -> String {
    format!(
        "Signed thinking {place} and later was made for the old text; most models do not mind. If the provider answers \
         \"The block is bound to a different conversation\" or \"Invalid signature\", run repair --unsafe --error with that text."
    )
}

/// The records of a conversation that its plan changes.
fn changed(entries: &dyn Entries, plan: &Plan, reader: &Redactor) -> Result<Records, ReadError> {
    let patched = Overlay::new(entries, &plan.patch);
    let (old, new) = (
        Side {
            entries,
            judged: &plan.before,
        },
        Side {
            entries: &patched,
            judged: plan.after(),
        },
    );
    Ok(difference::records(old, new, Some(&plan.patch), reader)?)
}

fn each_row<'a>(
    found: &'a Found,
    ask: &CheckOptions,
    policy: &Policy,
    reader: &Redactor,
) -> Result<Work<'a>, Refused> {
    let mut all = Rows {
        found,
        reader,
        live: ask.live,
        sheet: Sheet::new(&found.path, found.claim.format, ask.live),
        parts: Vec::new(),
        counts: Applied::default(),
        left: Vec::new(),
        copy_only: false,
        thinks: 0,
    };
    let mut failed = None;
    let patch = rows::plan(
        &found.source,
        &name_of(&found.path),
        &found.claim,
        ask,
        policy,
        &mut |seen| {
            if let Err(error) = all.add(&seen) {
                failed.get_or_insert(error);
            }
            all.sheet.add(&seen);
        },
    )?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let told = all.sheet.finish();
    let (parts, counts, left, copy_only) = (all.parts, all.counts, all.left, all.copy_only);
    let thinks = all.thinks;
    let (before, missed) = (told.conversations, told.missed);
    Ok(Work {
        found,
        patch,
        parts,
        before,
        counts,
        left,
        missed,
        remarks: (thinks > 0)
            .then(|| bound(&format!("in {}", many(thinks, "row"))))
            .into_iter()
            .collect(),
        copy_only,
        plan: None,
        nothing: Transcript::default(),
    })
}

/// What is to be done about the rows so far.
struct Rows<'a> {
    found: &'a Found,
    reader: &'a Redactor,
    live: bool,
    sheet: Sheet,
    parts: Vec<Part>,
    counts: Applied,
    left: Vec<Code>,
    copy_only: bool,
    /// Rows with thinking behind what is changed.
    thinks: u64,
}

impl Rows<'_> {
    fn add(&mut self, seen: &Seen<'_>) -> Result<(), ReadError> {
        match seen {
            Seen::Row {
                row,
                at,
                window,
                plan: Some(plan),
                ..
            } => self.row(row, *at, window, plan),
            Seen::Lines {
                row,
                window,
                judged,
                taken,
                patch,
                ..
            } if !patch.is_empty() => {
                for action in taken.iter().flat_map(|taken| &taken.steps) {
                    let parks = action.op == "park";
                    *if parks {
                        &mut self.counts.parked
                    } else {
                        &mut self.counts.replaced
                    } += 1;
                }
                let before = self.sheet.lines(row, window, judged);
                self.parts.push(Part {
                    before,
                    taken: taken.clone(),
                    records: Records::default(),
                });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn row(
        &mut self,
        row: &Row,
        at: Spot,
        window: &Window<'_>,
        plan: &Plan,
    ) -> Result<(), ReadError> {
        self.left.extend(codes(plan.after()));
        if plan.patch.is_empty() {
            self.counts.kept += plan.before.records();
            return Ok(());
        }
        let layout = &plan.before.claim.layout;
        self.thinks += u64::from(plan.bound.is_some());
        self.copy_only |= !(self.found.claim.format.in_place)(layout);
        let records = changed(window, plan, self.reader)?;
        let Applied {
            kept,
            parked,
            moved,
            inserted,
            replaced,
            ..
        } = records.counts();
        self.counts.kept += kept;
        self.counts.parked += parked;
        self.counts.moved += moved;
        self.counts.inserted += inserted;
        self.counts.replaced += replaced;
        let before = of_row(&self.found.path, row, at, window, &plan.before, self.live);
        self.parts.push(Part {
            before,
            taken: plan.taken.clone(),
            records,
        });
        Ok(())
    }
}

fn codes(judged: &Judged) -> Vec<Code> {
    judged
        .findings
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

/// What a repair of a source would still do, and the codes of what is wrong with its conversations as they are. `was`: what it
/// was checked against: a repair may change which provider would be guessed, and findings must stay comparable.
///
/// # Errors
/// As [`plan`].
pub(super) fn outline(
    entries: &dyn Entries,
    name: &str,
    claim: &Detection,
    ask: &CheckOptions,
    policy: &Policy,
    was: Option<&Judged>,
) -> Result<(Patch, Vec<Code>), Refused> {
    if !claim.conversations.are_rows() {
        let plan = plan(entries, name, claim, ask, policy)?;
        let codes = match was.filter(|was| was.aim.name() != plan.before.aim.name()) {
            Some(was) => codes(&judge(
                entries,
                name,
                claim,
                &CheckOptions {
                    target: Some(was.aim),
                    assumed: true,
                    ..ask.clone()
                },
            )?),
            None => codes(&plan.before),
        };
        return Ok((plan.patch, codes));
    }
    let mut found = Vec::new();
    let patch = rows::plan(entries, name, claim, ask, policy, &mut |seen| {
        if let Seen::Row { judged, .. } = seen {
            found.extend(codes(judged));
        }
    })?;
    Ok((patch, found))
}

/// The entries of a recording of many conversations. `path`: as it is told.
///
/// # Errors
/// It cannot be read.
pub(super) fn entries_of(
    found: &Found,
    entries: &dyn Entries,
    claim: &Detection,
    ask: &CheckOptions,
) -> io::Result<Vec<Conversation>> {
    let mut sheet = Sheet::new(&found.path, found.claim.format, false);
    rows::judge(entries, &name_of(&found.path), claim, ask, &mut |seen| {
        sheet.add(&seen)
    })
    .map_err(io::Error::other)?;
    Ok(sheet.finish().conversations)
}
