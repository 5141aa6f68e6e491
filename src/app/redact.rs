//! A copy without anything that somebody said, proved to have the same findings.

use crate::transcript::Code;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;

use super::{Run, streams};
use crate::bytes::archive;
use crate::bytes::packed::codec_of_copy;
use crate::bytes::replace::{self, Readers};
use crate::bytes::source::{Entries, Shape};
use crate::cli::RedactArg;
use crate::find::name_of;
use crate::find::{self, Found};
use crate::outputs::paint::{Tone, paint};
use crate::outputs::{Detail, many};
use crate::redact::proof::{self, Beside};
use crate::redact::{Copied, copy};

/// Makes a copy, proves it, and gives it its place; else nothing is left.
pub(crate) fn one(run: &Run<'_>, found: &Found, out: &Path, force: bool) -> Result<(), String> {
    let text = |error: io::Error| error.to_string();
    let to_stdout = out.as_os_str() == "-";
    let around = out
        .parent()
        .filter(|around| !around.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let folder = match to_stdout {
        true => tempfile::tempdir(),
        false => {
            fs::create_dir_all(around).map_err(text)?;
            tempfile::Builder::new()
                .prefix(".")
                .suffix(".redacting")
                .tempdir_in(around)
        }
    }
    .map_err(|error| text(replace::without_temp_name(error)))?;
    let inside = folder.path().join("copy");
    fs::create_dir(&inside).map_err(text)?;
    let (name, strict) = (name_of(&found.path), run.global.redact == RedactArg::Strict);
    let people = super::people();
    let copied = copy(&found.source, &found.claim, &name, &people, strict, &inside)
        .map_err(|e| e.to_string())?;
    let was = proof::look(&found.source, &name, &found.claim, &run.ask)?;
    prove(run, found, &copied, &was)?;
    give(found, &copied, &inside, out, force).map_err(text)?;
    if !to_stdout && run.style.detail >= Detail::Normal {
        tell(run, out, &copied, &was).map_err(|error| format!("{error:#}"))?;
    }
    Ok(())
}

fn prove(run: &Run<'_>, found: &Found, copied: &Copied, was: &proof::Known) -> Result<(), String> {
    let other = "the copy would not have the same findings";
    let claim = find::claim(&copied.source, &copied.name, &found.claim);
    let claim = claim.map_err(|why| format!("{other}: {why}"))?;
    let beside = Beside {
        copy: &copied.source,
        was: &found.source,
    };
    let is = proof::look(&beside, &copied.name, &claim, &run.ask)
        .map_err(|why| format!("{other}: {why}"))?;
    match proof::difference(was, &is) {
        None => Ok(()),
        Some(difference) => Err(format!("{other}: {difference}; nothing was written")),
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
        Shape::Folder => fs::rename(inside, out),
        _ if out.as_os_str() == "-" => {
            let mut to = io::BufWriter::new(io::stdout());
            streams::quiet(pour(own, &mut to).and_then(|()| to.flush()))
        }
        Shape::Archive => replace::write_new_file(out, force, Readers::Others, |file| {
            archive::write(source, &mut *file)
        }),
        _ => {
            let codec = codec_of_copy(&found.path, own, out);
            replace::write_new_file(out, force, Readers::Others, |file| pour(codec, file))
        }
    }
}

fn tell(run: &Run<'_>, out: &Path, copied: &Copied, was: &proof::Known) -> Result<()> {
    let findings = was
        .conversations
        .iter()
        .map(|conversation| conversation.findings.len())
        .sum::<usize>();
    let unknown = was
        .conversations
        .iter()
        .flat_map(|conversation| &conversation.findings);
    let unknown = unknown
        .filter(|finding| finding.code == UNKNOWN)
        .map(|finding| finding.records.len())
        .sum::<usize>();
    let path = paint(Tone::Strong, &run.reader.path(out)).to_string();
    let same = match findings {
        0 => "nothing is found in it, as in the recording".to_owned(),
        some => format!(
            "{} in it, as in the recording",
            many(some as u64, "finding")
        ),
    };
    run.write(|to| {
        writeln!(to, "Wrote {path}: no text; {same}.")?;
        if unknown > 0 {
            let records = many(unknown as u64, "record");
            writeln!(
                to,
                "Of {records} of kinds that are not known, only ids, kinds and times are in it."
            )?;
        }
        if copied.left_out > 0 {
            writeln!(
                to,
                "Left out {} that are none of the recording's.",
                many(copied.left_out as u64, "file")
            )?;
        }
        Ok(())
    })
}

/// The rule of records of unknown kinds.
const UNKNOWN: Code = Code::UnknownRecord;
