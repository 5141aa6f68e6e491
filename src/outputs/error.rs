//! What a pasted error comes to, for people.

use std::io::{self, Write};

use super::human::{self, fix_line, title};
use super::layout::TextLayout;
use super::paint::{Tone, paint};
use super::{Detail, Style};
use crate::explain::error::{Account, Answer, IndexCheck, Read};
use crate::report::ladder::{Frame, ladder};
use crate::report::model::Sure;
use crate::report::text::width;

/// Findings that are told, at most, unless everything is asked for.
const SHOWN: usize = 10;
/// Numbers in a list, at most, unless everything is asked for.
pub(crate) const NUMBERS: usize = 10;

/// Prints an account: what the text says, what was found for it, what stands there, the findings, the next command.
pub(crate) fn write(account: &Account, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let page = Page {
        account,
        layout: TextLayout::new(style, account.call_ids()),
    };
    page.layout
        .write_indented("Read:   ", &read(&account.read, &page.layout), out)?;
    page.found(out)?;
    if style.detail == Detail::Verdicts {
        return Ok(());
    }
    page.answers(out)?;
    page.says(out)?;
    page.records(out)?;
    page.findings(out)?;
    let path = &account.conversation.path;
    let next = account
        .next
        .and_then(|next| style.next.for_path(next.command, next.options, path));
    let Some(line) = next else { return Ok(()) };
    writeln!(out, "\nNext:   {}", paint(Tone::Strong, &line))?;
    match human::a_repair_suffices(&account.conversation) {
        true => human::resume(&account.conversation, "Then:   ", out, style),
        false => Ok(()),
    }
}

struct Page<'a> {
    account: &'a Account,
    layout: TextLayout<'a>,
}

impl Page<'_> {
    /// `Found:  run.jsonl, by its ids`
    fn found(&self, out: &mut dyn Write) -> io::Result<()> {
        const HEAD: &str = "Found:  ";
        let (tone, rest) = found(self.account);
        let path = self.account.conversation.path.whole();
        let path = self.layout.style.path(&path, width(HEAD));
        match width(HEAD) + width(&path) + width(&rest) <= self.layout.columns {
            true => writeln!(out, "{HEAD}{}{rest}", paint(tone, &path))?,
            false => {
                writeln!(out, "{HEAD}{}", paint(tone, &path))?;
                let rest = rest.trim_start_matches([',', ':', ' ']);
                self.layout
                    .write_indented(&" ".repeat(width(HEAD)), rest, out)?;
            }
        }
        match human::introduction(&self.account.conversation) {
            Some(known) => self.layout.write_indented("        ", &known, out),
            None => Ok(()),
        }
    }

    fn answers(&self, out: &mut dyn Write) -> io::Result<()> {
        let some = !self.account.answers.is_empty() || !self.account.index_checks.is_empty();
        if some {
            writeln!(out)?;
        }
        for answer in self.account.answers.iter().take(self.layout.most(NUMBERS)) {
            self.layout
                .write_indented("  ", &self::answer(answer, &self.layout), out)?;
        }
        if let Some(more) = self.layout.left_out(self.account.answers.len(), NUMBERS) {
            writeln!(out, "  and {more} more ids; -v shows them")?;
        }
        for check in &self.account.index_checks {
            self.layout
                .write_indented("  ", &index(check, &self.layout), out)?;
        }
        Ok(())
    }

    fn says(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.account.says.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        self.layout.write_indented("", self.account.says, out)
    }

    fn records(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.account.read.no_damage || self.account.records.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let frame = Frame {
            width: self.layout.style.width,
            ids: &self.layout.ids,
            alone: "",
        };
        for row in ladder(&self.account.records, frame) {
            writeln!(out, "{}", self.layout.style.draw(&row))?;
        }
        Ok(())
    }

    fn findings(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.account.read.no_damage {
            return Ok(());
        }
        let all = &self.account.conversation.findings;
        let most = self.layout.most(SHOWN);
        let finding = |at: &usize| all.get(*at);
        for finding in self.account.findings.iter().filter_map(finding).take(most) {
            writeln!(out)?;
            title(finding, out, self.layout.style)?;
            fix_line(finding, out, self.layout.style)?;
            human::choices(
                finding,
                &self.account.conversation.path,
                out,
                self.layout.style,
            )?;
        }
        if let Some(more) = self.layout.left_out(self.account.findings.len(), SHOWN) {
            writeln!(out, "\nand {more} more; -v shows them")?;
        }
        if !self.account.others.is_empty() {
            writeln!(out, "\nAlso in this transcript:")?;
            for finding in self.account.others.iter().filter_map(finding).take(most) {
                title(finding, out, self.layout.style)?;
            }
            if let Some(more) = self.layout.left_out(self.account.others.len(), SHOWN) {
                writeln!(out, "and {more} more; -v shows them")?;
            }
        }
        Ok(())
    }
}

