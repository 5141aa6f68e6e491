//! Root causes: how a transcript came to be as it is, inferred from the transcript alone.
//!
//! A story is data: steps over the records around one call, and the texts about them. A new story
//! is a file and a line in [`ALL`]. Nothing here knows the field names of a format, and the only
//! times are recorded ones.
//!
//! Certainty: a variant says how sure it is if all of its steps are found. What a step quotes is
//! always a fact; what it concludes is as sure as the variant, never more.

mod find;
mod fit;
mod given;
mod ids;
mod log;
mod lookup;
mod model;
mod resumed;
mod step;

mod asked_again;
mod broken_parent;
mod cancelled;
mod compaction_cut;
mod compaction_lost;
mod confirmed;
mod crash_in_batch;
mod cut_character;
mod doubled_by_resume;
mod executed_again;
mod failed_turn;
mod false_root;
mod foreign_link;
mod forgotten;
mod given_up;
mod glued_lines;
mod healed_itself;
mod host_spoke;
mod hung_on_call;
mod images_added_up;
mod lagging_head;
mod late_result;
mod placeholder;
mod power_loss;
mod provider_switch;
mod rejected_yet_ran;
mod repeated_ids;
mod result_first;
mod result_then_recovery;
mod rewritten;
mod run_again;
mod second_server;
mod stuck_status;
mod torn_apart;
mod torn_resumed;
mod torn_write;
mod two_outputs;
mod two_runs;
mod two_writers;
mod unknown_tool;
mod user_spoke;
mod window_cut;
mod written_again;

pub use find::{Occurrence, find};
pub(crate) use model::{About, Given, PreventsWhen, Runs, Story, Variant};
pub(crate) use step::{Branch, Is, Names, Step, StepNeed, Time};

use step::{may, must, must_not};

/// The call that most stories start with.
const CALL: Step = must("call", Is::Call(Branch::Any), "the agent started `{tool}`.").fact();

/// The placeholder of crash recovery.
const STUB: Step = must(
    "stub",
    Is::Recovery(Branch::Any),
    "crash recovery found the call unanswered and wrote an error for it.",
)
.fact();

/// The message of a server that loaded this conversation, in some result.
const NESTED: Step = may(
    "nested",
    Is::Resumed,
    "The output in {unit} {nested} says \"Resumed conversation {session}\": the command itself started a server on the same \
     storage folder.",
)
.aside();

/// All stories. The first that fits explains a call, or a finding that no story of a call explains.
pub(crate) const ALL: &[&Story] = &[
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
    &confirmed::STORY,
    &forgotten::STORY,
    &placeholder::LATE_RESULT,
    &placeholder::LATE_PLACEHOLDER,
    &two_outputs::STORY,
    &late_result::HALF,
    &late_result::STORY,
    &user_spoke::STORY,
    &host_spoke::STORY,
    &host_spoke::FAILED,
    &cancelled::STORY,
    &given_up::STORY,
    &result_first::STORY,
    &provider_switch::STORY,
    &repeated_ids::STORY,
    &failed_turn::STORY,
    &doubled_by_resume::STORY,
    &compaction_cut::STORY,
    &compaction_lost::STORY,
    &false_root::STORY,
    &rewritten::STORY,
    &torn_write::STORY,
    &torn_resumed::STORY,
    &two_writers::STORY,
    &broken_parent::STORY,
    &glued_lines::STORY,
    &power_loss::STORY,
    &executed_again::STORY,
    &written_again::STORY,
    &asked_again::STORY,
    &window_cut::STORY,
    &torn_apart::STORY,
    &stuck_status::STORY,
    &hung_on_call::STORY,
    &cut_character::STORY,
    &images_added_up::STORY,
];

/// The error texts by which stories recognize errors.
pub(crate) fn failures() -> impl Iterator<Item = &'static str> {
    let steps = ALL.iter().flat_map(|story| story.variants).flat_map(|variant| variant.steps);
    let texts = steps.filter_map(|step| match step.is {
        Is::Failure(texts) => Some(texts),
        _ => None,
    });
    texts.flatten().copied()
}

#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
