//! A request body as the checks see it. This reading is independent of the program's own: each finds
//! the other's mistakes.

use std::fmt::Write;

use foldback_model::WireFormat;
use serde_json::{Map, Value};

/// A request body, its messages taken apart.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) wire: WireFormat,
    pub(crate) body: Value,
    /// System text outside the list; `null` if there is none.
    pub(crate) system: Value,
    pub(crate) messages: Vec<Message>,
}

/// An element of the list of messages.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) raw: Value,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// System or developer.
    System,
    User,
    Assistant,
    /// A tool's answer that is a message of its own.
    Tool,
}

/// A piece of a message.
#[derive(Clone)]
pub(crate) struct Block {
    pub(crate) what: What,
    pub(crate) raw: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Text(String),
    Call(Link),
    Result(Link),
    /// Thinking, or a reasoning item.
    Reasoning,
    /// A call that the provider runs, or its result.
    ProviderRun,
    Other,
}

/// What pairs a call with its result. Gemini may leave the id out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
}

impl View {
    /// The view of a body in `wire`.
    pub(crate) fn new(wire: WireFormat, json: &str) -> Result<Self, String> {
        let body: Value = serde_json::from_str(json).map_err(|error| format!("no JSON: {error}"))?;
        let (list, system, read): (_, _, fn(&Value) -> Message) = match wire {
            WireFormat::OpenAiChat => ("messages", "", chat_message),
            WireFormat::OpenAiResponses => ("input", "instructions", responses_item),
            WireFormat::Anthropic => ("messages", "system", anthropic_message),
            WireFormat::Gemini => ("contents", "systemInstruction", gemini_content),
            _ => return Err(format!("no view of {}", wire.as_str())),
        };
        // A bare list is read as one, too.
        let elements = body.get(list).unwrap_or(&body).as_array();
        let elements = elements.ok_or_else(|| format!("no list `{list}` in the request"))?;
        Ok(Self {
            wire,
            system: body.get(system).or(body.get("system_instruction")).cloned().unwrap_or(Value::Null),
            messages: elements.iter().map(read).collect(),
            body,
        })
    }

    /// Index and message of all that is not system or developer.
    pub(crate) fn spoken(&self) -> impl Iterator<Item = (usize, &Message)> {
        self.messages.iter().enumerate().filter(|(_, message)| message.role != Role::System)
    }

    /// All blocks with the index of their message.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.messages
            .iter()
            .enumerate()
            .flat_map(|(index, message)| message.blocks.iter().map(move |block| (index, block)))
    }

    /// Every string of the system text and the messages, tool arguments and results included.
    pub(crate) fn strings(&self) -> Vec<&str> {
        let mut all = Vec::new();
        strings(&self.system, &mut all);
        self.messages.iter().for_each(|message| strings(&message.raw, &mut all));
        all
    }

    /// Roles and beginnings of the messages, for a person.
    pub(crate) fn outline(&self) -> String {
        let mut text = String::new();
        for (index, message) in self.messages.iter().enumerate() {
            let start: String = canonical(&message.raw).chars().take(150).collect();
            let _ = write!(text, "\n      {index} {:?} {start}", message.role);
        }
        text
    }
}

impl Message {
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Link> {
        self.blocks.iter().filter_map(|block| match &block.what {
            What::Call(link) => Some(link),
            _ => None,
        })
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = &Link> {
        self.blocks.iter().filter_map(|block| match &block.what {
            What::Result(link) => Some(link),
            _ => None,
        })
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match &block.what {
            What::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Link {
    /// Whether a result with this link answers `call`: by id, and by name where an id is missing.
    pub(crate) fn answers(&self, call: &Self) -> bool {
        match (&self.id, &call.id) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.name.is_some() && self.name == call.name,
        }
    }

    pub(crate) fn label(&self) -> &str {
        self.id.as_deref().or(self.name.as_deref()).unwrap_or("?")
    }

    fn new(id: &Value, name: &Value) -> Self {
        Self { id: id.as_str().map(str::to_owned), name: name.as_str().map(str::to_owned) }
    }
}

/// Whether a text is a projected summary and nothing else.
pub(crate) fn is_summary(text: &str) -> bool {
    text.starts_with("The conversation history before this point was compacted into the following summary:")
        && text.ends_with("</summary>")
}

/// JSON with sorted keys and without cache markers.
pub(crate) fn canonical(value: &Value) -> String {
    fn tidy(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().filter(|(key, _)| *key != "cache_control").collect();
                entries.sort_by_key(|(key, _)| *key);
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), tidy(value)))
                    .collect::<Map<_, _>>()
                    .into()
            }
            Value::Array(items) => items.iter().map(tidy).collect(),
            other => other.clone(),
        }
    }
    tidy(value).to_string()
}

