//! The findings of a conversation, as the report shows them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::build::Build;
use super::model::{
    Affected, Choice, Consequence, FindingIdentity, PlannedAction, PlannedFix, ReportedEffect,
    ReportedFinding, Resolution,
};
use super::redact::StringKind;
use super::text::Shown;
use crate::engine::{Evaluation, Profile, TargetChoice};
use crate::format::{Format, result_text};
use crate::repair::{self, FindingKey};
use crate::rules::{self, Finding};
use crate::transcript::{
    Action, Applicability, Code, Effect, Label, LabelRole, PartId, Severity, Subject, time,
};

/// Most records without IDs in a fingerprint, and most bytes of each.
const FINGERPRINT_RECORDS: usize = 4;
const FINGERPRINT_BYTES: u64 = 4096;

/// Most fixes of a conversation for which the removed text is shown.
const QUOTED: usize = 100;

impl Build<'_> {
    /// The format to read removed text with, unless enough was read already.
    fn quoted(&self) -> Option<&'static Format> {
        let quotes = self.quotes.get();
        self.quotes.set(quotes + 1);
        (quotes < QUOTED).then_some(self.judged.detection.format)
    }

    pub(super) fn finding(&self, finding: &Finding) -> ReportedFinding {
        let labels = self.labels(finding);
        let fix = finding.fixes.iter().min_by_key(|fix| fix.applicability);
        let objecting = self.objecting(finding);
        let fingerprint = self.fingerprint(finding);
        let choices = self.choices(finding);
        let is_open = finding.fixes.is_empty() && choices.is_empty();
        let advice = if is_open && finding.severity > Severity::Note {
            self.advice(finding)
        } else {
            Cow::Borrowed("")
        };
        let mut actions = Vec::new();
        if let (Some(fix), Some(case)) = (fix, self.case(finding)) {
            let steps = repair::proposed(case, self.quoted(), finding, fix);
            actions.reserve_exact(steps.len());
            actions.extend(steps.into_iter().map(PlannedAction::from));
        }
        let mut records = Vec::with_capacity(labels.len());
        records.extend(labels.iter().flat_map(|label| self.records(finding, label)));
        let mut consequences = Vec::new();
        for covered in &finding.consequences {
            let (code, message) = (covered.rule.code, covered.message.to_string());
            consequences.push(Consequence { code, message });
        }
        ReportedFinding {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity,
            confidence: finding.confidence,
            effect: ReportedEffect {
                load_fails: finding.effect == Effect::LoadFails,
                elsewhere: finding.effect == Effect::Elsewhere,
                runs_again: finding.effect == Effect::RunsAgain,
                hides: hides(finding),
            },
            identity: FindingIdentity {
                count: 1,
                is_local: is_local(finding),
                fingerprints: vec![fingerprint.clone()],
                fingerprint,
                keys: vec![FindingKey::of(self.judged, finding)],
            },
            message: finding.message.to_string(),
            call_ids: finding.calls.iter().map(|id| self.shown(StringKind::Call, *id)).collect(),
            affected: Affected {
                seen_by: names(&objecting, |profile| self.name(profile)),
                says: self.affects(&objecting),
                api_index: self.api_index(finding),
            },
            records,
            resolution: Resolution {
                fix: PlannedFix { applicability: self.applicability(finding), actions },
                choices,
                is_chosen: finding.is_chosen,
                advice,
            },
            consequences,
        }
    }

    /// Whether a fix is safe, unsafe, manual, or on request: a repair changes notes only if asked to.
    fn applicability(&self, finding: &Finding) -> Applicability {
        match repair::applicability_of(finding, self.excess.as_ref()) {
            Applicability::Safe if finding.severity == Severity::Note => Applicability::OnRequest,
            applicability => applicability,
        }
    }

    /// What the user can do about a finding without a fix, or why it has none.
    fn advice(&self, finding: &Finding) -> Cow<'static, str> {
        if let Some(why) = finding.refused {
            return Cow::Owned(format!("its fix was refused, because {why}"));
        }
        let own = self.judged.detection.format.traits.instead_of_repair;
        Cow::Borrowed(own.unwrap_or_else(|| rules::by_hand::advice(finding.rule.code)))
    }

    /// The choices of the user.
    fn choices(&self, finding: &Finding) -> Vec<Choice> {
        if finding.rule.code == Code::PendingCall && !finding.fixes.is_empty() {
            return vec![Choice {
                does: "insert an \"interrupted\" result",
                unit: "",
                numbers: Vec::new(),
                time: None,
                has_zone: false,
                options: vec!["--answer-pending".into()],
                is_kept: false,
                text: None,
            }];
        }
        self.results_to_keep(finding)
    }

    /// The results that may be kept, each with the options to keep it. The options name the call if
    /// several calls have choices.
    fn results_to_keep(&self, finding: &Finding) -> Vec<Choice> {
        let mut choices = Vec::new();
        if finding.choices.is_empty() {
            return choices;
        }
        let mut with_choices = self.judged.findings.iter().filter(|own| !own.choices.is_empty());
        let are_several = with_choices.nth(1).is_some();
        let call = finding.calls.first().filter(|_| are_several);
        for (equal, number) in finding.choices.iter().zip(1_usize..) {
            let mut options = vec!["--prefer".into(), Shown::new(number.to_string())];
            if let Some(id) = call {
                options.extend(["--call".into(), self.shown(StringKind::Call, *id)]);
            }
            choices.push(self.result_to_keep(finding, equal, options));
        }
        choices
    }

    /// One of several results, with those that are equal to it.
    fn result_to_keep(&self, finding: &Finding, equal: &[PartId], options: Vec<Shown>) -> Choice {
        let t = &self.judged.transcript;
        let mut numbers: Vec<u64> =
            equal.iter().map(|part| t.event(t.part(*part).event).place().number()).collect();
        numbers.dedup();
        let first = equal.first().copied();
        let event = first.map(|part| t.part(part).event);
        let format = self.judged.detection.format;
        let text = first.and_then(|part| result_text(self.context, format, part));
        Choice {
            does: "",
            unit: event.map_or("", |event| t.unit(event)),
            numbers,
            time: event.and_then(|event| t.event(event).time()).map(time::format_utc),
            has_zone: event.is_some_and(|event| self.has_zone(event)),
            options,
            is_kept: finding.applicability() != Applicability::Manual
                && equal.iter().any(|part| !removes(finding, *part)),
            text: text.map(|text| Shown::of(StringKind::Text, text)),
        }
    }

    /// The message that an error of a provider would name: that of the call, else the first one
    /// that is sent.
    fn api_index(&self, finding: &Finding) -> BTreeMap<&'static str, u32> {
        let mut by_target = BTreeMap::new();
        for Evaluation { profile, request, .. } in &self.judged.evaluations {
            let index = |label: &Label| request.api_index(label.event);
            let call =
                finding.labels.iter().filter(|label| label.role == LabelRole::Call).find_map(index);
            if let Some(index) = call.or_else(|| finding.labels.iter().find_map(index)) {
                by_target.entry(profile.target.name).or_insert(index);
            }
        }
        by_target
    }

    /// The profiles that object, if the conversation was checked for several and only some object.
    fn objecting(&self, finding: &Finding) -> Vec<Profile> {
        let evaluations = &self.judged.evaluations;
        let objecting = finding.seen_by.iter().filter(|seen| seen.severity >= Severity::Error);
        let objecting: Vec<Profile> =
            objecting.filter_map(|seen| Some(evaluations.get(seen.evaluation)?.profile)).collect();
        let all = !self.of_targets() && objecting.len() == evaluations.len();
        if evaluations.len() < 2 || all {
            return Vec::new();
        }
        objecting
    }

    /// Whether the conversation was checked for all providers, not for kinds of clients.
    fn of_targets(&self) -> bool {
        matches!(self.judged.target_choice, TargetChoice::Strictest)
    }

    /// The name of a profile, as in options.
    fn name(&self, profile: &Profile) -> &'static str {
        if self.of_targets() { profile.target.name } else { profile.client.name() }
    }

    /// Who objects, for people.
    fn affects(&self, objecting: &[Profile]) -> String {
        let format = self.judged.detection.format;
        let kind = |client| format.traits.clients.iter().find(|own| own.client == client);
        let who = names(objecting, |profile| match kind(profile.client) {
            Some(kind) if !self.of_targets() => kind.versions,
            _ => profile.target.title,
        })
        .join(", ");
        match (objecting, self.of_targets()) {
            ([], _) => String::new(),
            (_, true) => format!("rejected by {who}"),
            (_, false) => format!("only in {} {who}", format.host.title),
        }
    }

    /// A hash of what does not change when a file is moved or grows: rule, conversation, calls and
    /// records.
    fn fingerprint(&self, finding: &Finding) -> String {
        let t = &self.judged.transcript;
        let mut words: Vec<&str> = finding.calls.iter().map(|id| t.ids.get(*id)).collect();
        words.extend(
            finding
                .labels
                .iter()
                .filter_map(|label| t.event(label.event).id)
                .map(|id| t.ids.get(id)),
        );
        words.sort_unstable();
        words.dedup();
        // Without any ID, the bytes distinguish findings.
        let bytes = if words.is_empty() { self.first_bytes(finding) } else { Vec::new() };
        let mut hasher = Sha256::new();
        hasher.update(&bytes);
        let session = self.judged.session.as_deref().unwrap_or_default();
        for word in [finding.rule.code.as_str(), session].into_iter().chain(words) {
            hasher.update(word.as_bytes());
            hasher.update([0]);
        }
        hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The first bytes of the first records of a finding.
    fn first_bytes(&self, finding: &Finding) -> Vec<u8> {
        let t = &self.judged.transcript;
        let mut bytes = Vec::new();
        for label in finding.labels.iter().take(FINGERPRINT_RECORDS) {
            let mut at = t.event(label.event).at();
            at.end = at.end.min(at.start.saturating_add(FINGERPRINT_BYTES));
            // Read errors were reported when the file was checked.
            bytes.extend(self.context.entries.fetch(at).unwrap_or_default());
        }
        bytes
    }
}

