//! Which messages belong together.
//!
//! A call is matched to its result by id, at any distance, by occurrence: some servers use the same
//! id in every turn, so a result answers the newest open call of its id.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{Message, Part, Role};

/// One call or one result: the message and the id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSite {
    /// Index of the message.
    pub message: usize,
    /// The id of the call.
    pub id: String,
}

/// A message with tool calls and every message that answers one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exchange {
    /// Index of the message that makes the calls.
    pub first: usize,
    /// Index of the last message that holds a result; the end of the history while a call is
    /// pending.
    pub last: usize,
    /// Whether a call is still running.
    pub pending: bool,
}

/// The calls of a history and what answers them.
///
/// ```
/// use foldback_model::{CallGraph, Message, Part, Role, ToolCall, ToolResult};
///
/// let history = [
///     Message::user("look"),
///     Message::new(Role::Assistant, vec![Part::ToolCall(ToolCall::new("c1", "ls", "{}"))]),
///     Message::tool(ToolResult::new("c1", "a.txt")),
///     Message::assistant("one file"),
/// ];
/// let graph = CallGraph::new(&history, &[]);
/// assert_eq!(graph.exchanges().len(), 1);
/// assert!(graph.may_cut_at(1) && graph.may_cut_at(3));
/// assert!(!graph.may_cut_at(2), "the result would lose its call");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallGraph {
    exchanges: Vec<Exchange>,
    orphans: Vec<CallSite>,
    dangling: Vec<CallSite>,
    pending: Vec<CallSite>,
    // `legal[i]`: nothing indivisible spans the place in front of message `i`. One longer than the
    // history.
    legal: Vec<bool>,
}

impl CallGraph {
    /// Matches calls and results of `messages`. `pending` names calls that are known to be running;
    /// an unanswered call after which nothing but results was said is taken for running too.
    #[must_use]
    pub fn new<M: Borrow<Message>>(messages: &[M], pending: &[String]) -> Self {
        Builder::new(messages, pending).build()
    }

    /// The same for a conversation in which nothing runs any more: every call without a result is
    /// dangling, at the end too.
    #[must_use]
    pub fn finished<M: Borrow<Message>>(messages: &[M]) -> Self {
        Builder { is_finished: true, ..Builder::new(messages, &[]) }.build()
    }

    /// Every exchange, by the message that makes the calls.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Results without a call before them.
    #[must_use]
    pub fn orphans(&self) -> &[CallSite] {
        &self.orphans
    }

    /// Calls that were never answered, though the conversation went on.
    #[must_use]
    pub fn dangling(&self) -> &[CallSite] {
        &self.dangling
    }

    /// Calls whose result is still to come.
    #[must_use]
    pub fn pending(&self) -> &[CallSite] {
        &self.pending
    }

    /// Whether the history may be cut in front of message `index`: no exchange and no bound pair is
    /// split, and the message is not a tool's answer. The end of the history counts as a place.
    #[must_use]
    pub fn may_cut_at(&self, index: usize) -> bool {
        self.legal.get(index).copied().unwrap_or(false)
    }
}

/// A call seen so far, and where it was answered last.
struct Seen {
    message: usize,
    answered_at: Option<usize>,
}

/// The calls of one id.
#[derive(Default)]
struct Calls {
    // In order of appearance.
    seen: Vec<Seen>,
    // Indices into `seen` of the calls without a result, message by message: a server that uses one id
    // for all its calls must not cost a search through them.
    open: Vec<VecDeque<usize>>,
}

impl Calls {
    fn call(&mut self, message: usize) {
        let place = self.seen.len();
        match self
            .open
            .last_mut()
            .filter(|group| group.back().is_some_and(|&open| self.seen[open].message == message))
        {
            Some(group) => group.push_back(place),
            None => self.open.push(VecDeque::from([place])),
        }
        self.seen.push(Seen { message, answered_at: None });
    }

    /// The first open call of the newest message that has one.
    fn take_open(&mut self) -> Option<&mut Seen> {
        let group = self.open.last_mut()?;
        let place = group.pop_front()?;
        if group.is_empty() {
            self.open.pop();
        }
        self.seen.get_mut(place)
    }
}

