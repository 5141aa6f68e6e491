//! Gzip: one member after the other.

use std::io::{self, BufRead, Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use super::input::PackedInput;
use super::{BUFFER, LimitedWriter, StreamEnd};

/// Unpacks all members.
pub(super) fn unpack<R: BufRead>(
    input: &mut PackedInput<R>,
    out: &mut LimitedWriter<'_>,
) -> io::Result<StreamEnd> {
    loop {
        let mut member = GzDecoder::new(&mut *input);
        if out.write_all_from(&mut member)?.is_err() {
            return Ok(if input.at_end { StreamEnd::Torn } else { StreamEnd::Damaged });
        }
        // Tape blocks are padded with zeros.
        if !skip_zeros(input)? {
            return Ok(StreamEnd::Whole);
        }
        if !input.next()?.starts_with(&[0x1F]) {
            return Ok(StreamEnd::Damaged);
        }
        input.at_end = false;
    }
}

/// Skips zeros, and returns whether anything follows them.
fn skip_zeros<R: BufRead>(input: &mut PackedInput<R>) -> io::Result<bool> {
    loop {
        let next = input.next()?;
        let zeros = next.iter().take_while(|byte| **byte == 0).count();
        let (some, all) = (!next.is_empty(), zeros == next.len());
        input.consume(zeros);
        if !some || !all {
            return Ok(some);
        }
    }
}

/// Compresses everything into one member.
pub(super) fn pack(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    let mut encoder = GzEncoder::new(to, Compression::default());
    let mut chunk = vec![0; BUFFER];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return encoder.finish().map(|_| ()),
            Ok(got) => encoder.write_all(&chunk[..got])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
