//! What providers report of a call: tokens, and why the model stopped.
//!
//! Programs between a provider and us (LiteLLM, LangChain) write down what they were told, in the
//! words of any of the providers.

use foldback_model::{StopReason, TokenCount, Usage};

use crate::json::Object;

/// The tokens of a report of Chat Completions, where the prompt includes what was cached, or of
/// Anthropic or Bedrock, where it does not.
pub(super) fn usage(report: &Object<'_>) -> Option<Usage> {
    let inner = |key: &str, inner: &[&str]| report.object(key).and_then(|details| number(&details, inner));
    let cached =
        number(report, &["cache_read_input_tokens", "cacheReadInputTokens", "prompt_cache_hit_tokens"])
            .or_else(|| inner("prompt_tokens_details", &["cached_tokens"]))
            .or_else(|| inner("input_tokens_details", &["cached_tokens"]));
    let written = number(report, &["cache_creation_input_tokens", "cacheWriteInputTokens"]);
    let reasoning = inner("completion_tokens_details", &["reasoning_tokens"])
        .or_else(|| inner("output_tokens_details", &["reasoning_tokens"]));
    let input = match number(report, &["prompt_tokens"]) {
        Some(prompt) => Some(without_cached(prompt, cached, written)),
        // The Responses API has this name too, and means the whole prompt by it.
        None if report.has("input_tokens_details") => {
            number(report, &["input_tokens"]).map(|prompt| without_cached(prompt, cached, written))
        }
        None => number(report, &["input_tokens", "inputTokens"]),
    };
    let output = number(report, &["completion_tokens", "output_tokens", "outputTokens"]);
    of_classes(input, output, cached, written, reasoning)
}

/// The tokens of LangChain's `usage_metadata`, where the input includes what was cached.
pub(super) fn langchain_usage(report: &Object<'_>) -> Option<Usage> {
    let input_details = report.object("input_token_details");
    let of_input = |key: &str| input_details.as_ref().and_then(|details| number(details, &[key]));
    let (cached, written) = (of_input("cache_read"), of_input("cache_creation"));
    let reasoning =
        report.object("output_token_details").and_then(|details| number(&details, &["reasoning"]));
    let input = number(report, &["input_tokens"]).map(|prompt| without_cached(prompt, cached, written));
    of_classes(input, number(report, &["output_tokens"]), cached, written, reasoning)
}

fn number(object: &Object<'_>, keys: &[&str]) -> Option<u64> {
    object.get_any(keys)?.parse().ok()
}

/// Some programs leave the cached tokens out of the prompt; then there is nothing to take off.
fn without_cached(prompt: u64, cached: Option<u64>, written: Option<u64>) -> u64 {
    let known = cached.unwrap_or(0).saturating_add(written.unwrap_or(0));
    prompt.checked_sub(known).unwrap_or(prompt)
}

/// A call that failed reports zeros, which say nothing.
fn of_classes(
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    written: Option<u64>,
    reasoning: Option<u64>,
) -> Option<Usage> {
    if [input, output, cached, written].iter().all(|count| count.unwrap_or(0) == 0) {
        return None;
    }
    let mut usage = Usage::default();
    usage.input = input.map(TokenCount::new);
    usage.output = output.map(TokenCount::new);
    usage.cached_input = cached.map(TokenCount::new);
    usage.cache_write = written.map(TokenCount::new);
    usage.reasoning = reasoning.map(TokenCount::new);
    Some(usage)
}

/// Why the model stopped, in the words of any provider.
pub(super) fn stop(reason: &str) -> Option<StopReason> {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" => Some(StopReason::Finished),
        "length" | "max_tokens" | "model_context_window_exceeded" => Some(StopReason::Length),
        "tool_calls" | "tool_use" | "function_call" => Some(StopReason::ToolUse),
        "content_filter" | "refusal" | "safety" | "guardrail_intervened" | "content_filtered" => {
            Some(StopReason::Filtered)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(usage: Option<Usage>) -> [Option<u64>; 5] {
        let usage = usage.unwrap_or_default();
        [usage.input, usage.output, usage.cached_input, usage.cache_write, usage.reasoning]
            .map(|count| count.map(TokenCount::as_u64))
    }

    fn check(json: &str, expected: [Option<u64>; 5]) {
        assert_eq!(counts(usage(&Object::parse(json).unwrap())), expected, "{json}");
    }

    #[test]
    fn a_prompt_includes_what_was_cached_or_does_not() {
        check(
            r#"{"prompt_tokens":5488,"completion_tokens":85,"prompt_tokens_details":{"cached_tokens":4763},
                "cache_creation_input_tokens":719,"cache_read_input_tokens":4763}"#,
            [Some(6), Some(85), Some(4763), Some(719), None],
        );
        check(
            r#"{"input_tokens":6,"output_tokens":85,"cache_read_input_tokens":4763}"#,
            [Some(6), Some(85), Some(4763), None, None],
        );
        check(
            r#"{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4},
                "output_tokens_details":{"reasoning_tokens":2}}"#,
            [Some(6), Some(5), Some(4), None, Some(2)],
        );
        // A prompt that cannot hold what was cached does not.
        check(
            r#"{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":9}}"#,
            [Some(3), None, Some(9), None, None],
        );
    }

    #[test]
    fn what_is_not_stated_is_absent_and_zeros_say_nothing() {
        check(r#"{"prompt_tokens":3,"prompt_tokens_details":null}"#, [Some(3), None, None, None, None]);
        check(r#"{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}"#, [None; 5]);
    }

    #[test]
    fn usage_of_langchain() {
        let json = r#"{"input_tokens":100,"output_tokens":7,"input_token_details":{"cache_read":60,
            "cache_creation":30},"output_token_details":{"reasoning":3}}"#;
        let usage = langchain_usage(&Object::parse(json).unwrap());
        assert_eq!(counts(usage), [Some(10), Some(7), Some(60), Some(30), Some(3)]);
    }

    #[test]
    fn reasons_in_any_words() {
        assert_eq!(stop("STOP"), Some(StopReason::Finished));
        assert_eq!(stop("tool_calls"), Some(StopReason::ToolUse));
        assert_eq!(stop("whatever"), None);
    }
}
