//! The conformance suites pass on what we ship, and find what is broken.

use std::sync::Arc;

use foldback_model::{Message, TokenCount, ToolDefinition};
use foldback_tokens::conformance::{check_counter, check_estimator};
use foldback_tokens::{
    CountError, Counted, Estimate, EstimateError, EstimateSource, Estimator, Heuristic, ImageRule,
    SimpleRule, TokenCounter,
};

#[test]
fn our_own_pass() {
    assert_eq!(check_counter(&Heuristic::default()), Ok(()));
    let boxed: Box<dyn TokenCounter> = Box::new(Arc::new(Heuristic::default()));
    assert_eq!(check_counter(&boxed), Ok(()));
    let estimators: [Box<dyn Estimator>; 8] = [
        Box::new(Heuristic::default()),
        Box::new(Arc::new(Heuristic::new().with_images(ImageRule::OpenAiTiles))),
        Box::new(Heuristic::new().with_images(ImageRule::Gemini)),
        Box::new(Counted::new("counted", Heuristic::default())),
        Box::new(SimpleRule::docker_agent()),
        Box::new(SimpleRule::moa()),
        Box::new(SimpleRule::pi()),
        Box::new(SimpleRule::gg_test()),
    ];
    for estimator in &estimators {
        assert_eq!(check_estimator(estimator), Ok(()), "{}", estimator.name());
    }
}

fn findings(counter: impl Fn(&str) -> u64) -> String {
    struct From<F>(F);
    impl<F: Fn(&str) -> u64> TokenCounter for From<F> {
        fn count_text(&self, text: &str) -> Result<TokenCount, CountError> {
            Ok(TokenCount::new((self.0)(text)))
        }
    }
    check_counter(&From(counter)).unwrap_err().join("\n")
}

#[test]
fn broken_counters_are_found() {
    assert!(findings(|text| text.len() as u64 / 4 + 1).contains("the empty text costs 1"));
    assert!(findings(|text| text.len() as u64 * 2).contains("not between"));
    assert!(
        findings(|text| if text.len() > 100_000 { panic!("too long") } else { text.len() as u64 })
            .contains("panicked")
    );
    assert!(
        findings(|text| if text.contains("<|end") { 1 } else { text.len() as u64 })
            .contains("not ordinary text")
    );
    let calls = std::cell::Cell::new(0);
    let wobbling = |text: &str| {
        calls.set(calls.get() + 1);
        (text.len() as u64).min(1 + calls.get() % 2)
    };
    assert!(findings(wobbling).contains("two counts differ"));
}

/// Counts the JSON of a picture as text, ignores calls, and calls it exact.
struct Naive;

impl Estimator for Naive {
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        let length = format!("{:?}", message.parts()).len() * usize::from(message.calls().next().is_none());
        Ok(Estimate::new(TokenCount::new(length as u64 / 4), EstimateSource::Counted, 0.0))
    }

    fn estimate_tool(&self, _: &ToolDefinition) -> Result<Estimate, EstimateError> {
        Ok(Estimate::ZERO)
    }

    fn estimate_system(&self, _: &str) -> Result<Estimate, EstimateError> {
        Ok(Estimate::ZERO)
    }

    fn name(&self) -> &str {
        " "
    }
}

#[test]
fn a_broken_estimator_is_found() {
    let findings = check_estimator(&Naive).unwrap_err().join("\n");
    for expected in [
        "the name is blank",
        "system prompt of a context costs nothing",
        "tools of a context costs nothing",
        "counted as text",
        "a call's arguments",
    ] {
        assert!(findings.contains(expected), "{expected} is not among\n{findings}");
    }
}

#[test]
fn a_failing_counter_fails_the_estimate() {
    struct Failing;
    impl TokenCounter for Failing {
        fn count_text(&self, _: &str) -> Result<TokenCount, CountError> {
            Err(CountError::new("broken", "no vocabulary"))
        }
    }
    assert!(check_counter(&Failing).is_err());
    let error = Counted::new("broken", Failing).estimate_message(&Message::user("hi")).unwrap_err();
    assert_eq!(error.to_string(), "no token count for a text");
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "counting tokens with `broken` failed");
}
