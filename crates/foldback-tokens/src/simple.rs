//! The simple rules of other agents, to the digit: unit, rounding and overhead.

use foldback_model::{MediaSource, Message, Part, TokenCount, ToolDefinition};

use crate::{Estimate, EstimateError, EstimateSource, Estimator, media};

/// Characters divided by a constant, and some overhead: how another agent estimates.
///
/// These exist so that a policy of such an agent decides as it does there. They are off by 25 to 40 %
/// on average, and by several times on base64, digits and scripts other than Latin; use
/// [`Heuristic`](crate::Heuristic) for everything else.
///
/// ```
/// use foldback_model::{Message, TokenCount};
/// use foldback_tokens::{Estimator, SimpleRule};
///
/// let message = Message::user("hello world");
/// assert_eq!(SimpleRule::docker_agent().estimate_message(&message)?.tokens, TokenCount::new(8));
/// assert_eq!(SimpleRule::moa().estimate_message(&message)?.tokens, TokenCount::new(3));
/// # Ok::<(), foldback_tokens::EstimateError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimpleRule {
    agent: Agent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agent {
    Docker,
    Moa,
    Pi,
    GgTest,
}

/// The bands that users of such rules report: a quarter to two fifths off on average.
const BAND: f64 = 0.4;

impl SimpleRule {
    /// docker-agent: bytes / 3.5, rounded down, 1500 for each picture and file, 5 for the message. An
    /// assistant message of which a provider reported the output costs what was reported, and 5.
    #[must_use]
    pub fn docker_agent() -> Self {
        Self { agent: Agent::Docker }
    }

    /// moa: bytes / 4, rounded up; a picture counts as 4,800 bytes, a document as 12,000.
    #[must_use]
    pub fn moa() -> Self {
        Self { agent: Agent::Moa }
    }

    /// pi: UTF-16 units / 4, rounded up; a picture in a tool result counts as 4,800, one from the user
    /// as nothing.
    #[must_use]
    pub fn pi() -> Self {
        Self { agent: Agent::Pi }
    }

    /// gg's rule for tests: Unicode scalar values / 4, rounded up, 4 for the message, and for each
    /// picture 2 a KiB, rounded down, but at least 85.
    #[must_use]
    pub fn gg_test() -> Self {
        Self { agent: Agent::GgTest }
    }

    fn tally(self, message: &Message) -> Tally {
        let mut tally = Tally { agent: self.agent, chars: 0, attachments: 0, image_tokens: 0 };
        for part in message.parts() {
            tally.part(part, Place::Message);
        }
        tally
    }

    /// The tokens of bare text, without the overhead of a message.
    fn text(self, texts: &[&str]) -> u64 {
        let chars = texts.iter().map(|text| self.agent.length(text)).sum();
        self.agent.divide(chars)
    }

    fn estimate(self, tokens: u64) -> Estimate {
        Estimate::new(TokenCount::new(tokens), EstimateSource::Heuristic, BAND)
    }
}

impl Estimator for SimpleRule {
    fn estimate_message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        if self.agent == Agent::Docker
            && let Some(output) = reported_output(message)
        {
            let tokens = output + TokenCount::new(self.agent.overhead());
            return Ok(Estimate::new(tokens, EstimateSource::Reported, 0.0));
        }
        Ok(self.estimate(self.tally(message).tokens()))
    }

    fn estimate_tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        Ok(self.estimate(self.text(&[&tool.name, &tool.description, &tool.schema])))
    }

    fn estimate_system(&self, text: &str) -> Result<Estimate, EstimateError> {
        // In docker-agent and gg, the system prompt is a message like any other.
        let overhead = if text.is_empty() { 0 } else { self.agent.overhead() };
        Ok(self.estimate(overhead + self.text(&[text])))
    }

    fn name(&self) -> &str {
        match self.agent {
            Agent::Docker => "docker_agent",
            Agent::Moa => "moa",
            Agent::Pi => "pi",
            Agent::GgTest => "gg_test",
        }
    }
}

impl Agent {
    /// The length of `text` in the rule's unit.
    fn length(self, text: &str) -> u64 {
        let length = match self {
            Self::Docker | Self::Moa => text.len(),
            Self::Pi => text.encode_utf16().count(),
            Self::GgTest => text.chars().count(),
        };
        u64::try_from(length).unwrap_or(u64::MAX)
    }

    fn divide(self, chars: u64) -> u64 {
        match self {
            Self::Docker => chars.saturating_mul(2) / 7,
            Self::Moa | Self::Pi | Self::GgTest => chars.div_ceil(4),
        }
    }

    fn overhead(self) -> u64 {
        match self {
            Self::Docker => 5,
            Self::Moa | Self::Pi => 0,
            Self::GgTest => 4,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Message,
    Result,
}

struct Tally {
    agent: Agent,
    chars: u64,
    attachments: u64,
    image_tokens: u64,
}

impl Tally {
    fn tokens(&self) -> u64 {
        let text = self.agent.divide(self.chars);
        text + self.attachments * 1500 + self.image_tokens + self.agent.overhead()
    }

    fn part(&mut self, part: &Part, place: Place) {
        match part {
            Part::Text(text) => self.text(text),
            Part::Thinking(thinking) => self.text(&thinking.text),
            Part::Opaque(opaque) => self.text(&opaque.text),
            Part::ToolCall(call) => {
                self.text(&call.name);
                self.text(&call.arguments);
            }
            Part::ToolResult(result) if place == Place::Message => {
                if self.agent == Agent::Moa {
                    self.text(result.name.as_deref().unwrap_or_default());
                    self.text(&result.call_id);
                }
                for part in &result.content {
                    self.part(part, Place::Result);
                }
            }
            Part::Image(image) => match self.agent {
                Agent::Docker => self.attachments += 1,
                Agent::Moa => self.chars += 4800,
                Agent::Pi => self.chars += if place == Place::Result { 4800 } else { 0 },
                Agent::GgTest => {
                    let bytes = media::inline_base64(image).map_or(0, media::base64_bytes);
                    self.image_tokens += (bytes * 2 / 1024).max(85);
                }
            },
            Part::Document(document) => match (&document.source, self.agent) {
                (_, Agent::Moa) => self.chars += 12_000,
                (MediaSource::Text(text), _) => self.text(text),
                (_, Agent::Docker) => self.attachments += 1,
                // Neither knows documents.
                (_, Agent::Pi | Agent::GgTest) => {}
            },
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        self.chars = self.chars.saturating_add(self.agent.length(text));
    }
}

/// The output that was reported for a message, without reasoning that is not stored with it.
fn reported_output(message: &Message) -> Option<TokenCount> {
    let usage = message.meta.usage.as_ref()?;
    let output = usage.output?;
    let stored = message
        .parts()
        .iter()
        .any(|part| matches!(part, Part::Thinking(thinking) if !thinking.text.is_empty()));
    let hidden = if stored { TokenCount::ZERO } else { usage.reasoning.unwrap_or_default() };
    Some(output.saturating_sub(hidden)).filter(|&output| output > TokenCount::ZERO)
}
