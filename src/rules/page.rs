//! The manual page of a rule.

/// The texts of a rule's page, in Markdown without line breaks.
#[derive(Debug)]
pub struct Page {
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
    /// The smallest transcript with the problem. `None` if that needs a folder, a writing process, or another provider.
    pub example: Option<Example>,
}

/// A transcript before and after its repair.
#[derive(Debug)]
pub struct Example {
    /// Its format, as in `--from`.
    pub from: &'static str,
    /// The options of `repair`.
    pub options: &'static [&'static str],
    /// Its lines as a diff without hunks: each starts with a space, `-`, or `+`. A line with `\` means that the line before it
    /// has no newline.
    pub diff: &'static [u8],
}

impl Example {
    /// The transcript with the problem.
    pub fn before(&self) -> Vec<u8> {
        self.side(b'-')
    }

    /// The transcript after the repair.
    pub fn after(&self) -> Vec<u8> {
        self.side(b'+')
    }

    fn side(&self, sign: u8) -> Vec<u8> {
        let mut out = Vec::new();
        let mut is_own = false;
        for line in self.diff.split_inclusive(|byte| *byte == b'\n') {
            match line.split_first() {
                Some((b'\\', _)) if is_own => drop(out.pop()),
                Some((first, rest)) if *first == b' ' || *first == sign => {
                    out.extend_from_slice(rest);
                    is_own = true;
                }
                Some((b'\\', _)) | None => {}
                Some(_) => is_own = false,
            }
        }
        out
    }
}
