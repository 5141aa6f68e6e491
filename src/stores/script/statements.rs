//! The statements of a script, so that it changes everything or nothing:
//!
//! 1. `temp.guard` gets one row, computed before anything is changed: whether every cell that changes or goes has its old bytes,
//!    and the schema and version of the store are those that were read. Each later statement asks that row. It is empty if the
//!    statement fails that computes it, and it is empty again if SQLite rolls back, because it is filled in the same transaction.
//! 2. Outside of a transaction, SQLite takes back `defer_foreign_keys` at the end of each statement: so the guard knows whether
//!    `BEGIN` worked. After `COMMIT` the same shows whether that did.
//! 3. The last statement before `COMMIT` looks at the result, and rolls everything back if a statement between failed, whatever
//!    the client did then.

use super::quoted::{comment, equal, name, text, value};
use super::{RowEdit, RowEdits, RowState};
use crate::containers::database::{ColumnValue, Database, SchemaObject};
use crate::stores::Reading;

/// Where SQLite keeps the highest number that a row of a table ever had.
const SEQUENCE: &str = "sqlite_sequence";
const IF_OK: &str = "(SELECT ok FROM temp.guard)";
const IN_TRANSACTION: &str = "(SELECT defer_foreign_keys FROM pragma_defer_foreign_keys)";
/// Terms that are joined on one level: SQLite allows 1,000 levels, and one for each term.
const TERMS: usize = 50;

/// What scripts are made of.
pub(super) struct ScriptFacts<'a> {
    id: &'a str,
    host: &'static str,
    changes: &'a RowEdits,
    /// The store's version of its tables.
    version: i32,
    /// Everything that belongs to the tables that change.
    schema: Vec<&'a SchemaObject>,
    pub triggers: Vec<String>,
    pub full_text: Vec<String>,
    /// The table whose numbers are counted, its name there, and the highest number, before and after new rows.
    sequence: Option<(String, i64, i64)>,
}

