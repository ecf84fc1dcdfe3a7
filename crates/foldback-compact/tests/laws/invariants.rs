//! The engine invariants of the design (section 7), over histories that nobody wrote.

use foldback_compact::{CompactError, Compacted, Compactor, Config, Request};
use foldback_model::{CallGraph, Context, Message, Part, Role, Summary, TokenCount};
use foldback_plan::Keep;
use foldback_testkit::{Shape, history};
use proptest::prelude::*;

use crate::fixtures::{ByLength, carry_out};

#[derive(Clone, Debug)]
struct Case {
    context: Context,
    pinned: Vec<usize>,
    pending: Vec<String>,
    keep: u64,
}

impl Case {
    fn compact(&self, mut summarize: impl FnMut(usize) -> String) -> Option<Compacted> {
        let compactor = Compactor::new(Config::new(Keep::tokens(TokenCount::new(self.keep))));
        let compactor = compactor.expect("the configuration is in order");
        let request = Request::new(&self.context, &ByLength)
            .pinned(&self.pinned)
            .pending(&self.pending)
            .require_reduction();
        // Nothing to gain, and a history whose ids repeat within a message, are no cases; any other
        // error would be a fault that no law may hide.
        let planned = compactor.plan(&request).and_then(|plan| {
            let plan = plan.expect("a plan that is demanded is there or an error");
            carry_out(&compactor, &request, plan, |wanted| summarize(wanted.messages.len()))
        });
        match planned {
            Ok(compacted) => Some(compacted),
            Err(CompactError::EmptySummary) => None,
            Err(error) if error.is_no_reduction() => None,
            Err(CompactError::InvalidRequest(text)) if text.contains("ids must differ") => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Message `index` as it should be afterwards: as it came, apart from what the record says.
    fn kept(&self, index: usize, compacted: &Compacted) -> Message {
        let record = compacted.record.as_ref().expect("a compaction has a record");
        let mut message = self.context.messages[index].clone();
        if record.dead_reasoning.contains(&index) {
            message.retain_parts(|part| !matches!(part, Part::Thinking(_)));
        }
        message
    }
}

/// The messages without what a compaction notes about them.
fn without_notes(compacted: &Compacted) -> Vec<Message> {
    let mut messages = compacted.context.messages.clone();
    messages.iter_mut().for_each(|message| message.meta.signed_under = None);
    messages
}

fn any_case() -> impl Strategy<Value = Case> {
    let valid = history::valid(Shape::default().or_pending()).prop_map(|h| (h.messages, h.pending));
    let broken = history::broken(Shape::default()).prop_map(|messages| (messages, Vec::new()));
    (prop_oneof![3 => valid, 1 => broken], 0_u64..400, any::<bool>()).prop_flat_map(
        |((messages, pending), keep, with_summary)| {
            let n = messages.len().max(1);
            prop::collection::vec(0..n, 0..3).prop_map(move |mut pinned| {
                pinned.retain(|&index| index < messages.len());
                let mut context = Context::new(messages.clone());
                context.summary = with_summary.then(|| Summary::new("what was before"));
                Case { context, pinned, pending: pending.clone(), keep }
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn invariant_2_pinned_messages_survive_in_order(case in any_case()) {
        let Some(compacted) = case.compact(|_| "s".to_owned()) else { return Ok(()) };
        let record = compacted.record.as_ref().expect("a record");
        if !record.dropped.is_empty() {
            return Ok(());
        }
        let mut pinned = case.pinned.clone();
        pinned.sort_unstable();
        pinned.dedup();
        let messages = without_notes(&compacted);
        let mut rest = messages.iter();
        for index in pinned {
            // Standing instructions go to the front, so only their presence is asked.
            let wanted = case.kept(index, &compacted);
            if wanted.role.is_instruction() {
                prop_assert!(messages.contains(&wanted));
            } else if !wanted.parts().is_empty() || case.context.messages[index].parts().is_empty() {
                prop_assert!(rest.any(|message| *message == wanted), "message {index} is gone or out of order");
            }
        }
    }

    #[test]
    fn invariant_3_the_kept_messages_are_the_tail_of_the_input(case in any_case()) {
        let Some(compacted) = case.compact(|_| "s".to_owned()) else { return Ok(()) };
        let record = compacted.record.as_ref().expect("a record");
        if !record.dropped.is_empty() {
            return Ok(());
        }
        let is_gone = |index: usize, message: &Message| {
            message.parts().is_empty() && !case.context.messages[index].parts().is_empty()
        };
        let kept: Vec<Message> = (record.plan.first_kept..case.context.messages.len())
            .map(|index| (index, case.kept(index, &compacted)))
            .filter(|(index, message)| !is_gone(*index, message))
            .map(|(_, message)| message)
            .collect();
        prop_assert!(without_notes(&compacted).ends_with(&kept));
    }

    #[test]
    fn no_signature_stands_behind_another_prefix(case in any_case()) {
        let Some(compacted) = case.compact(|_| "s".to_owned()) else { return Ok(()) };
        let record = compacted.record.as_ref().expect("a record");
        let mut before = case.context.clone();
        before.note_signed_prefixes();
        let messages = &compacted.context.messages;
        let newest = messages.iter().rposition(|message| message.role == Role::Assistant);
        // A summary always changes what stands in front, so nothing signed is left but the newest reply
        // and what stood in front of everything condensed.
        let alive = before.messages[..record.plan.summarize.start].iter().filter(|m| m.is_signed()).count();
        let signed = messages.iter().enumerate().filter(|(index, m)| m.is_signed() && newest != Some(*index));
        prop_assert!(signed.count() <= alive);
        prop_assert!(record.dead_reasoning.iter().all(|&index| case.context.messages[index].is_signed()));
    }

    #[test]
    fn invariant_4_a_summarizer_always_has_something_to_read(case in any_case()) {
        let mut calls = 0;
        case.compact(|n_messages| {
            calls += 1;
            assert!(n_messages > 0);
            "s".to_owned()
        });
        prop_assert!(calls <= 2);
    }

    #[test]
    fn invariant_1_and_9_the_result_has_no_breakage(case in any_case()) {
        let Some(compacted) = case.compact(|_| "s".to_owned()) else { return Ok(()) };
        let graph = CallGraph::new(&compacted.context.messages, &case.pending);
        prop_assert!(graph.orphans().is_empty(), "{:?}", graph.orphans());
        prop_assert!(graph.dangling().is_empty(), "{:?}", graph.dangling());
    }

    #[test]
    fn invariant_7_a_failed_compaction_returns_nothing(case in any_case()) {
        let before = case.context.clone();
        prop_assert!(case.compact(|_| String::new()).is_none());
        prop_assert_eq!(before, case.context);
    }

    #[test]
    fn a_required_reduction_reduces(case in any_case(), length in 0_usize..4_000) {
        let Some(compacted) = case.compact(|_| "y".repeat(length)) else { return Ok(()) };
        let record = compacted.record.expect("a record");
        prop_assert!(record.tokens_after < record.tokens_before);
    }
}
