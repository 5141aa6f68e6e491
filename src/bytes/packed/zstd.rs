//! Zstandard: one frame after the other, with skippable frames between them.

use std::io::{self, BufRead, Read, Write};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress};

use super::input::PackedInput;
use super::{LimitedWriter, StreamEnd};

/// Largest window held in memory: that of `zstd --long`.
const WINDOW: u64 = 128 << 20;
/// An empty last block, and space for the checksum after it.
const CLOSE: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Unpacks all frames.
pub(super) fn unpack<R: BufRead>(
    input: &mut PackedInput<R>,
    out: &mut LimitedWriter<'_>,
) -> io::Result<StreamEnd> {
    while !input.next()?.is_empty() {
        let mut frame = match FrameReader::open(input)? {
            FrameStart::Frame(frame) => frame,
            FrameStart::Skipped => continue,
            FrameStart::End(end) => return Ok(end),
        };
        let Ok(mut decoder) = StreamingDecoder::new_with_max_window_size(&mut frame, WINDOW) else {
            return Ok(if frame.is_torn { StreamEnd::Torn } else { StreamEnd::Damaged });
        };
        let read = out.write_all_from(&mut decoder)?;
        let (recorded, actual) =
            (decoder.decoder.get_checksum_from_data(), decoder.decoder.get_calculated_checksum());
        let differs = recorded.is_some() && recorded != actual;
        if frame.is_torn {
            return Ok(StreamEnd::Torn);
        }
        if read.is_err() || differs {
            return Ok(StreamEnd::Damaged);
        }
    }
    Ok(StreamEnd::Whole)
}

/// Yields the bytes of one frame, block by block. If the frame is cut off, it closes the frame
/// after the last complete block; otherwise the decoder would hold back bytes that later blocks may
/// refer to.
struct FrameReader<'a, R> {
    input: &'a mut PackedInput<R>,
    /// The bytes handed out next.
    ready: Vec<u8>,
    at: usize,
    /// A checksum follows the last block.
    has_checksum: bool,
    /// Nothing follows the bytes in `ready`.
    is_last: bool,
    is_torn: bool,
}

/// What a frame header says.
enum FrameStart<'a, R> {
    Frame(FrameReader<'a, R>),
    Skipped,
    End(StreamEnd),
}

impl<'a, R: BufRead> FrameReader<'a, R> {
    fn open(input: &'a mut PackedInput<R>) -> io::Result<FrameStart<'a, R>> {
        let head = read_up_to(input, 5)?;
        let torn = Ok(FrameStart::End(StreamEnd::Torn));
        match head[..] {
            // A skippable frame: a length of four bytes, the first of which was read above.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, first] => {
                let rest = read_up_to(input, 3)?;
                let [b, c, d] = rest[..] else { return torn };
                let length = u64::from(u32::from_le_bytes([first, b, c, d]));
                let gone = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
                if gone == length { Ok(FrameStart::Skipped) } else { torn }
            }
            [0x28, 0xB5, 0x2F, 0xFD, descriptor] => {
                let single = descriptor & 0x20 != 0;
                let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
                let size = match descriptor >> 6 {
                    0 => usize::from(single),
                    1 => 2,
                    2 => 4,
                    _ => 8,
                };
                let more = usize::from(!single) + dictionary + size;
                let rest = read_up_to(input, more)?;
                if rest.len() < more {
                    return torn;
                }
                let ready = [head, rest].concat();
                let has_checksum = descriptor & 4 != 0;
                Ok(FrameStart::Frame(FrameReader {
                    input,
                    ready,
                    at: 0,
                    has_checksum,
                    is_last: false,
                    is_torn: false,
                }))
            }
            [] | [_] | [_, _] | [_, _, _] | [_, _, _, _] => torn,
            _ => Ok(FrameStart::End(StreamEnd::Damaged)),
        }
    }

    /// Reads the next block into `ready`.
    fn read_block(&mut self) -> io::Result<()> {
        let mut block = read_up_to(self.input, 3)?;
        let whole = match block[..] {
            [a, b, c] => {
                let header = u32::from_le_bytes([a, b, c, 0]);
                self.is_last = header & 1 != 0;
                let content = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
                let sum = if self.is_last && self.has_checksum { 4 } else { 0 };
                let more = content.saturating_add(sum) as usize;
                block.extend(read_up_to(self.input, more)?);
                block.len() == more.saturating_add(3)
            }
            _ => false,
        };
        if !whole {
            (self.is_torn, self.is_last) = (true, true);
            block = CLOSE.to_vec();
        }
        (self.ready, self.at) = (block, 0);
        Ok(())
    }
}

impl<R: BufRead> Read for FrameReader<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() && !self.is_last {
            self.read_block()?;
        }
        let got = (&self.ready[self.at..]).read(buf)?;
        self.at += got;
        Ok(got)
    }
}

/// The next `count` bytes, or fewer at the end.
fn read_up_to<R: BufRead>(input: &mut PackedInput<R>, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Compresses everything into one frame.
pub(super) fn pack(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    // The crate panics if a reader or writer fails, so it gets ones that never fail and remember
    // the error.
    let (mut source, mut drain) =
        (InfallibleReader { from, failed: None }, InfallibleWriter { to, failed: None });
    compress(&mut source, &mut drain, CompressionLevel::Fastest);
    source.failed.or(drain.failed).map_or(Ok(()), Err)
}

struct InfallibleReader<'a> {
    from: &'a mut dyn Read,
    failed: Option<io::Error>,
}

impl Read for InfallibleReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_some() {
            return Ok(0);
        }
        loop {
            match self.from.read(buf) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    return Ok(0);
                }
                done => return done,
            }
        }
    }
}

struct InfallibleWriter<'a> {
    to: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Write for InfallibleWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed.is_none() {
            self.failed = self.to.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
