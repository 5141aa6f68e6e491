//! A mutant: a fixture and the damages that it gets, as a text that makes it again.

use std::fmt;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use crate::damages;
use crate::foreign;
use crate::random::Random;
use crate::support::cases::root;
use crate::support::{Files, on_disk};

/// One damage: its number in the list, and the seed of its places.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    kind: usize,
    seed: u32,
}

/// A fixture, damaged. Displayed as `healthy/pi/compacted.jsonl glued:1f torn:a2`.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// Its path below `fixtures/`.
    pub fixture: String,
    pub damages: Vec<Damage>,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fixture)?;
        for damage in &self.damages {
            write!(f, " {}:{:x}", damages::ALL[damage.kind].0, damage.seed)?;
        }
        Ok(())
    }
}

impl Mutant {
    /// A fixture with one to five damages; half of the mutants have one. Of what is healthy or foreign, some have none.
    pub(crate) fn random(fixtures: &[String], random: &mut Random) -> Mutant {
        let fixture = random.pick(fixtures).cloned().unwrap_or_default();
        let nature = Nature::of(&fixture);
        let count = match random.below(16) {
            0 if nature != Nature::Damaged => 0,
            0..8 => 1,
            _ => 1 + random.below(5),
        };
        let damages = (0..count).map(|_| Damage {
            kind: random.below(damages::ALL.len()),
            seed: u32::try_from(random.next() >> 40).unwrap_or_default(),
        });
        // What is renamed may become ours.
        let may_be = |damage: &Damage| {
            let name = damages::ALL[damage.kind].0;
            nature != Nature::Foreign || !damages::MAKE_OURS.contains(&name)
        };
        let damages = damages.filter(may_be).collect();
        Mutant { fixture, damages }
    }

    /// The mutant of this text.
    pub(crate) fn read(text: &str) -> Option<Mutant> {
        let mut words = text.split_whitespace();
        let fixture = words.next()?.to_owned();
        let damage = |word: &str| {
            let (name, seed) = word.split_once(':')?;
            let kind = damages::ALL.iter().position(|(own, _)| *own == name)?;
            let seed = u32::from_str_radix(seed, 16).ok()?;
            Some(Damage { kind, seed })
        };
        let damages = words.map(damage).collect::<Option<_>>()?;
        Some(Mutant { fixture, damages })
    }

    /// Its entries.
    pub(crate) fn build(&self, fixture: &Fixture) -> Files {
        let mut files = fixture.files.clone();
        for damage in &self.damages {
            let mut random = Random::new(u64::from(damage.seed));
            if !files.is_empty() {
                damages::ALL[damage.kind].1(&mut files, &mut random);
            }
        }
        files
    }
}

/// What a fixture is before it is damaged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Healthy,
    Damaged,
    /// Of a program that is none of ours.
    Foreign,
}

impl Nature {
    fn of(fixture: &str) -> Nature {
        match fixture.split('/').next() {
            Some("healthy") => Nature::Healthy,
            Some("foreign") => Nature::Foreign,
            _ => Nature::Damaged,
        }
    }
}

/// What is damaged: a file, a folder, or an archive.
#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    pub nature: Nature,
    /// The name that it has in its folder.
    pub name: String,
    pub files: Files,
    /// Its files are the entries of an archive.
    pub is_archive: bool,
}

impl Fixture {
    pub(crate) fn is_database(&self) -> bool {
        let endings = [".db", ".sqlite", ".sqlite3"];
        self.files.keys().any(|name| endings.iter().any(|ending| name.ends_with(ending)))
    }

    /// Reads one below `fixtures/`.
    pub(crate) fn read(path: &str) -> Option<Fixture> {
        let nature = Nature::of(path);
        if let Some((_, _, text)) = foreign::ALL.iter().find(|(name, ..)| *name == path) {
            let name = path.rsplit('/').next()?.to_owned();
            return Some(Fixture {
                nature,
                files: Files::from([(name.clone(), text.as_bytes().to_vec())]),
                name,
                is_archive: false,
            });
        }
        let fixture = Fixture::at(&root().join(path))?;
        Some(Fixture { nature, ..fixture })
    }

    /// Reads one at any path.
    fn at(path: &Path) -> Option<Fixture> {
        let name = path.file_name()?.to_str()?.to_owned();
        if let Some(files) = fs::read(path).ok().and_then(|bytes| entries(&bytes)) {
            let is_archive = true;
            return Some(Fixture { nature: Nature::Damaged, name, files, is_archive });
        }
        Some(Fixture { nature: Nature::Damaged, name, files: on_disk(path)?, is_archive: false })
    }

    /// Writes it with these files instead of its own, and gives its path.
    pub(crate) fn write(&self, files: &Files, folder: &Path) -> PathBuf {
        let path = folder.join(&self.name);
        fs::create_dir_all(folder).unwrap();
        if self.is_archive {
            fs::write(&path, archive(files)).unwrap();
            return path;
        }
        if files.len() == 1 && files.contains_key(&self.name) {
            fs::write(&path, &files[&self.name]).unwrap();
            return path;
        }
        fs::create_dir_all(&path).unwrap();
        for (name, bytes) in files {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        path
    }
}

/// The entries of an archive. `None`: it is none.
pub(crate) fn entries(bytes: &[u8]) -> Option<Files> {
    if !bytes.starts_with(b"PK") {
        return None;
    }
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut files = Files::new();
    for number in 0..zip.len() {
        let mut entry = zip.by_index(number).ok()?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).ok()?;
        files.insert(entry.name().ok()?.into_owned(), bytes);
    }
    Some(files)
}

fn archive(files: &Files) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Larger fixtures would take most of the time.
const LARGEST: u64 = 60_000;

/// Paths below `fixtures/` of what may be damaged: everything healthy, everything damaged, rows and databases.
pub(crate) fn fixtures() -> Vec<String> {
    use crate::support::cases::{below, name, two_below};
    let flat = ["bytes", "databases", "rows", "samples", "stories"];
    let flat = flat.iter().flat_map(|folder| below(&root().join(folder)));
    let all = two_below("healthy").into_iter().chain(two_below("rules"));
    let mut all: Vec<PathBuf> = all.chain(flat).collect();
    all.retain(|path| {
        let name = name(path);
        size(path) <= LARGEST && !name.ends_with(".txt") && !name.ends_with(".py")
    });
    // There are few foreign ones, so each counts ten times.
    let foreign = foreign::ALL.iter().flat_map(|(name, ..)| [name; 10]);
    all.iter().map(|path| name(path)).chain(foreign.map(|name| (*name).to_owned())).collect()
}

fn size(path: &Path) -> u64 {
    if path.is_file() {
        return path.metadata().map_or(0, |facts| facts.len());
    }
    let items = fs::read_dir(path).into_iter().flatten().flatten();
    items.map(|item| size(&item.path())).sum()
}
