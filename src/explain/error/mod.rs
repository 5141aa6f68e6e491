//! From a pasted error to the records: which known text it is, what it names, what stands there in a recording.
//!
//! Three kinds of evidence, the strongest first: ids lead to exact records; without them the number of a message, mapped
//! through the view; without both, what a full check finds, in the order in which it can make somebody say that text.

mod account;
mod focus;
mod ids;
mod listed;
mod normalise;
mod paste;
mod places;

use std::cmp::Reverse;

use crate::engine::Judged;
use crate::rules::Finding;
use crate::targets::errors::{At, Text};
use crate::transcript::pairs::Standing;
use crate::transcript::{PartKind, Severity};

pub use account::{Account, Answer, IndexCheck, Read, account};
pub use focus::focus;
pub use paste::Paste;

use ids::{Hit, Known};
use normalise::DENSE;
use paste::{Heard, Own};
use places::Mapped;

/// What leads from the text to the recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Ids of calls or records.
    Ids,
    /// The number of a message.
    Index,
    /// Neither: the kind of damage only.
    Kind,
}

/// How it stands with an id that the text names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// A call without a result.
    Unanswered,
    /// A call that waits for its result at the end of the recording.
    Waits,
    /// Its result stands elsewhere.
    Elsewhere,
    /// More than one result.
    Several,
    /// A result without a call.
    NoCall,
    /// Something else is wrong with it.
    Damaged,
    /// All is as it should be: the recording was changed since, or another one is meant.
    Proper,
    /// It is recorded only where nothing is sent from.
    NotSent,
    /// It is not in this recording.
    Absent,
}

/// An id of the text.
#[derive(Debug)]
struct Named {
    /// As it stands in the text.
    asked: String,
    /// What it stands for here.
    hit: Option<Hit>,
    /// The findings about it: positions in the recording's list.
    findings: Vec<usize>,
    /// How it stands with it.
    status: Status,
}

/// A text, decoded for a recording.
#[derive(Debug)]
pub struct Decoded<'a> {
    paste: &'a Paste,
    heard: &'a [Heard],
    /// What leads to the recording.
    pub evidence: Evidence,
    ids: Vec<Named>,
    mapped: Vec<Mapped>,
    /// The findings that the text leads to: positions in the recording's list, likeliest first.
    pub findings: Vec<usize>,
    /// Something was found for the text, or it is known to need nothing from a recording.
    pub found: bool,
}

impl Decoded<'_> {
    /// The known text; `None`: none was recognised.
    fn text(&self) -> Option<&'static Text> {
        self.heard.first().map(|heard| self.paste.text(heard))
    }

    /// Rules that the text speaks of, likeliest first.
    fn codes(&self) -> &'static [&'static str] {
        self.text().map_or(&[], |text| text.codes)
    }
}

/// Decodes a text for a recording.
pub fn decode<'a>(paste: &'a Paste, judged: &Judged) -> Decoded<'a> {
    let known = Known::of(&judged.transcript);
    let own = Own { target: judged.target.name, format: judged.claim.format.name };
    let (heard, hits) = listen(paste, own, &known);
    let heard = heard.unwrap_or_default();
    let look = Look { judged, paste, heard };
    let mut decoded = Decoded {
        paste,
        heard,
        evidence: Evidence::Kind,
        ids: hits.into_iter().map(|(asked, hit)| look.named(asked, hit)).collect(),
        mapped: Vec::new(),
        findings: Vec::new(),
        found: false,
    };
    if decoded.text().is_some_and(|text| text.codes.is_empty()) {
        decoded.found = true;
    } else if !decoded.ids.is_empty() {
        decoded.evidence = Evidence::Ids;
        let open = |named: &&Named| !matches!(named.status, Status::Proper | Status::Absent);
        decoded.found = decoded.ids.iter().any(|named| open(&named));
        decoded.findings = decoded.ids.iter().flat_map(|named| named.findings.clone()).collect();
        look.compare(&mut decoded);
    } else {
        look.by_index(&mut decoded);
        if decoded.findings.is_empty() {
            decoded.findings = look.by_kind(decoded.codes());
        } else {
            decoded.evidence = Evidence::Index;
        }
        let hint = decoded.text().is_some_and(|text| !text.hint.is_empty());
        decoded.found = !decoded.findings.is_empty() || hint;
    }
    if heard.iter().any(|heard| heard.nameless) {
        decoded.findings.extend(look.by_kind(&["TD107"]));
        decoded.found |= !decoded.findings.is_empty();
    }
    let mut seen = Vec::new();
    decoded.findings.retain(|at| {
        !seen.contains(at) && {
            seen.push(*at);
            true
        }
    });
    decoded
}

