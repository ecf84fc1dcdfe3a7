//! What providers report about the tokens of a call, in one shape.
//!
//! They do not count alike: Anthropic and Bedrock state cached tokens beside the input, the others
//! inside it; Gemini states what was thought beside the output, the others inside it.

use foldback_model::{TokenCount, Usage, WireFormat};

use crate::json::{self, Object};

/// Reads the usage object of a reply of `wire`: `usage`, or Gemini's `usageMetadata`, as JSON text.
/// `None` if it states no number that is known here. A class that it does not state is absent, not zero.
///
/// The names that compatible servers have (DeepSeek, llama.cpp, Moonshot, OpenRouter, Bedrock, Cohere) and LangChain
/// are known too. Of a reply in several steps with a compaction by the server in between
/// (`iterations`), the prompt is that of the last step, which is what the next call builds on.
///
/// The numbers of a stream are brought together by [`Usage::updated_by`].
///
/// ```
/// use foldback_model::WireFormat::{Anthropic, OpenAiChat};
/// use foldback_wire::read_usage;
///
/// let beside = read_usage(Anthropic, r#"{"input_tokens": 3, "cache_read_input_tokens": 90}"#);
/// let inside = read_usage(OpenAiChat, r#"{"prompt_tokens": 93, "prompt_tokens_details": {"cached_tokens": 90}}"#);
/// for usage in [beside, inside].map(Option::unwrap) {
///     assert_eq!(usage.prompt().unwrap().as_u64(), 93);
///     assert_eq!(usage.input.unwrap().as_u64(), 3);
/// }
/// ```
#[must_use]
pub fn read_usage(wire: WireFormat, json: &str) -> Option<Usage> {
    of_object(wire, Object::parse(json)?)
}

/// The same of an object that was taken apart already.
pub(crate) fn of_object(wire: WireFormat, object: Object<'_>) -> Option<Usage> {
    // Cohere puts the numbers that count into an object of their own.
    let object = object.object("tokens").unwrap_or(object);
    let usage = match wire {
        WireFormat::Gemini => gemini(&object),
        _ if states_cache_beside(wire, &object) => beside(&object),
        _ => inside(&object),
    };
    (usage != Usage::default()).then_some(usage)
}

fn states_cache_beside(wire: WireFormat, usage: &Object<'_>) -> bool {
    const NAMES: [&str; 4] = [
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ];
    // A gateway in front of Anthropic may state its names and OpenAI's: then the latter hold the whole.
    (wire == WireFormat::Anthropic || NAMES.iter().any(|name| usage.has(name))) && !usage.has("prompt_tokens")
}

/// Cached tokens stand beside the input.
fn beside(usage: &Object<'_>) -> Usage {
    let steps = usage.list("iterations").unwrap_or_default();
    let step = steps
        .into_iter()
        .rev()
        .filter_map(Object::parse)
        .find(|step| step.text("type").is_none_or(|kind| kind == "message"));
    let prompt = step.as_ref().unwrap_or(usage);
    let mut said = Usage::default();
    said.input = number(prompt, &["input_tokens", "inputTokens"]);
    said.cached_input = number(prompt, &["cache_read_input_tokens", "cacheReadInputTokens"]);
    said.cache_write = number(prompt, &["cache_creation_input_tokens", "cacheWriteInputTokens"]);
    said.output = number(usage, &["output_tokens", "outputTokens"]);
    said.reasoning = detail(usage, &["output_tokens_details"], &["thinking_tokens", "reasoning_tokens"]);
    said
}

/// Cached tokens are part of the input.
fn inside(usage: &Object<'_>) -> Usage {
    // The last one of each is LangChain's.
    const DETAILS: [&str; 3] = ["prompt_tokens_details", "input_tokens_details", "input_token_details"];
    const OUTPUT_DETAILS: [&str; 3] =
        ["completion_tokens_details", "output_tokens_details", "output_token_details"];
    let cached = detail(usage, &DETAILS, &["cached_tokens", "cache_read"]).or_else(|| {
        number(usage, &["prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens", "cache_n"])
    });
    let write = detail(usage, &DETAILS, &["cache_write_tokens", "cache_creation_tokens", "cache_creation"])
        .or_else(|| number(usage, &["cache_creation_input_tokens"]));
    let mut said = Usage::default();
    said.input = number(usage, &["prompt_tokens", "input_tokens"]).map(|whole| without(whole, cached, write));
    said.cached_input = cached;
    said.cache_write = write;
    said.output = number(usage, &["completion_tokens", "output_tokens"]);
    said.reasoning = detail(usage, &OUTPUT_DETAILS, &["reasoning_tokens", "reasoning"])
        .or_else(|| number(usage, &["reasoning_tokens"]));
    said
}

