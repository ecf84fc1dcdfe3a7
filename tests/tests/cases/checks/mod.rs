//! The checks of the README, by name.

mod kept;
#[cfg(test)]
mod tests;
mod texts;
mod wire;

use foldback_model::WireFormat;
use foldback_summarize::SummaryKind;
use serde_json::Value;

use crate::case::{Input, Property};
use crate::run::{Conversation, Done};
use crate::view::Role;

/// Why a property does not hold.
pub(crate) type Verdict = Result<(), String>;

/// What a check may look at.
pub(crate) struct Scene<'a> {
    pub(crate) args: &'a Value,
    pub(crate) input: &'a Input,
    pub(crate) done: &'a Done,
    pub(crate) variant: Option<&'a str>,
}

/// Whether `property` holds for a run. A check that is not known does not.
pub(crate) fn check(property: &Property, scene: &Scene<'_>) -> Verdict {
    let done = scene.done;
    match property.check.as_str() {
        "outcome" => scene.outcome(),
        "error_kind" => scene.error_kind(),
        "state_unchanged" => ensure(done.unchanged, || "the conversation has changed".to_owned()),
        "calls" => scene.calls(),
        "record" => scene.record(),
        "strict_reduction" => scene.strict_reduction(),
        "request_well_formed" => scene.request_well_formed(),
        // A panic has failed the test already.
        "no_panic" => Ok(()),
        name => scene.conversations(name),
    }
}

/// Whether a check looks at what was written: it is vacuous where nothing was.
pub(crate) fn is_on_conversation(name: &str) -> bool {
    const OF_RUN: [&str; 8] = [
        "outcome",
        "error_kind",
        "state_unchanged",
        "calls",
        "record",
        "strict_reduction",
        "request_well_formed",
        "no_panic",
    ];
    !OF_RUN.contains(&name)
}

