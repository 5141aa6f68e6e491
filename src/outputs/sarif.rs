//! SARIF 2.1.0: the results of static analysis, as GitHub code scanning and editors read them.
//!
//! GitHub takes at most 25,000 results of a run and keeps the 5,000 worst, 1,000 steps of each code flow. What is beyond that
//! is left out here, and a notification says how many. It matches results of two runs by `primaryLocationLineHash`.
//! Source: the standard, and "SARIF support for code scanning" in GitHub's documentation.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{self, Write};

use base64_simd::STANDARD;
use serde_json::{Map, Value, json};

use super::human::{decision, main_record, steps};
use super::json::value;
use super::review::{self, Reported, findings};
use super::{Detail, OutputStyle, many};
use crate::report::file::RecordFile;
use crate::report::model::{Conversation, FindingRecord, Report, ReportedFinding, Unchecked};
use crate::report::offer::Offer;
use crate::report::text::Shown;
use crate::rules::{self, Rule};
use crate::transcript::{Code, Severity};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Results that GitHub keeps of a run.
const MOST_RESULTS: usize = 5000;
/// Steps of a code flow that GitHub keeps.
const MOST_STEPS: usize = 1000;

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let all = findings(report, style);
    let shown = all.get(..MOST_RESULTS).unwrap_or(&all);
    let codes: BTreeSet<Code> = shown.iter().map(|reported| reported.finding.code).collect();
    let rules: Vec<&Rule> =
        rules::ALL.iter().copied().filter(|rule| codes.contains(&rule.code)).collect();
    let mut offers: HashMap<&Shown, &Offer> = report
        .conversations
        .iter()
        .filter_map(|conversation| Some((&conversation.path, conversation.offer.as_ref()?)))
        .collect();
    let results: Vec<Value> = shown
        .iter()
        .map(|reported| {
            // The first safe result of a transcript has the fix: its repair is one set of edits.
            let offer = if reported.finding.is_safe() {
                offers.remove(&reported.conversation.path)
            } else {
                None
            };
            let index = rules.iter().position(|rule| rule.code == reported.finding.code);
            result(reported, index, offer)
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.not_checked.is_empty(),
                "exitCode": report.exit_code,
                "toolExecutionNotifications": notifications(report, all.len() - shown.len()),
            }],
            "results": results,
        }],
    });
    value(&log, out)
}

/// What a reader must know besides the results.
fn notifications(report: &Report, left_out: usize) -> Vec<Value> {
    let missed = report.not_checked.iter().map(|gone| {
        json!({
            "level": "error",
            "message": {"text": format!("not checked: {}", gone.why)},
            "locations": [{"physicalLocation": {
                "artifactLocation": of_missed(gone),
            }}],
        })
    });
    let more = (left_out > 0).then(|| {
        let text = format!(
            "{} left out, the least severe; this file has {MOST_RESULTS}",
            many(left_out as u64, "result")
        );
        json!({"level": "warning", "message": {"text": text}})
    });
    missed.chain(more).collect()
}

fn descriptor(rule: &Rule) -> Value {
    let help = format!(
        "{}\n\nRepair: {}\n\nMore: {} explain {}",
        rule.page.means,
        rule.page.repair,
        env!("CARGO_PKG_NAME"),
        rule.code
    );
    let severity = rule.severity;
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.page.means},
        "help": {"text": help, "markdown": help},
        "defaultConfiguration": {"level": level(severity)},
        "properties": {"problem.severity": problem(severity), "tags": ["transcript"]},
    })
}

fn result(reported: &Reported<'_>, rule: Option<usize>, offer: Option<&Offer>) -> Value {
    let Reported { conversation, finding, fingerprint } = reported;
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": {"text": text(reported)},
        "locations": [location(conversation, main_record(finding))],
        "partialFingerprints": {
            "primaryLocationLineHash": fingerprint,
            "transcriptDoctor/v1": finding.identity.fingerprint,
        },
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "fix": finding.resolution.fix.applicability,
        },
    });
    let mut add = |name: &str, value: Value| {
        if let Some(members) = result.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    // Left out where they are unknown: SARIF has no null for them.
    if let Some(index) = rule {
        add("ruleIndex", json!(index));
    }
    if finding.records.len() > 1 {
        add("codeFlows", json!([code_flow(conversation, finding)]));
    }
    match offer.map(|offer| fix(conversation, offer)) {
        Some(Ok(fix)) => add("fixes", json!([fix])),
        Some(Err(why)) => result["properties"]["fixWithheld"] = json!(why),
        None => {}
    }
    result
}

