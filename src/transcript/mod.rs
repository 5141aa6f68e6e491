//! One conversation as facts: what its records say, before any rule judges them.
//!
//! Nothing here does I/O or fails. A record that cannot be used is a fact, too (an unreadable [`Event`], a
//! [`Diagnostic`]), so every later stage sees the whole transcript.

pub(crate) mod code;
pub(crate) mod conversation;
pub(crate) mod copy;
pub(crate) mod cuts;
pub(crate) mod diagnostic;
mod digests;
pub(crate) mod event;
pub(crate) mod fact;
pub mod facts;
mod fix;
pub(crate) mod flaws;
pub(crate) mod ids;
pub(crate) mod index;
pub(crate) mod messages;
pub(crate) mod pairs;
pub(crate) mod placement;
pub(crate) mod replaced;
pub(crate) mod request;
mod sharable;
pub(crate) mod time;
pub(crate) mod touched;
pub(crate) mod unreadable;
mod uuids;

pub use code::Code;
pub use conversation::Transcript;
pub use diagnostic::{Confidence, Effect, Severity, Subject};
pub(crate) use diagnostic::{
    Diagnostic, HabitPlaces, Instance, Label, LabelRole, PartsAbout, Within,
};
pub(crate) use event::{Event, LinkKind, Origin, Part, PartKind, Place};
pub use event::{Role, State};
pub(crate) use fact::{Fact, FactValue};
pub use fix::{Action, Applicability};
pub(crate) use fix::{ActionKind, CHANGE, Fix};
pub(crate) use flaws::Flaws;
pub use ids::Id;
pub(crate) use ids::Interner;
pub(crate) use ids::find_abbreviated;
pub use index::{EventId, Idx};
pub(crate) use index::{IdRange, IndexVec, PartId, distinct};
pub(crate) use request::{Inclusion, Request};
pub(crate) use sharable::Sharable;
