//! The ids that pair calls and results.

use std::collections::BTreeSet;

use foldback_model::WireFormat::Anthropic;

use super::{Case, Found};
use crate::codec::is_anthropic_id;

pub(super) fn call_id(case: &Case<'_>) -> Found {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, message) in case.messages.iter().enumerate() {
        if case.provider != Anthropic {
            seen.clear();
        }
        for call in message.calls() {
            let what = if call.id.is_empty() {
                format!("a call of `{}` in message {index} has no id", call.name)
            } else if !seen.insert(call.id.as_str()) {
                format!("message {index} uses the call id `{}` once more", call.id)
            } else if case.provider == Anthropic && !is_anthropic_id(&call.id) {
                format!("the call id `{}` of message {index} has a character that is not allowed", call.id)
            } else {
                continue;
            };
            found.push((index, what));
        }
    }
    found
}
