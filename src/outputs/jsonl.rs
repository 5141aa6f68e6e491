//! One JSON object per conversation, a line each, then one with the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::json::value;
use super::{Detail, OutputStyle};
use crate::report::model::{
    BaselineUse, Report, Selection, Skipped, Summary, Tool, Unchecked, is_zero,
};

/// The last line: all that a report holds next to its conversations.
#[derive(Serialize)]
struct ReportEnd<'a> {
    schema: &'static str,
    tool: &'a Tool,
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<&'a Selection>,
    summary: &'a Summary,
    not_checked: &'a [Unchecked],
    skipped: &'a [Skipped],
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineUse>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    exit_code: u8,
}

/// Prints the report; `-qq` prints nothing.
pub(crate) fn write(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    conversations(report, out, style)?;
    end(report, out, style)
}

/// Prints the conversations of a report, or of a part of it.
pub(crate) fn conversations(
    report: &Report,
    out: &mut dyn Write,
    style: &OutputStyle,
) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    report.conversations.iter().try_for_each(|conversation| value(conversation, out))
}

/// Prints the last line.
pub(crate) fn end(report: &Report, out: &mut dyn Write, style: &OutputStyle) -> io::Result<()> {
    if style.detail == Detail::Nothing {
        return Ok(());
    }
    let end = ReportEnd {
        schema: report.schema,
        tool: &report.tool,
        target: report.target,
        selection: report.selection.as_ref(),
        summary: &report.summary,
        not_checked: &report.not_checked,
        skipped: &report.skipped,
        baseline: report.baseline,
        left_out: report.left_out,
        exit_code: report.exit_code,
    };
    value(&end, out)
}

/// Prints the record of a row.
pub(crate) fn record(record: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value(record, out)
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::report::sample;
    use serde_json::Value;

    #[test]
    fn the_lines_are_the_report() {
        let report = sample::many();
        let style = OutputStyle::default();
        let lines: Vec<Value> = text("jsonl", &report, &style)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut whole: Value = serde_json::from_str(&text("json", &report, &style)).unwrap();
        let (end, conversations) = lines.split_last().unwrap();
        let all = whole.as_object_mut().unwrap().remove("conversations").unwrap();
        assert_eq!((all, &whole), (Value::from(conversations), end));
    }
}
