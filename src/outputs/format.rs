//! The formats, for people.

use std::io::{self, Write};

use super::paint::{Tone, paint};
use super::{Detail, Style};
use crate::explain::format::Listed;
use crate::report::text::pad;

/// Prints a line for each format; its name only with `-q`.
pub(crate) fn list(formats: &[Listed], out: &mut dyn Write, style: &Style) -> io::Result<()> {
    let wide = formats.iter().map(|format| format.name.len()).max();
    let wide_title = formats.iter().map(|format| format.title.len()).max();
    for format in formats {
        let hosts = format.hosts.iter().map(|host| format!("@{host}"));
        match style.detail {
            Detail::Nothing => {}
            Detail::Verdicts => writeln!(out, "{}", format.name)?,
            Detail::Normal | Detail::All => {
                let line = format!(
                    "{}  {}  {}",
                    paint(Tone::Strong, &pad(format.name, wide.unwrap_or(0))),
                    pad(format.title, wide_title.unwrap_or(0)),
                    hosts.collect::<Vec<_>>().join(" ")
                );
                writeln!(out, "{}", line.trim_end())?;
            }
        }
    }
    Ok(())
}
