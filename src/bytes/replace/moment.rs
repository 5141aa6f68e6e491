//! Moments between two steps of a replacement, at which tests let another process write.

/// A moment at which the write of another process could get lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The originals were read for the last time; nothing is replaced yet.
    BeforeSwap,
    /// The prepared bytes have the name that the old ones will get.
    Named,
    /// The new bytes are in place; the old ones were not checked again yet.
    AfterSwap,
    /// Late writes to the old bytes were read, but not yet added to the new ones.
    BeforeCarry,
    /// The old bytes are about to be put back.
    BeforeBack,
    /// The old bytes are back in place; the new ones were not checked yet.
    AfterBack,
}

#[cfg(test)]
type Hook = Box<dyn FnMut(Moment)>;

#[cfg(test)]
thread_local! {
    static HOOK: std::cell::RefCell<Option<Hook>> = const { std::cell::RefCell::new(None) };
}

/// Calls `hook` at each moment of this thread's replacements; `None` removes the hook.
#[cfg(all(test, unix))]
pub(crate) fn at_moments(hook: Option<Hook>) {
    HOOK.with(|own| *own.borrow_mut() = hook);
}

/// Calls the test hook, if there is one.
pub(super) fn reached(moment: Moment) {
    #[cfg(test)]
    HOOK.with(|own| {
        if let Some(hook) = own.borrow_mut().as_mut() {
            hook(moment);
        }
    });
    #[cfg(not(test))]
    let _ = moment;
}
