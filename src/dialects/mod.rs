//! Message shapes that several formats share: which parts a message has, and every place that holds a call's id.
//!
//! A dialect reads a message into [`Piece`]s, always in the same order. A format's reader makes the parts of an event of
//! them; who edits a record later reads it again and finds the piece of a part at the part's position.

pub mod anthropic;
pub mod chat;
pub mod converse;
pub mod gemini;
pub mod langchain;
pub mod picture;
pub mod piece;
pub mod responses;
pub mod spoken;
pub mod stubs;

pub use piece::{Home, Piece, Spot};
