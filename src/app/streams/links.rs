//! Whether standard output gets hyperlinks, and a stream that takes colors out and leaves them in.

use std::ffi::OsString;
use std::io::{self, Write};

use super::ColorWhen;

/// Programs that are known to show hyperlinks, by `TERM_PROGRAM` and by the beginning of `TERM`.
const PROGRAMS: &[&str] = &["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"];
const TERMS: &[&str] =
    &["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour", "rio"];
/// Variables that such programs set.
const SIGNS: &[&str] = &["WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "KITTY_WINDOW_ID"];
/// The first version of the library of many terminals (GNOME's, Xfce's …) that has them without faults.
const VTE: u32 = 5000;

/// Whether a stream gets hyperlinks: `--hyperlink`, then a terminal that is known to show them. Colors have nothing to do
/// with it.
pub(crate) fn wants_links(
    when: ColorWhen,
    env: impl Fn(&str) -> Option<OsString>,
    terminal: bool,
) -> bool {
    let text =
        |name: &str| env(name).and_then(|value| value.into_string().ok()).unwrap_or_default();
    let term = text("TERM");
    // It stands between us and the terminal, and nobody knows of which version it is.
    let multiplexed =
        term.starts_with("screen") || term.starts_with("tmux") || !text("TMUX").is_empty();
    let known = || {
        let program = text("TERM_PROGRAM");
        PROGRAMS.contains(&program.as_str())
            || TERMS.iter().any(|known| term.starts_with(known))
            || SIGNS.iter().any(|sign| !text(sign).is_empty())
            || text("VTE_VERSION").parse().is_ok_and(|version: u32| version >= VTE)
    };
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => terminal && term != "dumb" && !multiplexed && known(),
    }
}

/// Takes colors out of what is written through it, and nothing else.
pub(super) struct WithoutColors<W> {
    to: W,
    /// What may be the beginning of a color.
    held: Vec<u8>,
}

impl<W: Write> WithoutColors<W> {
    /// Writes to this one.
    pub(super) fn new(to: W) -> WithoutColors<W> {
        WithoutColors { to, held: Vec::new() }
    }
}

impl<W: Write> Write for WithoutColors<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            match (self.held.as_slice(), byte) {
                ([0x1b], b'[') | ([0x1b, b'[', ..], b'0'..=b'9' | b';') => self.held.push(*byte),
                ([0x1b, b'[', ..], b'm') => self.held.clear(),
                (_, 0x1b) => {
                    out.append(&mut self.held);
                    self.held.push(0x1b);
                }
                _ => {
                    out.append(&mut self.held);
                    out.push(*byte);
                }
            }
        }
        self.to.write_all(&out)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_that_are_known_get_links() {
        let wants = |when, vars: &[(&str, &str)], terminal| {
            wants_links(
                when,
                |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()),
                terminal,
            )
        };
        assert!(wants(ColorWhen::Always, &[("TERM", "dumb")], false));
        assert!(!wants(ColorWhen::Never, &[("TERM_PROGRAM", "WezTerm")], true));
        assert!(!wants(ColorWhen::Auto, &[("TERM", "xterm-256color")], true));
        let known = [
            ("TERM_PROGRAM", "vscode"),
            ("TERM", "xterm-kitty"),
            ("VTE_VERSION", "6800"),
            ("WT_SESSION", "x"),
        ];
        for known in known {
            assert!(wants(ColorWhen::Auto, &[known], true), "{known:?}");
            assert!(wants(ColorWhen::Auto, &[known, ("NO_COLOR", "1")], true), "{known:?}");
            assert!(!wants(ColorWhen::Auto, &[known], false), "{known:?}");
            assert!(!wants(ColorWhen::Auto, &[known, ("TMUX", "x")], true), "{known:?}");
        }
        assert!(!wants(ColorWhen::Auto, &[("VTE_VERSION", "4200")], true));
        assert!(!wants(ColorWhen::Auto, &[("TERM", "dumb"), ("TERM_PROGRAM", "vscode")], true));
    }

    #[test]
    fn colors_go_and_links_stay() {
        let link = "\x1b]8;;file:///a\x1b\\b\x1b]8;;\x1b\\";
        let text = format!("\x1b[1;31mred\x1b[0m {link} \x1b[2K\x1b\x1b[m end");
        let wanted = format!("red {link} \x1b[2K\x1b end");
        for size in [1, 2, 3, 100] {
            let mut out = WithoutColors::new(Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| out.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out.to).unwrap(), wanted, "{size}");
        }
    }
}
