//! The rules, as data.

use std::collections::BTreeSet;

use foldback_model::WireFormat::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};
use foldback_model::{CallSite, Message, Part, Role};

use super::{Case, Found, Rule, adjacency};
use crate::json::Object;

const CHAT_PAGE: &str = "OpenAI: Function calling";
const RESPONSES_PAGE: &str = "OpenAI: Function calling";
const ANTHROPIC_TOOLS: &str = "Anthropic: Handle tool calls";
const ANTHROPIC_MESSAGES: &str = "Anthropic: Messages API reference";
const GEMINI_TOOLS: &str = "Gemini API: Function calling";
const GEMINI_CONTENTS: &str = "Gemini API: Generating content";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "no-messages",
        providers: &[OpenAiChat, OpenAiResponses, Anthropic, Gemini],
        demand: "a request has at least one message besides the instructions",
        sources: &[
            (OpenAiChat, CHAT_PAGE),
            (OpenAiResponses, RESPONSES_PAGE),
            (Anthropic, ANTHROPIC_MESSAGES),
            (Gemini, GEMINI_CONTENTS),
        ],
        judge: no_messages,
    },
    Rule {
        id: "first-role",
        providers: &[OpenAiChat, Anthropic, Gemini],
        demand: "behind the instructions, a conversation begins with the user",
        sources: &[(OpenAiChat, CHAT_PAGE), (Anthropic, ANTHROPIC_MESSAGES), (Gemini, GEMINI_CONTENTS)],
        judge: first_role,
    },
    Rule {
        id: "alternation",
        providers: &[Anthropic, Gemini],
        demand: "user and assistant have to take turns, so the two belong in one message",
        sources: &[(Anthropic, ANTHROPIC_MESSAGES), (Gemini, GEMINI_CONTENTS)],
        judge: alternation,
    },
    Rule {
        id: "orphan-result",
        providers: &[OpenAiChat, OpenAiResponses, Anthropic, Gemini],
        demand: "each result has to follow an open call of its id",
        sources: &[
            (OpenAiChat, CHAT_PAGE),
            (OpenAiResponses, RESPONSES_PAGE),
            (Anthropic, ANTHROPIC_TOOLS),
            (Gemini, GEMINI_TOOLS),
        ],
        judge: orphan_result,
    },
    Rule {
        id: "unanswered-call",
        providers: &[OpenAiChat, OpenAiResponses, Anthropic, Gemini],
        demand: "each call has to be followed by a result of its id",
        sources: &[
            (OpenAiChat, CHAT_PAGE),
            (OpenAiResponses, RESPONSES_PAGE),
            (Anthropic, ANTHROPIC_TOOLS),
            (Gemini, GEMINI_TOOLS),
        ],
        judge: unanswered_call,
    },
    Rule {
        id: "results-adjacent",
        providers: &[OpenAiChat, Anthropic, Gemini],
        demand: "the results of a message have to follow it directly",
        sources: &[(OpenAiChat, CHAT_PAGE), (Anthropic, ANTHROPIC_TOOLS), (Gemini, GEMINI_TOOLS)],
        judge: adjacency::judge,
    },
    Rule {
        id: "empty-content",
        providers: &[OpenAiChat, Anthropic, Gemini],
        demand: "each message needs content that is not blank",
        sources: &[(OpenAiChat, CHAT_PAGE), (Anthropic, ANTHROPIC_MESSAGES), (Gemini, GEMINI_CONTENTS)],
        judge: empty_content,
    },
    Rule {
        id: "call-id",
        providers: &[OpenAiChat, OpenAiResponses, Anthropic],
        demand: "the ids of the calls of a message have to be present and different, and those of Anthropic made of \
                 letters, digits, `_` and `-`",
        sources: &[(OpenAiChat, CHAT_PAGE), (OpenAiResponses, RESPONSES_PAGE), (Anthropic, ANTHROPIC_TOOLS)],
        judge: call_id,
    },
    Rule {
        id: "reasoning-follower",
        providers: &[OpenAiResponses],
        demand: "a reasoning item has to be followed directly by the item that it led to",
        sources: &[(OpenAiResponses, "OpenAI: Reasoning models")],
        judge: reasoning_follower,
    },
];

