//! [`proptest`](mod@proptest) strategies for conversations.
//!
//! ```
//! use foldback_testkit::{Shape, history};
//! use proptest::prelude::*;
//!
//! proptest!(|(history in history::valid(Shape::default()))| {
//!     prop_assert!(history.graph().orphans().is_empty());
//! });
//! ```

use foldback_model::Message;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;

use crate::breakage::{Breakage, break_up};
use crate::script::{Call, Reply, Script, Style, Thought, Turn};
use crate::seeded::SNIPPETS;
use crate::shape::{History, Shape};

/// Valid conversations within `shape`, built turn by turn.
///
/// They hold: texts of many scripts, reasoning (readable, signed, sealed), parallel calls answered in
/// any order, in one user message or in a tool message each, with a steering message or an instruction in
/// between or beside, ids that begin again at `call_0` with every reply, replies of several bound messages,
/// pictures, injected messages, leading system messages and, if the shape allows it, calls still
/// running at the end. What a provider would refuse is left out when the shape names one.
pub fn valid(shape: Shape) -> impl Strategy<Value = History> + Clone {
    script(shape).prop_map(|script| script.build())
}

/// Broken conversations: results without a call, before their call or twice, calls without a result,
/// two calls of one id in a message, empty and blank messages, roles that do not fit the content.
///
/// Each has at least one of these. Nothing may panic on them, and nothing may make them worse.
pub fn broken(shape: Shape) -> impl Strategy<Value = Vec<Message>> + Clone {
    let breakage = (any::<u8>(), any::<usize>()).prop_map(|(choice, at)| Breakage::new(choice, at));
    (valid(shape), vec(breakage, 1..5))
        .prop_map(|(history, breakages)| break_up(history.messages, &breakages))
}

/// Texts of up to some hundred bytes: prose, code, other scripts, look-alikes of delimiters and of
/// special tokens; the empty text among them.
pub fn text() -> impl Strategy<Value = String> + Clone {
    vec(proptest::sample::select(&SNIPPETS[..]), 0..8).prop_map(|snippets| snippets.concat())
}

fn script(shape: Shape) -> impl Strategy<Value = Script> + Clone {
    let pending = if shape.may_be_pending && shape.max_calls > 0 {
        of(pending(&shape)).boxed()
    } else {
        Just(None).boxed()
    };
    let (least, most) = (*shape.turns.start(), *shape.turns.end());
    let turns = vec(turn(&shape), least..=most.max(least));
    (any::<u8>(), vec(text(), 0..3), turns, pending).prop_map(
        move |(choice, instructions, turns, pending)| Script {
            style: Style::new(shape.wire, choice),
            instructions,
            turns,
            pending,
        },
    )
}

fn turn(shape: &Shape) -> impl Strategy<Value = Turn> + Clone + use<> {
    let replies = vec(reply(shape, 0), 0..=shape.max_replies);
    (weighted(0.15, text()), text(), proptest::bool::weighted(0.1), replies, weighted(0.8, text())).prop_map(
        |(injected, user, image, replies, closing)| Turn { injected, user, image, replies, closing },
    )
}

fn pending(shape: &Shape) -> impl Strategy<Value = (Turn, usize)> + Clone + use<> {
    let open = 1..=shape.max_calls;
    (turn(shape), reply(shape, 1), open).prop_map(|(turn, reply, open)| {
        let turn = Turn { replies: vec![reply], ..turn };
        (turn, open)
    })
}

fn reply(shape: &Shape, least_calls: usize) -> impl Strategy<Value = Reply> + Clone + use<> {
    let thinking = prop_oneof![
        text().prop_map(Thought::Readable),
        text().prop_map(Thought::Signed),
        Just(Thought::Sealed)
    ];
    let calls = vec(call(), least_calls..=shape.max_calls);
    let steering = weighted(0.2, (0..8_usize, text()));
    (weighted(0.4, thinking), of(text()), calls, any::<u64>(), steering)
        .prop_map(|(thinking, text, calls, order, steering)| Reply { thinking, text, calls, order, steering })
}

fn call() -> impl Strategy<Value = Call> + Clone {
    (any::<u8>(), text(), text(), proptest::bool::weighted(0.1), proptest::bool::weighted(0.1))
        .prop_map(|(tool, argument, result, failed, image)| Call { tool, argument, result, failed, image })
}

