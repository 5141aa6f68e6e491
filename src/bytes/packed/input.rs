//! The compressed bytes, as a reader that remembers how reading ended.

use std::io::{self, BufRead, Read};

/// A reader that remembers whether more was requested than exists.
pub(super) struct PackedInput<R> {
    inner: R,
    /// A read reached the end of the input.
    pub(super) at_end: bool,
    /// The first error of the underlying file.
    pub(super) failed: Option<io::Error>,
}

impl<R: BufRead> PackedInput<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, at_end: false, failed: None }
    }

    /// The next bytes, without consuming them; empty at the end.
    pub(super) fn next(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn note_end<T: Copy>(&mut self, done: io::Result<T>, is_end: bool) -> io::Result<T> {
        self.at_end |= is_end;
        done.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.failed.get_or_insert_with(|| io::Error::new(error.kind(), error.to_string()));
            }
        })
    }
}

impl<R: BufRead> Read for PackedInput<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let done = self.inner.read(buf);
        let is_end = !buf.is_empty() && matches!(done, Ok(0));
        self.note_end(done, is_end)
    }
}

impl<R: BufRead> BufRead for PackedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let done = self.inner.fill_buf().map(<[u8]>::len);
        let is_end = matches!(done, Ok(0));
        self.note_end(done, is_end)?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}