type Hits = Vec<(String, Option<Hit>)>;

/// What the text says, in the first of its forms that says something and all of whose ids the recording holds; else in
/// the one of which it holds most.
fn listen<'a>(paste: &'a Paste, own: Own, known: &Known<'_>) -> (Option<&'a [Heard]>, Hits) {
    let mut best: (Option<&[Heard]>, Hits) = (None, Vec::new());
    let mut most = None;
    for form in 0..=DENSE {
        let Some(heard) = paste.heard(form, own) else { continue };
        let mut hits: Hits = Vec::new();
        for asked in heard.iter().flat_map(|heard| &heard.ids) {
            let hit = known.find(asked, form == DENSE);
            let same = |(other, known): &(String, Option<Hit>)| {
                other == asked || hit.as_ref().zip(known.as_ref()).is_some_and(|(a, b)| a.id == b.id)
            };
            if !hits.iter().any(same) {
                hits.push((asked.clone(), hit));
            }
        }
        let found = hits.iter().filter(|(_, hit)| hit.is_some()).count();
        let coded = heard.first().is_some_and(|heard| !paste.text(heard).codes.is_empty());
        // A text that a terminal broke may look like a more general one, or like one of a host.
        let provider = heard.first().is_some_and(|heard| paste.table(heard).is_provider());
        let open = heard.iter().any(|heard| heard.open);
        let placed = heard.iter().any(|heard| heard.index.is_some());
        let order = heard.first().map(|heard| {
            let table = paste.table(heard);
            Reverse((own.rank(table), heard.table, heard.row))
        });
        let score = (coded, provider, found, placed, order, !hits.is_empty(), !open);
        let complete = coded && provider && found > 0 && found == hits.len() && !open;
        if most.is_none_or(|most| score > most) {
            most = Some(score);
            best = (Some(heard), hits);
        }
        if complete {
            break;
        }
    }
    if best.0.is_none() {
        let hits = paste.tokens.iter().filter_map(|token| Some((token.clone(), Some(known.call(token)?))));
        best.1 = hits.collect();
    }
    best
}

struct Look<'a> {
    judged: &'a Judged,
    paste: &'a Paste,
    heard: &'a [Heard],
}

