//! How it is known that a format is read as its host reads it.

/// How the facts about a host were verified, and with which versions.
#[derive(Copy, Clone, Debug)]
pub enum Verification {
    /// The programs were run on what they wrote and on repaired transcripts.
    Run(&'static str),
    /// The same by the suite of hosts, which names its newest versions; and what else was run.
    Suite(&'static str, &'static str),
    /// Their source was read, or the documentation and the errors of a provider.
    Read(&'static str),
    /// Transcripts were inspected.
    Recorded(&'static str),
}

impl Verification {
    /// What was run, read, or seen.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Verification::Suite(what, _)
            | Verification::Run(what)
            | Verification::Read(what)
            | Verification::Recorded(what) => what,
        }
    }

    /// The text for people: `run: pi 0.58.3`.
    pub fn words(self) -> String {
        let (how, what) = match self {
            Verification::Suite(newest, also) if !also.is_empty() => {
                return format!("run: {newest}; also {also}");
            }
            Verification::Run(what) | Verification::Suite(what, _) => ("run", what),
            Verification::Read(what) => ("read", what),
            Verification::Recorded(what) => ("seen", what),
        };
        format!("{how}: {what}")
    }
}
