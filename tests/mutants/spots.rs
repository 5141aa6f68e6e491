//! Where the values of a JSON text are, read without the program that is tested.

use std::ops::Range;

/// What a value is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    Text,
    /// A number or a word.
    Other,
}

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub at: Range<usize>,
    pub kind: Kind,
    /// Its key, with the quotes, in an object.
    pub key: Option<Range<usize>>,
    /// The spot of the object or array that it is in.
    pub parent: Option<usize>,
}

/// Deeper values are not read.
const DEEPEST: usize = 300;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    spots: Vec<Spot>,
}

/// The values of a text that is one JSON value, each before those in it. `None`: it is not.
pub(crate) fn of(bytes: &[u8]) -> Option<Vec<Spot>> {
    let mut reader = Reader { bytes, at: 0, spots: Vec::new() };
    reader.blanks();
    reader.value(None, None, 0)?;
    reader.blanks();
    (reader.at == bytes.len()).then_some(reader.spots)
}

/// The objects in bytes that are not JSON, each with the number of objects and lists that are open around it.
pub(crate) fn objects(bytes: &[u8]) -> Vec<(Range<usize>, usize)> {
    let (mut found, mut at, mut depth) = (Vec::new(), 0, 0_usize);
    while at < bytes.len() {
        let mut reader = Reader { bytes, at, spots: Vec::new() };
        match bytes[at] {
            b'{' if reader.value(None, None, 0).is_some() => {
                found.push((at..reader.at, depth));
                at = reader.at;
                continue;
            }
            b'"' if reader.text().is_some() => {
                at = reader.at;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    found
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    fn text(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.eat(b'"')?;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                0..=31 => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at)
    }

    fn value(
        &mut self,
        key: Option<Range<usize>>,
        parent: Option<usize>,
        depth: usize,
    ) -> Option<()> {
        let (start, own) = (self.at, self.spots.len());
        let kind = match self.bytes.get(start)? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::Text,
            _ => Kind::Other,
        };
        self.spots.push(Spot { at: start..start, kind, key, parent });
        match kind {
            Kind::Text => _ = self.text()?,
            Kind::Other => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                while self.bytes.get(self.at).is_some_and(is_part) {
                    self.at += 1;
                }
                if self.at == start {
                    return None;
                }
            }
            Kind::Object | Kind::Array if depth == DEEPEST => return None,
            Kind::Object | Kind::Array => self.inside(kind, own, depth)?,
        }
        self.spots[own].at.end = self.at;
        Some(())
    }

    fn inside(&mut self, kind: Kind, own: usize, depth: usize) -> Option<()> {
        let end = if kind == Kind::Object { b'}' } else { b']' };
        self.at += 1;
        self.blanks();
        if self.eat(end).is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let key = match kind {
                Kind::Object => Some(self.text()?),
                _ => None,
            };
            if key.is_some() {
                self.blanks();
                self.eat(b':')?;
                self.blanks();
            }
            self.value(key, Some(own), depth + 1)?;
            self.blanks();
            if self.eat(end).is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }
}

/// A file as JSON: one value, or values of lines.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// The values of all lines that are one, or of the document.
    pub spots: Vec<Spot>,
    /// The lines, with their line feeds; none in a document.
    pub lines: Vec<Range<usize>>,
}

impl Shape {
    pub(crate) fn of(bytes: &[u8]) -> Shape {
        if let Some(spots) = of(bytes) {
            return Shape { spots, lines: Vec::new() };
        }
        let mut shape = Shape::default();
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let base = shape.spots.len();
            // Lines of an indented document may be values by chance, but not objects.
            let spots = of(line).filter(|spots| spots[0].kind == Kind::Object);
            for mut spot in spots.unwrap_or_default() {
                spot.at = spot.at.start + start..spot.at.end + start;
                spot.key = spot.key.map(|key| key.start + start..key.end + start);
                spot.parent = spot.parent.map(|parent| parent + base);
                shape.spots.push(spot);
            }
            shape.lines.push(start..start + line.len());
            start += line.len();
        }
        if shape.spots.is_empty() {
            shape.lines.clear();
        }
        shape
    }

    /// The numbers of the spots in this one, one level below.
    pub(crate) fn inside(&self, own: usize) -> impl Iterator<Item = usize> + '_ {
        let spots = self.spots.iter().enumerate();
        spots.filter(move |(_, spot)| spot.parent == Some(own)).map(|(number, _)| number)
    }

    /// Whether a spot is an object in a list.
    pub(crate) fn is_item(&self, number: usize) -> bool {
        let spot = &self.spots[number];
        let is_list = |parent: usize| self.spots[parent].kind == Kind::Array;
        spot.kind == Kind::Object && spot.parent.is_some_and(is_list)
    }
}

/// The string that this literal is.
pub(crate) fn string(literal: &[u8]) -> Option<String> {
    serde_json::from_slice(literal).ok()
}
