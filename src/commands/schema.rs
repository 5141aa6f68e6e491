//! `schema`: the JSON Schemas of what this program writes for others, and of what it reads from them.

use std::borrow::Cow;

use clap::{Args, ValueEnum};

use super::help::{CommandExample, examples};
use crate::app::{App, Result, exit};
use crate::cli::config_schema;

const EXAMPLES: &[CommandExample] = &[
    ("schema report", "Print the schema of --format json"),
    ("schema journal > journal.json", "Write the schema of the lines of the journal to a file"),
];

/// Print the JSON Schema of reports, plans, the journal, or the configuration
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct SchemaArgs {
    /// What it describes
    #[arg(value_name = "WHAT")]
    pub what: SchemaName,
}

/// What has a schema.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// Reports: --format json, and the lines of --format jsonl
    Report,
    /// Plans: repair --plan-out and --apply
    Plan,
    /// Lines of the journal
    Journal,
    /// The configuration: transcript-doctor.toml
    Config,
}

impl SchemaName {
    fn schema(self) -> Cow<'static, str> {
        match self {
            SchemaName::Report => include_str!("../../schemas/report-v1.json").into(),
            SchemaName::Plan => include_str!("../../schemas/plan-v1.json").into(),
            SchemaName::Journal => include_str!("../../schemas/journal-v1.json").into(),
            SchemaName::Config => format!("{:#}\n", config_schema()).into(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The schema cannot be printed.
pub(crate) fn run(app: &App<'_>, args: &SchemaArgs) -> Result<u8> {
    app.write(|out| out.write_all(args.what.schema().as_bytes()))?;
    Ok(exit::DONE)
}
