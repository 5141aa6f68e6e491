//! The one question that `repair` asks at a terminal.

use std::io::{self, BufRead, Write};

/// What the user decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Write it.
    Yes,
    /// Leave it.
    No,
}

/// Asks until there is an answer; `diff` shows the difference whenever the user wants it. The end of the input is a no.
///
/// # Errors
/// Input or output fail.
pub fn ask(
    question: &str,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    mut diff: impl FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Answer> {
    loop {
        write!(out, "{question} [y]es [n]o [d]iff [?] ")?;
        out.flush()?;
        let mut line = String::new();
        // Nobody types a longer answer; a file as input must not fill the memory.
        let read = io::Read::take(&mut *input, 1024).read_line(&mut line)?;
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Answer::Yes),
            "n" | "no" | "q" => return Ok(Answer::No),
            "d" | "diff" => diff(out)?,
            _ if read == 0 => {
                writeln!(out)?;
                return Ok(Answer::No);
            }
            _ => writeln!(
                out,
                "y: write it; the original is kept and `undo` restores it\nn: leave everything as it is\n\
                 d: show what would change"
            )?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(input: &str) -> (Answer, String) {
        let mut out = Vec::new();
        let answer = ask("Apply?", &mut input.as_bytes(), &mut out, |out| writeln!(out, "DIFF")).unwrap();
        (answer, String::from_utf8(out).unwrap())
    }

    #[test]
    fn only_a_clear_yes_writes() {
        assert_eq!(said("y\n").0, Answer::Yes);
        assert_eq!(said("YES").0, Answer::Yes);
        for no in ["n\n", "", "\n", "no\ny\n", "yesterday\n"] {
            assert_eq!(said(no).0, Answer::No, "{no:?}");
        }
    }

    #[test]
    fn the_diff_is_shown_and_the_question_asked_again() {
        let (answer, text) = said("d\n?\ny\n");
        assert_eq!(answer, Answer::Yes);
        assert_eq!((text.matches("DIFF").count(), text.matches("Apply?").count()), (1, 3));
        assert!(text.contains("undo"));
    }
}
