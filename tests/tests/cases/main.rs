//! Situations that broke other tools, as data: each folder of `tests/fixtures/cases` holds one, in
//! the format of the README there; `tests/fixtures/cases-own` holds more in the same format.
//!
//! Every case is one test. `cargo test --test cases -- --nocapture` prints what each run came to, and
//! the aims that are not met.

#![expect(clippy::print_stdout, reason = "for `--nocapture`; tests keep what they print to themselves")]

mod case;
mod checks;
mod directives;
mod run;
mod scripted;
mod view;

use std::collections::BTreeMap;
use std::path::Path;

use crate::case::{Case, Level};
use crate::checks::Scene;

/// A test for each folder, and one that fails if a folder has none.
macro_rules! cases {
    ($module:ident, $parent:literal: $($test:ident = $folder:literal,)*) => {
        mod $module {
            $(#[test] fn $test() { super::run_case($parent, $folder); })*

            #[test]
            fn no_folder_is_left_out() {
                let listed = [$($folder),*];
                assert_eq!(super::folders($parent), listed, "the folders of {}", $parent);
            }
        }
    };
}

cases! { collected, "cases":
    pair_cut_before_result = "01-pair-cut-before-result",
    pair_parallel_results = "02-pair-parallel-results",
    pair_gemini_counts = "03-pair-gemini-counts",
    pair_text_beside_result = "04-pair-text-beside-result",
    pair_unanswered_call = "05-pair-unanswered-call",
    pair_responses_item_types = "06-pair-responses-item-types",
    pair_reused_ids = "07-pair-reused-ids",
    roles_summary_then_user = "08-roles-summary-then-user",
    roles_ends_on_user = "09-roles-ends-on-user",
    system_prompt_kept = "10-system-prompt-kept",
    convert_text_beside_tool_result = "11-convert-text-beside-tool-result",
    thinking_signed_blocks = "12-thinking-signed-blocks",
    reasoning_item_follower = "13-reasoning-item-follower",
    gemini_thought_signature = "14-gemini-thought-signature",
    loop_summary_longer = "31-loop-summary-longer",
    again_kept_messages_lost = "32-again-kept-messages-lost",
    split_turn_keeps_previous_summary = "33-split-turn-keeps-previous-summary",
    split_turn_front_is_summarised = "34-split-turn-front-is-summarised",
    pinned_turns_kept = "36-pinned-turns-kept",
    pinned_prefix_fills_window = "37-pinned-prefix-fills-window",
}

cases! { own, "cases-own":
    summary_before_user_in_each_wire = "o01-summary-before-user-in-each-wire",
    all_is_summarised_in_each_wire = "o02-all-is-summarised-in-each-wire",
    pins_assistant_first = "o03-pins-assistant-first",
    system_message_in_the_middle = "o04-system-message-in-the-middle",
    steering_between_call_and_result = "o05-steering-between-call-and-result",
    results_in_several_user_messages = "o06-results-in-several-user-messages",
    responses_parallel_calls_after_one_reasoning = "o07-responses-parallel-calls-after-one-reasoning",
    summary_holds_its_own_closing_tag = "o08-summary-holds-its-own-closing-tag",
    chain_of_compactions = "o09-chain-of-compactions",
    running_calls_and_their_late_results = "o10-running-calls-and-their-late-results",
    convert_between_all_wires = "o11-convert-between-all-wires",
    cache_markers_not_multiplied = "o12-cache-markers-not-multiplied",
    convert_sealed_reasoning = "o13-convert-sealed-reasoning",
    orphans_and_second_results = "o14-orphans-and-second-results",
    pins_alone_exceed_the_budget = "o15-pins-alone-exceed-the-budget",
}

fn run_case(parent: &str, folder: &str) {
    let case = Case::load(&foldback_tests::fixture(parent).join(folder));
    let mut failures = Vec::new();
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    let mut n_written = 0;
    for (name, input) in &case.inputs {
        for done in run::run(&name.full, input) {
            *tally.entry(done.outcome.name).or_default() += 1;
            n_written += done.written.len();
            for property in case.properties.iter().filter(|property| property.concerns(name)) {
                let scene =
                    Scene { args: &property.args, input, done: &done, variant: name.variant.as_deref() };
                let Err(seen) = checks::check(property, &scene) else { continue };
                let line = format!("{}: {} ({}): {seen}", done.name, property.check, property.says);
                match property.level {
                    Level::Must => failures.push(line),
                    Level::Aim => println!("aim not met: {line}"),
                }
            }
        }
    }
    println!("{folder}: {tally:?}");
    // A sweep of nothing but refusals would prove nothing.
    let looks = case.properties.iter().any(|property| checks::is_on_conversation(&property.check));
    if looks && case.inputs.len() > 1 && n_written == 0 {
        failures.push(format!("{folder}: no run wrote a conversation"));
    }
    assert!(
        failures.is_empty(),
        "{} properties do not hold ({tally:?}):\n  {}",
        failures.len(),
        failures.join("\n  ")
    );
}

/// The case folders in `parent`, in order.
fn folders(parent: &str) -> Vec<String> {
    let entries = std::fs::read_dir(foldback_tests::fixture(parent)).expect("the fixtures are there");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = paths.filter(|path| path.is_dir()).filter_map(|path| name(&path)).collect();
    names.sort();
    names
}
