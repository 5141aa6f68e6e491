//! Signs that OpenHands is running.

use std::path::Path;

use crate::format::home::is_below;
use crate::live::{Lease, LeaseKind, Signals};
use crate::transcript::{Transcript, facts};

/// The signs for a transcript at this path. The lock file does not count: it exists only during an
/// append.
pub(super) fn signs(path: &Path, t: &Transcript) -> Signals {
    let running =
        t.host_state().and_then(|state| t.fact_text(state, facts::STATUS)) == Some("running");
    let leases = match t.host_state() {
        Some(_) => vec![Lease { path: path.join("owner_lease.json"), kind: LeaseKind::Expiring }],
        None => Vec::new(),
    };
    Signals { leases, running, at_home: is_below(path, &[".openhands"]), ..Signals::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_file_has_no_lease() {
        let signs =
            signs(Path::new("/home/ana/.openhands/conversations/x"), &Transcript::default());
        assert!(signs.leases.is_empty() && signs.at_home && !signs.running);
    }
}
