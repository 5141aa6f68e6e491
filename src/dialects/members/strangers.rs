//! Members that stand instead of those of a dialect: a program with a similar format wrote them.

use super::{Holding, Members, Shape, shapes, shared};
use crate::json::node::Node;
use crate::json::tape::Kind;

/// From this many strangers on, messages are of another program.
const FEW: u32 = 2;
/// If this many objects of a shape lack what they need, and all of them do, one stranger is enough.
const ALL_LACK: u32 = 3;

/// Shapes inside of shapes have all of their names within so many steps.
const DEEPEST: u32 = 3;

/// A cut-off object is of another program if it begins with this many members, unknown ones and those of any record.
const UNLIKE: usize = 2;

/// This many known calls and results, without a stranger among them, are enough.
const ENOUGH: u32 = 8;

/// The strangers of some messages.
#[derive(Debug, Default)]
pub(crate) struct Strangers {
    names: Vec<String>,
    count: u32,
    /// Whether a stranger has a call or a result.
    has_calls: bool,
    /// How many objects have one in a known member.
    known_calls: u32,
    /// Whether any object says something in a known member.
    says: bool,
    needs: Vec<NeedCount>,
}

/// How often a required member was needed, and was not there.
#[derive(Debug)]
struct NeedCount {
    shape: &'static Shape,
    group: usize,
    objects: u32,
    missing: u32,
}

impl Strangers {
    /// Adds those of a message.
    pub(crate) fn add(&mut self, message: Node<'_>, shapes: &'static [Shape]) {
        if message.kind() != Kind::Object {
            return;
        }
        let Some(shape) = shapes.iter().find(|shape| shape.fits(message)) else {
            return;
        };
        let object = FilledShape::of(message, shape);
        let mut lacks_link = false;
        // What a cut-off object lacks may be in what is lost.
        let needs = if message.is_open() { &[] } else { shape.needs };
        for (group, keys) in needs.iter().enumerate() {
            let is_missing = keys.iter().all(|key| message.get(key).is_none());
            self.note_need(shape, group, is_missing);
            lacks_link |= is_missing
                && keys.iter().all(|key| {
                    matches!(shape.holds(key.as_bytes()), Some(Holding::Id | Holding::Call))
                });
        }
        self.known_calls += u32::from(object.calls || object.results);
        self.says |= object.says || object.calls || object.results;
        for (key, value) in &object.unknown {
            if object.is_stranger(key, *value) {
                // Without the call, or the ID of one, two members are not as they should be.
                self.count += 1 + u32::from(lacks_link);
                let holds = shared(key.as_bytes());
                self.has_calls |= matches!(holds, Some(Holding::Call | Holding::Result));
                self.add_named(key);
            }
        }
        for (key, shapes) in shape.inside {
            let Some(value) = message.get(key) else {
                continue;
            };
            match value.kind() {
                Kind::Object => self.add(value, shapes),
                _ => value.items().for_each(|item| self.add(item, shapes)),
            }
        }
    }

    /// Adds those of a line that may be cut off. It is not a message if it begins unlike all of these.
    pub(crate) fn add_line(&mut self, line: Node<'_>, shapes: &'static [Shape]) {
        let (mut strange, mut all) = (Vec::new(), 0);
        for (key, _) in line.members().filter(|(_, value)| !value.is_open()) {
            let key = key.text_bytes();
            match shapes.iter().find_map(|shape| shape.holds(&key)) {
                Some(Holding::Envelope) => {}
                Some(_) => return self.add(line, shapes),
                None if &*key == b"role" || &*key == b"type" => return self.add(line, shapes),
                None => strange.push(String::from_utf8_lossy(&key).into_owned()),
            }
            all += 1;
        }
        if all >= UNLIKE && !strange.is_empty() {
            self.count += 1;
            strange.iter().for_each(|name| self.add_named(name));
        }
    }

    /// Adds the name of a member that was found in bytes which cannot be read: it counts if it names a call or a result, and no
    /// object of these shapes has it, nor any that an API takes.
    pub(crate) fn add_name(&mut self, name: &str, shapes: &'static [Shape]) {
        let is_call = matches!(shared(name.as_bytes()), Some(Holding::Call | Holding::Result));
        let mut known = shapes::OF_APIS.into_iter().chain([shapes]);
        if (is_call || is_link(name)) && !known.any(|own| is_known(name, own, DEEPEST)) {
            self.count += 1;
            self.has_calls = true;
            self.add_named(name);
        }
    }

