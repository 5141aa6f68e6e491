//! Known texts that a paste is only like, because words of it are missing: a shell took what was between backticks, or a
//! terminal cut the middle of a line.

use std::sync::OnceLock;

use super::mentions;
use super::normalize::DENSE;
use super::paste::{Matched, Paste, Preferred};
use crate::targets::errors::ErrorTable;

/// Texts as people pasted them, one a line: the target, the first rule, the number of the message, which IDs, and the text, in
/// which `A` and `B` stand for IDs. The target of texts that people cut out of an error is `fragment`.
pub(super) const CATALOGUE: &str = include_str!("pasted.tsv");

/// Words of a paste that are compared, at most.
const MOST: usize = 2000;
/// Spellings of a pattern that are compared, at most.
const SPELLINGS: usize = 16;
/// Stands for what differs from one error to the next.
const GAP: char = '\0';
/// Words that any text may have.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "at", "be", "been", "but", "by", "cannot", "error", "for", "found",
    "from", "has", "have", "in", "invalid", "is", "it", "must", "no", "not", "of", "on", "or",
    "should", "that", "the", "this", "to", "was", "were", "with", "you", "your",
    // Of which most errors of providers are full.
    "content", "message", "messages", "request", "role", "type",
];
/// How much a common word says, and any other one.
const WEIGHTS: [i32; 2] = [3, 10];
/// What a text must share with a paste, at least.
const LEAST: i32 = 20;
/// The cost of a word that only the paste has, or only the text.
const ONLY_PASTED: i32 = 4;
const ONLY_KNOWN: i32 = 2;

/// A known text as words.
struct Wording {
    table: usize,
    row: usize,
    words: Vec<(String, i32)>,
}

/// The texts that a paste is most like, one for each table: at least half of a text is in it, in order.
pub(super) fn find(tables: &[ErrorTable], plain: &str) -> Vec<Vec<Matched>> {
    let pasted: Vec<String> = words(plain).take(MOST).collect();
    let mut best: Vec<(usize, usize, i32)> = Vec::new();
    for wording in wordings(tables) {
        let shared = shared(&wording.words, &pasted);
        let all: i32 = wording.words.iter().map(|(_, weight)| weight).sum();
        if shared < LEAST || 2 * shared < all {
            continue;
        }
        match best.iter_mut().find(|(table, ..)| *table == wording.table) {
            Some(known) if known.2 < shared => *known = (wording.table, wording.row, shared),
            Some(_) => {}
            None => best.push((wording.table, wording.row, shared)),
        }
    }
    let most = best.iter().map(|(.., shared)| *shared).max().unwrap_or(0);
    best.retain(|(.., shared)| 10 * shared >= 9 * most);
    let index = mentions::first_index(plain);
    let matched = best.into_iter().map(|(table, row, _)| {
        let index = index.filter(|_| tables[table].texts[row].is_placed());
        vec![Matched::alike((table, row), index)]
    });
    matched.collect()
}

/// The words of all texts, once for each spelling.
fn wordings(tables: &[ErrorTable]) -> &'static [Wording] {
    static ALL: OnceLock<Vec<Wording>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for (table, known) in tables.iter().enumerate() {
            for (row, text) in known.texts.iter().enumerate() {
                let spellings = spellings(text.pattern, &|element| match element {
                    "q" | "s" => String::from(" "),
                    _ => GAP.to_string(),
                });
                all.extend(spellings.iter().map(|spelling| Wording {
                    table,
                    row,
                    words: words(spelling).map(|word| (word.clone(), weight(&word))).collect(),
                }));
            }
        }
        // What was really received has words that a pattern leaves out.
        let fields = CATALOGUE.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        all.extend(fields.filter_map(|fields| {
            let [target, .., text] = fields[..] else {
                return None;
            };
            let paste = Paste::recorded(text);
            let own = Preferred::of(tables, target);
            let matched = (0..=DENSE).find_map(|form| paste.matched(form, own)?.first())?;
            let words = words(text).map(|word| (word.clone(), weight(&word)));
            Some(Wording { table: matched.table, row: matched.row, words: words.collect() })
        }));
        all
    })
}

fn weight(word: &str) -> i32 {
    let is_common = word.len() < 2 || COMMON.contains(&word);
    WEIGHTS[usize::from(!is_common)]
}

/// The words of a text, without those that a gap is a part of.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != GAP);
    let words = words.filter(|word| !word.contains(GAP));
    words
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()))
        .map(str::to_ascii_lowercase)
}

