//! Whether a provider would accept a list of messages.
//!
//! The rules are those that the providers publish. Messages are judged as they would be sent: for
//! Anthropic and Gemini, which know no role of tools, neighbouring tool messages are one message
//! of the user. Nothing is repaired here.

mod adjacency;
mod ids;
mod reasoning;
mod rules;
#[cfg(test)]
mod tests;

pub(crate) use rules::lacks_content;

use foldback_model::{CallGraph, Message, Role, WireFormat};

/// A rule of a provider that a list of messages breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Index of the message.
    pub index: usize,
    /// The rule's id, such as `orphan-result`.
    pub rule: &'static str,
    /// What is wrong, where, and what would be right.
    pub message: String,
}

/// Judges `messages` by the rules that `provider` publishes; in the order of the messages.
///
/// ```
/// use foldback_model::{Message, WireFormat};
/// use foldback_wire::check;
///
/// let messages = [Message::assistant("hello"), Message::user("hi")];
/// assert_eq!(check(WireFormat::Anthropic, &messages)[0].rule, "first-role");
/// assert!(check(WireFormat::OpenAiChat, &messages).is_empty());
/// ```
#[must_use]
pub fn check(provider: WireFormat, messages: &[Message]) -> Vec<Finding> {
    let case = Case { provider, messages, graph: CallGraph::new(messages, &[]) };
    let mut findings: Vec<Finding> = rules::RULES
        .iter()
        .filter(|rule| rule.providers.contains(&provider))
        .flat_map(|rule| {
            let found = (rule.judge)(&case);
            found.into_iter().map(|(index, what)| Finding {
                index,
                rule: rule.id,
                message: format!("{what}; {} ({})", rule.demand, source(rule, provider)),
            })
        })
        .collect();
    findings.sort_by_key(|finding| finding.index);
    findings
}

/// A list of messages before a provider.
struct Case<'a> {
    provider: WireFormat,
    messages: &'a [Message],
    graph: CallGraph,
}

/// What a rule found: the index of the message, and what is wrong with it.
type Found = Vec<(usize, String)>;

/// One published rule.
struct Rule {
    id: &'static str,
    providers: &'static [WireFormat],
    /// What would be right.
    demand: &'static str,
    /// For each provider, the title of the page of its documentation that says so.
    sources: &'static [(WireFormat, &'static str)],
    judge: fn(&Case<'_>) -> Found,
}

fn source(rule: &Rule, provider: WireFormat) -> &'static str {
    rule.sources.iter().find(|(of, _)| *of == provider).map_or("", |(_, title)| *title)
}

impl Case<'_> {
    /// The role under which a message is sent.
    fn sent_role(&self, message: &Message) -> Role {
        match message.role {
            Role::Tool if self.provider.alternates() => Role::User,
            role => role,
        }
    }

    /// Whether the message is sent as a part of the user's message: one of a tool, read from a
    /// format that gives tools a role.
    fn is_tool_message(&self, message: &Message) -> bool {
        message.role == Role::Tool && message.raw().is_none_or(|raw| raw.wire != self.provider)
    }

    /// The messages that are not standing instructions, with their indices.
    fn spoken(&self) -> impl Iterator<Item = (usize, &Message)> {
        self.messages.iter().enumerate().filter(|(_, message)| !message.role.is_instruction())
    }
}
