//! One compaction as a state machine without I/O.

use std::borrow::Cow;
use std::collections::BTreeSet;

use foldback_model::{
    CallGraph, Digest, Kind, Message, Part, Prefix, Role, Summary, TokenCount, Usage, first_change,
};
use foldback_plan::Plan;
use foldback_summarize::{FileLedger, SummaryKind, SummaryReply, SummaryRequest, ledger};

use crate::assemble::{self, Assembled};
use crate::{CompactError, Compacted, Config, Reason, Record, Relief, Request};

/// What stands for the history when there was none before the turn that the cut splits.
const NO_HISTORY: &str = "Nothing was condensed before this turn.";
/// The heading is that of Golato.
const SPLIT_TURN: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";
/// A summary is asked to stay below this share of what it replaces, in percent.
const SUMMARY_PERCENT: u64 = 60;
/// The head of a split turn gets this share of the summary, in percent, however short it is: what the
/// kept messages go on with is there.
const PREFIX_PERCENT: u64 = 40;

/// What the driver must do next.
#[must_use]
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a driver must handle every step")]
pub enum Pending<'c> {
    /// Ask a summarizer, then report with [`Compaction::summary_ready`].
    Summarize(SummaryRequest<'c>),
    /// Nothing more is needed: call [`Compaction::finish`].
    Done,
}

/// A compaction that is under way.
///
/// The order of calls: [`pending`](Self::pending) says what is needed; as long as that is a summary,
/// [`summary_ready`](Self::summary_ready) brings it; [`finish`](Self::finish) gives the result.
/// Dropping the compaction at any point changes nothing.
pub struct Compaction<'a> {
    request: Request<'a>,
    plan: Plan,
    relief: Relief,
    summary_tokens: TokenCount,
    // Messages to condense, earlier summaries among them taken out.
    history: Vec<Cow<'a, Message>>,
    prefix: Vec<Cow<'a, Message>>,
    previous: Option<Summary>,
    history_text: Option<String>,
    prefix_text: Option<String>,
    usage: Option<Usage>,
    notes: Vec<String>,
}

impl<'a> Compaction<'a> {
    pub(crate) fn new(request: Request<'a>, plan: Plan, config: &Config) -> Result<Self, CompactError> {
        check_plan(&request, &plan)?;
        let messages = &request.context.messages;
        let mut summaries = Vec::new();
        let mut without_summary = |index: usize| {
            let (summary, rest) = split_summary(&messages[index]);
            summaries.extend(summary);
            rest
        };
        let history: Vec<Cow<'_, Message>> = plan.history().filter_map(&mut without_summary).collect();
        let prefix: Vec<Cow<'_, Message>> = plan.prefix().filter_map(&mut without_summary).collect();
        if history.is_empty() && prefix.is_empty() {
            return Err(CompactError::InvalidRequest("the plan has nothing to condense".to_owned()));
        }
        Ok(Self {
            previous: previous_summary(request.context.summary.as_ref(), summaries),
            request,
            plan,
            relief: config.relief,
            summary_tokens: config.summary_tokens,
            history,
            prefix,
            history_text: None,
            prefix_text: None,
            usage: None,
            notes: Vec::new(),
        })
    }

