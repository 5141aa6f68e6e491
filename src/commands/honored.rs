//! Options that do nothing for what their command is asked to do, where clap cannot tell: what they depend on is a value. Such an
//! option is refused: who typed it believes that it does something.

use std::path::Path;

use clap::ArgMatches;
use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;

use super::{Command, DiffArgs, ExplainArgs};
use crate::app::diff::DiffView;
use crate::cli::rule;
use crate::find::names;

/// A way of using a command, as messages name it, and the options that it has no use for, as they are typed.
type Way = (&'static str, &'static [&'static [&'static str]]);

/// What decides how transcripts are found and checked.
const CHECKS: &[&str] = &[
    "from",
    "target",
    "client",
    "select",
    "extend-select",
    "ignore",
    "min-confidence",
    "exclude",
    "since",
    "allow-empty",
];
/// What decides how the explanation of a whole transcript looks.
const STORY: &[&str] = &["timeline", "context", "around", "no-story", "hyperlink"];

const REPAIR_OF_FILES: Way = ("repair without --rows of standard input", &[&["jobs"]]);
const REPAIR_TO_STDOUT: Way = ("repair to standard output", &[&["hyperlink"]]);
const DIFF_RAW: Way = ("diff --as raw", &[&["format", "ascii", "side-by-side", "width"]]);
const COMPARISON: Way = ("diff of two transcripts or of a past repair", &[&["format"]]);
const COMPARISON_OF_RECORDS: Way =
    ("diff of two transcripts or of a past repair, if not --as messages,", &[&["target"]]);
const COMPARISON_RAW: Way =
    ("diff of two transcripts or of a past repair --as raw", &[&["from", "allow-empty"]]);
const RULE: Way = ("explain of a rule", &[CHECKS, STORY, &["ascii", "redact", "rows", "verbose"]]);
const TEXT: Way = ("explain of a text alone", &[CHECKS, &["rows"]]);
const RECORD: Way = ("explain of single records", &[STORY, &["width"]]);
const REDACTED_TO_STDOUT: Way = ("redact to standard output", &[&["target", "color", "quiet"]]);

/// The ways that a command line has which refuse something.
fn ways(command: &Command) -> Vec<Way> {
    let mut ways = Vec::new();
    let mut add = |is: bool, way: Way| ways.extend(is.then_some(way));
    match command {
        Command::Repair(args) => {
            add(!args.is_of_rows(), REPAIR_OF_FILES);
            add(args.is_filter(), REPAIR_TO_STDOUT);
        }
        Command::Diff(args) => {
            add(is_raw(args), DIFF_RAW);
            add(args.compares(), COMPARISON);
            let is_of_records = args.view != DiffView::Messages || args.stat;
            add(args.compares() && is_of_records, COMPARISON_OF_RECORDS);
            add(args.compares() && is_raw(args), COMPARISON_RAW);
        }
        Command::Explain(args) => {
            add(is_rule(args), RULE);
            add(args.error.is_some() && args.what.is_none() && !args.find, TEXT);
            add(is_record(args), RECORD);
        }
        Command::Redact(args) => add(args.is_filter(), REDACTED_TO_STDOUT),
        _ => {}
    }
    ways
}

fn is_raw(args: &DiffArgs) -> bool {
    args.view == DiffView::Raw && !args.stat
}

/// Whether rules are explained, and no transcript.
fn is_rule(args: &ExplainArgs) -> bool {
    let alone = args.error.is_none() && args.call.is_none() && args.id.is_none();
    alone
        && args.what.as_deref().is_some_and(|what| !Path::new(what).exists() && rule(what).is_ok())
}

/// Whether a record is named as `FILE:LINE`.
fn is_record(args: &ExplainArgs) -> bool {
    let Some(what) = args.what.as_deref().filter(|_| args.error.is_none()) else {
        return false;
    };
    let typed = names::read(Path::new(what));
    typed.record.is_some() || typed.row.is_some()
}

/// Refuses options that were typed and would do nothing. `grammar` is what the command line was read with.
///
/// # Errors
/// There is one, as clap tells what it refuses.
pub(super) fn check(
    command: &Command,
    typed: &ArgMatches,
    grammar: &mut clap::Command,
) -> Result<(), Error> {
    let Some((name, typed)) = typed.subcommand() else {
        return Ok(());
    };
    for (way, refused) in ways(command) {
        for long in refused.iter().copied().flatten() {
            // What is printed anyway may be asked for.
            let is_default = *long == "format" && command.asked().print.format == "human";
            if !is_default && is_typed(grammar, name, long, typed) {
                let text = format!("{way} does not use --{long}");
                return Err(grammar.error(ErrorKind::ArgumentConflict, text));
            }
        }
    }
    Ok(())
}

fn is_typed(root: &clap::Command, command: &str, long: &str, typed: &ArgMatches) -> bool {
    let source = option(root, command, long).and_then(|id| typed.value_source(id));
    source == Some(ValueSource::CommandLine)
}

/// The name that clap has for an option of a command.
fn option<'a>(root: &'a clap::Command, command: &str, long: &str) -> Option<&'a str> {
    let mut options = root.find_subcommand(command)?.get_arguments();
    Some(options.find(|option| option.get_long() == Some(long))?.get_id().as_str())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    #[test]
    fn each_way_names_options_of_its_command() {
        let root = Cli::command();
        for (way, refused) in [
            REPAIR_OF_FILES,
            REPAIR_TO_STDOUT,
            DIFF_RAW,
            COMPARISON,
            COMPARISON_OF_RECORDS,
            COMPARISON_RAW,
            RULE,
            TEXT,
            RECORD,
            REDACTED_TO_STDOUT,
        ] {
            let command = way.split(' ').next().unwrap_or_default();
            for long in refused.iter().copied().flatten() {
                assert!(option(&root, command, long).is_some(), "{way}: {long}");
            }
        }
    }
}
