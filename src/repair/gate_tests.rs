use super::*;
use crate::bytes::edit::Edit;
use crate::bytes::patch::Patch;
use crate::bytes::source::Source;
use crate::engine::CheckOptions;
use crate::format::head::Sample;
use crate::proof::{Contents, TextKey};
use crate::repair::Policy;
use crate::repair::rounds::RoundsState;
use crate::rules;
use crate::transcript::Applicability;

/// A transcript, and what a repair makes of it.
struct Repair<'a> {
    before: &'a str,
    /// Texts of it, and what replaces them.
    edits: &'a [(&'a str, &'a str)],
    /// The IDs that its fixes are about.
    fixed: &'a [&'a str],
    with_unsafe: bool,
    /// The texts of these records are removed with a reason.
    covers: &'a [&'a str],
}

impl Repair<'_> {
    /// Why the gate rejects it.
    fn failure(&self) -> Option<Failure> {
        let name = "run.json";
        let source = Source::memory(name, vec![(name.to_owned(), self.before.into())]);
        let sample = Sample::of_file(&source, EntryId(0), name).unwrap();
        let detection = recognize(&sample, None).expect("a transcript");
        let asked = CheckOptions::default();
        let before = judge(&source, name, &detection, &asked).unwrap();
        let options = CheckOptions {
            target: Some(before.target_choice),
            found_by: Some(before.target_from),
            ..asked.clone()
        };
        let patch = Patch::new(
            self.edits
                .iter()
                .map(|(old, new)| {
                    let start = self.before.find(old).expect("it is there") as u64;
                    let span = Span::new(EntryId(0), start, start + old.len() as u64);
                    Edit::bytes(span, new.as_bytes().to_vec())
                })
                .collect(),
        )
        .unwrap();
        let overlay = Overlay::new(&source, &patch);
        let policy = Policy { with_unsafe: self.with_unsafe, ..Policy::default() };
        let rounds = Rounds {
            entries: &source,
            name,
            detection: &detection,
            options: &options,
            asked: &asked,
            policy: &policy,
            source: &before,
            start: &RoundsState::default(),
        };
        let after = rounds.judge(&patch).unwrap();
        let taken = Taken {
            rule: rules::of(Code::UnansweredCall),
            message: String::new(),
            applicability: Applicability::Safe,
            steps: Vec::new(),
            ids: self.fixed.iter().map(|id| (*id).to_owned()).collect(),
            covers: self.covers.iter().flat_map(|own| texts(own)).collect(),
        };
        failure(&rounds, (&patch, &overlay), &after, &[taken])
    }
}

fn texts(record: &str) -> Vec<TextKey> {
    Contents::of_bytes(record.into()).texts
}

const USER: &str = r#"{"role":"user","content":"how many?"}"#;
const SAYS: &str = r#"{"role":"assistant","content":"seven"}"#;

fn call(id: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
    )
}

fn result(id: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"7"}}"#)
}

fn document(messages: &[&str]) -> String {
    format!("[{}]", messages.join(",\n"))
}

/// Two calls; the second has no result.
fn stuck() -> String {
    document(&[USER, &call("call_1"), &result("call_1"), USER, &call("call_2"), USER])
}

#[test]
fn a_repair_that_breaks_nothing_passes() {
    let before = stuck();
    let with_result = format!("{},{}", call("call_2"), result("call_2"));
    let repair = Repair {
        before: &before,
        edits: &[(&call("call_2"), &with_result)],
        fixed: &["call_2"],
        with_unsafe: false,
        covers: &[],
    };
    assert_eq!(repair.failure(), None);
}

/// One call gets its result, another one loses it: there are as many problems as before.
#[test]
fn new_damage_is_not_outweighed_by_old_damage_that_is_gone() {
    let before = stuck();
    let with_result = format!("{},{}", call("call_2"), result("call_2"));
    let lost = format!(",\n{}", result("call_1"));
    let edits = [(&*call("call_2"), &*with_result), (&*lost, "")];
    let edits = edits.as_slice();
    let repair = |fixed| Repair { before: &before, edits, fixed, with_unsafe: false, covers: &[] };
    let both = repair(&["call_1", "call_2"]).failure();
    assert_eq!(both, Some(Failure::NewDamage));
    // No fix was about the first call: a problem that was hidden before.
    assert_eq!(repair(&["call_2"]).failure(), None);
}

#[test]
fn the_verdict_does_not_become_worse() {
    let before = document(&[USER, &call("call_1"), &result("call_1"), USER]);
    let lost = format!(",\n{}", result("call_1"));
    let repair = Repair {
        before: &before,
        edits: &[(&lost, "")],
        fixed: &[],
        with_unsafe: true,
        covers: &[],
    };
    assert_eq!(repair.failure(), Some(Failure::Worse));
}

