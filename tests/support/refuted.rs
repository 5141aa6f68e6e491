//! What later answers refute.

use std::collections::BTreeSet;
use std::path::Path;

use transcript_doctor::testing::engine::Judged;
use transcript_doctor::testing::stories;
use transcript_doctor::testing::transcript::{Effect, EventId, Role, Severity, facts};

use super::Opened;

/// Stories in which another client answered, which never saw the damage.
const OF_ANOTHER_CLIENT: [&str; 1] = ["second-server"];

/// The findings for which the provider is said to refuse every further request, although the same conversation has an answer
/// to a later one: behind the damage in what is sent, and later.
pub(crate) fn by_answers(opened: &Opened, judged: &Judged) -> Vec<String> {
    let t = &judged.transcript;
    let context = judged.context(0, &opened.source, &opened.name, false);
    let stories = stories::find(&context, judged, Path::new(&opened.name));
    let others = stories.iter();
    let others = others.filter(|own| OF_ANOTHER_CLIENT.contains(&own.story.name));
    let others: BTreeSet<usize> = others.flat_map(|own| own.explained.clone()).collect();
    let order = &judged.request().order;
    let mut wrong = Vec::new();
    for (at, finding) in judged.findings.iter().enumerate() {
        let is_refused = finding.severity == Severity::Fatal && finding.effect == Effect::Refused;
        if !is_refused || others.contains(&at) {
            continue;
        }
        let events = || finding.labels.iter().map(|label| label.event);
        let last = order.iter().rposition(|sent| events().any(|event| event == sent.event));
        let time = events().filter_map(|event| t.event(event).time()).max();
        let is_answer = |event: EventId| {
            let is_later = t.event(event).time().zip(time).is_none_or(|(own, time)| own > time);
            is_later && t.value_of(event, facts::FAILURE).is_none()
        };
        // What the model says next may still be of the response that is damaged.
        let after = order.iter().skip(last.map_or(usize::MAX, |last| last + 1));
        let mut asked = after.skip_while(|sent| sent.role == Role::Assistant);
        let answer = asked.find(|sent| sent.role == Role::Assistant && is_answer(sent.event));
        if let Some(answer) = answer {
            let (code, at) = (finding.rule.code, t.event(answer.event).place().number());
            wrong.push(format!("{code} {}: answered at {at}\n", finding.message));
        }
    }
    wrong
}
