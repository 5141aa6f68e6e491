//! The manual pages of rules, for people.

use std::io::{self, Write};

use super::human::level_word;
use super::layout::TextLayout;
use super::paint::{Tone, of_level, paint};
use super::story::words::sentence;
use super::{Detail, Style};
use crate::explain::rule::{Manual, Paragraph};
use crate::report::text::{fit, pad};

/// Prints the page of a rule; its title only where little is asked for.
pub(crate) fn write(manual: &Manual, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let title = format!("{} {}", manual.code, manual.name);
    writeln!(
        out,
        "{}  {} · fix: {}",
        paint(Tone::Strong, &title),
        paint(of_level(manual.severity), level_word(manual.severity)),
        manual.fix
    )?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    let layout = TextLayout::new(style, std::iter::empty());
    layout.write("", &format!("{}.", sentence(manual.summary)), out)?;
    for section in &manual.sections {
        writeln!(out, "\n{}", paint(Tone::Strong, section.title))?;
        for paragraph in &section.paragraphs {
            match paragraph {
                Paragraph::Text(text) => layout.write_indented("  ", text, out)?,
                Paragraph::Quote(who, text) | Paragraph::Cause(who, text) => {
                    layout.write_indented(&format!("  {who}: "), text, out)?
                }
                Paragraph::Diff(lines) => lines
                    .iter()
                    .try_for_each(|line| diff_line(line, style, out))?,
            }
        }
    }
    Ok(())
}

fn diff_line(line: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = style.draw(&fit(&format!("  {line}"), style.width));
    match line.as_bytes().first() {
        Some(b'-') => writeln!(out, "{}", paint(Tone::Bad, &shown)),
        Some(b'+') => writeln!(out, "{}", paint(Tone::Good, &shown)),
        _ => writeln!(out, "{shown}"),
    }
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