    /// What is needed next.
    pub fn pending(&self) -> Pending<'_> {
        let (kind, messages, previous) = if !self.history.is_empty() && self.history_text.is_none() {
            (SummaryKind::History, &self.history, self.previous.as_ref())
        } else if !self.prefix.is_empty() && self.prefix_text.is_none() {
            (SummaryKind::TurnPrefix, &self.prefix, None)
        } else {
            return Pending::Done;
        };
        let mut wanted = SummaryRequest::new(kind, messages.iter().map(AsRef::as_ref).collect());
        wanted.previous = previous;
        wanted.focus = self.request.focus;
        wanted.budget = Some(self.summary_budget(kind));
        Pending::Summarize(wanted)
    }

    /// Takes the summary that [`pending`](Self::pending) asked for.
    ///
    /// # Errors
    ///
    /// [`CompactError::EmptySummary`] if nothing is left of it after trimming and without file lists;
    /// [`CompactError::InvalidRequest`] if no summary was asked for.
    pub fn summary_ready(&mut self, reply: SummaryReply) -> Result<(), CompactError> {
        let text = ledger::strip(&reply.text);
        let text = text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
        if text.is_empty() {
            return Err(CompactError::EmptySummary);
        }
        let place = match self.pending() {
            Pending::Summarize(wanted) if wanted.kind == SummaryKind::History => &mut self.history_text,
            Pending::Summarize(_) => &mut self.prefix_text,
            Pending::Done => {
                return Err(CompactError::InvalidRequest("no summary was asked for".to_owned()));
            }
        };
        *place = Some(text.to_owned());
        self.notes.extend(reply.notes);
        self.usage = match (self.usage, reply.usage) {
            (Some(sum), Some(usage)) => Some(sum.plus(usage)),
            (sum, usage) => sum.or(usage),
        };
        Ok(())
    }

    /// Puts the new context together.
    ///
    /// # Errors
    ///
    /// [`CompactError::NotSmaller`] if the context had to become smaller and did not;
    /// [`CompactError::Estimate`]; [`CompactError::InvalidRequest`] if a summary is still missing.
    pub fn finish(self) -> Result<Compacted, CompactError> {
        if let Pending::Summarize(_) = self.pending() {
            return Err(CompactError::InvalidRequest("a summary is still missing".to_owned()));
        }
        let request = self.request;
        let summary = self.summary();
        let Assembled { context, dropped, dead_reasoning } =
            assemble::context(&request, &self.plan, summary.clone());
        let estimate = request.estimator.estimate_context(&context).map_err(CompactError::Estimate)?;
        let (before, after) = (self.plan.tokens_before, estimate.total.tokens);
        if after >= before && (request.require_reduction || self.relief == Relief::StrictReduction) {
            let irreducible = self.plan.irreducible;
            return Err(CompactError::NotSmaller { before, after, irreducible });
        }
        let over_budget = self.plan.irreducible.clone().or_else(|| {
            let budget = self.plan.budget.filter(|&budget| after > budget)?;
            Some(assemble::too_large(&self.plan, after, budget))
        });
        let mut notes = self.notes;
        if let Some(threshold) = self.plan.threshold.filter(|&threshold| after > threshold) {
            notes.push(format!(
                "The context is still above the threshold of {threshold}: keep less of its end."
            ));
        }
        let record = Record {
            reason: if self.plan.due { Reason::Threshold } else { Reason::Demanded },
            epoch: context.epoch,
            snapshot: snapshot(&request.context.messages),
            estimator: request.estimator.name().to_owned(),
            error_band: estimate.total.error_band,
            tokens_before: before,
            tokens_after: after,
            summary: summary.text,
            files: summary.files,
            usage: self.usage,
            notes,
            dropped,
            first_changed: first_change(request.context, &context),
            dead_reasoning,
            over_budget,
            plan: self.plan,
        };
        Ok(Compacted { context, record: Some(record) })
    }

    /// The new summary: the history, the head of a split turn, and the files that both touched.
    fn summary(&self) -> Summary {
        let history = self
            .history_text
            .as_deref()
            .or(self.previous.as_ref().map(|previous| previous.text.as_str()))
            .unwrap_or(NO_HISTORY);
        let mut text = history.to_owned();
        if let Some(prefix) = &self.prefix_text {
            text.push_str(SPLIT_TURN);
            text.push_str(prefix);
        }
        let mut touched = FileLedger::new();
        if let Some(previous) = &self.previous {
            touched.add_lists(&previous.files);
        }
        for message in self.history.iter().chain(&self.prefix) {
            touched.add_message(message);
        }
        let files = touched.lists();
        text.push_str(&ledger::render(&files));
        Summary::new(text).with_files(files)
    }

    /// How long the summary of a part may be: its share of the limit, and less than what it replaces.
    fn summary_budget(&self, kind: SummaryKind) -> TokenCount {
        let condensed = self.plan.tokens_before.saturating_sub(self.plan.tokens_kept);
        let most = condensed.as_u64().saturating_mul(SUMMARY_PERCENT) / 100;
        let limit = self.summary_tokens.as_u64().min(most);
        let share = match kind {
            _ if self.history.is_empty() || self.prefix.is_empty() => 100,
            SummaryKind::TurnPrefix => PREFIX_PERCENT,
            _ => 100 - PREFIX_PERCENT,
        };
        TokenCount::new((limit.saturating_mul(share) / 100).max(1))
    }
}

