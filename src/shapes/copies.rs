//! Records that are stored twice, and different records that share an ID.

use super::chat::{digest, digest_of};
use crate::format::FormatContext;
use crate::transcript::{
    Action, Code, Diagnostic, EventId, Label, LabelRole, PartKind, State, Subject,
};

/// Which records are compared.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum By {
    /// Records with the same ID.
    Id,
    /// Consecutive records.
    Neighbor,
}

/// When one of two records is a copy of the other.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Same {
    /// Their bytes are the same, except for line endings.
    Bytes,
    /// Their digests are the same.
    Digest,
    /// They have the same calls, and are the same otherwise. Whether they are is only found out if their calls are the
    /// same, so that no reader hashes every record for it.
    Calls,
}

/// A record, and the nearest comparable record before it that is not itself a copy.
#[derive(Copy, Clone)]
pub(crate) struct Twin {
    pub before: EventId,
    pub event: EventId,
    pub is_copy: bool,
}

/// The twins among these records, in order. For consecutive records, only copies.
pub(crate) fn find(
    context: &FormatContext<'_>,
    records: impl IntoIterator<Item = EventId>,
    by: By,
    same: Same,
) -> Vec<Twin> {
    let t = context.transcript;
    let mut neighbor = None;
    let mut with_id = t.ids.table(None);
    let mut twins = Vec::new();
    for event in records {
        let latest = match (by, t.event(event).id) {
            (By::Neighbor, _) => &mut neighbor,
            (By::Id, Some(id)) => &mut with_id[id],
            (By::Id, None) => continue,
        };
        let before = *latest;
        let is_copy = before.is_some_and(|before| is_same(context, before, event, same));
        if !is_copy {
            *latest = Some(event);
        }
        let twin = before.filter(|_| is_copy || by == By::Id);
        twins.extend(twin.map(|before| Twin { before, event, is_copy }));
    }
    twins
}

fn is_same(context: &FormatContext<'_>, before: EventId, event: EventId, same: Same) -> bool {
    let t = context.transcript;
    match same {
        Same::Bytes => is_copy(context, before, event),
        Same::Digest => digest(t, event).is_some_and(|own| digest(t, before) == Some(own)),
        Same::Calls => {
            let own = digest_if_called(context, event, before);
            own.is_some() && own == digest_if_called(context, before, event)
        }
    }
}

/// The digest of a record that has the same calls as another one; of one that is not whole, as it was read.
fn digest_if_called(context: &FormatContext<'_>, event: EventId, other: EventId) -> Option<i64> {
    let t = context.transcript;
    let calls = |event| {
        let calls = t.parts_of(event, PartKind::Call).map(|call| t.part(call));
        calls.map(|call| (call.id, call.digest))
    };
    if calls(event).next().is_none() || !calls(event).eq(calls(other)) {
        return None;
    }
    digest(t, event).or_else(|| {
        let record = context.record(event).ok()?;
        Some(digest_of(record.root(), t))
    })
}

/// A record and an earlier one with the same ID, as twins.
pub(crate) fn twin(context: &FormatContext<'_>, before: EventId, event: EventId) -> Twin {
    Twin { before, event, is_copy: is_copy(context, before, event) }
}

/// Whether the bytes of two records are the same, except for line endings.
pub(crate) fn is_copy(context: &FormatContext<'_>, first: EventId, event: EventId) -> bool {
    let [one, other] = [first, event].map(|event| context.transcript.event(event));
    if one.state != State::Whole || other.state != State::Whole {
        return false;
    }
    let [length, its] = [one, other].map(|record| record.at().end - record.at().start);
    if length.abs_diff(its) > 2 {
        return false;
    }
    let (Ok(one), Ok(other)) = (context.entries.fetch(one.at()), context.entries.fetch(other.at()))
    else {
        return false;
    };
    one.trim_ascii_end() == other.trim_ascii_end()
}

/// The bytes of JSON without white space between its tokens.
pub(crate) fn strip_whitespace(json: &[u8]) -> Vec<u8> {
    let (mut inside, mut escaped) = (false, false);
    let mut stripped = Vec::with_capacity(json.len());
    for byte in json {
        if inside || !byte.is_ascii_whitespace() {
            stripped.push(*byte);
        }
        inside ^= *byte == b'"' && !escaped;
        escaped = inside && *byte == b'\\' && !escaped;
    }
    stripped
}

impl Twin {
    /// Reports a copy. The fix removes it.
    pub(crate) fn repeated(&self, message: &'static str) -> Diagnostic {
        let mut diagnostic = self.diagnostic(Code::RepeatedRecord, message);
        diagnostic.fix_safely([Action::Remove(self.event)]);
        diagnostic
    }

    /// Reports a different record with the same ID.
    pub(crate) fn shares_id(&self, message: &'static str) -> Diagnostic {
        self.diagnostic(Code::DuplicateRecordId, message)
    }

    fn diagnostic(&self, code: Code, message: &'static str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message, self.event);
        let before = Label::new(self.before, LabelRole::Record);
        diagnostic.labels = vec![before, Label::new(self.event, LabelRole::Copy)];
        diagnostic.about = vec![Subject::Bytes(self.event)];
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whitespace_between_tokens_is_removed() {
        assert_eq!(strip_whitespace(b" {\"a \\\" b\" : [1 ,\n2]} "), b"{\"a \\\" b\":[1,2]}");
        assert_ne!(strip_whitespace(b"\"a b\""), strip_whitespace(b"\"ab\""));
        assert_eq!(strip_whitespace(b"[\"\\\\\" , 1]"), b"[\"\\\\\",1]");
    }
}