/// The repair of a transcript: the edits of its files, by offset; or why it is not in the log.
fn fix(conversation: &Conversation, offer: &Offer) -> Result<Value, String> {
    if let Some(why) = &offer.withheld {
        return Err(why.clone());
    }
    if !offer.is_shown() {
        return Err("it writes texts of the transcript; --redact off shows them".to_owned());
    }
    let changes = offer.files.iter().map(|file| {
        let replacements = file.edits.iter().map(|edit| {
            let length = edit.at.end.saturating_sub(edit.at.start);
            let mut replacement =
                json!({"deletedRegion": {"byteOffset": edit.at.start, "byteLength": length}});
            // Of a region of bytes, what replaces it are bytes, too.
            if let Some(bytes) = edit.with.bytes().filter(|bytes| !bytes.is_empty()) {
                replacement["insertedContent"] =
                    json!({"binary": STANDARD.encode_to_string(bytes)});
            }
            replacement
        });
        let (path, hex) = (&conversation.path, conversation.path_hex.as_deref());
        json!({
            "artifactLocation": artifact(path, hex, file.name.as_ref()),
            "replacements": replacements.collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "description": {"text": "apply all safe fixes of this transcript"},
        "artifactChanges": changes.collect::<Vec<_>>(),
    }))
}

/// What is wrong, and what a repair would do.
fn text(reported: &Reported<'_>) -> String {
    let finding = reported.finding;
    let steps = steps(finding);
    let fix = if steps.is_empty() {
        decision(finding).to_owned()
    } else {
        format!("{}: {}", decision(finding), steps.join("; "))
    };
    format!("{}. Fix: {fix}.", reported.message())
}

/// The records of a finding, one after the other: the ladder.
fn code_flow(conversation: &Conversation, finding: &ReportedFinding) -> Value {
    let steps = finding.records.iter().take(MOST_STEPS).map(|record| {
        let mut at = location(conversation, Some(record));
        if let Some(members) = at.as_object_mut() {
            members.insert("message".to_owned(), json!({"text": part(record)}));
        }
        json!({"location": at})
    });
    json!({"threadFlows": [{"locations": steps.collect::<Vec<_>>()}]})
}

/// `placeholder toolu_01A (terminal)`
fn part(record: &FindingRecord) -> String {
    let mut text = record.role.to_owned();
    if let Some(call) = &record.call {
        let _ = write!(text, " {call}");
    }
    if let Some(tool) = &record.tool {
        let _ = write!(text, " ({tool})");
    }
    text
}

fn location(conversation: &Conversation, record: Option<&FindingRecord>) -> Value {
    let file = record.and_then(|record| record.file.as_ref());
    let artifact = if conversation.container.is_some() {
        json!({"uri": uri(review::file(conversation, record).as_bytes())})
    } else {
        artifact(&conversation.path, conversation.path_hex.as_deref(), file)
    };
    let mut physical = json!({"artifactLocation": artifact});
    // Those of a part of a database or an archive are none of the file.
    let own = record.filter(|_| conversation.container.is_none());
    let region = own.map(region).unwrap_or_default();
    if let Some(members) = physical.as_object_mut().filter(|_| !region.is_empty()) {
        members.insert("region".to_owned(), Value::Object(region));
    }
    let mut out = json!({"physicalLocation": physical});
    let logical = logical(conversation, record);
    if let (Some(logical), Some(members)) = (logical, out.as_object_mut()) {
        members.insert("logicalLocations".to_owned(), json!([logical]));
    }
    out
}

/// The record by its ID and its place in the document, the database or the archive.
fn logical(conversation: &Conversation, record: Option<&FindingRecord>) -> Option<Value> {
    let pointer = record.and_then(|record| record.pointer.as_ref());
    let place = review::inside(conversation, record).or_else(|| pointer.map(Shown::whole));
    let id = record.and_then(|record| record.id.as_ref().map(ToString::to_string));
    let name = id.clone().or_else(|| place.clone())?;
    Some(json!({"name": name, "fullyQualifiedName": place.or(id), "kind": "object"}))
}

/// Lines and columns where they are known, and bytes.
fn region(record: &FindingRecord) -> Map<String, Value> {
    let mut region = Map::new();
    let mut add = |name: &str, number: u64| region.insert(name.to_owned(), json!(number));
    match (record.line, &record.range) {
        (Some(line), _) => {
            add("startLine", line);
        }
        (None, Some(range)) => {
            add("startLine", range.start.line);
            add("startColumn", range.start.character);
            add("endLine", range.end.line);
            add("endColumn", range.end.character);
        }
        (None, None) => {}
    }
    if let Some([start, end]) = record.byte {
        add("byteOffset", start);
        add("byteLength", end.saturating_sub(start));
    }
    region
}

/// What could not be checked.
fn of_missed(gone: &Unchecked) -> Value {
    if gone.container.is_some() {
        json!({"uri": uri(review::missed(gone).as_bytes())})
    } else {
        artifact(&gone.path, gone.path_hex.as_deref(), None)
    }
}

/// A transcript, or a file of its folder.
fn artifact(path: &Shown, path_hex: Option<&str>, file: Option<&RecordFile>) -> Value {
    let is_apart = file.is_some_and(|file| file.own_path().is_some());
    let uri = match path_hex.filter(|_| !is_apart).and_then(bytes_of) {
        Some(mut bytes) => {
            if let Some(file) = file {
                bytes.push(b'/');
                bytes.extend_from_slice(file.name.rendered().as_bytes());
            }
            uri(&bytes)
        }
        None => uri(review::file_in(path, file).as_bytes()),
    };
    json!({"uri": uri})
}

/// The bytes that hexadecimal digits stand for.
fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A path as a URI, relative if the path is. A colon in its first part would end a scheme.
fn uri(path: &[u8]) -> String {
    let drive = path.get(1) == Some(&b':') && path.get(2) == Some(&b'/');
    let mut out = match path.first() {
        Some(b'/') => String::from("file://"),
        _ if drive => String::from("file:///"),
        _ => String::new(),
    };
    for (at, byte) in path.iter().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
        if is_plain || (drive && at == 1) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn level(level: Severity) -> &'static str {
    match level {
        Severity::Fatal | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The severity that GitHub shows of a rule.
fn problem(level: Severity) -> &'static str {
    match level {
        Severity::Fatal | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "recommendation",
    }
}

#[cfg(test)]
mod tests;
