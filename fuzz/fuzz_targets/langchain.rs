#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| foldback_tests::robust::run("langchain", bytes));
