//! Leases: files in which a host registers that it has a transcript open.

use super::{Owner, OwnerEvidence, Process, World};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// An unreadable lease counts while it is younger than this: it may be half written.
const GRACE: Duration = Duration::from_secs(30);

/// A file in which a host registers that it has a transcript open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Path of the file, or of the folder for [`LeaseKind::Session`].
    pub path: PathBuf,
    pub kind: LeaseKind,
}

/// What a lease says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseKind {
    /// `expires_at` (seconds since 1970), `owner_host`, `owner_pid`: valid until it expires, unless
    /// the process was on this computer and has ended.
    Expiring,
    /// `pid` and `starttime`: valid as long as that process runs, whatever the age of the file. Processes of another
    /// `hostname` cannot be asked for, so such a lease is valid.
    Process,
    /// The same with `status`, and only as long as that is `running`.
    Running,
    /// A folder of files with `pid`, `procStart` and `sessionId`, one for each running client:
    /// valid if a client with this session ID runs.
    Session(String),
}

/// The members that we use, of all kinds of leases.
#[derive(Deserialize)]
struct LeaseFile {
    expires_at: Option<f64>,
    #[serde(alias = "hostname")]
    owner_host: Option<String>,
    #[serde(alias = "pid")]
    owner_pid: Option<u32>,
    #[serde(alias = "procStart", alias = "process_start_identity")]
    starttime: Option<Ticks>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    status: Option<serde_json::Value>,
}

/// A start time, as a number or a string. Other values cannot be compared.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ticks {
    Number(u64),
    Text(String),
    Other(IgnoredAny),
}

impl Ticks {
    fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            // Qwen Code writes `linux:BOOT:TICKS`.
            Self::Text(text) => text.rsplit(':').next()?.trim().parse().ok(),
            Self::Other(_) => None,
        }
    }
}

impl Lease {
    /// The owner that holds the transcript by this lease.
    pub(super) fn owner(&self, world: &dyn World) -> Option<Owner> {
        match &self.kind {
            LeaseKind::Expiring => owner_of_file(world, &self.path, &expiring),
            LeaseKind::Process => owner_of_file(world, &self.path, &process),
            LeaseKind::Running => owner_of_file(world, &self.path, &running),
            LeaseKind::Session(id) => world.list(&self.path).iter().find_map(|path| {
                let file: LeaseFile = serde_json::from_slice(&world.read(path)?).ok()?;
                file.session.as_deref().filter(|session| session == id)?;
                process(world, &file)
            }),
        }
    }
}

fn owner_of_file(
    world: &dyn World,
    path: &Path,
    valid: &dyn Fn(&dyn World, &LeaseFile) -> Option<Owner>,
) -> Option<Owner> {
    let (_, changed) = world.stat(path)?;
    match world.read(path).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        Some(file) => valid(world, &file),
        None => {
            let young = world.now().duration_since(changed).map_or(true, |age| age < GRACE);
            young.then_some(Owner {
                how: OwnerEvidence::Lease,
                pid: None,
                until: None,
                elsewhere: false,
            })
        }
    }
}

fn expiring(world: &dyn World, file: &LeaseFile) -> Option<Owner> {
    let until = match Duration::try_from_secs_f64(file.expires_at?) {
        Ok(time) => SystemTime::UNIX_EPOCH.checked_add(time),
        // Negative or not a number: expired. More than a clock can represent: never expires.
        Err(_) if file.expires_at? > 0.0 => None,
        Err(_) => return None,
    };
    if until.is_some_and(|until| until <= world.now()) {
        return None;
    }
    let here = file.owner_host.is_some() && file.owner_host == world.host();
    if here && file.owner_pid.is_some_and(|pid| world.process(pid) == Process::Gone) {
        return None;
    }
    Some(Owner { how: OwnerEvidence::Lease, pid: file.owner_pid, until, elsewhere: !here })
}

fn running(world: &dyn World, file: &LeaseFile) -> Option<Owner> {
    let runs = file.status.as_ref().is_some_and(|status| status == "running");
    process(world, file).filter(|_| runs)
}

fn process(world: &dyn World, file: &LeaseFile) -> Option<Owner> {
    let pid = file.owner_pid?;
    let here = world.host();
    let names = file.owner_host.as_ref().zip(here.as_ref());
    if names.is_some_and(|(owner, here)| owner != here) {
        return Some(Owner {
            how: OwnerEvidence::Lease,
            pid: Some(pid),
            until: None,
            elsewhere: true,
        });
    }
    let Process::Alive { started } = world.process(pid) else {
        return None;
    };
    let then = file.starttime.as_ref().and_then(Ticks::number);
    // The process ID was reused.
    if then.zip(started).is_some_and(|(then, started)| then != started) {
        return None;
    }
    Some(Owner { how: OwnerEvidence::Lease, pid: Some(pid), until: None, elsewhere: false })
}
