//! Reads and writes times as hosts record them.

use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Microseconds since 1970 of an ISO 8601 time; one without a zone is taken as UTC. `None`: not a time.
pub(crate) fn parse(text: &str) -> Option<i64> {
    parse_utf8(text.as_bytes())
}

/// As [`parse`], of bytes that should be valid UTF-8.
pub(crate) fn parse_utf8(text: &[u8]) -> Option<i64> {
    if text.len() > 64 {
        return None;
    }
    parse_common(text).or_else(|| parse_any(std::str::from_utf8(text).ok()?))
}

/// Parses the form that almost all hosts write: `2026-01-21T09:48:05.911Z`, from 1970 on, with up to six digits after
/// the point, or without fraction and zone. This is faster than [`parse_any`].
fn parse_common(text: &[u8]) -> Option<i64> {
    let (whole, rest) = text.split_first_chunk::<19>()?;
    at_clock(date(whole)?, whole, rest)
}

/// Days from 1970-01-01 to the date of a time.
fn date(whole: &[u8; 19]) -> Option<i64> {
    const YEAR: TimeShape = TimeShape::of(b"0000-00-");
    const DATE: TimeShape = TimeShape::of(b"0-00-00T");
    let (year, date) = date_words(whole)?;
    let (year, date) = (YEAR.read(year)?, DATE.read(date)?);
    let year = pair(year, 0) * 100 + pair(year, 2);
    days(year, pair(date, 2), pair(date, 5))
}

/// The first eight bytes of a time, and the last eight of its date and the `T` after it.
#[inline(always)]
fn date_words(whole: &[u8; 19]) -> Option<(&[u8; 8], &[u8; 8])> {
    Some((whole.first_chunk()?, whole.get(3..)?.first_chunk()?))
}

/// The time of a clock on a day.
fn at_clock(days: i64, whole: &[u8; 19], rest: &[u8]) -> Option<i64> {
    const CLOCK: TimeShape = TimeShape::of(b"00:00:00");
    let clock = CLOCK.read(whole.last_chunk()?)?;
    let (hour, minute, second) = (pair(clock, 0), pair(clock, 3), pair(clock, 6));
    let fraction = match rest.strip_suffix(b"Z").unwrap_or(rest) {
        [] => 0,
        // What almost all hosts write.
        [b'.', a, b, c] => number(&[*a, *b, *c])? * 1000,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => {
            number(digits)? * 10_i64.pow(6 - digits.len() as u32)
        }
        _ => return None,
    };
    let is_clock = hour < 24 && minute < 60 && second < 60;
    let minutes = (days * 24 + hour) * 60 + minute;
    is_clock.then_some((minutes * 60 + second) * 1_000_000 + fraction)
}

/// The date that was read last, as its bytes and its days. Most records are of the day of the record before: to compare the
/// bytes takes a tenth of what it takes to read them.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct LastDate(Option<([u8; 8], [u8; 8], i64)>);

impl LastDate {
    /// As [`parse_utf8`].
    pub(crate) fn parse_utf8(&mut self, text: &[u8]) -> Option<i64> {
        self.parse_common(text).or_else(|| parse_utf8(text))
    }

    fn parse_common(&mut self, text: &[u8]) -> Option<i64> {
        let (whole, rest) = text.split_first_chunk::<19>()?;
        let (first, second) = date_words(whole)?;
        let days = match self.0 {
            Some((one, two, days)) if one == *first && two == *second => days,
            _ => {
                let days = date(whole)?;
                self.0 = Some((*first, *second, days));
                days
            }
        };
        at_clock(days, whole, rest)
    }
}

/// How eight bytes of a time are written: zeros for digits, and separators.
struct TimeShape {
    bytes: u64,
    /// What takes a byte out of the row below 16 if it is neither a digit nor the separator, once the shape is taken from it.
    margin: u64,
}

impl TimeShape {
    const fn of(shape: &[u8; 8]) -> TimeShape {
        let (mut margin, mut at) = (0, 0);
        while at < shape.len() {
            margin |= (if shape[at] == b'0' { 6 } else { 15 }) << (8 * at);
            at += 1;
        }
        TimeShape { bytes: u64::from_le_bytes(*shape), margin }
    }

