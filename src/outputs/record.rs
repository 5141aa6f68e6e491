//! One record, for people.

use std::io::{self, Write};

use super::human::level_word;
use super::layout::TextLayout;
use super::paint::{Tone, of_level, paint};
use super::{Detail, Style, grouped, many};
use crate::explain::cuts::{Cut, CutBefore};
use crate::explain::record::{Held, Known, Records, Ref};
use crate::report::text::Shown;

/// Records that are named in a list, at most, unless everything is asked for.
const NAMED: usize = 10;

/// Prints what is known of records, a paragraph each.
pub(crate) fn write(records: &Records, out: &mut dyn Write, style: &Style) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let page = Page {
        layout: TextLayout::new(style, ids(records).into_iter()),
    };
    for (at, known) in records.records.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        page.known(known, out)?;
    }
    match records.left_out {
        0 => Ok(()),
        more => writeln!(out, "\nand {more} more"),
    }
}

/// The ids that are named.
pub(crate) fn ids(records: &Records) -> Vec<&Shown> {
    let mut all: Vec<&Shown> = Vec::new();
    for known in &records.records {
        let named = known
            .parent
            .iter()
            .chain(&known.children)
            .chain(known.holds.iter().flat_map(|h| &h.pair));
        all.extend(named.filter_map(|named| named.id.as_ref()));
        all.extend(known.holds.iter().filter_map(|held| held.id.as_ref()));
        all.extend(known.record.id.iter().chain(&known.missing_parent));
    }
    all
}

struct Page<'a> {
    layout: TextLayout<'a>,
}

impl Page<'_> {
    fn known(&self, known: &Known, out: &mut dyn Write) -> io::Result<()> {
        for line in lines(known, &self.layout) {
            writeln!(out, "{}", self.layout.style.draw(&line))?;
        }
        if let Some(words) = &known.preview {
            writeln!(out, "says: {}", paint(Tone::Dim, &format!("\"{words}\"")))?;
        }
        for finding in &known.findings {
            let code = format!("{}[{}]", level_word(finding.severity), finding.code);
            writeln!(
                out,
                "{} {}",
                paint(of_level(finding.severity), &code),
                finding.message
            )?;
        }
        Ok(())
    }
}

/// What is known of a record, a line each.
pub(crate) fn lines(known: &Known, layout: &TextLayout<'_>) -> Vec<String> {
    let words = Words { layout };
    let mut facts = vec![format!("{} {}", known.unit, known.number)];
    facts.extend(known.record.file.as_ref().map(Shown::whole));
    facts.extend(
        known
            .record
            .byte
            .map(|[a, b]| format!("bytes {}–{}", grouped(a), grouped(b))),
    );
    let kind = known
        .record
        .kind
        .as_ref()
        .map_or_else(|| known.record.role.to_owned(), Shown::to_string);
    let id = known
        .record
        .id
        .as_ref()
        .map(|id| format!(" {}", layout.ids.text(id)))
        .unwrap_or_default();
    facts.push(format!("{kind}{id}"));
    facts.extend(
        known
            .parent
            .as_ref()
            .map(|parent| words.parent(known, parent)),
    );
    facts.extend(known.missing_parent.as_ref().map(|id| {
        format!(
            "names the parent {}, which does not exist",
            layout.ids.text(id)
        )
    }));
    facts.extend(known.api_index.map(|index| format!("API message {index}")));
    facts.push(known.inclusion.to_owned());
    let mut lines = vec![facts.join(" · ")];
    lines.extend(known.holds.iter().map(|held| words.held(known, held)));
    lines.extend(known.cut.as_ref().map(cut));
    let children = if known.children.is_empty() {
        "none".to_owned()
    } else {
        words.list(&known.children)
    };
    lines.push(format!("children: {children}"));
    lines
}

struct Words<'a> {
    layout: &'a TextLayout<'a>,
}

impl Words<'_> {
    fn parent(&self, known: &Known, parent: &Ref) -> String {
        let id = parent
            .id
            .as_ref()
            .map(|id| format!(" {}", self.layout.ids.text(id)))
            .unwrap_or_default();
        format!("parent{id} ({} {})", known.unit, parent.number)
    }

    /// `call: terminal toolu_019Mg…DRQe · no result`
    fn held(&self, known: &Known, held: &Held) -> String {
        let tool = held
            .tool
            .as_ref()
            .map(|tool| format!(" {tool}"))
            .unwrap_or_default();
        let id = held
            .id
            .as_ref()
            .map(|id| format!(" {}", self.layout.ids.text(id)))
            .unwrap_or_default();
        let pair = if held.pair.is_empty() {
            String::new()
        } else {
            let by = if held.what == "call" && held.standing != "a copy of another tool call" {
                " by"
            } else {
                ""
            };
            format!("{by} {} {}", known.unit, self.list(&held.pair))
        };
        format!("{}:{tool}{id} · {}{pair}", held.what, held.standing)
    }

    /// The numbers of records.
    fn list(&self, refs: &[Ref]) -> String {
        self.layout
            .list(refs.iter().map(|named| named.number), NAMED)
    }
}

/// `cut in front of it: safe, 4 messages stay`, or what stands in its way and where the nearest safe ones are.
fn cut(here: &CutBefore) -> String {
    let place = |cut: &Cut| format!("{} {} ({} stay)", cut.unit, cut.number, cut.keeps);
    let Some(obstacle) = here.obstacle else {
        let alone = if here.cut.begins_with_user {
            ""
        } else {
            ", after a summary"
        };
        return format!(
            "cut before it: safe, {} stay{alone}",
            many(here.cut.keeps as u64, "message")
        );
    };
    let near: Vec<String> = here
        .keeps_more
        .iter()
        .chain(&here.keeps_less)
        .map(place)
        .collect();
    let near = match near.is_empty() {
        true => "no other cut is safe".to_owned(),
        false => format!("nearest safe cut: before {}", near.join(" or ")),
    };
    format!("cut before it: not safe, {obstacle}; {near}")
}
