//! The engine invariants of the design (section 7) that concern plans, each a property over valid and
//! over broken histories.

use foldback_model::{CallGraph, Kind, Message, TokenCount};
use foldback_plan::{BudgetConfig, Decision, Keep, Outline, Plan, Policy, plan};
use foldback_testkit::{Shape, history};
use proptest::prelude::*;

/// A planning problem: a history, the sizes of its messages, pins, and what to keep.
#[derive(Clone, Debug)]
struct Problem {
    messages: Vec<Message>,
    sizes: Vec<TokenCount>,
    pinned: Vec<usize>,
    pending: Vec<String>,
    keep: Keep,
    window: u64,
    force: bool,
}

impl Problem {
    fn outline(&self) -> Outline {
        Outline::of_messages(&self.messages, &self.sizes, &self.pinned, &self.pending)
    }

    fn decide(&self) -> Decision {
        let (budget, _) = BudgetConfig::new(TokenCount::new(self.window)).build_lenient();
        let mut policy = Policy::new(self.keep);
        policy.force = self.force;
        plan(&self.outline(), Some(&budget), &policy)
    }

    fn plan(&self) -> Option<Plan> {
        match self.decide() {
            Decision::Compact(plan) => Some(plan),
            _ => None,
        }
    }

    fn is_condensed(plan: &Plan, index: usize) -> bool {
        plan.history().chain(plan.prefix()).any(|condensed| condensed == index)
    }
}

fn keep() -> impl Strategy<Value = Keep> {
    (prop::option::of(0_u64..4_000), prop::option::of(0_usize..5)).prop_map(|(tokens, turns)| {
        let mut keep = Keep::default();
        keep.tokens = tokens.map(TokenCount::new);
        keep.turns = turns;
        keep
    })
}

fn around(messages: impl Strategy<Value = (Vec<Message>, Vec<String>)>) -> impl Strategy<Value = Problem> {
    (messages, keep(), 0_u64..20_000, any::<bool>()).prop_flat_map(
        |((messages, pending), keep, window, force)| {
            let n = messages.len();
            let sizes = prop::collection::vec((0_u64..2_000).prop_map(TokenCount::new), n);
            let pinned = prop::collection::vec(0..n.max(1), 0..3);
            (Just(messages), Just(pending), sizes, pinned).prop_map(
                move |(messages, pending, sizes, pinned)| Problem {
                    messages,
                    sizes,
                    pinned,
                    pending,
                    keep,
                    window,
                    force,
                },
            )
        },
    )
}

fn valid() -> impl Strategy<Value = Problem> {
    around(
        history::valid(Shape::default().or_pending()).prop_map(|history| (history.messages, history.pending)),
    )
}

fn any_history() -> impl Strategy<Value = Problem> {
    prop_oneof![
        around(
            history::valid(Shape::default().or_pending())
                .prop_map(|history| (history.messages, history.pending))
        ),
        around(history::broken(Shape::default()).prop_map(|messages| (messages, Vec::new()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn invariant_1_no_exchange_is_split(problem in any_history()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        let graph = CallGraph::new(&problem.messages, &problem.pending);
        for exchange in graph.exchanges() {
            let members = exchange.first..=exchange.last;
            let condensed = members.clone().filter(|&index| Problem::is_condensed(&plan, index)).count();
            // A standing instruction in the middle of an exchange stays whatever happens to it.
            let stays_anyway = members.clone().filter(|&i| problem.messages[i].role.is_instruction()).count();
            prop_assert!(
                condensed == 0 || condensed + stays_anyway == members.count(),
                "{exchange:?} is split by {plan:?}"
            );
            prop_assert!(!(exchange.pending && condensed > 0), "a running call is condensed");
        }
    }

    #[test]
    fn invariant_1_an_orphan_never_starts_the_kept_suffix(problem in any_history()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        if let Some(first) = problem.messages.get(plan.first_kept) {
            prop_assert!(first.results().next().is_none());
        }
    }

    #[test]
    fn invariant_2_pinned_messages_and_instructions_are_not_condensed(problem in any_history()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        for (index, message) in problem.messages.iter().enumerate() {
            let stays = problem.pinned.contains(&index) || message.role.is_instruction();
            prop_assert!(!stays || !Problem::is_condensed(&plan, index));
        }
    }

    #[test]
    fn invariant_3_every_message_is_condensed_or_kept_and_never_both(problem in any_history()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        for index in 0..problem.messages.len() {
            let kept = index >= plan.first_kept || plan.stays.contains(&index);
            prop_assert_eq!(kept, !Problem::is_condensed(&plan, index));
        }
        let outline = problem.outline();
        let kept: TokenCount = outline
            .entries()
            .iter()
            .enumerate()
            .filter(|(index, _)| !Problem::is_condensed(&plan, *index))
            .map(|(_, entry)| entry.tokens)
            .sum();
        prop_assert_eq!(plan.tokens_kept, outline.fixed() + kept);
    }

    #[test]
    fn invariant_4_there_is_always_something_to_condense(problem in any_history()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        let outline = problem.outline();
        prop_assert!(plan.history().chain(plan.prefix()).any(|index| outline.entries()[index].kind != Kind::Summary));
    }

    #[test]
    fn invariant_10_the_same_input_gives_the_same_plan(problem in any_history()) {
        prop_assert_eq!(problem.decide(), problem.clone().decide());
    }

    #[test]
    fn the_head_of_a_split_turn_starts_with_the_turn(problem in valid()) {
        let Some(plan) = problem.plan() else { return Ok(()) };
        if let Some(prefix) = plan.turn_prefix {
            prop_assert!(problem.messages[prefix.start].starts_turn());
            prop_assert_eq!(prefix.end, plan.first_kept);
            prop_assert!(problem.messages[prefix.start + 1..prefix.end].iter().all(|message| !message.starts_turn()));
        }
    }

    #[test]
    fn without_force_the_trigger_decides(problem in any_history()) {
        let total = problem.outline().total();
        let due = total > TokenCount::new(problem.window);
        if !problem.force && !due {
            prop_assert!(matches!(problem.decide(), Decision::None(_)));
        }
        if problem.force {
            prop_assert!(matches!(problem.decide(), Decision::Compact(_) | Decision::NoReduction(_)));
        }
    }
}
