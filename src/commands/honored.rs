//! Which options a command has no use for in some of its ways. One that would do nothing is refused: who typed it believes that
//! it does something.

use std::path::Path;

use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};

use super::{Cli, Command, DiffArgs, ExplainArgs, RepairArgs};
use crate::app::diff::DiffView;
use crate::cli::rule;
use crate::find::names;

/// A way of using a command, and the options that it has no use for.
struct Way {
    /// How messages name it: `diff of two recordings`.
    name: &'static str,
    is: fn(&Command) -> bool,
    /// The options, as they are typed.
    refuses: &'static [&'static [&'static str]],
}

/// What decides how a recording is found and judged.
const JUDGING: &[&str] = &[
    "from",
    "target",
    "client",
    "select",
    "extend-select",
    "ignore",
    "level",
    "min-confidence",
    "fail-on",
    "exclude",
    "since",
    "config",
    "isolated",
    "allow-empty",
    "jobs",
];
/// What a configuration decides besides.
const POLICY: &[&str] = &["extend-select", "level", "min-confidence", "config", "isolated"];
/// What decides how an explanation of a whole recording looks.
const STORY: &[&str] = &["timeline", "context", "around", "no-story"];
/// What decides how a transcript is printed.
const PRINTING: &[&str] = &["hyperlink", "ascii", "redact"];
/// What decides how a recording is replaced.
const WRITING: &[&str] = &["keep-mtime", "backup-dir", "no-backup", "wait"];

/// All ways that refuse something. Several may be those of one command line.
const WAYS: &[Way] = &[
    Way {
        name: "repair",
        is: |command| repair(command, |args| !args.is_of_rows()),
        refuses: &[&["jobs"]],
    },
    Way {
        name: "repair --dry-run",
        is: |command| repair(command, RepairArgs::is_dry),
        refuses: &[WRITING, &["error-on-change"]],
    },
    Way {
        name: "repair --apply",
        is: |command| repair(command, |args| args.apply.is_some()),
        refuses: &[&[
            "from",
            "target",
            "client",
            "select",
            "extend-select",
            "ignore",
            "min-confidence",
            "exclude",
            "since",
        ]],
    },
    Way {
        name: "repair to a copy",
        is: |command| repair(command, |args| args.output.is_some()),
        refuses: &[WRITING, &["force-live"]],
    },
    Way {
        name: "repair to standard output",
        is: |command| repair(command, RepairArgs::is_filter),
        refuses: &[&["hyperlink"]],
    },
    Way {
        name: "diff",
        is: |command| diff(command, |_| true),
        refuses: &[&["jobs", "fail-on", "level", "hyperlink", "verbose"]],
    },
    Way {
        name: "diff --as raw",
        is: |command| diff(command, |args| args.view == DiffView::Raw && !args.stat),
        refuses: &[&["format", "ascii", "side-by-side", "width"]],
    },
    Way {
        name: "diff --stat",
        is: |command| diff(command, |args| args.stat),
        refuses: &[&["width", "ascii", "side-by-side"]],
    },
    Way {
        name: "diff of two transcripts or of a past repair",
        is: |command| diff(command, DiffArgs::compares),
        refuses: &[
            &["format", "report", "client", "select", "ignore"],
            POLICY,
            &["unsafe", "only", "answer-pending", "prefer", "strategy", "write-style", "rows"],
        ],
    },
    Way {
        name: "diff of two transcripts or of a past repair, if not --as messages,",
        is: |command| {
            diff(command, |args| args.compares() && (args.view != DiffView::Messages || args.stat))
        },
        refuses: &[&["target"]],
    },
    Way {
        name: "diff of two transcripts or of a past repair --as raw",
        is: |command| {
            diff(command, |args| args.compares() && args.view == DiffView::Raw && !args.stat)
        },
        refuses: &[&["from", "allow-empty"]],
    },
    Way {
        name: "explain",
        is: |command| explain(command, |_| true),
        refuses: &[&["fail-on", "level", "config", "isolated"]],
    },
    Way {
        name: "explain without --find",
        is: |command| explain(command, |args| !args.find),
        refuses: &[&["jobs"]],
    },
    Way {
        name: "explain of a rule",
        is: |command| explain(command, is_rule),
        refuses: &[JUDGING, STORY, PRINTING, &["rows", "verbose"]],
    },
    Way {
        name: "sessions",
        is: |command| matches!(command, Command::Sessions(_)),
        refuses: &[&["fail-on", "level", "hyperlink", "verbose"], &["config", "isolated"]],
    },
    Way {
        name: "a command about transcript-doctor itself",
        is: is_about_itself,
        refuses: &[JUDGING, PRINTING, &["verbose"]],
    },
    Way {
        name: "schema, completions, and man",
        is: |command| {
            matches!(command, Command::Schema(_) | Command::Completions(_) | Command::Man(_))
        },
        refuses: &[&["format", "report", "color", "quiet", "width"]],
    },
    Way {
        name: "explain of a text alone",
        is: |command| {
            explain(command, |args| args.error.is_some() && args.what.is_none() && !args.find)
        },
        refuses: &[JUDGING, &["rows"]],
    },
    Way {
        name: "explain --error",
        is: |command| explain(command, |args| args.error.is_some()),
        refuses: &[STORY, &["hyperlink"]],
    },
    Way {
        name: "explain of single records",
        is: |command| explain(command, is_record),
        refuses: &[STORY, &["hyperlink", "width"]],
    },
    Way {
        name: "redact",
        is: |command| matches!(command, Command::Redact(_)),
        refuses: &[
            &["format", "report", "client", "select", "ignore", "fail-on", "jobs"],
            POLICY,
            &["hyperlink", "width", "ascii", "verbose"],
        ],
    },
    Way {
        name: "redact to standard output",
        is: |command| matches!(command, Command::Redact(args) if args.is_filter()),
        refuses: &[&["target", "color", "quiet"]],
    },
    Way {
        name: "undo",
        is: |command| matches!(command, Command::Undo(_)),
        refuses: &[JUDGING, &["format", "report", "hyperlink", "width", "ascii", "verbose"]],
    },
    Way {
        name: "undo that does not replace anything",
        is: |command| matches!(command, Command::Undo(args) if args.dry_run || args.output.is_some()),
        refuses: &[&["force-live"]],
    },
];

fn repair(command: &Command, is: impl Fn(&RepairArgs) -> bool) -> bool {
    matches!(command, Command::Repair(args) if is(args))
}

fn diff(command: &Command, is: impl Fn(&DiffArgs) -> bool) -> bool {
    matches!(command, Command::Diff(args) if is(args))
}

fn explain(command: &Command, is: impl Fn(&ExplainArgs) -> bool) -> bool {
    matches!(command, Command::Explain(args) if is(args))
}

/// Whether it prints data about this program.
fn is_about_itself(command: &Command) -> bool {
    matches!(
        command,
        Command::Rules(_)
            | Command::Formats(_)
            | Command::Schema(_)
            | Command::Completions(_)
            | Command::Man(_)
    )
}

/// Whether rules are explained, and no recording.
fn is_rule(args: &ExplainArgs) -> bool {
    let alone = args.error.is_none() && args.call.is_none() && args.id.is_none();
    alone
        && args.what.as_deref().is_some_and(|what| !Path::new(what).exists() && rule(what).is_ok())
}

/// Whether records are explained one by one.
fn is_record(args: &ExplainArgs) -> bool {
    let named = args.call.is_some() || args.id.is_some();
    args.error.is_none()
        && (named
            || args.what.as_deref().is_some_and(|what| {
                let typed = names::read(Path::new(what));
                typed.record.is_some() || typed.row.is_some()
            }))
}

/// Refuses options that were typed and would do nothing.
///
/// # Errors
/// There is one, as clap tells what it refuses.
pub(super) fn check(cli: &Cli, typed: &ArgMatches) -> Result<(), Error> {
    let mut command = Cli::command();
    let Some((name, typed)) = typed.subcommand() else {
        return Ok(());
    };
    let Some(given) = &cli.command else {
        return Ok(());
    };
    for way in WAYS.iter().filter(|way| (way.is)(given)) {
        let mut options = way.refuses.iter().copied().flatten();
        // What is printed anyway may be asked for.
        let anyway = |option: &str| option == "format" && cli.global.format == "human";
        if let Some(option) =
            options.find(|option| !anyway(option) && is_typed(&command, name, option, typed))
        {
            let text = format!("{} does not use --{option}", way.name);
            return Err(command.error(ErrorKind::ArgumentConflict, text));
        }
    }
    Ok(())
}

/// The option of a command, or of all, that is typed like this.
fn option<'a>(command: &'a clap::Command, name: &str, typed: &str) -> Option<&'a Arg> {
    let own = command.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    own.chain(command.get_arguments()).find(|own| own.get_long() == Some(typed))
}

fn is_typed(command: &clap::Command, name: &str, typed: &str, matches: &ArgMatches) -> bool {
    let source =
        option(command, name, typed).and_then(|own| matches.value_source(own.get_id().as_str()));
    source == Some(ValueSource::CommandLine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_names_options_of_its_command() {
        let command = Cli::command();
        for way in WAYS {
            let name = way.name.split(' ').next().unwrap_or_default();
            let unknown = |typed: &&&str| option(&command, name, typed).is_none();
            assert_eq!(way.refuses.iter().copied().flatten().find(unknown), None, "{}", way.name);
        }
    }
}
