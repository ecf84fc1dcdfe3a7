//! Reasoning under a provider's signature: what the signature is bound to, and when it is dead.
//!
//! Some providers sign reasoning together with everything that stood in front of it. Once a
//! compaction, or any other rewrite, changes what stands in front, they refuse the signature, and the
//! conversation with it. Such reasoning is taken out in the same rewrite; it is never edited.

use crate::{Context, Digest, Message, Part, Prefix, Role, WireFormat};

/// What a signature is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binding {
    /// The block and everything in front of it: system text, tools and all earlier messages.
    Prefix,
    /// The block alone, or the block and what it led to: it may stand behind another prefix.
    Content,
}

/// How one provider treats signed reasoning.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SigningRule {
    /// The provider.
    pub provider: WireFormat,
    /// The first version of its models that the rule holds for, as major and minor number; `None` for
    /// all others and for models whose version is not known.
    pub since: Option<(u32, u32)>,
    /// What a signature is bound to.
    pub binding: Binding,
    /// Whether the newest reply has to come back with its reasoning whatever became of the prefix.
    pub newest_stays: bool,
    /// The title of the page of the provider's documentation that says so.
    pub source: &'static str,
}

/// The rules, the more special ones first.
pub const SIGNING_RULES: [SigningRule; 5] = [
    SigningRule {
        provider: WireFormat::Anthropic,
        since: Some((5, 1)),
        binding: Binding::Prefix,
        newest_stays: false,
        source: "Anthropic: Preserved thinking",
    },
    // A model of before may demand that the reply with the open calls begins with its reasoning; that
    // of older replies it does without.
    SigningRule {
        provider: WireFormat::Anthropic,
        since: None,
        binding: Binding::Prefix,
        newest_stays: true,
        source: "Anthropic: Extended thinking",
    },
    SigningRule {
        provider: WireFormat::Gemini,
        since: None,
        binding: Binding::Content,
        newest_stays: true,
        source: "Gemini API: Thought signatures",
    },
    SigningRule {
        provider: WireFormat::OpenAiResponses,
        since: None,
        binding: Binding::Content,
        newest_stays: true,
        source: "OpenAI: Reasoning models",
    },
    SigningRule {
        provider: WireFormat::OpenAiChat,
        since: None,
        binding: Binding::Content,
        newest_stays: true,
        source: "OpenAI: Reasoning models",
    },
];

impl SigningRule {
    /// The rule of `provider` for `model`.
    ///
    /// ```
    /// use foldback_model::{SigningRule, WireFormat};
    ///
    /// let old = SigningRule::of(WireFormat::Anthropic, Some("claude-opus-4-5-20251101"));
    /// let new = SigningRule::of(WireFormat::Anthropic, Some("claude-fable-5-1"));
    /// assert!(old.newest_stays && !new.newest_stays);
    /// ```
    #[must_use]
    pub fn of(provider: WireFormat, model: Option<&str>) -> &'static Self {
        let version = model.and_then(version);
        let holds = |rule: &&Self| {
            rule.provider == provider && rule.since.is_none_or(|since| version.is_some_and(|v| v >= since))
        };
        // Each provider has a rule without a version; without a provider the strictest one holds.
        SIGNING_RULES.iter().find(holds).unwrap_or(&SIGNING_RULES[1])
    }
}

/// The version in a model's name: its first number, and the next one if it is no date. `claude-3-5-haiku`
/// is 3.5, `claude-opus-5-20260901` is 5.0.
fn version(model: &str) -> Option<(u32, u32)> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let mut words = name.split(['-', '.', '@', ':', '_']).skip_while(|word| number(word).is_none());
    let major = number(words.next()?)?;
    Some((major, words.next().and_then(number).unwrap_or(0)))
}

/// A number of a version; a date has more digits.
fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.len() < 4)
}

/// The digest of what stands in front of each message of `context`.
#[must_use]
pub fn prefixes(context: &Context) -> Vec<Digest> {
    Prefixes::of(context).in_front
}

/// The digests of what a request says up to each message.
struct Prefixes {
    /// Without the message.
    in_front: Vec<Digest>,
    /// With it.
    behind: Vec<Digest>,
}

