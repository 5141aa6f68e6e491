//! Calls must be of the tools that a training row declares, with arguments that fit their schemas.
//!
//! The few words of JSON Schema that tools use are checked here: a library for all of it would take longer to build than this
//! program without it, and most of what it knows (references, formats, conditions) is not in the declarations of tools.

use hashbrown::HashMap;

use super::{Need, RequestContext, content};
use crate::json::node::Node;
use crate::json::record::Record;
use crate::json::tape::Kind;
use crate::transcript::{Code, Diagnostic, Effect, LabelRole, PartKind};

pub(crate) const NEED: Need =
    Need { name: "declared_tools", reports: &[Code::UndeclaredCall], check };

const UNKNOWN: &str = "call of a tool that the row does not declare";
const MISSING: &str = "call without an argument that its tool requires";
const TYPE: &str = "call with an argument of another type than its tool declares";
const VALUE: &str = "call with an argument that is none of the values that its tool declares";

fn check(cx: &RequestContext<'_>) -> Vec<Diagnostic> {
    let t = cx.transcript();
    let around = t.host_state().filter(|_| (cx.wire.declares_tools)(t));
    let Some(around) = around.and_then(|around| cx.context.record(around).ok()) else {
        return Vec::new();
    };
    let Some(list) = around.root().get("tools") else {
        return Vec::new();
    };
    // Some data sets keep the list as JSON text.
    let text = list.str().and_then(|text| Record::parse(text.into_owned().into_bytes()));
    let list = text.as_ref().map_or(list, Record::root);
    let tools = declared(list);
    if tools.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for event in cx.sent() {
        let parts = t.event(event).parts.clone();
        // Most records have no call, and are not read once more.
        if !parts.clone().any(|part| t.part(part).kind == PartKind::Call) {
            continue;
        }
        let Ok(record) = cx.context.record(event) else {
            continue;
        };
        for (piece, part) in (cx.context.pieces)(record.root()).iter().zip(parts) {
            if t.part(part).kind != PartKind::Call {
                continue;
            }
            let name = t.text(t.part(part).tool);
            let problem = match tools.get(name) {
                None if name.is_empty() => None,
                None => Some(UNKNOWN),
                Some(None) => None,
                Some(Some(schema)) => {
                    let input = piece.inputs.first().and_then(|input| input.node());
                    input.and_then(|input| problem_of(input, *schema))
                }
            };
            if let Some(problem) = problem {
                let mut own = content(Code::UndeclaredCall, problem, event);
                own.effect = Effect::None;
                own.labels[0].role = LabelRole::Call;
                own.labels[0].part = Some(part);
                found.push(own);
            }
        }
    }
    found
}

/// The declared tools by name, each with its schema.
fn declared(list: Node<'_>) -> HashMap<String, Option<Node<'_>>> {
    let tools = list.items().filter_map(|tool| {
        let function = tool.get("function").unwrap_or(tool);
        let schema = function.get("parameters").or_else(|| function.get("input_schema"));
        Some((function.string("name")?.into_owned(), schema))
    });
    tools.collect()
}

/// What does not fit in the arguments of a call. Text that is not JSON is a problem of its own.
fn problem_of(input: Node<'_>, schema: Node<'_>) -> Option<&'static str> {
    let Some(text) = input.str() else {
        return problem(input, schema, DEEPEST);
    };
    let record = Record::parse(text.into_owned().into_bytes()).filter(Record::is_whole)?;
    problem(record.root(), schema, DEEPEST)
}

/// Levels of a value that are checked.
const DEEPEST: u32 = 16;

fn problem(value: Node<'_>, schema: Node<'_>, deepest: u32) -> Option<&'static str> {
    let deepest = deepest.checked_sub(1)?;
    if let Some(types) = schema.get("type") {
        let fits = match types.kind() {
            Kind::Array => types.items().any(|name| is_of(value, name)),
            _ => is_of(value, types),
        };
        if !fits {
            return Some(TYPE);
        }
    }
    if let Some(values) = schema.get("enum").filter(|values| values.kind() == Kind::Array)
        && !values.items().any(|other| is_same(value, other))
    {
        return Some(VALUE);
    }
    if value.kind() == Kind::Object {
        let mut required = schema.items_of("required").filter_map(|name| name.str());
        if required.any(|name| value.get(&name).is_none()) {
            return Some(MISSING);
        }
        let properties = schema.get("properties")?;
        let mut members = value.members();
        return members
            .find_map(|(name, value)| problem(value, properties.get(&name.str()?)?, deepest));
    }
    let items = schema.get("items").filter(|items| items.kind() == Kind::Object)?;
    value.items().find_map(|value| problem(value, items, deepest))
}

/// Whether a value has a type of JSON Schema. A name that is none says nothing.
fn is_of(value: Node<'_>, name: Node<'_>) -> bool {
    let Some(name) = name.str() else {
        return true;
    };
    let kind = value.kind();
    match &*name {
        "object" => kind == Kind::Object,
        "array" => kind == Kind::Array,
        "string" => kind == Kind::String,
        "boolean" => matches!(kind, Kind::True | Kind::False),
        "null" => value.is_null(),
        "number" => kind == Kind::Number,
        "integer" => {
            let number = String::from_utf8_lossy(&value.raw()).parse::<f64>();
            kind == Kind::Number && number.is_ok_and(|number| number.fract() == 0.0)
        }
        _ => true,
    }
}

/// Whether two values are the same. Of lists and objects that is not asked.
fn is_same(value: Node<'_>, other: Node<'_>) -> bool {
    match (value.str(), other.str()) {
        (Some(one), Some(two)) => one == two,
        (None, None) => {
            matches!(value.kind(), Kind::Object | Kind::Array) || value.raw() == other.raw()
        }
        _ => false,
    }
}
