//! What holds for every mutant. One property is one function and one line in [`ALL`].

use serde_json::Value;

use crate::foreign;
use crate::mutant::Nature;
use crate::spots::{self, Shape};
use crate::support::Files;
use crate::texts::{Said, recorded};
use crate::world::{Later, Observed, Run, Tree, files};

type Property = fn(&Observed) -> Result<(), String>;

/// By name.
pub(crate) const ALL: &[(&str, Property)] = &[
    ("no-bug", no_bug),
    ("check-writes-nothing", check_writes_nothing),
    ("preview-is-kept", preview_is_kept),
    ("json-stays-json", json_stays_json),
    ("not-worse", not_worse),
    ("second-does-nothing", second_does_nothing),
    ("healthy-is-left-alone", healthy_is_left_alone),
    ("becomes-json", becomes_json),
    ("undo-is-exact", undo_is_exact),
    ("foreign-is-not-written", foreign_is_not_written),
    ("plans-agree", plans_agree),
    ("texts-are-kept", texts_are_kept),
];

/// Those that do not hold yet: asked with `MUTANTS_OPEN=1`. Whoever makes one hold moves its line up.
pub(crate) const OPEN: &[(&str, Property)] = &[("foreign-is-not-judged", foreign_is_not_judged)];

/// The exit status of a fault of the program, and that of bytes that are in place without confirmation.
const FAULTS: [u8; 3] = [70, 6, 2];

fn runs(of: &Observed) -> Vec<(&'static str, &Run)> {
    let mut runs = vec![("check", &of.check), ("repair -n", &of.preview), ("repair", &of.repair)];
    if let Some(later) = &of.later {
        runs.extend([
            ("second check", &later.check),
            ("second repair", &later.repair),
            ("undo", &later.undo),
        ]);
    }
    runs
}

/// No run panics or writes what it cannot confirm.
fn no_bug(of: &Observed) -> Result<(), String> {
    let faulty = runs(of).into_iter().find(|(_, run)| FAULTS.contains(&run.status));
    match faulty {
        Some((name, run)) => Err(format!("{name} ends with status {}", run.status)),
        None => Ok(()),
    }
}

