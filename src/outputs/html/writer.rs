//! Writes HTML: names of elements and attributes are ours by their type, and whatever else comes is escaped. There is no way
//! around it.
//!
//! A few lines of our own instead of a library of templates: those escape what HTML knows and nothing else, so characters that
//! turn text around or hide it would need a second step that somebody forgets.

use crate::report::text::is_dangerous;

/// Elements that are on lines of their own.
const BLOCKS: &[&str] = &[
    "main", "article", "section", "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "dl",
    "dd", "div", "table", "thead", "tbody", "tr", "pre", "details", "summary", "html", "head",
    "body", "title", "style",
];

/// A document that is being written.
pub(super) struct Html {
    out: String,
    ascii: bool,
}

impl Html {
    /// An empty one. `ascii`: other characters are written as references.
    pub(super) fn new(ascii: bool) -> Html {
        Html { out: String::from("<!doctype html>\n"), ascii }
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Lines of text, one below the other in an element that keeps line feeds.
    pub(super) fn lines(&mut self, lines: &[String]) {
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            self.text(line);
        }
    }

    /// Text, escaped: it can neither end what it is in nor begin anything, and what could turn the text around or hide in
    /// it is shown as `\u{..}`.
    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c if is_dangerous(c) => self.out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
                c if self.ascii && !c.is_ascii() => {
                    self.out.push_str(&format!("&#{};", u32::from(c)))
                }
                c => self.out.push(c),
            }
        }
    }

    /// An element with what is inside it.
    pub(super) fn tag(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        inside: impl FnOnce(&mut Html),
    ) {
        self.void(name, attributes);
        inside(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        if BLOCKS.contains(&name) {
            self.out.push('\n');
        }
    }

    /// An element without an end.
    pub(super) fn void(&mut self, name: &'static str, attributes: &[(&'static str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            self.text(value);
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// Our style sheet, as it is: what it is hashed as.
    pub(super) fn style(&mut self, sheet: &'static str) {
        self.out.push_str("<style>");
        self.out.push_str(sheet);
        self.out.push_str("</style>\n");
    }

    /// A box that scrolls where its content is wider than the page, also by the keys.
    pub(super) fn scrolled(
        &mut self,
        class: &'static str,
        about: &str,
        inside: impl FnOnce(&mut Html),
    ) {
        let attributes =
            [("class", class), ("role", "region"), ("aria-label", about), ("tabindex", "0")];
        self.tag("div", &attributes, inside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_stays_text() {
        let mut html = Html::new(false);
        html.tag("p", &[("class", "\"><script>")], |html| {
            html.text("</p><b onclick='x'>&\u{202e}\n日本")
        });
        let wanted = "<p class=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;\\u{202e}\\u{a}日本</p>\n";
        assert_eq!(html.finish(), format!("<!doctype html>\n{wanted}"));
        let mut html = Html::new(true);
        html.text("日");
        assert_eq!(html.finish(), "<!doctype html>\n&#26085;");
    }

    proptest! {
        #[test]
        fn no_text_gets_out(text in any::<String>()) {
            let mut html = Html::new(false);
            html.text(&text);
            let written = html.finish().split_off("<!doctype html>\n".len());
            prop_assert!(!written.contains(['<', '>', '"', '\'']), "{written}");
            prop_assert!(!written.contains(is_dangerous));
            let plain = written.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
            prop_assert_eq!(plain.replace("&amp;", "&"), crate::report::text::escape(&text));
        }
    }
}
