//! Files compressed with gzip or Zstandard. They are unpacked when a transcript is opened, and
//! written with the codec that they had. No other module uses the two crates.
//!
//! All offsets of a source refer to the uncompressed stream. It is unpacked once into a private
//! temporary file, because neither codec allows random access.

mod gzip;
mod input;
mod zstd;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use flate2::CrcWriter;

use super::disk::{Handle, RangeReader, Stamp};
use super::room::{self, UnpackPermit};
use input::PackedInput;

/// Most bytes that a compressed file may unpack to: 16 GiB. A small file can expand to petabytes.
pub(crate) const PACKED_LIMIT: u64 = 16 << 30;
/// Buffer size in bytes.
const BUFFER: usize = 128 << 10;
/// Most bytes unpacked to recognize a format: 1 MiB.
pub(super) const SAMPLE: u64 = 1 << 20;

/// How a file is compressed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Codec {
    /// RFC 1952, one member or several.
    Gzip,
    /// RFC 8878, one frame or several.
    Zstd,
}

/// How the compressed stream ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// Complete.
    Whole,
    /// Cut off: the writer was interrupted, or the file was truncated.
    Torn,
    /// The decoder fails in the middle, or a checksum does not match.
    Damaged,
}

impl StreamEnd {
    /// What is wrong, in words; `None` if the stream is complete.
    pub fn problem(self) -> Option<&'static str> {
        match self {
            StreamEnd::Whole => None,
            StreamEnd::Torn => Some("the compressed stream stops in the middle"),
            StreamEnd::Damaged => Some("the compressed stream is damaged"),
        }
    }
}

impl Codec {
    /// The codec of a file, from its first bytes.
    pub fn of_magic(head: &[u8]) -> Option<Codec> {
        match head {
            [0x1F, 0x8B, 8, ..] => Some(Codec::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Codec::Zstd),
            _ => None,
        }
    }

    /// The codec that the extension of a file name stands for, and the name without it.
    pub fn of_name(name: &str) -> Option<(Codec, &str)> {
        const ENDINGS: [(&str, Codec); 4] = [
            (".gz", Codec::Gzip),
            (".gzip", Codec::Gzip),
            (".zst", Codec::Zstd),
            (".zstd", Codec::Zstd),
        ];
        ENDINGS.into_iter().find_map(|(ending, codec)| {
            let stem = name.len().checked_sub(ending.len()).filter(|stem| *stem > 0)?;
            let (stem, last) = name.split_at_checked(stem)?;
            last.eq_ignore_ascii_case(ending).then_some((codec, stem))
        })
    }

    /// Compresses everything that `from` yields. The output has no time and no name, so it depends
    /// on the input alone.
    ///
    /// # Errors
    /// The reader or the writer fails.
    pub fn pack(self, from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
        match self {
            Codec::Gzip => gzip::pack(from, to),
            Codec::Zstd => zstd::pack(from, to),
        }
    }
}

/// The codec for a copy at `out` of a transcript at `source`, which is compressed with `own`. The
/// copy keeps the codec, unless the two names have different extensions: then the extension of
/// `out` decides.
pub(crate) fn codec_of_copy(source: &Path, own: Option<Codec>, out: &Path) -> Option<Codec> {
    let named =
        |path: &Path| Codec::of_name(&path.file_name()?.to_string_lossy()).map(|(codec, _)| codec);
    if named(source) == named(out) && source.as_os_str() != "-" { own } else { named(out) }
}

/// An unpacked file.
pub(super) struct Unpacked {
    /// A temporary file that no other process can open.
    pub(super) file: File,
    /// How the stream ends.
    pub(super) end: StreamEnd,
    /// Permission for the space that a large file takes.
    pub(super) room: Option<UnpackPermit>,
}

/// Unpacks a file into a temporary file. With `alone`, it needs no permission, however large it is.
///
/// # Errors
/// The file cannot be read, nothing of it can be unpacked, it unpacks to more than [`PACKED_LIMIT`]
/// bytes, or the temporary file cannot be written. A stream that is cut off or damaged after its
/// first bytes is unpacked as far as possible.
pub(super) fn unpack(
    codec: Codec,
    file: &File,
    stamp: &Stamp,
    alone: bool,
) -> io::Result<Unpacked> {
    unpack_up_to(codec, file, stamp, alone, PACKED_LIMIT)
}

