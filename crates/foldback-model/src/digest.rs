//! Digests of what a request says: which messages are the same, and what stood in front of one.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;
use sha2::Sha256;

use crate::{Context, MediaSource, Message, Part};

/// Begins every digest, so that one of another version is never taken for one of this.
const VERSION: &str = "foldback-1";

/// A SHA-256 digest. It is written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        for (at, byte) in bytes.iter_mut().enumerate() {
            let digits = text.get(2 * at..2 * at + 2).filter(|_| is_hex);
            *byte = digits
                .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                .ok_or_else(|| serde::de::Error::custom("a digest is 64 hexadecimal digits"))?;
        }
        Ok(Self(bytes))
    }
}

/// A digest in the making: it grows with each message, so that the digest of every prefix of a
/// conversation costs one pass over it.
///
/// What counts is what a message says (its role and its parts), not how its JSON is laid out: cache
/// markers may move and members may change places.
///
/// ```
/// use foldback_model::{Message, Prefix};
///
/// let mut one = Prefix::default();
/// let before = one.digest();
/// one.push(&Message::user("hi"));
/// assert_ne!(before, one.digest());
/// ```
#[derive(Clone)]
pub struct Prefix(Sha256);

impl Default for Prefix {
    /// The empty prefix.
    fn default() -> Self {
        Self(Sha256::new_with_prefix(VERSION))
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefix({})", self.digest())
    }
}

impl Prefix {
    /// What stands in front of the first message of `context`: the system text and the tools.
    #[must_use]
    pub fn of_head(context: &Context) -> Self {
        let mut prefix = Self::default();
        prefix.feed(&["system", context.system.as_deref().unwrap_or_default()]);
        for tool in &context.tools {
            prefix.feed(&["tool", &tool.name, &tool.description, &tool.schema]);
        }
        prefix
    }

    /// Adds a message.
    pub fn push(&mut self, message: &Message) {
        self.feed(&[message.role.as_str()]);
        message.parts().iter().for_each(|part| self.push_part(part));
    }

    /// The digest of all that was added.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(self.0.clone().finalize().into())
    }

    /// Adds each text behind its length, so that no two sequences of texts give the same bytes.
    fn feed(&mut self, texts: &[&str]) {
        for text in texts {
            self.0.update((text.len() as u64).to_le_bytes());
            self.0.update(text);
        }
    }

    fn push_part(&mut self, part: &Part) {
        match part {
            Part::Text(text) => self.feed(&["text", text]),
            Part::Thinking(thinking) => {
                self.feed(&["thinking", &thinking.text, thinking.signature.as_deref().unwrap_or_default()]);
            }
            Part::ToolCall(call) => self.feed(&["call", &call.id, &call.name, &call.arguments]),
            Part::ToolResult(result) => {
                self.feed(&["result", &result.call_id, if result.is_error { "error" } else { "ok" }]);
                result.content.iter().for_each(|part| self.push_part(part));
            }
            Part::Image(media) | Part::Document(media) => {
                let content = match &media.source {
                    MediaSource::Base64(text)
                    | MediaSource::Text(text)
                    | MediaSource::Url(text)
                    | MediaSource::FileId(text) => text,
                };
                self.feed(&["media", media.media_type.as_deref().unwrap_or_default(), content]);
            }
            Part::Opaque(opaque) => self.feed(&["opaque", &opaque.kind, &opaque.json]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RawJson, WireFormat};

    #[test]
    fn the_layout_of_the_json_does_not_count() {
        let of = |message: &Message| {
            let mut prefix = Prefix::default();
            prefix.push(message);
            prefix.digest()
        };
        let message = Message::user("hi");
        let read = message.clone().with_raw(RawJson::new(WireFormat::Anthropic, "{ }"));
        assert_eq!(of(&message), of(&read));
        assert_ne!(of(&message), of(&Message::assistant("hi")));
        assert_ne!(of(&Message::user("hi")), of(&Message::user("ho")));
    }

    #[test]
    fn a_digest_survives_its_text() {
        let digest = Prefix::default().digest();
        let text = digest.to_string();
        assert_eq!(text.len(), 64);
        let read = |text: &str| {
            Digest::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(text))
        };
        assert_eq!(read(&text), Ok(digest));
        assert!(read(&text[1..]).is_err());
        assert!(read(&text.replace(|c: char| c.is_ascii_digit(), "x")).is_err());
    }
}
