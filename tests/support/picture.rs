//! A terminal as an SVG picture, from what a program prints in color.

use std::fmt::Write as _;

/// Pixels of a character and of a line.
const CELL: (f64, f64) = (8.43, 19.0);
/// Pixels around the text, and above it for the bar of the window.
const MARGIN: (f64, f64) = (18.0, 46.0);
/// Columns of the terminal, unless a line is longer.
const COLUMNS: usize = 80;

/// The colors of a terminal.
pub(crate) struct Theme {
    background: &'static str,
    bar: &'static str,
    text: &'static str,
    dim: &'static str,
    /// Red, green, yellow, blue, magenta, cyan: the colors 31 to 36.
    colors: [&'static str; 6],
}

pub(crate) const LIGHT: Theme = Theme {
    background: "#ffffff",
    bar: "#d0d7de",
    text: "#1f2328",
    dim: "#656d76",
    colors: ["#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83"],
};

pub(crate) const DARK: Theme = Theme {
    background: "#0d1117",
    bar: "#30363d",
    text: "#e6edf3",
    dim: "#8d96a0",
    colors: ["#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf"],
};

/// How characters look.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    dim: bool,
    /// 31 to 36.
    color: Option<u8>,
}

impl Look {
    /// Applies the numbers of an escape sequence.
    fn apply(&mut self, numbers: &str) {
        for number in numbers.split(';').map(|own| own.parse().unwrap_or(0)) {
            match number {
                0 => *self = Look::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                22 => (self.bold, self.dim) = (false, false),
                31..=36 => self.color = Some(number),
                91..=96 => self.color = Some(number - 60),
                39 => self.color = None,
                _ => {}
            }
        }
    }

    fn attributes(self, theme: &Theme) -> String {
        let color = self.color.map(|color| theme.colors[usize::from(color - 31)]);
        let color = color.or(self.dim.then_some(theme.dim));
        let fill = color.map(|color| format!(" fill=\"{color}\""));
        let weight = if self.bold { " font-weight=\"600\"" } else { "" };
        fill.unwrap_or_default() + weight
    }
}

/// A picture of commands with what they print.
pub(crate) fn svg(session: &[(String, String)], theme: &Theme) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (command, printed) in session {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("\u{1b}[32m$\u{1b}[0m \u{1b}[1m{command}\u{1b}[0m"));
        lines.extend(printed.trim_end().lines().map(str::to_owned));
    }
    let columns = lines.iter().map(|line| columns(line)).max();
    let width = columns.unwrap_or(0).max(COLUMNS) as f64 * CELL.0 + 2.0 * MARGIN.0;
    let height = lines.len() as f64 * CELL.1 + MARGIN.1 + MARGIN.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n<rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\" fill=\"{}\" \
         stroke=\"{}\"/>\n",
        width - 1.0,
        height - 1.0,
        theme.background,
        theme.bar
    );
    for dot in 0..3 {
        let x = 20 + 18 * dot;
        let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"20\" r=\"5.5\" fill=\"{}\"/>", theme.bar);
    }
    let _ = writeln!(
        out,
        "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" \
         fill=\"{}\" xml:space=\"preserve\">",
        theme.text
    );
    let mut look = Look::default();
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN.1 + (number as f64 + 0.7) * CELL.1;
        let spans = spans(line, &mut look, theme);
        if !spans.is_empty() {
            let _ = writeln!(out, "<text y=\"{y:.1}\">{spans}</text>");
        }
    }
    out + "</g>\n</svg>\n"
}

/// The number of columns of a line, without its escape sequences.
fn columns(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().chars().count();
    let shown = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    first + shown.map(|text| text.chars().count()).sum::<usize>()
}

/// The parts of a line, each at its column, whatever font the picture is shown with.
fn spans(line: &str, look: &mut Look, theme: &Theme) -> String {
    let (mut out, mut column) = (String::new(), 0);
    let mut parts = line.split('\u{1b}');
    let mut add = |text: &str, look: Look| {
        // Columns are separated by blanks, which need no width of their own.
        for word in text.split_inclusive("  ") {
            let shown = word.trim_start_matches(' ');
            let blanks = word.len() - shown.len();
            let shown = shown.trim_end_matches(' ');
            if !shown.is_empty() {
                let x = MARGIN.0 + (column + blanks) as f64 * CELL.0;
                let _ = write!(
                    out,
                    "<tspan x=\"{x:.1}\"{}>{}</tspan>",
                    look.attributes(theme),
                    escape(shown)
                );
            }
            column += word.chars().count();
        }
    };
    add(parts.next().unwrap_or_default(), *look);
    for part in parts {
        let (numbers, text) =
            part.strip_prefix('[').and_then(|own| own.split_once('m')).unwrap_or(("", part));
        look.apply(numbers);
        add(text, *look);
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
