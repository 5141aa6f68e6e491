//! `rules`: the rules, one line each.

use clap::Args;

use super::explain::print;
use super::help::{CommandExample, examples};
use crate::app::{App, Result};
use crate::cli::{AskedOptions, PrintArgs, TalkArgs};
use crate::explain::Explained;
use crate::explain::rule::Manual;
use crate::rules;

const EXAMPLES: &[CommandExample] = &[
    ("rules", "List all rules"),
    ("rules -q", "List their codes"),
    ("rules --format json", "List them with their pages, for scripts"),
];

/// List the rules; `explain RULE` shows one
#[derive(Debug, Args)]
#[command(after_long_help = examples(EXAMPLES))]
pub struct RulesArgs {
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    talk: TalkArgs,
}

impl RulesArgs {
    pub(super) fn asked(&self) -> AskedOptions {
        AskedOptions {
            print: self.print.clone(),
            talk: self.talk.clone(),
            ..AskedOptions::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The list cannot be printed.
pub(crate) fn run(app: &App<'_>) -> Result<u8> {
    let manuals = rules::ALL.iter().map(|rule| Manual::of(rule));
    print(app, Explained::Rules(manuals.collect()))
}
