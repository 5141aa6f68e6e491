//! The manual pages of rules, for people.

use std::io::{self, Write};

use super::human::level_word;
use super::paint::{Tone, of_level, paint};
use super::{Detail, Style};
use crate::explain::rule::Manual;
use crate::report::text::pad;

/// Prints the page of a rule; its title only where little is asked for.
pub(crate) fn write(manual: &Manual, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let severity = level_word(manual.severity);
    let title = format!("{} {}", manual.code, manual.name);
    writeln!(
        out,
        "{}  {}",
        paint(Tone::Strong, &title),
        paint(of_level(manual.severity), severity)
    )?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    for line in manual.page.trim().lines() {
        match line.strip_prefix('#') {
            Some(heading) => writeln!(
                out,
                "{}",
                paint(Tone::Strong, heading.trim_start_matches(['#', ' ']))
            )?,
            None => writeln!(out, "{line}")?,
        }
    }
    manual.says.iter().try_for_each(|(who, text)| {
        writeln!(
            out,
            "{} {text}",
            paint(Tone::Place, &format!("{who} says:"))
        )
    })
}

/// Prints all rules, a line each; their codes only where little is asked for.
pub(crate) fn list(manuals: &[Manual], out: &mut dyn Write, style: &Style) -> io::Result<()> {
    match style.detail {
        Detail::Nothing => return Ok(()),
        Detail::Verdicts => {
            return manuals
                .iter()
                .try_for_each(|manual| writeln!(out, "{}", manual.code));
        }
        Detail::Normal | Detail::All => {}
    }
    let wide = manuals
        .iter()
        .map(|manual| manual.name.len())
        .max()
        .unwrap_or(0);
    manuals.iter().try_for_each(|manual| {
        let severity = format!("{:<7}", level_word(manual.severity));
        let severity = paint(of_level(manual.severity), &severity);
        writeln!(
            out,
            "{}  {}  {severity}  {}",
            manual.code,
            pad(manual.name, wide),
            manual.summary
        )
    })
}