struct Builder<'a> {
    messages: Vec<&'a Message>,
    running: BTreeSet<&'a str>,
    calls: BTreeMap<&'a str, Calls>,
    orphans: Vec<CallSite>,
    is_finished: bool,
}

impl<'a> Builder<'a> {
    fn new<M: Borrow<Message>>(messages: &'a [M], running: &'a [String]) -> Self {
        let messages = messages.iter().map(Borrow::borrow).collect();
        let running = running.iter().map(String::as_str).collect();
        Self { messages, running, calls: BTreeMap::new(), orphans: Vec::new(), is_finished: false }
    }

    fn build(mut self) -> CallGraph {
        self.match_results();
        let tail = if self.is_finished { self.messages.len() } else { self.start_of_tail() };
        let mut last_of: BTreeMap<usize, Exchange> = BTreeMap::new();
        let (mut dangling, mut pending) = (Vec::new(), Vec::new());
        let end = self.messages.len();
        for (id, Calls { seen, .. }) in &self.calls {
            for (occurrence, call) in seen.iter().enumerate() {
                let newest = occurrence + 1 == seen.len();
                let site = || CallSite { message: call.message, id: (*id).to_owned() };
                let (last, runs) = match call.answered_at {
                    Some(last) => (last, false),
                    None if call.message >= tail || (newest && self.running.contains(id)) => {
                        pending.push(site());
                        (end.saturating_sub(1), true)
                    }
                    None => {
                        dangling.push(site());
                        (call.message, false)
                    }
                };
                let exchange = last_of.entry(call.message).or_insert(Exchange {
                    first: call.message,
                    last: call.message,
                    pending: false,
                });
                exchange.last = exchange.last.max(last);
                exchange.pending |= runs;
            }
        }
        dangling.sort_by_key(|site| site.message);
        pending.sort_by_key(|site| site.message);
        let exchanges: Vec<Exchange> = last_of.into_values().collect();
        let legal = self.legal_cuts(&exchanges);
        CallGraph { exchanges, orphans: self.orphans, dangling, pending, legal }
    }

    fn match_results(&mut self) {
        for (index, message) in self.messages.clone().into_iter().enumerate() {
            for part in message.parts() {
                match part {
                    Part::ToolCall(call) => self.calls.entry(&call.id).or_default().call(index),
                    Part::ToolResult(result) => self.answer(index, &result.call_id),
                    _ => {}
                }
            }
        }
    }

    /// The newest message with an open call of this id gets the result; a second result of an
    /// answered call belongs to that call's exchange as well.
    fn answer(&mut self, index: usize, id: &str) {
        let mut orphan = || self.orphans.push(CallSite { message: index, id: id.to_owned() });
        let Some(calls) = self.calls.get_mut(id) else { return orphan() };
        match calls.take_open() {
            Some(call) => call.answered_at = Some(index),
            None => {
                orphan();
                if let Some(call) = calls.seen.last_mut() {
                    call.answered_at = Some(index);
                }
            }
        }
    }

    /// From here on, nothing but results follows.
    fn start_of_tail(&self) -> usize {
        let only_results = |message: &Message| {
            message.parts().iter().all(|part| matches!(part, Part::ToolResult(_)))
                && !message.parts().is_empty()
        };
        let trailing = self.messages.iter().rev().take_while(|message| only_results(message)).count();
        let mut tail = self.messages.len() - trailing;
        // All items of one reply make calls together.
        while tail > 0 {
            tail -= 1;
            if tail == 0 || !self.messages[tail - 1].meta.binds_next {
                break;
            }
        }
        tail
    }