impl Look<'_> {
    fn codes(&self) -> &'static [&'static str] {
        self.heard.first().map_or(&[], |heard| self.paste.text(heard).codes)
    }

    fn at(&self) -> At {
        self.heard.first().map_or(At::Nowhere, |heard| self.paste.text(heard).at)
    }

    /// The findings about an id, and how it stands with it.
    fn named(&self, asked: String, hit: Option<Hit>) -> Named {
        let Some(hit) = hit else {
            return Named { asked, hit: None, findings: Vec::new(), status: Status::Absent };
        };
        let about = |finding: &Finding| self.is_about(finding, &hit);
        let all: Vec<usize> = self.numbered().filter(|(_, f)| about(f)).map(|(at, _)| at).collect();
        let ranked = self.ranked(&all);
        let mut findings = if ranked.is_empty() { all } else { ranked };
        // The id of several calls: the one at the place that the text names.
        let index = self.heard.iter().find_map(|heard| heard.index);
        if let Some(index) = index.map(|index| places::from_zero(self.at(), index)) {
            let there = |at: &usize| self.positions(*at).contains(&index);
            if findings.iter().any(there) {
                findings.retain(there);
            }
        }
        let status = match findings.first() {
            Some(first) => status_of(&self.judged.findings[*first], self.codes()),
            None => self.status(&hit),
        };
        Named { asked, hit: Some(hit), findings, status }
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Finding)> {
        self.judged.findings.iter().enumerate()
    }

    /// Those of the findings that are of the text's rules, in the order of these.
    fn ranked(&self, findings: &[usize]) -> Vec<usize> {
        let mut ranked: Vec<(usize, usize)> = findings
            .iter()
            .filter_map(|at| Some((rank(&self.judged.findings[*at], self.codes())?, *at)))
            .collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, at)| at).collect()
    }

    fn is_about(&self, finding: &Finding, hit: &Hit) -> bool {
        let t = &self.judged.transcript;
        let parts = || hit.parts.iter().map(|part| t.a_part(*part));
        let call = finding.calls.iter().any(|id| parts().any(|part| part.id == Some(*id)));
        let record =
            hit.record.is_some_and(|record| finding.labels.iter().any(|label| label.event == record));
        call || record || finding.consequences.iter().any(|finding| self.is_about(finding, hit))
    }

    fn positions(&self, at: usize) -> std::collections::BTreeSet<u32> {
        places::positions(self.judged, &self.judged.findings[at], self.at())
    }

    /// How it stands with an id that no finding is about.
    fn status(&self, hit: &Hit) -> Status {
        let pairs = &self.judged.view.pairs;
        let standing =
            |test: fn(&Standing) -> bool| hit.parts.iter().any(|part| test(&pairs.standing(*part)));
        if hit.record.is_some() {
            Status::Proper
        } else if standing(|standing| *standing == Standing::Open) {
            Status::Waits
        } else if standing(|standing| *standing != Standing::None) {
            Status::Proper
        } else {
            Status::NotSent
        }
    }

    /// Where the text has both ids and a number: whether they agree.
    fn compare(&self, decoded: &mut Decoded<'_>) {
        let Some(index) = self.heard.iter().find_map(|heard| heard.index) else { return };
        let api = places::from_zero(self.at(), index);
        let mut ours: Vec<u32> = decoded.findings.iter().flat_map(|at| self.positions(*at)).collect();
        if ours.is_empty() {
            ours = decoded.ids.iter().filter_map(|named| self.proper_place(named.hit.as_ref()?)).collect();
        }
        let near = ours.into_iter().min_by_key(|ours| (ours.abs_diff(api), *ours));
        decoded.mapped.extend(near.map(|ours| Mapped { api, ours }));
    }

    /// Where a text would place a call that has its result.
    fn proper_place(&self, hit: &Hit) -> Option<u32> {
        let (t, view) = (&self.judged.transcript, &self.judged.view);
        let wanted = if self.at() == At::This { PartKind::Result } else { PartKind::Call };
        let mut parts = hit.parts.iter().map(|part| t.a_part(*part)).filter(|part| part.kind == wanted);
        let index = parts.find_map(|part| view.api_index(part.event))?;
        Some(if self.at() == At::Results { index.saturating_add(1) } else { index })
    }

    /// The findings at the places that the text numbers.
    fn by_index(&self, decoded: &mut Decoded<'_>) {
        let ranked = self.by_kind(self.codes());
        for heard in self.heard {
            let Some(index) = heard.index else { continue };
            let at = self.paste.text(heard).at;
            let codes = self.paste.text(heard).codes;
            let own = |place: &usize| rank(&self.judged.findings[*place], codes).is_some();
            let there = |ours: u32| -> Vec<usize> {
                let stands = |place: &usize| {
                    places::positions(self.judged, &self.judged.findings[*place], at).contains(&ours)
                };
                ranked.iter().copied().filter(|place| own(place) && stands(place)).collect()
            };
            let api = places::from_zero(at, index);
            let hit = places::candidates(at, index).into_iter().map(|ours| (ours, there(ours)));
            match hit.into_iter().find(|(_, findings)| !findings.is_empty()) {
                Some((ours, findings)) => {
                    decoded.mapped.push(Mapped { api, ours });
                    decoded.findings.extend(findings);
                }
                None => decoded.mapped.push(Mapped { api, ours: api }),
            }
        }
    }

    /// The findings of these rules, in the order of these. What is but a note says nothing, except a call that waits.
    fn by_kind(&self, codes: &[&str]) -> Vec<usize> {
        let heavy = |f: &Finding| f.severity > Severity::Note || f.rule.code == "TD102";
        let mut ranked: Vec<(usize, usize)> = self
            .numbered()
            .filter(|(_, f)| heavy(f))
            .filter_map(|(at, f)| Some((rank(f, codes)?, at)))
            .collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, at)| at).collect()
    }
}

/// The position of a finding's rule in a list of codes, or that of what it explains.
fn rank(finding: &Finding, codes: &[&str]) -> Option<usize> {
    let own = codes.iter().position(|code| *code == finding.rule.code);
    own.or_else(|| finding.consequences.iter().filter_map(|finding| rank(finding, codes)).min())
}

fn status_of(finding: &Finding, codes: &[&str]) -> Status {
    let explained = || {
        let mut explained = finding.consequences.iter().map(|finding| finding.rule.code);
        explained.find(|code| codes.contains(code))
    };
    let own = codes.is_empty() || codes.contains(&finding.rule.code);
    let code = if own { finding.rule.code } else { explained().unwrap_or(finding.rule.code) };
    match code {
        "TD101" => Status::Unanswered,
        "TD102" => Status::Waits,
        "TD103" => Status::NoCall,
        "TD104" | "TD105" => Status::Several,
        code if code.starts_with("TD2") || code.starts_with("TD3") => Status::Elsewhere,
        _ => Status::Damaged,
    }
}