impl Prefixes {
    fn of(context: &Context) -> Self {
        let place = context.summary_place();
        let summary = context.summary.as_ref().and_then(crate::Summary::to_message);
        let mut prefix = Prefix::of_head(context);
        let mut prefixes = Self { in_front: Vec::new(), behind: Vec::new() };
        for (index, message) in context.messages.iter().enumerate() {
            if let Some(summary) = summary.as_ref().filter(|_| index == place) {
                prefix.push(summary);
            }
            prefixes.in_front.push(prefix.digest());
            prefix.push(message);
            prefixes.behind.push(prefix.digest());
        }
        prefixes
    }
}

/// The index in `after` of the first message that is another one than in `before`, or stands behind
/// something else; `None` if a provider that saw `before` has seen all of `after`.
///
/// What a provider cached and signed up to there still holds.
///
/// ```
/// use foldback_model::{Context, Message, first_change};
///
/// let before = Context::new(vec![Message::user("a"), Message::assistant("b")]);
/// let mut after = before.clone();
/// after.messages.push(Message::user("c"));
/// assert_eq!(first_change(&before, &after), Some(2));
/// after.messages[1] = Message::assistant("x");
/// assert_eq!(first_change(&before, &after), Some(1));
/// assert_eq!(first_change(&after, &after), None);
/// ```
#[must_use]
pub fn first_change(before: &Context, after: &Context) -> Option<usize> {
    let (old, new) = (Prefixes::of(before), Prefixes::of(after));
    // A message is the same behind the same if what stands in front of the next one is.
    let same = |index: usize| new.behind.get(index) == old.behind.get(index);
    (0..after.messages.len()).find(|&index| !same(index) || new.in_front[index] != old.in_front[index])
}

impl Message {
    /// Whether the message holds reasoning under a signature, or sealed.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        let signed = |part: &Part| matches!(part, Part::Thinking(t) if t.signature.is_some() || t.sealed);
        self.parts().iter().any(signed)
    }
}

impl Context {
    /// Notes for each message with signed reasoning what it stands behind now
    /// ([`Meta::signed_under`](crate::Meta::signed_under)), where nothing is noted yet. To be called
    /// before a rewrite, while the signatures are known to hold.
    pub fn note_signed_prefixes(&mut self) {
        if !self.messages.iter().any(Message::is_signed) {
            return;
        }
        for (index, digest) in prefixes(self).into_iter().enumerate() {
            let message = &mut self.messages[index];
            if message.is_signed() {
                message.meta.signed_under.get_or_insert(digest);
            }
        }
    }

    /// Takes out reasoning whose signature is dead: bound to a prefix that is not there any more. Gives
    /// the indices of the messages concerned, as they were before; a message of nothing but dead
    /// reasoning is gone.
    ///
    /// Reasoning of which [nothing is noted](Self::note_signed_prefixes) is left alone.
    ///
    /// ```
    /// use foldback_model::{Context, Message, Part, Role, Thinking};
    ///
    /// let thought = Part::Thinking(Thinking::new("hm").signed("sig"));
    /// let reply = Message::new(Role::Assistant, vec![thought, Part::text("one")]);
    /// let mut context = Context::new(vec![Message::user("a"), reply, Message::assistant("two")]);
    /// context.note_signed_prefixes();
    /// assert!(context.drop_dead_reasoning().is_empty());
    ///
    /// context.messages[0] = Message::user("a summary");
    /// assert_eq!(context.drop_dead_reasoning(), [1]);
    /// assert_eq!(context.messages[1].parts(), [Part::text("one")]);
    /// ```
    pub fn drop_dead_reasoning(&mut self) -> Vec<usize> {
        if !self.messages.iter().any(|message| message.meta.signed_under.is_some()) {
            return Vec::new();
        }
        let newest = self.messages.iter().rposition(|message| message.role == Role::Assistant);
        let is_dead = |(index, now): &(usize, Digest)| {
            let message = &self.messages[*index];
            let rule = self.signing_rule(message);
            message.is_signed()
                && message.meta.signed_under.is_some_and(|then| then != *now)
                && rule.binding == Binding::Prefix
                && !(rule.newest_stays && newest == Some(*index))
        };
        let dead: Vec<usize> =
            prefixes(self).into_iter().enumerate().filter(is_dead).map(|(index, _)| index).collect();
        for &index in dead.iter().rev() {
            let message = &mut self.messages[index];
            message.retain_parts(|part| !matches!(part, Part::Thinking(_)));
            if message.parts().is_empty() {
                self.messages.remove(index);
                self.summary_at = self.summary_at.map(|at| if at > index { at - 1 } else { at });
            }
        }
        dead
    }

