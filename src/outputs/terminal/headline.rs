//! The first lines of conversations and findings.

use std::io;

use super::spans::{lines, words};
use super::{HANGING, Terminal};
use crate::outputs::document::{IndexLine, Lead, LineMark, Look, StyledSpan};
use crate::outputs::link;
use crate::outputs::paint::{Tone, paint};
use crate::outputs::wrap::wrap;
use crate::report::text::{fit, pad, width};

/// Columns of a verdict in an index.
const VERDICT: usize = 10;
/// Columns of a verdict up to which the lines below it begin where the name next to it does.
const SHORT_VERDICT: usize = 12;

impl Terminal<'_> {
    /// `STUCK  run.jsonl   Claude Code session, 12 records`, and below it what is said of it.
    pub(super) fn verdict(&mut self, heading: &[StyledSpan], lead: &Lead) -> io::Result<()> {
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

    /// `STUCK       run.jsonl  TD104`; the reason why something was not checked is in the lines below it, where it has no room.
    pub(super) fn index_line(&mut self, line: &IndexLine) -> io::Result<()> {
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
    pub(super) fn title(&mut self, heading: &[StyledSpan]) -> io::Result<()> {
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
}
