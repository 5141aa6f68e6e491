//! Writes Markdown: [`prose`] and [`code`] are the only ways for text that is not ours, and nothing in it can begin markup,
//! HTML, a link, or call somebody by name.

use crate::report::text::{escape, is_dangerous};

/// A document that is being written.
#[derive(Default)]
pub(super) struct Markdown {
    out: String,
}

impl Markdown {
    /// The document.
    pub(super) fn finish(self) -> String {
        format!("{}\n", self.out.trim_end())
    }

    /// An empty line, unless there is one.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A heading of written text.
    pub(super) fn heading(&mut self, level: usize, written: &str) {
        self.gap();
        self.out.push_str(&"#".repeat(level.clamp(1, 6)));
        self.out.push(' ');
        self.line(written);
        self.gap();
    }

    /// A paragraph of written text.
    pub(super) fn paragraph(&mut self, written: &str) {
        self.gap();
        self.line(written);
        self.gap();
    }

    /// An item of a list of written text, after its mark.
    pub(super) fn item(&mut self, mark: &str, written: &str) {
        self.out.push_str(mark);
        self.line(written);
    }

    /// A row of a table of written cells without foreign text.
    pub(super) fn row(&mut self, cells: &[String]) {
        self.out.push_str("| ");
        self.line(&format!("{} |", cells.join(" | ")));
    }

    /// Lines as they are, whatever is in them.
    pub(super) fn fenced(&mut self, lines: &[String]) {
        self.gap();
        let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let fence = "`".repeat(longest.saturating_add(1).max(3));
        self.line(&format!("{fence}text"));
        lines.iter().for_each(|line| self.line(line));
        self.line(&fence);
        self.gap();
    }

    /// What is read on demand; its summary is ours.
    pub(super) fn details(&mut self, summary: &str, inside: impl FnOnce(&mut Markdown)) {
        self.gap();
        let summary: String =
            summary.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect();
        self.line(&format!("<details><summary>{summary}</summary>"));
        self.gap();
        inside(self);
        self.gap();
        self.line("</details>");
        self.gap();
    }

    fn line(&mut self, written: &str) {
        self.out.push_str(written.trim_end_matches(' '));
        self.out.push('\n');
    }
}

/// The longest run of backquotes.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A name as code: nothing in it means anything.
pub(super) fn code(text: &str) -> String {
    let text = escape(text);
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text).saturating_add(1));
    // One blank at each end is taken away again, where there is one at both.
    let padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    if padded { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// A sentence. Words that could mean something to whoever shows it (markup, HTML, links, mentions, numbers of issues) are
/// written as code.
pub(super) fn prose(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        out.push(if is_plain(word) { word.to_owned() } else { set_apart(word) });
    }
    // A number and a dot in front would begin a list.
    match out.first_mut() {
        Some(first) if begins_a_list(first) => *first = code(first),
        _ => {}
    }
    out.join(" ")
}

/// Marks around a word stay outside of its code.
fn set_apart(word: &str) -> String {
    let inner = word.trim_end_matches(['.', ',', ';', ':', ')', '?']);
    let start = inner.len() - inner.trim_start_matches('(').len();
    let (before, inner) = inner.split_at(start);
    let behind = word.get(start.saturating_add(inner.len())..).unwrap_or("");
    if inner.is_empty() { code(word) } else { format!("{before}{}{behind}", code(inner)) }
}

/// Letters, digits and the marks of sentences, none of which means anything.
fn is_plain(word: &str) -> bool {
    // A colon or a per cent sign within a word may begin something.
    let inner = word.trim_end_matches([':', '%', '.', ',', ';', ')', '"', '\'']);
    let known = inner
        .chars()
        .all(|c| c.is_alphanumeric() && !is_dangerous(c) || ",.;'\"()?-…·–→×".contains(c));
    let link = inner.to_ascii_lowercase().contains("www.");
    let bytes = inner.as_bytes();
    // GH-12, JIRA-12: numbers of issues.
    let issue = bytes.windows(2).any(|two| two[0] == b'-' && two[1].is_ascii_digit());
    // Of a commit.
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let commit = bytes.len() >= 7 && digit && bytes.iter().all(u8::is_ascii_hexdigit);
    known && !link && !issue && !commit && !word.starts_with('-')
}

fn begins_a_list(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    number.len() < word.len() && number.starts_with(['.', ')'])
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
