//! What a text blames that no check can see.

use super::Decoded;
use super::places::from_zero;
use crate::engine::{Blame, Judged};
use crate::transcript::Severity;

/// What the engine has to be asked again with. `None`: the text speaks of something else, it names no message, or
/// something else is wrong with the recording, which comes first and may be why its numbers are not ours.
pub fn blamed(decoded: &Decoded<'_>, judged: &Judged) -> Option<Blame> {
    if judged.at_least(Severity::Warning).next().is_some() || !decoded.ids.is_empty() {
        return None;
    }
    let heard = decoded.heard.first()?;
    let text = decoded.paste.text(heard);
    (text.codes.first() == Some(&"TD407"))
        .then(|| Some(Blame { message: from_zero(text.at, heard.index?) }))
        .flatten()
}
