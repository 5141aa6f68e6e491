//! What a safe repair of a transcript would write, for outputs that offer it to other programs.

use std::ops::Range;
use std::path::Path;

use super::file::RecordFile;
use super::redact::{Redact, RedactMode, Redactor, StringKind, redact_fields};
use crate::bytes::patch::{ByteEdit, Patch};
use crate::bytes::source::{Entries, EntryId, Source, SourceShape};
use crate::containers::Layout;
use crate::dialects::placeholders::OUR_TEXTS;

/// A repair that is offered, or why it is not.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The files that change; empty if nothing is offered.
    pub files: Vec<ChangedFile>,
    /// Why nothing is offered.
    pub withheld: Option<String>,
}

/// The edits of a file, by offset.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// `None` if the transcript is the file.
    pub name: Option<RecordFile>,
    pub edits: Vec<Replacement>,
}

/// Bytes that replace others.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The offsets of what is replaced.
    pub at: Range<u64>,
    /// What replaces it.
    pub with: Inserted,
}

/// Bytes that a repair writes.
#[derive(Clone, Debug)]
pub struct Inserted {
    bytes: Vec<u8>,
    /// Whether the reader may see all of them.
    is_shown: bool,
}

redact_fields! {
    Offer { files }
    ChangedFile { name, edits }
    Replacement { with }
}

impl Offer {
    /// That nothing is offered, and why.
    pub(crate) fn withheld(why: impl Into<String>) -> Offer {
        Offer { files: Vec::new(), withheld: Some(why.into()) }
    }

    /// The edits of this patch of the source of the transcript at `path`.
    pub(crate) fn of(path: &Path, source: &Source, layout: &Layout, patch: &Patch) -> Offer {
        let changes_names = |id: &EntryId| patch.removes(*id) || patch.new_name(*id).is_some();
        if source.packed().is_some() || source.shape() == SourceShape::Archive {
            return Offer::withheld("the file is compressed");
        }
        if !patch.created().is_empty() || patch.changed_entries().any(|id| changes_names(&id)) {
            return Offer::withheld("it creates, removes, or renames files");
        }
        let is_folder = source.shape() == SourceShape::Folder;
        let name = |id| {
            let mut file = RecordFile::inside(layout.below_folder(source.name(id)));
            if layout.is_in_store() {
                file.set_store_of(path);
            }
            file
        };
        let file = |id| ChangedFile {
            name: is_folder.then(|| name(id)),
            edits: patch.bytes_of(id).iter().map(Replacement::of).collect(),
        };
        Offer { files: patch.changed_entries().map(file).collect(), withheld: None }
    }

    /// Whether the reader may see all that it writes.
    pub(crate) fn is_shown(&self) -> bool {
        let mut edits = self.files.iter().flat_map(|file| &file.edits);
        edits.all(|edit| edit.with.is_shown)
    }
}

impl Replacement {
    fn of(edit: &ByteEdit) -> Replacement {
        Replacement {
            at: edit.start..edit.end,
            with: Inserted { bytes: edit.with.clone(), is_shown: false },
        }
    }
}

impl Inserted {
    /// The bytes, if the reader may see them.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.is_shown.then_some(&self.bytes)
    }
}

impl Redact for Inserted {
    fn redact(&mut self, reader: &Redactor) {
        self.is_shown = reader.mode() == RedactMode::Off || has_no_texts(&self.bytes, reader);
    }
}

/// Whether the strings in a part of a JSON text are our own texts, or IDs, names and paths that the reader may see.
fn has_no_texts(json: &[u8], reader: &Redactor) -> bool {
    let Ok(json) = std::str::from_utf8(json) else {
        return false;
    };
    // What is inside quotes alternates with what is not; an escaped quote ends a piece that is no ID.
    json.split('"').enumerate().all(|(at, piece)| {
        if at % 2 == 0 {
            is_punctuation(piece)
        } else {
            piece.is_empty()
                || OUR_TEXTS.contains(&piece)
                || reader.render(StringKind::Word, piece) == piece
        }
    })
}

/// Whether a text is what JSON has between strings.
fn is_punctuation(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || "{}[]:,".contains(c));
    words.all(|word| {
        let is_number = word.bytes().all(|c| c.is_ascii_digit() || b"+-.eE".contains(&c));
        is_number || matches!(word, "null" | "true" | "false")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_no_text_is_shown() {
        let is_shown = |mode, bytes: &[u8]| {
            let mut inserted = Inserted { bytes: bytes.to_vec(), is_shown: false };
            inserted.redact(&Redactor::for_file(mode, Default::default()));
            inserted.bytes().is_some()
        };
        let result = format!(
            r#"{{"role":"tool","tool_call_id":"call_1","at":1.5e3,"content":"{}"}},"#,
            OUR_TEXTS[0]
        );
        for own in [&result[..], "", "\n", "null", r#""parentUuid":null,"#] {
            assert!(is_shown(RedactMode::Content, own.as_bytes()), "{own}");
        }
        let foreign = [
            r#"{"role":"user","content":"What a day"}"#,
            r#""say \"it\"""#,
            "secret",
            r#"{"cwd":"/home/ann/my work"}"#,
        ];
        for foreign in foreign {
            assert!(!is_shown(RedactMode::Content, foreign.as_bytes()), "{foreign}");
            assert!(is_shown(RedactMode::Off, foreign.as_bytes()));
        }
        assert!(!is_shown(RedactMode::Content, b"\xff"));
    }
}
