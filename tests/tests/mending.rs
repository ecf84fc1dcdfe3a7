//! Laws of `repair`, for each provider: whatever it is given, what comes out would be accepted; what was
//! valid comes back untouched; and once is enough.

use foldback::model::{Context, Message, WireFormat};
use foldback::wire::{Document, ReadOptions, check, read, repair};
use foldback_testkit::{Shape, history};
use proptest::prelude::*;

fn reread(json: &str, wire: WireFormat) -> Document {
    let options = ReadOptions::of(wire);
    read(json.as_bytes(), &options)
        .unwrap_or_else(|error| panic!("what was written can be read: {error}: {json}"))
}

/// Small conversations show the same faults, and many of them can be tried.
fn small(shape: Shape) -> Shape {
    shape.with_turns(0..=3)
}

/// Conversations in memory, of no provider in particular, broken or not.
fn any_messages() -> impl Strategy<Value = Vec<Message>> {
    prop_oneof![
        3 => history::broken(small(Shape::default())),
        1 => history::valid(small(Shape::default().or_pending())).prop_map(|history| history.messages),
    ]
}

/// The same as a request of `wire`: read from JSON, so that every message has its own.
fn any_request(wire: WireFormat) -> impl Strategy<Value = Document> {
    let broken =
        prop_oneof![history::broken(small(Shape::of(wire))), history::broken(small(Shape::default()))];
    broken.prop_map(move |messages| {
        // Written message by message, so that the writer mends nothing.
        let written: Vec<String> = messages
            .into_iter()
            .map(|message| Document::of_context(wire, Context::new(vec![message])))
            .map(|document| document.write(&document.context).json)
            .collect();
        let lists: Vec<Vec<Message>> =
            written.iter().map(|json| reread(json, wire).context.messages).collect();
        let elements: Vec<String> = lists
            .iter()
            .flatten()
            .filter_map(|message| message.raw().map(|raw| raw.json.to_string()))
            .collect();
        reread(&format!("[{}]", elements.join(", ")), wire)
    })
}

fn holds(document: &Document, wire: WireFormat) -> Result<(), TestCaseError> {
    let repaired = repair(wire, &document.context);
    let written = document.write(&repaired.context);
    let after = reread(&written.json, wire);
    prop_assert_eq!(check(wire, &after.context.messages), [], "{}", written.json);
    prop_assert_eq!(check(wire, &repaired.context.messages), []);
    prop_assert_eq!(repaired.sources.len(), repaired.context.messages.len());
    let again = repair(wire, &repaired.context);
    prop_assert_eq!(&again.edits, &[]);
    prop_assert_eq!(&again.context.messages, &repaired.context.messages);
    let valid_before = check(wire, &document.context.messages).is_empty();
    prop_assert_eq!(
        valid_before,
        repaired.edits.is_empty(),
        "an edit without need, or none where one was needed"
    );
    if valid_before {
        prop_assert_eq!(&repaired.context.messages, &document.context.messages);
    }
    Ok(())
}

macro_rules! laws {
    ($($in_memory:ident, $as_read:ident: $wire:expr,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]
            $(
                #[test]
                fn $in_memory(messages in any_messages()) {
                    holds(&Document::of_context($wire, Context::new(messages)), $wire)?;
                }

                #[test]
                fn $as_read(document in any_request($wire)) {
                    holds(&document, $wire)?;
                }
            )*
        }
    };
}

laws! {
    openai_chat_in_memory, openai_chat_as_read: WireFormat::OpenAiChat,
    openai_responses_in_memory, openai_responses_as_read: WireFormat::OpenAiResponses,
    anthropic_in_memory, anthropic_as_read: WireFormat::Anthropic,
    gemini_in_memory, gemini_as_read: WireFormat::Gemini,
}
