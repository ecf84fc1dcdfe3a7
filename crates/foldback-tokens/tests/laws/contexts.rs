//! A whole request: nothing that it sends is left out.

use foldback_model::{Context, Message, Summary, TokenCount, ToolDefinition};
use foldback_tokens::{Estimate, Estimator, Heuristic};

fn context() -> Context {
    let mut context = Context::new(vec![Message::user("How deep?"), Message::assistant("Nine metres.")]);
    context.system = Some("Answer as briefly as you can.".into());
    context.tools = vec![ToolDefinition::new("chart", "Looks up a sea chart.", "{}")];
    context.summary = Some(Summary::new("The harbour was dredged in spring."));
    context
}

#[test]
fn every_part_of_a_context_counts_once() {
    let (heuristic, context) = (Heuristic::default(), context());
    let estimate = heuristic.estimate_context(&context).unwrap();
    let projected: TokenCount =
        context.projected().map(|message| heuristic.estimate_message(&message).unwrap().tokens).sum();
    let outside = heuristic.estimate_system(context.system.as_deref().unwrap()).unwrap()
        + heuristic.estimate_tool(&context.tools[0]).unwrap();
    assert_eq!(estimate.total.tokens, projected + outside.tokens);
    assert_eq!(estimate.messages.len(), 2);
}

#[test]
fn what_is_absent_costs_nothing() {
    let empty = Heuristic::default().estimate_context(&Context::default()).unwrap();
    assert_eq!(empty.total, Estimate::ZERO);
    let mut context = context();
    let whole = Heuristic::default().estimate_context(&context).unwrap();
    context.summary = Some(Summary::new(" \n"));
    let blank = Heuristic::default().estimate_context(&context).unwrap();
    assert_eq!(blank.summary, Estimate::ZERO);
    assert_eq!(blank.total.tokens + whole.summary.tokens, whole.total.tokens);
}

#[test]
fn a_pointer_to_an_estimator_is_one() {
    fn total(estimator: impl Estimator) -> Estimate {
        estimator.estimate_context(&context()).unwrap().total
    }
    let boxed: Box<dyn Estimator> = Box::new(Heuristic::default());
    let expected = total(Heuristic::default());
    assert_eq!(
        [total(&boxed), total(&*boxed), total(std::sync::Arc::new(Heuristic::default()))],
        [expected; 3]
    );
    assert_eq!(boxed.name(), "heuristic");
}
