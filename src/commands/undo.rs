//! `undo`: repairs taken back.

use anyhow::Result;

use crate::app::repair::settle;
use crate::app::undo::{Meant, agreed, list, meant, several};
use crate::app::{Run, Usage, exit, late};
use crate::cli::Undo;
use crate::journal::Journal;

/// Runs the command.
///
/// # Errors
/// The journal cannot be read, or nothing can be printed.
pub(crate) fn run(run: &Run<'_>, args: &Undo) -> Result<u8> {
    let Some(journal) = Journal::standard() else {
        return Err(
            Usage("there is no folder for the journal: set XDG_STATE_HOME".to_owned()).into(),
        );
    };
    if args.list {
        list(run, &journal.operations()?)?;
        late::tell(run, None);
        return Ok(exit::DONE);
    }
    if !args.dry_run {
        settle(run)?;
    }
    let operations = match meant(run, &journal, args.what.as_deref())? {
        Meant::These(operations) => operations,
        Meant::Nothing(status) => return Ok(status),
    };
    if args.output.is_some() && operations.len() > 1 {
        let why = format!(
            "--output takes one operation, not {}; name it by its number",
            operations.len()
        );
        return Err(Usage(why).into());
    }
    if args.what.is_none()
        && args.output.is_none()
        && !args.dry_run
        && !agreed(run, args, &operations)?
    {
        return Ok(exit::LEFT);
    }
    several(run, args, &journal, &operations)
}
