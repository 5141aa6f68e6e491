//! A format in one line.

use serde::Serialize;

use crate::format::Format;

/// An entry of the list of formats. All of it is our own text.
#[derive(Clone, Debug, Serialize)]
pub struct ListedFormat {
    /// The name that `--from` takes.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// The names of the hosts whose sessions are found, without `@`.
    pub hosts: Vec<&'static str>,
}

impl ListedFormat {
    pub fn of(format: &Format) -> ListedFormat {
        ListedFormat {
            name: format.name,
            title: format.title,
            hosts: format.traits.homes.iter().map(|home| home.name).collect(),
        }
    }
}
