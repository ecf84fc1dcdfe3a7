//! The formats that can be read, and their names.

use std::fmt;
use std::str::FromStr;

use foldback_model::WireFormat;
use serde::{Deserialize, Serialize};

/// A format that [`read`](crate::read) understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// A session log of Claude Code.
    ClaudeCode,
    /// A rollout of the Codex CLI.
    Codex,
    /// A session of pi.
    Pi,
    /// A trajectory, event list or completion log of OpenHands.
    #[serde(rename = "openhands")]
    OpenHands,
    /// A trajectory of SWE-agent or mini-swe-agent.
    SweAgent,
    /// A Converse request of Amazon Bedrock.
    Bedrock,
    /// Messages of LangChain or LangGraph.
    #[serde(rename = "langchain")]
    LangChain,
    /// A request body or bare list of one of the wire formats.
    #[serde(untagged)]
    Wire(WireFormat),
}

impl Format {
    /// Every format, in a fixed order.
    pub const ALL: [Self; 11] = [
        Self::Wire(WireFormat::OpenAiChat),
        Self::Wire(WireFormat::OpenAiResponses),
        Self::Wire(WireFormat::Anthropic),
        Self::Wire(WireFormat::Gemini),
        Self::ClaudeCode,
        Self::Codex,
        Self::Pi,
        Self::OpenHands,
        Self::SweAgent,
        Self::Bedrock,
        Self::LangChain,
    ];

    /// The name used on the command line and in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wire(wire) => wire.as_str(),
            Self::ClaudeCode => "claude_code",
            Self::Codex => "codex",
            Self::Pi => "pi",
            Self::OpenHands => "openhands",
            Self::SweAgent => "swe_agent",
            Self::Bedrock => "bedrock",
            Self::LangChain => "langchain",
        }
    }

    /// Whether this is no wire format: a log of JSON lines, or a document of another program. A request
    /// has to be made of it, and what is written is of another format than what was read.
    #[must_use]
    pub fn is_log(self) -> bool {
        !matches!(self, Self::Wire(_))
    }
}

impl From<WireFormat> for Format {
    fn from(wire: WireFormat) -> Self {
        Self::Wire(wire)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no format is called `{0}`; known are openai_chat, openai_responses, anthropic, gemini, claude_code, codex, \
     pi, openhands, swe_agent, bedrock and langchain"
)]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name.replace('-', "_"))
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}
