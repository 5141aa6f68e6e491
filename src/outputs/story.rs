//! The story of a recording, for people.

pub(crate) mod words;

use std::io::{self, Write};

use super::human::{self, fix_line, title};
use super::layout::TextLayout;
use super::paint::{Tone, paint};
use super::wrap::wrap;
use super::{Detail, Style};
use crate::explain::Answer;
use crate::explain::story::{Account, Line, Story};
use crate::report::ladder::{Frame, ladder};
use crate::report::model::{Finding, Level, Verdict};
use crate::report::text::width;

/// Rows of a timeline, at most.
const ROWS: usize = 200;
/// Calls that are named one by one, at most, unless everything is asked for.
pub(crate) const NAMED: usize = 20;

/// Prints an account: verdict, what happened, whether it is safe to go on, the timeline, the next command.
pub(crate) fn write(account: &Account, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let page = Page {
        account,
        layout: TextLayout::new(style, account.call_ids()),
    };
    human::heading(&account.conversation, out, style)?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    page.summary(out)?;
    for (at, story) in account.stories.iter().enumerate() {
        page.story(at, story, out)?;
    }
    page.unexplained(out)?;
    page.recorded(out)?;
    page.go_on(out)?;
    page.prevent(out)?;
    page.cuts(out)?;
    page.timeline(out)?;
    let next = account.next;
    let next = next.and_then(|next| {
        style
            .next
            .for_path(next.command, next.options, &account.conversation.path)
    });
    if let Some(line) = &next {
        writeln!(out, "\nNext:  {}", paint(Tone::Strong, line))?;
    }
    page.then(next.is_some(), out)
}

struct Page<'a> {
    account: &'a Account,
    layout: TextLayout<'a>,
}

