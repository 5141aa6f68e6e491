//! SHA-256 checksums of bytes that are read and written.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;
use thiserror::Error;

/// A SHA-256 checksum, written as 64 lowercase hex digits.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Checksum([u8; 32]);

impl Checksum {
    /// Checksum and number of the bytes that `reader` yields.
    ///
    /// # Errors
    /// The reader fails.
    pub fn of(reader: &mut dyn Read) -> io::Result<(Self, u64)> {
        let mut sum = HashingWriter::new(io::sink());
        io::copy(reader, &mut sum)?;
        Ok(sum.finish())
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 64 lowercase hex digits.
#[derive(Debug, Error)]
#[error("not a SHA-256 of 64 lower-case hex digits")]
pub struct InvalidChecksum;

impl FromStr for Checksum {
    type Err = InvalidChecksum;

    fn from_str(text: &str) -> Result<Self, InvalidChecksum> {
        let bytes = decode_hex(text).ok_or(InvalidChecksum)?;
        bytes.try_into().map(Self).map_err(|_| InvalidChecksum)
    }
}

impl From<Checksum> for String {
    fn from(sum: Checksum) -> Self {
        sum.to_string()
    }
}

impl TryFrom<String> for Checksum {
    type Error = InvalidChecksum;

    fn try_from(text: String) -> Result<Self, InvalidChecksum> {
        text.parse()
    }
}

/// Decodes lowercase hex digits; `None` for any other text.
pub(crate) fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// Passes bytes on to another writer and hashes them.
pub(crate) struct HashingWriter<W> {
    inner: W,
    hash: Sha256,
    count: u64,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, hash: Sha256::new(), count: 0 }
    }

    /// Checksum and number of the bytes written so far.
    pub(crate) fn finish(self) -> (Checksum, u64) {
        (Checksum(self.hash.finalize().into()), self.count)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let done = self.inner.write(buf)?;
        self.hash.update(buf.get(..done).unwrap_or_default());
        self.count = self.count.saturating_add(done as u64);
        Ok(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_abc() {
        let want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let (sum, count) = Checksum::of(&mut &b"abc"[..]).unwrap();
        assert_eq!((sum.to_string().as_str(), count), (want, 3));
        assert_eq!(want.parse::<Checksum>().unwrap(), sum);
    }

    #[test]
    fn other_texts_are_not_checksums() {
        let good = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for bad in [
            "",
            "../../etc/passwd",
            &good[..62],
            &good[..63],
            &good.to_uppercase(),
            &format!("{good}00"),
        ] {
            assert!(bad.parse::<Checksum>().is_err(), "{bad}");
        }
    }
}
