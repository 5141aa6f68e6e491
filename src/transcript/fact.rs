//! Facts of an event that do not fit into parts and links.
//!
//! Which facts are true is a bit each in the event. The few with a value have a pair of 8 bytes besides.

use super::ids::Id;

/// The name of a fact; declared by [`facts!`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact(u8);

impl Fact {
    /// The number of the first fact of containers.
    pub(crate) const OF_CONTAINERS: usize = 24;
    /// The number of the first fact that formats share, but nobody else reads.
    pub(crate) const OF_FORMATS: usize = 26;
    /// The number of the first fact of a single format.
    pub(crate) const OWN: usize = 32;
    /// The number after the last one.
    pub(crate) const END: usize = 64;

    pub(crate) const fn new(number: usize) -> Fact {
        assert!(number < Fact::END, "a bit for each fact");
        Fact(number as u8)
    }
}

/// Declares facts with numbers from the first given one on, before the second one.
macro_rules! facts {
    ($first:expr, $end:expr; $($(#[$doc:meta])* $vis:vis $name:ident,)+) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        enum Number { $($name),+ }

        const _: () = assert!($first + [$(stringify!($name)),+].len() <= $end);

        $(
            $(#[$doc])*
            $vis const $name: $crate::transcript::Fact =
                $crate::transcript::Fact::new($first + Number::$name as usize);
        )+
    };
}

pub(crate) use facts;

/// A set of facts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts(u64);

impl Facts {
    pub(super) fn insert(&mut self, fact: Fact) {
        self.0 |= 1 << fact.0;
    }

    pub(super) fn with(self, others: Facts) -> Facts {
        Facts(self.0 | others.0)
    }

    pub(super) fn contains(self, fact: Fact) -> bool {
        self.0 >> fact.0 & 1 == 1
    }
}

/// The value of a fact.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Present, or true.
    Yes,
    /// A string.
    Text(Id),
    /// A whole number.
    Number(i64),
}

/// The value of a fact of an event, as it is stored.
#[derive(Copy, Clone, Debug)]
enum Stored {
    Text(Fact, Id),
    Number(Fact, u32),
    /// A number that needs more bits: its place among these.
    Large(Fact, u32),
}

/// The values of the facts of all events, in their order.
#[derive(Default, Debug)]
pub(super) struct Values {
    stored: Vec<Stored>,
    large: Vec<i64>,
}

impl Values {
    pub(super) fn len(&self) -> u32 {
        self.stored.len() as u32
    }

    /// Adds a value; whether there is one to keep.
    pub(super) fn push(&mut self, fact: Fact, value: Value) -> bool {
        self.stored.push(match value {
            Value::Yes => return false,
            Value::Text(id) => Stored::Text(fact, id),
            Value::Number(number) => match u32::try_from(number) {
                Ok(number) => Stored::Number(fact, number),
                Err(_) => {
                    self.large.push(number);
                    Stored::Large(fact, self.large.len() as u32 - 1)
                }
            },
        });
        true
    }

    /// The texts of some values.
    pub(super) fn texts(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = Id> + '_ {
        let stored = self.stored.get(range.start as usize..range.end as usize);
        let text = |stored: &Stored| match stored {
            Stored::Text(_, id) => Some(*id),
            _ => None,
        };
        stored.unwrap_or_default().iter().filter_map(text)
    }

    /// Adds some values of other events; `id` gives the ids of their texts.
    pub(super) fn copy(
        &mut self,
        from: &Values,
        range: std::ops::Range<u32>,
        mut id: impl FnMut(Id) -> Id,
    ) {
        let stored = from.stored.get(range.start as usize..range.end as usize);
        for stored in stored.unwrap_or_default() {
            self.stored.push(match *stored {
                Stored::Text(fact, text) => Stored::Text(fact, id(text)),
                Stored::Large(fact, place) => {
                    self.large.extend(from.large.get(place as usize));
                    Stored::Large(fact, self.large.len() as u32 - 1)
                }
                number => number,
            });
        }
    }

    /// The values of a fact within a range.
    pub(super) fn of(
        &self,
        range: std::ops::Range<u32>,
        fact: Fact,
    ) -> impl Iterator<Item = Value> + '_ {
        let stored = self.stored.get(range.start as usize..range.end as usize);
        let of_fact = move |stored: &Stored| match *stored {
            Stored::Text(name, id) => (name == fact).then_some(Value::Text(id)),
            Stored::Number(name, number) => {
                (name == fact).then_some(Value::Number(i64::from(number)))
            }
            Stored::Large(name, place) => {
                let number = self.large.get(place as usize).filter(|_| name == fact);
                number.map(|number| Value::Number(*number))
            }
        };
        stored.unwrap_or_default().iter().filter_map(of_fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    facts! {
        Fact::OWN, Fact::END;
        ONE,
        TWO,
    }

    #[test]
    fn a_value_takes_8_bytes_and_keeps_its_number() {
        assert_eq!(size_of::<Stored>(), 8);
        let mut values = Values::default();
        let numbers = [
            0,
            -1,
            i64::from(u32::MAX),
            i64::from(u32::MAX) + 1,
            i64::MIN,
        ];
        for number in numbers {
            assert!(values.push(ONE, Value::Number(number)));
            assert!(!values.push(TWO, Value::Yes));
        }
        let of = |fact| values.of(0..values.len(), fact).collect::<Vec<_>>();
        assert_eq!(of(ONE), numbers.map(Value::Number));
        assert!(of(TWO).is_empty());
    }

    #[test]
    fn facts_are_told_apart() {
        let mut facts = Facts::default();
        facts.insert(TWO);
        assert!(facts.contains(TWO) && !facts.contains(ONE));
    }
}
