//! Why a transcript is not repaired, or not for certain.

use std::io;

use thiserror::Error;

use crate::app::error::NotChecked;
use crate::app::only_copy::OnlyCopy;
use crate::bytes::patch::EditConflict;
use crate::bytes::replace::ReplaceError;
use crate::journal::WriteError;
use crate::repair::Refused;
use crate::transcript::Code;

/// Why a transcript was not repaired, or not for certain.
pub(super) enum Failed {
    /// Nothing was written.
    Refused(Refusal),
    /// The new bytes are in place, and something failed after that.
    Unconfirmed {
        /// The journal's operation, if it was written in place.
        op: Option<u64>,
        why: Doubt,
    },
}

impl<E: Into<Refusal>> From<E> for Failed {
    fn from(why: E) -> Self {
        Self::Refused(why.into())
    }
}

/// Why nothing was written.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    #[error("{}", only_copy(*.0, .1))]
    OnlyCopy(OnlyCopy, String),
    #[error("no folder for the journal: set XDG_STATE_HOME")]
    NoJournal,
    #[error("the command line names no place for its copy")]
    NoPlace,
    #[error(
        "its files are in folders that other conversations share: name the folder with these, and a copy of it is repaired"
    )]
    InStore,
    #[error("under the name of the copy, its format would not be recognized; nothing was written")]
    NotRecognized,
    #[error(
        "no script can repair it in its database, because {0}: `-o FILE.json` writes the session as its host imports it"
    )]
    NotScripted(String),
    #[error("its rows would not be read back as planned ({0}); nothing was written")]
    NotReadBackSo(String),
    #[error("{0} exists; --force replaces it")]
    UndoExists(String),
    #[error("{0}{copy}; nothing was written", copy = instead(.0))]
    Write(WriteError),
    #[error("{0}")]
    Copy(WriteError),
    #[error("{0}")]
    Replace(#[from] ReplaceError),
    #[error("{0}")]
    Plan(#[from] Refused),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// What can be done where a file cannot be replaced.
fn instead(why: &WriteError) -> &'static str {
    if matches!(why, WriteError::Replace(ReplaceError::Owner(_))) { ": use -o COPY" } else { "" }
}

/// Why a transcript at this path is not replaced, and what to do.
fn only_copy(why: OnlyCopy, path: &str) -> String {
    match why {
        OnlyCopy::NotReadBack => {
            "no host reads this back, so it is written only as a copy: name one with --output".to_owned()
        }
        OnlyCopy::Database => format!(
            "a database is never written, because its host may have it open: `transcript-doctor repair '{path}' -o FILE.json` writes the \
             repaired session as its host imports it, and `-o FIX.sql` a script that repairs it where it is"
        ),
        OnlyCopy::NotReread => {
            "its host does not reread this file: name a copy with --output".to_owned()
        }
        OnlyCopy::DamagedStream => {
            "its compressed stream is damaged, and what follows the damage would be lost: name a copy with --output".to_owned()
        }
    }
}

/// Why new bytes are not what was planned.
#[derive(Debug, Error)]
pub(super) enum Unproved {
    #[error("interrupted")]
    Interrupted,
    #[error("it changed after it was read")]
    Changed,
    #[error("they are not what was planned")]
    OtherBytes,
    #[error("files came or went while it was repaired")]
    OtherFiles,
    #[error("a second repair would change it again")]
    SecondRepair,
    #[error("a second repair would continue with {}", Code::list(.0.clone()))]
    SecondRepairOf(Vec<Code>),
    #[error("the findings are not those of the plan")]
    OtherFindings,
    #[error("{0}")]
    Plan(#[from] Refused),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Why what came while a transcript was replaced is not carried over.
#[derive(Debug, Error)]
pub(super) enum Unfit {
    #[error("it has no entry")]
    NoEntry,
    #[error("it is not known whether that fits")]
    Unknown,
    #[error("what came does not fit")]
    Worse,
    #[error("{0}")]
    Overlap(#[from] EditConflict),
    #[error("{0}")]
    Plan(#[from] Refused),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Why what was written is not to be trusted.
#[derive(Debug, Error)]
pub(super) enum Doubt {
    #[error("{0}")]
    Write(WriteError),
    #[error("it cannot be read again: {0}")]
    Unread(NotChecked),
    #[error("the copy cannot be read again: {0}")]
    CopyUnread(io::Error),
    #[error("{0}; do not use the copy")]
    CopyUnproved(Unproved),
    #[error("{0}")]
    Io(io::Error),
}
