//! The environment of a run: variables, the user's home, the working directory. No other code in
//! this folder reads them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Looks up a variable.
type Var = dyn Fn(&str) -> Option<OsString>;

/// A service for continuous integration that shows findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// GitHub Actions. It shows Markdown that is added to the file `summary`.
    GitHub { summary: Option<PathBuf> },
}

/// The environment of a run.
pub(crate) struct Surroundings {
    var: Box<Var>,
    here: Option<PathBuf>,
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("here", &self.here).finish_non_exhaustive()
    }
}

impl Surroundings {
    /// The environment of this process.
    pub(crate) fn system() -> Surroundings {
        let here = std::env::current_dir().ok().map(|here| here.canonicalize().unwrap_or(here));
        Surroundings { var: Box::new(|name| std::env::var_os(name)), here }
    }

    /// An environment for tests.
    #[cfg(test)]
    pub(crate) fn new(
        here: &Path,
        var: impl Fn(&str) -> Option<OsString> + 'static,
    ) -> Surroundings {
        Surroundings { var: Box::new(var), here: Some(here.to_owned()) }
    }

    /// The user's home: `HOME`, on Windows `USERPROFILE`.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.value(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from)
    }

    /// The folder that a variable names, with a leading `~` replaced by the user's home. `None` if
    /// it is unset or empty.
    pub(crate) fn folder(&self, var: &str) -> Option<PathBuf> {
        let value = PathBuf::from(self.value(var)?);
        match (value.strip_prefix("~"), self.home()) {
            (Ok(below), Some(home)) => Some(home.join(below)),
            _ => Some(value),
        }
    }

    /// The working directory, without links.
    pub(crate) fn here(&self) -> Option<&Path> {
        self.here.as_deref()
    }

    /// Whether this is Windows Subsystem for Linux, where hosts may be installed on the Windows
    /// side.
    pub(crate) fn is_wsl(&self) -> bool {
        self.value("WSL_DISTRO_NAME").is_some()
    }

    /// Whether this is continuous integration (`CI`), which stores what a run prints.
    pub(crate) fn is_logged(&self) -> bool {
        self.value("CI").is_some_and(|value| value != "false" && value != "0")
    }

    /// The service for continuous integration that runs this, if it is one that reports can be made for.
    pub(crate) fn service(&self) -> Option<Service> {
        let is_github = self.value("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        is_github.then(|| Service::GitHub {
            summary: self.value("GITHUB_STEP_SUMMARY").map(PathBuf::from),
        })
    }

    /// The user's login names.
    pub(crate) fn users(&self) -> Vec<String> {
        let names = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|var| self.value(var));
        names.filter_map(|name| name.into_string().ok()).collect()
    }

    fn value(&self, var: &str) -> Option<OsString> {
        (self.var)(var).filter(|value| !value.is_empty())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_variable_may_start_with_a_tilde() {
        let around = Surroundings::new(Path::new("/w"), |name| match name {
            "HOME" => Some("/home/ana".into()),
            "A" => Some("~/x".into()),
            "B" => Some("/y".into()),
            "C" => Some("".into()),
            _ => None,
        });
        assert_eq!(around.folder("A"), Some("/home/ana/x".into()));
        assert_eq!(around.folder("B"), Some("/y".into()));
        assert_eq!((around.folder("C"), around.folder("D")), (None, None));
    }
}
