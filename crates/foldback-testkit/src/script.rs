//! A conversation as a script: what is said and done, turn by turn. Building a script gives a valid
//! conversation, whatever the script says.

use foldback_model::{
    Kind, Media, MediaSource, Message, Part, Role, StopReason, Thinking, ToolCall, ToolResult, WireFormat,
};

use crate::SplitMix64;
use crate::shape::History;

/// How the conversation is laid out in messages.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// All results of a reply in one user message, instead of a tool message each.
    pub(crate) results_in_one: bool,
    /// Ids start again at `call_0` with every reply, as some servers have it.
    pub(crate) reused_ids: bool,
    /// Every part of a reply is a message of its own, bound to the next.
    pub(crate) items: bool,
    /// Rules of this provider hold.
    pub(crate) wire: Option<WireFormat>,
}

impl Style {
    /// The layout of `wire`; without one, whatever the bits of `choice` say.
    pub(crate) fn new(wire: Option<WireFormat>, choice: u8) -> Self {
        let bit = |n: u8| choice >> n & 1 == 1;
        match wire {
            None => Self { results_in_one: bit(0), reused_ids: bit(1), items: bit(2), wire },
            Some(format) => Self {
                results_in_one: format.alternates(),
                // The others refuse an id that occurs twice.
                reused_ids: bit(1) && matches!(format, WireFormat::OpenAiChat | WireFormat::Gemini),
                items: format == WireFormat::OpenAiResponses,
                wire,
            },
        }
    }

    fn alternates(&self) -> bool {
        self.wire.is_some_and(WireFormat::alternates)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) style: Style,
    /// Leading system messages, where the format has them in the list.
    pub(crate) instructions: Vec<String>,
    pub(crate) turns: Vec<Turn>,
    /// A last turn whose calls are answered by all but this many results.
    pub(crate) pending: Option<(Turn, usize)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Text that the host puts in before the person speaks.
    pub(crate) injected: Option<String>,
    pub(crate) user: String,
    pub(crate) image: bool,
    pub(crate) replies: Vec<Reply>,
    /// The reply that ends the turn; providers that alternate always get one.
    pub(crate) closing: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) thinking: Option<Thought>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<Call>,
    /// Decides the order of the results.
    pub(crate) order: u64,
    /// What a person says before so many results are in.
    pub(crate) steering: Option<(usize, String)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Thought {
    Readable(String),
    Signed(String),
    Sealed,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: u8,
    pub(crate) argument: String,
    pub(crate) result: String,
    pub(crate) failed: bool,
    pub(crate) image: bool,
}

impl Script {
    pub(crate) fn build(&self) -> History {
        let mut builder = Builder { style: &self.style, messages: Vec::new(), next_call: 0 };
        if !self.style.alternates() {
            builder
                .messages
                .extend(self.instructions.iter().map(|text| Message::new(Role::System, vec![said(text)])));
        }
        for turn in &self.turns {
            builder.turn(turn);
        }
        let pending = self.pending.as_ref().map(|(turn, open)| builder.pending_turn(turn, *open));
        History::new(builder.messages, pending.unwrap_or_default())
    }
}

/// The messages of one turn, with call ids counted from `first_call`.
pub(crate) fn messages_of(turn: &Turn, style: &Style, first_call: usize) -> Vec<Message> {
    let mut builder = Builder { style, messages: Vec::new(), next_call: first_call };
    builder.turn(turn);
    builder.messages
}

struct Builder<'a> {
    style: &'a Style,
    messages: Vec<Message>,
    next_call: usize,
}

