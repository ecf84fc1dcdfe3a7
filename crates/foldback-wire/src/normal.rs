//! Brings a conversation into the order that every provider takes: one assistant message for one
//! reply, and all results of its calls directly behind it, in the order of the calls.

use std::borrow::Cow;

use foldback_model::{Message, Part, Role, WireFormat};

use crate::pairs::Pairs;

/// Gives the messages in order, each with the index of the first message that went into it. They are
/// copies, so one at a time is enough.
///
/// Assistant messages that stand next to each other become one, except in Responses, where every
/// item stands for itself. A result is a message of its own, behind the reply that made the call.
pub(crate) fn normalize(messages: &[Cow<'_, Message>], to: WireFormat, give: &mut dyn FnMut(usize, Message)) {
    let pairs = Pairs::of(messages);
    let mut reply: Option<Reply> = None;
    for (index, message) in messages.iter().enumerate() {
        let said = said(&pairs, index, message);
        if message.role == Role::Assistant {
            let goes_on = to != WireFormat::OpenAiResponses
                && reply.as_ref().is_some_and(|reply| reply.last + 1 == index);
            let mut own = reply.take_if(|_| goes_on).unwrap_or_else(|| Reply::new(index));
            close(reply.take(), give);
            own.last = index;
            for (position, part) in message.parts().iter().enumerate() {
                let Some(site) = pairs.answer_of((index, position)) else { continue };
                debug_assert!(matches!(part, Part::ToolCall(_)));
                own.answers.push((site.0, pairs.result(messages, site)));
            }
            own.parts.extend(said);
            reply = Some(own);
        } else if !said.is_empty() {
            close(reply.take(), give);
            let rest = Message::new(message.role, said).with_meta(message.meta.clone());
            give(index, rest);
        }
        // A message of results alone has gone to the reply that it answers.
    }
    close(reply, give);
}

/// The parts of a message that stay where they are: all but the results that answer a call.
fn said(pairs: &Pairs, index: usize, message: &Message) -> Vec<Part> {
    let stays = |(position, _): &(usize, &Part)| !pairs.is_answer((index, *position));
    message.parts().iter().enumerate().filter(stays).map(|(_, part)| part.clone()).collect()
}

/// A reply of the model that is being put together.
struct Reply {
    first: usize,
    last: usize,
    parts: Vec<Part>,
    /// The results of its calls, each with the index of the message that holds it.
    answers: Vec<(usize, Part)>,
}

impl Reply {
    fn new(index: usize) -> Self {
        Self { first: index, last: index, parts: Vec::new(), answers: Vec::new() }
    }
}

fn close(reply: Option<Reply>, give: &mut dyn FnMut(usize, Message)) {
    let Some(reply) = reply else { return };
    give(reply.first, Message::new(Role::Assistant, reply.parts));
    for (index, result) in reply.answers {
        give(index, Message::new(Role::Tool, vec![result]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_model::{ToolCall, ToolResult};

    /// `u1` user, `a1` assistant; behind the text, calls (`>x`) and results (`<x`).
    fn messages(text: &str) -> Vec<Message> {
        text.split_whitespace()
            .map(|word| {
                let mut parts = Vec::new();
                let mut sign = ' ';
                for piece in word.split_inclusive(['>', '<']) {
                    let name = piece.trim_end_matches(['>', '<']);
                    match sign {
                        '>' => parts.push(Part::ToolCall(ToolCall::new(name, "f", "{}"))),
                        '<' => parts.push(Part::ToolResult(ToolResult::new(name, "ok"))),
                        _ if name.len() > 1 => parts.push(Part::text(name)),
                        _ => {}
                    }
                    sign = piece.chars().last().unwrap_or(' ');
                }
                let role = match word.as_bytes()[0] {
                    b'u' => Role::User,
                    b't' => Role::Tool,
                    _ => Role::Assistant,
                };
                Message::new(role, parts)
            })
            .collect()
    }

    fn check(to: WireFormat, text: &str, expected: &str) {
        let messages = messages(text);
        let messages: Vec<Cow<'_, Message>> = messages.iter().map(Cow::Borrowed).collect();
        let mut words = Vec::new();
        normalize(&messages, to, &mut |index, message| {
            let mut word = format!("{index}:{}", message.text().replace('\n', "+"));
            message.calls().for_each(|call| word += &format!(">{}", call.id));
            message.results().for_each(|result| word += &format!("<{}", result.call_id));
            words.push(word);
        });
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn steps_one_after_another_stay_apart() {
        check(WireFormat::Anthropic, "u1 a>x t<x a>y t<y a1", "0:u1 1:>x 2:<x 3:>y 4:<y 5:a1");
    }

    #[test]
    fn items_of_one_reply_become_one_message() {
        check(WireFormat::OpenAiChat, "u1 a1 a>x a>y t<y t<x a2", "0:u1 1:a1>x>y 5:<x 4:<y 6:a2");
        check(WireFormat::OpenAiResponses, "u1 a1 a>x a>y t<y t<x", "0:u1 1:a1 2:>x 5:<x 3:>y 4:<y");
    }

    #[test]
    fn results_move_up_past_what_the_user_said_between() {
        check(WireFormat::OpenAiChat, "u1 a>x>y t<y u2 t<x a1", "0:u1 1:>x>y 4:<x 2:<y 3:u2 5:a1");
        check(WireFormat::Anthropic, "u1 a>x>y u2<y u3<x", "0:u1 1:>x>y 3:<x 2:<y 2:u2 3:u3");
    }

    #[test]
    fn an_id_used_in_every_turn_pairs_by_occurrence() {
        check(WireFormat::Gemini, "a>0 t<0 u1 a>0 t<0", "0:>0 1:<0 2:u1 3:>0 4:<0");
    }

    #[test]
    fn orphans_stay_where_they_are() {
        check(WireFormat::Gemini, "u1 t<x a1", "0:u1 1:<x 2:a1");
    }
}
