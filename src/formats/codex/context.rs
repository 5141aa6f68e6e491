//! Messages that the host itself puts into the user's or the developer's place.

use crate::json::node::Node;

/// How a text in the user's place begins and ends that the host wrote.
const USER: &[(&str, &str)] = &[
    ("# AGENTS.md instructions", "</INSTRUCTIONS>"),
    ("<user_instructions>", "</user_instructions>"),
    ("<environment_context>", "</environment_context>"),
    ("<skill>", "</skill>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<subagents>", "</subagents>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<hook_prompt", "</hook_prompt>"),
    ("<codex_internal_context", "</codex_internal_context>"),
];

/// How a text of the developer begins that the host writes anew before a turn.
const DEVELOPER: &[&str] = &[
    "<permissions instructions>",
    "<model_switch>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<realtime_conversation>",
    "<skills_instructions>",
    "<personality_spec>",
    "<token_budget>",
    "<rollout_budget>",
];

fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(with))
}

fn ends(text: &str, with: &str) -> bool {
    let start = text.len().checked_sub(with.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(with))
}

fn is_fragment(text: &str, developer: bool) -> bool {
    let text = text.trim();
    match developer {
        true => DEVELOPER.iter().any(|start| begins(text, start)),
        false => USER.iter().any(|(start, end)| begins(text, start) && ends(text, end)),
    }
}

/// Whether the host wrote a message that stands in somebody else's place: it begins no turn of a person.
pub(super) fn is_told_by_host(message: Node<'_>) -> bool {
    let role = message.get("role").and_then(|role| role.str()).unwrap_or_default();
    let developer = role == "developer";
    let content = message.get("content").into_iter().flat_map(|content| content.items());
    let texts = content.filter_map(|part| part.get("text")?.str());
    matches!(role.as_ref(), "user" | "developer")
        && texts.into_iter().any(|text| is_fragment(&text, developer))
}

#[cfg(test)]
mod tests {
    use super::is_fragment;

    #[test]
    fn what_the_host_says_is_told_from_what_people_say() {
        assert!(is_fragment("<environment_context>\n<cwd>/</cwd>\n</environment_context>\n", false));
        assert!(is_fragment(
            "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nx\n</instructions>",
            false
        ));
        assert!(is_fragment(" <Model_switch> x", true));
        for said in ["<environment_context> is what?", "count the trees", "", "é", "<skill"] {
            assert!(!is_fragment(said, false), "{said}");
        }
    }
}
