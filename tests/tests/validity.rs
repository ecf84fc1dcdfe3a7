//! Invariant 9 of the design, for each provider: what was a valid request is one after a compaction,
//! whatever is kept and pinned, and after a conversion.

use foldback::compact::{CompactError, Compacted};
use foldback::model::WireFormat;
use foldback::prelude::*;
use foldback::wire::{Document, ReadOptions, check, read};
use foldback_testkit::{Shape, history};
use proptest::prelude::*;

/// What is read from `json`, a request in `wire`.
fn reread(json: &str, wire: WireFormat) -> Document {
    let options = ReadOptions::of(wire);
    read(json.as_bytes(), &options).expect("what was written can be read")
}

/// A valid conversation as it comes from a provider's client.
fn valid_request(wire: WireFormat) -> impl Strategy<Value = Document> {
    history::valid(Shape::of(wire)).prop_map(move |history| {
        let document = Document::of_context(wire, Context::new(history.messages));
        reread(&document.write(&document.context).json, wire)
    })
}

fn findings(document: &Document, wire: WireFormat) -> Vec<String> {
    check(wire, &document.context.messages)
        .into_iter()
        .map(|finding| format!("#{} {}: {}", finding.index, finding.rule, finding.message))
        .collect()
}

fn compact(document: &Document, keep: u64, pinned: &[usize]) -> Result<Compacted, CompactError> {
    let compactor = Compactor::new(Config::new(Keep::tokens(TokenCount::new(keep)))).expect("it is in order");
    let estimator = Heuristic::default();
    let request = Request::new(&document.context, &estimator).pinned(pinned).require_reduction();
    let plan = compactor.plan(&request)?.expect("a plan that is demanded is there or an error");
    let mut compaction = compactor.start(&request, plan)?;
    while let Pending::Summarize(_) = compaction.pending() {
        compaction.summary_ready(foldback::summarize::SummaryReply::new("s"))?;
    }
    compaction.finish()
}

fn stays_valid(
    document: &Document,
    wire: WireFormat,
    keep: u64,
    pins: &[usize],
) -> Result<(), TestCaseError> {
    prop_assert_eq!(findings(document, wire), Vec::<String>::new(), "the generated request is broken");
    let n = document.context.messages.len();
    let pinned: Vec<usize> = pins.iter().map(|pin| pin % n.max(1)).filter(|&pin| pin < n).collect();
    match compact(document, keep, &pinned) {
        Ok(compacted) => {
            let written = document.write(&compacted.context);
            let after = reread(&written.json, wire);
            prop_assert_eq!(findings(&after, wire), Vec::<String>::new(), "{}", written.json);
        }
        Err(error) => prop_assert!(error.is_no_reduction(), "{error}"),
    }
    for to in WireFormat::ALL {
        let written = document.convert(&document.context, to);
        let after = reread(&written.json, to);
        prop_assert_eq!(findings(&after, to), Vec::<String>::new(), "as {}: {}", to.as_str(), written.json);
    }
    Ok(())
}

macro_rules! stays_valid {
    ($($name:ident: $wire:expr,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(500))]
            $(
                #[test]
                fn $name(
                    document in valid_request($wire),
                    keep in 0_u64..600,
                    pins in prop::collection::vec(0_usize..64, 0..3),
                ) {
                    stays_valid(&document, $wire, keep, &pins)?;
                }
            )*
        }
    };
}

stays_valid! {
    invariant_9_openai_chat: WireFormat::OpenAiChat,
    invariant_9_openai_responses: WireFormat::OpenAiResponses,
    invariant_9_anthropic: WireFormat::Anthropic,
    invariant_9_gemini: WireFormat::Gemini,
}
