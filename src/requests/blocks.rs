//! The blocks of flawed messages, list by list. Equal problems of several blocks are reported together.

use std::borrow::Cow;

use super::{RequestContext, content, empty_content};
use crate::dialects::anthropic::kinds;
use crate::json::cut::{self, RecordChange};
use crate::json::node::Node;
use crate::json::tape::Kind;
use crate::transcript::{
    Action, Applicability, Code, Diagnostic, EventId, Fix, Flaws, Role, Within,
};

/// A list of blocks in a message that is sent: its content, or the content of a result in it.
pub(super) struct Blocks<'a> {
    pub list: Node<'a>,
    /// The role of the message; `None`: they are inside a result.
    pub role: Option<Role>,
    /// The blocks that are left out of the request.
    unsent: Vec<u32>,
}

impl<'a> Blocks<'a> {
    /// The blocks that are sent, with their indices in the list.
    pub(super) fn sent(&self) -> impl Iterator<Item = (u32, Node<'a>)> + '_ {
        let all = (0_u32..).zip(self.list.items());
        all.filter(|(at, _)| !self.unsent.contains(at))
    }
}

impl RequestContext<'_> {
    /// Checks the lists of blocks in messages with one of these flaws.
    pub(super) fn in_blocks(
        &self,
        any: Flaws,
        check: impl for<'a> Fn(&Blocks<'a>, &mut Problems<'a>),
    ) -> Vec<Diagnostic> {
        self.flawed(any)
            .flat_map(|event| {
                let Ok(record) = self.context.record(event) else {
                    return Vec::new();
                };
                let lists = self.lists(event, record.root());
                let mut problems = Problems::default();
                for list in &lists {
                    problems.within =
                        if list.role.is_some() { Within::Block } else { Within::InResult };
                    check(list, &mut problems);
                }
                problems.diagnostics(self, event)
            })
            .collect()
    }

    fn lists<'a>(&self, event: EventId, record: Node<'a>) -> Vec<Blocks<'a>> {
        let t = self.transcript();
        let pieces = (self.context.pieces)(record);
        let homes = pieces.iter().map(|piece| piece.homes.first());
        let Some(list) = homes.clone().flatten().map(|home| home.list).next() else {
            return Vec::new();
        };
        let parts = homes.zip(t.event(event).parts.clone());
        let unsent = parts.filter(|(_, part)| self.role_of(*part).is_none());
        let own = Blocks {
            list,
            role: Some(t.event(event).role),
            unsent: unsent.filter_map(|(home, _)| Some(home?.at)).collect(),
        };
        let results = own.sent().filter(|(_, block)| kinds::is(*block, "tool_result"));
        let inside = results.filter_map(|(_, block)| block.get("content"));
        let inside = inside.filter(|list| list.kind() == Kind::Array);
        let inside: Vec<Blocks<'_>> =
            inside.map(|list| Blocks { list, role: None, unsent: Vec::new() }).collect();
        std::iter::once(own).chain(inside).collect()
    }
}

/// The problems of a message. Problems of one kind are merged if their fixes have the same applicability.
pub(super) struct Problems<'a> {
    found: Vec<Problem<'a>>,
    /// Where the next ones are. Hosts that leave out a bad block of a message send one inside a result (run: Claude Code 2.1.332).
    within: Within,
}

impl Default for Problems<'_> {
    fn default() -> Self {
        Problems { found: Vec::new(), within: Within::Block }
    }
}

struct Problem<'a> {
    code: Code,
    within: Within,
    message: Cow<'static, str>,
    applicability: Applicability,
    changes: Vec<RecordChange>,
    /// Blocks to cut from their lists.
    cut: Vec<(Node<'a>, Option<Role>, Vec<u32>)>,
}

impl<'a> Problems<'a> {
    /// Adds a problem that these changes fix; `Manual`: it has no fix.
    pub(super) fn add(
        &mut self,
        code: Code,
        message: impl Into<Cow<'static, str>>,
        applicability: Applicability,
        changes: Vec<RecordChange>,
    ) {
        self.get_or_add(code, message, applicability).changes.extend(changes);
    }

    /// Adds a problem of a block that is fixed by cutting the block.
    pub(super) fn cut(
        &mut self,
        code: Code,
        message: impl Into<Cow<'static, str>>,
        applicability: Applicability,
        (blocks, at): (&Blocks<'a>, u32),
    ) {
        let known = &mut self.get_or_add(code, message, applicability).cut;
        match known.last_mut().filter(|(list, ..)| list.span() == blocks.list.span()) {
            Some((_, _, cut)) => cut.push(at),
            None => known.push((blocks.list, blocks.role, vec![at])),
        }
    }

    fn get_or_add(
        &mut self,
        code: Code,
        message: impl Into<Cow<'static, str>>,
        applicability: Applicability,
    ) -> &mut Problem<'a> {
        let message = message.into();
        let within = self.within;
        let at = self.found.iter().position(|own| {
            (own.code, own.within, own.applicability) == (code, within, applicability)
                && own.message == message
        });
        let at = at.unwrap_or(self.found.len());
        if at == self.found.len() {
            self.found.push(Problem {
                code,
                within,
                message,
                applicability,
                changes: Vec::new(),
                cut: Vec::new(),
            });
        }
        &mut self.found[at]
    }

    pub(super) fn diagnostics(self, cx: &RequestContext<'_>, event: EventId) -> Vec<Diagnostic> {
        let problems = self.found.into_iter();
        problems.map(|problem| problem.diagnostic(cx, event)).collect()
    }
}

impl Problem<'_> {
    fn diagnostic(self, cx: &RequestContext<'_>, event: EventId) -> Diagnostic {
        let mut diagnostic = content(self.code, self.message.into_owned(), event);
        diagnostic.within = self.within;
        let mut changes = self.changes;
        for (list, role, cut) in self.cut {
            let is_emptied = role.is_some() && cut.len() >= list.items().count();
            if is_emptied && empty_content::is_one_of_several(cx, event) {
                let actions = vec![Action::Remove(event)];
                let applicability = self.applicability;
                diagnostic.fixes = vec![Fix::new(applicability, actions)];
                return diagnostic;
            }
            changes.extend(if is_emptied {
                empty_content::filled(cx.wire.texts.filler, list)
            } else {
                cut::remove_members(list, &cut)
            });
        }
        cx.with_fix(diagnostic, self.applicability, changes)
    }
}
