//! The settings of a run, as a configuration that says the same.

use std::path::{Path, PathBuf};

use super::{App, Result};
use crate::cli::{Setting, SettingSource};
use crate::engine::TargetChoice;
use crate::find::surroundings::Surroundings;
use crate::outputs::paint::{Tone, paint};

/// Prints what applies, each key with who said so, and what applies to these files alone.
///
/// # Errors
/// It cannot be printed.
pub(crate) fn show(app: &App<'_>, files: &[PathBuf]) -> Result<()> {
    let lines: Vec<(String, String)> =
        app.options.settings.iter().map(|setting| line(app, setting)).collect();
    let wide = lines.iter().map(|(line, _)| line.len()).filter(|wide| *wide <= MOST).max();
    app.write(|to| {
        for (line, from) in &lines {
            let wide = wide.unwrap_or(0);
            writeln!(to, "{line:wide$}  {}", paint(Tone::Dim, &format!("# {from}")))?;
        }
        for file in files {
            writeln!(to, "\n# {}:", app.options.reader.path(file))?;
            for said in of_file(app, file) {
                writeln!(to, "# {said}")?;
            }
        }
        Ok(())
    })
}

/// Columns up to which remarks are below each other.
const MOST: usize = 60;

/// `fail-on = "error"`, and who said so.
fn line(app: &App<'_>, setting: &Setting) -> (String, String) {
    let Setting { name, value, sources } = setting;
    let line = match value {
        Some(value) => format!("{name} = {value}"),
        // There is no value that says so.
        None => format!("# {name}: none"),
    };
    let said = sources.iter().map(|source| match source {
        SettingSource::File(path, line) => {
            format!("{}:{line}", app.options.reader.path(&near(path)))
        }
        SettingSource::Typed => "command line".to_owned(),
    });
    let said: Vec<String> = said.collect();
    let from = if said.is_empty() { "default".to_owned() } else { said.join(" and ") };
    (line, from)
}

/// The path as it would be typed here: relative, if it is below the working directory.
fn near(path: &Path) -> PathBuf {
    let around = Surroundings::system();
    let below = around.here().and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).to_owned()
}

/// What the configuration says of a file alone.
fn of_file(app: &App<'_>, path: &Path) -> Vec<String> {
    let (all, own) = (&app.options.check, app.options.check_at(path));
    let mut said = Vec::new();
    let ignored: Vec<&str> = app.options.ignored_at(path).map(String::as_str).collect();
    if !ignored.is_empty() {
        said.push(format!("also ignored: {}", ignored.join(", ")));
    }
    if let Some(format) = app.options.format.or_else(|| app.options.format_at(path)) {
        said.push(format!("format: {}", format.name));
    }
    let provider = own.target.map(TargetChoice::name);
    if let Some(provider) = provider.filter(|_| provider != all.target.map(TargetChoice::name)) {
        said.push(format!("provider: {provider}"));
    }
    if said.is_empty() {
        said.push("nothing of its own".to_owned());
    }
    said
}
