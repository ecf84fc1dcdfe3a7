//! Where results stand: directly behind the message whose calls they answer.

use foldback_model::{Exchange, Message, Part, Role, WireFormat};

use super::{Case, Found};

pub(super) fn judge(case: &Case<'_>) -> Found {
    let mut found: Found = case
        .graph
        .exchanges()
        .iter()
        .filter(|exchange| exchange_has_results(case, exchange))
        .filter_map(|exchange| match case.provider {
            WireFormat::OpenAiChat => in_a_row(case, exchange),
            _ => in_next_message(case, exchange),
        })
        .collect();
    if case.provider == WireFormat::Anthropic {
        found.extend(case.messages.iter().enumerate().filter_map(in_front));
    }
    found
}

/// Calls without any result are another rule's matter.
fn exchange_has_results(case: &Case<'_>, exchange: &Exchange) -> bool {
    exchange.last > exchange.first && last_result(case, exchange) > exchange.first
}

/// The last message that answers a call of the exchange.
fn last_result(case: &Case<'_>, exchange: &Exchange) -> usize {
    let answers = |index: &usize| {
        case.messages[*index]
            .results()
            .any(|result| case.messages[exchange.first].calls().any(|call| call.id == result.call_id))
    };
    // The exchange of a running call reaches to the end, past its results.
    if exchange.pending {
        return (exchange.first + 1..=exchange.last).rev().find(answers).unwrap_or(exchange.first);
    }
    exchange.last
}

/// OpenAI Chat: nothing but tool messages from the calls to their last result.
fn in_a_row(case: &Case<'_>, exchange: &Exchange) -> Option<(usize, String)> {
    let last = last_result(case, exchange);
    let between =
        (exchange.first + 1..=last).find(|&index| case.messages[index].results().next().is_none())?;
    let what = format!(
        "message {between} stands between the calls of message {} and the result in message {last}",
        exchange.first
    );
    Some((between, what))
}

/// Anthropic and Gemini: all results in the next message.
fn in_next_message(case: &Case<'_>, exchange: &Exchange) -> Option<(usize, String)> {
    let first = exchange.first;
    let next = next_message(case, first);
    let last = last_result(case, exchange);
    if !next.contains(&last) {
        let what = format!("the calls of message {first} are answered as late as in message {last}");
        return Some((last, what));
    }
    if case.provider == WireFormat::Gemini {
        return counterparts(case, first, next);
    }
    None
}

/// What is sent as the message behind `index`: a message, or a run of tool messages, which is sent
/// as one. Anthropic's system messages may stand in between.
fn next_message(case: &Case<'_>, index: usize) -> std::ops::Range<usize> {
    let messages = case.messages;
    let skips = |message: &Message| case.provider == WireFormat::Anthropic && message.role.is_instruction();
    let start = index + 1 + messages[index + 1..].iter().take_while(|message| skips(message)).count();
    let run = messages[start.min(messages.len())..]
        .iter()
        .take_while(|message| case.is_tool_message(message))
        .count();
    start..start + run.max(1)
}

/// Gemini: as many responses as calls, of the same names.
fn counterparts(case: &Case<'_>, first: usize, next: std::ops::Range<usize>) -> Option<(usize, String)> {
    let mut called: Vec<&str> = case.messages[first].calls().map(|call| call.name.as_str()).collect();
    let results = || case.messages[next.clone()].iter().flat_map(Message::results);
    let n_results = results().count();
    if n_results != called.len() {
        let what = format!(
            "message {first} makes {} calls and the next one holds {n_results} results",
            called.len()
        );
        return Some((next.start, what));
    }
    let mut answered: Vec<&str> = results().filter_map(|result| result.name.as_deref()).collect();
    if answered.len() != n_results {
        return None;
    }
    called.sort_unstable();
    answered.sort_unstable();
    let (call, result) = called.iter().zip(&answered).find(|(call, result)| call != result)?;
    Some((next.start, format!("message {first} calls `{call}` and the next one answers `{result}`")))
}

/// Anthropic: no other block in front of a result.
fn in_front((index, message): (usize, &Message)) -> Option<(usize, String)> {
    let is_result = |part: &Part| matches!(part, Part::ToolResult(_));
    let other = message.parts().iter().position(|part| !is_result(part))?;
    let late = message.parts().iter().rposition(is_result)?;
    (message.role != Role::Assistant && late > other)
        .then(|| (index, format!("block {other} of message {index} stands in front of a result")))
}
