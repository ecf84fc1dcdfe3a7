//! The rules, as data.

use foldback_model::WireFormat::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};
use foldback_model::{CallSite, Message, Part, Role, WireFormat};

use super::{Case, Found, Rule, adjacency, ids, reasoning};
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
        demand: "the ids of the calls of a message have to be present and different; those of Anthropic differ in \
                 the whole request and are made of letters, digits, `_` and `-`",
        sources: &[(OpenAiChat, CHAT_PAGE), (OpenAiResponses, RESPONSES_PAGE), (Anthropic, ANTHROPIC_TOOLS)],
        judge: ids::call_id,
    },
    Rule {
        id: "part-role",
        providers: &[OpenAiChat, OpenAiResponses, Anthropic, Gemini],
        demand: "the assistant makes calls and reasons, the user or a tool answers",
        sources: &[
            (OpenAiChat, CHAT_PAGE),
            (OpenAiResponses, RESPONSES_PAGE),
            (Anthropic, ANTHROPIC_TOOLS),
            (Gemini, GEMINI_TOOLS),
        ],
        judge: part_role,
    },
    Rule {
        id: "reasoning-follower",
        providers: &[OpenAiResponses],
        demand: "a reasoning item has to be followed directly by the item that it led to",
        sources: &[(OpenAiResponses, "OpenAI: Reasoning models")],
        judge: reasoning::follower,
    },
    Rule {
        id: "thinking-signature",
        providers: &[Anthropic],
        demand: "reasoning comes back with its signature or not at all",
        sources: &[(Anthropic, "Anthropic: Extended thinking")],
        judge: reasoning::unsigned,
    },
    Rule {
        id: "thought-signature",
        providers: &[Gemini],
        demand: "since the newest message of the user, the first call of each reply comes back with its signature",
        sources: &[(Gemini, "Gemini API: Thought signatures")],
        judge: reasoning::lost_signature,
    },
];

fn no_messages(case: &Case<'_>) -> Found {
    // A message of our own making that says nothing is not written.
    let is_written = |(_, message): &(usize, &Message)| {
        message.raw().is_some() || message.parts().iter().any(|part| !is_blank(part))
    };
    match case.spoken().find(is_written) {
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
        let what = lacks_content(case.provider, message).filter(|_| !may_be_empty(case, index, message))?;
        Some((index, format!("message {index} has {what}")))
    };
    case.messages.iter().enumerate().filter_map(judge).collect()
}

/// What the provider would refuse in a message that stands between others, if it is that it says nothing.
pub(crate) fn lacks_content(provider: WireFormat, message: &Message) -> Option<&'static str> {
    match provider {
        OpenAiResponses => None,
        // A reply without a word comes as an empty text, unlike `null`, and may go back so.
        OpenAiChat if message.role == Role::Assistant && has_text_content(message) => None,
        _ if message.parts().is_empty() => Some("no content"),
        // Many servers write an empty text beside calls, and take it back.
        OpenAiChat if !message.parts().iter().all(is_blank) => None,
        _ if message.parts().iter().any(is_blank) => Some("a blank text"),
        _ => None,
    }
}

fn is_blank(part: &Part) -> bool {
    part.as_text().is_some_and(|text| text.trim().is_empty())
}

/// What providers are known to take in some places, against the rule. We ourselves write no such thing.
fn may_be_empty(case: &Case<'_>, index: usize, message: &Message) -> bool {
    message.raw().is_some_and(|raw| raw.wire == case.provider)
        && match case.provider {
            Anthropic => message.role == Role::Assistant && index + 1 == case.messages.len(),
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

fn part_role(case: &Case<'_>) -> Found {
    let judge = |(index, message): (usize, &Message)| {
        let is_misplaced = |part: &&Part| match part {
            Part::ToolCall(_) | Part::Thinking(_) => message.role != Role::Assistant,
            Part::ToolResult(_) => !matches!(message.role, Role::User | Role::Tool),
            _ => false,
        };
        let what = match message.parts().iter().find(is_misplaced)? {
            Part::ToolCall(_) => "a call",
            Part::Thinking(_) => "reasoning",
            _ => "a result",
        };
        Some((index, format!("message {index} has the role {} and holds {what}", message.role.as_str())))
    };
    case.messages.iter().enumerate().filter_map(judge).collect()
}
