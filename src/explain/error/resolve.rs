//! Finds the findings of a transcript that a text leads to.

use std::collections::BTreeSet;

use super::ids::{Hit, MatchKind};
use super::paste::Matched;
use super::places::{self, Mapped};
use super::{Decoded, NamedId, Paste, Status};
use crate::engine::Judged;
use crate::rules::Finding;
use crate::targets::errors::At;
use crate::transcript::pairs::PairStatus;
use crate::transcript::{Code, PartKind, Severity};

/// A transcript and what the text says about it.
pub(super) struct Resolver<'a> {
    pub judged: &'a Judged,
    pub paste: &'a Paste,
    pub matched: &'a [Matched],
}

impl Resolver<'_> {
    fn codes(&self) -> &'static [Code] {
        self.matched.first().map_or(&[], |matched| self.paste.text(matched).codes)
    }

    fn at(&self) -> At {
        self.matched.first().map_or(At::Nowhere, |matched| self.paste.text(matched).at)
    }

    /// The findings about an ID, and its status.
    pub(super) fn named(&self, asked: String, hit: Option<Hit>) -> NamedId {
        let Some(hit) = hit else {
            return NamedId {
                asked,
                hit: None,
                findings: Vec::new(),
                status: Status::Absent,
                mentioned: Vec::new(),
            };
        };
        if hit.kind == MatchKind::Unclear {
            return NamedId {
                asked,
                hit: Some(hit),
                findings: Vec::new(),
                status: Status::Unclear,
                mentioned: Vec::new(),
            };
        }
        let all: Vec<usize> =
            self.numbered().filter(|(_, f)| self.is_about(f, &hit)).map(|(at, _)| at).collect();
        let ranked = self.ranked(&all);
        let mut findings = if ranked.is_empty() { all } else { ranked };
        // If several calls have the ID, take the one at the place that the text names.
        let index = self.matched.iter().find_map(|matched| matched.index);
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
        NamedId { asked, hit: Some(hit), findings, status, mentioned: Vec::new() }
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Finding)> {
        self.judged.findings.iter().enumerate()
    }

    /// Those of the findings that are of the text's rules, in the order of the rules.
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
        let own = t.ids.find(&hit.id);
        let call = finding.calls.iter().any(|id| {
            own == Some(*id)
                || hit.parts.iter().map(|part| t.part(*part)).any(|part| part.id == Some(*id))
        });
        let record = hit
            .record
            .is_some_and(|record| finding.labels.iter().any(|label| label.event == record));
        call || record || finding.consequences.iter().any(|finding| self.is_about(finding, hit))
    }

    fn positions(&self, at: usize) -> BTreeSet<u32> {
        places::positions(self.judged, &self.judged.findings[at], self.at())
    }

    /// The status of an ID that no finding is about.
    fn status(&self, hit: &Hit) -> Status {
        let pairs = &self.judged.request().pairs;
        let mut statuses = hit.parts.iter().map(|part| pairs.status(*part));
        if hit.record.is_some() {
            Status::Proper
        } else if statuses.clone().any(|status| status == PairStatus::Open) {
            Status::Waits
        } else if statuses.any(|status| status != PairStatus::None) {
            Status::Proper
        } else {
            Status::NotSent
        }
    }

    /// If the text has both IDs and a number, checks whether they agree.
    pub(super) fn compare(&self, decoded: &mut Decoded<'_>) {
        let Some(index) = self.matched.iter().find_map(|matched| matched.index) else {
            return;
        };
        let api = places::from_zero(self.at(), index);
        let mut ours: Vec<u32> =
            decoded.findings.iter().flat_map(|at| self.positions(*at)).collect();
        if ours.is_empty() {
            ours = decoded
                .ids
                .iter()
                .filter_map(|named| self.proper_place(named.hit.as_ref()?))
                .collect();
        }
        let nearest = ours.into_iter().min_by_key(|ours| (ours.abs_diff(api), *ours));
        decoded.mapped.extend(nearest.map(|ours| Mapped { api, ours }));
    }

    /// The position at which a text would name a call that has its result.
    fn proper_place(&self, hit: &Hit) -> Option<u32> {
        let (t, request) = (&self.judged.transcript, self.judged.request());
        let wanted = if self.at() == At::This { PartKind::Result } else { PartKind::Call };
        let mut parts =
            hit.parts.iter().map(|part| t.part(*part)).filter(|part| part.kind == wanted);
        let index = parts.find_map(|part| request.api_index(part.event))?;
        Some(if self.at() == At::Results { index.saturating_add(1) } else { index })
    }

    /// The findings at the positions that the text names.
    pub(super) fn by_index(&self, decoded: &mut Decoded<'_>) {
        let ranked = self.by_kind(self.codes());
        for matched in self.matched {
            let Some(index) = matched.index else { continue };
            let at = self.paste.text(matched).at;
            let codes = self.paste.text(matched).codes;
            let api = places::from_zero(at, index);
            let hit = places::candidates(self.judged, at, index)
                .into_iter()
                .map(|ours| (ours, self.at_message(&ranked, ours, at, codes)));
            match hit.into_iter().find(|(_, findings)| !findings.is_empty()) {
                Some((ours, findings)) => {
                    decoded.mapped.push(Mapped { api, ours });
                    decoded.findings.extend(findings);
                }
                None => decoded.mapped.push(Mapped { api, ours: api }),
            }
        }
    }

    /// Those of these findings that have one of the codes and are at a message.
    fn at_message(&self, ranked: &[usize], message: u32, at: At, codes: &[Code]) -> Vec<usize> {
        let mut found = ranked.to_vec();
        found.retain(|number| {
            let finding = &self.judged.findings[*number];
            rank(finding, codes).is_some()
                && places::positions(self.judged, finding, at).contains(&message)
        });
        found
    }

    /// The findings of these rules, in the order of the rules. Notes do not count, except a call
    /// that waits and a record of an unknown type.
    pub(super) fn by_kind(&self, codes: &[Code]) -> Vec<usize> {
        let mut ranked = Vec::new();
        for (at, finding) in self.numbered() {
            let matters = finding.severity > Severity::Note
                || matches!(finding.rule.code, Code::PendingCall | Code::UnknownRecord);
            if let Some(rank) = rank(finding, codes).filter(|_| matters) {
                ranked.push((rank, at));
            }
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, at)| at).collect()
    }
}

/// The index of a finding's rule in a list of codes, or that of a finding that it covers.
fn rank(finding: &Finding, codes: &[Code]) -> Option<usize> {
    let own = codes.iter().position(|code| *code == finding.rule.code);
    own.or_else(|| finding.consequences.iter().filter_map(|finding| rank(finding, codes)).min())
}

fn status_of(finding: &Finding, codes: &[Code]) -> Status {
    let mut code = finding.rule.code;
    if !codes.is_empty() && !codes.contains(&code) {
        let mut explained = finding.consequences.iter().map(|finding| finding.rule.code);
        code = explained.find(|code| codes.contains(code)).unwrap_or(code);
    }
    match code {
        Code::UnansweredCall => Status::Unanswered,
        Code::PendingCall => Status::Waits,
        Code::OrphanResult => Status::NoCall,
        Code::TwoResults | Code::ConflictingResults => Status::Several,
        code if ["TD2", "TD3"].iter().any(|family| code.as_str().starts_with(family)) => {
            Status::Elsewhere
        }
        _ => Status::Damaged,
    }
}
