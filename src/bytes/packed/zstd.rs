//! Zstandard: one frame after the other, with skippable frames between them.

use std::io::{self, BufRead, Read, Write};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress};

use super::input::Input;
use super::{End, Out};

/// Largest window held in memory: that of `zstd --long`.
const WINDOW: u64 = 128 << 20;
/// An empty last block, and space for the checksum after it.
const CLOSE: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Unpacks all frames.
pub(super) fn unpack<R: BufRead>(input: &mut Input<R>, out: &mut Out<'_>) -> io::Result<End> {
    while !input.next()?.is_empty() {
        let mut frame = match Frame::open(input)? {
            Opened::Frame(frame) => frame,
            Opened::Skipped => continue,
            Opened::End(end) => return Ok(end),
        };
        let Ok(mut decoder) = StreamingDecoder::new_with_max_window_size(&mut frame, WINDOW) else {
            return Ok(if frame.torn { End::Torn } else { End::Damaged });
        };
        let read = out.drain(&mut decoder)?;
        let (said, is) = (
            decoder.decoder.get_checksum_from_data(),
            decoder.decoder.get_calculated_checksum(),
        );
        let differs = said.is_some() && said != is;
        if frame.torn {
            return Ok(End::Torn);
        }
        if read.is_err() || differs {
            return Ok(End::Damaged);
        }
    }
    Ok(End::Whole)
}

/// Yields the bytes of one frame, block by block. If the frame is cut off, it closes the frame
/// after the last complete block; otherwise the decoder would hold back bytes that later blocks may
/// refer to.
struct Frame<'a, R> {
    input: &'a mut Input<R>,
    /// The bytes handed out next.
    ready: Vec<u8>,
    at: usize,
    /// A checksum follows the last block.
    summed: bool,
    /// Nothing follows the bytes in `ready`.
    last: bool,
    torn: bool,
}

/// What a frame header says.
enum Opened<'a, R> {
    Frame(Frame<'a, R>),
    Skipped,
    End(End),
}

impl<'a, R: BufRead> Frame<'a, R> {
    fn open(input: &'a mut Input<R>) -> io::Result<Opened<'a, R>> {
        let head = take(input, 5)?;
        let torn = Ok(Opened::End(End::Torn));
        match head[..] {
            // A skippable frame: a length of four bytes, the first of which was read above.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, first] => {
                let rest = take(input, 3)?;
                let [b, c, d] = rest[..] else { return torn };
                let length = u64::from(u32::from_le_bytes([first, b, c, d]));
                let gone = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
                if gone == length {
                    Ok(Opened::Skipped)
                } else {
                    torn
                }
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
                let rest = take(input, more)?;
                if rest.len() < more {
                    return torn;
                }
                let ready = [head, rest].concat();
                let summed = descriptor & 4 != 0;
                Ok(Opened::Frame(Frame {
                    input,
                    ready,
                    at: 0,
                    summed,
                    last: false,
                    torn: false,
                }))
            }
            [] | [_] | [_, _] | [_, _, _] | [_, _, _, _] => torn,
            _ => Ok(Opened::End(End::Damaged)),
        }
    }

    /// Reads the next block into `ready`.
    fn block(&mut self) -> io::Result<()> {
        let mut block = take(self.input, 3)?;
        let whole = match block[..] {
            [a, b, c] => {
                let header = u32::from_le_bytes([a, b, c, 0]);
                self.last = header & 1 != 0;
                let content = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
                let sum = if self.last && self.summed { 4 } else { 0 };
                let more = content.saturating_add(sum) as usize;
                block.extend(take(self.input, more)?);
                block.len() == more.saturating_add(3)
            }
            _ => false,
        };
        if !whole {
            (self.torn, self.last) = (true, true);
            block = CLOSE.to_vec();
        }
        (self.ready, self.at) = (block, 0);
        Ok(())
    }
}

impl<R: BufRead> Read for Frame<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() && !self.last {
            self.block()?;
        }
        let got = (&self.ready[self.at..]).read(buf)?;
        self.at += got;
        Ok(got)
    }
}

/// The next `count` bytes, or fewer at the end.
fn take<R: BufRead>(input: &mut Input<R>, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Compresses everything into one frame.
pub(super) fn pack(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    // The crate panics if a reader or writer fails, so it gets ones that never fail and remember
    // the error.
    let (mut source, mut drain) = (Quiet { from, failed: None }, Late { to, failed: None });
    compress(&mut source, &mut drain, CompressionLevel::Fastest);
    source.failed.or(drain.failed).map_or(Ok(()), Err)
}

struct Quiet<'a> {
    from: &'a mut dyn Read,
    failed: Option<io::Error>,
}

impl Read for Quiet<'_> {
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

struct Late<'a> {
    to: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Write for Late<'_> {
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
