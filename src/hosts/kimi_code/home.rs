//! Where Kimi Code keeps sessions: `sessions/<folder of the project>/<session>/agents/<agent>/wire.jsonl`.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::format::FormatContext;
use crate::format::home::{Home, HomeFolder, Resume, Root};

pub(super) const HOMES: &[Home] = &[Home {
    name: "kimi-code",
    roots: &[Root {
        var: "KIMI_CODE_HOME",
        below_var: "",
        at_home: &[".kimi-code"],
        places: &[
            HomeFolder::files_in("sessions/*", "agents/main/wire.jsonl", |name| {
                name.starts_with("session_").then_some(name)
            }),
            HomeFolder::files_in("sessions/*/*/agents", "wire.jsonl", |name| {
                (name != "main").then_some(name)
            })
            .of_children(),
        ],
    }],
    project,
}];

/// The start of the folder's name, and of the hash of its path (`_base/utils/workdir-slug.ts`, 0.38.0).
fn project(folder: &Path) -> Option<String> {
    let path = folder.to_str()?.replace('\\', "/");
    let path = path.trim_end_matches('/');
    let mut slug = String::new();
    for c in path.rsplit('/').next()?.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    let slug = slug.get(..slug.len().min(40))?.trim_matches('-');
    let slug = if matches!(slug, "" | "." | "..") { "workspace" } else { slug };
    let hash = Sha256::digest(path.as_bytes());
    let hash: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Some(format!("wd_{slug}_{hash}"))
}

pub(super) fn resume(_: &FormatContext<'_>, path: &Path) -> Option<Resume> {
    let session = path.ancestors().nth(3)?;
    let id = session.file_name()?.to_str()?;
    let at_home = session.ancestors().nth(2)?.ends_with("sessions");
    let is_main = path.parent()?.ends_with("agents/main");
    Resume::of(&["kimi", "--session"], id, None, at_home).filter(|_| is_main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_a_folder() {
        let name = project(Path::new("/home/dev/proj"));
        assert_eq!(name.as_deref(), Some("wd_proj_bb97ae4cdb5b"));
    }
}