impl Scene<'_> {
    /// A check on every conversation that was written.
    fn conversations(&self, name: &str) -> Verdict {
        for conversation in &self.done.written {
            let verdict = self.conversation(name, conversation);
            verdict.map_err(|seen| {
                let label =
                    if conversation.label.is_empty() { "" } else { &format!("[{}] ", conversation.label) };
                format!("{label}{seen}; written was:{}", conversation.after.outline())
            })?;
        }
        // The name is known even where there is nothing to look at.
        ensure(KNOWN.contains(&name), || format!("the harness knows no check `{name}`"))
    }

    fn conversation(&self, name: &str, conversation: &Conversation) -> Verdict {
        let after = &conversation.after;
        if COMPARING.contains(&name) && conversation.before.wire != after.wire {
            // A compaction is compared in its own wire; a conversion has no other.
            return ensure(!conversation.is_only_one(self.done), || {
                format!("`{name}` compares messages and cannot do so across wires")
            });
        }
        let open = self.allowed_open();
        match name {
            "wire_valid" => wire::valid(after, &conversation.before, &open)
                .and_then(|()| wire::passes_own_check(after, &conversation.json, &open)),
            "calls_and_results_paired" => wire::calls_and_results_paired(after, &open),
            "results_adjacent" => wire::results_adjacent(after, &open),
            "alternating_roles" => wire::alternating_roles(after),
            "starts_with_user" => wire::starts_with_user(after),
            "first_kept_is_not_result" => wire::first_kept_is_not_result(after),
            "no_empty_content" => wire::no_empty_content(after),
            "reasoning_followed" => wire::reasoning_followed(after, &conversation.before),
            "ends_with" => self.ends_with(conversation),
            "kept_suffix_verbatim" => kept::suffix_verbatim(conversation, &self.input.state.pinned),
            "verbatim_messages" => kept::messages_verbatim(conversation, &self.indices()?),
            "signed_messages_whole" => kept::signed_whole(conversation),
            "system_kept" => kept::system_kept(conversation),
            "summary_messages" => texts::summary_messages(after, self.number("count")?),
            "cache_control_at_most" => texts::cache_control_at_most(after, self.number("max")?),
            "contains" | "absent" if self.done.more_to_come => Ok(()),
            "contains" => self.texts()?.iter().try_for_each(|text| {
                ensure(self.finds(text, conversation)?, || format!("`{text}` is not found"))
            }),
            "absent" => self.texts()?.iter().try_for_each(|text| {
                ensure(!self.finds(text, conversation)?, || format!("`{text}` is found"))
            }),
            "texts_in_order" => texts::in_order(conversation, &self.texts()?),
            "well_formed_text" => texts::well_formed(conversation),
            _ => Err(format!("the harness knows no check `{name}`")),
        }
    }

    fn outcome(&self) -> Verdict {
        let outcome = &self.done.outcome;
        let expected = self.list("one_of")?;
        let fits = expected.iter().any(|one| match one.split_once(':') {
            Some((name, part)) => name == outcome.name && outcome.text.contains(part),
            None => *one == outcome.name,
        });
        ensure(fits, || {
            format!("it ended with `{}` ({}), not with one of {expected:?}", outcome.name, outcome.text)
        })?;
        // What is called a no-op has to be one.
        ensure(outcome.name != "noop" || self.done.unchanged, || {
            "the no-op returned something else than it was given".to_owned()
        })
    }

    fn error_kind(&self) -> Verdict {
        let kind = self.args["kind"].as_str().ok_or("`error_kind` wants a `kind`")?;
        let outcome = &self.done.outcome;
        ensure(kind == outcome.name, || format!("it ended with `{}` ({})", outcome.name, outcome.text))
    }

    fn calls(&self) -> Verdict {
        if self.args["who"] != "summarizer" {
            return Err(format!("the harness counts no calls of {}", self.args["who"]));
        }
        let own = self.variant.map(|variant| &self.args["by_variant"][variant]);
        let (min, max) = match own.filter(|bounds| !bounds.is_null()) {
            Some(bounds) => (bounds[0].as_u64(), bounds[1].as_u64()),
            None => (self.args["min"].as_u64(), self.args["max"].as_u64()),
        };
        let n = self.done.asked.len() as u64;
        let fits = n >= min.unwrap_or(0) && n <= max.unwrap_or(u64::MAX);
        ensure(fits, || {
            format!(
                "the summarizer was called {n} times; it ended with `{}` ({})",
                self.done.outcome.name, self.done.outcome.text
            )
        })
    }

    fn record(&self) -> Verdict {
        let record = self.done.record.as_ref();
        ensure(record.is_some() != self.done.unchanged, || {
            "there is a record exactly where something has changed".to_owned()
        })?;
        for (key, value) in self.args.as_object().into_iter().flatten() {
            match key.as_str() {
                "after_max" => {
                    let after = record.map(|record| record.tokens_after.as_u64());
                    let fits = after.is_none_or(|after| value.as_u64().is_some_and(|max| after <= max));
                    ensure(fits, || format!("the record says {after:?} after"))?;
                }
                _ => return Err(format!("the harness knows no `{key}` of a record")),
            }
        }
        Ok(())
    }

    fn strict_reduction(&self) -> Verdict {
        let Some(record) = &self.done.record else { return Ok(()) };
        ensure(record.tokens_after < record.tokens_before, || {
            format!("{} before, {} after", record.tokens_before, record.tokens_after)
        })
    }

    /// Each request carries the focus text, and the one for the head of a split turn what opens it.
    fn request_well_formed(&self) -> Verdict {
        let focus = self.input.instructions.as_deref().unwrap_or_default();
        for (n, asked) in self.done.asked.iter().enumerate() {
            ensure(asked.text.contains(focus), || format!("request {n} lacks the focus text"))?;
            ensure(!asked.text.contains('\u{FFFD}'), || format!("request {n} has a broken character"))?;
            if asked.kind == SummaryKind::TurnPrefix
                && let Some(opener) = self.done.written.first().and_then(split_opener)
            {
                ensure(asked.text.contains(&opener), || format!("request {n} lacks the opener `{opener}`"))?;
            }
        }
        Ok(())
    }

    fn ends_with(&self, conversation: &Conversation) -> Verdict {
        let roles = self.list("roles")?;
        let last = conversation.after.messages.last().ok_or("no message is left")?;
        let names: &[&str] = match last.role {
            Role::System => &["system", "developer"],
            Role::User => &["user"],
            Role::Assistant => &["assistant", "model"],
            Role::Tool => &["tool"],
        };
        ensure(names.iter().any(|name| roles.contains(name)), || {
            format!("the last message is of {:?}", last.role)
        })
    }

    /// Calls that may be without a result: those named, and those that are still running.
    fn allowed_open(&self) -> Vec<String> {
        let named = self.args["allow_open"].as_array().into_iter().flatten();
        let named = named.filter_map(Value::as_str).map(str::to_owned);
        named.chain(self.input.state.pending_calls.iter().cloned()).collect()
    }

    fn finds(&self, text: &str, conversation: &Conversation) -> Result<bool, String> {
        let in_output = || texts::found(text, conversation.after.strings().into_iter());
        let in_requests = || texts::found(text, self.done.asked.iter().map(|asked| asked.text.as_str()));
        match self.args["where"].as_str().unwrap_or("output") {
            "output" => Ok(in_output()),
            "summarizer_request" => Ok(in_requests()),
            "anywhere" => Ok(in_output() || in_requests()),
            other => Err(format!("the harness knows no place `{other}`")),
        }
    }

    fn texts(&self) -> Result<Vec<&str>, String> {
        self.list("texts")
    }

    fn list(&self, key: &str) -> Result<Vec<&str>, String> {
        let list = self.args[key].as_array().ok_or_else(|| format!("the check wants a list `{key}`"))?;
        list.iter().map(|item| item.as_str().ok_or_else(|| format!("`{key}` holds {item}"))).collect()
    }

    fn indices(&self) -> Result<Vec<usize>, String> {
        let list = self.args["indices"].as_array().ok_or("the check wants `indices`")?;
        let index = |item: &Value| item.as_u64().and_then(|index| usize::try_from(index).ok());
        list.iter().map(|item| index(item).ok_or_else(|| format!("`indices` holds {item}"))).collect()
    }

    fn number(&self, key: &str) -> Result<usize, String> {
        let number = self.args[key].as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| format!("the check wants a number `{key}`"))
    }
}

