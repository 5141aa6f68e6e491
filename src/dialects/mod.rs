//! Message shapes that several formats share: which parts a message has, and every place that holds a call's id.
//!
//! A dialect reads a message into [`Piece`]s, always in the same order. A format's reader makes the parts of an event of
//! them; who edits a record later reads it again and finds the piece of a part at the part's position.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod converse;
pub(crate) mod gemini;
pub(crate) mod langchain;
pub(crate) mod picture;
pub(crate) mod piece;
pub(crate) mod responses;
pub(crate) mod spoken;
pub(crate) mod stubs;

pub(crate) use piece::{Piece, Places, Spot};
