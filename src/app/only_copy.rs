//! Whether a repair replaces a transcript, or can only be written as a copy.

use crate::bytes::packed::StreamEnd;
use crate::bytes::source::SourceShape;
use crate::containers::Layout;
use crate::find::Found;
use crate::rows::Examined;

/// Why a repair can only be a copy.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum OnlyCopy {
    /// A database, which its host may have open.
    Database,
    /// No host reads the transcript back.
    NotReadBack,
    /// Its host has read the file, and does not read it again.
    NotReread,
    /// What follows the damage of its compressed stream would be lost.
    DamagedStream,
}

/// What is known of a transcript while its conversations are examined.
pub(super) struct Replacing<'a> {
    found: &'a Found,
    is_read_back: bool,
}

impl<'a> Replacing<'a> {
    pub(super) fn new(found: &'a Found) -> Replacing<'a> {
        let mut replacing = Replacing { found, is_read_back: true };
        replacing.see_layout(&found.detection.layout);
        replacing
    }

    /// Takes a conversation into account.
    pub(super) fn see(&mut self, examined: &Examined<'_>) {
        if let Examined::Conversation(own) = examined {
            self.see_layout(&own.judged().detection.layout);
        }
    }

    /// Takes the layout of a conversation into account: that of a row is not that of its file.
    pub(super) fn see_layout(&mut self, layout: &Layout) {
        self.is_read_back &= (self.found.detection.format.traits.in_place)(layout);
    }

    /// Why a repair can only be a copy, if it can.
    pub(super) fn only_copy(&self) -> Option<OnlyCopy> {
        let source = &self.found.source;
        match source.shape() {
            SourceShape::Database => Some(OnlyCopy::Database),
            SourceShape::File | SourceShape::Folder if self.is_read_back => {
                if (self.found.detection.format.traits.never_written)(&self.found.path) {
                    Some(OnlyCopy::NotReread)
                } else {
                    let packed = source.packed();
                    let is_damaged = packed.is_some_and(|packed| packed.end == StreamEnd::Damaged);
                    is_damaged.then_some(OnlyCopy::DamagedStream)
                }
            }
            _ => Some(OnlyCopy::NotReadBack),
        }
    }
}
