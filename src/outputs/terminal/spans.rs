//! Texts in the colors of their meanings.

use crate::outputs::document::{self, Look, StyledSpan};
use crate::outputs::human::level_word;
use crate::outputs::paint::{Tone, of_level, paint};
use crate::outputs::wrap::wrap;
use crate::outputs::{OutputStyle, link};
use crate::report::text::width;

/// A text as a terminal shows it, without colors.
pub(super) fn words(text: &[StyledSpan]) -> String {
    let mut out = String::new();
    for (at, span) in text.iter().enumerate() {
        if document::apart(text, at) {
            out.push(' ');
        }
        out.push_str(&shown(span));
    }
    out
}

fn shown(span: &StyledSpan) -> String {
    match &span.look {
        Look::Code => format!("`{}`", span.text),
        Look::Finding(level, code) => format!("{}[{code}]", level_word(*level)),
        _ => span.text.clone(),
    }
}

/// A text in lines of at most `columns`, the first one after `used` columns, in colors.
pub(super) fn lines(
    text: &[StyledSpan],
    columns: usize,
    used: usize,
    style: &OutputStyle,
) -> Vec<String> {
    // The look of each visible character: wrapping only changes spaces.
    let looks: Vec<&Look> = text
        .iter()
        .flat_map(|span| {
            let visible = shown(span).chars().filter(|c| *c != ' ').count();
            std::iter::repeat_n(&span.look, visible)
        })
        .collect();
    let mut looks = looks.into_iter();
    let words = words(text);
    // What fits keeps its blanks.
    let lines = if used.saturating_add(width(&words)) > columns {
        wrap(&words, columns, used)
    } else {
        vec![words]
    };
    let painted = lines.iter().map(|line| colored(line, &mut looks, style));
    painted.collect()
}

fn colored<'l>(
    line: &str,
    looks: &mut impl Iterator<Item = &'l Look>,
    style: &OutputStyle,
) -> String {
    let mut runs: Vec<(String, Option<&Look>)> = Vec::new();
    for c in line.chars() {
        let look = if c == ' ' { None } else { looks.next() };
        match runs.last_mut() {
            // A blank takes the look of what is before it.
            Some((run, last)) if c == ' ' || *last == look => run.push(c),
            _ => runs.push((c.to_string(), look)),
        }
    }
    let painted = runs.iter().map(|(run, look)| {
        let run = style.draw(run);
        let end = run.trim_end_matches(' ').len();
        let (run, blanks) = run.split_at(end);
        match look {
            Some(look) => format!("{}{blanks}", colors(look, run)),
            None => format!("{run}{blanks}"),
        }
    });
    painted.collect()
}

pub(super) fn colors(look: &Look, run: &str) -> String {
    let tone = match look {
        Look::Plain | Look::Code | Look::Name | Look::To(_) => return run.to_owned(),
        Look::Place(target) => {
            let painted = paint(Tone::Place, run).to_string();
            return link::around(target.as_deref(), &painted);
        }
        Look::Strong => Tone::Strong,
        Look::Quiet => Tone::Dim,
        Look::Label(tone) => *tone,
        Look::Finding(level, _) => of_level(*level),
    };
    paint(tone, run).to_string()
}
