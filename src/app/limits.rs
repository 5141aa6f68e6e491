//! What the system lets this process have.

/// Open files that are asked for: what every system grants where its hard limit allows it.
#[cfg(unix)]
const OPEN_FILES: u64 = 10_240;

/// Raises the soft limit of open files as far as this process may. No run depends on it: each worker holds only the files of
/// the transcript that it checks.
#[cfg(unix)]
pub(crate) fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES, |most| most.min(OPEN_FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        // Where it is refused, the old limit stays.
        let _ =
            setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
}

/// This system does not limit open files in that way.
#[cfg(not(unix))]
pub(crate) fn raise_open_files() {}
