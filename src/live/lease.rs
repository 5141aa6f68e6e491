//! Files in which a host says that it has a recording.

use super::{How, Owner, Process, World};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A lease that cannot be read counts while it is younger than this: it may be half written.
const GRACE: Duration = Duration::from_secs(30);

/// A file in which a host says that it has a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The file, or for [`LeaseKind::Session`] the folder.
    pub path: PathBuf,
    /// What it says.
    pub kind: LeaseKind,
}

/// What a lease says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseKind {
    /// `expires_at` (seconds since 1970), `owner_host`, `owner_pid`: valid until then, unless the process was on this host and
    /// is gone.
    Expiring,
    /// `pid` and `starttime`: valid as long as that process lives, however old the file is.
    Process,
    /// A folder of files with `pid`, `procStart` and `sessionId`, one for each running client: valid if one of them has this
    /// session and lives.
    Session(String),
}

/// The members that we know, of all kinds. Others are the host's business.
#[derive(Deserialize)]
struct Said {
    expires_at: Option<f64>,
    owner_host: Option<String>,
    #[serde(alias = "pid")]
    owner_pid: Option<u32>,
    #[serde(alias = "procStart")]
    starttime: Option<Ticks>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

/// A start time, written as a number or as text. Other things cannot be compared.
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
            Self::Text(text) => text.trim().parse().ok(),
            Self::Other(_) => None,
        }
    }
}

impl Lease {
    /// Who has the recording by this lease.
    pub(super) fn owner(&self, world: &dyn World) -> Option<Owner> {
        match &self.kind {
            LeaseKind::Expiring => one(world, &self.path, &expiring),
            LeaseKind::Process => one(world, &self.path, &process),
            LeaseKind::Session(id) => world.list(&self.path).iter().find_map(|path| {
                let said: Said = serde_json::from_slice(&world.read(path)?).ok()?;
                said.session.as_deref().filter(|session| session == id)?;
                process(world, &said)
            }),
        }
    }
}

fn one(
    world: &dyn World,
    path: &Path,
    valid: &dyn Fn(&dyn World, &Said) -> Option<Owner>,
) -> Option<Owner> {
    let (_, changed) = world.look(path)?;
    match world
        .read(path)
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
    {
        Some(said) => valid(world, &said),
        None => {
            let young = world
                .now()
                .duration_since(changed)
                .map_or(true, |age| age < GRACE);
            young.then_some(Owner {
                how: How::Lease,
                pid: None,
                until: None,
                elsewhere: false,
            })
        }
    }
}

fn expiring(world: &dyn World, said: &Said) -> Option<Owner> {
    let until = match Duration::try_from_secs_f64(said.expires_at?) {
        Ok(time) => SystemTime::UNIX_EPOCH.checked_add(time),
        // Below zero or no number: long ago. More than a clock can hold: for ever.
        Err(_) if said.expires_at? > 0.0 => None,
        Err(_) => return None,
    };
    if until.is_some_and(|until| until <= world.now()) {
        return None;
    }
    let here = said.owner_host.is_some() && said.owner_host == world.host();
    if here
        && said
            .owner_pid
            .is_some_and(|pid| world.process(pid) == Process::Gone)
    {
        return None;
    }
    Some(Owner {
        how: How::Lease,
        pid: said.owner_pid,
        until,
        elsewhere: !here,
    })
}

fn process(world: &dyn World, said: &Said) -> Option<Owner> {
    let pid = said.owner_pid?;
    let Process::Alive { started } = world.process(pid) else {
        return None;
    };
    let then = said.starttime.as_ref().and_then(Ticks::number);
    // The number was given to another process since.
    if then
        .zip(started)
        .is_some_and(|(then, started)| then != started)
    {
        return None;
    }
    Some(Owner {
        how: How::Lease,
        pid: Some(pid),
        until: None,
        elsewhere: false,
    })
}