fn gemini(usage: &Object<'_>) -> Usage {
    let cached = number(usage, &["cachedContentTokenCount", "cached_content_token_count"]);
    let thought = number(usage, &["thoughtsTokenCount", "thoughts_token_count"]);
    let said_aloud = number(usage, &["candidatesTokenCount", "candidates_token_count"]);
    // What tools of the server added to the prompt is stated beside it.
    let of_tools = number(usage, &["toolUsePromptTokenCount", "tool_use_prompt_token_count"]);
    let prompt = number(usage, &["promptTokenCount", "prompt_token_count"]);
    let mut said = Usage::default();
    said.input = sum(prompt.map(|whole| without(whole, cached, None)), of_tools);
    said.cached_input = cached;
    said.output = sum(said_aloud, thought);
    said.reasoning = thought;
    said
}

/// The part of `whole` that was neither read from a cache nor written to one. Parts that are larger than
/// the whole cannot be inside it: some servers state them beside it after all.
fn without(whole: TokenCount, cached: Option<TokenCount>, write: Option<TokenCount>) -> TokenCount {
    let parts = cached.unwrap_or_default() + write.unwrap_or_default();
    if parts > whole { whole } else { whole.saturating_sub(parts) }
}

fn sum(one: Option<TokenCount>, other: Option<TokenCount>) -> Option<TokenCount> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    }
}

/// The first of `names` that states a whole number.
fn number(object: &Object<'_>, names: &[&str]) -> Option<TokenCount> {
    names.iter().find_map(|name| count(object.get(name)?)).map(TokenCount::new)
}

/// The same in one of the objects `within`.
fn detail(object: &Object<'_>, within: &[&str], names: &[&str]) -> Option<TokenCount> {
    within.iter().find_map(|name| number(&object.object(name)?, names))
}

/// A whole number, also where a server writes it as a text or with a decimal point.
fn count(json: &str) -> Option<u64> {
    let text = json::string(json);
    let digits = text.as_deref().unwrap_or(json);
    digits.strip_suffix(".0").unwrap_or(digits).parse().ok()
}

