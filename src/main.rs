//! The command line of transcript-doctor.
fn main() {}
