//! Cuts, as a table. `|` stands where the kept suffix starts.

use foldback_model::TokenCount;
use foldback_plan::{Budget, BudgetConfig, Cut, Decision, Keep, Outline, Policy, Reason, plan};
use foldback_testkit::notation;

fn t(tokens: u64) -> TokenCount {
    TokenCount::new(tokens)
}

fn budget(window: u64) -> Budget {
    BudgetConfig::new(t(window)).build().expect("a window of its own is a budget")
}

fn decide(history: &str, budget: Option<&Budget>, keep: Keep) -> Decision {
    let history = notation::parse(history).expect("the history is in the notation");
    let outline = Outline::of_messages(&history.messages, &history.sizes, &[], &[]);
    plan(&outline, budget, &Policy::new(keep).force())
}

/// Checks the cut of a forced plan that keeps `keep` tokens.
fn check(keep: u64, expected: &str) {
    let history = expected.replace("| ", "").replace(" |", "");
    let parsed = notation::parse(&history).expect("the history is in the notation");
    match decide(&history, None, Keep::tokens(t(keep))) {
        Decision::Compact(plan) => {
            let cut = match plan.cut {
                Cut::At(index) => parsed.with_cut(index),
                _ => format!("{history} |"),
            };
            assert_eq!(cut, expected);
        }
        other => panic!("no cut in `{history}`: {other:?}"),
    }
}

fn check_turn_prefix(
    keep: u64,
    history: &str,
    summarize: std::ops::Range<usize>,
    prefix: Option<std::ops::Range<usize>>,
) {
    let Decision::Compact(plan) = decide(history, None, Keep::tokens(t(keep))) else { panic!("no plan") };
    assert_eq!((plan.summarize, plan.turn_prefix), (summarize, prefix), "{history}");
}

#[test]
fn the_message_that_reaches_the_number_is_kept() {
    check(100, "u100 a100 u100 | a100");
    check(101, "u100 a100 | u100 a100");
    check(200, "u100 a100 | u100 a100");
}

#[test]
fn gt11_keeping_nothing_condenses_everything() {
    check(0, "u100 a100>1 t100<1 a100 |");
    check(0, "u100 a100>1 t100<1 |");
}

#[test]
fn cut_moves_past_a_result_whose_call_is_summarized() {
    check(240, "u400 a300>1 t200<1 | u50 a190");
    check(250, "u400 a300>1 t200<1 | u50 a190");
}

#[test]
fn an_exchange_at_the_end_that_is_larger_than_what_is_kept_is_kept_whole() {
    check(10, "u400 | a300>1 t200<1");
}

#[test]
fn parallel_results_and_a_steering_message_stay_together() {
    check(60, "u400 a300>1,2 t20<2 u20 t20<1 | a60");
    // The place behind the exchange is nearer to what was asked than the place in front of it.
    check(70, "u400 a300>1,2 t20<2 u20 t50<1 | a10");
}

#[test]
fn a_running_call_keeps_the_end_in_one_piece() {
    check(0, "u400 | a300>1,2 t20<1");
}

#[test]
fn a_pair_that_is_bound_is_not_parted() {
    check(30, "u400 a300~ a30 | u30");
    check(50, "u400 a300~ a30 | u50");
    check(55, "u400 a300~ a30 | u50");
}

#[test]
fn a_cut_inside_a_turn_gives_its_head_as_a_part_of_its_own() {
    check_turn_prefix(150, "u100 a100 u100 a100>1 t100<1 a100>2 t100<2", 0..2, Some(2..5));
    check_turn_prefix(100, "u100 a100>1 t100<1 a100>2 t100<2", 0..0, Some(0..3));
    check_turn_prefix(150, "u100 a100 u100 a100", 0..2, None);
    check_turn_prefix(100, "u100 a100 u100 a100", 0..2, Some(2..3));
}

#[test]
fn what_the_host_puts_in_belongs_to_the_turn_behind_it() {
    check_turn_prefix(250, "u100 a100 i100 u100 a100", 0..2, None);
}

#[test]
fn everything_condensed_splits_no_turn() {
    check_turn_prefix(0, "u100 a100 u100 a100>1 t100<1", 0..5, None);
}

#[test]
fn a_first_message_that_is_larger_than_what_is_kept_is_condensed() {
    check(100, "u5000 | a20 u20");
    check(100, "s10 u5000 | a20 u20");
    check(100, "u5000 | a20>1 t20<1 u20");
}

#[test]
fn what_stays_in_front_does_not_count_as_the_end() {
    let decision = decide("s3000 u50 a50 u50", None, Keep::tokens(t(500)));
    assert_eq!(decision, Decision::NoReduction(Reason::AllKept));
}