/// Whether a fix removes a part.
fn removes(finding: &Finding, part: PartId) -> bool {
    let mut actions = finding.fixes.iter().flat_map(|fix| &fix.actions);
    actions.any(|action| matches!(action, Action::RemovePart(own) if *own == part))
}

/// The names of profiles, each once.
fn names(profiles: &[Profile], name: impl Fn(&Profile) -> &'static str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = profiles.iter().map(name).collect();
    names.dedup();
    names
}

/// Number of messages that a finding hides, in the worst evaluation.
fn hides(finding: &Finding) -> u32 {
    let hidden = finding
        .seen_by
        .iter()
        .filter(|seen| seen.severity >= Severity::Error)
        .map(|seen| seen.effect);
    let hidden = hidden.map(|effect| if let Effect::Hides(count) = effect { count } else { 0 });
    hidden.max().unwrap_or(0)
}

/// Whether a finding is about the inside of records, each alone: not about calls and results, and
/// not about the tree.
fn is_local(finding: &Finding) -> bool {
    !finding.about.is_empty()
        && finding.about.iter().all(|subject| {
            matches!(subject, Subject::Content(_) | Subject::Bytes(_) | Subject::Name(_))
        })
        && finding.labels.iter().all(|label| label.role == LabelRole::Record)
}
