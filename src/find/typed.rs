//! IDs as users type them.

/// What we print in place of the middle of an ID, and what users type for it; `~` is printed where
/// only ASCII is allowed.
const MIDDLE: [&str; 3] = ["…", "...", "~"];

/// An ID as a user types it: complete, shortened as we print it, or a prefix.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypedId<'a> {
    /// Its prefix.
    pub head: &'a str,
    /// Its suffix, if one was typed.
    pub tail: &'a str,
}

impl<'a> TypedId<'a> {
    /// Parses a typed ID.
    pub(crate) fn read(word: &'a str) -> TypedId<'a> {
        let (head, tail) =
            MIDDLE.iter().find_map(|middle| word.split_once(middle)).unwrap_or((word, ""));
        TypedId { head, tail }
    }

    /// Whether it matches this ID.
    pub(crate) fn fits(&self, id: &str) -> bool {
        let room = id.len() >= self.head.len().saturating_add(self.tail.len());
        !self.head.is_empty() && room && id.starts_with(self.head) && id.ends_with(self.tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_id_is_matched() {
        let ids = ["toolu_01EvREYhc5WD2xswPAvEc8ir", "toolu_01EvRXXXXXXXXXXXXXXXXc8ir", "call_1"];
        for (id, short) in ids.iter().zip(["toolu_01EvRE…c8ir", "toolu_01EvRX…c8ir", "call_1"])
        {
            for typed in [
                short.to_owned(),
                short.replace('…', "..."),
                short.replace('…', "~"),
                (*id).to_owned(),
            ] {
                let fits: Vec<&&str> =
                    ids.iter().filter(|id| TypedId::read(&typed).fits(id)).collect();
                assert_eq!(fits, [id], "{typed}");
            }
        }
        let fits = |typed: &str| ids.iter().filter(|id| TypedId::read(typed).fits(id)).count();
        assert_eq!(
            (fits("toolu_01Ev"), fits("toolu_01EvRE"), fits("toolu_…c8ir"), fits("toolu_01EvRE…")),
            (2, 1, 2, 1)
        );
        for none in ["", "…c8ir", "...", "oolu", "call_…_1", "call_1x"] {
            assert_eq!(fits(none), 0, "{none}");
        }
    }
}
