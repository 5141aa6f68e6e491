//! Why a run ends before it did what was asked, and with which exit status.

use std::io;

use thiserror::Error;

use super::exit;
use crate::containers::ReadError;
use crate::find::OpenError;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
pub(crate) enum Error {
    /// A command line that clap accepts and that yet cannot be done.
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{what}: {source}")]
    IoAt { what: String, source: io::Error },
    #[error("{place}: {source}")]
    Open { place: String, source: OpenError },
    #[error("{0}")]
    Read(#[from] ReadError),
}

impl Error {
    pub(crate) fn usage(text: impl Into<String>) -> Error {
        Error::Usage(text.into())
    }

    /// For `map_err`: what could not be done, or where.
    pub(crate) fn at(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::IoAt { what: what.into(), source }
    }

    pub(crate) fn status(&self) -> u8 {
        match self {
            Error::Usage(_) => exit::USAGE,
            _ => exit::NOT_EXAMINED,
        }
    }
}

/// Why one transcript could not be checked. The others are.
#[derive(Debug, Error)]
pub(crate) enum NotChecked {
    #[error("{0}")]
    Open(#[from] OpenError),
    #[error("{0}")]
    Read(#[from] ReadError),
    #[error("{0}")]
    Io(#[from] io::Error),
}