fn check_writes_nothing(of: &Observed) -> Result<(), String> {
    let is_written = of.after != of.before;
    if is_written && of.repair.status == 4 {
        Err("repair was refused, and something was written".to_owned())
    } else {
        Ok(())
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn conversations(run: &Run) -> &[Value] {
    list(&run.report, "conversations")
}

/// The findings with a safe fix, one line each.
fn safe_fixes(run: &Run) -> Vec<String> {
    let mut fixes: Vec<String> = Vec::new();
    for conversation in conversations(run) {
        let findings = list(conversation, "findings").iter();
        let safe = findings.filter(|finding| finding["fix"]["applicability"] == "safe");
        fixes.extend(safe.map(|finding| {
            let says = list(&finding["fix"], "actions")
                .iter()
                .map(|action| action["says"].as_str().unwrap_or_default());
            let says: Vec<&str> = says.collect();
            format!(
                "{} {}: {}",
                finding["code"].as_str().unwrap_or_default(),
                finding["message"].as_str().unwrap_or_default(),
                says.join("; ")
            )
        }));
    }
    fixes.sort();
    fixes
}

/// Whether a repair does, or would do, something.
fn does_something(run: &Run) -> bool {
    conversations(run).iter().any(|c| sums(c) > 0)
}

fn sums(conversation: &Value) -> u64 {
    ["removed", "moved", "inserted", "replaced"]
        .iter()
        .filter_map(|count| conversation["applied"][count].as_u64())
        .sum()
}

/// What a check offers as safe is what a repair plans.
fn plans_agree(of: &Observed) -> Result<(), String> {
    let (offered, planned) = (safe_fixes(&of.check), safe_fixes(&of.preview));
    let does = of.after != of.before;
    if of.preview.status == 3 && of.check.status == 3 && !does {
        return Ok(());
    }
    // A database is never written, only copied.
    let is_copied = of.fixture.is_database() && of.repair.status == 4;
    if !offered.is_empty() && !does && !is_copied {
        let why = match of.repair.status {
            4 => "is refused",
            _ => "does nothing",
        };
        return Err(format!("check offers a safe fix, and repair {why}: {}", offered.join(" | ")));
    }
    if offered.is_empty() && does {
        return Err(format!("check offers no safe fix, and repair writes ({})", codes(&of.check)));
    }
    if offered != planned && of.preview.status != 4 {
        return Err(format!(
            "check offers [{}], repair -n [{}]",
            offered.join(" | "),
            planned.join(" | ")
        ));
    }
    Ok(())
}

/// The codes of what was found.
pub(crate) fn codes(run: &Run) -> String {
    let findings = conversations(run).iter().flat_map(|c| list(c, "findings"));
    let mut codes: Vec<&str> = findings.filter_map(|finding| finding["code"].as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.join(",")
}

/// What `repair -n` shows is what `repair` does.
fn preview_is_kept(of: &Observed) -> Result<(), String> {
    let written = of.after != of.before;
    let is_refused = of.preview.status == 4 || of.fixture.is_database();
    if does_something(&of.preview) && !is_refused && !written {
        return Err(format!(
            "repair -n plans something, and repair writes nothing (status {})",
            of.repair.status
        ));
    }
    Ok(())
}

/// Starts of texts that stand for a result that nobody recorded.
const PLACEHOLDERS: &[&str] = &[
    "aborted",
    "Tool cancelled",
    "No tool output",
    "(empty result)",
    "Tool call ",
    "The tool call was interrupted",
    "Tool was interrupted",
    "[Tool call interrupted",
    "Interrupted: no result was recorded",
    "Tool execution ",
    "[Tool execution was interrupted]",
    "The execution of this tool, or a previous tool was interrupted",
    "The tool execution result was lost",
    "tool call was interrupted",
    "Error: user cancelled assistant tool calling",
    "Task was interrupted",
    "[migration] Tool result missing",
    "[tool result unavailable",
    "Tool '",
    "⚠️ Tool call to '",
    "[System: Tool execution skipped",
    "A restart occurred while this tool was in progress",
];

fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    PLACEHOLDERS.iter().any(|start| text.starts_with(start))
        || text.contains("inserted by transcript-doctor")
}

/// Our words for a result that nobody recorded.
const STUB: &[u8] = b"no result was recorded";

fn stubs(files: &Files) -> usize {
    let count = |bytes: &Vec<u8>| memchr::memmem::find_iter(bytes, STUB).count();
    files.values().map(count).sum()
}

/// The bytes of the records of which a repair removes something with a reason that it names.
fn reasoned(run: &Run, before: &Files) -> Files {
    let all = conversations(run).iter();
    let findings = all.clone().flat_map(|c| list(c, "findings"));
    let records: Vec<&Value> = findings.flat_map(|own| list(own, "records")).collect();
    let mut pieces = Files::new();
    for change in all.flat_map(|c| list(&c["applied"], "changes")) {
        let actions = list(change, "actions").iter();
        for action in actions.filter(|action| action["reason"].is_string()) {
            let known = records.iter().find(|own| is_at(own, action));
            let bytes = match known {
                Some(record) => bytes_of(record, before),
                None => bytes_at(change, action, before),
            };
            let bytes = bytes.unwrap_or_default().to_vec();
            pieces.insert(pieces.len().to_string(), bytes);
        }
    }
    pieces
}

fn is_at(record: &Value, action: &Value) -> bool {
    ["line", "index", "file"].iter().all(|key| record[*key] == action[*key])
}

/// The bytes of the place of a fix: a line, or its file.
fn bytes_at<'a>(change: &Value, action: &Value, files: &'a Files) -> Option<&'a [u8]> {
    let name = action["file"].as_str().unwrap_or_default();
    let (_, bytes) = files.iter().find(|(own, _)| own.ends_with(name))?;
    let line = change["row"]["line"].as_u64().or(action["line"].as_u64());
    let Some(line) = line else {
        return Some(bytes);
    };
    let before = usize::try_from(line.checked_sub(1)?).ok()?;
    bytes.split(|byte| *byte == b'\n').nth(before)
}

