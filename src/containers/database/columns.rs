//! The columns in a `CREATE TABLE` statement.

/// Most columns read of a table.
const MOST: usize = 500;
/// Keywords that start a table constraint if they are not quoted.
const CONSTRAINTS: &[&str] = &["constraint", "primary", "unique", "check", "foreign"];

/// Column names in lowercase, in order; empty for any other statement.
pub(super) fn of(statement: &str) -> Vec<String> {
    let mut columns = Vec::new();
    let (mut depth, mut begins) = (0_u32, false);
    for token in (Tokens { rest: statement }) {
        match token {
            SqlToken::Sign('(') => {
                depth += 1;
                begins = depth == 1;
            }
            SqlToken::Sign(')') if depth <= 1 => break,
            SqlToken::Sign(')') => depth -= 1,
            SqlToken::Sign(',') if depth == 1 => begins = true,
            SqlToken::Sign(_) => begins = false,
            SqlToken::Word(word, quoted) => {
                let is_constraint = !quoted && CONSTRAINTS.contains(&word.as_str());
                if begins && !is_constraint && columns.len() < MOST {
                    columns.push(word);
                }
                begins = false;
            }
        }
    }
    columns
}

/// The column that is another name of the number of a row: an integer that is the primary key.
pub(super) fn number(statement: &str) -> Option<String> {
    let names = of(statement);
    let mut words = Vec::new();
    for token in (Tokens { rest: statement }) {
        match token {
            SqlToken::Word(word, _) => words.push(word),
            SqlToken::Sign(sign) => words.push(sign.to_string()),
        }
    }
    let is_key = |name: &&String| {
        let own = ["integer", "primary", "key"].map(str::to_owned);
        let alone = ["primary", "key", "("].map(str::to_owned);
        let begins = |words: &[String], with: &[String]| words.starts_with(with);
        let mut places = (0..words.len()).filter(|at| words[*at] == **name);
        let is_integer = places.clone().any(|at| words.get(at + 1) == own.first());
        places.any(|at| {
            let after = words.get(at + 1..).unwrap_or_default();
            let is_last = after.first().is_some_and(|sign| sign == ")");
            let before = words.get(..at).unwrap_or_default();
            begins(after, &own) || (is_integer && is_last && before.ends_with(&alone))
        })
    };
    names.iter().find(is_key).cloned()
}

/// Whether a statement has a foreign key to this table, whose name is lowercase.
pub(super) fn references(statement: &str, table: &str) -> bool {
    let mut is_next = false;
    for token in (Tokens { rest: statement }) {
        if let SqlToken::Word(word, quoted) = token {
            if is_next && word == table {
                return true;
            }
            is_next = !quoted && word == "references";
        }
    }
    false
}

enum SqlToken {
    /// A name or keyword in lowercase, and whether it was quoted.
    Word(String, bool),
    /// Any other character.
    Sign(char),
}

struct Tokens<'a> {
    rest: &'a str,
}

impl Tokens<'_> {
    /// Consumes everything up to and including `end`, and returns what is before it.
    fn up_to(&mut self, end: char) -> String {
        let (inside, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        let word = inside.to_lowercase();
        self.rest = rest;
        word
    }

    /// Reads a quoted name, in which a doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> String {
        let mut word = self.up_to(quote);
        while let Some(rest) = self.rest.strip_prefix(quote) {
            self.rest = rest;
            word.push(quote);
            let more = self.up_to(quote);
            word.push_str(&more);
        }
        word
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest.trim_start();
            self.rest = if let Some(comment) = rest.strip_prefix("--") {
                comment.split_once('\n').map_or("", |(_, rest)| rest)
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.split_once("*/").map_or("", |(_, rest)| rest)
            } else {
                self.rest = rest;
                return;
            };
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = SqlToken;

    fn next(&mut self) -> Option<SqlToken> {
        self.skip();
        let first = self.rest.chars().next()?;
        if is_name(first) {
            let end = self.rest.find(|sign| !is_name(sign)).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Some(SqlToken::Word(word.to_lowercase(), false));
        }
        self.rest = &self.rest[first.len_utf8()..];
        Some(match first {
            '"' | '`' | '\'' => SqlToken::Word(self.quoted(first), true),
            '[' => SqlToken::Word(self.up_to(']'), true),
            sign => SqlToken::Sign(sign),
        })
    }
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_number_of_a_row_may_have_a_name() {
        for (statement, expected) in [
            ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a)", Some("id")),
            ("CREATE TABLE t (a TEXT, \"n\" integer, PRIMARY KEY (\"n\"))", Some("n")),
            ("CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER)", None),
            ("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b))", None),
            ("CREATE TABLE t (a INT PRIMARY KEY)", None),
        ] {
            assert_eq!(super::number(statement).as_deref(), expected, "{statement}");
        }
        let child = "CREATE TABLE s (m INTEGER, FOREIGN KEY (m) REFERENCES \"Messages\" (id))";
        assert!(super::references(child, "messages") && !super::references(child, "m"));
    }

    #[test]
    fn columns_are_named_whatever_their_quotes_types_and_comments() {
        let plain = "CREATE TABLE t (a TEXT NOT NULL, B INTEGER DEFAULT (1, 2), c DECIMAL(10, 2), PRIMARY KEY (a, b))";
        assert_eq!(of(plain), ["a", "b", "c"]);
        let quoted = "CREATE TABLE \"x(y\" (\"a\"\"b\" TEXT, [c d] TEXT, `primary` TEXT, -- z, (\n /* q, */ 'e' , \"CHECK\")";
        assert_eq!(of(quoted), ["a\"b", "c d", "primary", "e", "check"]);
        let constrained = "create table t(a, CONSTRAINT k UNIQUE (a), CHECK (a > 0), FOREIGN KEY (a) REFERENCES u(z)) STRICT, x(y)";
        assert_eq!(of(constrained), ["a"]);
        for broken in ["", "CREATE TABLE t", "(", "t(\"", "t(a, --", "t(/*", ")a(", "t([a"] {
            let _ = of(broken);
        }
        assert_eq!(of("t(a, b"), ["a", "b"]);
    }
}
