//! Message shapes that several formats share: the parts of a message, and every place that has the ID of a call.
//!
//! A dialect reads a message into [`Piece`]s, always in the same order. The reader of a format makes the parts of an event
//! from them. To edit a record later, it is read again; the piece of a part has the same position as the part.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod converse;
pub(crate) mod gemini;
pub(crate) mod image_url;
pub(crate) mod langchain;
pub(crate) mod members;
pub(crate) mod picture;
pub(crate) mod piece;
pub(crate) mod placeholders;
pub(crate) mod responses;
pub(crate) mod spoken;
pub(crate) mod typed;

pub(crate) use piece::{MemberRef, Piece, Pieces, Places};