/// `Anthropic · a call has no result in the next message · message 21 · id toolu_019Mg…DRQe`
pub(crate) fn read(read: &Read, layout: &TextLayout<'_>) -> String {
    let mut facts = match read.speaker {
        "" => vec!["not a known error text".to_owned()],
        speaker => vec![speaker.to_owned(), read.means.to_owned()],
    };
    if !read.indices.is_empty() {
        facts.push(format!(
            "message {}",
            layout.list(read.indices.iter(), NUMBERS)
        ));
    }
    if !read.ids.is_empty() {
        let ids = read.ids.iter().map(|id| layout.ids.text(id));
        let word = if read.ids.len() == 1 { "id" } else { "ids" };
        facts.push(format!("{word} {}", layout.list(ids, NUMBERS)));
    }
    facts.join(" · ")
}

/// What was found for the text, behind the path.
pub(crate) fn found(account: &Account) -> (Tone, String) {
    match (account.found, account.read.no_damage) {
        (_, true) => (Tone::Good, ": not a problem of the transcript".to_owned()),
        (false, _) => (Tone::Warn, ": nothing matches this text".to_owned()),
        (true, _) => {
            let by = match account.evidence {
                "ids" => "by the ids in the text",
                "index" => "by the number of the message",
                _ => "by the kind of problem only",
            };
            let sure = match account.certainty {
                Sure::Certain => "",
                Sure::Likely => " (likely)",
                Sure::Guess => " (a guess)",
            };
            (Tone::Strong, format!(", {by}{sure}"))
        }
    }
}

/// `toolu_019Mg…DRQe has more than one result: line 88, 90 (its call: line 87)`
pub(crate) fn answer(answer: &Answer, layout: &TextLayout<'_>) -> String {
    let id = answer.id.as_ref().unwrap_or(&answer.asked);
    let doubt = if answer.doubt.is_empty() {
        String::new()
    } else {
        format!(" ({})", answer.doubt)
    };
    let numbers = layout.list(answer.numbers.iter(), NUMBERS);
    let place = if numbers.is_empty() {
        String::new()
    } else {
        format!(": {} {numbers}", answer.unit)
    };
    let call = answer
        .call
        .map(|call| format!(" (its call: {} {call})", answer.unit))
        .unwrap_or_default();
    format!(
        "{}{doubt} {}{place}{call}",
        layout.ids.text(id),
        answer.says
    )
}

/// `index check: the text says message 21, our request says the same, line 88`
pub(crate) fn index(check: &IndexCheck, layout: &TextLayout<'_>) -> String {
    let numbers = layout.list(check.numbers.iter(), NUMBERS);
    let place = match check.numbers.is_empty() {
        true => ", which has no record".to_owned(),
        false => format!(", {} {numbers}", check.unit),
    };
    if check.api == check.ours {
        return format!(
            "index check: the error says message {}, and so do we{place}",
            check.api
        );
    }
    format!(
        "index check: the error says message {}, we count message {}{place}: the request had \
        other messages before it",
        check.api, check.ours
    )
}
