//! Where a copy goes that the command line names, and where a conversation is resumed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Error, Result};
use crate::report::model::Conversation;
use crate::report::redact::Redactor;

/// The path of a copy of `source`: the one that was named or, where that is a folder, `name` in it.
///
/// # Errors
/// It is the source itself or inside it, the folder around it is missing, or the copy has no name; in words for the user.
pub(crate) fn of_copy(
    source: &Path,
    out: &Path,
    name: Option<&OsStr>,
    reader: &Redactor,
) -> Result<PathBuf> {
    let shown = |path: &Path| reader.path(path);
    let real = source.canonicalize().ok();
    let is_source = |path: &Path| real.is_some() && path.canonicalize().ok() == real;
    if is_source(out) {
        return Err(Error::usage(format!("{} is the source itself", shown(out))));
    }
    let out = match name {
        _ if !out.is_dir() => out.to_owned(),
        Some(name) => out.join(name),
        None => {
            return Err(Error::usage(format!("{} is a folder: name a file in it", shown(out))));
        }
    };
    if is_source(&out) {
        return Err(Error::usage(format!("{} is the source itself", shown(&out))));
    }
    let slash = out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let around = if slash && !source.is_dir() { Some(out.as_path()) } else { out.parent() };
    let around = around.filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(at) = around.canonicalize().ok().filter(|at| at.is_dir()) else {
        return Err(Error::usage(format!("no such folder: {}", shown(around))));
    };
    if real.is_some_and(|real| source.is_dir() && at.starts_with(real)) {
        return Err(Error::usage(format!(
            "{} would be written into {}",
            shown(&out),
            shown(source)
        )));
    }
    Ok(out)
}

/// Refuses to write over what is there; `force` allows it for a file.
///
/// # Errors
/// Something is there, in words for the user.
pub(crate) fn is_free(out: &Path, force: bool, reader: &Redactor) -> Result<()> {
    if out.symlink_metadata().is_ok() && (!force || out.is_dir()) {
        let how = if out.is_dir() { "" } else { "; --force replaces it" };
        return Err(Error::usage(format!("{} exists{how}", reader.path(out))));
    }
    Ok(())
}

/// Looks whether the folder to resume a conversation in exists here: transcripts come from other machines, too.
pub(super) fn look_for_folder(conversation: &mut Conversation) {
    if let Some(resume) = &mut conversation.resume
        && let Some(folder) = &resume.folder
    {
        resume.has_folder = Path::new(folder.exact()).is_dir();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_takes_the_copy_and_a_missing_one_is_a_mistake() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("out")).unwrap();
        fs::create_dir_all(at("log/events")).unwrap();
        fs::write(at("run.jsonl"), "").unwrap();
        let place = |source: &str, out: &str| {
            let source = at(source);
            of_copy(&source, &dir.path().join(out), source.file_name(), &Redactor::for_anybody())
                .map_err(|why| why.to_string())
        };
        assert_eq!(place("run.jsonl", "out"), Ok(at("out/run.jsonl")));
        assert_eq!(place("run.jsonl", "new.jsonl"), Ok(at("new.jsonl")));
        assert_eq!(place("log", "out"), Ok(at("out/log")));
        assert_eq!(place("log", "new/"), Ok(at("new/")));
        for (source, out, why) in [
            ("run.jsonl", "gone/new.jsonl", "no such folder"),
            ("run.jsonl", "gone/", "no such folder"),
            ("run.jsonl", "run.jsonl/new.jsonl", "no such folder"),
            ("run.jsonl", "run.jsonl", "the source itself"),
            ("run.jsonl", ".", "the source itself"),
            ("log", "log", "the source itself"),
            ("log", "log/events", "would be written into"),
            ("log", "log/copy", "would be written into"),
        ] {
            let error = place(source, out).unwrap_err();
            assert!(error.contains(why), "{source} {out}: {error}");
        }
        assert!(of_copy(Path::new("-"), &at("out"), None, &Redactor::for_anybody()).is_err());
    }
}
