//! All known texts, in the order of precedence.

use crate::hosts;
use crate::targets::errors::{ErrorTable, OTHERS, PROVIDERS};

/// The tables of the providers, of the hosts, of programs in between, and of errors that do not
/// come from damaged transcripts.
pub(super) fn all() -> Vec<ErrorTable> {
    let hosts = hosts::ALL.iter().filter(|format| !format.traits.errors.is_empty());
    let hosts = hosts.map(|format| ErrorTable {
        name: format.name,
        title: format.host.title,
        source: format.checked.source(),
        texts: format.traits.errors,
    });
    PROVIDERS
        .iter()
        .map(|table| **table)
        .chain(hosts)
        .chain(OTHERS.iter().map(|table| **table))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_look_like_codes_and_every_text_says_what_it_means() {
        for table in all() {
            for text in table.texts {
                assert!(!text.means.is_empty() && !text.pattern.is_empty(), "{text:?}");
                assert!(!text.codes.is_empty() || !text.hint.is_empty(), "{text:?}");
                assert!(!text.source.is_empty() || !table.source.is_empty(), "{text:?}");
                assert!(
                    ![" ?", " *", " +", " {0", " {1", "  "]
                        .iter()
                        .any(|bad| text.pattern.contains(bad)),
                    "{text:?}"
                );
            }
        }
    }
}
