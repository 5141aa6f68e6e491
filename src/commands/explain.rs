//! `explain`: the manual pages of the rules, the stories of recordings, single records.

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

use super::{Run, Usage, exit, explain_error, explain_file};
use crate::cli::{Explain, rule};
use crate::outputs::json;
use crate::outputs::paint::{Tone, of_severity, paint};
use crate::report::text::{escape, pad};
use crate::rules::{self, Rule};
use crate::targets;

/// Runs the command.
///
/// # Errors
/// No recording and no rule has this name, or it cannot be printed.
pub fn run(run: &mut Run<'_>, args: &Explain) -> Result<u8> {
    if args.list {
        list(run)?;
        return Ok(exit::DONE);
    }
    if let Some(text) = &args.error {
        return explain_error::run(run, args, text);
    }
    let what = args.what.as_deref().unwrap_or_default();
    if let Some(place) = explain_file::place(what, args) {
        return explain_file::run(run, args, &place);
    }
    let rule = rule(what).map_err(|why| Usage(format!("{}: {why}", escape(what))))?;
    if run.output.name == "json" {
        run.write(|out| json::value(&Page::of(rule), out))?;
    } else {
        run.write(|out| page(rule, out))?;
    }
    Ok(exit::DONE)
}

/// A rule for machines.
#[derive(Serialize)]
struct Page {
    code: &'static str,
    name: &'static str,
    severity: String,
    summary: &'static str,
    page: &'static str,
}

impl Page {
    fn of(rule: &Rule) -> Page {
        let severity = format!("{:?}", rule.severity).to_lowercase();
        Page { code: rule.code, name: rule.name, severity, summary: rule.summary, page: rule.page }
    }
}

fn list(run: &Run<'_>) -> Result<()> {
    if run.output.name == "json" {
        return run.write(|out| {
            json::value(&rules::ALL.iter().map(|rule| Page::of(rule)).collect::<Vec<_>>(), out)
        });
    }
    let wide = rules::ALL.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    run.write(|out| {
        rules::ALL.iter().try_for_each(|rule| {
            let severity = format!("{:<7}", format!("{:?}", rule.severity).to_lowercase());
            let severity = paint(of_severity(rule.severity), &severity);
            writeln!(out, "{}  {}  {severity}  {}", rule.code, pad(rule.name, wide), rule.summary)
        })
    })
}

fn page(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    let severity = format!("{:?}", rule.severity).to_lowercase();
    let title = format!("{} {}", rule.code, rule.name);
    writeln!(out, "{}  {}", paint(Tone::Strong, &title), paint(of_severity(rule.severity), &severity))?;
    for line in rule.page.trim().lines() {
        let heading = line.starts_with('#');
        if heading {
            writeln!(out, "{}", paint(Tone::Strong, line.trim_start_matches(['#', ' '])))?
        } else {
            writeln!(out, "{line}")?
        }
    }
    for target in targets::ALL {
        for (_, text) in target.texts.iter().filter(|(code, _)| *code == rule.code) {
            writeln!(out, "{} {text}", paint(Tone::Place, &format!("{} says:", target.title)))?;
        }
    }
    Ok(())
}
