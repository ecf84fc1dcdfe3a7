//! What a message costs, given the means to count text: the framing that all estimators share.

use foldback_model::TokenCount;
use foldback_model::{Media, MediaSource, Message, Part, Thinking, ToolCall, ToolDefinition, ToolResult};

use crate::media::{self, ImageRule};
use crate::{CountError, Estimate, EstimateError, EstimateSource, TokenCounter};

/// Role and delimiters of a message: OpenAI's cookbook states 3 and one for the role.
const MESSAGE: u64 = 4;
/// Id, type and delimiters of a call, beside its name and arguments. A provider's ids of two dozen
/// letters are mapped to something short, or are not sent to the model at all.
const CALL: u64 = 8;
/// Id, type and delimiters of a result.
const RESULT: u64 = 5;
/// Type, keys and delimiters of a tool definition.
const TOOL: u64 = 8;
/// Measured on the 18 single reasoning items of two long sessions with GPT-5-Codex, whose reasoning
/// tokens were reported: sealed content takes about 900 characters, and 6.2 more for each token.
const SEALED_FRAME_CHARS: u64 = 900;
const SEALED_CHARS_PER_100_TOKENS: u64 = 620;
/// The least that a sealed item costs.
const SEALED_LEAST: u64 = 16;

/// How far a picture of known size, and how far anything else that is not text, may be off. Providers
/// and models differ by these much; it is not measured.
const IMAGE_BAND: f64 = 0.25;
const GUESS_BAND: f64 = 1.0;

/// The parts of an estimator: a counter, what its numbers are worth, and how pictures are priced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a, C: ?Sized> {
    pub(crate) counter: &'a C,
    pub(crate) source: EstimateSource,
    pub(crate) band: f64,
    pub(crate) images: ImageRule,
}

impl<C: TokenCounter + ?Sized> Walk<'_, C> {
    pub(crate) fn message(&self, message: &Message) -> Result<Estimate, EstimateError> {
        let framing = self.estimate(MESSAGE);
        message.parts().iter().try_fold(framing, |sum, part| Ok(sum + self.part(part)?))
    }

    pub(crate) fn system(&self, text: &str) -> Result<Estimate, EstimateError> {
        if text.is_empty() {
            return Ok(Estimate::ZERO);
        }
        Ok(self.estimate(MESSAGE) + self.text(text, "system prompt")?)
    }

    pub(crate) fn tool(&self, tool: &ToolDefinition) -> Result<Estimate, EstimateError> {
        let mut sum = self.estimate(TOOL);
        for text in [&tool.name, &tool.description, &tool.schema] {
            sum = sum + self.text(text, "tool definition")?;
        }
        Ok(sum)
    }

    fn part(&self, part: &Part) -> Result<Estimate, EstimateError> {
        match part {
            Part::Text(text) => self.text(text, "text"),
            Part::Image(image) => self.image(image),
            Part::Document(document) => self.document(document),
            Part::Thinking(thinking) => self.thinking(thinking),
            Part::ToolCall(call) => self.call(call),
            Part::ToolResult(result) => self.result(result),
            Part::Opaque(opaque) => self.text(&opaque.text, "block of unknown kind"),
            // A kind that the model crate got later: what can be read of it, if anything.
            other => other.as_text().map_or(Ok(Estimate::ZERO), |text| self.text(text, "part")),
        }
    }

    fn call(&self, call: &ToolCall) -> Result<Estimate, EstimateError> {
        let name = self.text(&call.name, "tool call")?;
        Ok(self.estimate(CALL) + name + self.text(&call.arguments, "tool call")?)
    }

    fn result(&self, result: &ToolResult) -> Result<Estimate, EstimateError> {
        // Results hold no results; if one does all the same, its depth is no reason to overflow the stack.
        let content = result.content.iter().filter(|part| !matches!(part, Part::ToolResult(_)));
        content.map(|part| self.part(part)).try_fold(self.estimate(RESULT), |sum, part| Ok(sum + part?))
    }

    /// Readable reasoning costs its text. Sealed reasoning is replayed too: it is billed by its hidden
    /// text, which its length tells. A signature beside readable text costs nothing.
    fn thinking(&self, thinking: &Thinking) -> Result<Estimate, EstimateError> {
        let readable = self.text(&thinking.text, "reasoning")?;
        let seal = match &thinking.signature {
            Some(signature) if thinking.sealed => signature.len(),
            _ => return Ok(readable),
        };
        let chars = u64::try_from(seal).unwrap_or(u64::MAX).saturating_sub(SEALED_FRAME_CHARS);
        let hidden = (chars.saturating_mul(100) / SEALED_CHARS_PER_100_TOKENS).max(SEALED_LEAST);
        // A summary shown beside sealed reasoning is a part of what is sealed.
        let least = hidden.saturating_sub(readable.tokens.as_u64());
        Ok(readable + guess(least, GUESS_BAND))
    }

    fn image(&self, image: &Media) -> Result<Estimate, EstimateError> {
        if let MediaSource::Text(text) = &image.source {
            return self.text(text, "image");
        }
        let (tokens, known) = media::image_tokens(image, self.images);
        Ok(guess(tokens, if known { IMAGE_BAND } else { GUESS_BAND }))
    }

    fn document(&self, document: &Media) -> Result<Estimate, EstimateError> {
        let name = self.text(document.name.as_deref().unwrap_or_default(), "document")?;
        let content = match &document.source {
            MediaSource::Text(text) => self.text(text, "document")?,
            _ => guess(media::document_tokens(document), GUESS_BAND),
        };
        Ok(name + content)
    }

    fn text(&self, text: &str, part: &'static str) -> Result<Estimate, EstimateError> {
        if text.is_empty() {
            return Ok(Estimate::ZERO);
        }
        let count = self.counter.count_text(text);
        let tokens = count.map_err(|source: CountError| EstimateError::Count { part, source })?;
        Ok(Estimate::new(tokens, self.source, self.band))
    }

    fn estimate(&self, tokens: u64) -> Estimate {
        Estimate::new(TokenCount::new(tokens), self.source, self.band)
    }
}

fn guess(tokens: u64, band: f64) -> Estimate {
    Estimate::new(TokenCount::new(tokens), EstimateSource::Heuristic, band)
}
