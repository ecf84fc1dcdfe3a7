//! Results stand directly behind the message whose calls they answer.

use std::collections::BTreeMap;

use foldback_model::{Message, Part, Role, WireFormat};

use super::{Draft, Draught, EditKind};
use crate::pairs::{Pairs, Site};

impl Draft<'_> {
    /// Moves results up to their calls, where the provider looks for them there.
    pub(super) fn order_results(&mut self) {
        if self.provider == WireFormat::OpenAiResponses {
            return;
        }
        let callers = self.callers();
        let misplaced = self.misplaced(&callers);
        if misplaced.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.messages);
        // The results that go behind a message, taken out of the messages that they stand in.
        let mut moved: BTreeMap<usize, Vec<Draught<'_>>> = BTreeMap::new();
        let mut rest = old.clone();
        for (&index, caller_of) in &misplaced {
            let groups = by_caller(caller_of);
            for (caller, positions) in groups {
                self.edit(
                    old[index].origin,
                    EditKind::MovedResult,
                    format!("{} put behind message {}", results(positions.len()), old[caller].origin),
                );
                let mut piece = old[index].clone();
                retain_at(piece.message.to_mut(), |position| positions.contains(&position));
                moved.entry(caller).or_default().push(piece);
            }
            retain_at(rest[index].message.to_mut(), |position| !caller_of.contains_key(&position));
        }
        for (index, draught) in rest.into_iter().enumerate() {
            let is_used_up = misplaced.contains_key(&index) && draught.message.parts().is_empty();
            self.messages.extend((!is_used_up).then_some(draught));
            self.messages.extend(moved.remove(&index).unwrap_or_default());
        }
    }

    /// For each result, the message that makes its call.
    fn callers(&self) -> BTreeMap<Site, usize> {
        let views = self.views();
        let pairs = Pairs::of(&views);
        let sites = views
            .iter()
            .enumerate()
            .flat_map(|(index, message)| (0..message.parts().len()).map(move |position| (index, position)));
        sites.filter_map(|site| Some((site, pairs.call_of(site)?.0))).collect()
    }

    /// The results that stand where the provider does not look: by message, then by part, with the message
    /// that makes the call.
    fn misplaced(&self, callers: &BTreeMap<Site, usize>) -> BTreeMap<usize, BTreeMap<usize, usize>> {
        let mut misplaced: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        // The message with calls whose results are being passed, while nothing else is said.
        let mut open: Option<usize> = None;
        let mut is_answered = false;
        for (index, draught) in self.messages.iter().enumerate() {
            let message = &draught.message;
            let is_answer = |position: usize| callers.contains_key(&(index, position));
            let n_parts = message.parts().len();
            if (0..n_parts).any(is_answer) {
                let leads = (0..n_parts).take_while(|&position| is_answer(position)).count();
                for position in (0..n_parts).filter(|&position| is_answer(position)) {
                    let caller = callers[&(index, position)];
                    // Behind a remark in the same message a result is in nobody's way but Anthropic's.
                    if open != Some(caller) || position >= leads {
                        misplaced.entry(index).or_default().insert(position, caller);
                    }
                }
                is_answered = true;
                if leads < n_parts {
                    open = None;
                }
            } else if message.role == Role::Assistant {
                (open, is_answered) = (Some(index), false);
            } else if is_answered || self.provider != WireFormat::Anthropic || !message.role.is_instruction()
            {
                // Anthropic passes over instructions on its way to the results, and expects all of those in
                // one message.
                open = None;
            }
        }
        misplaced
    }
}

fn by_caller(caller_of: &BTreeMap<usize, usize>) -> BTreeMap<usize, Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (&position, &caller) in caller_of {
        groups.entry(caller).or_default().push(position);
    }
    groups
}

fn results(n: usize) -> String {
    if n == 1 { "a result was".to_owned() } else { format!("{n} results were") }
}

fn retain_at(message: &mut Message, mut keep: impl FnMut(usize) -> bool) {
    let mut position = 0;
    message.retain_parts(|_: &Part| {
        let stays = keep(position);
        position += 1;
        stays
    });
}
