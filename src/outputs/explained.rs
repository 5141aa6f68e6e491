//! Explanations, for people.

use std::io::{self, Write};

use super::{Detail, Style, error, format, meaning, record, rule, sessions, story};
use crate::explain::Explained;

/// Prints explanations with an empty line between two.
pub(crate) fn write(
    explanations: &[Explained],
    out: &mut dyn Write,
    style: &Style,
) -> io::Result<()> {
    for (at, one) in explanations.iter().enumerate() {
        if at > 0 && style.detail > Detail::Nothing {
            writeln!(out)?;
        }
        match one {
            Explained::Story(account) => story::write(account, out, style)?,
            Explained::Error(account) => error::write(account, out, style)?,
            Explained::Meaning(meaning) => meaning::write(meaning, out, style)?,
            Explained::Records(records) => record::write(records, out, style)?,
            Explained::Rule(manual) => rule::write(manual, out, style)?,
            Explained::Rules(manuals) => rule::list(manuals, out, style)?,
            Explained::Formats(formats) => format::list(formats, out, style)?,
            Explained::Sessions(list) => sessions::list(list, out, style)?,
        }
    }
    Ok(())
}
