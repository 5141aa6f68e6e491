//! One conversation as facts: what the records say, before anybody judges it.
//!
//! Nothing here does I/O or fails. A record that could not be used is a fact too (an [`Event`] that is a
//! hole, a [`Fault`]), so every later stage sees the whole recording.

pub mod code;
pub mod cuts;
pub mod event;
pub mod facts;
pub mod fault;
pub mod ids;
pub mod index;
pub mod messages;
pub mod pairs;
pub mod placement;
pub mod replaced;
pub mod time;
pub mod touched;
pub mod view;

pub use code::Code;
pub use event::{Attr, Event, Link, LinkKind, Origin, Part, PartKind, Place, Role, State, Value, attr};
pub use facts::Transcript;
pub use fault::{Class, Confidence, Effect, Fault, Label, LabelRole, Remedy, Severity, Subject, Treatment};
pub use ids::{Id, Interner, named};
pub use index::{EventId, IdRange, Idx, IndexVec, PartId};
pub use view::{Fate, View};