    /// The rule that `message` is under. Where nothing tells the provider, the strictest rule holds.
    fn signing_rule(&self, message: &Message) -> &'static SigningRule {
        let provider = message.origin().unwrap_or(WireFormat::Anthropic);
        SigningRule::of(provider, message.meta.model.as_deref().or(self.model.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RawJson, Summary, Thinking};

    fn reply(text: &str) -> Message {
        let thought = Part::Thinking(Thinking::new("hm").signed("sig"));
        Message::new(Role::Assistant, vec![thought, Part::text(text)])
    }

    fn noted(messages: Vec<Message>) -> Context {
        let mut context = Context::new(messages);
        context.note_signed_prefixes();
        context
    }

    #[test]
    fn versions_in_names() {
        for (model, expected) in [
            ("claude-fable-5-1", Some((5, 1))),
            ("claude-opus-5-20260901", Some((5, 0))),
            ("us.anthropic/claude-3-5-haiku-20241022", Some((3, 5))),
            ("claude-sonnet-4.5@20250929", Some((4, 5))),
            ("stub-claude", None),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }

    #[test]
    fn a_signature_is_dead_behind_another_prefix() {
        let mut context = noted(vec![Message::user("a"), reply("1"), Message::user("b"), reply("2")]);
        assert!(context.drop_dead_reasoning().is_empty());
        context.messages.remove(0);
        context.summary = Some(Summary::new("a"));
        // The newest reply of a model of unknown version keeps its reasoning.
        assert_eq!(context.drop_dead_reasoning(), [0]);
        assert!(context.messages[2].is_signed());
    }

    #[test]
    fn newer_models_refuse_the_newest_reply_too() {
        let mut context = noted(vec![Message::user("a"), reply("1")]);
        context.model = Some("claude-fable-5-1".to_owned());
        context.messages[0] = Message::user("b");
        assert_eq!(context.drop_dead_reasoning(), [1]);
    }

    #[test]
    fn the_system_text_and_the_tools_are_part_of_the_prefix() {
        let mut context = noted(vec![Message::user("a"), reply("1"), Message::assistant("2")]);
        context.system = Some("be short".to_owned());
        assert_eq!(context.drop_dead_reasoning(), [1]);
    }

    #[test]
    fn what_follows_a_signature_does_not_matter() {
        let mut context = noted(vec![Message::user("a"), reply("1"), Message::user("b"), reply("2")]);
        context.messages[2] = Message::user("c");
        context.messages.push(Message::user("d"));
        assert_eq!(context.drop_dead_reasoning(), Vec::<usize>::new());
        context.messages.push(Message::assistant("3"));
        assert_eq!(context.drop_dead_reasoning(), [3]);
    }

    #[test]
    fn signatures_of_other_providers_are_not_bound_to_the_prefix() {
        for wire in [WireFormat::Gemini, WireFormat::OpenAiResponses, WireFormat::OpenAiChat] {
            let mut context =
                noted(vec![Message::user("a"), reply("1").with_raw(RawJson::new(wire, "{}")), reply("2")]);
            context.messages[0] = Message::user("b");
            assert_eq!(context.drop_dead_reasoning(), Vec::<usize>::new(), "{wire:?}");
        }
    }

    #[test]
    fn a_message_of_dead_reasoning_alone_goes() {
        let thought = Message::new(Role::Assistant, vec![Part::Thinking(Thinking::sealed("zz"))]);
        let mut context = noted(vec![Message::user("a"), thought, Message::user("b"), reply("1")]);
        context.messages[0] = Message::user("c");
        context.summary = Some(Summary::new("s"));
        context.summary_at = Some(3);
        assert_eq!(context.drop_dead_reasoning(), [1]);
        assert_eq!((context.messages.len(), context.summary_at), (3, Some(2)));
    }
}
