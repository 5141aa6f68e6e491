//! Writes the steps of a conversation as each format does, by the templates of `writers.txt`.

/// One record of a step is written with these words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer {
    pub name: &'static str,
    /// A record a line; otherwise a list in a document.
    pub is_lines: bool,
    prefix: &'static str,
    start: &'static str,
    user: &'static str,
    say: &'static str,
    open: &'static str,
    call: &'static str,
    close: &'static str,
    answers: &'static str,
    result: &'static str,
    answered: &'static str,
    end: &'static str,
}

/// All of them.
pub(crate) fn all() -> Vec<Writer> {
    let mut all: Vec<Writer> = Vec::new();
    for line in include_str!("writers.txt").lines() {
        let Some((key, rest)) = line.split_once(' ').filter(|(key, _)| *key != "#") else {
            continue;
        };
        if key == "=" {
            let (name, kind) = rest.split_once(' ').unwrap();
            all.push(Writer {
                name,
                is_lines: kind == "lines",
                prefix: "toolu_01",
                ..Writer::default()
            });
            continue;
        }
        let writer = all.last_mut().unwrap();
        let field = match key {
            "prefix" => &mut writer.prefix,
            "start" => &mut writer.start,
            "user" => &mut writer.user,
            "say" => &mut writer.say,
            "open" => &mut writer.open,
            "call" => &mut writer.call,
            "close" => &mut writer.close,
            "answers" => &mut writer.answers,
            "result" => &mut writer.result,
            "answered" => &mut writer.answered,
            "end" => &mut writer.end,
            _ => panic!("writers.txt: {key}"),
        };
        *field = rest;
    }
    all
}

/// A record, and whether the next one begins on a line of its own.
struct Record {
    bytes: Vec<u8>,
    is_ended: bool,
}

/// A conversation that is being written.
struct Written<'w> {
    writer: &'w Writer,
    records: Vec<Record>,
    /// The number of the next record, and of the step.
    next: usize,
    step: usize,
    /// The ID of the record of each call.
    calls: Vec<(String, String)>,
    /// What happens to the parent of the next record.
    link: Link,
    /// The last step was a result.
    is_result: bool,
    mark: bool,
    crlf: bool,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Link {
    Previous,
    Missing,
    None,
    Itself,
}

/// Why a format cannot have a damage.
pub(crate) type Impossible = &'static str;

/// What some hosts write for a result that nobody recorded.
const PLACEHOLDER: &str = "[Tool execution was interrupted]";
const ONLY_LINES: Impossible = "nothing follows the place where a document is cut off";
const NO_LINKS: Impossible = "its records do not name their parents";

fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-{number:012x}")
}

impl Writer {
    /// The bytes of a conversation with this damage.
    ///
    /// # Errors
    /// Files of this format cannot have it.
    pub(crate) fn write(&self, script: &str) -> Result<Vec<u8>, Impossible> {
        let mut written = Written {
            writer: self,
            records: Vec::new(),
            next: 0,
            step: 0,
            calls: Vec::new(),
            link: Link::Previous,
            is_result: false,
            mark: false,
            crlf: false,
        };
        let steps: Vec<&str> = script.split(';').map(str::trim).collect();
        let links: &[&str] = &["stray", "rootless", "looped"];
        for (at, step) in steps.iter().enumerate() {
            let is_last = at + 1 == steps.len();
            // The damage of a link is that of the record after it, or of the last one.
            written.link = match steps.get(at + 1) {
                Some(&"stray") => Link::Missing,
                Some(&"looped") => Link::Itself,
                _ if at > 0 && steps[at - 1] == "rootless" => Link::None,
                _ => Link::Previous,
            };
            if links.contains(step) {
                if !self.user.contains("{parent}") {
                    return Err(NO_LINKS);
                }
                continue;
            }
            written.take(step, is_last)?;
        }
        Ok(written.bytes(steps.last() == Some(&"torn")))
    }
}

