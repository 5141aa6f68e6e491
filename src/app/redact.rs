//! A copy without anything that somebody said, proved to have the same findings.

use crate::bytes::replace::Existing;
use crate::transcript::Code;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::{App, Error, Result, signals, streams};
use crate::bytes::archive;
use crate::bytes::packed::codec_of_copy;
use crate::bytes::replace::{self, Readers};
use crate::bytes::source::{Entries, SourceShape};
use crate::cli::RedactArg;
use crate::find::name_of;
use crate::find::{self, Found};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, many};
use crate::redact::proof::{self, Beside};
use crate::redact::{Copied, Stopped, copy};
use crate::repair::Refused;
use crate::report::redact::Redactor;

/// Why no redacted copy was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoCopy {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Stopped(#[from] Stopped),
    #[error("{0}")]
    Plan(#[from] Refused),
    #[error("the copy would not have the same findings: {0}")]
    Unread(io::Error),
    #[error("the copy would not have the same findings: {0}")]
    NoPlan(Refused),
    #[error("the copy would not have the same findings: {0}; nothing was written")]
    Differs(String),
    #[error("{0}")]
    Output(#[from] Error),
}

/// Makes a copy, proves it, and gives it its place; else nothing is left.
pub(crate) fn redact_source(
    app: &App<'_>,
    found: &Found,
    out: &Path,
    force: bool,
) -> Result<(), NoCopy> {
    let to_stdout = out.as_os_str() == "-";
    let around =
        out.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = if to_stdout {
        tempfile::tempdir()
    } else {
        fs::create_dir_all(around)?;
        tempfile::Builder::new().prefix(".").suffix(".redacting").tempdir_in(around)
    }
    .map_err(replace::without_temp_name)?;
    let folder = signals::StagingFolder::new(folder);
    let inside = folder.path().join("copy");
    fs::create_dir(&inside)?;
    let (name, strict) = (name_of(&found.path), app.options.redact == RedactArg::Strict);
    let people = super::options::people();
    let copied = copy(&found.source, &found.detection, &name, &people, strict, &inside)?;
    let was = proof::examine(&found.source, &name, &found.detection, &app.options.check)?;
    prove(app, found, &copied, &was)?;
    give(found, &copied, &inside, out, force)?;
    if !to_stdout && app.style.detail >= Detail::Normal {
        print_result(app, out, &copied, &was)?;
    }
    Ok(())
}

fn prove(
    app: &App<'_>,
    found: &Found,
    copied: &Copied,
    was: &proof::ExaminedCopy,
) -> Result<(), NoCopy> {
    let detection = find::recognize_again(&copied.source, &copied.name, &found.detection);
    let detection = detection.map_err(NoCopy::Unread)?;
    let beside = Beside { copy: &copied.source, was: &found.source };
    let is = proof::examine(&beside, &copied.name, &detection, &app.options.check)
        .map_err(NoCopy::NoPlan)?;
    match proof::difference(was, &is) {
        None => Ok(()),
        Some(difference) => Err(NoCopy::Differs(difference)),
    }
}

/// The copy to its place: a file compressed as its name says, a folder as it is.
fn give(found: &Found, copied: &Copied, inside: &Path, out: &Path, force: bool) -> io::Result<()> {
    let own = found.source.packed().map(|packed| packed.codec);
    let source = &copied.source;
    let pour = |codec: Option<crate::bytes::packed::Codec>, to: &mut dyn Write| {
        source.ids().into_iter().try_for_each(|id| match codec {
            Some(codec) => codec.pack(&mut *source.open(id)?, to),
            None => io::copy(&mut *source.open(id)?, to).map(|_| ()),
        })
    };
    match found.source.shape() {
        _ if source.shape() == SourceShape::Folder => fs::rename(inside, out),
        _ if out.as_os_str() == "-" => {
            let mut to = io::BufWriter::new(io::stdout());
            streams::quiet(pour(own, &mut to).and_then(|()| to.flush()))
        }
        SourceShape::Archive => {
            replace::write_new_file(out, Existing::replaced_if(force), Readers::Others, |file| {
                archive::write(source, &mut *file)
            })
        }
        _ => {
            let codec = codec_of_copy(&found.path, own, out);
            replace::write_new_file(out, Existing::replaced_if(force), Readers::Others, |file| {
                pour(codec, file)
            })
        }
    }
}

fn print_result(
    app: &App<'_>,
    out: &Path,
    copied: &Copied,
    was: &proof::ExaminedCopy,
) -> Result<()> {
    let all = || was.conversations.iter().flat_map(|conversation| &conversation.findings);
    let findings: u64 = all().map(|finding| finding.identity.count).sum();
    let unknown = all().filter(|finding| finding.code == UNKNOWN);
    // Of many records, only some are listed.
    let unknown: u64 =
        unknown.map(|finding| finding.identity.count.max(finding.records.len() as u64)).sum();
    // The user typed it, so it is theirs to see.
    let path = paint(Tone::Strong, &Redactor::at_hand().path(out)).to_string();
    let same = match findings {
        0 => "no findings, as in the original".to_owned(),
        some => format!("{}, as in the original", many(some, "finding")),
    };
    app.write(|to| {
        writeln!(to, "Wrote {path}, without any text: {same}.")?;
        if unknown > 0 {
            let records = many(unknown, "record");
            writeln!(to, "Of {records} of unknown types, it has only IDs, types, and times.")?;
        }
        if copied.left_out > 0 {
            writeln!(
                to,
                "Left out {} that are not part of the transcript.",
                many(copied.left_out as u64, "file")
            )?;
        }
        Ok(())
    })
}

/// The rule of records of unknown kinds.
const UNKNOWN: Code = Code::UnknownRecord;
