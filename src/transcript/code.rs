//! The codes of rules. A code without a rule does not compile (`rules::ALL`).

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($name:ident = $code:literal,)*) => {
        /// The code of a rule. A code never gets another meaning.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $code] $name,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// The code as people write it: `TD104`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $code,)*
                }
            }
        }
    };
}

codes! {
    TornTail = "TD001",
    UnreadableRecord = "TD002",
    GluedRecords = "TD003",
    SplitRecord = "TD004",
    NulPadding = "TD005",
    ByteOrderMark = "TD006",
    RawLineSeparator = "TD007",
    InvalidUtf8 = "TD008",
    LoneSurrogate = "TD009",
    UnknownRecord = "TD010",
    BadHeader = "TD011",
    RepeatedRecord = "TD012",
    MalformedRecord = "TD013",
    MissingFinalNewline = "TD014",
    UnansweredCall = "TD101",
    PendingCall = "TD102",
    OrphanResult = "TD103",
    TwoResults = "TD104",
    ConflictingResults = "TD105",
    ReusedCallId = "TD106",
    MissingCallId = "TD107",
    LinkMismatch = "TD108",
    RepeatedCall = "TD109",
    ResultNotNext = "TD201",
    SplitBatch = "TD202",
    FailedTurnWithCalls = "TD203",
    ResultBeforeCall = "TD204",
    EndsWithAssistant = "TD205",
    BadStart = "TD206",
    RoleOrder = "TD207",
    BrokenParent = "TD301",
    ParentCycle = "TD302",
    StrandedRecord = "TD303",
    CompactionSplitPair = "TD304",
    CompactionAnchor = "TD305",
    DuplicateRecordId = "TD306",
    SessionMismatch = "TD307",
    EmptyContent = "TD401",
    MissingInput = "TD402",
    BadInput = "TD403",
    BadToolName = "TD404",
    BadCallId = "TD405",
    EmptyErrorResult = "TD406",
    Thinking = "TD407",
    BadMedia = "TD408",
    ReasoningItem = "TD409",
    ForeignBlock = "TD410",
    TooManyImages = "TD411",
    ServerItem = "TD412",
    UndeclaredCall = "TD413",
    LeafPointer = "TD501",
    RecordOrder = "TD502",
    StuckStatus = "TD503",
    HostState = "TD504",
    StaleSideFile = "TD507",
    LiveWriter = "TD901",
    GrowingTail = "TD902",
}

impl Code {
    /// `TD101, TD104`
    pub fn list(codes: impl IntoIterator<Item = Code>) -> String {
        codes.into_iter().map(Code::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Lets tests compare codes with strings.
#[cfg(test)]
impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