fn chat_message(raw: &Value) -> Message {
    let role = role_of(raw);
    let mut blocks = content_blocks(&raw["content"], |block| What::of_text(&block["text"]));
    if role == Role::Tool {
        let link = Link::new(&raw["tool_call_id"], &raw["name"]);
        blocks = vec![Block { what: What::Result(link), raw: raw.clone() }];
    }
    for call in raw["tool_calls"].as_array().into_iter().flatten() {
        let link = Link::new(&call["id"], &call["function"]["name"]);
        blocks.push(Block { what: What::Call(link), raw: call.clone() });
    }
    Message { role, raw: raw.clone(), blocks }
}

fn responses_item(raw: &Value) -> Message {
    let kind = raw["type"].as_str().unwrap_or("message");
    let link = || Link::new(&raw["call_id"], &raw["name"]);
    let (role, what) = match kind {
        "message" => {
            let blocks = content_blocks(&raw["content"], |block| What::of_text(&block["text"]));
            return Message { role: role_of(raw), raw: raw.clone(), blocks };
        }
        "reasoning" => (Role::Assistant, What::Reasoning),
        _ if kind.ends_with("_output") && raw["call_id"].is_string() => (Role::Tool, What::Result(link())),
        _ if kind.ends_with("_call") && raw["call_id"].is_string() => (Role::Assistant, What::Call(link())),
        _ if kind.ends_with("_call") => (Role::Assistant, What::ProviderRun),
        _ => (Role::Assistant, What::Other),
    };
    Message { role, raw: raw.clone(), blocks: vec![Block { what, raw: raw.clone() }] }
}

fn anthropic_message(raw: &Value) -> Message {
    let what = |block: &Value| match block["type"].as_str().unwrap_or_default() {
        "text" => What::of_text(&block["text"]),
        "tool_use" => What::Call(Link::new(&block["id"], &block["name"])),
        "tool_result" => What::Result(Link::new(&block["tool_use_id"], &Value::Null)),
        "thinking" | "redacted_thinking" => What::Reasoning,
        kind if kind.ends_with("_tool_use") || kind.ends_with("_tool_result") => What::ProviderRun,
        _ => What::Other,
    };
    Message { role: role_of(raw), raw: raw.clone(), blocks: content_blocks(&raw["content"], what) }
}

fn gemini_content(raw: &Value) -> Message {
    let what = |part: &Value| {
        let link = |call: &Value| Link::new(&call["id"], &call["name"]);
        if let Some(call) = part.get("functionCall") {
            What::Call(link(call))
        } else if let Some(response) = part.get("functionResponse") {
            What::Result(link(response))
        } else if part["thought"] == true {
            What::Reasoning
        } else {
            What::of_text(&part["text"])
        }
    };
    Message { role: role_of(raw), raw: raw.clone(), blocks: content_blocks(&raw["parts"], what) }
}

impl What {
    fn of_text(text: &Value) -> Self {
        text.as_str().map_or(Self::Other, |text| Self::Text(text.to_owned()))
    }
}

fn content_blocks(content: &Value, what: impl Fn(&Value) -> What) -> Vec<Block> {
    match content {
        // A bare text is short for a block of it.
        Value::String(text) => {
            let raw = serde_json::json!({"type": "text", "text": text});
            vec![Block { what: What::Text(text.clone()), raw }]
        }
        Value::Array(blocks) => {
            blocks.iter().map(|block| Block { what: what(block), raw: block.clone() }).collect()
        }
        _ => Vec::new(),
    }
}

fn role_of(raw: &Value) -> Role {
    match raw["role"].as_str() {
        Some("system" | "developer") => Role::System,
        Some("assistant" | "model") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::User,
    }
}

fn strings<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(map) => map.values().for_each(|value| strings(value, all)),
        _ => {}
    }
}
