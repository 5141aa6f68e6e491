//! The baseline: findings that are known, so that a check reports only new ones.
//!
//! A finding is known by its fingerprint, which neither the path nor later records change. What is found as often as it is known
//! is known; one more is new.

use crate::bytes::replace::Existing;
use crate::transcript::Severity;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::signals;
use crate::bytes::replace::{Readers, write_new_file};
use crate::report::model::{BaselineUse, Conversation, ReportedFinding};
use crate::report::redact::Redactor;

/// The name and version of the file's form.
const SCHEMA: &str = "transcript-doctor/baseline/v1";

/// The file: known findings, in the order of their paths.
#[derive(Debug, Serialize, Deserialize)]
struct BaselineFile {
    schema: String,
    findings: Vec<KnownFinding>,
}

/// A known finding. Only the fingerprint counts; the rest is for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KnownFinding {
    path: String,
    code: String,
    fingerprint: String,
}

/// A baseline that is read, and which entries of it were found.
#[derive(Debug)]
pub(crate) struct Baseline {
    entries: Vec<KnownFinding>,
    /// How many entries of a fingerprint are left.
    left: BTreeMap<String, usize>,
    known: u64,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not a baseline.
    pub(crate) fn read(path: &Path) -> io::Result<Baseline> {
        let BaselineFile { schema, findings } = serde_json::from_slice(&std::fs::read(path)?)?;
        if schema != SCHEMA {
            return Err(io::Error::other(format!("{schema} is not {SCHEMA}")));
        }
        let mut left = BTreeMap::new();
        for entry in &findings {
            *left.entry(entry.fingerprint.clone()).or_default() += 1;
        }
        Ok(Baseline { entries: findings, left, known: 0 })
    }

    /// Takes known findings out of the conversations, each of which counts its own.
    pub(crate) fn hide(&mut self, conversations: &mut [Conversation]) {
        for conversation in conversations {
            let all = std::mem::take(&mut conversation.findings);
            let count = all.len();
            conversation.findings = all.into_iter().filter(|own| !self.takes(own)).collect();
            let known = (count - conversation.findings.len()) as u64;
            conversation.known = known;
            self.known = self.known.saturating_add(known);
        }
    }

    /// Whether all that a finding joins is known.
    fn takes(&mut self, finding: &ReportedFinding) -> bool {
        let mut wanted: BTreeMap<&str, usize> = BTreeMap::new();
        for fingerprint in &finding.identity.fingerprints {
            *wanted.entry(fingerprint).or_default() += 1;
        }
        let known = !wanted.is_empty()
            && wanted
                .iter()
                .all(|(one, count)| self.left.get(*one).is_some_and(|left| left >= count));
        if known {
            for (one, count) in wanted {
                if let Some(left) = self.left.get_mut(one) {
                    *left -= count;
                }
            }
        }
        known
    }

    /// How much of it was found.
    pub(crate) fn usage(&self) -> BaselineUse {
        BaselineUse { known: self.known, unused: self.left.values().sum::<usize>() as u64 }
    }

    /// Writes it without the entries that were not found.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn prune(mut self, path: &Path) -> io::Result<()> {
        let mut left = std::mem::take(&mut self.left);
        self.entries.retain(|entry| {
            let unused = left.get_mut(&entry.fingerprint).filter(|left| **left > 0);
            let is_unused = unused.is_some();
            if let Some(left) = unused {
                *left -= 1;
            }
            !is_unused
        });
        write(self.entries, path)
    }
}

/// Writes the findings of these conversations that are more than notes. The answer is their number.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn record(
    conversations: &[Conversation],
    path: &Path,
    reader: &Redactor,
) -> io::Result<usize> {
    let mut entries = Vec::new();
    for conversation in conversations {
        let own = conversation.path.clone().read_by(reader).whole();
        let findings = conversation.findings.iter();
        for finding in findings.filter(|finding| finding.severity > Severity::Note) {
            entries.extend(finding.identity.fingerprints.iter().map(|fingerprint| KnownFinding {
                path: own.clone(),
                code: finding.code.to_string(),
                fingerprint: fingerprint.clone(),
            }));
        }
    }
    let count = entries.len();
    write(entries, path)?;
    Ok(count)
}

fn write(mut findings: Vec<KnownFinding>, path: &Path) -> io::Result<()> {
    findings.sort();
    let known = BaselineFile { schema: SCHEMA.to_owned(), findings };
    // A signal waits until the file is in its place.
    let _done = signals::writing();
    write_new_file(path, Existing::Replaced, Readers::Others, |file: &mut File| {
        serde_json::to_writer_pretty(&mut *file, &known)?;
        file.write_all(b"\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Verdict;
    use crate::report::sample;

    fn conversations(fingerprints: &[&str]) -> Vec<Conversation> {
        let findings = fingerprints
            .iter()
            .map(|fingerprint| {
                let mut finding = sample::two_results();
                finding.identity.fingerprints = vec![(*fingerprint).to_owned()];
                finding
            })
            .collect();
        vec![sample::conversation("a", Verdict::Stuck, findings)]
    }

    #[test]
    fn one_more_than_is_known_is_new() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known.json");
        let written = record(&conversations(&["a", "a", "b"]), &path, &Redactor::at_hand());
        assert_eq!(written.unwrap(), 3);
        let mut baseline = Baseline::read(&path).unwrap();
        let mut found = conversations(&["a", "a", "a", "c"]);
        baseline.hide(&mut found);
        assert_eq!((found[0].findings.len(), found[0].known), (2, 2));
        let usage = baseline.usage();
        assert_eq!((usage.known, usage.unused), (2, 1));
        baseline.prune(&path).unwrap();
        let pruned = Baseline::read(&path).unwrap();
        assert_eq!(pruned.entries.len(), 2);
        assert!(pruned.entries.iter().all(|entry| entry.fingerprint == "a"));
        let before = std::fs::read(&path).unwrap();
        std::fs::write(&path, b"{\"schema\":\"other\",\"findings\":[]}").unwrap();
        assert!(Baseline::read(&path).is_err());
        assert!(before.ends_with(b"\n"));
    }
}
