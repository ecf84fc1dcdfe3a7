//! The simple rules against the numbered vectors of the agents they come from.

use foldback_model::{
    Media, MediaSource, Message, Part, Role, Thinking, TokenCount, ToolCall, ToolDefinition, ToolResult,
    Usage,
};
use foldback_tokens::{EstimateSource, Estimator, SimpleRule};

#[track_caller]
fn check(vector: &str, rule: SimpleRule, role: Role, parts: Vec<Part>, expected: u64) {
    let estimate = rule.estimate_message(&Message::new(role, parts)).unwrap();
    assert_eq!(estimate.tokens, TokenCount::new(expected), "{vector}");
}

fn text(n_bytes: usize) -> Part {
    Part::text("x".repeat(n_bytes))
}

fn thinking(n_bytes: usize) -> Part {
    Part::Thinking(Thinking::new("x".repeat(n_bytes)))
}

fn call(name: usize, arguments: usize) -> Part {
    Part::ToolCall(ToolCall::new("call_1", "n".repeat(name), "a".repeat(arguments)))
}

fn media(source: MediaSource) -> Media {
    Media::new(None, source)
}

#[test]
fn docker_agent_dt1_to_dt8() {
    let docker = |vector: &str, parts: Vec<Part>, expected| {
        check(vector, SimpleRule::docker_agent(), Role::Assistant, parts, expected);
    };
    docker("DT1", vec![], 5);
    docker("DT2", vec![text(13)], 8);
    docker("DT3", vec![text(10), text(11)], 11);
    docker("DT4", vec![call(9, 24)], 14);
    docker("DT5", vec![text(6), thinking(46)], 19);
    docker("DT6", vec![text(6), thinking(8), text(12), call(3, 9)], 15);
    let document = |source| Part::Document(media(source));
    docker("DT7", vec![document(MediaSource::Text("x".repeat(35)))], 15);
    let binary = document(MediaSource::Base64("JVBERi0xLjcK".repeat(4000)));
    let image = Part::Image(media(MediaSource::Url("https://example.org/a.png".into())));
    docker("DT8", vec![binary, image], 3005);
}

fn reply(parts: Vec<Part>, output: u64, reasoning: Option<u64>) -> Message {
    let mut message = Message::new(Role::Assistant, parts);
    let mut usage = Usage::default();
    usage.input = Some(TokenCount::new(50_000));
    usage.output = Some(TokenCount::new(output));
    usage.reasoning = reasoning.map(TokenCount::new);
    message.meta.usage = Some(usage);
    message
}

#[test]
fn docker_agent_dt9_to_dt12_prefer_what_was_reported() {
    let check = |vector: &str, message: Message, expected, source| {
        let estimate = SimpleRule::docker_agent().estimate_message(&message).unwrap();
        assert_eq!((estimate.tokens, estimate.source), (TokenCount::new(expected), source), "{vector}");
    };
    check("DT9", reply(vec![text(4000)], 900, None), 905, EstimateSource::Reported);
    check("DT10", reply(vec![text(40)], 5000, Some(4990)), 15, EstimateSource::Reported);
    check("DT11", reply(vec![thinking(40)], 1000, Some(800)), 1005, EstimateSource::Reported);
    check("DT12", reply(vec![text(13)], 0, None), 8, EstimateSource::Heuristic);
}

#[test]
fn docker_agent_counts_bytes() {
    let tool = Message::tool(ToolResult::new("call_1", "é".repeat(3500)));
    let estimate = SimpleRule::docker_agent().estimate_message(&tool).unwrap();
    assert_eq!(estimate.tokens, TokenCount::new(2005), "7000 bytes, DT14");
}

#[test]
fn moa_mt40_and_m5() {
    let moa = SimpleRule::moa();
    check("MT40 text", moa, Role::User, vec![Part::text("hello world")], 3);
    let image = Part::Image(media(MediaSource::Base64("iVBORw0KGgo".repeat(5000))));
    check("MT40 image", moa, Role::User, vec![image], 1200);
    check("MT40 empty", moa, Role::User, vec![], 0);
    let mut result = ToolResult::new("call-1", "hello world");
    result.name = Some("bash".into());
    check("MT40 result", moa, Role::Tool, vec![Part::ToolResult(result)], 6);
    let document = Part::Document(media(MediaSource::FileId("f".into())));
    check("M5 document", moa, Role::User, vec![document], 3000);
    check("M5 call and thinking", moa, Role::Assistant, vec![call(4, 9), thinking(20)], 9);
    check("M5 bytes", moa, Role::User, vec![Part::text("ééé")], 2);
}

#[test]
fn moa_mt43_overhead() {
    let tool = ToolDefinition::new("x".repeat(7), "y".repeat(20), "z".repeat(10));
    let moa = SimpleRule::moa();
    let overhead = moa.estimate_tool(&tool).unwrap() + moa.estimate_system("system").unwrap();
    assert_eq!(overhead.tokens, TokenCount::new(12));
}

#[test]
fn pi_p2() {
    let pi = SimpleRule::pi();
    check("P2 UTF-16", pi, Role::User, vec![Part::text("é😀😀")], 2);
    check("P2 rounds up", pi, Role::User, vec![text(9)], 3);
    check("P2 call", pi, Role::Assistant, vec![text(1), thinking(2), call(4, 9)], 4);
    let image = || Part::Image(media(MediaSource::Base64("AAAA".repeat(5000))));
    check("P2 user image", pi, Role::User, vec![image()], 0);
    let mut result = ToolResult::new("call-1", "ok");
    result.content.push(image());
    check("P2 result image", pi, Role::Tool, vec![Part::ToolResult(result)], 1201);
}

#[test]
fn gg_y24() {
    let gg = SimpleRule::gg_test();
    check("Y24 empty", gg, Role::User, vec![], 4);
    check("Y24 scalars", gg, Role::User, vec![Part::text("é😀😀中文")], 6);
    let image = |bytes: usize| Part::Image(media(MediaSource::Base64("A".repeat(bytes / 3 * 4))));
    check("Y24 small image", gg, Role::User, vec![image(3 * 1024)], 89);
    check("Y24 large image", gg, Role::User, vec![image(300 * 1024)], 604);
}
