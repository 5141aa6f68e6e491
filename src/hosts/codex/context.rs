//! Messages that the host writes in the place of the user or developer.

use crate::dialects::placeholders;
use crate::dialects::responses::{ItemKey, ResponseItem};
use crate::format::host_text::{HostText, around, begins, may_be_one_of};

/// Texts that the host writes in the place of the user.
const USER: &[HostText] = &[
    around("# AGENTS.md instructions", "</INSTRUCTIONS>"),
    around("<user_instructions>", "</user_instructions>"),
    around("<environment_context>", "</environment_context>"),
    around("<skill>", "</skill>"),
    around("<user_shell_command>", "</user_shell_command>"),
    around("<turn_aborted>", "</turn_aborted>"),
    around("<subagents>", "</subagents>"),
    around("<subagent_notification>", "</subagent_notification>"),
    around("<hook_prompt", "</hook_prompt>"),
    around("<codex_internal_context", "</codex_internal_context>"),
];

/// Texts of the developer that the host rewrites before a turn.
const DEVELOPER: &[HostText] = &[
    begins("<permissions instructions>"),
    begins("<model_switch>"),
    begins("<collaboration_mode>"),
    begins("<multi_agent_mode>"),
    begins("<realtime_conversation>"),
    begins("<skills_instructions>"),
    begins("<personality_spec>"),
    begins("<token_budget>"),
    begins("<rollout_budget>"),
];

pub(super) const TEXTS: &[&[HostText]] = &[USER, DEVELOPER];

fn is_one_of(known: &[HostText], text: &str) -> bool {
    known.iter().any(|known| known.is(text))
}

/// Whether the host wrote a message in the place of somebody else. It does not start a turn of a
/// person.
pub(super) fn is_by_host(message: &ResponseItem<'_>) -> bool {
    let known = match message.get(ItemKey::Role) {
        Some(role) if role.is_str("developer") => DEVELOPER,
        Some(role) if role.is_str("user") => USER,
        _ => return false,
    };
    let parts = message.get(ItemKey::Content).into_iter().flat_map(|content| content.items());
    let mut texts = parts
        .filter_map(|part| part.get("text"))
        .filter(|text| may_be_one_of(known, *text))
        .filter_map(placeholders::ends);
    texts.any(|text| is_one_of(known, &text))
}

#[cfg(test)]
mod tests {
    use super::{DEVELOPER, USER, is_one_of};

    #[test]
    fn what_the_host_says_is_told_from_what_people_say() {
        assert!(is_one_of(USER, "<environment_context>\n<cwd>/</cwd>\n</environment_context>\n"));
        assert!(is_one_of(
            USER,
            "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nx\n</instructions>"
        ));
        assert!(is_one_of(DEVELOPER, " <Model_switch> x"));
        for message in ["<environment_context> is what?", "count the trees", "", "é", "<skill"] {
            assert!(!is_one_of(USER, message), "{message}");
        }
    }
}
