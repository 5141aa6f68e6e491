//! Where a repair goes.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::app::{Error, Result, place};
use crate::find::{Finds, store};
use crate::report::redact::Redactor;

/// Where a repair goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RepairOutput {
    /// Into the transcript itself.
    InPlace,
    /// A copy to standard output.
    Stdout,
    /// Copies of what was named, by their source: each a file or a whole tree.
    Copies(HashMap<PathBuf, PathBuf>),
}

impl RepairOutput {
    /// What the command line says.
    ///
    /// # Errors
    /// It contradicts itself.
    pub(crate) fn of(
        output: Option<&Path>,
        targets: &[PathBuf],
        dry_run: bool,
    ) -> Result<RepairOutput> {
        let is_dash = |path: &Path| path.as_os_str() == "-";
        let stdin = targets.iter().any(|target| is_dash(target));
        match output {
            Some(path) if is_dash(path) => Ok(RepairOutput::Stdout),
            Some(_) => Ok(RepairOutput::Copies(HashMap::new())),
            None if dry_run => Ok(RepairOutput::InPlace),
            None if stdin && targets.len() > 1 => Err(Error::usage(
                "- filters standard input to standard output; name it alone, or give --output",
            )),
            None if stdin => Ok(RepairOutput::Stdout),
            None => Ok(RepairOutput::InPlace),
        }
    }

    /// Finishes which copies are made, and whether they can be.
    ///
    /// # Errors
    /// They cannot, in words for the user.
    pub(crate) fn prepare(
        &mut self,
        finds: &Finds,
        output: Option<&Path>,
        force: bool,
        reader: &Redactor,
    ) -> Result<()> {
        match self {
            RepairOutput::InPlace => Ok(()),
            RepairOutput::Stdout if finds.found.iter().any(|found| found.path.is_dir()) => Err(
                Error::usage("a folder cannot go to standard output; name a path with --output"),
            ),
            RepairOutput::Stdout if finds.found.len() > 1 => {
                Err(Error::usage("only one transcript can go to standard output"))
            }
            RepairOutput::Stdout => Ok(()),
            RepairOutput::Copies(copies) => {
                let all = self::copies(finds, output, reader)?;
                all.iter().try_for_each(|(_, out)| place::is_free(out, force, reader))?;
                *copies = all.into_iter().collect();
                Ok(())
            }
        }
    }

    /// The copy of what was named that holds this transcript: its source, its path, and the path of the transcript in it.
    pub(crate) fn copy_of(&self, recording: &Path) -> Option<(&Path, &Path, PathBuf)> {
        let RepairOutput::Copies(copies) = self else {
            return None;
        };
        let (source, out) = recording.ancestors().find_map(|above| copies.get_key_value(above))?;
        let below = recording.strip_prefix(source).ok()?;
        let own = if below.as_os_str().is_empty() { out.clone() } else { out.join(below) };
        Some((source.as_path(), out.as_path(), own))
    }
}

/// What was named and holds transcripts, each with the path of its copy.
fn copies(
    finds: &Finds,
    output: Option<&Path>,
    reader: &Redactor,
) -> Result<Vec<(PathBuf, PathBuf)>> {
    let Some(out) = output else {
        return Ok(Vec::new());
    };
    let mut targets: HashMap<&Path, usize> = HashMap::new();
    for (number, target) in finds.targets.iter().enumerate() {
        targets.entry(target).or_insert(number);
    }
    let (mut sources, mut known): (Vec<&Path>, HashSet<&Path>) = Default::default();
    for found in &finds.found {
        // What was named first.
        let words = found.path.ancestors().filter_map(|above| targets.get_key_value(above));
        let word = words.min_by_key(|(_, number)| **number);
        // The events folder of a conversation was named: the conversation is copied.
        let source = word.map_or(found.path.as_path(), |(word, _)| word);
        if !source.ancestors().any(|above| known.contains(above)) {
            known.insert(source);
            sources.push(source);
        }
    }
    match &sources[..] {
        // Nothing was found: that is reported, but it is not a mistake on the command line.
        [] => return Ok(Vec::new()),
        [_] => {}
        _ if out.is_dir() => {}
        _ => {
            return Err(Error::usage("with several targets, --output must be an existing folder"));
        }
    }
    let copies = sources
        .iter()
        .map(|source| {
            let session = store::of_member(source).filter(|_| !source.exists());
            let document = session.map(|(_, id)| OsString::from(store::document_name(id)));
            let name = source.file_name().filter(|_| source.as_os_str() != "-");
            let name = document.as_deref().or(name);
            Ok((source.to_path_buf(), place::of_copy(source, out, name, reader)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut outs: HashSet<&Path> = HashSet::new();
    for (_, out) in &copies {
        if !outs.insert(out) {
            return Err(Error::usage(format!("two copies would be {}", reader.path(out))));
        }
    }
    Ok(copies)
}
