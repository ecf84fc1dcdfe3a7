//! Reasoning that the provider would refuse.

use foldback_model::{Context, Message, Part, Role, WireFormat};

use super::{Draft, Draught, EditKind};

impl Draft<'_> {
    /// Anthropic: reasoning without a signature, and with it all other reasoning of the message, which
    /// has to come back whole.
    pub(super) fn drop_unsigned_reasoning(&mut self) {
        if self.provider != WireFormat::Anthropic {
            return;
        }
        let is_unsigned = |part: &Part| match part {
            Part::Thinking(thinking) => thinking.signature.as_ref().is_none_or(String::is_empty),
            _ => false,
        };
        let mut concerned = Vec::new();
        for draught in &mut self.messages {
            if draught.message.parts().iter().any(is_unsigned) {
                draught.message.to_mut().retain_parts(|part| !matches!(part, Part::Thinking(_)));
                concerned.push(draught.origin);
            }
        }
        self.messages
            .retain(|draught| !draught.message.parts().is_empty() || !concerned.contains(&draught.origin));
        for origin in concerned {
            self.edit(origin, EditKind::DroppedReasoning, "reasoning without a signature was taken out");
        }
    }

    /// Responses: reasoning that leads to nothing.
    pub(super) fn drop_loose_reasoning(&mut self) {
        if self.provider != WireFormat::OpenAiResponses {
            return;
        }
        let is_reasoning = |message: &Message| {
            message.role == Role::Assistant
                && !message.parts().is_empty()
                && message.parts().iter().all(|part| matches!(part, Part::Thinking(_)))
        };
        // From the end, since what is followed by loose reasoning alone is loose itself.
        let mut leads_on = false;
        let mut kept = Vec::with_capacity(self.messages.len());
        for draught in std::mem::take(&mut self.messages).into_iter().rev() {
            if is_reasoning(&draught.message) && !leads_on {
                self.edit(
                    draught.origin,
                    EditKind::DroppedReasoning,
                    "reasoning was taken out, since nothing of the same reply follows it",
                );
                continue;
            }
            leads_on = draught.message.role == Role::Assistant;
            kept.push(draught);
        }
        kept.reverse();
        self.messages = kept;
    }

    /// Reasoning that is bound to what stood in front of it before the other edits.
    pub(super) fn drop_dead_reasoning(&mut self, head: &Context) {
        let mut context = head.clone();
        context.messages = self.plain();
        let dead = context.drop_dead_reasoning();
        if dead.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.messages);
        let is_gone = |index: &usize| {
            dead.contains(index)
                && old[*index].message.parts().iter().all(|part| matches!(part, Part::Thinking(_)))
        };
        let left: Vec<usize> = (0..old.len()).filter(|index| !is_gone(index)).collect();
        self.messages = left
            .into_iter()
            .zip(context.messages)
            .map(|(index, message)| Draught::new(old[index].origin, message))
            .collect();
        for index in dead {
            self.edit(
                old[index].origin,
                EditKind::DroppedReasoning,
                "signed reasoning was taken out, since what stood in front of it has changed",
            );
        }
    }
}
