//! Conversations in one line, for tests that are read like a table.
//!
//! One word is one message:
//!
//! ```text
//! u400        a user message of 400 tokens
//! a300>1,2    an assistant message of 300 tokens that makes the calls 1 and 2
//! t200<1      a tool message of 200 tokens with the result of call 1
//! u90<1,2+    a user message with two results and a text beside them
//! ```
//!
//! | letter | message |
//! | --- | --- |
//! | `u`, `a`, `t` | user, assistant, tool |
//! | `s`, `d` | system, developer |
//! | `i` | a user message that the host put in ([`Kind::Injected`]) |
//! | `m` | the summary of an earlier compaction ([`Kind::Summary`]) |
//!
//! After the letter come the tokens (1 if there is no number), then `>` and the ids of calls or `<`
//! and the ids of results, separated by commas, then marks: `+` a text beside calls or results, `*`
//! signed reasoning in front, `!` pinned in place, `^` pinned to the prefix, `~` bound to the next
//! message, `@` a cache marker.

use foldback_model::{Kind, Message, Part, Pin, Role, Thinking, TokenCount, ToolCall, ToolResult};

use crate::FixedEstimator;

/// A conversation that was written in the notation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notation {
    /// The messages; the id of each is its index and its word, such as `2:t200<1`.
    ///
    /// A message of `n` tokens has `4 * n` bytes of text in all, so that the rule of four bytes to a
    /// token agrees with the notation where nothing but texts is counted.
    pub messages: Vec<Message>,
    /// The tokens of each message.
    pub sizes: Vec<TokenCount>,
    words: Vec<String>,
}

/// A word that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no message: expected {expected}")]
#[non_exhaustive]
pub struct NotationError {
    /// The word.
    pub word: String,
    /// What would have been right.
    pub expected: &'static str,
}

/// The most tokens that a word may ask for: texts are built in memory.
pub const MAX_TOKENS: u64 = 10_000_000;

/// Reads a conversation in the notation of this module.
///
/// ```
/// use foldback_testkit::notation;
///
/// let history = notation::parse("u400 a300>1 t200<1 u50")?;
/// assert_eq!(history.messages.len(), 4);
/// assert_eq!(history.sizes[2].as_u64(), 200);
/// assert_eq!(history.with_cut(3), "u400 a300>1 t200<1 | u50");
/// # Ok::<(), notation::NotationError>(())
/// ```
///
/// # Errors
///
/// [`NotationError`] names the first word that is not in the notation.
pub fn parse(text: &str) -> Result<Notation, NotationError> {
    let mut notation = Notation { messages: Vec::new(), sizes: Vec::new(), words: Vec::new() };
    for word in text.split_whitespace() {
        let parsed =
            Word::parse(word).map_err(|expected| NotationError { word: word.to_owned(), expected })?;
        let mut message = parsed.message();
        message.meta.id = Some(format!("{}:{word}", notation.messages.len()));
        notation.messages.push(message);
        notation.sizes.push(TokenCount::new(parsed.tokens));
        notation.words.push(word.to_owned());
    }
    Ok(notation)
}

impl Notation {
    /// An estimator that gives each message its size.
    #[must_use]
    pub fn estimator(&self) -> FixedEstimator {
        let ids = self.messages.iter().filter_map(|message| message.meta.id.clone());
        FixedEstimator::new(ids.zip(self.sizes.iter().copied()))
    }

    /// The words again, with `|` in front of message `first_kept`; without it if there are fewer
    /// messages.
    #[must_use]
    pub fn with_cut(&self, first_kept: usize) -> String {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        if first_kept <= words.len() {
            words.insert(first_kept, "|");
        }
        words.join(" ")
    }

