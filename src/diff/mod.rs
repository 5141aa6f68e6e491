//! What a patch, or a second recording, changes: as bytes, as records, as the messages that a provider would receive.

pub mod between;
pub mod messages;
pub mod pairing;
pub mod pointer;
pub mod raw;
pub mod records;
mod value;