impl Written<'_> {
    fn take(&mut self, step: &str, is_last: bool) -> Result<(), Impossible> {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        self.step += 1;
        self.is_result &= ["result", "placeholder"].contains(&word);
        match word {
            "user" => self.push(self.writer.user, "", "question"),
            "say" => self.push(self.writer.say, "", "answer"),
            "call" => self.call(rest),
            "result" => {
                let text = if rest.ends_with("other") { "other output of" } else { "output of" };
                let call = &rest[..1];
                self.result(call, &format!("{text} {call}"));
            }
            "placeholder" => self.result(rest, PLACEHOLDER),
            "bom" => self.mark = true,
            "crlf" => self.crlf = true,
            _ => self.bend(word, is_last)?,
        }
        Ok(())
    }

    fn call(&mut self, names: &str) {
        let writer = self.writer;
        if writer.open.is_empty() {
            names.split(' ').for_each(|name| self.push(writer.call, name, ""));
            return;
        }
        let calls: Vec<String> = names
            .split(' ')
            .map(|name| writer.call.replace("{call}", &self.call_id(name)))
            .collect();
        let whole = format!("{}{}{}", writer.open, calls.join(","), writer.close);
        let first = names.split(' ').next().unwrap();
        self.push(&whole, first, "");
    }

    /// A result, in the record of the one before it if the format has them together.
    fn result(&mut self, call: &str, text: &str) {
        let Writer { answers, result, answered, .. } = self.writer;
        let was_result = std::mem::replace(&mut self.is_result, true);
        self.push(&format!("{answers}{result}{answered}"), call, text);
        if !was_result || answers.is_empty() {
            return;
        }
        let own = self.records.pop().unwrap().bytes;
        let all = &mut self.records.last_mut().unwrap().bytes;
        all.truncate(all.len() - answered.len());
        all.push(b',');
        all.extend(&own[answers.len()..]);
    }

    fn call_id(&self, name: &str) -> String {
        format!("{}{}", self.writer.prefix, name.repeat(22))
    }

    fn push(&mut self, template: &str, call: &str, text: &str) {
        let (own, of) = (id(self.next), self.calls.iter().rev().find(|(name, _)| name == call));
        let of = of.map_or_else(|| id(900), |(_, id)| id.clone());
        if template.starts_with(self.writer.call)
            || template.starts_with(self.writer.open) && !call.is_empty()
        {
            self.calls.push((call.to_owned(), own.clone()));
        }
        let parent = match self.link {
            Link::Previous => self.next.checked_sub(1).map(id),
            Link::Missing => Some(id(800)),
            Link::None => None,
            Link::Itself => Some(own.clone()),
        };
        let parent = parent.map_or_else(|| "null".to_owned(), |parent| format!("\"{parent}\""));
        // Equal results have equal words, questions and answers have their own.
        let text =
            if call.is_empty() { format!("{text} number {}", self.step) } else { text.to_owned() };
        let record = template
            .replace("{id}", &own)
            .replace("{parent}", &parent)
            .replace("{of}", &of)
            .replace("{call}", &self.call_id(call))
            .replace("{nn}", &format!("{:02}", self.next))
            .replace("{n}", &self.next.to_string())
            .replace("{step}", &self.step.to_string())
            .replace("{time}", &format!("2026-03-01T10:00:{:02}", self.next))
            .replace("{text}", &text);
        self.records.push(Record { bytes: record.into_bytes(), is_ended: true });
        self.next += 1;
    }

    /// Damages the last record.
    fn bend(&mut self, word: &str, is_last: bool) -> Result<(), Impossible> {
        let is_lines = self.writer.is_lines;
        let last = self.records.last_mut().unwrap();
        let middle = last.bytes.len() / 2;
        match word {
            "torn" | "cut" => {
                if !is_lines && !is_last {
                    return Err(ONLY_LINES);
                }
                last.bytes.truncate(middle);
                last.is_ended = word == "torn" && !is_last;
            }
            "glued" => last.is_ended = false,
            "twice" => {
                let bytes = last.bytes.clone();
                self.records.push(Record { bytes, is_ended: true });
            }
            "nul" => {
                last.is_ended = !is_lines;
                self.records.push(Record { bytes: vec![0; 64], is_ended: true });
            }
            "zeros" => last.bytes.fill(0),
            "blank" => last.bytes.push(b'\n'),
            "unended" if is_lines => last.is_ended = false,
            "unended" => return Err("documents often end without one"),
            "emptied" => {
                let text = String::from_utf8(last.bytes.clone()).unwrap();
                let words = ["output of", "question number", "answer number"];
                let at = words.iter().find_map(|word| text.find(word)).unwrap();
                let end = at + text[at..].find('"').unwrap();
                let gone = text[at..end].to_owned();
                last.bytes = text.replace(&gone, "").into_bytes();
            }
            "latin" => self.put(b"\xe9"),
            "surrogate" => self.put(b"\\ud83d"),
            "linefeed" => self.put(b"\n"),
            _ => panic!("damages.txt: {word}"),
        }
        Ok(())
    }

    /// Puts bytes into the text of the last record.
    fn put(&mut self, bytes: &[u8]) {
        let record = &mut self.records.last_mut().unwrap().bytes;
        let at = memchr::memmem::find(record, b"output of").unwrap() + 6;
        record.splice(at..at, bytes.iter().copied());
    }

    fn bytes(self, is_cut: bool) -> Vec<u8> {
        let writer = self.writer;
        let mut out = Vec::new();
        if self.mark {
            out.extend("\u{feff}".as_bytes());
        }
        let is_lines = writer.is_lines;
        out.extend(writer.start.as_bytes());
        if !writer.start.is_empty() {
            out.push(b'\n');
        }
        let count = self.records.len();
        for (at, record) in self.records.into_iter().enumerate() {
            let is_last = at + 1 == count;
            let is_text = !record.bytes.iter().all(|byte| *byte == 0);
            out.extend(record.bytes);
            if !is_lines && is_text && !is_last && record.is_ended {
                out.push(b',');
            }
            if record.is_ended || (!is_lines && !is_cut) {
                out.push(b'\n');
            }
        }
        if !is_lines && !is_cut {
            out.extend(writer.end.as_bytes());
            out.push(b'\n');
        }
        if !self.crlf {
            return out;
        }
        String::from_utf8(out).unwrap().replace('\n', "\r\n").into_bytes()
    }
}