fn no_messages(case: &Case<'_>) -> Found {
    match case.spoken().next() {
        Some(_) => Vec::new(),
        None => vec![(0, "there is nothing to answer".to_owned())],
    }
}

fn first_role(case: &Case<'_>) -> Found {
    let Some((index, first)) = case.spoken().next() else { return Vec::new() };
    let refused = match case.provider {
        OpenAiChat => first.role == Role::Tool,
        _ => case.sent_role(first) != Role::User,
    };
    if !refused {
        return Vec::new();
    }
    vec![(index, format!("message {index} is the first and has the role {}", first.role.as_str()))]
}

fn alternation(case: &Case<'_>) -> Found {
    let spoken: Vec<(usize, &Message)> = case.spoken().collect();
    // Those versions of Anthropic's API that take system messages inside the list join neighbours.
    let start = spoken.first().map_or(0, |(index, _)| *index);
    if case.provider == Anthropic && spoken.len() < case.messages.len() - start {
        return Vec::new();
    }
    spoken
        .windows(2)
        .filter(|pair| {
            // Results go into the front of the message that follows them.
            !case.is_tool_message(pair[0].1) && case.sent_role(pair[0].1) == case.sent_role(pair[1].1)
        })
        .map(|pair| {
            let (before, index, role) = (pair[0].0, pair[1].0, pair[1].1.role.as_str());
            (index, format!("messages {before} and {index} both have the role {role}"))
        })
        .collect()
}

fn orphan_result(case: &Case<'_>) -> Found {
    let describe = |site: &CallSite| {
        (
            site.message,
            format!("message {} answers the call `{}`, which is not open there", site.message, site.id),
        )
    };
    case.graph.orphans().iter().map(describe).collect()
}

fn unanswered_call(case: &Case<'_>) -> Found {
    let describe = |site: &CallSite| {
        (site.message, format!("the call `{}` of message {} has no result", site.id, site.message))
    };
    case.graph.dangling().iter().chain(case.graph.pending()).map(describe).collect()
}

fn empty_content(case: &Case<'_>) -> Found {
    let judge = |(index, message): (usize, &Message)| {
        let blank = |part: &Part| part.as_text().is_some_and(|text| text.trim().is_empty());
        let what = match case.provider {
            _ if may_be_empty(case, index, message) => return None,
            _ if message.parts().is_empty() => "no content",
            // Many servers write an empty text beside calls, and take it back.
            OpenAiChat if !message.parts().iter().all(blank) => return None,
            _ if message.parts().iter().any(blank) => "a blank text",
            _ => return None,
        };
        Some((index, format!("message {index} has {what}")))
    };
    case.messages.iter().enumerate().filter_map(judge).collect()
}

/// What providers are known to take, against the rule.
fn may_be_empty(case: &Case<'_>, index: usize, message: &Message) -> bool {
    match case.provider {
        Anthropic => message.role == Role::Assistant && index + 1 == case.messages.len(),
        // A reply without a word comes as an empty text, unlike `null`, and may go back so.
        OpenAiChat => message.role == Role::Assistant && has_text_content(message),
        // An agent that has instructions only opens with an empty text.
        Gemini => index == 0 && message.role == Role::User && !message.parts().is_empty(),
        _ => false,
    }
}

fn has_text_content(message: &Message) -> bool {
    let Some(raw) = message.raw().filter(|raw| raw.wire == OpenAiChat) else { return false };
    Object::parse(&raw.json)
        .is_some_and(|object| object.get("content").is_some_and(|text| text.starts_with('"')))
}

fn call_id(case: &Case<'_>) -> Found {
    let mut found = Vec::new();
    for (index, message) in case.messages.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for call in message.calls() {
            let what = if call.id.is_empty() {
                format!("a call of `{}` in message {index} has no id", call.name)
            } else if !seen.insert(call.id.as_str()) {
                format!("message {index} has the call id `{}` twice", call.id)
            } else if case.provider == Anthropic && !call.id.bytes().all(is_anthropic_id) {
                format!("the call id `{}` of message {index} has a character that is not allowed", call.id)
            } else {
                continue;
            };
            found.push((index, what));
        }
    }
    found
}

/// Anthropic's pattern for ids is `^[a-zA-Z0-9_-]+$`.
fn is_anthropic_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn reasoning_follower(case: &Case<'_>) -> Found {
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
