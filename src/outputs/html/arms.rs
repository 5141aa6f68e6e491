//! The arms of a ladder as lines, so that they join whatever font the page is shown in.

use super::writer::Html;

/// Units of a lane and of a row.
const WIDE: usize = 10;
const HIGH: usize = 28;

/// Draws the arms of one row, `lanes` characters wide.
pub(super) fn draw(html: &mut Html, arms: &str, lanes: usize) {
    let mut path = String::new();
    for (n, c) in arms.chars().enumerate() {
        let (left, right) = (n.saturating_mul(WIDE), n.saturating_add(1).saturating_mul(WIDE));
        let (center, middle) = (left.saturating_add(WIDE / 2), HIGH / 2);
        let to_center = format!("M{left} {middle}H{center}");
        path.push_str(&match c {
            '─' => format!("M{left} {middle}H{right}"),
            '│' => format!("M{center} 0V{HIGH}"),
            '┼' => format!("M{left} {middle}H{right}M{center} 0V{HIGH}"),
            '┤' => format!("{to_center}M{center} 0V{HIGH}"),
            '┐' => format!("{to_center}V{HIGH}"),
            '┘' => format!("{to_center}V0"),
            '╴' => to_center,
            _ => String::new(),
        });
    }
    let size = format!("0 0 {} {HIGH}", lanes.saturating_mul(WIDE));
    // As high as a row, whatever the size of its text.
    let (wide, high) =
        (format!("{}em", lanes as f64 * WIDE as f64 / 16.0), format!("{}em", HIGH as f64 / 16.0));
    let attributes =
        [("viewBox", size.as_str()), ("width", &wide), ("height", &high), ("aria-hidden", "true")];
    html.tag("svg", &attributes, |html| {
        if !path.is_empty() {
            html.tag("path", &[("d", path.as_str())], |_| {});
        }
    });
}
