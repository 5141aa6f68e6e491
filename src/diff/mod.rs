//! What a patch, or a second transcript, changes: as bytes, as records, as the messages that a provider would receive.

pub(crate) mod between;
pub(crate) mod messages;
mod outside;
pub(crate) mod pairing;
pub(crate) mod pointer;
pub(crate) mod raw;
pub(crate) mod records;
pub(crate) mod sides;
mod split;
mod value;
mod words;
