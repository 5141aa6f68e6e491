//! Facts of an event that do not fit into parts and links.
//!
//! Each fact is a bit in the event. The few facts with a value also take 8 bytes each.

use super::ids::Id;

/// A fact, declared by [`facts!`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact(u8);

impl Fact {
    /// The first number for facts of containers.
    pub(crate) const OF_CONTAINERS: usize = 24;
    /// The first number for facts that formats share, but that only formats read.
    pub(crate) const OF_FORMATS: usize = 26;
    /// The first number for facts of a single format.
    pub(crate) const OWN: usize = 32;
    /// The number of the first fact of a host that keeps the messages of an API which is a format of its own.
    pub(crate) const OF_HOST: usize = 48;
    /// One more than the highest number.
    pub(crate) const END: usize = 64;

    pub(crate) const fn new(number: usize) -> Fact {
        assert!(number < Fact::END, "each fact needs a bit");
        Fact(number as u8)
    }
}

/// Declares facts, numbered from `$first` up to, but not including, `$end`.
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

/// Declares the facts that only one format reads, in a module `own`. Numbers begin after those that formats share, or as said.
macro_rules! own_facts {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        $crate::transcript::fact::own_facts! {
            Fact::OWN, Fact::END;
            $($(#[$doc])* $name,)+
        }
    };
    ($first:path, $end:path; $($(#[$doc:meta])* $name:ident,)+) => {
        mod own {
            use $crate::transcript::Fact;

            $crate::transcript::fact::facts! {
                $first, $end;
                $($(#[$doc])* pub(super) $name,)+
            }
        }
    };
}

pub(crate) use {facts, own_facts};

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
pub enum FactValue {
    /// Present, or true.
    Yes,
    /// A string.
    Text(Id),
    /// A whole number.
    Number(i64),
}

impl FactValue {
    /// The value, if it is a string.
    pub(crate) fn id(self) -> Option<Id> {
        match self {
            FactValue::Text(id) => Some(id),
            _ => None,
        }
    }
}

/// A fact with its value, as stored.
#[derive(Copy, Clone, Debug)]
enum StoredFact {
    Text(Fact, Id),
    Number(Fact, u32),
    /// A number with more than 32 bits: its index in [`Values::large`].
    Large(Fact, u32),
}

/// The values of the facts of all events, in order.
#[derive(Default, Debug)]
pub(super) struct Values {
    stored: Vec<StoredFact>,
    large: Vec<i64>,
}

impl Values {
    pub(super) fn len(&self) -> u32 {
        self.stored.len() as u32
    }

    pub(super) fn reserve(&mut self, more: usize) {
        self.stored.reserve(more);
    }

    /// Stores a value, unless the bit of the fact is enough.
    pub(super) fn push(&mut self, fact: Fact, value: FactValue) {
        let stored = match value {
            FactValue::Yes => return,
            FactValue::Text(id) => StoredFact::Text(fact, id),
            FactValue::Number(number) => match u32::try_from(number) {
                Ok(number) => StoredFact::Number(fact, number),
                Err(_) => StoredFact::Large(fact, self.add_large(number)),
            },
        };
        self.stored.push(stored);
    }

    /// The index of a large number. Many events in a row have the same one, such as the version of their host.
    fn add_large(&mut self, number: i64) -> u32 {
        if self.large.last() != Some(&number) {
            self.large.push(number);
        }
        self.large.len() as u32 - 1
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.stored.shrink_to_fit();
        self.large.shrink_to_fit();
    }

    /// The texts of some values.
    pub(super) fn texts(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = Id> + '_ {
        let stored = self.stored.get(range.start as usize..range.end as usize);
        stored.unwrap_or_default().iter().filter_map(|stored| match stored {
            StoredFact::Text(_, id) => Some(*id),
            _ => None,
        })
    }

    /// Copies the values in a range of `from`; `id` translates the IDs of their texts.
    pub(super) fn copy(
        &mut self,
        from: &Values,
        range: std::ops::Range<u32>,
        mut id: impl FnMut(Id) -> Id,
    ) {
        let stored = from.stored.get(range.start as usize..range.end as usize);
        for stored in stored.unwrap_or_default() {
            let copied = match *stored {
                StoredFact::Text(fact, text) => StoredFact::Text(fact, id(text)),
                StoredFact::Large(fact, index) => {
                    let number = from.large.get(index as usize).copied();
                    StoredFact::Large(fact, self.add_large(number.unwrap_or_default()))
                }
                number => number,
            };
            self.stored.push(copied);
        }
    }

    /// The values of a fact within a range.
    pub(super) fn of(
        &self,
        range: std::ops::Range<u32>,
        fact: Fact,
    ) -> impl Iterator<Item = FactValue> + '_ {
        let stored = self.stored.get(range.start as usize..range.end as usize);
        stored.unwrap_or_default().iter().filter_map(move |stored| match *stored {
            StoredFact::Text(name, id) => (name == fact).then_some(FactValue::Text(id)),
            StoredFact::Number(name, number) => {
                (name == fact).then_some(FactValue::Number(i64::from(number)))
            }
            StoredFact::Large(name, place) => {
                let number = self.large.get(place as usize).filter(|_| name == fact);
                number.map(|number| FactValue::Number(*number))
            }
        })
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
        assert_eq!(size_of::<StoredFact>(), 8);
        let mut values = Values::default();
        let numbers = [0, -1, i64::from(u32::MAX), i64::from(u32::MAX) + 1, i64::MIN];
        for number in numbers {
            values.push(ONE, FactValue::Number(number));
            values.push(TWO, FactValue::Yes);
        }
        let of = |fact| values.of(0..values.len(), fact).collect::<Vec<_>>();
        assert_eq!(of(ONE), numbers.map(FactValue::Number));
        assert!(of(TWO).is_empty());
    }

    #[test]
    fn facts_are_distinct() {
        let mut facts = Facts::default();
        facts.insert(TWO);
        assert!(facts.contains(TWO) && !facts.contains(ONE));
    }
}
