//! File names in a diff.

use std::path::{Component, Path};

/// The folder that the names of a diff's entries are below, as the diff names it: relative, parts separated by `/`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder(Vec<u8>);

impl Folder {
    /// The folder at this path; of an absolute one what is below the root.
    pub(crate) fn new(path: &Path) -> Folder {
        let mut out: Vec<u8> = Vec::new();
        for part in path.components() {
            let part = match part {
                Component::Normal(part) => part.as_encoded_bytes(),
                Component::ParentDir => b"..",
                Component::Prefix(_) | Component::RootDir | Component::CurDir => continue,
            };
            if !out.is_empty() {
                out.push(b'/');
            }
            out.extend_from_slice(part);
        }
        Folder(out)
    }

    /// The folder that this file is in.
    pub(crate) fn of_file(path: &Path) -> Folder {
        Folder::new(path.parent().unwrap_or(Path::new("")))
    }

    /// The full name of an entry.
    pub(crate) fn name(&self, entry: &str) -> Vec<u8> {
        if self.0.is_empty() {
            entry.as_bytes().to_vec()
        } else {
            [&self.0[..], b"/", entry.as_bytes()].concat()
        }
    }
}

/// A name after its prefix, as git writes it: in quotes with escapes where it holds a quote, a backslash or a byte that
/// is not printable ASCII.
pub(super) fn quote(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    let plain = |b: &u8| (b' '..=b'~').contains(b) && !matches!(b, b'"' | b'\\');
    if name.iter().all(plain) {
        return [prefix, name].concat();
    }
    let mut out = b"\"".to_vec();
    out.extend_from_slice(prefix);
    for b in name {
        match b {
            b'"' | b'\\' => out.extend([b'\\', *b]),
            b if plain(b) => out.push(*b),
            b => out.extend(format!("\\{b:03o}").into_bytes()),
        }
    }
    out.push(b'"');
    out
}
