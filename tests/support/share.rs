//! How many of many alike cases a test takes: a share of them on a push, all of them nightly.

/// Whether all cases are asked for (`EVERY_CASE=1`).
pub(crate) fn is_every() -> bool {
    std::env::var_os("EVERY_CASE").is_some()
}

/// One of this many cases is taken: `1` where all are asked for.
#[allow(dead_code, reason = "not every test takes each so many")]
pub(crate) fn one_of(many: usize) -> usize {
    if is_every() { 1 } else { many }
}
