//! Rules and vectors of reference 000 that concern the compactor; each test carries its number.

use std::future::Future;
use std::task::{Context as TaskContext, Poll, Waker};

use foldback_compact::{CompactError, Compactor, Config, Relief, Request};
use foldback_model::{Kind, Message, Part, Role, Summary, TokenCount, ToolCall};
use foldback_plan::{BudgetConfig, Keep};
use foldback_summarize::{NoteSummarizer, SummaryKind};

use crate::fixtures::{ByLength, carry_out, compact, context, keeping};

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}

#[test]
fn g1_one_summary_stands_for_the_older_messages() {
    let context = context("u100 a100 u100 a100");
    let compacted = compact(150, &context, |_| "short".to_owned()).expect("half can go");
    assert_eq!(compacted.context.messages, context.messages[2..]);
    assert_eq!(compacted.context.summary.expect("a summary").text, "short");
}

#[test]
fn g9_maintenance_is_due_strictly_above_the_threshold() {
    let context = context("u100 a100 u100 a100");
    let compactor = keeping(150);
    let with = |window| {
        let budget = BudgetConfig::new(TokenCount::new(window)).build().expect("a budget");
        compactor.plan(&Request::new(&context, &ByLength).budget(budget)).expect("no error")
    };
    assert!(with(400).is_none());
    assert!(with(399).is_some());
}

#[test]
fn g21_a_no_op_returns_the_same_conversation_and_no_record() {
    let context = context("u100 a100");
    let compacted = now(keeping(0).compact(&Request::new(&context, &ByLength), &NoteSummarizer::new("x")))
        .expect("a no-op");
    assert_eq!((compacted.context, compacted.record), (context, None));
}

#[test]
fn g22_planning_demands_a_removable_prefix_only_when_asked() {
    let context = context("u100 a100");
    let request = Request::new(&context, &ByLength);
    assert!(keeping(1_000).plan(&request).expect("no error").is_none());
    assert!(matches!(keeping(1_000).plan(&request.require_reduction()), Err(CompactError::NoReduction(_))));
}

#[test]
fn g23_the_first_kept_index_may_be_the_number_of_messages() {
    let context = context("u100 a100");
    let plan = keeping(0).plan(&Request::new(&context, &ByLength).require_reduction());
    assert_eq!(plan.expect("no error").expect("a plan").first_kept, 2);
}

#[test]
fn g24_a_plan_that_does_not_fit_is_refused() {
    let whole = context("u100 a100>1 t100<1 u100 a100");
    let compactor = keeping(150);
    let request = Request::new(&whole, &ByLength).require_reduction();
    let good = compactor.plan(&request).expect("no error").expect("a plan");
    let refused = |change: fn(&mut foldback_plan::Plan)| {
        let mut plan = good.clone();
        change(&mut plan);
        matches!(compactor.start(&request, plan), Err(CompactError::InvalidRequest(_)))
    };
    assert!(refused(|plan| plan.first_kept = 99));
    assert!(refused(|plan| plan.summarize = 1..3));
    assert!(refused(|plan| plan.summarize = 0..2));
    assert!(refused(|plan| plan.turn_prefix = Some(0..1)));
    assert!(refused(|plan| plan.stays = vec![1]));
    assert!(refused(|plan| plan.stays = vec![2, 0]));
    assert!(refused(|plan| {
        plan.first_kept = 2;
        plan.summarize = 0..2;
    }));
    let short = context("u1");
    assert!(compactor.start(&Request::new(&short, &ByLength), good.clone()).is_err());
    assert!(compactor.start(&request, good).is_ok());
}

#[test]
fn g24_a_pinned_message_is_not_condensed_by_any_plan() {
    let whole = context("u100 a100 u100 a100");
    let compactor = keeping(150);
    let plan = compactor.plan(&Request::new(&whole, &ByLength).require_reduction());
    let plan = plan.expect("no error").expect("a plan");
    assert!(compactor.start(&Request::new(&whole, &ByLength).pinned(&[1]), plan).is_err());
}

#[test]
fn an_instruction_inside_an_exchange_stays_and_the_exchange_goes() {
    let context = context("u100 a100>1 s10 t100<1 a100 u100 a100");
    let compacted = compact(150, &context, |_| "short".to_owned()).expect("half can go");
    assert_eq!(compacted.context.messages[0], context.messages[2]);
    assert_eq!(compacted.context.messages[1..], context.messages[5..]);
}

