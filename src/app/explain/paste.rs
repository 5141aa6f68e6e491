//! The error text of `--error`.

use std::io::{self, Read};

use crate::app::{Error, Result};
use crate::explain::error::Paste;

/// Bytes of a text that are read: an error is shorter, and a log pasted by mistake must not fill the memory.
const MOST: u64 = 1 << 20;

/// Reads the text that was typed, or standard input for `-`. `input_taken`: a transcript comes from there already.
///
/// # Errors
/// It cannot be read, or nothing is in it.
pub(crate) fn read(typed: &str, input_taken: bool) -> Result<Paste> {
    let text = if typed == "-" {
        if input_taken {
            return Err(Error::usage(
                "standard input cannot be both the transcript and the error text",
            ));
        }
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .take(MOST)
            .read_to_end(&mut bytes)
            .map_err(Error::at("the error cannot be read"))?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        typed.to_owned()
    };
    if text.trim().is_empty() {
        return Err(Error::usage("the error text is empty"));
    }
    Ok(Paste::read(&text))
}