/// What every valid history has to satisfy, whichever generator made it.
#[cfg(test)]
pub(crate) fn assert_valid(history: &History) {
    let graph = history.graph();
    assert_eq!(graph.orphans(), [], "{history:#?}");
    assert_eq!(graph.dangling(), [], "{history:#?}");
    let mut found: Vec<&str> = graph.pending().iter().map(|site| site.id.as_str()).collect();
    let mut named: Vec<&str> = history.pending.iter().map(String::as_str).collect();
    found.sort_unstable();
    named.sort_unstable();
    assert_eq!(found, named, "{history:#?}");
    assert!(history.messages.last().is_none_or(|last| !last.meta.binds_next));
    assert!(!crate::breakage::is_broken(&history.messages), "{history:#?}");
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use foldback_model::{Kind, Part, Role, WireFormat};
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

    use super::*;

    /// The same cases in every run.
    fn runner() -> TestRunner {
        let config = Config { failure_persistence: None, ..Config::default() };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    fn check(shape: Shape, law: impl Fn(&History)) {
        let mut runner = runner();
        let outcome = runner.run(&valid(shape), |history| {
            assert_valid(&history);
            law(&history);
            Ok(())
        });
        assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn valid_histories_have_no_loose_ends() {
        check(Shape::default(), |history| assert_eq!(history.pending, Vec::<String>::new()));
    }

    #[test]
    fn pending_calls_are_named_and_recognised_without_their_names() {
        let seen = Cell::new(0);
        check(Shape::default().or_pending(), |history| {
            seen.set(seen.get() + usize::from(!history.pending.is_empty()));
            assert_eq!(
                foldback_model::CallGraph::new(&history.messages, &[]).pending().len(),
                history.pending.len()
            );
        });
        assert!(seen.get() > 20, "only {} of them", seen.get());
    }

    #[test]
    fn everything_promised_occurs() {
        let has = |what: fn(&History) -> bool| {
            let found = Cell::new(false);
            check(Shape::default(), |history| found.set(found.get() || what(history)));
            assert!(found.get());
        };
        has(|h| h.messages.iter().any(|m| m.meta.binds_next));
        has(|h| h.messages.iter().any(|m| m.meta.kind == Kind::Injected));
        has(|h| h.messages.first().is_some_and(|m| m.role == Role::System));
        has(|h| h.messages.iter().any(|m| m.role == Role::Tool));
        has(|h| h.messages.iter().any(|m| m.role == Role::User && m.results().count() > 1));
        has(|h| {
            h.messages.iter().any(|m| m.role == Role::User && m.results().count() > 0 && !m.text().is_empty())
        });
        has(|h| h.messages.iter().any(|m| m.parts().iter().any(|p| matches!(p, Part::Image(_)))));
        has(|h| {
            h.messages.iter().any(|m| m.parts().iter().any(|p| matches!(p, Part::Thinking(t) if t.sealed)))
        });
        has(|h| h.messages.iter().flat_map(Message::calls).filter(|call| call.id == "call_0").count() > 1);
        // A person speaks between a call and its result.
        has(|h| {
            h.graph()
                .exchanges()
                .iter()
                .any(|e| h.messages[e.first..=e.last].iter().any(Message::starts_turn))
        });
        // An instruction stands between a call and its result.
        has(|h| {
            h.graph()
                .exchanges()
                .iter()
                .any(|e| h.messages[e.first..=e.last].iter().any(|m| m.role == Role::System))
        });
        // Results in another order than their calls.
        has(|h| h.graph().exchanges().iter().any(|exchange| results_are_out_of_order(h, exchange)));
    }

    fn results_are_out_of_order(history: &History, exchange: &foldback_model::Exchange) -> bool {
        let messages = &history.messages[exchange.first..=exchange.last];
        let calls: Vec<&str> = messages[0].calls().map(|call| call.id.as_str()).collect();
        let results: Vec<&str> =
            messages.iter().flat_map(Message::results).map(|result| result.call_id.as_str()).collect();
        calls.len() == results.len() && calls != results
    }

    #[test]
    fn roles_alternate_where_the_provider_demands_it() {
        for wire in [WireFormat::Anthropic, WireFormat::Gemini] {
            check(Shape::of(wire).or_pending(), |history| {
                let roles: Vec<Role> = history.messages.iter().map(|message| message.role).collect();
                assert_eq!(roles[0], Role::User);
                assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
            });
        }
    }

    #[test]
    fn results_directly_follow_their_calls_where_the_provider_demands_it() {
        for wire in [WireFormat::OpenAiChat, WireFormat::Anthropic, WireFormat::Gemini] {
            check(Shape::of(wire), |history| {
                for exchange in history.graph().exchanges() {
                    let results = &history.messages[exchange.first + 1..=exchange.last];
                    assert!(results.iter().all(|message| message.results().next().is_some()));
                }
            });
        }
    }

    #[test]
    fn the_number_of_turns_is_within_the_shape() {
        check(Shape::of(WireFormat::OpenAiChat).with_turns(2..=3), |history| {
            let turns = history.messages.iter().filter(|message| message.starts_turn()).count();
            assert!((2..=3).contains(&turns));
        });
    }

    #[test]
    fn broken_histories_are_broken() {
        let mut runner = runner();
        let outcome = runner.run(&broken(Shape::default()), |messages| {
            prop_assert!(crate::breakage::is_broken(&messages));
            Ok(())
        });
        assert_eq!(outcome, Ok(()));
    }
}
