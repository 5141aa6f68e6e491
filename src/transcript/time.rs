//! Times as recorded.

use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Microseconds since 1970 of an ISO 8601 time; one without a zone is taken as it stands. `None`: no such time.
pub(crate) fn parse(text: &str) -> Option<i64> {
    if text.len() > 64 {
        return None;
    }
    if text.ends_with('Z')
        || text
            .get(11..)
            .is_some_and(|clock| clock.contains(['+', '-']))
    {
        return Some(text.parse::<jiff::Timestamp>().ok()?.as_microsecond());
    }
    Offset::UTC
        .to_timestamp(text.parse::<DateTime>().ok()?)
        .ok()
        .map(|time| time.as_microsecond())
}

/// A time as hosts write it: no zone, six digits.
pub(crate) fn naive(micros: i64) -> String {
    let Ok(time) = jiff::Timestamp::from_microsecond(micros) else {
        return String::new();
    };
    format!("{:.6}", Offset::UTC.to_datetime(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written_as_recorded() {
        let micros = parse("2026-01-21T09:48:05.911000").unwrap();
        assert_eq!(naive(micros), "2026-01-21T09:48:05.911000");
        assert_eq!(parse("2026-01-21T09:48:05.911Z"), Some(micros));
        assert_eq!(parse("2026-01-21T10:48:05.911+01:00"), Some(micros));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(
            naive(parse("2026-01-21T09:48:05").unwrap()),
            "2026-01-21T09:48:05.000000"
        );
    }
}