impl Page<'_> {
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        self.layout.write("", &words::summary(self.account), out)
    }

    fn story(&self, at: usize, story: &Story, out: &mut dyn Write) -> io::Result<()> {
        let count = match self.account.stories.len() {
            1 => String::new(),
            all => format!(" ({} of {all})", at + 1),
        };
        let head = paint(Tone::Strong, &format!("What happened{count}"));
        writeln!(out, "\n{head}  (certain unless marked)")?;
        for (number, line) in story.lines.iter().enumerate() {
            self.line(number + 1, line, story, out)?;
        }
        if !story.so.is_empty() {
            self.layout.write("", &story.so.to_string(), out)?;
        }
        if !story.doubt.is_empty() {
            self.layout
                .write("", &format!("Other explanation: {}", story.doubt), out)?;
        }
        let more = [
            words::also(story, &self.layout),
            words::more(story, &self.layout),
        ];
        more.iter()
            .flatten()
            .try_for_each(|more| self.layout.write("", more, out))
    }

    /// `  1. Event 61: the agent started … .      09:48:05.911`, and what is said behind it.
    fn line(
        &self,
        number: usize,
        line: &Line,
        story: &Story,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let head = format!("  {number}. ");
        let lines = words::line(line);
        let time = words::clock(line, story);
        // The times stand at the right edge; sentences keep clear of them.
        let edge = self.layout.columns.saturating_sub(width(&time));
        let room = edge.saturating_sub(width(&head) + 2);
        let blank = " ".repeat(width(&head));
        for (at, text) in lines
            .iter()
            .flat_map(|text| wrap(text, room, 0))
            .enumerate()
        {
            let mut row = format!("{}{text}", if at == 0 { &head } else { &blank });
            if at == 0 && !time.is_empty() {
                row.push_str(&" ".repeat(edge.saturating_sub(width(&row)).max(2)));
                row.push_str(&time);
            }
            writeln!(out, "{}", self.layout.style.draw(&row))?;
        }
        Ok(())
    }

    /// The findings that no story explains: what is damage first, then notes.
    fn unexplained(&self, out: &mut dyn Write) -> io::Result<()> {
        let conversation = &self.account.conversation;
        let all = self
            .account
            .unexplained
            .iter()
            .filter_map(|at| conversation.findings.get(*at));
        let (notes, damage): (Vec<&Finding>, Vec<&Finding>) =
            all.partition(|f| f.severity == Level::Note);
        let head = match self.account.stories.is_empty() {
            true if self.account.has_recorded_cause() => "The recorded error",
            true => "Cause unknown. Problems in order",
            false => "Cause unknown for the rest",
        };
        self.findings(head, &damage, out)?;
        if self.layout.style.detail == Detail::All || conversation.verdict == Verdict::Pending {
            self.findings("Worth knowing", &notes, out)?;
        }
        Ok(())
    }

    fn findings(&self, head: &str, findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
        if findings.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", paint(Tone::Strong, head))?;
        let most = self.layout.most(NAMED);
        for finding in findings.iter().take(most) {
            title(finding, out, self.layout.style)?;
            human::place(
                finding,
                &self.account.conversation.path,
                out,
                self.layout.style,
            )?;
            for effect in &finding.consequences {
                let text = format!("explains {}: {}", effect.code, effect.message);
                self.layout.write_indented("  ", &text, out)?;
            }
            fix_line(finding, out, self.layout.style)?;
        }
        match self.layout.left_out(findings.len(), NAMED) {
            Some(more) => writeln!(out, "and {more} more; -v shows them"),
            None => Ok(()),
        }
    }

    fn recorded(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(recorded) = &self.account.recorded else {
            return Ok(());
        };
        writeln!(out)?;
        let head = format!("{}:  ", words::recorded_at(recorded));
        self.layout.write(
            &head,
            &words::recorded(recorded, self.account, &self.layout),
            out,
        )
    }

    fn go_on(&self, out: &mut dyn Write) -> io::Result<()> {
        let go_on = &self.account.go_on;
        writeln!(out)?;
        let says = words::go_on(go_on);
        self.layout.write("Safe to continue?  ", &says, out)?;
        let conversation = &self.account.conversation;
        let open = conversation
            .findings
            .iter()
            .filter(|finding| finding.fix.class != "safe");
        for finding in open
            .filter(|finding| !finding.choices.is_empty() || !finding.advice.is_empty())
            .take(self.layout.most(NAMED))
        {
            human::choices(finding, &conversation.path, out, self.layout.style)?;
        }
        for effect in go_on.effects.iter().take(self.layout.most(NAMED)) {
            self.layout.write(
                "  Check side effects:  ",
                &words::effect(effect, &self.layout),
                out,
            )?;
        }
        match self.layout.left_out(go_on.effects.len(), NAMED) {
            Some(more) => writeln!(out, "  and {more} more; -v shows them"),
            None => Ok(()),
        }
    }

    /// Where a compaction may cut, the cuts that keep least first: only for those who want to know everything.
    fn cuts(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.account.cuts {
            Some(cuts) if self.layout.style.detail == Detail::All => {
                self.layout
                    .write("Safe cut points:  ", &words::cuts(cuts, &self.layout), out)
            }
            _ => Ok(()),
        }
    }

    fn prevent(&self, out: &mut dyn Write) -> io::Result<()> {
        let advice = words::prevent(self.account);
        advice
            .into_iter()
            .try_for_each(|text| self.layout.write("Prevent it: ", text, out))
    }

    /// How to go on in the host, once that is safe.
    fn then(&self, repaired: bool, out: &mut dyn Write) -> io::Result<()> {
        let conversation = &self.account.conversation;
        match self.account.go_on.answer {
            Answer::AfterRepair if repaired => {
                human::resume(conversation, "Then:  ", out, self.layout.style)
            }
            Answer::Yes if human::can_go_on(conversation) && conversation.resume.is_some() => {
                writeln!(out)?;
                human::resume(conversation, "Go on: ", out, self.layout.style)
            }
            _ => Ok(()),
        }
    }

    fn timeline(&self, out: &mut dyn Write) -> io::Result<()> {
        let records = &self.account.timeline;
        if records.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", paint(Tone::Strong, "Timeline"))?;
        let shown = records.get(..records.len().min(ROWS)).unwrap_or_default();
        for row in ladder(
            shown,
            Frame {
                width: self.layout.style.width,
                ids: &self.layout.ids,
                alone: "",
            },
        ) {
            writeln!(out, "{}", self.layout.style.draw(&row))?;
        }
        match records.len().checked_sub(ROWS).filter(|more| *more > 0) {
            Some(more) => {
                writeln!(
                    out,
                    "    and {more} more; --around and --context choose, --format json has all"
                )
            }
            None => Ok(()),
        }
    }
}