    /// At each place of a text in this shape: ten times the digit there and the one after it, all at once.
    #[inline(always)]
    fn read(&self, text: &[u8; 8]) -> Option<u64> {
        const ABOVE: u64 = 0xF0F0_F0F0_F0F0_F0F0;
        let digits = u64::from_le_bytes(*text) ^ self.bytes;
        let is_other = (digits | digits.wrapping_add(self.margin)) & ABOVE != 0;
        (!is_other).then(|| digits * 10 + (digits >> 8))
    }
}

/// The number of two digits from this place on.
#[inline(always)]
fn pair(digits: u64, at: u32) -> i64 {
    ((digits >> (8 * at)) & 0xFF) as i64
}

/// Days from 1970-01-01 to a date. `None`: no such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    // Days before each month, and of the whole year.
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let at = usize::try_from(month - 1).ok()?;
    let (before, next) = (BEFORE.get(at)?, BEFORE.get(at + 1)?);
    let length = next - before + i64::from(is_leap && month == 2);
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let leap_day = i64::from(is_leap && month > 2);
    let new_year = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let is_date = year >= 1970 && (1..=length).contains(&day);
    is_date.then_some(new_year + before + leap_day + day - 1)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        let value = digit.wrapping_sub(b'0');
        (value < 10).then_some(number * 10 + i64::from(value))
    })
}

/// Parses any time that the standard allows.
fn parse_any(text: &str) -> Option<i64> {
    if text.ends_with('Z') || text.get(11..).is_some_and(|clock| clock.contains(['+', '-'])) {
        return Some(text.parse::<jiff::Timestamp>().ok()?.as_microsecond());
    }
    Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok().map(|time| time.as_microsecond())
}

/// Formats a time without a zone, with six digits after the point.
pub(crate) fn format_naive(micros: i64) -> String {
    let Ok(time) = jiff::Timestamp::from_microsecond(micros) else {
        return String::new();
    };
    format!("{:.6}", Offset::UTC.to_datetime(time))
}

/// Formats a time in UTC, with six digits after the point.
pub(crate) fn format_utc(micros: i64) -> String {
    format_naive(micros) + "Z"
}

/// Formats a time in UTC, with three digits after the point.
pub(crate) fn format_millis(micros: i64) -> String {
    let naive = format_naive(micros);
    format!("{}Z", naive.get(..23).unwrap_or(&naive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_form_is_read_like_any_other() {
        let mut last = LastDate::default();
        for year in [1970, 1971, 1972, 1999, 2000, 2001, 2023, 2024, 2026, 2100, 2400, 9998] {
            for month in 0..=13 {
                for day in [0, 1, 28, 29, 30, 31, 32] {
                    for clock in ["00:00:00", "23:59:59.5Z", "12:34:56.123456"] {
                        let text = format!("{year}-{month:02}-{day:02}T{clock}");
                        assert_eq!(parse_common(text.as_bytes()), parse_any(&text), "{text}");
                        assert_eq!(last.parse_common(text.as_bytes()), parse_any(&text), "{text}");
                    }
                }
            }
        }
        for text in [
            "2026-01-21T09:48:05.1234567Z",
            "1969-12-31T23:59:59Z",
            "2026-01-21T09:48:60Z",
            "2026-01-21T09:48:05.",
            "2026-01-21 09:48:05",
            "2026-01-21T09:48:05+01:00",
            "",
        ] {
            assert_eq!(parse_common(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn times_are_read_and_written_as_recorded() {
        let micros = parse("2026-01-21T09:48:05.911000").unwrap();
        assert_eq!(format_naive(micros), "2026-01-21T09:48:05.911000");
        assert_eq!(parse("2026-01-21T09:48:05.911Z"), Some(micros));
        assert_eq!(parse("2026-01-21T10:48:05.911+01:00"), Some(micros));
        assert_eq!(parse("yesterday"), None);
        for text in ["2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(
            format_naive(parse("2026-01-21T09:48:05").unwrap()),
            "2026-01-21T09:48:05.000000"
        );
    }
}
