//! Explanations, for people.

use std::io::{self, Write};

use super::document::{self, finding::Rules};
use super::layout::Medium;
use super::{Detail, OutputStyle, human, sessions};
use crate::explain::Explained;
use crate::explain::story::Account;

/// Prints explanations with an empty line between two.
pub(crate) fn write(
    explanations: &[Explained],
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    for (at, one) in explanations.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        match one {
            Explained::Sessions(list) => sessions::list(list, out, style)?,
            Explained::Story(account) => story(account, out, style)?,
            one => {
                let rules = &mut Rules::default();
                let (_, blocks) = document::of_one(one, style, Medium::Terminal, rules);
                human::print(&blocks, out, style)?;
            }
        }
    }
    Ok(())
}

/// Prints the story of a transcript after its verdict.
pub(crate) fn story(account: &Account, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    human::heading(&account.conversation, out, style)?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    let blocks = document::of_story(account, style, Medium::Terminal, &mut Rules::default());
    human::print(&blocks, out, style)
}
