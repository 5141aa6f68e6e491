//! The questions that are asked at a terminal. A letter means the same in all of them.

use std::io::{self, BufRead, Write};

use crate::report::model::ReportedFinding;
use crate::transcript::Applicability;

/// What the user decided.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Do it.
    Yes,
    /// Leave this one.
    No,
    /// Do it, and so with all that follow.
    All,
    /// Leave this one and all that follow.
    Quit,
    /// Decide about each fix.
    Pick,
}

/// An answer that may be typed: by its first letter, or as a word.
#[derive(Debug)]
pub(crate) struct PromptKey {
    word: &'static str,
    /// `None`: the difference is shown, and the question asked again.
    answer: Option<Answer>,
    says: &'static str,
}

const fn key(word: &'static str, answer: Option<Answer>, says: &'static str) -> PromptKey {
    PromptKey { word, answer, says }
}

/// What may be answered about the repair of the only file.
pub(crate) const ONE: &[PromptKey] = &[
    key("yes", Some(Answer::Yes), "repair it; the original is kept, and `undo` restores it"),
    key("no", Some(Answer::No), "leave it as it is"),
    key("pick", Some(Answer::Pick), "decide about each fix"),
    key("diff", None, "show what would change"),
];

/// What may be answered about one of many.
pub(crate) const SEVERAL: &[PromptKey] = &[
    key("yes", Some(Answer::Yes), "repair it; the original is kept, and `undo` restores it"),
    key("no", Some(Answer::No), "leave it as it is"),
    key("all", Some(Answer::All), "repair it and all that follow, without asking"),
    key("pick", Some(Answer::Pick), "decide about each fix"),
    key("diff", None, "show what would change"),
    key("quit", Some(Answer::Quit), "leave it and all that follow as they are"),
];

/// What may be answered before an undo.
pub(crate) const UNDO: &[PromptKey] = &[
    key("yes", Some(Answer::Yes), "restore the files as they were before the repair"),
    key("no", Some(Answer::No), "leave everything as it is"),
];

/// What is asked before lines are added that came late.
pub(crate) const ADD: &[PromptKey] = &[
    key("yes", Some(Answer::Yes), "add it to the transcript; `undo` removes it again"),
    key("no", Some(Answer::No), "leave everything as it is; later runs mention it again"),
];

/// Asks until there is an answer; `diff` shows the difference whenever the user wants it. The end of the input ends all.
///
/// # Errors
/// Input or output fail.
pub(crate) fn ask(
    question: &str,
    keys: &[PromptKey],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    mut diff: impl FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Answer> {
    let words: Vec<String> =
        keys.iter().map(|key| format!("[{}]{}", &key.word[..1], &key.word[1..])).collect();
    loop {
        write!(out, "{question} {} [?] ", words.join(" "))?;
        let Some(typed) = answer(input, out)? else {
            return Ok(Answer::Quit);
        };
        match keys.iter().find(|key| typed == key.word || typed == key.word[..1]) {
            Some(PromptKey { answer: Some(answer), .. }) => return Ok(*answer),
            Some(PromptKey { answer: None, .. }) => diff(out)?,
            None => keys
                .iter()
                .try_for_each(|key| writeln!(out, "{} - {}", &key.word[..1], key.says))?,
        }
    }
}

/// What the user decided about a finding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// Apply its fix.
    Apply,
    /// Keep the result with this number.
    Keep(usize),
    /// Leave it.
    Leave,
    /// Apply its fix, and all further safe ones.
    ApplyRest,
    /// Leave it and all further ones of the transcript.
    LeaveRest,
    /// Leave it and everything else.
    Quit,
}

/// What may be answered about one finding.
pub(crate) struct PickKeys {
    question: String,
    /// Results of which one may be kept.
    results: usize,
    can_apply: bool,
    /// More may be asked after it.
    is_alone: bool,
}

impl PickKeys {
    /// `equal`: how many findings are decided at once. `number` of `all`: which question it is.
    pub(crate) fn of(
        finding: &ReportedFinding,
        equal: usize,
        (number, all): (usize, usize),
    ) -> PickKeys {
        let results =
            finding.resolution.choices.iter().filter(|choice| choice.does.is_empty()).count();
        let can_apply = !finding.resolution.fix.actions.is_empty();
        let fixes = match equal {
            0 | 1 => "this fix".to_owned(),
            equal => format!("these {equal} equal fixes"),
        };
        let what = match (can_apply, finding.resolution.fix.applicability) {
            (false, _) => "Which result is right?".to_owned(),
            (true, Applicability::Safe | Applicability::OnRequest) => format!("Apply {fixes}?"),
            (true, _) if equal > 1 => format!("Apply {fixes}, which guess or lose content?"),
            (true, _) => format!("Apply {fixes}, which guesses or loses content?"),
        };
        let question = format!("({number}/{all}) {what}");
        PickKeys { question, results, can_apply, is_alone: false }
    }

    /// Which of several results is right. `is_alone`: there is no other question.
    pub(crate) fn of_results(finding: &ReportedFinding, is_alone: bool) -> PickKeys {
        let results = finding.resolution.choices.len();
        let question = "Which result is right?".to_owned();
        PickKeys { question, results, can_apply: false, is_alone }
    }