fn unpack_up_to(
    codec: Codec,
    file: &File,
    stamp: &Stamp,
    alone: bool,
    limit: u64,
) -> io::Result<Unpacked> {
    let mut temp = tempfile::tempfile()?;
    let free = if alone { u64::MAX } else { room::FREE_BYTES };
    let mut out = LimitedWriter { to: &mut temp, left: limit, limit, written: 0, free, room: None };
    let end = decode(codec, file, stamp, &mut out)?;
    if out.written == 0 && end != StreamEnd::Whole {
        return Err(invalid_data("nothing of the compressed stream can be unpacked".to_owned()));
    }
    let room = out.room;
    Ok(Unpacked { file: temp, end, room })
}

/// Unpacks a Zstandard member of an archive up to this many bytes, and returns how many it has.
///
/// # Errors
/// It cannot be read, it is damaged, or its CRC-32 is another one.
pub(super) fn unpack_member(
    from: impl BufRead,
    most: u64,
    checksum: u32,
    to: &mut dyn Write,
) -> io::Result<u64> {
    let mut to = CrcWriter::new(to);
    let mut out = LimitedWriter {
        to: &mut to,
        left: most,
        limit: most,
        written: 0,
        free: u64::MAX,
        room: None,
    };
    let mut input = PackedInput::new(from);
    let end = zstd::unpack(&mut input, &mut out);
    let written = out.written;
    input.failed.map_or(Ok(()), Err)?;
    // One that is longer than it should be has been cut off; the caller compares its size.
    if written == most {
        return Ok(written);
    }
    match end?.problem() {
        None if to.crc().sum() != checksum => Err(invalid_data("invalid checksum".to_owned())),
        None => Ok(written),
        Some(problem) => Err(invalid_data(problem.to_owned())),
    }
}

/// The first [`SAMPLE`] bytes of the unpacked stream, and how it ends. A stream that is longer
/// counts as complete, because its end was not read.
///
/// # Errors
/// The file cannot be read.
pub(super) fn sample(codec: Codec, file: &File, stamp: &Stamp) -> io::Result<(Vec<u8>, StreamEnd)> {
    let mut bytes = Vec::new();
    let mut out = LimitedWriter {
        to: &mut bytes,
        left: SAMPLE,
        limit: SAMPLE,
        written: 0,
        free: SAMPLE,
        room: None,
    };
    let end = match decode(codec, file, stamp, &mut out) {
        Err(_) if out.written == SAMPLE => StreamEnd::Whole,
        end => end?,
    };
    Ok((bytes, end))
}

fn decode(
    codec: Codec,
    file: &File,
    stamp: &Stamp,
    out: &mut LimitedWriter<'_>,
) -> io::Result<StreamEnd> {
    let window = RangeReader::new(Handle::Kept(file), 0, stamp.len);
    let mut input = PackedInput::new(BufReader::with_capacity(BUFFER, window));
    let end = match codec {
        Codec::Gzip => gzip::unpack(&mut input, out),
        Codec::Zstd => zstd::unpack(&mut input, out),
    }?;
    // What the decoder reported as damage may be a read error.
    input.failed.map_or(Ok(end), Err)
}

/// Writer for the unpacked stream that enforces a limit.
struct LimitedWriter<'a> {
    to: &'a mut dyn Write,
    left: u64,
    limit: u64,
    written: u64,
    /// Bytes that need no permission.
    free: u64,
    room: Option<UnpackPermit>,
}

impl LimitedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = bytes.len() as u64;
        let within = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.written = self.written.saturating_add(within as u64);
        if self.written > self.free && self.room.is_none() {
            self.room = Some(UnpackPermit::take());
        }
        self.to.write_all(&bytes[..within])?;
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            invalid_data(format!(
                "the file is larger than {} MiB when it is unpacked",
                self.limit >> 20
            ))
        })?;
        Ok(())
    }

    /// Copies everything that a decoder yields. The inner error is the decoder's.
    fn write_all_from(&mut self, decoder: &mut dyn Read) -> io::Result<Result<(), io::Error>> {
        let mut chunk = vec![0; BUFFER];
        loop {
            match decoder.read(&mut chunk) {
                Ok(0) => return Ok(Ok(())),
                Ok(got) => self.write(&chunk[..got])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Ok(Err(error)),
            }
        }
    }
}

fn invalid_data(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests;
