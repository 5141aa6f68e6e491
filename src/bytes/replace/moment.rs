//! Moments between two steps of a replacement, at which a test lets another process write.

/// A moment at which what another process writes could get lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The originals were read for the last time; nothing was replaced.
    BeforeSwap,
    /// What is prepared has the name that the old bytes are to get.
    Named,
    /// The new bytes are in place; the old ones were not looked at again.
    AfterSwap,
    /// What came to the old bytes was read and is about to be added to the new ones.
    BeforeCarry,
    /// The old bytes are about to be put in place again.
    BeforeBack,
    /// The old bytes are in place again; the new ones were not looked at.
    AfterBack,
}

#[cfg(test)]
type Hook = Box<dyn FnMut(Moment)>;

#[cfg(test)]
thread_local! {
    static HOOK: std::cell::RefCell<Option<Hook>> = const { std::cell::RefCell::new(None) };
}

/// Calls `hook` at each moment of this thread's replacements; `None`: no more.
#[cfg(test)]
pub(crate) fn at_moments(hook: Option<Hook>) {
    HOOK.with(|own| *own.borrow_mut() = hook);
}

/// This moment has come.
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
