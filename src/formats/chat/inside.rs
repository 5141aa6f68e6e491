//! Plans changes of records that have calls together with their results, so neither is a record of its own.

use std::collections::BTreeMap;

use crate::bytes::edit::Edit;
use crate::containers::rewrite::CannotDo;
use crate::formats::FormatContext;
use crate::json::cut::Change;
use crate::json::node::Node;
use crate::rewrite::{self, Done, NewId, Order, Plan, Schema};
use crate::transcript::{Action, ActionKind, EventId, PartId, Request};

/// The actions that such a format supports, except for results in the record of another call.
pub(crate) const SUPPORTS: &[ActionKind] = &[
    ActionKind::EditBytes,
    ActionKind::Remove,
    ActionKind::RemovePart,
    ActionKind::AnswerCall,
    ActionKind::RenameId,
];

/// The changes to the calls and results of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inside {
    /// Its calls that get a placeholder result.
    pub answered: Vec<PartId>,
    /// Its calls and results that are removed.
    pub gone: Vec<PartId>,
    /// Results of other records that move here.
    pub arriving: Vec<PartId>,
}

/// Makes the changes of a record.
pub(crate) type Write =
    fn(&FormatContext<'_>, EventId, Node<'_>, &Inside) -> Result<Vec<Change>, CannotDo>;

/// Plans the edits for actions.
pub(crate) fn plan_edits(
    context: &FormatContext<'_>,
    schema: &'static Schema,
    write: Write,
    request: &Request,
    actions: &[Action],
) -> Result<Vec<Edit>, CannotDo> {
    let order = Order::new(context.transcript, &[]);
    let mut writer = Writer {
        context,
        write,
        records: BTreeMap::new(),
    };
    let plan = Plan::new(context.source(), request, schema, order);
    rewrite::plan_edits(plan, &mut writer, actions)
}

struct Writer<'a> {
    context: &'a FormatContext<'a>,
    write: Write,
    records: BTreeMap<EventId, Inside>,
}

impl Writer<'_> {
    fn of(&mut self, plan: &Plan<'_>, part: PartId) -> &mut Inside {
        self.records.entry(plan.t.part(part).event).or_default()
    }
}

impl<'a> rewrite::Writer<'a> for Writer<'a> {
    fn remove_part(&mut self, plan: &mut Plan<'a>, part: PartId) -> Done {
        let gone = &mut self.of(plan, part).gone;
        if !gone.contains(&part) {
            gone.push(part);
        }
        Ok(())
    }

    /// Moves results to the record of their call.
    fn move_together(&mut self, plan: &mut Plan<'a>, parts: &[PartId]) -> Done {
        let Some((call, results)) = parts.split_first() else {
            return Ok(());
        };
        let asks = plan.t.part(*call).event;
        for result in results {
            if plan.t.part(*result).event != asks {
                self.of(plan, *result).gone.push(*result);
                self.of(plan, *call).arriving.push(*result);
            }
        }
        Ok(())
    }

    fn answer_call(&mut self, plan: &mut Plan<'a>, call: PartId, _: Option<EventId>) -> Done {
        self.of(plan, call).answered.push(call);
        Ok(())
    }

    fn follow_up(&mut self, plan: &mut Plan<'a>) -> Done {
        for (event, inside) in std::mem::take(&mut self.records) {
            if plan.order.is_stored(event) {
                let (context, write) = (self.context, self.write);
                plan.members
                    .with(event, move |root| write(context, event, root, &inside));
            }
        }
        Ok(())
    }

    fn new_record(&self, _: &Plan<'a>, _: NewId, _: Option<EventId>) -> Result<Vec<u8>, CannotDo> {
        Err(CannotDo("results are never records of their own here"))
    }
}