impl Builder<'_> {
    fn turn(&mut self, turn: &Turn) {
        self.person(turn);
        for reply in &turn.replies {
            // Where roles alternate, a reply without calls would stand beside the next one.
            if !self.style.alternates() || !reply.calls.is_empty() {
                self.reply(reply, 0);
            }
        }
        if self.style.alternates() || turn.closing.is_some() {
            let mut closing =
                Message::new(Role::Assistant, vec![said(turn.closing.as_deref().unwrap_or_default())]);
            closing.meta.stop = Some(StopReason::Finished);
            self.messages.push(closing);
        }
    }

    /// A turn whose first reply with calls still waits for `open` results, at least for one.
    fn pending_turn(&mut self, turn: &Turn, open: usize) -> Vec<String> {
        self.person(turn);
        let Some(reply) = turn.replies.iter().find(|reply| !reply.calls.is_empty()) else {
            return Vec::new();
        };
        self.reply(reply, open.clamp(1, reply.calls.len()))
    }

    fn person(&mut self, turn: &Turn) {
        if let Some(text) = turn.injected.as_ref().filter(|_| !self.style.alternates()) {
            let mut message = Message::new(Role::User, vec![said(text)]);
            message.meta.kind = Kind::Injected;
            self.messages.push(message);
        }
        let image = turn.image.then(pixel);
        self.messages
            .push(Message::new(Role::User, std::iter::once(said(&turn.user)).chain(image).collect()));
    }

    /// A reply and its results but the last `open`; gives the ids of the calls left open.
    fn reply(&mut self, reply: &Reply, open: usize) -> Vec<String> {
        let ids = self.ids(reply.calls.len());
        self.say(reply, &ids);
        let mut order: Vec<usize> = (0..ids.len()).collect();
        // Gemini matches results by their place.
        if self.style.wire != Some(WireFormat::Gemini) {
            SplitMix64::new(reply.order).shuffle(&mut order);
        }
        let answered = order.len().saturating_sub(open);
        let results: Vec<ToolResult> =
            order[..answered].iter().map(|&n| self.result(&reply.calls[n], &ids[n])).collect();
        // A person who speaks while calls are open would make them look abandoned.
        let steering = reply.steering.as_ref().filter(|_| open == 0 && !results.is_empty());
        if self.style.results_in_one {
            self.results_in_one(results, steering);
        } else {
            self.results_one_by_one(results, steering);
        }
        order[answered..].iter().map(|&n| ids[n].clone()).collect()
    }

    fn ids(&mut self, n_calls: usize) -> Vec<String> {
        let first = if self.style.reused_ids { 0 } else { self.next_call };
        self.next_call += n_calls;
        (first..first + n_calls).map(|n| format!("call_{n}")).collect()
    }

    fn say(&mut self, reply: &Reply, ids: &[String]) {
        let mut parts: Vec<Part> = Vec::new();
        parts.extend(reply.thinking.as_ref().and_then(|thought| self.thinking(thought)));
        if let Some(text) = &reply.text {
            parts.push(said(text));
        } else if ids.is_empty() {
            parts.push(said(""));
        }
        let gemini = self.style.wire == Some(WireFormat::Gemini);
        parts.extend(reply.calls.iter().zip(ids).enumerate().map(|(n, (call, id))| {
            let arguments = format!("{{\"path\":{}}}", json_string(&call.argument));
            let mut call = ToolCall::new(id, tool_name(call.tool), arguments);
            call.signature = (gemini && n == 0).then(|| SIGNATURE.to_owned());
            Part::ToolCall(call)
        }));
        let stop = if ids.is_empty() { StopReason::Finished } else { StopReason::ToolUse };
        if self.style.items {
            let last = parts.len().saturating_sub(1);
            for (n, part) in parts.into_iter().enumerate() {
                let mut item = Message::new(Role::Assistant, vec![part]);
                item.meta.binds_next = n < last;
                item.meta.stop = Some(stop);
                self.messages.push(item);
            }
        } else {
            let mut message = Message::new(Role::Assistant, parts);
            message.meta.stop = Some(stop);
            self.messages.push(message);
        }
    }

    /// Only reasoning that the provider would take back.
    fn thinking(&self, thought: &Thought) -> Option<Part> {
        let thinking = match (self.style.wire, thought) {
            (Some(WireFormat::OpenAiChat | WireFormat::Gemini), _) => return None,
            (Some(WireFormat::OpenAiResponses), _) | (_, Thought::Sealed) => Thinking::sealed(SIGNATURE),
            (None, Thought::Readable(text)) => Thinking::new(text),
            (_, Thought::Signed(text) | Thought::Readable(text)) => {
                Thinking::new(not_blank(text)).signed(SIGNATURE)
            }
        };
        Some(Part::Thinking(thinking))
    }

    fn result(&self, call: &Call, id: &str) -> ToolResult {
        let mut result = ToolResult::new(id, not_blank(&call.result));
        result.name = Some(tool_name(call.tool).to_owned());
        result.is_error = call.failed;
        if call.image && matches!(self.style.wire, None | Some(WireFormat::Anthropic)) {
            result.content.push(pixel());
        }
        result
    }

    fn results_in_one(&mut self, results: Vec<ToolResult>, steering: Option<&(usize, String)>) {
        if results.is_empty() {
            return;
        }
        let mut parts: Vec<Part> = results.into_iter().map(Part::ToolResult).collect();
        // Anthropic takes a remark beside the results, behind them. Gemini wants as many parts as
        // there were calls.
        match (steering, self.style.wire) {
            (Some((_, text)), Some(WireFormat::Anthropic)) => parts.push(said(text)),
            (Some((at, text)), None) if at % 2 == 0 => parts.push(said(text)),
            (Some((_, text)), None) => self.messages.push(Message::user(not_blank(text))),
            _ => {}
        }
        self.messages.push(Message::new(Role::User, parts));
    }

    fn results_one_by_one(&mut self, results: Vec<ToolResult>, steering: Option<&(usize, String)>) {
        // OpenAI Chat wants the results directly behind the calls.
        let steering = steering.filter(|_| self.style.wire != Some(WireFormat::OpenAiChat));
        let place = steering.map(|(at, _)| at % results.len());
        for (n, result) in results.into_iter().enumerate() {
            if let Some((at, text)) = steering.filter(|_| place == Some(n)) {
                // At times it is the host that puts an instruction in.
                let is_instruction = self.style.wire.is_none() && at % 3 == 2;
                let role = if is_instruction { Role::System } else { Role::User };
                self.messages.push(Message::new(role, vec![said(text)]));
            }
            self.messages.push(Message::tool(result));
        }
    }
}

fn said(text: &str) -> Part {
    Part::text(not_blank(text))
}

/// Providers refuse blank texts.
fn not_blank(text: &str) -> &str {
    if text.trim().is_empty() { "ok" } else { text }
}

fn pixel() -> Part {
    let source = MediaSource::Base64(PIXEL.to_owned());
    Part::Image(Media::new(Some("image/png".to_owned()), source))
}

fn tool_name(tool: u8) -> &'static str {
    TOOLS[usize::from(tool) % TOOLS.len()]
}

fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

const TOOLS: [&str; 5] = ["read_file", "edit_file", "bash", "grep", "write_file"];

const SIGNATURE: &str = "c2lnbmVkLW92ZXItdGhlLXdob2xlLXByZWZpeA==";

/// A PNG of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
