//! The output that answers a call for which nothing was recorded, as a line or as an element of a compaction's list.

use super::stamps;
use crate::formats::{Scene, items};
use crate::json::build::{Look, Value};
use crate::json::node::Node;
use crate::json::scan::{Mode, scan};
use crate::transcript::PartNo;

/// The bytes of the output of a call.
pub(super) fn answer(scene: &Scene<'_>, call: PartNo) -> Option<Vec<u8>> {
    let t = scene.transcript;
    let event = t.a_part(call).event;
    if t.event(event).within.is_some() {
        return items::answer::element(scene, call, true);
    }
    let like = items::answer::like(scene, event);
    let text = like.as_slice();
    let tape = scan(text, Mode::Document);
    let root = Node::root(&tape, &text);
    let payload = root.and_then(|root| root.get("payload"));
    let output = items::answer::in_order(items::answer::output(scene, call, true)?, payload);
    let stamp = stamps::own(scene, event)?;
    let members =
        vec![("timestamp", Value::text(stamp)), ("type", Value::text("response_item")), ("payload", output)];
    Some(Look::of(text).write(&items::answer::in_order(members, root)))
}
