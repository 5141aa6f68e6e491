//! Measures the sources: how long, how dense, how deep and how tangled they are.
//!
//! `cargo run --release --manifest-path tools/figures/Cargo.toml -- ROOT...` prints a table with a column for each checkout.
//! With `--places` it also prints where closures, long functions, short docs, long files and circles are, on standard error.

mod circles;
mod density;
mod sources;

use std::path::Path;
use std::process::ExitCode;

use density::Density;
use sources::Source;

/// The structs whose fields are what an author of a format can set.
const KNOBS: &[&str] = &["Format", "HostTraits", "Wire", "RecordReader", "Schema"];

/// The structs that say what was found, from the host's facts to the report.
const FINDINGS: &[&str] = &["Diagnostic", "Finding", "ReportedFinding"];

/// A name and a value for each checkout.
type Row = (String, Vec<String>);

fn main() -> ExitCode {
    let mut roots: Vec<String> = std::env::args().skip(1).collect();
    let given = roots.len();
    roots.retain(|root| root != "--places");
    let places = roots.len() < given;
    let roots = if roots.is_empty() { vec![".".to_owned()] } else { roots };
    let mut rows: Vec<Row> = Vec::new();
    for root in &roots {
        let figures = match figures(Path::new(root), places) {
            Ok(figures) => figures,
            Err(error) => {
                eprintln!("{root}: {error}");
                return ExitCode::FAILURE;
            }
        };
        for (at, (name, value)) in figures.into_iter().enumerate() {
            if rows.len() <= at {
                rows.push((name, Vec::new()));
            }
            rows[at].1.push(value);
        }
    }
    println!("| | {} |", roots.join(" | "));
    println!("|---{}|", "|---".repeat(roots.len()));
    for (name, values) in rows {
        println!("| {name} | {} |", values.join(" | "));
    }
    ExitCode::SUCCESS
}

/// The figures of one checkout, in the order of the table.
fn figures(root: &Path, places: bool) -> Result<Vec<(String, String)>, String> {
    let sources = sources::read(&root.join("src"))?;
    let product: Vec<&Source> = sources.iter().filter(|source| !source.is_test).collect();
    let mut density = Density::default();
    for source in &product {
        density.add(source);
    }
    let lines: usize = sources.iter().map(|source| source.text.lines().count()).sum();
    let per_thousand = |count: usize| 1000.0 * count as f64 / density.code_lines as f64;
    let circles = circles::circles(&product);
    let mut rows = vec![
        ("lines of `src`".to_owned(), lines.to_string()),
        ("lines of production code".to_owned(), density.code_lines.to_string()),
        ("tokens of production code".to_owned(), density.tokens.to_string()),
        (
            "tokens a line".to_owned(),
            format!("{:.2}", density.tokens as f64 / density.code_lines as f64),
        ),
        (
            "named closures (for 1,000 lines)".to_owned(),
            format!("{} ({:.1})", density.closures, per_thousand(density.closures)),
        ),
        ("named closures used once".to_owned(), density.closures_used_once.to_string()),
        ("`match` on a bool".to_owned(), density.matches_on_bool.to_string()),
        (
            "comments inside functions (for 100 lines)".to_owned(),
            format!("{} ({:.1})", density.comments, per_thousand(density.comments) / 10.0),
        ),
        (
            "functions above 30 lines without a comment".to_owned(),
            density.long_without_comment.to_string(),
        ),
        ("longest function, lines".to_owned(), density.longest.to_string()),
        ("docs of four words or fewer".to_owned(), density.short_docs.to_string()),
        ("files above 400 lines".to_owned(), density.long_files.to_string()),
        ("files below 40 lines".to_owned(), density.small_files.to_string()),
        (
            "circles of files (largest)".to_owned(),
            format!("{} ({})", circles.len(), circles.iter().map(Vec::len).max().unwrap_or(0)),
        ),
    ];
    for (title, names) in [("knobs of a format", KNOBS), ("fields of a finding", FINDINGS)] {
        let fields: Vec<String> = names
            .iter()
            .filter_map(|name| Some(format!("{name} {}", density.fields.get(*name)?)))
            .collect();
        rows.push((title.to_owned(), fields.join(", ")));
    }
    if places {
        for place in &density.places {
            eprintln!("{place}");
        }
        for circle in circles {
            eprintln!("circle: {}", circle.join(" - "));
        }
    }
    Ok(rows)
}