#[test]
fn a_document_stays_json_and_no_record_becomes_unreadable() {
    let document = stuck().replace("}]", "}\n]");
    let lines = stuck().replace(['[', ']'], "").replace("},\n", "}\n");
    let first = format!("{},\n", result("call_1"));
    for (before, edit) in [
        // Messages without a comma between them, a list and a line that are not closed.
        (&document, (&*first, &*result("call_1"))),
        (&document, ("}\n]", "}")),
        (&lines, (r#"many?"}"#, r#"many?""#)),
    ] {
        let repair = Repair { before, edits: &[edit], fixed: &[], with_unsafe: true, covers: &[] };
        assert_eq!(repair.failure(), Some(Failure::Unreadable), "{edit:?}");
    }
}

#[test]
fn the_result_is_recognized() {
    let before = document(&[SAYS, SAYS]);
    let repair = Repair {
        before: &before,
        edits: &[(&before[1..before.len() - 1], "")],
        fixed: &[],
        with_unsafe: true,
        covers: &[],
    };
    assert_eq!(repair.failure(), Some(Failure::NotRecognized));
}

#[test]
fn the_messages_stay_in_their_list() {
    let turns = |texts: [&str; 2]| {
        let [asks, says] = texts;
        format!(
            r#"{{"role":"user","parts":[{{"text":"{asks}"}}]}},{{"role":"model","parts":[{{"text":"{says}"}}]}}"#
        )
    };
    let (lost, other) = (turns(["how many?", "seven"]), turns(["why?", "so"]));
    let before = format!(r#"{{"contents":[{lost}],"history":[{other}]}}"#);
    let repair = Repair {
        before: &before,
        edits: &[(&lost, "")],
        fixed: &[],
        with_unsafe: true,
        covers: &[],
    };
    assert_eq!(repair.failure(), Some(Failure::Elsewhere));
}

/// Without the result, nothing shows whose messages these are.
#[test]
fn the_only_sign_of_the_provider_stays() {
    let result = r#"{"type":"tool_result","tool_use_id":"toolu_1"},"#;
    // Only one of both APIs takes this message.
    let system = r#"{"role":"system","content":"be brief"}"#;
    let before = format!(
        r#"[{{"role":"user","content":[{result}{{"type":"text","text":"and"}}]}},{SAYS},{system},{USER}]"#
    );
    let edits = &[(result, "")];
    let repair =
        |with_unsafe| Repair { before: &before, edits, fixed: &[], with_unsafe, covers: &[] };
    assert_eq!(repair(false).failure(), Some(Failure::ReadsOtherwise));
    assert_eq!(repair(true).failure(), None);
}

/// Whatever fixes do to the bytes: each text stays, or the reason of a removal covers it.
#[test]
fn a_text_does_not_disappear_without_a_reason() {
    let before = document(&[USER, SAYS, USER]);
    let other = SAYS.replace("seven", "eight");
    let escaped = SAYS.replace("seven", "s\\u0065ven");
    let moved = format!("{other},{SAYS}");
    for (new, covers, failure) in [
        (&other, &[][..], Some(Failure::LosesText)),
        (&other, &[SAYS], None),
        // A reason for another text is none for this.
        (&other, &[USER], Some(Failure::LosesText)),
        // The same text elsewhere, or with other escapes.
        (&escaped, &[], None),
        (&moved, &[], None),
    ] {
        let repair = Repair {
            before: &before,
            edits: &[(SAYS, new)],
            fixed: &[],
            with_unsafe: false,
            covers,
        };
        assert_eq!(repair.failure(), failure, "{new} {covers:?}");
    }
}

/// Messages of this API have no IDs, and its calls need none.
#[test]
fn new_damage_without_an_id_counts() {
    let turn =
        |role: &str, text: &str| format!(r#"{{"role":"{role}","parts":[{{"text":"{text}"}}]}}"#);
    let call = |name: &str| {
        format!(
            r#"{{"role":"model","parts":[{{"functionCall":{{"name":"{name}","args":{{}}}}}}]}}"#
        )
    };
    let result =
        r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"7"}}}]}"#;
    let (asks, more) = (turn("user", "how many?"), turn("user", "and now?"));
    let before =
        document(&[&asks, &call("f"), result, &turn("model", "seven"), &more, &call("g"), &asks]);
    // A call that follows a turn of the model.
    let repair = Repair {
        before: &before,
        edits: &[(&format!("{more},\n"), "")],
        fixed: &[],
        with_unsafe: false,
        covers: &[&more],
    };
    assert_eq!(repair.failure(), Some(Failure::NewDamage));
}
