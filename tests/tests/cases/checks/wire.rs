//! What providers demand of a list of messages.

use foldback_model::WireFormat;
use foldback_wire::{Format, ReadOptions, check, read};

use super::{Verdict, alternates, ensure};
use crate::view::{Block, Link, Message, Role, View, What, canonical, is_summary};

/// All that the wire demands. `before` is the conversation that `view` came from.
pub(super) fn valid(view: &View, before: &View, open: &[String]) -> Verdict {
    let responses = view.wire == WireFormat::OpenAiResponses;
    calls_and_results_paired(view, open)?;
    if responses {
        if before.wire == view.wire {
            reasoning_followed(view, before)?;
        }
    } else {
        results_adjacent(view, open)?;
        no_empty_content(view)?;
    }
    if alternates(view.wire) {
        alternating_roles(view)?;
        starts_with_user(view)
    } else {
        first_kept_is_not_result(view)
    }
}

/// Whether the program's own check finds nothing either, in what has just passed the checks here.
/// It does not know of calls that may stay `open`.
pub(super) fn passes_own_check(view: &View, json: &str, open: &[String]) -> Verdict {
    let mut options = ReadOptions::default();
    options.format = Some(Format::Wire(view.wire));
    let read = read(json.as_bytes(), &options);
    let document = read.map_err(|error| format!("what was written cannot be read: {error}"))?;
    let holds_open = |index: usize| {
        view.messages.get(index).is_some_and(|message| message.calls().any(|call| may_stay_open(call, open)))
    };
    let findings = check(view.wire, &document.context.messages);
    match findings.iter().find(|finding| finding.rule != "unanswered-call" || !holds_open(finding.index)) {
        Some(finding) => Err(format!("the program's own check objects: {finding:?}")),
        None => Ok(()),
    }
}

/// Every result has an open call before it, and every call is answered.
pub(super) fn calls_and_results_paired(view: &View, open: &[String]) -> Verdict {
    let mut waiting: Vec<&Link> = Vec::new();
    for (index, block) in view.blocks() {
        match &block.what {
            What::Call(call) => waiting.push(call),
            What::Result(result) => {
                let call = waiting.iter().rposition(|call| result.answers(call));
                let call = call.ok_or_else(|| {
                    format!("message {index} answers `{}`, and no such call is open", result.label())
                })?;
                waiting.remove(call);
            }
            _ => {}
        }
    }
    match waiting.into_iter().find(|call| !may_stay_open(call, open)) {
        Some(call) => Err(format!("the call `{}` has no result", call.label())),
        None => Ok(()),
    }
}

fn may_stay_open(call: &Link, open: &[String]) -> bool {
    [&call.id, &call.name].into_iter().flatten().any(|name| open.contains(name))
}

/// The results of one assistant message stand directly behind it.
pub(super) fn results_adjacent(view: &View, open: &[String]) -> Verdict {
    match view.wire {
        WireFormat::OpenAiChat => chat_results_adjacent(view, open),
        WireFormat::Anthropic => {
            pairs(view).try_for_each(|(index, calls, next)| anthropic_results(index, calls, next, open))
        }
        WireFormat::Gemini => {
            pairs(view).try_for_each(|(index, calls, next)| gemini_results(index, calls, next, open))
        }
        _ => Ok(()),
    }
}

fn chat_results_adjacent(view: &View, open: &[String]) -> Verdict {
    let mut waiting: Vec<&Link> = Vec::new();
    let answered =
        |waiting: &[&Link], index: usize| match waiting.iter().find(|call| !may_stay_open(call, open)) {
            Some(call) => Err(format!("`{}` is not answered in front of message {index}", call.label())),
            None => Ok(()),
        };
    for (index, message) in view.messages.iter().enumerate() {
        if message.role != Role::Tool {
            answered(&waiting, index)?;
            waiting = message.calls().collect();
            continue;
        }
        for result in message.results() {
            let call = waiting.iter().position(|call| result.answers(call));
            let call = call.ok_or_else(|| {
                format!(
                    "message {index} answers `{}`, not a call of the message that it follows",
                    result.label()
                )
            })?;
            waiting.remove(call);
        }
    }
    answered(&waiting, view.messages.len())
}

/// Each place between two messages: the index behind it, the calls in front of it, and what follows.
fn pairs(view: &View) -> impl Iterator<Item = (usize, Vec<&Link>, Option<&Message>)> {
    (0..=view.messages.len()).map(|index| {
        let before = index.checked_sub(1).and_then(|before| view.messages.get(before));
        let calls = before.map(|message| message.calls().collect()).unwrap_or_default();
        (index, calls, view.messages.get(index))
    })
}

fn anthropic_results(
    index: usize,
    mut calls: Vec<&Link>,
    next: Option<&Message>,
    open: &[String],
) -> Verdict {
    if let Some(next) = next {
        let is_result = |block: &&Block| matches!(block.what, What::Result(_));
        let front = next.blocks.iter().take_while(is_result).count();
        ensure(front == next.results().count(), || {
            format!("in message {index} a result stands behind something else")
        })?;
        ensure(front == 0 || next.role == Role::User, || {
            format!("message {index} with results is not the user's")
        })?;
        for result in next.results() {
            let call = calls.iter().position(|call| result.answers(call));
            let call = call.ok_or_else(|| {
                format!(
                    "message {index} answers `{}`, which the message before does not call",
                    result.label()
                )
            })?;
            calls.remove(call);
        }
    }
    match calls.iter().find(|call| !may_stay_open(call, open)) {
        Some(call) => Err(format!("`{}` is not answered in message {index}", call.label())),
        None => Ok(()),
    }
}

