//! `check --hook`: the session that an agent is about to open, checked as its hook. Nothing but one line of JSON goes to
//! standard output, and nothing that happens here keeps the agent from starting.

use std::io::{self, Read};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{App, Error, Result, judge};
use crate::outputs::human;
use crate::outputs::paint::Tone;
use crate::report::model::{Conversation, Verdict};

/// Bytes of the input that are read; a host writes some hundred.
const MOST: u64 = 1 << 20;

/// What Claude Code tells a hook, as far as it matters here.
#[derive(Deserialize)]
struct HookInput {
    /// The file of the session. It does not exist before the first prompt.
    transcript_path: Option<PathBuf>,
}

/// What a hook tells Claude Code.
#[derive(Default, Serialize)]
struct HookOutput {
    /// What the user sees.
    #[serde(rename = "systemMessage", skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The line itself is not shown.
    #[serde(rename = "suppressOutput")]
    is_quiet: bool,
}

/// Checks the session that the hook is about, and prints what its user should know. Without damage, that is nothing.
///
/// # Errors
/// Standard output cannot be written. All other errors are reported to the user.
pub(crate) fn run(app: &App<'_>) -> Result<()> {
    let message = checked(app).unwrap_or_else(|error| {
        app.say(Tone::Warn, &error.to_string());
        None
    });
    let output = HookOutput { message, is_quiet: true };
    let line = serde_json::to_string(&output).map_err(io::Error::other)?;
    app.write(|out| writeln!(out, "{line}"))
}

/// What to say of the session; `None`: it is not damaged, or has no file yet.
fn checked(app: &App<'_>) -> Result<Option<String>> {
    let mut text = Vec::new();
    io::stdin().lock().take(MOST).read_to_end(&mut text)?;
    let input: HookInput = serde_json::from_slice(&text).map_err(|_| {
        Error::usage("--hook reads what Claude Code writes to the standard input of a hook")
    })?;
    let Some(path) = input.transcript_path.filter(|path| path.is_file()) else {
        return Ok(None);
    };
    let (app, mut finds) = app.find_paths(vec![path])?;
    let conversations = judge::all(&app, &mut finds, false);
    app.say_missed(&finds);
    let worst = conversations.into_iter().max_by_key(|own| own.verdict);
    let damaged = worst.filter(|own| own.verdict > Verdict::Pending);
    Ok(damaged.map(|damaged| said(&app, app.read(damaged))))
}

/// `transcript-doctor: STUCK. Anthropic will reject the next request: ... Leave the session, then run: ...`
fn said(app: &App<'_>, damaged: Conversation) -> String {
    let tool = env!("CARGO_PKG_NAME");
    let verdict = human::verdict(&damaged);
    let why = human::meaning(&damaged).unwrap_or_default();
    let command =
        if damaged.findings.iter().any(|finding| finding.is_safe()) { "repair" } else { "explain" };
    let next = app.shown_style().next.for_path(command, &[], &damaged.path);
    let next =
        next.map_or_else(String::new, |next| format!(" Leave the session, then run: {next}"));
    format!("{tool}: {verdict}. {why}{next}")
}