/// What a person wrote last of all that is not in the output: it opens the turn that was split.
fn split_opener(conversation: &Conversation) -> Option<String> {
    let output = conversation.after.strings();
    let said =
        |message: &&crate::view::Message| message.role == Role::User && message.results().next().is_none();
    let mut openers = conversation.before.messages.iter().filter(said).rev();
    let gone = |text: &String| !output.iter().any(|there| there.contains(text.as_str()));
    openers.find_map(|message| message.texts().next().map(str::to_owned).filter(gone))
}

impl Conversation {
    fn is_only_one(&self, done: &Done) -> bool {
        !done.written.iter().any(|other| other.after.wire == self.before.wire)
    }
}

/// Checks that compare messages with those of the input.
const COMPARING: [&str; 4] =
    ["kept_suffix_verbatim", "verbatim_messages", "signed_messages_whole", "reasoning_followed"];

/// Checks on a conversation.
const KNOWN: [&str; 19] = [
    "wire_valid",
    "calls_and_results_paired",
    "results_adjacent",
    "alternating_roles",
    "starts_with_user",
    "first_kept_is_not_result",
    "no_empty_content",
    "reasoning_followed",
    "ends_with",
    "kept_suffix_verbatim",
    "verbatim_messages",
    "signed_messages_whole",
    "system_kept",
    "summary_messages",
    "cache_control_at_most",
    "contains",
    "absent",
    "texts_in_order",
    "well_formed_text",
];

/// Whether a wire wants roles to alternate and a user to begin.
fn alternates(wire: WireFormat) -> bool {
    matches!(wire, WireFormat::Anthropic | WireFormat::Gemini)
}

fn ensure(holds: bool, seen: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(seen()) }
}