/// How much of a text is in a paste: the weight of the words that both have in this order, near to each other.
fn shared(known: &[(String, i32)], pasted: &[String]) -> i32 {
    // For each place in the text: the score of the best way that ends there, and the weight of its words.
    let mut row = vec![(0, 0); known.len() + 1];
    let mut best = (0, 0);
    for (number, word) in pasted.iter().enumerate() {
        // Where a text was cut, its last word is the beginning of one.
        let may_be_cut = number + 1 == pasted.len() && word.len() >= 3;
        let mut diagonal = row[0];
        for (at, (own, weight)) in known.iter().enumerate() {
            let above = (row[at + 1].0 - ONLY_PASTED, row[at + 1].1);
            let before = (row[at].0 - ONLY_KNOWN, row[at].1);
            let is_same = own == word || may_be_cut && own.starts_with(word.as_str());
            let both =
                if is_same { (diagonal.0 + 3 * weight, diagonal.1 + weight) } else { (0, 0) };
            diagonal = row[at + 1];
            row[at + 1] =
                [above, before, both].into_iter().max().filter(|own| own.0 > 0).unwrap_or_default();
            best = best.max(row[at + 1]);
        }
    }
    best.1
}

/// The alternatives of a pattern, written out, with and without what is optional. `gap` writes what is not a plain letter: a
/// placeholder, a class.
pub(super) fn spellings(pattern: &str, gap: &dyn Fn(&str) -> String) -> Vec<String> {
    alternatives(&mut &*pattern, gap)
}

/// The same up to the end of a group.
fn alternatives(rest: &mut &str, gap: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut all = Vec::new();
    let mut so_far = vec![String::new()];
    while let Some(c) = next(rest) {
        let piece = match c {
            ')' => break,
            '|' => {
                all.append(&mut so_far);
                so_far.push(String::new());
                continue;
            }
            '(' => {
                if let Some((_, inner)) = rest.split_once(':').filter(|_| rest.starts_with('?')) {
                    *rest = inner;
                }
                let mut inner = alternatives(rest, gap);
                if rest.starts_with('?') {
                    inner.push(String::new());
                }
                so_far = so_far
                    .iter()
                    .flat_map(|before| inner.iter().map(move |after| format!("{before}{after}")))
                    .take(SPELLINGS)
                    .collect();
                continue;
            }
            '[' => gap(&class(rest)),
            '.' => gap("."),
            '{' => {
                let (name, after) = rest.split_once('}').unwrap_or((rest, ""));
                *rest = after;
                match name {
                    "L" => format!("messages.{}", gap("n")),
                    // How often something may be there.
                    name if name.starts_with(|c: char| c.is_ascii_digit()) => continue,
                    name => gap(name),
                }
            }
            '?' | '*' | '+' | '^' | '$' => continue,
            '\\' => next(rest).map(String::from).unwrap_or_default(),
            c => c.to_string(),
        };
        so_far.iter_mut().for_each(|spelling| spelling.push_str(&piece));
    }
    all.append(&mut so_far);
    all.truncate(SPELLINGS);
    all
}

fn next(rest: &mut &str) -> Option<char> {
    let c = rest.chars().next()?;
    *rest = &rest[c.len_utf8()..];
    Some(c)
}

/// A class of characters, whose `[` was read.
fn class(rest: &mut &str) -> String {
    let mut class = String::from("[");
    while let Some(c) = next(rest) {
        class.push(c);
        match c {
            '\\' => class.extend(next(rest)),
            ']' if class.len() > 2 => break,
            _ => {}
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_written_out() {
        let spelled = |pattern| spellings(pattern, &|_| String::from("#"));
        assert_eq!(spelled(r"(?i:a|b) c\.(?: d)?"), ["a c. d", "a c.", "b c. d", "b c."]);
        assert_eq!(spelled(r"x\[{n}\] [a-z\]]{1,20}: {q}y{q}"), ["x[#] #: #y#"]);
        assert_eq!(words("a\0b, tool_use c.").collect::<Vec<_>>(), ["tool_use", "c"]);
    }

    #[test]
    fn texts_share_words_in_order_and_near_each_other() {
        let known: Vec<(String, i32)> = words("ids were found without blocks")
            .map(|word| (word.clone(), weight(&word)))
            .collect();
        let shared = |pasted: &str| shared(&known, &words(pasted).collect::<Vec<_>>());
        assert_eq!(shared("ids were found without blocks"), 36);
        assert_eq!(shared("the ids were found, blocks"), 26);
        assert_eq!(shared("ids were found with"), 26);
        assert_eq!(shared("nothing"), 0);
        assert!(shared("blocks without ids") < 20);
        let far = format!("ids {} blocks", "x ".repeat(50));
        assert_eq!(shared(&far), 10);
    }
}
