//! What a program costs: time and peak memory.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What one run of a program cost. Not every bench reads all of it.
#[allow(dead_code)]
#[derive(Copy, Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) elapsed: Duration,
    /// Its processor time to 10 ms, or the elapsed time where the system does not report it.
    pub(crate) time: Duration,
    /// Its peak memory in KiB (Linux only).
    pub(crate) peak: Option<u64>,
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command) -> Result<Cost, Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = None;
    while !has_ended(&mut child)? {
        peak = memory_of(child.id()).or(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    let elapsed = start.elapsed();
    let time = processor_time_of(child.id()).unwrap_or(elapsed);
    child.wait()?;
    Ok(Cost { elapsed, time, peak })
}

/// Whether the process has ended. The system keeps its data until it is waited for.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let pid = Pid::from_child(child);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(pid), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// The peak of a running process in KiB (Linux only).
fn memory_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Processor time of a process that has ended, to 10 ms (Linux only).
fn processor_time_of(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain spaces; user and system time are the 12th and 13th field
    // after it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}
