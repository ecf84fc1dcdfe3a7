//! All that a request to a model sends.

use std::borrow::Cow;

use crate::{Message, Summary};

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The tool's name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, as text.
    pub schema: String,
}

impl ToolDefinition {
    /// A tool `name` with its description and the JSON text of its schema.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), schema: schema.into() }
    }
}

/// A conversation and everything else that a request sends.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// System text that stands outside the list of messages, its blocks joined by blank lines.
    pub system: Option<String>,
    /// The summary of what was condensed before, if it is not among the messages.
    pub summary: Option<Summary>,
    /// The index in `messages` in front of which the summary stands; `None` puts it behind the
    /// leading system and developer messages.
    pub summary_at: Option<usize>,
    /// Number of compactions that the conversation has been through.
    pub epoch: u32,
    /// The messages, system and developer messages of the list included.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
    /// The model that the request names.
    pub model: Option<String>,
}

impl Context {
    /// A context of `messages` alone.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Everything but the messages and the summary.
    #[must_use]
    pub fn clone_without_messages(&self) -> Self {
        Self {
            system: self.system.clone(),
            tools: self.tools.clone(),
            model: self.model.clone(),
            epoch: self.epoch,
            ..Self::default()
        }
    }

    /// The messages as a request sends them: the summary in its place, as a user message.
    ///
    /// ```
    /// use foldback_model::{Context, Message, Role, Summary};
    ///
    /// let mut context = Context::new(vec![Message::new(Role::System, vec![]), Message::user("go on")]);
    /// context.summary = Some(Summary::new("we began"));
    /// let roles: Vec<Role> = context.projected().map(|message| message.role).collect();
    /// assert_eq!(roles, [Role::System, Role::User, Role::User]);
    /// ```
    pub fn projected(&self) -> impl Iterator<Item = Cow<'_, Message>> {
        let at = self.summary_place();
        let summary = self.summary.as_ref().and_then(Summary::to_message);
        let (front, back) = self.messages.split_at(at);
        front.iter().map(Cow::Borrowed).chain(summary.map(Cow::Owned)).chain(back.iter().map(Cow::Borrowed))
    }

    /// The index in `messages` in front of which the summary stands.
    #[must_use]
    pub fn summary_place(&self) -> usize {
        let instructions = self.messages.iter().take_while(|message| message.role.is_instruction()).count();
        self.summary_at.map_or(instructions, |at| at.min(self.messages.len()))
    }
}
