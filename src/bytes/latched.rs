//! A writer that keeps its first error and takes everything after it: for libraries that stop at an error in the middle of
//! what they write.

use std::io::{self, Seek, SeekFrom, Write};

/// After an error, nothing more is written, and positions are those that there would be without it.
pub(super) struct Latched<W> {
    out: W,
    at: u64,
    end: u64,
    failed: Option<io::Error>,
}

impl<W: Write + Seek> Latched<W> {
    /// A writer at the beginning of something empty.
    pub(super) fn new(out: W) -> Latched<W> {
        Latched { out, at: 0, end: 0, failed: None }
    }

    /// The writer.
    ///
    /// # Errors
    /// The first error, if there was one.
    pub(super) fn into_inner(self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.out),
        }
    }

    fn advance(&mut self, length: usize) {
        self.at = self.at.saturating_add(length as u64);
        self.end = self.end.max(self.at);
    }
}

impl<W: Write + Seek> Write for Latched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut length = bytes.len();
        if self.failed.is_none() {
            match self.out.write(bytes) {
                Ok(written) => length = written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => self.failed = Some(error),
            }
        }
        self.advance(length);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        Ok(())
    }
}

impl<W: Write + Seek> Seek for Latched<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        if self.failed.is_none() {
            self.failed = self.out.seek(SeekFrom::Start(self.at)).err();
        }
        Ok(self.at)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A disk with room for this many bytes.
    pub(in crate::bytes) struct Disk(pub io::Cursor<Vec<u8>>, pub usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.1.saturating_sub(self.0.get_ref().len());
            if room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.write(&bytes[..bytes.len().min(room)])
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn the_first_error_is_kept_and_positions_go_on() {
        let mut out = Latched::new(Disk(io::Cursor::default(), 4));
        out.write_all(b"abcdef").unwrap();
        assert_eq!(out.stream_position().unwrap(), 6);
        assert_eq!(out.seek(SeekFrom::Start(1)).unwrap(), 1);
        out.write_all(b"B").unwrap();
        assert_eq!(out.seek(SeekFrom::End(0)).unwrap(), 6);
        out.flush().unwrap();
        let failed = out.into_inner().err().map(|error| error.kind());
        assert_eq!(failed, Some(io::ErrorKind::StorageFull));
    }

    #[test]
    fn without_an_error_it_writes_what_it_is_given() {
        let mut out = Latched::new(io::Cursor::new(Vec::new()));
        out.write_all(b"abcd").unwrap();
        out.seek(SeekFrom::Current(-3)).unwrap();
        out.write_all(b"B").unwrap();
        assert_eq!(out.into_inner().unwrap().into_inner(), b"aBcd");
    }
}
