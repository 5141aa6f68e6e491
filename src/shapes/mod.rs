//! What formats of several hosts share: lists of messages and of items, records with parents, records stored twice.

pub(crate) mod chat;
pub(crate) mod copies;
pub(crate) mod glued;
pub(crate) mod items;
pub(crate) mod tree;