/// The digest of the messages that a plan was computed from.
fn snapshot(messages: &[Message]) -> Digest {
    let mut prefix = Prefix::default();
    messages.iter().for_each(|message| prefix.push(message));
    prefix.digest()
}

/// Characters that a model sends instead of nothing.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}')
}

/// An earlier summary that stands in a message, and what else the message says.
fn split_summary(message: &Message) -> (Option<String>, Option<Cow<'_, Message>>) {
    if message.kind() == Kind::Summary {
        let text = message.text();
        return (Some(Summary::text_of_projection(&text).unwrap_or(&text).to_owned()), None);
    }
    // A provider that wants roles to alternate got the summary and the next message in one.
    let first = message.parts().first().and_then(Part::as_text).filter(|_| message.role == Role::User);
    let Some(summary) = first.and_then(Summary::text_of_projection) else {
        return (None, Some(Cow::Borrowed(message)));
    };
    let mut rest = message.clone();
    rest.set_parts(message.parts()[1..].to_vec());
    (Some(summary.to_owned()), Some(Cow::Owned(rest)))
}

/// The summary so far: the one of the context, and those that stood among the condensed messages.
fn previous_summary(context: Option<&Summary>, among: Vec<String>) -> Option<Summary> {
    let mut texts: Vec<String> = Vec::new();
    let mut touched = FileLedger::new();
    if let Some(summary) = context.filter(|summary| !summary.text.trim().is_empty()) {
        texts.push(summary.text.clone());
        touched.add_lists(&summary.files);
    }
    texts.extend(among);
    for text in &mut texts {
        touched.add_lists(&ledger::parse(text));
        *text = ledger::strip(text).trim().to_owned();
    }
    texts.retain(|text| !text.is_empty());
    let files = touched.lists();
    (!texts.is_empty()).then(|| Summary::new(texts.join("\n\n")).with_files(files))
}

/// A plan is trusted in its figures, never in its structure.
fn check_plan(request: &Request<'_>, plan: &Plan) -> Result<(), CompactError> {
    let n = request.context.messages.len();
    let refuse = |what: &str| Err(CompactError::InvalidRequest(format!("the plan does not fit: {what}")));
    if plan.first_kept > n || plan.summarize.end > plan.first_kept {
        return refuse("it names messages that are not there");
    }
    if let Some(prefix) = &plan.turn_prefix
        && (prefix.start != plan.summarize.end || prefix.end != plan.first_kept)
    {
        return refuse("the head of the split turn is not what stands in front of the cut");
    }
    if plan.turn_prefix.is_none() && plan.summarize.end != plan.first_kept {
        return refuse("messages in front of the cut are neither condensed nor kept");
    }
    let graph = CallGraph::new(&request.context.messages, request.pending);
    if !graph.may_cut_at(plan.first_kept) {
        return refuse("the cut would part a tool call from its result");
    }
    let stays: BTreeSet<usize> = plan.stays.iter().copied().collect();
    if stays.len() != plan.stays.len() || !plan.stays.is_sorted() {
        return refuse("the messages that stay are repeated or out of order");
    }
    let condensed = |index: &usize| *index < plan.first_kept && !stays.contains(index);
    if (0..plan.summarize.start).any(|index| condensed(&index)) {
        return refuse("messages in front of the condensed ones would be lost");
    }
    let messages = &request.context.messages;
    let pinned: BTreeSet<usize> = request.pinned.iter().copied().collect();
    for (index, message) in messages.iter().enumerate().filter(|(index, _)| condensed(index)) {
        if message.meta.pin.is_some() || pinned.contains(&index) || message.role.is_instruction() {
            return refuse(&format!("message {index} is pinned or a standing instruction"));
        }
    }
    // How many messages in front of each place are condensed, and how many stay that need not.
    let mut so_far = vec![(0_usize, 0_usize)];
    for (index, message) in messages.iter().enumerate() {
        let (gone, kept) = so_far[index];
        // A standing instruction in the middle of an exchange stays whatever becomes of the exchange.
        let kept_freely = !condensed(&index) && !message.role.is_instruction();
        so_far.push((gone + usize::from(condensed(&index)), kept + usize::from(kept_freely)));
    }
    for exchange in graph.exchanges() {
        let (start, end) = (so_far[exchange.first], so_far[(exchange.last + 1).min(n)]);
        if end.0 > start.0 && end.1 > start.1 {
            return refuse("an exchange would be condensed in part");
        }
    }
    Ok(())
}
