//! The law of the call graph, against a pairing written apart from it: no legal cut parts a call from
//! its result.

use foldback_model::{CallGraph, Message, Part};
use foldback_testkit::{Shape, history};
use proptest::prelude::*;

/// The message that makes the call and the one that holds the result, for each pair: a result answers
/// the first open call of its id in the newest message that has one.
fn pairs(messages: &[Message]) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut pairs = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        for part in message.parts() {
            match part {
                Part::ToolCall(call) => open.push((index, call.id.clone())),
                Part::ToolResult(result) => {
                    let newest = open.iter().filter(|(_, id)| *id == result.call_id).map(|(at, _)| *at).max();
                    let found = newest
                        .and_then(|at| open.iter().position(|call| *call == (at, result.call_id.clone())));
                    pairs.extend(found.map(|found| (open.remove(found).0, index)));
                }
                _ => {}
            }
        }
    }
    pairs
}

fn never_split(messages: &[Message], pending: &[String]) -> Result<(), TestCaseError> {
    let graph = CallGraph::new(messages, pending);
    for cut in (0..=messages.len()).filter(|&cut| graph.may_cut_at(cut)) {
        for &(call, result) in &pairs(messages) {
            prop_assert!(!(call < cut && cut <= result), "a cut at {cut} parts {call} from {result}");
        }
        for (index, message) in messages.iter().enumerate() {
            prop_assert!(!(message.meta.binds_next && index + 1 == cut && cut < messages.len()));
        }
        let starts_with_answer = messages.get(cut).is_some_and(|message| message.results().next().is_some());
        prop_assert!(!starts_with_answer, "a cut at {cut} starts with a result");
    }
    prop_assert!(
        graph.may_cut_at(0)
            || messages.first().is_some_and(|m| m.results().next().is_some())
            || messages.first().is_some_and(|m| m.role == foldback_model::Role::Tool)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    #[test]
    fn no_exchange_of_a_valid_history_is_split(history in history::valid(Shape::default().or_pending())) {
        never_split(&history.messages, &history.pending)?;
    }

    #[test]
    fn no_exchange_of_a_broken_history_is_split(messages in history::broken(Shape::default())) {
        never_split(&messages, &[])?;
    }
}
