//! What Gemini CLI says when it cannot go on with a chat.

use crate::targets::errors::{At, ErrorText};
use crate::transcript::Code;

#[rustfmt::skip]
pub(super) const ERRORS: &[ErrorText] = &[
    ErrorText::new("No previous sessions found for this project", &[Code::BadHeader, Code::ByteOrderMark, Code::GluedRecords, Code::UnreadableRecord], At::Nowhere, "no chat of this project can be loaded")
        .hint("A chat is only found in the folder of its project; one without its first record is not listed."),
    ErrorText::new("Invalid session identifier {q}", &[Code::BadHeader, Code::ByteOrderMark], At::Nowhere, "no chat with this id can be loaded")
        .hint("The id is looked for among the chats of the project of the current folder."),
    ErrorText::new("Checkpoint file is invalid or corrupted", &[Code::TornTail, Code::UnreadableRecord, Code::ByteOrderMark], At::Nowhere, "a saved history cannot be read"),
];
