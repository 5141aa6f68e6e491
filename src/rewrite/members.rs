//! Changes inside records. A record is read again; nothing else in it changes.

use std::collections::BTreeMap;

use super::{PlanSource, Schema};
use crate::bytes::edit::Edit;
use crate::containers::change;
use crate::containers::rewrite::CannotDo;
use crate::dialects::Piece;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::quote::quote;
use crate::transcript::{EventId, PartId, Transcript};

/// A change that only the format knows.
type Special<'a> = Box<dyn Fn(Node<'_>) -> Result<Vec<RecordChange>, CannotDo> + 'a>;

/// One change of one record.
enum MemberEdit<'a> {
    /// Sets a member to this raw value.
    Set(&'static str, String),
    Remove(&'static str),
    /// Gives a call or a result another ID, wherever it is stored.
    Rename(PartId, String),
    /// Removes a part, wherever it is stored.
    Cut(PartId),
    Special(Special<'a>),
}

/// The changes of a layer, by record.
pub(crate) struct MemberChanges<'a> {
    schema: &'static Schema,
    by_event: BTreeMap<EventId, Vec<MemberEdit<'a>>>,
}

impl<'a> MemberChanges<'a> {
    pub(crate) fn new(schema: &'static Schema) -> MemberChanges<'a> {
        MemberChanges { schema, by_event: BTreeMap::new() }
    }

    pub(super) fn schema(&self) -> &'static Schema {
        self.schema
    }

    fn add(&mut self, event: EventId, edit: MemberEdit<'a>) {
        let edits = self.by_event.entry(event).or_default();
        // Most records have one change, and there may be very many.
        if edits.is_empty() {
            edits.reserve_exact(1);
        }
        edits.push(edit);
    }

    /// Sets a member to this raw value. The last call for a member counts.
    pub(crate) fn set(&mut self, event: EventId, key: &'static str, raw: impl Into<String>) {
        if let Some(edits) = self.by_event.get_mut(&event) {
            edits.retain(|edit| !matches!(edit, MemberEdit::Set(other, _) if *other == key));
        }
        self.add(event, MemberEdit::Set(key, raw.into()));
    }

    /// Sets a member to this string, or to null.
    pub(crate) fn set_text(&mut self, event: EventId, key: &'static str, text: Option<&str>) {
        self.set(event, key, text.map_or_else(|| "null".to_owned(), quote));
    }

    pub(crate) fn remove(&mut self, event: EventId, key: &'static str) {
        self.add(event, MemberEdit::Remove(key));
    }

    /// Gives a call or a result another ID.
    pub(crate) fn rename(&mut self, t: &Transcript, part: PartId, to: &str) {
        self.add(t.part(part).event, MemberEdit::Rename(part, to.to_owned()));
    }

    /// Removes a part.
    pub(crate) fn cut(&mut self, t: &Transcript, part: PartId) {
        self.add(t.part(part).event, MemberEdit::Cut(part));
    }

    /// Adds a change that only the format knows.
    pub(crate) fn with(
        &mut self,
        event: EventId,
        make: impl Fn(Node<'_>) -> Result<Vec<RecordChange>, CannotDo> + 'a,
    ) {
        self.add(event, MemberEdit::Special(Box::new(make)));
    }

    /// All changes as edits.
    pub(super) fn edits(&self, source: PlanSource<'_>) -> Result<Vec<Edit>, CannotDo> {
        let mut edits = Vec::new();
        for event in self.by_event.keys() {
            edits.extend(self.edits_of(source, *event)?);
        }
        Ok(edits)
    }

    /// The changes of one record as edits.
    pub(super) fn edits_of(
        &self,
        source: PlanSource<'_>,
        event: EventId,
    ) -> Result<Vec<Edit>, CannotDo> {
        let at = source.t.event(event).at();
        Ok(change::edits(at, self.changes(source, event)?).collect())
    }

    /// The changes of one record in order, with offsets from its first byte. Equal changes are merged.
    pub(crate) fn changes(
        &self,
        source: PlanSource<'_>,
        event: EventId,
    ) -> Result<Vec<RecordChange>, CannotDo> {
        let Some(edits) = self.by_event.get(&event) else {
            return Ok(Vec::new());
        };
        let parts = source.t.event(event).parts.clone();
        let record = source.record(event)?;
        let root = record.root();
        // Read only if an edit is about a part: most change members of the record.
        let pieces = std::cell::OnceCell::new();
        let piece = |part: &PartId| {
            let pieces: &Vec<Piece<'_>> = pieces.get_or_init(|| (source.pieces)(root));
            let piece = pieces.get(parts.position_of(*part));
            piece.cloned().ok_or(CannotDo("a part cannot be found again"))
        };
        let mut changes = Vec::with_capacity(edits.len());
        let mut removed = Vec::new();
        for edit in edits {
            match edit {
                MemberEdit::Set(key, raw) => changes.push(self.set_member(root, key, raw)?),
                MemberEdit::Remove(key) => changes.extend(remove_member(root, key)),
                MemberEdit::Rename(part, to) => {
                    let piece = piece(part)?;
                    let ids = piece.ids.iter();
                    changes.extend(ids.filter_map(|id| id.set(to, self.schema.id_after)));
                }
                MemberEdit::Cut(part) => removed.push(piece(part)?),
                MemberEdit::Special(make) => changes.extend(make(root)?),
            }
        }
        // Together at the end, because the members of one list are cut as a set.
        changes.extend(self.cut_pieces(root, &removed));
        change::in_order_once(changes)
    }

    fn set_member(&self, root: Node<'_>, key: &str, raw: &str) -> Result<RecordChange, CannotDo> {
        let mut same = root.members().filter(|(name, _)| name.is_str(key));
        match (same.next(), same.next()) {
            (Some((_, value)), None) => Ok(cut::replace(value, raw)),
            (None, _) => Ok(cut::insert_member(root, self.schema.after, key, raw)),
            _ => Err(CannotDo("a member that must be changed is twice in its record")),
        }
    }

    /// Cuts the items with these pieces from their lists.
    fn cut_pieces(&self, root: Node<'_>, removed: &[Piece<'_>]) -> Vec<RecordChange> {
        let mut lists: BTreeMap<u32, (Node<'_>, Vec<u32>)> = BTreeMap::new();
        for home in removed.iter().flat_map(|piece| piece.homes.iter()) {
            let (_, indices) =
                lists.entry(home.list.index()).or_insert_with(|| (home.list, Vec::new()));
            indices.push(home.at);
        }
        lists
            .into_values()
            .flat_map(|(list, mut indices)| {
                indices.sort_unstable();
                indices.dedup();
                let is_emptied = indices.len() == list.items().count();
                let key = self.schema.drops_empty.iter().find(|key| {
                    let value = root.get(key);
                    is_emptied && value.is_some_and(|value| value.index() == list.index())
                });
                key.map_or_else(
                    || cut::remove_members(list, &indices),
                    |key| remove_member(root, key),
                )
            })
            .collect()
    }
}

/// Sets a member of an object to this raw value. A new one is inserted after `after`, or at the end.
pub(crate) fn set_member(
    object: Node<'_>,
    after: Option<&str>,
    key: &str,
    raw: &str,
) -> RecordChange {
    match object.get(key) {
        Some(value) => cut::replace(value, raw),
        None => cut::insert_member(object, after, key, raw),
    }
}

fn remove_member(root: Node<'_>, key: &str) -> Vec<RecordChange> {
    let at = root.members().position(|(name, _)| name.is_str(key));
    at.map(|at| cut::remove_members(root, &[at as u32])).unwrap_or_default()
}