impl<'a> ScriptFacts<'a> {
    /// `None`: the database cannot be read.
    pub(super) fn of(
        database: &Database,
        reading: &Reading,
        id: &'a str,
        changes: &'a RowEdits,
        schema: &'a [SchemaObject],
    ) -> Option<ScriptFacts<'a>> {
        let is_touched =
            |own: &&SchemaObject| changes.rows.iter().any(|change| own.is_of(&change.table));
        let own: Vec<&SchemaObject> = schema.iter().filter(is_touched).collect();
        let triggers: Vec<&SchemaObject> =
            own.iter().copied().filter(|own| own.kind == "trigger").collect();
        let full_text = schema.iter().filter(|table| {
            let statement = table.statement.as_deref().unwrap_or_default();
            let is_virtual = statement.to_lowercase().starts_with("create virtual");
            let fires = |own: &&SchemaObject| {
                own.statement.as_deref().is_some_and(|text| text.contains(&table.name))
            };
            is_virtual && triggers.iter().any(fires)
        });
        Some(ScriptFacts {
            id,
            host: reading.format.host.title,
            changes,
            version: database.user_version()?,
            full_text: full_text.map(|table| table.name.clone()).collect(),
            triggers: triggers.iter().map(|own| own.name.clone()).collect(),
            schema: own,
            sequence: sequence(database, changes)?,
        })
    }

    /// The script that repairs the session.
    pub(super) fn apply(&self) -> String {
        let mut terms = self.changes.only_if[0].clone();
        if let Some((table, number)) = &self.changes.free {
            terms.push(format!(
                "NOT EXISTS (SELECT 1 FROM main.{} WHERE rowid >= {number})",
                name(table)
            ));
        }
        if let Some((table, before, _)) = &self.sequence {
            let own = text(table);
            terms.push(format!("(SELECT seq FROM main.{SEQUENCE} WHERE name = {own}) = {before}"));
        }
        self.script("Repairs", &self.changes.rows, terms, String::new())
    }

    /// The script that takes the repair back.
    pub(super) fn undo(&self) -> String {
        let swapped = |change: &RowEdit| RowEdit {
            before: change.after.clone(),
            after: change.before.clone(),
            ..change.clone()
        };
        let changes: Vec<RowEdit> = self.changes.rows.iter().rev().map(swapped).collect();
        let mut last = String::new();
        if let Some((table, before, after)) = &self.sequence {
            last = format!(
                "UPDATE main.{SEQUENCE} SET seq = {before} WHERE name = {} AND seq = {after} AND {IF_OK};\n",
                text(table)
            );
        }
        self.script("Takes back the repair of", &changes, self.changes.only_if[1].clone(), last)
    }

    fn script(
        &self,
        what: &str,
        changes: &[RowEdit],
        mut terms: Vec<String>,
        last: String,
    ) -> String {
        terms.extend(changes.iter().flat_map(has_old));
        let checked: Vec<String> = changes.iter().flat_map(has_new).collect();
        let mut out = self.head(what);
        out.push_str("DROP TABLE IF EXISTS temp.guard;\n");
        out.push_str(
            "CREATE TEMP TABLE guard (ok, CONSTRAINT \"not all rows could be written, so none is\" CHECK (ok IN (0, 1)));\n",
        );
        out.push_str("BEGIN IMMEDIATE;\n");
        out.push_str("PRAGMA defer_foreign_keys = ON;\nDELETE FROM temp.guard;\n");
        let all = [self.same_store(), terms].concat();
        out.push_str(&format!("INSERT INTO temp.guard SELECT coalesce({}, 0);\n", all_of(&all)));
        changes.iter().for_each(|change| out.push_str(&statement(change)));
        out.push_str(&last);
        out.push_str(&format!(
            "INSERT OR ROLLBACK INTO temp.guard SELECT 2 WHERE {IF_OK} AND NOT coalesce({}, 0);\n",
            all_of(&checked)
        ));
        out.push_str("COMMIT;\n");
        out.push_str(&format!(
            "SELECT CASE WHEN {IF_OK} AND NOT {IN_TRANSACTION} THEN 'applied' ELSE 'nothing written' END;\n"
        ));
        out
    }

    /// What a reader should know.
    fn head(&self, what: &str) -> String {
        let mut lines = vec![
            format!("{what} session {} in its database.", comment(self.id)),
            format!("Made by transcript-doctor {}.", env!("CARGO_PKG_VERSION")),
            format!(
                "Close {} before you run this. Nothing is written if a row changed since then.",
                self.host
            ),
        ];
        if !self.triggers.is_empty() {
            lines.push(format!("Triggers of its tables: {}", comment(&self.triggers.join(", "))));
        }
        if !self.full_text.is_empty() {
            let tables = comment(&self.full_text.join(", "));
            lines.push(format!("Full-text tables that these write: {tables}"));
        }
        lines.iter().map(|line| format!("-- {line}\n")).collect()
    }

    /// That a transaction is open, and the store is as it was read.
    fn same_store(&self) -> Vec<String> {
        let mut terms = vec![
            format!("{IN_TRANSACTION} = 1"),
            format!("(SELECT user_version FROM pragma_user_version) = {}", self.version),
        ];
        let mut tables: Vec<&str> = self.schema.iter().map(|own| own.table.as_str()).collect();
        tables.sort_unstable();
        tables.dedup();
        for table in tables {
            let count = self.schema.iter().filter(|own| own.table == table).count();
            terms.push(format!(
                "(SELECT count(*) FROM main.sqlite_master WHERE tbl_name = {}) = {count}",
                text(table)
            ));
        }
        terms.extend(self.schema.iter().map(|own| {
            let statement = own.statement.as_ref();
            let statement = statement
                .map_or(ColumnValue::Null, |own| ColumnValue::Text(own.clone().into_bytes()));
            format!(
                "EXISTS (SELECT 1 FROM main.sqlite_master WHERE type = {} AND name = {} AND {})",
                text(&own.kind),
                text(&own.name),
                equal("sql", &statement)
            )
        }));
        terms
    }
}