    /// The keys with what they do, in the order in which they are listed.
    fn keys(&self) -> Vec<(String, Option<Pick>, &'static str)> {
        let key = |key: &str, pick, says| (key.to_owned(), pick, says);
        let results =
            (1..=self.results).map(|n| (n.to_string(), Some(Pick::Keep(n)), "keep this result"));
        let mut keys: Vec<_> = results.collect();
        if self.can_apply {
            keys.insert(0, key("y", Some(Pick::Apply), "apply this fix"));
        }
        keys.push(key("n", Some(Pick::Leave), "leave this as it is"));
        if self.is_alone {
            return keys;
        }
        if self.can_apply {
            let says = "apply this and all safe fixes that follow, without asking";
            keys.push(key("a", Some(Pick::ApplyRest), says));
        }
        let skip = "skip the rest of this transcript; what was picked is applied";
        let quit = "leave this and all that follow; what was picked is applied";
        keys.push(key("s", Some(Pick::LeaveRest), skip));
        keys.push(key("q", Some(Pick::Quit), quit));
        keys.push(key("e", None, "explain this problem"));
        keys
    }

    /// Asks until there is an answer. The end of the input ends all.
    ///
    /// # Errors
    /// Input or output fail.
    pub(crate) fn ask(
        &self,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
        mut explain: impl FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Pick> {
        let keys = self.keys();
        let letters: Vec<&str> = keys.iter().map(|(key, ..)| key.as_str()).collect();
        loop {
            write!(out, "{} [{},?] ", self.question, letters.join(","))?;
            let Some(typed) = answer(input, out)? else {
                return Ok(Pick::Quit);
            };
            match keys.iter().find(|(key, ..)| *key == typed) {
                Some((_, Some(pick), _)) => return Ok(*pick),
                Some((_, None, _)) => explain(out)?,
                None => {
                    keys.iter().try_for_each(|(key, _, says)| writeln!(out, "{key} - {says}"))?
                }
            }
        }
    }
}

/// One typed line, in lower case. `None`: the input has ended.
fn answer(input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Option<String>> {
    out.flush()?;
    let mut line = String::new();
    // Nobody types a longer answer; a file as input must not fill the memory.
    let read = io::Read::take(&mut *input, 1024).read_line(&mut line)?;
    if read == 0 {
        writeln!(out)?;
    }
    Ok((read > 0).then(|| line.trim().to_ascii_lowercase()))
}

/// Asks for a number from 1 to `most`. `None`: the user wants none of them.
///
/// # Errors
/// Input or output fail.
pub(crate) fn number(
    question: &str,
    most: usize,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<Option<usize>> {
    loop {
        write!(out, "{question} [1-{most}, q] ")?;
        let typed = answer(input, out)?.unwrap_or_default();
        match typed.as_str() {
            "" | "q" | "quit" => return Ok(None),
            typed => match typed.parse() {
                Ok(number) if (1..=most).contains(&number) => return Ok(Some(number)),
                _ => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(keys: &[PromptKey], input: &str) -> (Answer, String) {
        let mut out = Vec::new();
        let answer =
            ask("Apply?", keys, &mut input.as_bytes(), &mut out, |out| writeln!(out, "DIFF"))
                .unwrap();
        (answer, String::from_utf8(out).unwrap())
    }

    #[test]
    fn only_a_clear_yes_writes() {
        for keys in [ONE, SEVERAL, UNDO] {
            assert_eq!(said(keys, "y\n").0, Answer::Yes);
            assert_eq!(said(keys, "YES").0, Answer::Yes);
            assert_eq!(said(keys, "yesterday\nno\ny\n").0, Answer::No);
            for end in ["", "\n", "what\n"] {
                assert_eq!(said(keys, end).0, Answer::Quit, "{end:?}");
            }
        }
    }

    #[test]
    fn a_letter_means_the_same_in_every_question() {
        let mut meanings: std::collections::BTreeMap<&str, &str> =
            std::collections::BTreeMap::new();
        for key in [ONE, SEVERAL, UNDO, ADD].into_iter().flatten() {
            let own = meanings.entry(&key.word[..1]).or_insert(key.word);
            assert_eq!(*own, key.word);
        }
        let of_picks = [("n", "no"), ("a", "all"), ("q", "quit"), ("y", "yes")];
        let finding = crate::report::sample::two_results();
        for (letter, _, says) in PickKeys::of(&finding, 1, (1, 1)).keys() {
            let own = of_picks.iter().find(|(own, _)| *own == letter);
            let word = meanings.get(letter.as_str());
            assert_eq!(word, own.map(|(_, word)| word), "{letter} - {says}");
        }
    }

    #[test]
    fn a_number_is_asked_for_until_there_is_one() {
        let typed = |input: &str| {
            let mut out = Vec::new();
            number("Which one?", 12, &mut input.as_bytes(), &mut out).unwrap()
        };
        assert_eq!(typed("x\n0\n13\n12\n"), Some(12));
        for none in ["", "\n", "q\n", "x\nquit\n"] {
            assert_eq!(typed(none), None, "{none:?}");
        }
    }

    #[test]
    fn one_answer_may_stand_for_the_rest_where_there_is_one() {
        assert_eq!(said(SEVERAL, "a\n").0, Answer::All);
        assert_eq!(said(SEVERAL, "quit\n").0, Answer::Quit);
        assert_eq!(said(ONE, "a\nq\nn\n").0, Answer::No);
    }

    #[test]
    fn the_diff_is_shown_and_the_question_asked_again() {
        let (answer, text) = said(ONE, "d\n?\ny\n");
        assert_eq!(answer, Answer::Yes);
        assert_eq!(
            (
                text.matches("DIFF").count(),
                text.matches("Apply? [y]es [n]o [p]ick [d]iff [?] ").count()
            ),
            (1, 3)
        );
        assert!(
            text.contains("y - repair it; the original is kept, and `undo` restores it\n"),
            "{text}"
        );
        let (_, text) = said(SEVERAL, "?\nq\n");
        assert!(
            text.contains("[a]ll")
                && text.contains("q - leave it and all that follow as they are\n")
        );
    }
}
