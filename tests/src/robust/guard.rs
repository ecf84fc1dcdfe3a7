//! Runs a target and turns a panic into a message.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::Target;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `bytes` through `target`: whether they were read.
///
/// # Errors
///
/// The place and the message of the panic, if a law is broken. Nothing is printed.
pub fn attempt(target: Target, bytes: &[u8]) -> Result<bool, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if GUARDED.get() {
                MESSAGE.set(info.to_string());
            } else {
                usual(info);
            }
        }));
    });
    GUARDED.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| target.run(bytes)));
    GUARDED.set(false);
    outcome.map_err(|_| MESSAGE.take())
}
