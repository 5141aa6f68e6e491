//! `-V` and `--version`.

use std::sync::LazyLock;

use crate::hosts;
use crate::targets;

/// The version, with the commit and its date where the build knows them.
pub(super) const SHORT: &str = env!("TRANSCRIPT_DOCTOR_VERSION");

/// The same with what is built in.
pub(super) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let formats = hosts::ALL.iter().map(|format| format.name);
        let providers = targets::ALL.iter().map(|target| target.name);
        format!(
            "{SHORT}\nformats:   {}\nproviders: {}",
            formats.collect::<Vec<_>>().join(", "),
            providers.collect::<Vec<_>>().join(", ")
        )
    });
    &TEXT
}
