//! Reasoning, and the signatures that providers put on it.

use foldback_model::{Message, Part, Role};

use super::{Case, Found};

pub(super) fn follower(case: &Case<'_>) -> Found {
    let is_reasoning = |message: &Message| {
        message.role == Role::Assistant
            && !message.parts().is_empty()
            && message.parts().iter().all(|part| matches!(part, Part::Thinking(_)))
    };
    let judge = |(index, message): (usize, &Message)| {
        let what = match case.messages.get(index + 1) {
            _ if !is_reasoning(message) => return None,
            Some(next) if next.role == Role::Assistant => return None,
            Some(next) => {
                format!("the reasoning of item {index} is followed by an item of the {}", next.role.as_str())
            }
            None => format!("the reasoning of item {index} is the last item"),
        };
        Some((index, what))
    };
    case.messages.iter().enumerate().filter_map(judge).collect()
}

/// Anthropic: a block without its signature, or with an empty one.
pub(super) fn unsigned(case: &Case<'_>) -> Found {
    let is_unsigned = |part: &Part| match part {
        Part::Thinking(thinking) => thinking.signature.as_ref().is_none_or(String::is_empty),
        _ => false,
    };
    let judge = |(index, message): (usize, &Message)| {
        let place = message.parts().iter().position(is_unsigned)?;
        Some((index, format!("block {place} of message {index} is reasoning without a signature")))
    };
    case.messages.iter().enumerate().filter_map(judge).collect()
}

/// Gemini: calls of the turn under way without a signature, where others have one. Models that do not
/// sign, and conversations that come from elsewhere, have none at all.
pub(super) fn lost_signature(case: &Case<'_>) -> Found {
    let is_signed = |message: &Message| message.calls().any(|call| call.signature.is_some());
    if !case.messages.iter().any(is_signed) {
        return Vec::new();
    }
    let answers = |message: &Message| message.results().next().is_some();
    let asks = |message: &Message| case.sent_role(message) == Role::User && !answers(message);
    let start = case.messages.iter().rposition(asks).unwrap_or(0);
    let judge = |(index, message): (usize, &Message)| {
        let first = message.calls().next().filter(|call| call.signature.is_none())?;
        Some((index, format!("the call of `{}` in message {index} has lost its signature", first.name)))
    };
    case.messages.iter().enumerate().skip(start).filter_map(judge).collect()
}