/// The bytes of a record of the report; of its whole file, if it does not say where in it.
fn bytes_of<'a>(record: &Value, files: &'a Files) -> Option<&'a [u8]> {
    let name = record["file"].as_str().unwrap_or_default();
    let (_, bytes) = files.iter().find(|(own, _)| own.ends_with(name))?;
    let at = |end: usize| usize::try_from(record["byte"][end].as_u64()?).ok();
    match (at(0), at(1)) {
        (Some(start), Some(end)) => bytes.get(start..end),
        _ => Some(bytes),
    }
}

/// Every text that is recorded is there after a safe repair, or a reason covers it.
fn texts_are_kept(of: &Observed) -> Result<(), String> {
    if of.after == of.before {
        return Ok(());
    }
    let (before, after) = (files(&of.fixture, &of.before), files(&of.fixture, &of.after));
    let (said, recorded) = (Said::by(&after), recorded(&before));
    let is_lost = |text: &&String| !is_placeholder(text) && !said.holds(text);
    let covered = Said::by(&reasoned(&of.preview, &before));
    let is_uncovered = |text: &&String| is_lost(text) && !covered.holds(text);
    let mut lost: Vec<&String> = recorded.whole.iter().filter(is_uncovered).collect();
    let invents = stubs(&after) > stubs(&before);
    // What is left of a record may go, but not where a call gets a placeholder.
    if invents {
        lost.extend(recorded.pieces.iter().filter(is_uncovered));
    }
    if lost.is_empty() {
        Ok(())
    } else {
        Err(format!("by {}: {lost:?}", safe_codes(&of.preview).join(",")))
    }
}