    fn legal_cuts(&self, exchanges: &[Exchange]) -> Vec<bool> {
        let n = self.messages.len();
        // Number of spans that begin or end in front of each message.
        let mut change = vec![0_i64; n + 2];
        let mut span = |first: usize, end: usize| {
            if first + 1 < end {
                change[first + 1] += 1;
                change[end] -= 1;
            }
        };
        for exchange in exchanges {
            // A pending exchange reaches past the end: its results are still to come.
            span(exchange.first, if exchange.pending { n + 1 } else { exchange.last + 1 });
        }
        for (index, message) in self.messages.iter().enumerate() {
            if message.meta.binds_next && index + 1 < n {
                span(index, index + 2);
            }
        }
        let mut open = 0;
        (0..=n)
            .map(|index| {
                open += change[index];
                open == 0 && self.messages.get(index).is_none_or(|message| !is_answer(message))
            })
            .collect()
    }
}

fn is_answer(message: &Message) -> bool {
    message.role == Role::Tool || message.results().next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCall, ToolResult};

    /// `u` user, `a` assistant, `a>x,y` with calls, `t<x` result.
    fn history(text: &str) -> Vec<Message> {
        text.split_whitespace()
            .map(|word| match word.split_once(['>', '<']) {
                Some((_, ids)) if word.starts_with('a') => Message::new(
                    Role::Assistant,
                    ids.split(',').map(|id| Part::ToolCall(ToolCall::new(id, "f", "{}"))).collect(),
                ),
                Some((_, ids)) => Message::new(
                    Role::Tool,
                    ids.split(',').map(|id| Part::ToolResult(ToolResult::new(id, "ok"))).collect(),
                ),
                None if word == "u" => Message::user("hi"),
                None => Message::assistant("yes"),
            })
            .collect()
    }

    fn check(text: &str, expected_cuts: &[usize]) {
        let messages = history(text);
        let graph = CallGraph::new(&messages, &[]);
        let cuts: Vec<usize> = (0..=messages.len()).filter(|&i| graph.may_cut_at(i)).collect();
        assert_eq!(cuts, expected_cuts, "{text}");
    }

    #[test]
    fn plain_messages_may_be_cut_anywhere() {
        check("u a u a", &[0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_exchange_is_indivisible() {
        check("u a>1 t<1 a", &[0, 1, 3, 4]);
    }

    #[test]
    fn results_in_any_order_with_a_steering_message_between() {
        check("u a>1,2 t<2 u t<1 a", &[0, 1, 5, 6]);
    }

    #[test]
    fn overlapping_exchanges_merge() {
        check("a>1 a>2 t<1 t<2 u", &[0, 4, 5]);
    }

    #[test]
    fn an_id_used_in_every_turn_pairs_by_occurrence() {
        check("u a>0 t<0 u a>0 t<0 u", &[0, 1, 3, 4, 6, 7]);
        let graph = CallGraph::new(&history("u a>0 u a>0 t<0"), &[]);
        assert_eq!(graph.dangling(), [CallSite { message: 1, id: "0".into() }]);
    }

    #[test]
    fn a_pending_call_keeps_the_end_closed() {
        check("u a>1,2 t<1", &[0, 1]);
        let graph = CallGraph::new(&history("u a>1,2 t<1"), &[]);
        assert!(graph.exchanges()[0].pending);
    }

    #[test]
    fn a_call_is_pending_after_a_steering_message_when_the_host_says_so() {
        let messages = history("u a>1 u");
        assert_eq!(CallGraph::new(&messages, &[]).dangling().len(), 1);
        let graph = CallGraph::new(&messages, &["1".into()]);
        assert!(graph.dangling().is_empty() && !graph.may_cut_at(3));
    }

    #[test]
    fn nothing_is_pending_in_a_finished_conversation() {
        let graph = CallGraph::finished(&history("u a>1,2 t<1"));
        assert_eq!(graph.dangling(), [CallSite { message: 1, id: "2".into() }]);
        assert!(graph.pending().is_empty() && graph.may_cut_at(3));
    }

    #[test]
    fn an_orphan_is_no_place_to_cut() {
        check("u t<9 u", &[0, 2, 3]);
        assert_eq!(CallGraph::new(&history("u t<9 u"), &[]).orphans().len(), 1);
    }

    #[test]
    fn a_second_result_stays_with_its_call() {
        check("a>1 t<1 u t<1 u", &[0, 4, 5]);
    }
}
