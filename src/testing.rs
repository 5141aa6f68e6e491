//! What the tests and benchmarks of this repository use of the inside. Not an interface: it changes without notice.

pub mod bytes {
    pub mod edit {
        pub use crate::bytes::edit::Edit;
    }
    pub mod overlay {
        pub use crate::bytes::overlay::Overlay;
    }
    pub mod packed {
        pub use crate::bytes::packed::Codec;
    }
    pub mod patch {
        pub use crate::bytes::patch::{ByteEdit, Patch};
    }
    pub mod replace {
        pub use crate::bytes::replace::LateWrites;
    }
    pub mod source {
        pub use crate::bytes::source::{Entries, EntryId, Source, SourceShape, Span};
    }
}
pub mod cli {
    pub use crate::commands::{Cli, status_of};
}
pub mod containers {
    pub use crate::containers::{Layout, PathStep, ReadError};
    pub mod rewrite {
        pub use crate::containers::rewrite::{PlacedRecord, apply_changes, rewrite};
    }
}
pub mod app {
    pub mod difference {
        pub use crate::app::difference::{JudgedRecording, records};
    }
}
pub mod detect {
    pub use crate::detect::recognize;
    pub mod candidates {
        pub use crate::detect::candidates::{
            Detected, FormatCandidate, Recognized, candidates, detect,
        };
    }
}
pub mod diff {
    pub mod pairing {
        pub use crate::diff::pairing::untouched;
    }
    pub mod records {
        pub use crate::diff::records::{RecordFate, RecordsDiff};
    }
    pub mod messages {
        pub use crate::diff::messages::{RequestText, write};
    }
}
pub mod engine {
    pub use crate::engine::{CheckOptions, Judged, Verdict, judge};
}
pub mod explain {
    pub use crate::explain::{Explained, record};
    pub mod rule {
        pub use crate::explain::rule::{Manual, Paragraph};
    }
    pub mod story {
        pub use crate::explain::story::{ExplainOptions, account};
    }
}
pub mod find {
    pub use crate::find::{Found, find, name_of, recognize_again};
}
pub mod format {
    pub use crate::format::{Detection, Format, Rank};
    pub mod head {
        pub use crate::format::head::Sample;
    }
}
pub mod hosts {
    pub use crate::hosts::{ALL, by_name, homes};
}
/// What fuzzing gives any bytes to.
pub mod fuzzing {
    use crate::containers::msgpack;
    use crate::explain::error::{Paste, meaning};

    /// MessagePack as JSON.
    pub fn msgpack(bytes: &[u8]) -> Option<Vec<u8>> {
        msgpack::to_json(bytes, |_, payload| Some(payload))
    }

    /// What a pasted error text is taken for.
    pub fn error_text(text: &str) {
        meaning(&Paste::read(text));
    }
}
pub mod journal {
    pub use crate::journal::{
        Journal, LateContent, Objection, RunPosition, WriteCheck, WriteOptions,
    };
}
pub mod json {
    pub mod cut {
        pub use crate::json::cut::RecordChange;
    }
    pub mod node {
        pub use crate::json::node::Node;
    }
    pub mod scan {
        pub use crate::json::scan::{ScanMode, Scanner, scan};
    }
    pub mod tape {
        pub use crate::json::tape::{Kind, Tape};
    }
}
pub mod outputs {
    pub use crate::outputs::{Detail, OUTPUTS, OutputStyle};
}
pub mod redact {
    pub use crate::redact::copy;
    pub mod proof {
        pub use crate::redact::proof::{Beside, difference, examine};
    }
}
pub mod repair {
    pub use crate::repair::{
        FEW_RECORDS, FEW_TURNS, ONE_RECORD_IN, ONE_TURN_IN, Policy, Refused, RepairPlan,
        WriteStyle, plan,
    };
}
pub mod report {
    pub mod build {
        pub use crate::report::build::conversation;
        pub use crate::report::records::role;
    }
    pub mod model {
        pub use crate::report::model::Report;
    }
    pub mod redact {
        pub use crate::report::redact::{People, Redact, RedactMode, Redactor, redact};
    }
}
pub mod rules {
    pub use crate::rules::page::RuleExample;
    pub use crate::rules::{
        ALL, Finding, Prefer, Preference, REQUIREMENTS, Rule, Strategy, by_name,
    };
}
pub mod stores {
    pub use crate::stores::named_only;
}
pub mod stories {
    pub use crate::stories::{Occurrence, find};
}
pub mod targets {
    pub use crate::targets::{ALL, Target};
}
pub mod transcript {
    pub mod replaced {
        pub use crate::transcript::replaced::{FEWEST_RECORDS, ONE_ID_IN};
    }
    pub use crate::transcript::{
        Action, Applicability, Code, Confidence, Effect, EventId, Id, Idx, Role, Severity, State,
        Subject, Transcript, facts,
    };
}
