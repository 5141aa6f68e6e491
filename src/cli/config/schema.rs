//! The JSON Schema of the configuration, made of the rows of its keys.

use std::collections::BTreeSet;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::{KEYS, ValueKind};
use crate::cli::{FailOn, MinConfidence, values::LevelArg};
use crate::hosts;
use crate::rules;
use crate::targets;

fn words<T: ValueEnum>() -> Value {
    let all = T::value_variants().iter().filter_map(T::to_possible_value);
    json!({"enum": all.map(|word| word.get_name().to_owned()).collect::<Vec<_>>()})
}

/// A code, the beginning of one, or a name.
fn rule() -> Value {
    let mut words = BTreeSet::new();
    for rule in rules::ALL {
        let code = rule.code.as_str();
        words.extend((1..=code.len()).map(|end| &code[..end]));
        words.insert(rule.name);
    }
    json!({"enum": words})
}

fn target() -> Value {
    let names = targets::ALL.iter().map(|target| target.name);
    let all = ["auto"].into_iter().chain(names).chain([targets::STRICTEST_NAME]);
    json!({"enum": all.collect::<Vec<_>>()})
}

fn of_kind(kind: ValueKind) -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    let table = |values: Value| json!({"type": "object", "additionalProperties": values});
    match kind {
        ValueKind::Rules => list(json!({"$ref": "#/definitions/rule"})),
        ValueKind::Levels => json!({
            "type": "object",
            "propertyNames": {"$ref": "#/definitions/rule"},
            "additionalProperties": words::<LevelArg>(),
        }),
        ValueKind::FailOn => words::<FailOn>(),
        ValueKind::MinConfidence => words::<MinConfidence>(),
        ValueKind::Target => target(),
        ValueKind::Globs => list(json!({"type": "string"})),
        ValueKind::PerFileIgnores => table(list(json!({"$ref": "#/definitions/rule"}))),
        ValueKind::PerFileFormats => {
            let formats: Vec<&str> = hosts::ALL.iter().map(|format| format.name).collect();
            table(json!({
                "type": "object",
                "properties": {"from": {"enum": formats}, "target": target()},
                "additionalProperties": false,
            }))
        }
        ValueKind::Path => json!({"type": "string"}),
    }
}

/// The schema. `schemas/config-v1.json` is a copy of it.
pub(crate) fn schema() -> Value {
    let mut properties = Map::new();
    for key in KEYS {
        let mut property = of_kind(key.kind);
        property["description"] = key.about.into();
        properties.insert(key.name.to_owned(), property);
    }
    json!({
        // Editors of TOML know older versions of schemas only.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "transcript-doctor/config/v1",
        "title": "Configuration of transcript-doctor",
        "description": "transcript-doctor.toml, or the table tool.transcript-doctor of pyproject.toml. Later versions may add keys.",
        "type": "object",
        "definitions": {"rule": rule()},
        "properties": properties,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toml_span::value::ValueInner;

    use super::*;
    use crate::cli::config::Config;
    use crate::cli::config::file::ConfigFile;

    #[test]
    fn the_schema_is_up_to_date() {
        const PATH: &str = "schemas/config-v1.json";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
        let wanted = format!("{:#}\n", schema());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == wanted,
            "{PATH} is stale: run `UPDATE_DOCS=1 cargo test --lib cli::config`"
        );
    }

    /// TOML as the JSON that a schema is about.
    fn as_json(value: &toml_span::Value<'_>) -> Value {
        match value.as_ref() {
            ValueInner::String(text) => Value::from(text.as_ref()),
            ValueInner::Integer(number) => Value::from(*number),
            ValueInner::Float(number) => Value::from(*number),
            ValueInner::Boolean(is) => Value::from(*is),
            ValueInner::Array(items) => items.iter().map(as_json).collect(),
            ValueInner::Table(table) => {
                table.iter().map(|(key, value)| (key.name.to_string(), as_json(value))).collect()
            }
        }
    }

    /// The schema accepts what the program reads, and nothing that it refuses.
    #[test]
    fn the_schema_agrees_with_the_program() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let page = include_str!("../../../docs/ci.md");
        let mut examples = page.split("```toml\n").filter_map(|rest| rest.split("```").next());
        let example = examples.find(|example| example.contains("per-file-formats")).unwrap();
        for key in KEYS {
            assert!(example.contains(key.name), "docs/ci.md lacks {}", key.name);
        }
        for text in [
            example,
            "level = { TD1 = \"off\", two-results = \"note\" }",
            "select = [\"TD10\", \"T\"]",
            "selects = []",
            "select = [\"TD999\"]",
            "select = \"TD1\"",
            "fail-on = \"warnings\"",
            "target = \"bedrok\"",
            "min-confidence = 3",
            "level = { TD104 = \"bad\" }",
            "level = 3",
            "exclude = [1]",
            "per-file-formats = 3",
            "[per-file-formats]\n\"a\" = { form = \"openai-chat\" }",
            "[per-file-formats]\n\"a\" = { from = \"openai-chart\" }",
            "[per-file-ignores]\n\"a\" = \"TD1\"",
            "baseline = 1",
        ] {
            let file = ConfigFile { path: "x.toml".into(), text: text.to_owned() };
            let is_read = Config::parse(&file).is_ok();
            let document = toml_span::parse(text).unwrap();
            assert_eq!(validator.is_valid(&as_json(&document)), is_read, "{text}");
        }
    }
}