/// The highest number that rows of the table ever had, if new rows come and SQLite counts it.
fn sequence(database: &Database, changes: &RowEdits) -> Option<Option<(String, i64, i64)>> {
    let new = |change: &&RowEdit| change.before.is_none();
    let numbers =
        changes.rows.iter().filter(new).filter_map(|own| Some(own.after.as_ref()?.number));
    let (Some(after), Some((table, _))) = (numbers.max(), &changes.free) else {
        return Some(None);
    };
    let found = number_of(database, table)?;
    Some(found.map(|(table, before)| (table, before, after)))
}

/// A table's name and number where SQLite counts them. `None`: that cannot be read; inside: it does not count them.
pub(super) fn number_of(database: &Database, table: &str) -> Option<Option<(String, i64)>> {
    let Some(counted) = database.tables.iter().find(|own| own.name == SEQUENCE) else {
        return Some(None);
    };
    let columns = [counted.column("name")?, counted.column("seq")?];
    let mut found = None;
    database.scan(counted, &columns, &mut |_, values| {
        if let [own, number] = &values[..]
            && let (Some(own), Some(number)) = (own.text(), number.integer())
            && own.to_lowercase() == table
        {
            found = Some((own.into_owned(), number));
        }
    })?;
    Some(found)
}

/// All of these, in groups, because SQLite limits how deep an expression is.
fn all_of(terms: &[String]) -> String {
    if terms.len() <= TERMS {
        return terms.join("\n  AND ");
    }
    let groups: Vec<String> =
        terms.chunks(TERMS).map(|group| format!("({})", all_of(group))).collect();
    all_of(&groups)
}

/// That a table has a row with these cells.
pub(super) fn exists(table: &str, number: i64, cells: &[(String, ColumnValue)]) -> String {
    let cells = cells.iter().map(|(column, value)| format!(" AND {}", equal(column, value)));
    let cells: String = cells.collect();
    format!("EXISTS (SELECT 1 FROM main.{} WHERE rowid = {number}{cells})", name(table))
}

fn is_free(table: &str, number: i64) -> String {
    format!("NOT {}", exists(table, number, &[]))
}

/// That a row is as it was read, and that its new number is free.
fn has_old(change: &RowEdit) -> Vec<String> {
    let RowEdit { table, before, after, same } = change;
    let number = |state: &Option<RowState>| state.as_ref().map(|own| own.number);
    let moves = number(after).filter(|new| number(before) != Some(*new));
    let old = before.iter().map(|own| {
        let cells = [&own.cells[..], &same[..]].concat();
        exists(table, own.number, &cells)
    });
    old.chain(moves.map(|new| is_free(table, new))).collect()
}

/// That a row is as it should be, and that nothing has its old number.
fn has_new(change: &RowEdit) -> Vec<String> {
    let RowEdit { before, after, .. } = change;
    has_old(&RowEdit { before: after.clone(), after: before.clone(), ..change.clone() })
}

fn statement(change: &RowEdit) -> String {
    let RowEdit { table, before, after, .. } = change;
    let table = name(table);
    match (before, after) {
        (Some(before), Some(after)) => {
            let number =
                (before.number != after.number).then(|| format!("rowid = {}", after.number));
            let cells = after
                .cells
                .iter()
                .map(|(column, own)| format!("{} = {}", name(column), value(own)));
            let cells: Vec<String> = number.into_iter().chain(cells).collect();
            let cells = cells.join(", ");
            format!(
                "UPDATE main.{table} SET {cells} WHERE rowid = {} AND {IF_OK};\n",
                before.number
            )
        }
        (Some(before), None) => {
            format!("DELETE FROM main.{table} WHERE rowid = {} AND {IF_OK};\n", before.number)
        }
        (None, Some(after)) => {
            let columns = after.cells.iter().map(|(column, _)| format!(", {}", name(column)));
            let values = after.cells.iter().map(|(_, own)| format!(", {}", value(own)));
            let (columns, values): (String, String) = (columns.collect(), values.collect());
            format!(
                "INSERT INTO main.{table} (rowid{columns}) SELECT {}{values} WHERE {IF_OK};\n",
                after.number
            )
        }
        (None, None) => String::new(),
    }
}
