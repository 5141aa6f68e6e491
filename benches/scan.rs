//! How fast lines become tapes, as a ratio to two baselines in the same run: splitting lines, which
//! every reader must do, and a `serde_json::Value` per line, which most readers do.
//!
//! `cargo bench --bench scan -- [--bytes N] [--runs N] [FILE]`. Times depend on the machine;
//! compare ratios and (under callgrind) instructions.

mod corpus;

use std::hint::black_box;
use std::time::{Duration, Instant};

use transcript_doctor::testing::json::scan::{ScanMode, Scanner};
use transcript_doctor::testing::json::tape::Tape;

/// Bytes per read, as in the product.
const BUFFER: usize = 1 << 20;

/// Counts that keep work from being optimized away, and that must agree.
#[derive(Default, PartialEq, Debug)]
struct Sum {
    lines: usize,
    items: usize,
}

fn split(bytes: &[u8]) -> Sum {
    let mut sum = Sum::default();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        sum.lines += 1;
        sum.items += black_box(end - start);
        start = end + 1;
    }
    sum
}

fn scan(bytes: &[u8]) -> Sum {
    let (mut tape, mut scanner, mut sum) =
        (Tape::default(), Scanner::new(ScanMode::Line), Sum::default());
    scanner.start(&mut tape);
    for buffer in bytes.chunks(BUFFER) {
        let mut rest = buffer;
        while let Some(used) = scanner.feed(rest, &mut tape) {
            sum.lines += 1;
            sum.items += black_box(&tape).tokens.len();
            rest = rest.get(used + 1..).unwrap_or_default();
            scanner.start(&mut tape);
        }
    }
    sum
}

fn values(bytes: &[u8]) -> Sum {
    let mut sum = Sum::default();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        sum.lines += 1;
        sum.items +=
            usize::from(black_box(serde_json::from_slice::<serde_json::Value>(line)).is_ok());
    }
    sum
}

/// The shortest of some runs.
fn time(runs: usize, bytes: &[u8], work: fn(&[u8]) -> Sum) -> (Duration, Sum) {
    let mut best = (Duration::MAX, Sum::default());
    for _ in 0..runs {
        let start = Instant::now();
        let sum = work(black_box(bytes));
        let took = start.elapsed();
        if took < best.0 {
            best = (took, sum);
        }
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut size, mut runs, mut file) = (64 << 20, 7, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bytes" => size = args.next().unwrap_or_default().parse()?,
            "--runs" => runs = args.next().unwrap_or_default().parse()?,
            // Arguments that cargo adds.
            "--bench" => {}
            _ => file = Some(arg),
        }
    }
    let bytes = match file {
        Some(path) => std::fs::read(path)?,
        None => corpus::lines(corpus::dialect("openhands").ok_or("no such dialect")?, 1, size),
    };
    let (tapes, ours) = time(runs, &bytes, scan);
    let (lines, least) = time(runs, &bytes, split);
    let (trees, most) = time(runs.min(3), &bytes, values);
    println!(
        "{} bytes, {} lines, {} tokens, {} read as values",
        bytes.len(),
        least.lines,
        ours.items,
        most.items
    );
    println!(
        "a tape per line takes {:.2} x the time of splitting lines",
        tapes.as_secs_f64() / lines.as_secs_f64()
    );
    println!(
        "a serde_json::Value per line takes {:.2} x the time of a tape",
        trees.as_secs_f64() / tapes.as_secs_f64()
    );
    Ok(())
}
