//! The rows of a file of conversations.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::engine::Verdict;
use crate::report::redact::redact_fields;
use crate::report::text::Shown;

/// The rows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// The total number.
    pub total: u64,
    /// Conversations that are healthy.
    pub healthy: u64,
    /// Rows without a conversation.
    pub skipped: u64,
    /// Healthy conversations without an entry of their own.
    pub unlisted: u64,
    /// Other conversations without an entry of their own, by verdict: their findings are in the
    /// entry of the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<Verdict, u64>,
    /// Whether something is wrong with the file itself rather than with a row.
    #[serde(skip)]
    pub is_file_damaged: bool,
}

impl Rows {
    /// Whether no row has a conversation.
    pub fn are_none(&self) -> bool {
        self.total == self.skipped
    }

    /// Number of conversations without an entry of their own, by verdict.
    pub fn without_entry(&self) -> impl Iterator<Item = (Verdict, u64)> + '_ {
        let shared = self.shared.iter().map(|(verdict, rows)| (*verdict, *rows));
        [(Verdict::Healthy, self.unlisted)].into_iter().chain(shared)
    }

    /// Whether some of them have entries of their own.
    pub fn are_listed(&self) -> bool {
        let unlisted: u64 = self.without_entry().map(|(_, rows)| rows).sum();
        self.total > self.skipped.saturating_add(unlisted)
    }
}

/// Identifies a row of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowAt {
    /// 1-based line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 0-based index in an array, or among the files of an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The file that it is, in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Shown>,
    /// The member of the document that is the array; absent where the document is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'static str>,
    /// Which conversation of the row it is: the JSON pointer of its list, or of the string with its text. Absent where the
    /// row has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The ID in the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Shown>,
}

impl RowAt {
    /// Its place in the file at `path`, for users.
    pub(crate) fn place(&self, path: String) -> String {
        let part = self.part.as_deref().unwrap_or_default();
        if let Some(file) = &self.file {
            return match part {
                "" => format!("{path}/{file}"),
                part => format!("{path}/{file}#{part}"),
            };
        }
        match (self.line, self.index) {
            (Some(line), _) if part.is_empty() => format!("{path}:{line}"),
            (Some(line), _) => format!("{path}:{line}#{part}"),
            (None, Some(index)) => match self.list {
                Some(list) => format!("{path}#/{list}/{index}{part}"),
                None => format!("{path}#/{index}{part}"),
            },
            (None, None) if part.is_empty() => path,
            (None, None) => format!("{path}#{part}"),
        }
    }
}

redact_fields! {
    RowAt { file, key }
}
