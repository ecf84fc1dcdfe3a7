//! The readers hold their laws on generated inputs. `cargo xtask hammer` runs millions of them, `fuzz/`
//! looks for them with the help of coverage.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldback_tests::robust::{Inputs, Target, attempt, reduced};
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// How many inputs a target gets unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 10_000;

/// Every target is worked off by whoever is free.
fn for_every_target(check: impl Fn(Target) + Sync) {
    let targets = Target::all();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(&target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(target);
        }
    };
    std::thread::scope(|scope| {
        let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
        (0..n_workers).for_each(|_| drop(scope.spawn(work)));
    });
}

fn runner() -> TestRunner {
    let stated = std::env::var_os("PROPTEST_CASES").is_some();
    let config = if stated { Config::default() } else { Config::with_cases(CASES) };
    // Numbers of inputs have no order: a smaller one is not simpler. The input itself is reduced.
    let config = Config { max_shrink_iters: 0, failure_persistence: None, ..config };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn every_reader_holds_its_laws() {
    let inputs = Inputs::new();
    for_every_target(|target| {
        let mut n_read = 0u32;
        let mut n_inputs = 0u32;
        let outcome = std::cell::RefCell::new((&mut n_read, &mut n_inputs));
        let run = runner().run(&any::<u64>(), |index| {
            let bytes = inputs.input(target, 0, index);
            let is_read = attempt(target, &bytes).map_err(|broken| {
                let smallest = reduced(&bytes, |bytes| attempt(target, bytes).is_err());
                let shown = smallest.escape_ascii();
                TestCaseError::fail(format!("{} breaks on b\"{shown}\": {broken}", target.as_str()))
            })?;
            let mut counts = outcome.borrow_mut();
            *counts.0 += u32::from(is_read);
            *counts.1 += 1;
            Ok(())
        });
        if let Err(error) = run {
            panic!("{error}");
        }
        // Inputs that are all refused would say nothing about what is read.
        assert!(n_read * 5 >= n_inputs, "{}: {n_read} of {n_inputs} read", target.as_str());
    });
}

#[test]
fn whatever_is_refused_is_refused_quietly() {
    for_every_target(|target| {
        for bytes in
            [b"".as_slice(), b"\0", b"\xFF", "\u{FEFF}".as_bytes(), b" \n ", b"[", b"\"", b"{}", b"[]"]
        {
            target.run(bytes);
        }
    });
}

#[test]
fn every_target_can_be_fuzzed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in Target::all() {
        let name = target.as_str();
        let file =
            std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap_or_default();
        assert!(
            file.contains(&format!("robust::run(\"{name}\", bytes)")),
            "fuzz/fuzz_targets/{name}.rs has to run `{name}`: copy another one and put the name in"
        );
        assert!(
            manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")),
            "fuzz/Cargo.toml needs a [[bin]] for fuzz_targets/{name}.rs"
        );
    }
}
