//! Single records.

use super::finding::label;
use super::{Look, PageBlock, PagePartKind, StyledSpan, StyledText, chapter, part, prose, says};
use crate::explain::cuts::CutBefore;
use crate::explain::record::{Held, RecordAccount, RecordsAccount, Ref};
use crate::outputs::layout::{Medium, TextLayout};
use crate::outputs::{OutputStyle, grouped, many};
use crate::report::text::Shown;

/// Records that are named in a list, at most, unless everything is asked for.
const NAMED: usize = 10;

/// What is known of some records.
pub(super) fn blocks(
    records: &RecordsAccount,
    style: &OutputStyle,
    medium: Medium,
) -> (String, Vec<PageBlock>) {
    let layout = TextLayout::new(style, medium, ids(records).into_iter());
    let path = records.path.whole();
    let known = records.records.iter();
    let mut blocks: Vec<PageBlock> = known.map(|known| self::known(known, &layout)).collect();
    if records.left_out > 0 {
        blocks.push(says(&format!("and {} more", records.left_out)));
    }
    let heading = vec![StyledSpan::new(Look::Name, path.clone())];
    (path, vec![part(PagePartKind::Page, heading, blocks)])
}

/// The IDs that are named.
fn ids(records: &RecordsAccount) -> Vec<&Shown> {
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

fn known(known: &RecordAccount, layout: &TextLayout<'_>) -> PageBlock {
    let words = RecordWords { layout };
    let mut lines = vec![words.facts(known)];
    lines.extend(known.holds.iter().map(|held| words.held(known, held)));
    lines.extend(known.cut.as_ref().map(cut));
    let next = if known.children.is_empty() {
        "none".to_owned()
    } else {
        words.list(known.unit, &known.children)
    };
    lines.push(format!("next: {next}"));
    let mut lines: Vec<StyledText> = lines.iter().map(|line| prose(line)).collect();
    if let Some(words) = &known.preview {
        lines.push(vec![
            StyledSpan::new(Look::Plain, "says: "),
            StyledSpan::new(Look::Name, format!("\"{words}\"")),
        ]);
    }
    for finding in &known.findings {
        let mut line = vec![label(finding.severity, finding.code)];
        line.extend(prose(&finding.message));
        lines.push(line);
    }
    let heading = format!("{} {}", known.unit, known.number);
    chapter(&heading, vec![PageBlock::List(lines)])
}

struct RecordWords<'a> {
    layout: &'a TextLayout<'a>,
}

impl RecordWords<'_> {
    /// Where it is, what it is, and what became of it.
    fn facts(&self, known: &RecordAccount) -> String {
        let record = &known.record;
        let mut facts: Vec<String> = record.file.iter().map(|file| file.shown().whole()).collect();
        let bytes = record.byte;
        facts.extend(bytes.map(|[a, b]| format!("bytes {}–{}", grouped(a), grouped(b))));
        let kind = record.kind.as_ref().map(Shown::to_string);
        let kind = kind.unwrap_or_else(|| record.role.to_owned());
        let id = record.id.as_ref().map(|id| format!(" {}", self.layout.ids.text(id)));
        facts.push(format!("{kind}{}", id.unwrap_or_default()));
        let parent = known.parent.as_ref();
        facts.extend(parent.map(|parent| self.parent(known, parent)));
        facts.extend(known.missing_parent.as_ref().map(|id| {
            let id = self.layout.ids.text(id);
            format!("names the parent {id}, which does not exist")
        }));
        facts.extend(known.api_index.map(|index| format!("API message {index}")));
        facts.push(known.inclusion.to_owned());
        facts.join(" · ")
    }

    fn parent(&self, known: &RecordAccount, parent: &Ref) -> String {
        let id = parent
            .id
            .as_ref()
            .map(|id| format!(" {}", self.layout.ids.text(id)))
            .unwrap_or_default();
        format!("parent{id} ({} {})", known.unit, parent.number)
    }

    /// `call: terminal toolu_019Mg…DRQe · no result`
    fn held(&self, known: &RecordAccount, held: &Held) -> String {
        let tool = held.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let id =
            held.id.as_ref().map(|id| format!(" {}", self.layout.ids.text(id))).unwrap_or_default();
        let pair = if held.pair.is_empty() {
            String::new()
        } else {
            let by = if held.what == "call" && held.standing != "a copy of another tool call" {
                " by"
            } else {
                ""
            };
            format!("{by} {}", self.list(known.unit, &held.pair))
        };
        format!("{}:{tool}{id} · {}{pair}", held.what, held.standing)
    }

    /// `lines 4 and 5`
    fn list(&self, unit: &str, refs: &[Ref]) -> String {
        let numbers: Vec<u64> = refs.iter().map(|named| named.number).collect();
        self.layout.numbered(unit, &numbers, NAMED)
    }
}

/// `compacting here: safe, 4 messages stay`, or what is in its way and where the nearest safe ones are.
fn cut(here: &CutBefore) -> String {
    let Some(obstacle) = here.obstacle else {
        let alone = if here.cut.begins_with_user { "" } else { ", after a summary" };
        return format!(
            "compacting here: safe, {} stay{alone}",
            many(here.cut.keeps as u64, "message")
        );
    };
    let near: Vec<String> = here
        .keeps_more
        .iter()
        .chain(&here.keeps_less)
        .map(|cut| format!("{} {} ({} stay)", cut.unit, cut.number, cut.keeps))
        .collect();
    let near = if near.is_empty() {
        "no other place is safe".to_owned()
    } else {
        format!("safe before {}", near.join(" or "))
    };
    format!("compacting here: not safe, {obstacle}; {near}")
}
