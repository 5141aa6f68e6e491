//! `explain`: the manual pages of the rules, the stories of recordings, single records.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::{Run, Usage, exit, explain_error, explain_file};
use crate::cli::{Explain, rule};
use crate::find::names::{self, Named, Typed, Word};
use crate::find::surroundings::Surroundings;
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
    let typed = names::read(Path::new(what));
    let Some(rule) = rule_meant(&typed, args)? else { return explain_file::run(run, args, &typed) };
    if run.output.name == "json" {
        run.write(|out| json::value(&Page::of(rule), out))?;
    } else {
        run.write(|out| page(rule, out))?;
    }
    Ok(exit::DONE)
}

/// The rule that a word means, where it is no path. `None`: it means a recording.
///
/// # Errors
/// It means neither.
fn rule_meant(typed: &Typed, args: &Explain) -> Result<Option<&'static Rule>> {
    let Typed { word: Word::Id(word), record: None } = typed else { return Ok(None) };
    if args.call.is_some() {
        return Ok(None);
    }
    match rule(word) {
        Ok(rule) => Ok(Some(rule)),
        // No rule has a name like that: it is a path that does not exist, and is told so.
        Err(_) if word.contains('.') => Ok(None),
        Err(why) => match names::look_up(&typed.word, &Surroundings::system()) {
            Ok(Named::Path(_)) => Err(Usage(format!("{}: {why}", escape(word))).into()),
            _ => Ok(None),
        },
    }
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