    /// The words of `messages`, for those that are of this conversation; `?` and the role for others.
    #[must_use]
    pub fn words_of(&self, messages: &[Message]) -> String {
        let word = |message: &Message| {
            let id = message.meta.id.as_deref().unwrap_or_default();
            let own = id.split_once(':').and_then(|(index, _)| self.words.get(index.parse::<usize>().ok()?));
            own.cloned().unwrap_or_else(|| format!("?{}", message.role.as_str()))
        };
        messages.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

struct Word<'a> {
    letter: char,
    tokens: u64,
    calls: Vec<&'a str>,
    results: Vec<&'a str>,
    marks: &'a str,
}

impl<'a> Word<'a> {
    fn parse(word: &'a str) -> Result<Self, &'static str> {
        let letter = word.chars().next().unwrap_or_default();
        if !LETTERS.contains(letter) {
            return Err("one of the letters u, a, t, s, d, i and m first");
        }
        let rest = &word[letter.len_utf8()..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        let tokens = if number.is_empty() { 1 } else { number.parse().unwrap_or(u64::MAX) };
        if tokens > MAX_TOKENS {
            return Err("at most ten million tokens");
        }
        let (body, marks) = rest.split_at(rest.find(|c| MARKS.contains(c)).unwrap_or(rest.len()));
        if !marks.chars().all(|mark| MARKS.contains(mark)) {
            return Err("nothing but the marks + * ! ^ ~ @ at the end");
        }
        let ids = |list: &'a str| -> Vec<&'a str> { list.split(',').collect() };
        let (calls, results) = match body.chars().next() {
            None => (Vec::new(), Vec::new()),
            Some('>') => (ids(&body[1..]), Vec::new()),
            Some('<') => (Vec::new(), ids(&body[1..])),
            Some(_) => return Err("> and ids, or < and ids, after the number of tokens"),
        };
        let well_formed = |id: &&str| !id.is_empty() && !id.contains(['<', '>']);
        if !calls.iter().chain(&results).all(well_formed) {
            return Err("ids separated by commas");
        }
        Ok(Self { letter, tokens, calls, results, marks })
    }

    fn message(&self) -> Message {
        let mut message = Message::new(self.role(), self.parts());
        message.meta.kind = match self.letter {
            'i' => Kind::Injected,
            'm' => Kind::Summary,
            _ => Kind::Plain,
        };
        message.meta.pin = match (self.marked('^'), self.marked('!')) {
            (true, _) => Some(Pin::Prefix),
            (false, true) => Some(Pin::InPlace),
            (false, false) => None,
        };
        message.meta.binds_next = self.marked('~');
        message.meta.cache_marker = self.marked('@');
        message
    }

    fn role(&self) -> Role {
        match self.letter {
            'a' => Role::Assistant,
            't' => Role::Tool,
            's' => Role::System,
            'd' => Role::Developer,
            _ => Role::User,
        }
    }

    /// The size is shared out evenly among the parts; the first one takes the rest.
    fn parts(&self) -> Vec<Part> {
        let n_ids = self.calls.len() + self.results.len();
        let has_text = n_ids == 0 || self.marked('+');
        let n_parts = n_ids + usize::from(has_text) + usize::from(self.marked('*'));
        let bytes = usize::try_from(self.tokens * 4).unwrap_or(usize::MAX);
        let share = bytes / n_parts;
        let mut next = share + bytes % n_parts;
        let mut take = || filler(std::mem::replace(&mut next, share));
        let mut parts = Vec::with_capacity(n_parts);
        if self.marked('*') {
            parts.push(Part::Thinking(Thinking::new(take()).signed("signature")));
        }
        if has_text && self.results.is_empty() {
            parts.push(Part::text(take()));
        }
        parts.extend(self.calls.iter().map(|id| Part::ToolCall(ToolCall::new(*id, "f", take()))));
        parts.extend(self.results.iter().map(|id| Part::ToolResult(ToolResult::new(*id, take()))));
        // A remark on results stands behind them.
        if has_text && !self.results.is_empty() {
            parts.push(Part::text(take()));
        }
        parts
    }

    fn marked(&self, mark: char) -> bool {
        self.marks.contains(mark)
    }
}

fn filler(bytes: usize) -> String {
    const WORDS: &str = "some words to fill the space of a message ";
    let mut text = WORDS.repeat(bytes / WORDS.len() + 1);
    text.truncate(bytes);
    text
}

const LETTERS: &str = "uatsdim";
const MARKS: &str = "+*!^~@";

#[cfg(test)]
mod tests {
    use foldback_model::CallGraph;

    use super::*;

    fn bytes(message: &Message) -> usize {
        let of = |part: &Part| match part {
            Part::Text(text) => text.len(),
            Part::Thinking(thinking) => thinking.text.len(),
            Part::ToolCall(call) => call.arguments.len(),
            Part::ToolResult(result) => result.text().len(),
            _ => 0,
        };
        message.parts().iter().map(of).sum()
    }

    #[test]
    fn words_become_messages_of_their_size() {
        let history = parse("s9 u400 a301>1,2+* u7 t200<2 t20<1 a a5>3,4,5").unwrap();
        let tokens: Vec<u64> = history.sizes.iter().map(|size| size.as_u64()).collect();
        assert_eq!(tokens, [9, 400, 301, 7, 200, 20, 1, 5]);
        for (message, tokens) in history.messages.iter().zip(tokens) {
            assert_eq!(bytes(message) as u64, 4 * tokens, "{:?}", message.meta.id);
        }
        let graph = CallGraph::new(&history.messages, &[]);
        assert_eq!((graph.exchanges()[0].first, graph.exchanges()[0].last), (2, 5));
        assert!(matches!(history.messages[2].parts()[0], Part::Thinking(_)));
        assert_eq!(history.messages[2].parts().len(), 4);
    }

    #[test]
    fn marks_become_metadata() {
        let history = parse("s^ u5! i3 m40 a2~ a>1@").unwrap();
        let meta = |index: usize| history.messages[index].meta.clone();
        assert_eq!((meta(0).pin, meta(1).pin), (Some(Pin::Prefix), Some(Pin::InPlace)));
        assert_eq!((meta(2).kind, meta(3).kind), (Kind::Injected, Kind::Summary));
        assert!(meta(4).binds_next && meta(5).cache_marker);
    }

    #[test]
    fn a_remark_stands_behind_the_results() {
        let history = parse("u90<1,2+").unwrap();
        assert_eq!(history.messages[0].results().count(), 2);
        assert!(history.messages[0].parts()[2].as_text().is_some());
    }

    #[test]
    fn what_is_no_message_is_named() {
        for word in ["x3", "u3x", "a>", "a>1,", "t<1<2", "u3!x", "u99999999999", "é", "|", "a>1!<2"] {
            let text = format!("u1 {word} a1");
            assert_eq!(parse(&text).unwrap_err().word, word);
        }
        assert!(parse("  ").unwrap().messages.is_empty());
    }

    #[test]
    fn words_come_back() {
        let history = parse("u4 a3 u5").unwrap();
        assert_eq!(history.with_cut(0), "| u4 a3 u5");
        assert_eq!(history.with_cut(3), "u4 a3 u5 |");
        assert_eq!(history.with_cut(4), "u4 a3 u5");
        let kept = [Message::user("a summary"), history.messages[2].clone()];
        assert_eq!(history.words_of(&kept), "?user u5");
    }
}
