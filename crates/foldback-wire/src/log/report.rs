//! What providers report of a call: tokens, and why the model stopped.
//!
//! Programs between a provider and us (LiteLLM, LangChain) write down what they were told, in the
//! words of any of the providers.

use foldback_model::{StopReason, Usage, WireFormat};

use crate::json::Object;
use crate::usage::of_object;

/// The tokens of a report in the words of any provider. A call that failed reports zeros, which say
/// nothing.
pub(super) fn usage(report: Object<'_>) -> Option<Usage> {
    let usage = of_object(WireFormat::OpenAiChat, report)?;
    let says_something = [usage.prompt(), usage.output].into_iter().flatten().any(|count| count.as_u64() > 0);
    says_something.then_some(usage)
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

    #[test]
    fn zeros_say_nothing() {
        let read = |json| usage(Object::parse(json).unwrap());
        assert_eq!(read(r#"{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}"#), None);
        let said = read(r#"{"input_tokens":6,"output_tokens":85,"cache_read_input_tokens":4763}"#).unwrap();
        assert_eq!(said.prompt().map(|count| count.as_u64()), Some(4769));
    }

    #[test]
    fn reasons_in_any_words() {
        assert_eq!(stop("STOP"), Some(StopReason::Finished));
        assert_eq!(stop("tool_calls"), Some(StopReason::ToolUse));
        assert_eq!(stop("whatever"), None);
    }
}