#[test]
fn a_prefix_pin_goes_in_front_of_the_summary() {
    let context = context("u100 a100 u50^ a100 u100! a100 u100 a100");
    let compacted = compact(150, &context, |_| "short".to_owned()).expect("a part can go").context;
    let kept: Vec<u64> = compacted.messages.iter().map(|m| m.text().len() as u64 / 4).collect();
    assert_eq!((kept.as_slice(), compacted.summary_at), (&[50, 100, 100, 100][..], Some(1)));
}

#[test]
fn epochs_count_the_compactions_of_a_conversation() {
    let first = compact(150, &context("u100 a100 u100 a100 u100 a100"), |_| "one".to_owned());
    let first = first.expect("a part can go");
    let mut again = first.context;
    again.messages.extend(context("u100 a100").messages);
    let second = compact(150, &again, |_| "two".to_owned()).expect("a part can go").record;
    assert_eq!((first.record.expect("a record").epoch, second.expect("a record").epoch), (1, 2));
}

#[test]
fn g31_the_summary_is_trimmed_and_file_blocks_of_the_model_are_replaced() {
    let mut context = context("u100 a1 u100 a100");
    let call = ToolCall::new("r", "read", r#"{"path": "src/a.rs"}"#);
    context.messages[1] = Message::new(Role::Assistant, vec![Part::ToolCall(call)]);
    context.messages.insert(2, Message::tool(foldback_model::ToolResult::new("r", "x".repeat(400))));
    let forged = "  kept text\n\n<read-files>\nforged.rs\n</read-files>\n";
    let compacted = compact(150, &context, |_| forged.to_owned()).expect("half can go");
    let summary = compacted.context.summary.expect("a summary");
    assert_eq!(summary.text, "kept text\n\n<read-files>\nsrc/a.rs\n</read-files>");
    assert_eq!(summary.files.read, ["src/a.rs"]);
}

#[test]
fn g33_the_head_of_a_split_turn_is_summarized_as_a_part_of_its_own() {
    let context = context("u100 a100 u100 a100>1 t100<1 a100>2 t100<2");
    let mut kinds = Vec::new();
    let compacted = compact(150, &context, |wanted| {
        kinds.push((wanted.kind, wanted.messages.len()));
        format!("part {}", kinds.len())
    });
    assert_eq!(kinds, [(SummaryKind::History, 2), (SummaryKind::TurnPrefix, 3)]);
    let text = compacted.expect("half can go").context.summary.expect("a summary").text;
    assert_eq!(text, "part 1\n\n---\n\n**Turn Context (split turn):**\n\npart 2");
}

#[test]
fn g37_without_complete_history_the_previous_summary_is_carried_over() {
    let mut context = context("u100 a100>1 t100<1 a100>2 t100<2");
    context.summary = Some(Summary::new("what was before"));
    let mut calls = 0;
    let compacted = compact(150, &context, |wanted| {
        calls += 1;
        assert!(wanted.previous.is_none());
        "the head".to_owned()
    });
    let text = compacted.expect("half can go").context.summary.expect("a summary").text;
    assert_eq!(calls, 1);
    assert_eq!(text, "what was before\n\n---\n\n**Turn Context (split turn):**\n\nthe head");
}

#[test]
fn g32_paths_of_the_previous_summary_are_carried_on() {
    let mut context = context("u100 a100 u100 a100");
    context.summary = Some(Summary::new("before\n\n<modified-files>\nb.rs\n</modified-files>"));
    let compacted = compact(150, &context, |wanted| {
        assert_eq!(wanted.previous.expect("a summary").text, "before");
        "after".to_owned()
    });
    let summary = compacted.expect("half can go").context.summary.expect("a summary");
    assert_eq!(summary.text, "after\n\n<modified-files>\nb.rs\n</modified-files>");
}

#[test]
fn m22_a_summary_among_the_messages_is_the_previous_summary() {
    let context = context("m100 u100 a100 u100 a100");
    let earlier = context.messages[0].text();
    let compacted = compact(150, &context, |wanted| {
        assert_eq!(wanted.messages.len(), 2);
        assert_eq!(wanted.previous.expect("a summary").text.trim(), earlier.trim());
        "new".to_owned()
    });
    assert!(compacted.expect("half can go").context.messages.iter().all(|m| m.meta.kind != Kind::Summary));
}

#[test]
fn an_earlier_summary_that_shares_a_message_is_taken_out_of_it() {
    let mut context = context("u1 a100 u100 a100");
    let projection = Summary::new("long ago").projection().expect("a text");
    context.messages[0] =
        Message::new(Role::User, vec![Part::text(projection), Part::text("go on".repeat(80))]);
    compact(150, &context, |wanted| {
        assert_eq!(wanted.previous.expect("a summary").text, "long ago");
        assert_eq!(wanted.messages[0].parts().len(), 1);
        "new".to_owned()
    })
    .expect("half can go");
}

#[test]
fn gt6_nothing_that_can_be_condensed_is_no_reduction() {
    for history in ["", "a100>1", "u100! a100!"] {
        let context = context(history);
        let plan = keeping(0).plan(&Request::new(&context, &ByLength).require_reduction());
        assert!(plan.expect_err("no reduction").is_no_reduction(), "{history}");
    }
}

#[test]
fn gt7_no_plan_is_a_no_op_even_with_a_required_reduction() {
    let context = context("u100 a100");
    let request = Request::new(&context, &ByLength).require_reduction();
    let compacted = now(keeping(0).apply(&request, None, &NoteSummarizer::new("x"))).expect("a no-op");
    assert_eq!((compacted.context, compacted.record), (context, None));
}

#[test]
fn gt8_a_summary_of_nothing_is_an_error() {
    let blanks = [
        "",
        " \n",
        "<read-files>\na\n</read-files>",
        "\u{200B}\u{FEFF}",
        "\n<modified-files>\n</modified-files>\n",
    ];
    for blank in blanks {
        let context = context("u100 a100");
        let outcome = compact(0, &context, |_| blank.to_owned());
        assert!(matches!(outcome, Err(CompactError::EmptySummary)), "{blank:?}");
    }
}

#[test]
fn g20_a_context_that_does_not_get_smaller_is_refused() {
    let context = context("u10 a10");
    let inflated = |_: &foldback_summarize::SummaryRequest<'_>| "x".repeat(400);
    assert!(matches!(compact(0, &context, inflated), Err(CompactError::NotSmaller { .. })));
    // Reference 000 takes the result of maintenance as it is; here that has to be asked for.
    let budget = BudgetConfig::new(TokenCount::new(15)).build().expect("a budget");
    let request = Request::new(&context, &ByLength).budget(budget);
    for (relief, is_taken) in [(Relief::StrictReduction, false), (Relief::None, true)] {
        let compactor = Compactor::new(Config::new(Keep::tokens(TokenCount::ZERO)).relief(relief));
        let compactor = compactor.expect("the configuration is in order");
        let plan = compactor.plan(&request).expect("no error").expect("a plan");
        assert_eq!(carry_out(&compactor, &request, plan, inflated).is_ok(), is_taken, "{relief:?}");
    }
}

#[test]
fn g34_the_record_says_what_was_done() {
    let context = context("u100 a100 u100 a100");
    let record =
        compact(150, &context, |_| "short".to_owned()).expect("half can go").record.expect("a record");
    assert_eq!((record.plan.first_kept, record.summary.as_str()), (2, "short"));
    assert_eq!(record.tokens_before, TokenCount::new(400));
    assert!(record.tokens_after < record.tokens_before);
    assert_eq!((record.usage, record.epoch, record.snapshot.to_string().len()), (None, 1, 64));
}

#[test]
fn call_ids_repeated_within_one_message_are_an_invalid_request() {
    let context = context("u100 a100>1,1 t100<1");
    let plan = keeping(0).plan(&Request::new(&context, &ByLength));
    assert!(matches!(plan, Err(CompactError::InvalidRequest(text)) if text.contains("`1`")));
}

#[test]
fn a_broken_call_in_the_kept_messages_is_mended_and_listed() {
    let context = context("u100 a100 u100 a100>1 u100 a100");
    let compacted = compact(350, &context, |_| "short".to_owned()).expect("a part can go");
    let record = compacted.record.expect("a record");
    assert_eq!(record.dropped.len(), 1);
    assert_eq!((record.dropped[0].index, record.dropped[0].call_id.as_str()), (3, "1"));
    let graph = foldback_model::CallGraph::new(&compacted.context.messages, &[]);
    assert!(graph.dangling().is_empty());
}
