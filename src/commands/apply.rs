//! `repair --apply`: the command line that a plan stands for. Its options are parsed as if they were typed.

use std::sync::Arc;

use clap::ValueEnum;

use super::{Cli, Command, RepairArgs};
use crate::app::repair::{PlanOptions, Reviewed};
use crate::app::{Error, Options, Result};
use crate::cli::{AskedOptions, FixArgs};
use crate::rules::Prefer;
use crate::transcript::Confidence;

/// The options that decide what is planned.
pub(super) fn options_of(options: &Options, fixes: &FixArgs) -> PlanOptions {
    let check = &options.check;
    PlanOptions {
        from: options.format.map_or("auto", |format| format.name).to_owned(),
        target: options.target.clone(),
        client: check.client.map_or("auto", |client| client.name()).to_owned(),
        select: check.selection.select.clone(),
        extend_select: check.selection.extend_select.clone(),
        ignore: check.selection.ignore.clone(),
        min_confidence: match check.selection.min_confidence {
            Confidence::Guess => "guess",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
        .to_owned(),
        rows: fixes.rows,
        with_unsafe: fixes.with_unsafe,
        only: fixes.only.iter().map(|rule| rule.code.to_string()).collect(),
        answer_pending: fixes.answer_pending,
        prefer: match fixes.prefer {
            Prefer::Rank => "rank".to_owned(),
            Prefer::First => "first".to_owned(),
            Prefer::Last => "last".to_owned(),
            Prefer::Choice(number) => number.to_string(),
        },
        call: fixes.call.clone(),
        strategy: typed(fixes.strategy),
        write_style: typed(fixes.write_style),
    }
}

/// A value as it is typed.
fn typed(value: impl ValueEnum) -> String {
    let name = value.to_possible_value();
    name.map_or(String::new(), |name| name.get_name().to_owned())
}

/// The options of a plan as words. Each is one word with its value, so that no value is taken for an option.
fn words(options: &PlanOptions) -> Vec<String> {
    let mut words: Vec<String> = vec![env!("CARGO_PKG_NAME").into(), "repair".into()];
    let mut add = |name: &str, value: &str| words.push(format!("--{name}={value}"));
    add("from", &options.from);
    add("target", &options.target);
    add("client", &options.client);
    add("min-confidence", &options.min_confidence);
    add("prefer", &options.prefer);
    add("strategy", &options.strategy);
    add("write-style", &options.write_style);
    options.call.iter().for_each(|call| add("call", call));
    for (name, list) in [
        ("select", &options.select),
        ("extend-select", &options.extend_select),
        ("ignore", &options.ignore),
        ("only", &options.only),
    ] {
        list.iter().for_each(|value| add(name, value));
    }
    for (name, is_set) in [
        ("--rows", options.rows),
        ("--unsafe", options.with_unsafe),
        ("--answer-pending", options.answer_pending),
    ] {
        words.extend(is_set.then(|| name.to_owned()));
    }
    words
}

/// The command that a plan stands for, and the options that it was made with, in place of those that were typed.
///
/// # Errors
/// The file is not a plan, or its options are not those of this program.
pub(super) fn expand(args: &RepairArgs, asked: &mut AskedOptions) -> Result<Option<RepairArgs>> {
    let Some(path) = &args.apply else {
        return Ok(None);
    };
    let of_plan =
        |why: &dyn std::fmt::Display| Error::usage(format!("the plan {}: {why}", path.display()));
    let plan = Reviewed::read(path).map_err(|why| of_plan(&why))?;
    let parsed = Cli::read(words(&plan.options)).map_err(|error| {
        let text = error.to_string();
        of_plan(&text.lines().next().unwrap_or_default())
    })?;
    let Some(Command::Repair(planned)) = parsed.command else {
        return Err(of_plan(&"not a plan of a repair"));
    };
    if planned.fixes.with_unsafe && !args.fixes.with_unsafe {
        return Err(of_plan(
            &"it has fixes that guess or lose content; review them, and add --unsafe",
        ));
    }
    if plan.paths().iter().any(|path| path.as_os_str() == "-") {
        return Err(of_plan(&"standard input cannot be repaired in place"));
    }
    // Rules that are off are among those to ignore.
    asked.severity.level.retain(|(_, level)| level.level().is_some());
    (asked.read.from, asked.read.target) = (planned.read.from, planned.read.target);
    (asked.judge, asked.rows) = (planned.judge, planned.fixes.rows);
    asked.fixes = Some(planned.fixes.clone());
    Ok(Some(RepairArgs {
        targets: plan.paths(),
        yes: true,
        fixes: planned.fixes,
        reviewed: Some(Arc::new(plan)),
        ..args.clone()
    }))
}