fn gemini_results(index: usize, mut calls: Vec<&Link>, next: Option<&Message>, open: &[String]) -> Verdict {
    let results: Vec<&Link> = next.into_iter().flat_map(Message::results).collect();
    if results.is_empty() {
        calls.retain(|call| !may_stay_open(call, open));
    }
    let names = |links: &[&Link]| {
        let mut names: Vec<Option<String>> = links.iter().map(|link| link.name.clone()).collect();
        names.sort();
        names
    };
    ensure(names(&calls) == names(&results), || {
        format!("message {index} answers {:?} where {:?} were called", names(&results), names(&calls))
    })
}

/// No two messages of one role stand in a row.
pub(super) fn alternating_roles(view: &View) -> Verdict {
    let twice = view.messages.windows(2).position(|pair| pair[0].role == pair[1].role);
    match twice {
        Some(index) => {
            Err(format!("messages {index} and {} are both of {:?}", index + 1, view.messages[index].role))
        }
        None => Ok(()),
    }
}

/// Of all but the instructions, a user's message comes first.
pub(super) fn starts_with_user(view: &View) -> Verdict {
    let (index, first) = view.spoken().next().ok_or("no message is left")?;
    ensure(first.role == Role::User, || format!("message {index}, the first, is of {:?}", first.role))
}

/// Neither the first message nor the first behind a summary is a tool's answer.
pub(super) fn first_kept_is_not_result(view: &View) -> Verdict {
    let summary = |block: &Block| matches!(&block.what, What::Text(text) if is_summary(text));
    let spoken: Vec<(usize, &Block)> = view
        .spoken()
        .flat_map(|(index, message)| message.blocks.iter().map(move |block| (index, block)))
        .collect();
    let behind_summary = spoken.iter().position(|(_, block)| summary(block)).map_or(0, |at| at + 1);
    for first in [spoken.first(), spoken.get(behind_summary)].into_iter().flatten() {
        ensure(!matches!(first.1.what, What::Result(_)), || {
            format!("message {}, the first kept, is a result", first.0)
        })?;
    }
    Ok(())
}

/// No message is without content, no text is blank.
pub(super) fn no_empty_content(view: &View) -> Verdict {
    for (index, message) in view.messages.iter().enumerate() {
        ensure(!message.blocks.is_empty(), || format!("message {index} has no content"))?;
        // OpenAI takes an empty text beside calls; Gemini streams one to carry a signature.
        let calls = view.wire == WireFormat::OpenAiChat && message.calls().next().is_some();
        for block in &message.blocks {
            let signed = block.raw.get("thoughtSignature").is_some();
            let blank = matches!(&block.what, What::Text(text) if text.trim().is_empty());
            ensure(!blank || signed || calls, || format!("message {index} has a blank text"))?;
        }
    }
    Ok(())
}

/// A reasoning item stands in front of what it belongs to, and what had one still has it or has lost
/// its id.
pub(super) fn reasoning_followed(view: &View, before: &View) -> Verdict {
    for (index, item) in view.messages.iter().enumerate().filter(|(_, item)| is_reasoning(item)) {
        let follower =
            follower(view, index).ok_or_else(|| format!("item {index} is reasoning that nothing follows"))?;
        let source = before.messages.iter().position(|other| canonical(&other.raw) == canonical(&item.raw));
        let owner = source.and_then(|source| self::follower(before, source));
        let same = owner.is_none_or(|owner| without_id(owner) == without_id(follower));
        ensure(same, || format!("item {index} is reasoning, and what follows is not what it belongs to"))?;
    }
    for (index, item) in view.messages.iter().enumerate().filter(|(_, item)| is_reply(item)) {
        let Some(id) = item.raw["id"].as_str() else { continue };
        let Some(source) = before.messages.iter().position(|other| other.raw["id"] == id) else { continue };
        let had = reasoning_of(before, source).map(|reasoning| canonical(&reasoning.raw));
        let has = reasoning_of(view, index).map(|reasoning| canonical(&reasoning.raw));
        ensure(had.is_none() || had == has, || {
            format!("item {index} (`{id}`) has lost its reasoning and not its id")
        })?;
    }
    Ok(())
}

fn is_reasoning(item: &Message) -> bool {
    matches!(item.blocks.first(), Some(Block { what: What::Reasoning, .. }))
}

/// A call or a message of the model.
fn is_reply(item: &Message) -> bool {
    item.role == Role::Assistant && !is_reasoning(item)
}

/// The reply that the reasoning at `index` stands in front of.
fn follower(view: &View, index: usize) -> Option<&Message> {
    view.messages[index..].iter().find(|item| !is_reasoning(item)).filter(|item| is_reply(item))
}

/// The reasoning of the reply at `index`: in front of it, or of the replies that it follows directly.
fn reasoning_of(view: &View, index: usize) -> Option<&Message> {
    view.messages[..index].iter().rev().find(|item| !is_reply(item)).filter(|item| is_reasoning(item))
}

fn without_id(item: &Message) -> String {
    let mut raw = item.raw.clone();
    if let Some(map) = raw.as_object_mut() {
        map.shift_remove("id");
    }
    canonical(&raw)
}