#[cfg(test)]
mod tests {
    use foldback_model::WireFormat::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};

    use super::*;

    /// Input, cached, written, output and reasoning; `-` is absent.
    #[track_caller]
    fn check(wire: WireFormat, json: &str, expected: &str) {
        let usage = read_usage(wire, json).unwrap();
        assert_eq!(show(usage), expected, "{json}");
    }

    fn show(usage: Usage) -> String {
        let classes = [usage.input, usage.cached_input, usage.cache_write, usage.output, usage.reasoning];
        let show =
            |class: Option<TokenCount>| class.map_or("-".to_owned(), |count| count.as_u64().to_string());
        classes.map(show).join(" ")
    }

    #[test]
    fn cached_tokens_beside_the_input() {
        check(
            Anthropic,
            r#"{"input_tokens":3,"cache_read_input_tokens":183204,"cache_creation_input_tokens":1211,"output_tokens":140}"#,
            "3 183204 1211 140 -",
        );
        check(
            Anthropic,
            r#"{"input_tokens":7,"cache_read_input_tokens":null,"output_tokens":9}"#,
            "7 - - 9 -",
        );
        check(
            Anthropic,
            r#"{"inputTokens":5,"outputTokens":2,"cacheReadInputTokens":8,"cacheWriteInputTokens":0}"#,
            "5 8 0 2 -",
        );
        check(OpenAiChat, r#"{"inputTokens":5,"cacheReadInputTokens":8}"#, "5 8 - - -");
    }

    #[test]
    fn cached_tokens_inside_the_input() {
        check(
            OpenAiChat,
            r#"{"prompt_tokens":100,"completion_tokens":51,"prompt_tokens_details":{"cached_tokens":90,"cache_write_tokens":4}}"#,
            "6 90 4 51 -",
        );
        check(
            OpenAiResponses,
            r#"{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":7}}"#,
            "60 40 - 9 7",
        );
        check(
            OpenAiChat,
            r#"{"prompt_tokens":38196,"completion_tokens":3,"cache_n":38153,"prompt_n":43}"#,
            "43 38153 - 3 -",
        );
        check(
            OpenAiChat,
            r#"{"prompt_tokens":98,"prompt_cache_hit_tokens":90,"prompt_cache_miss_tokens":8}"#,
            "8 90 - - -",
        );
        check(OpenAiChat, r#"{"prompt_tokens":98,"cached_tokens":90}"#, "8 90 - - -");
        check(
            OpenAiChat,
            r#"{"input_tokens":100,"output_tokens":7,"input_token_details":{"cache_read":60,"cache_creation":30},"output_token_details":{"reasoning":3}}"#,
            "10 60 30 7 3",
        );
        // A gateway that states both.
        check(
            OpenAiChat,
            r#"{"prompt_tokens":98,"completion_tokens":1,"cache_read_input_tokens":90,"cache_creation_input_tokens":5}"#,
            "3 90 5 1 -",
        );
    }

    #[test]
    fn what_is_larger_than_the_whole_is_not_inside_it() {
        check(
            OpenAiChat,
            r#"{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":90}}"#,
            "10 90 - - -",
        );
    }

    #[test]
    fn gemini_thinks_beside_its_output() {
        check(
            Gemini,
            r#"{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":10,"thoughtsTokenCount":30,"toolUsePromptTokenCount":5}"#,
            "45 60 - 40 30",
        );
        check(Gemini, r#"{"promptTokenCount":100}"#, "100 - - - -");
        assert_eq!(read_usage(Gemini, r#"{"trafficType":"ON_DEMAND"}"#), None);
    }

    #[test]
    fn after_a_compaction_by_the_server_the_last_step_counts() {
        check(
            Anthropic,
            r#"{"input_tokens":281,"cache_read_input_tokens":55096,"output_tokens":8,"iterations":[
                {"type":"compaction","input_tokens":100,"cache_read_input_tokens":55096,"output_tokens":83},
                {"type":"message","input_tokens":181,"cache_read_input_tokens":0,"output_tokens":8}]}"#,
            "181 0 - 8 -",
        );
    }

    #[test]
    fn numbers_that_are_none_are_absent() {
        check(OpenAiChat, r#"{"prompt_tokens":"12","completion_tokens":3.0}"#, "12 - - 3 -");
        assert_eq!(read_usage(OpenAiChat, r#"{"prompt_tokens":-4,"completion_tokens":1.5}"#), None);
        assert_eq!(read_usage(OpenAiChat, "[]"), None);
        check(
            OpenAiChat,
            r#"{"billed_units":{"input_tokens":6},"tokens":{"input_tokens":96,"output_tokens":8}}"#,
            "96 - - 8 -",
        );
    }

    #[test]
    fn the_numbers_of_a_stream() {
        let merged = |wire, parts: &[&str]| {
            let usages = parts.iter().filter_map(|json| read_usage(wire, json));
            show(usages.fold(Usage::default(), Usage::updated_by))
        };
        // The end states the output alone, or all again, or zeros for what it does not know.
        let start = r#"{"input_tokens":3,"cache_read_input_tokens":90,"output_tokens":1}"#;
        assert_eq!(merged(Anthropic, &[start, r#"{"output_tokens":58}"#]), "3 90 - 58 -");
        assert_eq!(
            merged(
                Anthropic,
                &[start, r#"{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":58}"#]
            ),
            "3 90 - 58 -"
        );
        // A compaction in between: the prompt is another one.
        assert_eq!(
            merged(
                Anthropic,
                &[start, r#"{"input_tokens":181,"cache_read_input_tokens":0,"output_tokens":8}"#]
            ),
            "181 0 - 8 -"
        );
        assert_eq!(
            merged(
                Anthropic,
                &[r#"{"input_tokens":0,"output_tokens":0}"#, r#"{"input_tokens":7,"output_tokens":8}"#]
            ),
            "7 - - 8 -"
        );
        let chunk = r#"{"promptTokenCount":71,"candidatesTokenCount":16,"thoughtsTokenCount":93}"#;
        let last = r#"{"promptTokenCount":71,"candidatesTokenCount":33,"thoughtsTokenCount":93}"#;
        assert_eq!(merged(Gemini, &[chunk, last]), "71 - - 126 93");
    }
}
