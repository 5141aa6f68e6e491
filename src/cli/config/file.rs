//! Where a configuration is: a file of its own, or a table of `pyproject.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use toml_span::value::Table;
use toml_span::{Span, Value};

use super::ConfigError;

/// The name of a file of its own.
const FILE: &str = "transcript-doctor.toml";
/// The file of a Python project, which many tools share.
const PYPROJECT: &str = "pyproject.toml";
/// Our name in it.
const NAME: &str = "transcript-doctor";
/// Our table in it.
pub(super) const TABLE: &str = "tool.transcript-doctor";

/// A file with a configuration.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub path: PathBuf,
    pub text: String,
}

impl ConfigFile {
    /// The file of this name.
    ///
    /// # Errors
    /// It cannot be read, or is a `pyproject.toml` without our table.
    pub(super) fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
        let text = fs::read_to_string(path)
            .map_err(|why| ConfigError::Read { path: path.to_owned(), why })?;
        if !is_pyproject(path) {
            return Ok(ConfigFile { path: path.to_owned(), text });
        }
        let file = ConfigFile::of_pyproject(path, text);
        file.ok_or_else(|| ConfigError::NoTable { path: path.to_owned() })
    }

    /// The configuration in this folder, or in the nearest one above it that has one. Of two in a folder, the file of its own.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn find(here: &Path) -> Result<Option<ConfigFile>, ConfigError> {
        for folder in here.ancestors() {
            let own = folder.join(FILE);
            if own.is_file() {
                return ConfigFile::read(&own).map(Some);
            }
            let shared = folder.join(PYPROJECT);
            // What cannot be read is for other tools, as far as anybody knows.
            let text = fs::read_to_string(&shared).ok();
            if let Some(file) = text.and_then(|text| ConfigFile::of_pyproject(&shared, text)) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// A `pyproject.toml`, if it has our table.
    fn of_pyproject(path: &Path, text: String) -> Option<ConfigFile> {
        if !text.contains(NAME) {
            return None;
        }
        // What other tools write there may be more than our reader knows: it has no dates.
        let text = if toml_span::parse(&text).is_ok() { text } else { own_tables(&text) };
        let has_table = match toml_span::parse(&text) {
            Ok(document) => own_table(&document).is_some(),
            Err(_) => true,
        };
        has_table.then(|| ConfigFile { path: path.to_owned(), text })
    }

    /// Everything in it.
    ///
    /// # Errors
    /// It is not TOML.
    pub(super) fn document(&self) -> Result<Value<'_>, ConfigError> {
        toml_span::parse(&self.text).map_err(|bad| self.error(bad.span, bad.to_string()))
    }

    /// Our table.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn table<'a, 'b>(
        &self,
        document: &'a Value<'b>,
    ) -> Result<&'a Table<'b>, ConfigError> {
        let own = if is_pyproject(&self.path) { own_table(document) } else { Some(document) };
        let value = own.unwrap_or(document);
        value.as_table().ok_or_else(|| self.error(value.span, format!("{TABLE} is not a table")))
    }

    pub(super) fn error(&self, span: Span, why: String) -> ConfigError {
        ConfigError::Line { path: self.path.clone(), line: self.line(span), why }
    }

    /// The line on which something begins.
    pub(super) fn line(&self, span: Span) -> usize {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        before.matches('\n').count() + 1
    }
}

fn is_pyproject(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == PYPROJECT)
}

fn own_table<'a, 'b>(document: &'a Value<'b>) -> Option<&'a Value<'b>> {
    document.as_table()?.get("tool")?.as_table()?.get(NAME)
}

/// The text with empty lines instead of what is not in our table or one below it, so that lines keep their numbers.
fn own_tables(text: &str) -> String {
    let mut is_own = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            let name = line.trim_start_matches('[').trim_start();
            is_own = name.starts_with(TABLE);
        }
        out.push_str(if is_own { line } else { "\n" });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_other_tools_do_not_hide_our_table() {
        let text = "[tool.other]\nsince = 2026-01-01\n\n[tool.transcript-doctor]\nselect = [\n  \"TD1\",\n]\n\n\
            [tool.transcript-doctor.level]\nTD104 = \"off\"\n\n[tool.last]\nat = 2026-01-02\n";
        assert!(toml_span::parse(text).is_err());
        let file = ConfigFile::of_pyproject(Path::new("pyproject.toml"), text.to_owned()).unwrap();
        let document = file.document().unwrap();
        let table = file.table(&document).unwrap();
        let mut keys: Vec<&str> = table.keys().map(|key| &*key.name).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["level", "select"]);
        assert_eq!(file.text.lines().count(), text.lines().count());
        let none = "[project]\ndependencies = [\"transcript-doctor\"]\n".to_owned();
        assert!(ConfigFile::of_pyproject(Path::new("pyproject.toml"), none).is_none());
    }
}
