//! The manual pages of rules, for people.

use std::io::{self, Write};

use super::human::level_word;
use super::paint::{Tone, of_level, paint};
use crate::explain::rule::Manual;
use crate::report::text::pad;

/// Prints the page of a rule.
pub fn write(manual: &Manual, out: &mut dyn Write) -> io::Result<()> {
    let severity = level_word(manual.severity);
    let title = format!("{} {}", manual.code, manual.name);
    writeln!(out, "{}  {}", paint(Tone::Strong, &title), paint(of_level(manual.severity), severity))?;
    for line in manual.page.trim().lines() {
        match line.strip_prefix('#') {
            Some(heading) => {
                writeln!(out, "{}", paint(Tone::Strong, heading.trim_start_matches(['#', ' '])))?
            }
            None => writeln!(out, "{line}")?,
        }
    }
    manual
        .says
        .iter()
        .try_for_each(|(who, text)| writeln!(out, "{} {text}", paint(Tone::Place, &format!("{who} says:"))))
}

/// Prints all rules, a line each.
pub fn list(manuals: &[Manual], out: &mut dyn Write) -> io::Result<()> {
    let wide = manuals.iter().map(|manual| manual.name.len()).max().unwrap_or(0);
    manuals.iter().try_for_each(|manual| {
        let severity = format!("{:<7}", level_word(manual.severity));
        let severity = paint(of_level(manual.severity), &severity);
        writeln!(out, "{}  {}  {severity}  {}", manual.code, pad(manual.name, wide), manual.summary)
    })
}