fn safe_codes(run: &Run) -> Vec<String> {
    let mut codes: Vec<String> = safe_fixes(run)
        .iter()
        .map(|fix| fix.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    codes.dedup();
    codes
}

fn is_json(bytes: &[u8]) -> bool {
    spots::of(bytes).is_some()
}

/// Whether a document has a byte order mark, which its host may skip, and is JSON behind that.
fn is_marked_json(bytes: &[u8]) -> bool {
    bytes.strip_prefix("\u{feff}".as_bytes()).is_some_and(is_json)
}

/// What is JSON stays JSON: a document, and every line.
fn json_stays_json(of: &Observed) -> Result<(), String> {
    wrong_json(of, true)
}

/// What is not JSON and is changed becomes JSON. Pieces of a line that is not may stay.
fn becomes_json(of: &Observed) -> Result<(), String> {
    wrong_json(of, false)
}

/// `was`: of documents that were JSON, and of lines; else of documents that were not.
fn wrong_json(of: &Observed, was: bool) -> Result<(), String> {
    let (before, after) = (files(&of.fixture, &of.before), files(&of.fixture, &of.after));
    for (name, bytes) in &after {
        // A file may have got another name.
        if before.values().any(|old| old == bytes) || is_json(bytes) {
            continue;
        }
        let old = before.get(name).map_or(&[][..], Vec::as_slice);
        if old.starts_with("\u{feff}".as_bytes()) && is_marked_json(bytes) {
            continue;
        }
        // Its members are asked for where they are alone.
        if bytes.starts_with(b"PK\x03\x04") {
            continue;
        }
        let is_document = Shape::of(old).lines.is_empty() && !name.ends_with(".jsonl");
        if was == (is_document && !is_json(old)) {
            continue;
        }
        let old: Vec<&[u8]> = old.split(|byte| *byte == b'\n').collect();
        let is_piece = |line: &[u8]| {
            let piece = memchr::memmem::Finder::new(line);
            old.iter().any(|old| piece.find(old).is_some())
        };
        let wrong = bytes.split(|byte| *byte == b'\n').find(|line| {
            let line = line.trim_ascii();
            !line.is_empty() && !is_json(line) && (is_document || !is_piece(line))
        });
        if let Some(line) = wrong {
            return Err(format!(
                "not JSON after the repair ({}): {}",
                safe_codes(&of.preview).join(","),
                String::from_utf8_lossy(&line[..line.len().min(120)])
            ));
        }
    }
    Ok(())
}

/// From best to worst.
const VERDICTS: &[&str] =
    &["empty", "healthy", "pending", "lossy", "stuck", "unreadable", "unknown"];

fn worst(run: &Run) -> usize {
    let rank =
        |c: &Value| VERDICTS.iter().position(|own| c["verdict"] == *own).unwrap_or(VERDICTS.len());
    conversations(run).iter().map(rank).max().unwrap_or_default()
}

fn not_worse(of: &Observed) -> Result<(), String> {
    let Some(later) = &of.later else {
        return Ok(());
    };
    if worst(&later.check) > worst(&of.check) {
        return Err(format!(
            "{} becomes {} ({} by {}, then {})",
            VERDICTS.get(worst(&of.check)).unwrap_or(&"?"),
            VERDICTS.get(worst(&later.check)).unwrap_or(&"?"),
            codes(&of.check),
            safe_codes(&of.preview).join(","),
            codes(&later.check),
        ));
    }
    let claimed = |run: &Run| conversations(run).len();
    if claimed(&of.check) > 0 && claimed(&later.check) == 0 {
        Err("it is not recognized anymore".to_owned())
    } else {
        Ok(())
    }
}

fn second_does_nothing(of: &Observed) -> Result<(), String> {
    match &of.later {
        Some(later) if later.after != of.after => Err(format!(
            "{} then {}",
            safe_codes(&of.preview).join(","),
            safe_codes(&later.check).join(",")
        )),
        _ => Ok(()),
    }
}

fn undo_is_exact(of: &Observed) -> Result<(), String> {
    let Some(Later { undo, undone, after, .. }) = &of.later else {
        return Ok(());
    };
    // The second repair is undone first.
    if *after != of.after {
        return Ok(());
    }
    match first_difference(&of.before, undone) {
        Some(difference) => Err(format!("status {}: {difference}", undo.status)),
        None if undo.status != 0 => {
            Err(format!("the tree is as before, but the status is {}", undo.status))
        }
        None => Ok(()),
    }
}

/// What is healthy and was not damaged is not touched, and nothing is wrong with it.
fn healthy_is_left_alone(of: &Observed) -> Result<(), String> {
    if of.fixture.nature != Nature::Healthy || !of.is_whole {
        return Ok(());
    }
    if of.check.status != 0 || of.after != of.before {
        return Err(format!("check ends with {}: {}", of.check.status, codes(&of.check)));
    }
    Ok(())
}

/// Whether it shows that it is of a program that is none of ours.
fn is_foreign(of: &Observed) -> bool {
    let mut files = of.before.values().filter_map(|file| file.bytes.as_deref());
    of.fixture.nature == Nature::Foreign
        && files.any(|bytes| foreign::has_sign(&of.fixture.name, bytes))
}

/// A file of a program that is none of ours is never written.
fn foreign_is_not_written(of: &Observed) -> Result<(), String> {
    if !is_foreign(of) || of.after == of.before {
        return Ok(());
    }
    Err(format!("{} is rewritten by {}", of.fixture.name, safe_codes(&of.preview).join(",")))
}

/// Nor said to be broken.
fn foreign_is_not_judged(of: &Observed) -> Result<(), String> {
    if !is_foreign(of) {
        return Ok(());
    }
    let judged = conversations(&of.check)
        .iter()
        .find(|c| c["verdict"] != "healthy" && c["verdict"] != "empty");
    match judged {
        Some(c) => Err(format!(
            "{} is said to be {} of {}: {}",
            of.fixture.name,
            c["verdict"],
            c["format"],
            codes(&of.check)
        )),
        None => Ok(()),
    }
}

fn first_difference(before: &Tree, after: &Tree) -> Option<String> {
    let names = before.keys().chain(after.keys());
    for name in names {
        let shown = name.file_name().unwrap_or_default().display();
        let what = match (before.get(name), after.get(name)) {
            (Some(_), None) => "is missing",
            (None, Some(_)) => "is left over",
            (Some(old), Some(new)) if old.bytes != new.bytes => "has other bytes",
            (Some(old), Some(new)) if old.mode != new.mode => "has another mode",
            (Some(old), Some(new)) if old.time != new.time => "has another time",
            _ => continue,
        };
        return Some(format!("{shown} {what}"));
    }
    None
}
