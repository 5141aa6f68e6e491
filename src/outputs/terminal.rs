//! Writes a document for a terminal: sentences in lines, colors for meanings.

use std::io::{self, Write};

use super::document::words::sentence;
use super::document::{
    CommandLine, CountTable, IndexLine, Ladder, Lead, LineMark, Look, PageBlock, PagePart,
    PagePartKind, StoryStep, StyledSpan, StyledText, TableCell,
};
use super::human::{fix_word, level_word, verdict_word};
use super::layout::TextLayout;
use super::paint::{Tone, of_fix, of_level, of_verdict, paint};
use super::wrap::wrap;
use super::{Detail, OutputStyle, document, grouped, link};
use crate::report::ladder;
use crate::report::text::{fit, pad, width};

/// Blanks before what belongs to the line above it.
const INDENT: usize = 2;
/// Blanks before what does not fit in the line of a finding's title.
const HANGING: usize = 4;
/// Columns of the names in the result of a repair.
pub(super) const BESIDE: usize = 12;
/// Columns of a verdict in an index.
const VERDICT: usize = 10;
/// Columns of a verdict up to which the lines below it begin where the name next to it does.
const SHORT_VERDICT: usize = 12;
/// Columns of the last cell of a row, at least; else it begins below the others.
const LEAST: usize = 16;

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

    /// `STUCK  run.jsonl   Claude Code session, 12 records`, and below it what is said of it.
    fn verdict(&mut self, heading: &[StyledSpan], lead: &Lead) -> io::Result<()> {
        let style = self.style;
        let at = heading
            .iter()
            .position(|span| matches!(span.look, Look::Place(_)))
            .unwrap_or(heading.len());
        let (verdict, place) = heading.split_at(at);
        let left = match width(&words(verdict)) {
            0 => 0,
            wide => wide + 2,
        };
        let (place, aside) = match place.split_first() {
            Some((place, aside)) => (place, words(aside)),
            None => return self.text("", 0, heading),
        };
        let aside = match aside.as_str() {
            "" => String::new(),
            aside => format!("  ({aside})"),
        };
        let verdict = lines(verdict, style.width.saturating_sub(HANGING), 0, style);
        // A long verdict or path continues on the next line before either is shortened.
        let has_room = left <= SHORT_VERDICT || left + width(&place.text) <= style.width;
        let is_below = verdict.len() > 1 || !has_room;
        let before = if is_below { HANGING } else { left };
        let path = style.path(&place.text, before + width(&aside));
        let next_line = format!("\n{}", " ".repeat(HANGING));
        if left > 0 {
            let gap = if is_below { &next_line } else { "  " };
            write!(self.out, "{}{gap}", verdict.join(&next_line))?;
        }
        let used = left + width(&path) + width(&aside);
        let painted = paint(Tone::Strong, &path).to_string();
        let painted = match &place.look {
            Look::Place(target) => link::around(target.as_deref(), &painted),
            _ => painted,
        };
        write!(self.out, "{painted}{aside}")?;
        let indent = if left > SHORT_VERDICT { HANGING } else { left.max(HANGING) };
        let facts = &lead.facts;
        if facts.is_empty() || used + 3 + width(facts) > style.width {
            writeln!(self.out)?;
            return self.lead(indent, lead);
        }
        writeln!(self.out, "   {facts}")?;
        self.says(indent, lead.known.iter().chain(&lead.says))
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

    /// `STUCK       run.jsonl  TD104`; the reason why something was not checked is in the lines below it, where it has no room.
    fn index_line(&mut self, line: &IndexLine) -> io::Result<()> {
        let style = self.style;
        let (tone, word) = line.mark.words();
        let margin = " ".repeat(self.indent);
        let is_verdict = matches!(line.mark, LineMark::Verdict(_));
        let (word, says) = if is_verdict {
            (pad(word, VERDICT), line.says.clone())
        } else {
            (word.to_owned(), format!("  {}", line.says))
        };
        let used = self.indent + width(&word) + 2;
        let beside = if is_verdict { width(&says) } else { 0 };
        let name = match line.name.look {
            Look::Name => style.path(&line.name.text, used + beside),
            _ => {
                let room = style.width.saturating_sub(used + beside);
                style.draw(&fit(&line.name.text, room))
            }
        };
        write!(self.out, "{margin}{}  {name}", paint(tone, &word))?;
        if is_verdict || used + width(&name) + width(&says) <= style.width {
            return writeln!(self.out, "{says}");
        }
        writeln!(self.out)?;
        self.says(HANGING, std::iter::once(&line.says))
    }

    /// `fatal[TD104] two results answer one call                fix: safe`
    fn title(&mut self, heading: &[StyledSpan]) -> io::Result<()> {
        let (head, rest) = match heading.split_first() {
            Some((head, rest)) => (std::slice::from_ref(head), rest),
            None => (heading, heading),
        };
        let (said, fix) = match rest.split_last() {
            Some((fix, said)) if matches!(fix.look, Look::Label(_)) => (said, Some(fix)),
            _ => (rest, None),
        };
        let columns = self.style.width.saturating_sub(HANGING);
        let used = (width(&words(head)) + 1).saturating_sub(HANGING);
        let plain = wrap(&words(said), columns, used);
        let before = match plain.len() {
            1 => width(&words(head)) + 1,
            _ => HANGING,
        };
        let left = before + plain.last().map_or(0, |line| width(line));
        let indent = " ".repeat(HANGING);
        let said = lines(said, columns, used, self.style).join(&format!("\n{indent}"));
        let head = lines(head, usize::MAX, 0, self.style).concat();
        write!(self.out, "{head} {said}")?;
        let Some(fix) = fix else {
            return writeln!(self.out);
        };
        let painted = lines(std::slice::from_ref(fix), usize::MAX, 0, self.style).concat();
        if left + 2 + width(&fix.text) > self.style.width {
            return writeln!(self.out, "\n{indent}{painted}");
        }
        // After the message, at the right edge of 80 columns where there is room for it.
        let edge = self.style.width.min(80);
        let edge = edge.saturating_sub(width("fix: you decide"));
        let blanks = edge.saturating_sub(left).max(2);
        writeln!(self.out, "{}{painted}", " ".repeat(blanks))
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

    /// `  STUCK 2  HEALTHY 30`
    fn verdicts(&mut self, table: &CountTable) -> io::Result<()> {
        let mut used = 0;
        for row in &table.rows {
            let [TableCell::Verdict(verdict), TableCell::Count(count)] = row.as_slice() else {
                continue;
            };
            let (word, count) = (verdict_word(*verdict), grouped(*count));
            let wide = width(word) + width(&count) + 3;
            if used > 0 && used + wide > self.style.width {
                writeln!(self.out)?;
                used = 0;
            }
            used += wide;
            write!(self.out, "  {} {count}", paint(of_verdict(*verdict), word))?;
        }
        writeln!(self.out)
    }

    /// What was counted, below the heads of its columns: only the first counts where there is little room, and what has none
    /// at the end of a row is below it.
    fn counts(&mut self, table: &CountTable) -> io::Result<()> {
        let margin = " ".repeat(self.indent);
        let names = table.rows.iter().map(|row| width(&row_name(row))).max();
        let names = names.unwrap_or(0);
        let counts = (1..table.head.len()).filter(|column| table.counts(*column));
        let most = if self.style.is_narrow() { 1 } else { usize::MAX };
        let counts: Vec<usize> = counts.take(most).collect();
        // Heads and rows are padded alike, or the columns would not meet.
        let line = |name: &str, cell: &dyn Fn(usize) -> String| {
            let counts = counts.iter().map(|column| {
                let wide = table.head.get(*column).map_or(0, |head| width(head));
                format!("  {:>wide$}", cell(*column))
            });
            format!("{margin}{}{}", pad(name, names), counts.collect::<String>())
        };
        let head = |column: usize| table.head.get(column).copied().unwrap_or_default();
        let last = table.head.last().copied().unwrap_or_default();
        let heads = line(head(0), &|column| head(column).to_owned());
        writeln!(self.out, "{heads}  {last}")?;
        for row in &table.rows {
            let counted =
                line(&row_name(row), &|column| row.get(column).map(cell_words).unwrap_or_default());
            let words = row.last().map(cell_words).unwrap_or_default();
            let is_wide = width(&counted) + 2 + width(&words) > self.style.width;
            let gap = if words.is_empty() {
                String::new()
            } else if is_wide {
                format!("\n{margin}{}{last}: ", " ".repeat(HANGING))
            } else {
                String::from("  ")
            };
            let painted = row.last().map(painted).unwrap_or_default();
            writeln!(self.out, "{}{gap}{painted}", counted.trim_end())?;
        }
        Ok(())
    }

    /// The rows below each other; only what they are about where little is asked for.
    fn table(&mut self, table: &CountTable) -> io::Result<()> {
        if self.style.detail == Detail::Verdicts {
            let mut keys = table.rows.iter().filter_map(|row| row.first());
            return keys.try_for_each(|cell| match cell {
                TableCell::Rule(code, _) => writeln!(self.out, "{code}"),
                cell => writeln!(self.out, "{}", cell_words(cell)),
            });
        }
        // With counts, columns are aligned at the right; words are aligned at the left.
        if table.counts(1) {
            let is_of_verdicts = matches!(table.rows.as_slice(), [row, ..] if row.len() == 2);
            return if is_of_verdicts { self.verdicts(table) } else { self.counts(table) };
        }
        let rows: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(cell_words).collect()).collect();
        let columns = 0..table.head.len().saturating_sub(1);
        let wide = columns.map(|n| {
            let cells = rows.iter().filter_map(|row| row.get(n));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        });
        let wide: Vec<usize> = wide.collect();
        for (row, words) in table.rows.iter().zip(&rows) {
            let cells = row.iter().zip(words).zip(&wide);
            let head: String = cells
                .map(|((cell, words), wide)| match tone(cell) {
                    Some(tone) => format!("{}  ", paint(tone, &pad(words, *wide))),
                    None => format!("{}  ", pad(words, *wide)),
                })
                .collect();
            let used = wide.iter().map(|wide| wide + 2).sum::<usize>();
            let last = words.last().map(String::as_str).unwrap_or_default();
            self.row(&head, used, last)?;
        }
        Ok(())
    }

    /// A row: its painted cells of so many columns, and the words of the last one. A table that is all there is has a line
    /// for each row where programs search it, elsewhere than on a screen.
    fn row(&mut self, head: &str, used: usize, last: &str) -> io::Result<()> {
        if self.indent == 0 && !self.style.is_screen {
            let line = format!("{head}{}", self.style.draw(last));
            return writeln!(self.out, "{}", line.trim_end());
        }
        let margin = " ".repeat(self.indent);
        let room = self.columns.saturating_sub(used + self.indent);
        let is_below = room < LEAST && room < width(last);
        let hang = if is_below { HANGING } else { used };
        let room = self.columns.saturating_sub(hang + self.indent);
        if is_below {
            writeln!(self.out, "{margin}{}", head.trim_end())?;
        }
        for (at, line) in wrap(last, room, 0).iter().enumerate() {
            let blank = " ".repeat(hang);
            let head = if at == 0 && !is_below { head } else { &blank };
            let line = self.style.draw(line);
            writeln!(self.out, "{}", format!("{margin}{head}{line}").trim_end())?;
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

fn row_name(row: &[TableCell]) -> String {
    match row.first() {
        Some(TableCell::Rule(code, name)) => format!("{code} {name}"),
        cell => cell.map(cell_words).unwrap_or_default(),
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

fn cell_words(cell: &TableCell) -> String {
    match cell {
        TableCell::Word(word) | TableCell::Key(word) => (*word).to_owned(),
        TableCell::Words(_) | TableCell::Fixes(_) => cell.words().join(", "),
        TableCell::Count(count) => grouped(*count),
        TableCell::Verdict(verdict) => verdict_word(*verdict).to_owned(),
        TableCell::Level(level) => level_word(*level).to_owned(),
        TableCell::Rule(code, name) => format!("{code}  {name}"),
    }
}

fn tone(cell: &TableCell) -> Option<Tone> {
    match cell {
        TableCell::Key(_) => Some(Tone::Strong),
        TableCell::Level(level) => Some(of_level(*level)),
        TableCell::Verdict(verdict) => Some(of_verdict(*verdict)),
        TableCell::Word(_)
        | TableCell::Words(_)
        | TableCell::Fixes(_)
        | TableCell::Count(_)
        | TableCell::Rule(..) => None,
    }
}

/// The words of a cell in their colors.
fn painted(cell: &TableCell) -> String {
    match cell {
        TableCell::Fixes(fixes) => {
            let painted = fixes.iter().map(|own| paint(of_fix(*own), fix_word(*own)));
            painted.map(|word| word.to_string()).collect::<Vec<_>>().join(", ")
        }
        cell => cell_words(cell),
    }
}

/// A text as a terminal shows it, without colors.
fn words(text: &[StyledSpan]) -> String {
    let mut out = String::new();
    for (at, span) in text.iter().enumerate() {
        if document::apart(text, at) {
            out.push(' ');
        }
        out.push_str(&shown(span));
    }
    out
}

fn shown(span: &StyledSpan) -> String {
    match &span.look {
        Look::Code => format!("`{}`", span.text),
        Look::Finding(level, code) => format!("{}[{code}]", level_word(*level)),
        _ => span.text.clone(),
    }
}

/// A text in lines of at most `columns`, the first one after `used` columns, in colors.
fn lines(text: &[StyledSpan], columns: usize, used: usize, style: &OutputStyle) -> Vec<String> {
    // The look of each visible character: wrapping only changes spaces.
    let looks: Vec<&Look> = text
        .iter()
        .flat_map(|span| {
            let visible = shown(span).chars().filter(|c| *c != ' ').count();
            std::iter::repeat_n(&span.look, visible)
        })
        .collect();
    let mut looks = looks.into_iter();
    let words = words(text);
    // What fits keeps its blanks.
    let lines = if used.saturating_add(width(&words)) > columns {
        wrap(&words, columns, used)
    } else {
        vec![words]
    };
    let painted = lines.iter().map(|line| colored(line, &mut looks, style));
    painted.collect()
}

fn colored<'l>(
    line: &str,
    looks: &mut impl Iterator<Item = &'l Look>,
    style: &OutputStyle,
) -> String {
    let mut runs: Vec<(String, Option<&Look>)> = Vec::new();
    for c in line.chars() {
        let look = if c == ' ' { None } else { looks.next() };
        match runs.last_mut() {
            // A blank takes the look of what is before it.
            Some((run, last)) if c == ' ' || *last == look => run.push(c),
            _ => runs.push((c.to_string(), look)),
        }
    }
    let painted = runs.iter().map(|(run, look)| {
        let run = style.draw(run);
        let end = run.trim_end_matches(' ').len();
        let (run, blanks) = run.split_at(end);
        match look {
            Some(look) => format!("{}{blanks}", colors(look, run)),
            None => format!("{run}{blanks}"),
        }
    });
    painted.collect()
}

fn colors(look: &Look, run: &str) -> String {
    let tone = match look {
        Look::Plain | Look::Code | Look::Name | Look::To(_) => return run.to_owned(),
        Look::Place(target) => {
            let painted = paint(Tone::Place, run).to_string();
            return link::around(target.as_deref(), &painted);
        }
        Look::Strong => Tone::Strong,
        Look::Quiet => Tone::Dim,
        Look::Label(tone) => *tone,
        Look::Finding(level, _) => of_level(*level),
    };
    paint(tone, run).to_string()
}

#[cfg(test)]
mod tests;
