//! Writes a document for a terminal: sentences in lines, colors for meanings.

mod headline;
mod spans;
mod table;

use std::io::{self, Write};

use super::OutputStyle;
use super::document::words::sentence;
use super::document::{
    CommandLine, Ladder, Lead, Look, PageBlock, PagePart, PagePartKind, StoryStep, StyledSpan,
    StyledText,
};
use super::layout::TextLayout;
use super::paint::{Tone, paint};
use super::wrap::wrap;
use crate::report::ladder;
use crate::report::text::{fit, pad, width};
use spans::{colors, lines, words};

/// Blanks before what belongs to the line above it.
const INDENT: usize = 2;
/// Blanks before what does not fit in the line of a finding's title.
const HANGING: usize = 4;
/// Columns of the names in the result of a repair.
pub(super) const BESIDE: usize = 12;
/// A document that is being written.
pub(crate) struct Terminal<'a> {
    style: &'a OutputStyle,
    columns: usize,
    indent: usize,
    /// Columns of names of facts and commands, at least.
    names: usize,
    /// Whether something is above what comes next.
    has_begun: bool,
    out: &'a mut dyn Write,
}

impl<'a> Terminal<'a> {
    pub(crate) fn new(layout: &TextLayout<'a>, out: &'a mut dyn Write) -> Terminal<'a> {
        Terminal {
            style: layout.style,
            columns: layout.columns,
            indent: 0,
            names: 0,
            has_begun: false,
            out,
        }
    }

    /// Writes blocks one below the other.
    pub(crate) fn blocks(&mut self, blocks: &[PageBlock]) -> io::Result<()> {
        blocks.iter().try_for_each(|block| self.block(block))
    }

    pub(crate) fn block(&mut self, block: &PageBlock) -> io::Result<()> {
        match block {
            PageBlock::Part(part) => self.part(part)?,
            PageBlock::Lead(lead) => self.lead(0, lead)?,
            PageBlock::Text(text) => self.text("", 0, text)?,
            PageBlock::List(list) => {
                let indent = " ".repeat(INDENT.saturating_sub(self.indent));
                let hang = width(&indent) + INDENT;
                list.iter().try_for_each(|text| self.text(&indent, hang, text))?;
            }
            PageBlock::Steps(steps) => {
                let mut steps = (1..).zip(steps);
                steps.try_for_each(|(number, step)| self.step(number, step))?;
            }
            PageBlock::Facts(facts) => self.facts(facts)?,
            PageBlock::Table(table) => self.table(table)?,
            PageBlock::Index(lines) if lines.is_empty() => return Ok(()),
            PageBlock::Index(lines) => lines.iter().try_for_each(|line| self.index_line(line))?,
            PageBlock::Ladder(ladder) => self.ladder(ladder)?,
            PageBlock::Choices(choices) => {
                let mut choices = (1..).zip(choices);
                choices.try_for_each(|(number, (text, line))| self.choice(number, text, line))?;
            }
            PageBlock::Command(command) => self.command(command)?,
            PageBlock::Diff(lines) => lines.iter().try_for_each(|line| self.diff(line))?,
            PageBlock::Details(..) | PageBlock::Link(..) => return Ok(()),
        }
        self.has_begun = true;
        Ok(())
    }

    fn gap(&mut self) -> io::Result<()> {
        if self.has_begun { writeln!(self.out) } else { Ok(()) }
    }

    fn part(&mut self, part: &PagePart) -> io::Result<()> {
        let heading = &part.heading;
        // Most kinds differ only in what is above their blocks.
        match part.kind {
            PagePartKind::Page => {}
            PagePartKind::Conversation => {
                if let Some((PageBlock::Lead(lead), rest)) = part.blocks.split_first() {
                    self.gap()?;
                    self.verdict(heading, lead)?;
                    self.has_begun = true;
                    return self.blocks(rest);
                }
                self.text("", 0, heading)?;
            }
            PagePartKind::Passage => self.gap()?,
            PagePartKind::Result => {
                let before = std::mem::replace(&mut self.names, BESIDE);
                let written = self.blocks(&part.blocks);
                self.names = before;
                return written;
            }
            PagePartKind::Finding(_) => {
                self.title(heading)?;
                return self.indented(&part.blocks);
            }
            PagePartKind::Chapter | PagePartKind::Section => {
                self.gap()?;
                self.heading(heading)?;
                if part.kind == PagePartKind::Section {
                    return self.indented(&part.blocks);
                }
            }
            PagePartKind::Remark | PagePartKind::Answer(_) => {
                self.gap()?;
                let mark = if part.kind == PagePartKind::Remark { ":" } else { "" };
                let head = format!("{}{mark}  ", words(heading));
                let (first, rest) = match part.blocks.split_first() {
                    Some((PageBlock::Text(text), rest)) => (text.as_slice(), rest),
                    _ => (&[][..], part.blocks.as_slice()),
                };
                self.text(&head, 0, first)?;
                return self.blocks(rest);
            }
        }
        self.blocks(&part.blocks)
    }

    fn indented(&mut self, blocks: &[PageBlock]) -> io::Result<()> {
        let before = self.indent;
        self.indent = INDENT;
        self.has_begun = true;
        let written = self.blocks(blocks);
        self.indent = before;
        written
    }

    fn heading(&mut self, heading: &[StyledSpan]) -> io::Result<()> {
        let heading: StyledText = heading
            .iter()
            .map(|span| match span.look {
                Look::Plain | Look::Code => StyledSpan::new(Look::Strong, span.text.clone()),
                _ => span.clone(),
            })
            .collect();
        self.text("", 0, &heading)?;
        self.has_begun = true;
        Ok(())
    }

    /// A text after `head` in as many lines as it needs; further lines begin after `hang` blanks.
    fn text(&mut self, head: &str, hang: usize, text: &[StyledSpan]) -> io::Result<()> {
        let columns = self.columns.saturating_sub(self.indent.saturating_add(hang));
        let used = width(head).saturating_sub(hang);
        let lines = match text {
            // A place stays whole, so that it can be copied and opened.
            [only] if matches!(only.look, Look::Place(_)) => {
                vec![colors(&only.look, &self.style.draw(&only.text))]
            }
            _ => lines(text, columns, used, self.style),
        };
        let margin = " ".repeat(self.indent);
        let blank = " ".repeat(hang);
        let head = self.style.draw(head);
        for (at, line) in lines.iter().enumerate() {
            let head = if at == 0 { &head } else { &blank };
            writeln!(self.out, "{margin}{head}{line}")?;
        }
        Ok(())
    }

    fn lead(&mut self, indent: usize, lead: &Lead) -> io::Result<()> {
        let facts = Some(&lead.facts).filter(|facts| !facts.is_empty());
        self.says(indent, lead.known.iter().chain(facts).chain(&lead.says))
    }

    fn says<'s>(
        &mut self,
        indent: usize,
        mut says: impl Iterator<Item = &'s String>,
    ) -> io::Result<()> {
        let blank = " ".repeat(indent);
        says.try_for_each(|text| self.text(&blank, indent, &[StyledSpan::new(Look::Plain, text)]))
    }

    /// `  1. Event 61: the agent started … .      09:48:05.911`, and what is said after it.
    fn step(&mut self, number: usize, step: &StoryStep) -> io::Result<()> {
        let head = format!("  {number}. ");
        // The times are at the right edge; sentences keep clear of them.
        let edge = self.columns.saturating_sub(width(&step.time));
        let room = edge.saturating_sub(width(&head) + 2);
        let blank = " ".repeat(width(&head));
        let plain = step.says.iter().flat_map(|text| wrap(&words(text), room, 0));
        let painted = step.says.iter().flat_map(|text| lines(text, room, 0, self.style));
        for (at, (plain, painted)) in plain.zip(painted).enumerate() {
            if at > 0 || step.time.is_empty() {
                let head = if at == 0 { &head } else { &blank };
                writeln!(self.out, "{head}{painted}")?;
                continue;
            }
            let gap = edge.saturating_sub(width(&head) + width(&plain)).max(2);
            writeln!(self.out, "{head}{painted}{}{}", " ".repeat(gap), step.time)?;
        }
        Ok(())
    }

    /// Names and values: below each other at the left, in sentences below a finding.
    fn facts(&mut self, facts: &[(&'static str, StyledText)]) -> io::Result<()> {
        let wide = facts.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        for (name, text) in facts {
            match self.indent {
                0 => {
                    let name = match self.names {
                        0 => (*name).to_owned(),
                        _ => sentence(name),
                    };
                    let wide = (wide + 2).max(self.names);
                    let head = pad(&name, wide);
                    self.text(&head, width(&head), text)?;
                }
                _ => self.text(&format!("{name} "), 0, text)?,
            }
        }
        Ok(())
    }

    fn ladder(&mut self, ladder: &Ladder) -> io::Result<()> {
        let mut rows = ladder.rows.clone();
        // Words are for one's own screen.
        if !self.style.is_screen {
            rows.iter_mut().for_each(|row| row.words.clear());
        }
        let rows = ladder::layout(rows, self.style.width);
        for (at, row) in rows.iter().enumerate() {
            let row = self.style.draw(row);
            match ladder.main.filter(|(main, _)| *main == at) {
                Some((_, tone)) => writeln!(self.out, "{}", paint(tone, &row))?,
                None => writeln!(self.out, "{row}")?,
            }
        }
        Ok(())
    }

    /// `    1  line 5: "its first words"`, and the command for it.
    fn choice(
        &mut self,
        number: usize,
        text: &[StyledSpan],
        line: &Option<String>,
    ) -> io::Result<()> {
        let row = format!("    {number}  {}", words(text));
        writeln!(self.out, "{}", self.style.draw(&fit(&row, self.style.width)))?;
        match line {
            Some(line) => writeln!(self.out, "       {}", paint(Tone::Strong, line)),
            None => Ok(()),
        }
    }

    /// A command after what it is for. It is never broken, so that it can be copied: where it does not fit, it gets a line of its
    /// own.
    fn command(&mut self, command: &CommandLine) -> io::Result<()> {
        let margin = " ".repeat(self.indent);
        let head = match &*command.what {
            "" => format!("{margin}  "),
            what if self.names > 0 => pad(what, self.names),
            what => format!("{margin}{what}:  "),
        };
        let (what, gap) = if width(&head) + width(&command.line) <= self.style.width {
            (head.as_str(), "")
        } else {
            (head.trim_end(), "\n  ")
        };
        let line = paint(Tone::Strong, &command.line);
        writeln!(self.out, "{what}{gap}{line}")?;
        if command.note.is_empty() {
            return Ok(());
        }
        let blank = " ".repeat(width(&head));
        let note = StyledSpan::new(Look::Plain, command.note.as_str());
        self.text(&blank, width(&blank), &[note])
    }

    /// A line of a diff, broken where the terminal ends: what differs may be at its end.
    fn diff(&mut self, line: &str) -> io::Result<()> {
        let tone = match line.as_bytes().first() {
            Some(b'-') => Some(Tone::Bad),
            Some(b'+') => Some(Tone::Good),
            _ => None,
        };
        let margin = " ".repeat(self.indent);
        for row in broken(line, self.style.width.saturating_sub(self.indent)) {
            let row = self.style.draw(&format!("{margin}{row}"));
            match tone {
                Some(tone) => writeln!(self.out, "{}", paint(tone, &row))?,
                None => writeln!(self.out, "{row}")?,
            }
        }
        Ok(())
    }
}

/// A line in rows of at most so many columns; further rows begin after its sign.
fn broken(line: &str, columns: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for c in line.chars() {
        let wide = width(c.encode_utf8(&mut [0; 4]));
        if used + wide > columns && used > 2 {
            rows.push(String::from("  "));
            used = 2;
        }
        if let Some(row) = rows.last_mut() {
            row.push(c);
        }
        used += wide;
    }
    rows
}

#[cfg(test)]
mod tests;
