//! Colors: one small function. They are always written, and each stream strips what it does not want.

use colored::{Color, ColoredString, Colorize};

use crate::report::model::Verdict;
use crate::transcript::{Applicability, Severity};

/// What a text means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The worst.
    Fatal,
    /// Damage, or what is taken out.
    Bad,
    /// Worth a look.
    Warn,
    /// Good, or what is added.
    Good,
    /// A place or a heading.
    Place,
    /// A title.
    Strong,
    /// Beside the point.
    Dim,
}

/// Makes `colored` write colors whatever the standard streams are. Once, before anything is printed.
pub(crate) fn force() {
    colored::control::set_override(true);
}

/// The text in the color of its meaning. Fill it up to its columns before.
pub(crate) fn paint(tone: Tone, text: &str) -> ColoredString {
    match tone {
        Tone::Fatal => text.color(Color::Red).bold(),
        Tone::Bad => text.color(Color::Red),
        // Yellow and cyan cannot be read on white.
        Tone::Warn => text.color(Color::Magenta),
        Tone::Good => text.color(Color::Green),
        Tone::Place => text.color(Color::Blue),
        Tone::Strong => text.bold(),
        Tone::Dim => text.dimmed(),
    }
}

/// A painted text among others of its color.
pub(crate) fn stand_out(text: ColoredString) -> String {
    text.bold().underline().to_string()
}

/// The tone of a severity.
pub(crate) fn of_level(level: Severity) -> Tone {
    match level {
        Severity::Fatal => Tone::Fatal,
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Note => Tone::Place,
    }
}

/// The tone of a verdict.
pub(crate) fn of_verdict(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Empty => Tone::Dim,
        Verdict::Healthy => Tone::Good,
        Verdict::Pending => Tone::Place,
        Verdict::Lossy | Verdict::Unknown => Tone::Warn,
        Verdict::Stuck | Verdict::Unreadable => Tone::Fatal,
    }
}

/// The tone of a fix.
pub(crate) fn of_fix(applicability: Applicability) -> Tone {
    match applicability {
        Applicability::Safe => Tone::Good,
        Applicability::Unsafe => Tone::Warn,
        _ => Tone::Dim,
    }
}
