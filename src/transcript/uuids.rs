//! UUIDs as 16 bytes each: many hosts give every record one, which they write with 36 characters.

use std::sync::OnceLock;

/// Characters of a UUID.
pub(super) const LENGTH: usize = 36;
/// UUIDs that are spelled together.
const PAGE: usize = 32;

/// A UUID in lowercase with dashes. What is written in another way is kept as text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Uuid([u32; 4]);

impl Uuid {
    /// The UUID that is written like this.
    pub(super) fn of(s: &[u8]) -> Option<Uuid> {
        let s: &[u8; LENGTH] = s.try_into().ok()?;
        if [s[8], s[13], s[18], s[23]] != [b'-'; 4] {
            return None;
        }
        let half = |at: usize| u32::from_be_bytes([s[at], s[at + 1], s[at + 2], s[at + 3]]);
        let word = |first, second| packed(u64::from(half(first)) << 32 | u64::from(half(second)));
        Some(Uuid([word(0, 4)?, word(9, 14)?, word(19, 24)?, word(28, 32)?]))
    }

    fn spell(self) -> [u8; LENGTH] {
        let mut text = [b'-'; LENGTH];
        let [a, b, c, d] = self.0.map(|word| spelled(word).to_be_bytes());
        text[..8].copy_from_slice(&a);
        text[9..13].copy_from_slice(&b[..4]);
        text[14..18].copy_from_slice(&b[4..]);
        text[19..23].copy_from_slice(&c[..4]);
        text[24..28].copy_from_slice(&c[4..]);
        text[28..].copy_from_slice(&d);
        text
    }
}

/// A byte with the value 1 in each place.
const EACH: u64 = 0x0101_0101_0101_0101;

/// The number with these eight digits.
#[inline]
fn packed(digits: u64) -> Option<u32> {
    let letters = digits >> 6 & EACH;
    let values = (digits & (EACH * 15)) + letters * 9;
    // Of other characters, the values are not those of digits, or these digits are spelled in another way.
    if values & (EACH * 0xf0) != 0 {
        return None;
    }
    let pairs = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    let number = (fours | fours >> 16) as u32;
    (spelled(number) == digits).then_some(number)
}

/// The eight digits of a number. All of them are made at once, a byte each.
#[inline]
fn spelled(number: u32) -> u64 {
    let fours = u64::from(number);
    let fours = (fours | fours << 16) & 0x0000_ffff_0000_ffff;
    let pairs = (fours | fours << 8) & 0x00ff_00ff_00ff_00ff;
    let values = (pairs | pairs << 4) & (EACH * 15);
    let letters = (values + EACH * 6) >> 4 & EACH;
    values + EACH * 0x30 + letters * 0x27
}

/// The UUIDs among numbered strings.
#[derive(Default, Debug)]
pub(super) struct Uuids {
    packed: Vec<Uuid>,
    /// Which strings are UUIDs, 64 in each.
    marks: Vec<UuidMarks>,
    /// UUIDs as text, once one of their page was asked for: most are only compared.
    pages: Vec<OnceLock<Box<str>>>,
}

/// Which of 64 strings are UUIDs, and how many UUIDs are before them.
#[derive(Copy, Clone, Debug)]
struct UuidMarks {
    bits: u64,
    before: u32,
}

impl Uuids {
    /// Adds the string with this number, which is higher than all before.
    pub(super) fn push(&mut self, number: usize, uuid: Uuid) {
        let before = self.packed.len();
        while self.marks.len() <= number / 64 {
            self.marks.push(UuidMarks { bits: 0, before: before as u32 });
        }
        if let Some(marks) = self.marks.last_mut() {
            marks.bits |= 1 << (number % 64);
        }
        self.packed.push(uuid);
        // The last page may have been spelled without this one.
        self.pages.truncate(before / PAGE);
        self.pages.push(OnceLock::new());
    }

    /// The position of the string with this number, if it is a UUID.
    fn position(&self, number: usize) -> Option<usize> {
        let marks = self.marks.get(number / 64)?;
        let bit = 1 << (number % 64);
        let before = (marks.bits & (bit - 1)).count_ones() + marks.before;
        (marks.bits & bit != 0).then_some(before as usize)
    }

    /// The string with this number, if it is a UUID.
    pub(super) fn get(&self, number: usize) -> Option<Uuid> {
        self.packed.get(self.position(number)?).copied()
    }

    /// The text of the string with this number, if it is a UUID.
    pub(super) fn text(&self, number: usize) -> Option<&str> {
        let position = self.position(number)?;
        let page = self.pages.get(position / PAGE)?.get_or_init(|| {
            let page = self.packed.chunks(PAGE).nth(position / PAGE);
            let text = page.unwrap_or_default().iter().map(|uuid| uuid.spell());
            let text = text.collect::<Vec<_>>().concat();
            String::from_utf8(text).unwrap_or_default().into()
        });
        let start = position % PAGE * LENGTH;
        page.get(start..start + LENGTH)
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.packed.shrink_to_fit();
        self.marks.shrink_to_fit();
        self.pages.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01234567-89ab-cdef-fedc-ba9876543210";

    #[test]
    fn a_uuid_is_given_back_as_it_was_written() {
        let uuid = Uuid::of(ONE.as_bytes()).unwrap();
        assert_eq!(uuid.spell(), ONE.as_bytes());
    }

    #[test]
    fn only_lowercase_uuids_are_packed() {
        for at in 0..LENGTH {
            for byte in 0..=u8::MAX {
                let mut changed = ONE.as_bytes().to_vec();
                changed[at] = byte;
                let is_uuid = match at {
                    8 | 13 | 18 | 23 => byte == b'-',
                    _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
                };
                assert_eq!(Uuid::of(&changed).is_some(), is_uuid, "{at} {byte}");
            }
        }
        assert_eq!(Uuid::of(&ONE.as_bytes()[1..]), None);
    }

    #[test]
    fn uuids_are_found_by_their_numbers() {
        let mut uuids = Uuids::default();
        let text = |number: usize| format!("{number:08x}-0000-4000-8000-00000000000a");
        let is_uuid = |number: &usize| number % 3 != 1 && !(100..300).contains(number);
        for number in (0..500).filter(is_uuid) {
            uuids.push(number, Uuid::of(text(number).as_bytes()).unwrap());
            assert_eq!(uuids.text(number), Some(text(number).as_str()));
        }
        for number in 0..600 {
            let own = text(number);
            let expected = Some(own.as_str()).filter(|_| number < 500 && is_uuid(&number));
            assert_eq!(uuids.text(number), expected);
            assert_eq!(uuids.get(number).is_some(), expected.is_some());
        }
    }
}