#[test]
fn a_window_too_small_for_the_summary_still_limits_what_is_kept() {
    let parsed = notation::parse("u1000 a1000 u1000 a1000").expect("the history is in the notation");
    let outline = Outline::of_messages(&parsed.messages, &parsed.sizes, &[], &[]);
    let policy = Policy::new(Keep::tokens(t(20_000))).summary_allowance(t(3_000));
    let Decision::Compact(plan) = plan(&outline, Some(&budget(2_500)), &policy) else { panic!("no plan") };
    assert!(plan.due && plan.tokens_kept <= t(3_000), "{plan:?}");
}

#[test]
fn instructions_and_pins_stay() {
    let Decision::Compact(plan) =
        decide("s50 u100! a100 u100 a100>1! t100<1 u100 a100", None, Keep::tokens(t(150)))
    else {
        panic!("no plan")
    };
    assert_eq!(plan.stays, [0, 1, 4, 5]);
    assert_eq!(plan.history().collect::<Vec<_>>(), [2, 3]);
    assert_eq!(plan.tokens_kept, t(50 + 100 + 200 + 200));
}

#[test]
fn nothing_is_condensed_that_is_not_there() {
    let reason = |history: &str, keep: u64| match decide(history, None, Keep::tokens(t(keep))) {
        Decision::NoReduction(reason) => reason,
        other => panic!("`{history}`: {other:?}"),
    };
    assert_eq!(reason("", 0), Reason::Empty);
    assert_eq!(reason("u100 a100", 1_000), Reason::AllKept);
    assert_eq!(reason("u100! a100!", 0), Reason::NothingToCondense);
    assert_eq!(reason("s100 m100 | u10".replace("| ", "").as_str(), 10), Reason::NothingToCondense);
    assert_eq!(reason("a100>1", 0), Reason::Indivisible);
}

#[test]
fn turns_are_counted_from_the_end() {
    let cut = |turns| match decide("u10 a10 u10 a10>1 t10<1 u10 a10", None, Keep::turns(turns)) {
        Decision::Compact(plan) => plan.first_kept,
        _ => 0,
    };
    assert_eq!([cut(0), cut(1), cut(2), cut(3), cut(9)], [7, 5, 2, 0, 0]);
}

#[test]
fn the_longer_of_two_suffixes_is_kept() {
    let mut keep = Keep::tokens(t(10));
    keep.turns = Some(2);
    let Decision::Compact(plan) = decide("u10 a10 u10 a10 u10 a10", None, keep) else { panic!("no plan") };
    assert_eq!(plan.cut, Cut::At(2));
}

#[test]
fn the_kept_suffix_leaves_room_for_what_stays() {
    // 500 tokens stay, 1000 fit: of the 900 that should be kept, 500 are.
    let Decision::Compact(plan) =
        decide("s500 u200 a200 u200 a200 u200 a200", Some(&budget(1_000)), Keep::tokens(t(900)))
    else {
        panic!("no plan")
    };
    assert!(plan.tokens_kept <= t(1_100), "{plan:?}");
    assert_eq!(plan.cut, Cut::At(4));
}

#[test]
fn an_exchange_that_does_not_fit_is_condensed_rather_than_kept() {
    let Decision::Compact(plan) = decide("u10 a10>1 t5000<1", Some(&budget(1_000)), Keep::tokens(t(100)))
    else {
        panic!("no plan")
    };
    assert_eq!(plan.cut, Cut::All);
}

#[test]
fn pins_that_fill_the_window_are_named() {
    let history = "u800! a800! u10 a10";
    let parsed = notation::parse(history).expect("the history is in the notation");
    let outline = Outline::of_messages(&parsed.messages, &parsed.sizes, &[], &[]);
    let budget = budget(1_000);
    let Decision::NoProgress(part) = plan(&outline, Some(&budget), &Policy::new(Keep::tokens(t(0)))) else {
        panic!("planned")
    };
    assert_eq!((part.what.as_str(), part.tokens), ("pinned messages", t(1_600)));
    let Decision::Compact(plan) = decide(history, Some(&budget), Keep::tokens(t(0))) else {
        panic!("no plan")
    };
    assert!(plan.irreducible.is_some());
}

#[test]
fn a_context_below_the_trigger_is_left_alone() {
    let parsed = notation::parse("u400 a600").expect("the history is in the notation");
    let outline = Outline::of_messages(&parsed.messages, &parsed.sizes, &[], &[]);
    let policy = Policy::new(Keep::tokens(t(0)));
    assert!(matches!(plan(&outline, Some(&budget(1_000)), &policy), Decision::None(Reason::NotDue { .. })));
    assert!(matches!(plan(&outline, Some(&budget(999)), &policy), Decision::Compact(_)));
    assert!(matches!(plan(&outline, None, &policy), Decision::None(Reason::NotDue { .. })));
}
