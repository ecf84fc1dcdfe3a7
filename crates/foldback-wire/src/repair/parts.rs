//! What a message is made of: parts of one role, none of them blank.

use foldback_model::{Message, Part, Role};

use super::{Draft, Draught, EditKind};
use crate::check::lacks_content;

/// Who may say a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Assistant,
    Answer,
    Either,
}

fn side(part: &Part) -> Side {
    match part {
        Part::ToolCall(_) | Part::Thinking(_) => Side::Assistant,
        Part::ToolResult(_) => Side::Answer,
        _ => Side::Either,
    }
}

impl Draft<'_> {
    /// Calls and reasoning become the assistant's, results the user's.
    pub(super) fn split_roles(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        for draught in messages {
            let fits = |part: &Part| match side(part) {
                Side::Assistant => draught.message.role == Role::Assistant,
                Side::Answer => matches!(draught.message.role, Role::User | Role::Tool),
                Side::Either => true,
            };
            if draught.message.parts().iter().all(fits) {
                self.messages.push(draught);
                continue;
            }
            self.edit(
                draught.origin,
                EditKind::SplitMessage,
                format!("the role {} does not fit all parts", draught.message.role.as_str()),
            );
            self.messages.extend(split(&draught));
        }
    }

    /// Takes out blank texts and empty messages that the provider refuses.
    pub(super) fn drop_blanks(&mut self) {
        let provider = self.provider;
        let is_refused = |draught: &&mut Draught<'_>| lacks_content(provider, &draught.message).is_some();
        let mut done = Vec::new();
        for draught in self.messages.iter_mut().filter(is_refused) {
            draught
                .message
                .to_mut()
                .retain_parts(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
            let (kind, detail) = match draught.message.parts() {
                [] => (EditKind::DroppedMessage, "a message without content was taken out"),
                _ => (EditKind::DroppedBlank, "blank text was taken out"),
            };
            done.push((draught.origin, kind, detail));
        }
        self.messages.retain(|draught| {
            !draught.message.parts().is_empty() || lacks_content(provider, &draught.message).is_none()
        });
        for (origin, kind, detail) in done {
            self.edit(origin, kind, detail);
        }
    }
}

/// The message as runs of parts that one side may say. Its own role counts for what either side may say,
/// unless the parts that only one may say are all of one side.
fn split(draught: &Draught<'_>) -> Vec<Draught<'static>> {
    let message = &draught.message;
    let sides: Vec<Side> = message.parts().iter().map(side).collect();
    let has = |wanted: Side| sides.contains(&wanted);
    let either = match (has(Side::Assistant), has(Side::Answer), message.role) {
        (true, false, role) if !role.is_instruction() => Role::Assistant,
        (_, _, Role::Tool) => Role::User,
        (false, true, Role::Assistant) => Role::User,
        (_, _, role) => role,
    };
    let role_of = |side: Side| match side {
        Side::Assistant => Role::Assistant,
        Side::Answer => Role::Tool,
        Side::Either => either,
    };
    let mut runs: Vec<(Role, Vec<Part>)> = Vec::new();
    for (part, side) in message.parts().iter().zip(sides) {
        let role = role_of(side);
        match runs.last_mut() {
            Some((last, parts)) if *last == role => parts.push(part.clone()),
            _ => runs.push((role, vec![part.clone()])),
        }
    }
    let piece = |(role, parts): (Role, Vec<Part>)| {
        Draught::new(draught.origin, Message::new(role, parts).with_meta(message.meta.clone()))
    };
    runs.into_iter().map(piece).collect()
}
