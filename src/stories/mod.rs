//! Root causes: how a recording came to be as it is, told from the recording alone.
//!
//! A story is data: steps over the records around one call, and what may be said of them. A new one is a file and a line
//! in [`ALL`]. Nothing here knows the names of a format's fields, and no clock is read but the recorded one.
//!
//! Certainty: a variant says how sure its reading is when all of its steps are there. What a step quotes is a fact
//! whatever the variant; what it concludes is as sure as the variant, never more.

mod fit;
mod log;
mod model;
mod resumed;
mod tell;

mod crash_in_batch;
mod foreign_link;
mod healed_itself;
mod lagging_head;
mod late_result;
mod rejected_yet_ran;
mod repeated_ids;
mod result_then_recovery;
mod run_again;
mod second_server;
mod two_runs;
mod unknown_tool;
mod user_spoke;

pub use model::{Branch, Given, Is, Names, Need, Runs, Step, Story, Time, Variant};
pub use tell::{Line, Told, tell};

use model::{may, must, must_not};

/// The call, as most stories begin.
const CALL: Step = must("call", Is::Call(Branch::Any), "the agent started `{tool}`.").fact();

/// The placeholder of crash recovery.
const STUB: Step = must(
    "stub",
    Is::Recovery(Branch::Any),
    "crash recovery found the call unanswered and wrote an error for it.",
)
.fact();

/// The text of a server that loaded this conversation, in some result.
const NESTED: Step = may(
    "nested",
    Is::Resumed,
    "The output in {unit} {nested} says \"Resumed conversation {session}\": the command itself started a server on the same \
     storage folder.",
)
.aside();

/// All stories; for each call the first that fits is told.
pub const ALL: &[&Story] = &[
    &healed_itself::STORY,
    &foreign_link::STORY,
    &result_then_recovery::STORY,
    &second_server::STORY,
    &run_again::STORY,
    &rejected_yet_ran::STORY,
    &two_runs::STORY,
    &lagging_head::STORY,
    &crash_in_batch::STORY,
    &unknown_tool::STORY,
    &late_result::STORY,
    &user_spoke::STORY,
    &repeated_ids::STORY,
];

#[cfg(test)]
mod tests;
