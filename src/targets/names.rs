//! Which names of tools and documents a provider accepts.

/// What a provider requires of the documents of a request.
#[derive(Copy, Clone, Debug)]
pub struct Documents {
    /// Characters allowed in a name besides letters and digits; spaces only one at a time.
    pub marks: &'static str,
    /// Longest name, in characters.
    pub longest: usize,
    /// How many a request may have.
    pub most: usize,
}

impl Documents {
    pub(super) fn takes_char(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || self.marks.contains(c)
    }

    /// What is wrong with a name that is not accepted.
    pub(crate) fn refusal(self, name: &str) -> String {
        if name.is_empty() {
            return "document with an empty name".to_owned();
        }
        if !name.chars().all(|c| self.takes_char(c)) {
            let marks = self.marks.replace(' ', "");
            let letters = letters(&marks).replace("letters,", "letters, spaces,");
            return format!("document name with other characters than {letters}");
        }
        if name.contains("  ") {
            return "document name with several spaces in a row".to_owned();
        }
        format!("document name of more than {} characters", self.longest)
    }

    /// Whether a document may have this name.
    pub(crate) fn takes(self, name: &str) -> bool {
        !name.is_empty()
            && name.len() <= self.longest
            && !name.contains("  ")
            && name.chars().all(|c| self.takes_char(c))
    }

    /// A name as close to this one as is accepted. Number 1 is the closest; higher numbers make it distinct.
    pub(crate) fn fit(self, name: &str, number: usize) -> String {
        let kept: String = name.chars().map(|c| if self.takes_char(c) { c } else { ' ' }).collect();
        let words: Vec<&str> = kept.split_whitespace().collect();
        let base = if words.is_empty() { "document".to_owned() } else { words.join(" ") };
        let end = if number < 2 { String::new() } else { format!(" {number}") };
        let start: String = base.chars().take(self.longest - end.len()).collect();
        format!("{}{end}", start.trim_end())
    }
}

/// `letters, digits, _ and -`
pub(super) fn letters(marks: &str) -> String {
    let mut all: Vec<String> = marks.chars().map(String::from).collect();
    let Some(last) = all.pop() else {
        return "letters and digits".to_owned();
    };
    all.splice(0..0, ["letters".to_owned(), "digits".to_owned()]);
    format!("{} and {last}", all.join(", "))
}

#[derive(Copy, Clone, Debug)]
pub struct ToolNames {
    /// Characters allowed besides letters and digits.
    pub marks: &'static str,
    /// Longest name, in bytes.
    pub longest: usize,
}

impl ToolNames {
    /// Whether a name may have this byte.
    pub(crate) fn takes_byte(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || self.marks.as_bytes().contains(&byte)
    }

    /// What is wrong with a name that is not valid.
    pub(crate) fn refusal(self, name: &str) -> String {
        if name.is_empty() {
            return "tool call without a tool name".to_owned();
        }
        if name.bytes().all(|byte| self.takes_byte(byte)) {
            return format!("tool name of more than {} characters", self.longest);
        }
        format!("tool name with other characters than {}", letters(self.marks))
    }

    /// Whether this is a valid tool name.
    pub(crate) fn takes(self, name: &str) -> bool {
        !name.is_empty()
            && name.len() <= self.longest
            && name.bytes().all(|byte| self.takes_byte(byte))
    }
}
