//! Where a running client shows that it has a session open.

use std::path::Path;

use crate::live::{Lease, LeaseKind, Signals};

/// The folder in which running clients register, for the path of a session or of one of its sub-agents. Clients do not keep
/// the file open.
pub(super) fn signs(path: &Path) -> Signals {
    let Some(projects) =
        path.ancestors().skip(1).take(MOST_DEEP).find(|folder| folder.ends_with("projects"))
    else {
        return Signals::default();
    };
    let inside = path.ancestors().take_while(|folder| *folder != projects);
    let id = inside.into_iter().find_map(|folder| {
        let name = folder.file_name()?.to_str()?;
        let id = name.strip_suffix(".jsonl").unwrap_or(name);
        crate::format::home::is_uuid(id).then(|| id.to_owned())
    });
    Signals {
        leases: id
            .map(|id| {
                let path = projects.with_file_name("sessions");
                Lease { path, kind: LeaseKind::Session(id) }
            })
            .into_iter()
            .collect(),
        at_home: true,
        ..Signals::default()
    }
}

/// More than the number of folders between `projects` and the file of a sub-agent.
const MOST_DEEP: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_and_its_sub_agents_have_one_lease() {
        let id = "0197c0bb-2222-7a11-8c00-9d0055e51062";
        let lease =
            Lease { path: "/h/.claude/sessions".into(), kind: LeaseKind::Session(id.to_owned()) };
        for name in [format!("{id}.jsonl"), format!("{id}/subagents/agent-a1.jsonl")] {
            let signs = signs(&Path::new("/h/.claude/projects/-w").join(name));
            assert_eq!(signs.leases, std::slice::from_ref(&lease));
            assert!(signs.at_home);
        }
        assert!(signs(Path::new("/h/.claude/projects/-w/agent-a1.jsonl")).leases.is_empty());
        assert!(!signs(&Path::new("/tmp").join(format!("{id}.jsonl"))).at_home);
    }
}
