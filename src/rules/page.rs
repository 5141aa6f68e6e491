//! The manual page of a rule.

use std::collections::BTreeMap;

/// The texts of a rule's page, in Markdown without line breaks.
#[derive(Debug)]
pub struct RulePage {
    /// How it is fixed: `safe`, `unsafe`, `safe or you decide`, `on request`, `nothing to fix`.
    pub fix: &'static str,
    /// What is wrong, and how hosts and providers react to it.
    pub means: &'static str,
    /// Who causes it, and how.
    pub causes: &'static [(&'static str, &'static str)],
    /// What `repair` does without further options.
    pub repair: &'static str,
    /// What to do if that is not enough, with the command; "" if it always is.
    pub otherwise: &'static str,
    /// The smallest transcript with the problem.
    pub example: RuleExample,
}

/// A transcript before and after its repair.
#[derive(Debug)]
pub struct RuleExample {
    /// Its format, as in `--from`.
    pub from: &'static str,
    /// The options of `repair`.
    pub options: &'static [&'static str],
    /// Its lines as a diff without hunks. The first byte of a line says what it is:
    ///
    /// | byte | the line |
    /// |---|---|
    /// | space, `-`, `+` | is in both, only before, only after |
    /// | `\` | the line before it has no newline |
    /// | `*` | lines are repeated: `* the 2 lines above 99 more times` |
    /// | `@` | a file of a folder begins: `@@ events/0.json` |
    /// | `!` | a process has the last file open |
    pub diff: &'static [u8],
}

impl RuleExample {
    /// The files of the transcript with the problem, by their names in its folder. A transcript that is one file has no
    /// name.
    pub fn before(&self) -> BTreeMap<String, Vec<u8>> {
        self.side(b'-')
    }

    /// The files after the repair.
    pub fn after(&self) -> BTreeMap<String, Vec<u8>> {
        self.side(b'+')
    }

    /// Whether a process has the transcript open.
    pub fn is_open(&self) -> bool {
        self.lines().any(|line| line.starts_with(b"!"))
    }

    fn lines(&self) -> impl Iterator<Item = &'static [u8]> {
        self.diff.split_inclusive(|byte| *byte == b'\n')
    }

    /// A file that has no line on this side does not exist there.
    fn side(&self, sign: u8) -> BTreeMap<String, Vec<u8>> {
        let mut files: BTreeMap<String, Vec<&[u8]>> = BTreeMap::new();
        let mut name = String::new();
        let mut is_own = false;
        for (first, rest) in self.lines().filter_map(<[u8]>::split_first) {
            match first {
                b' ' | b'-' | b'+' => is_own = *first == b' ' || *first == sign,
                b'@' => name = words(rest).nth(1).unwrap_or_default(),
                _ => {}
            }
            if is_own && matches!(first, b' ' | b'-' | b'+') {
                files.entry(name.clone()).or_default().push(rest);
            }
            let Some(lines) = files.get_mut(&name) else {
                continue;
            };
            match (first, lines.last_mut()) {
                (b'\\', Some(last)) if is_own => *last = last.strip_suffix(b"\n").unwrap_or(last),
                (b'*', _) => {
                    let (count, times) = repeated(rest);
                    let above = lines.len().saturating_sub(count);
                    lines.extend(lines.get(above..).unwrap_or_default().repeat(times));
                }
                _ => {}
            }
        }
        files.into_iter().map(|(name, lines)| (name, lines.concat())).collect()
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = String> {
    line.split(u8::is_ascii_whitespace).map(|word| String::from_utf8_lossy(word).into_owned())
}

/// The numbers in `* the 2 lines above 99 more times`.
fn repeated(line: &[u8]) -> (usize, usize) {
    let mut numbers = words(line).filter_map(|word| word.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