    fn add_named(&mut self, name: &str) {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    fn note_need(&mut self, shape: &'static Shape, group: usize, is_missing: bool) {
        let missing = u32::from(is_missing);
        match self
            .needs
            .iter_mut()
            .find(|need| std::ptr::eq(need.shape, shape) && need.group == group)
        {
            Some(need) => {
                need.objects += 1;
                need.missing += missing;
            }
            None => self.needs.push(NeedCount { shape, group, objects: 1, missing }),
        }
    }

    /// Whether more messages need not be examined: a program writes its calls alike, and these were known.
    pub(crate) fn are_unlikely(&self) -> bool {
        self.count == 0 && self.known_calls >= ENOUGH
    }

    /// Whether the messages are of another program.
    pub(crate) fn are_many(&self) -> bool {
        let mut needs = self.needs.iter();
        let only_strange = self.has_calls && self.known_calls == 0;
        self.count >= FEW
            || only_strange
            || self.count > 0 && !self.says
            || self.count > 0
                && needs.any(|need| need.objects >= ALL_LACK && need.missing == need.objects)
    }

    /// Their names, each once. A known name in the wrong place is listed only if nothing else is.
    pub(crate) fn names_beside(&self, shapes: &[Shape]) -> Vec<String> {
        let (known, others): (Vec<&String>, Vec<&String>) = self.names.iter().partition(|name| {
            let mut shapes = shapes.iter();
            shapes.any(|shape| shape.holds(name.as_bytes()).is_some())
        });
        let named = if others.is_empty() { known } else { others };
        named.into_iter().cloned().collect()
    }
}

/// An object, and which members of its shape hold something.
struct FilledShape<'a> {
    object: Node<'a>,
    shape: &'static Shape,
    /// Members that the shape does not have, and whose values may say something.
    unknown: Vec<(String, Node<'a>)>,
    says: bool,
    calls: bool,
    results: bool,
}

impl<'a> FilledShape<'a> {
    fn of(object: Node<'a>, shape: &'static Shape) -> FilledShape<'a> {
        let mut filled = FilledShape {
            object,
            shape,
            unknown: Vec::new(),
            says: false,
            calls: false,
            results: false,
        };
        for (key, value) in object.members() {
            let key = key.text_bytes();
            match shape.holds(&key) {
                Some(holds) if is_filled(value, holds) => {
                    filled.says = filled.says || holds.is_said();
                    filled.calls = filled.calls || holds == Holding::Call;
                    filled.results = filled.results || holds == Holding::Result;
                }
                None if &*key != b"role" && &*key != b"type" && !is_empty(value) => {
                    let key = String::from_utf8_lossy(&key).into_owned();
                    filled.unknown.push((key, value));
                }
                _ => {}
            }
        }
        filled
    }

    /// Whether a member stands instead of one of the shape.
    fn is_stranger(&self, key: &str, value: Node<'_>) -> bool {
        if self.lacks_twin(key) || self.lacks_link(key, value) || self.holds_calls(key, value) {
            return true;
        }
        let holds = shared(key.as_bytes());
        let is_certain = matches!(holds, Some(Holding::Call | Holding::Result));
        if self.object.is_open() && !is_certain {
            return false;
        }
        let is_beside = matches!(
            holds,
            Some(
                Holding::Id
                    | Holding::Envelope
                    | Holding::Name
                    | Holding::Details
                    | Holding::Extra
                    | Holding::Refused
                    | Holding::Free
            )
        );
        let says = || value.is_open() || Members::NONE.says(value, holds.unwrap_or(Holding::Free));
        !self.says && !is_beside && says()
    }

    /// Whether the shape has a member with this name in another spelling, which holds nothing here.
    fn lacks_twin(&self, key: &str) -> bool {
        let mut rows = self.shape.members.iter();
        rows.any(|(holds, keys)| {
            let counts = *holds == Holding::Id || holds.is_said();
            counts
                && keys.iter().any(|own| plain(own).eq(plain(key)))
                && !self.has_any(keys, *holds)
        })
    }

    /// Whether a member has the ID of a call, and the one of the shape has none.
    fn lacks_link(&self, key: &str, value: Node<'_>) -> bool {
        let mut needs = self.shape.needs.iter();
        value.kind() == Kind::String
            && is_link(key)
            && needs
                .any(|keys| keys.iter().any(|key| is_link(key)) && !self.has_any(keys, Holding::Id))
    }

    /// Whether a member has calls, and the shape has a place for calls that is empty.
    fn holds_calls(&self, key: &str, value: Node<'_>) -> bool {
        const INSTANCE: &[&str] = &["arguments", "args", "input", "inputs", "result", "output"];
        !self.calls
            && shared(key.as_bytes()) == Some(Holding::Call)
            && self.shape.members.iter().any(|(holds, _)| *holds == Holding::Call)
            && (value.items().chain([value])).any(|item| {
                let has = |object: Node<'_>| INSTANCE.iter().any(|key| object.get(key).is_some());
                has(item) || item.get("function").is_some_and(has)
            })
    }

    fn has_any(&self, keys: &[&str], holds: Holding) -> bool {
        let mut values = keys.iter().filter_map(|key| self.object.get(key));
        values.any(|value| is_filled(value, holds))
    }
}

/// Whether an object of these shapes, or one inside of it, has such a member.
fn is_known(name: &str, shapes: &[Shape], depth: u32) -> bool {
    shapes.iter().any(|shape| {
        shape.holds(name.as_bytes()).is_some()
            || depth > 0 && shape.inside.iter().any(|(_, inner)| is_known(name, inner, depth - 1))
    })
}

/// Whether a member with this key names a call.
fn is_link(key: &str) -> bool {
    let plain: String = plain(key).map(char::from).collect();
    plain.ends_with("id") && ["call", "tool"].iter().any(|word| plain.contains(word))
}

/// The letters of a key, without case.
fn plain(key: &str) -> impl Iterator<Item = u8> {
    let letters = key.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(|byte| byte.to_ascii_lowercase())
}

/// Whether a member of a shape holds something. Arguments may be none.
fn is_filled(value: Node<'_>, holds: Holding) -> bool {
    match holds {
        Holding::Arguments | Holding::Input => !value.is_null(),
        _ => !is_empty(value),
    }
}

/// Whether a value holds nothing that could be a text, a call or a result.
fn is_empty(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::String => value.is_blank_str(),
        Kind::Array => value.items().next().is_none(),
        Kind::Object => !value.is_open() && value.members().next().is_none(),
        _ => true,
    }
}
