//! Making a checklist as long as it may be.
//!
//! Sections take turns: the one that has used least of its share takes its next best item. So a
//! small budget still has something of everything, and no section starves the others. Costs of
//! single lines only guide the choice; what counts is the measured whole, since a text may cost more
//! or less than its lines.

use std::collections::BTreeSet;

use foldback_model::TokenCount;
use foldback_tokens::{CountError, TokenCounter};

use super::cues::words;
use super::items::{Item, Section};

/// Under this budget, what was left out is one number.
const ROOM_FOR_DETAIL: u64 = 200;

pub(super) fn fit(
    mut sections: Vec<Section>,
    budget: TokenCount,
    focus: &str,
    counter: &dyn TokenCounter,
) -> Result<String, CountError> {
    favour(&mut sections, focus);
    let mut choice = Choice::new(&sections, budget, counter);
    choice.choose()?;
    loop {
        let text = choice.render();
        let size = counter.count_text(&text)?;
        if !choice.taken.is_empty() && size <= budget {
            return Ok(text);
        }
        if choice.taken.len() < 2 {
            return shortest(&sections, budget, counter);
        }
        choice.give_back(size.saturating_sub(budget));
    }
}

/// Moves items that share a word with the focus to the front of their sections.
fn favour(sections: &mut [Section], focus: &str) {
    // Shorter words are articles and the like in the languages that have spaces.
    let wanted: BTreeSet<String> =
        words(focus).filter(|word| word.chars().count() > 2 || !word.is_ascii()).collect();
    if wanted.is_empty() {
        return;
    }
    for section in sections {
        let mut hits = 0;
        for item in &mut section.items {
            if words(&item.text()).any(|word| wanted.contains(&word)) {
                hits += 1;
            } else {
                // Behind every item that does.
                item.rank += usize::MAX / 2;
            }
        }
        if hits > 0 {
            section.weight *= 2;
        }
    }
}

struct Choice<'a> {
    sections: &'a [Section],
    budget: TokenCount,
    counter: &'a dyn TokenCounter,
    // What was taken, in the order of taking: section, position in it, the item as it will stand and
    // its cost.
    taken: Vec<(usize, usize, Item, u64)>,
}

/// A section while it is being chosen from.
struct Queue {
    // Positions, best first.
    order: Vec<usize>,
    next: usize,
    spent: u64,
}

impl<'a> Choice<'a> {
    fn new(sections: &'a [Section], budget: TokenCount, counter: &'a dyn TokenCounter) -> Self {
        Self { sections, budget, counter, taken: Vec::new() }
    }

    fn choose(&mut self) -> Result<(), CountError> {
        let mut queues: Vec<Queue> = self.sections.iter().map(Queue::new).collect();
        // The last line is at its longest while nothing is taken.
        let reserve = self.cost(&self.left_out())?;
        let mut left = self.budget.as_u64().saturating_sub(reserve);
        loop {
            let open = queues.iter().enumerate().filter(|(_, queue)| queue.next < queue.order.len());
            // Where nothing is taken yet, the weightier section comes first.
            let turn = open.min_by_key(|(index, queue)| {
                let weight = self.sections[*index].weight;
                (queue.spent.saturating_mul(1000) / weight, std::cmp::Reverse(weight), *index)
            });
            let Some((index, _)) = turn else { return Ok(()) };
            let section = &self.sections[index];
            let position = queues[index].order[queues[index].next];
            let heading = if queues[index].spent == 0 { self.cost(&heading(section.heading))? } else { 0 };
            let room = left.saturating_sub(heading);
            match self.trimmed(&section.items[position], room.min(self.most_per_item(section, position)))? {
                Some((item, cost)) if cost <= room => {
                    left = room - cost;
                    queues[index].spent += heading + cost.max(1);
                    queues[index].next += 1;
                    self.taken.push((index, position, item, cost + heading));
                }
                // What does not fit now will not fit later: the section is finished.
                _ => queues[index].next = queues[index].order.len(),
            }
        }
    }

    /// No item may take the room of all others; a request may take more than a command.
    fn most_per_item(&self, section: &Section, position: usize) -> u64 {
        let budget = self.budget.as_u64();
        let share = if section.weight >= 20 && position == 0 { budget / 4 } else { budget / 10 };
        share.max(20)
    }

    /// The item cut down until it costs at most `most`, and its cost; `None` if nothing useful would
    /// be left of it.
    fn trimmed(&self, item: &Item, most: u64) -> Result<Option<(Item, u64)>, CountError> {
        const SHORTEST_CHARS: usize = 16;
        let mut item = item.clone();
        loop {
            let cost = self.cost(&item.line())?;
            if cost <= most {
                return Ok(Some((item, cost)));
            }
            let n_chars = item.body.chars().count().max(item.tail.chars().count());
            let scaled = (n_chars as u64).saturating_mul(most) / cost;
            let shorter = usize::try_from(scaled).unwrap_or(n_chars).min(n_chars * 9 / 10);
            if shorter < SHORTEST_CHARS {
                return Ok(None);
            }
            let next = item.shortened(shorter);
            if next == item {
                return Ok(None);
            }
            item = next;
        }
    }

    /// Gives up the last items taken, worth at least `excess`.
    fn give_back(&mut self, excess: TokenCount) {
        let mut freed = 0;
        while freed < excess.as_u64().max(1) && self.taken.len() > 1 {
            freed += self.taken.pop().map_or(0, |(.., cost)| cost);
        }
    }

    fn render(&self) -> String {
        let mut text = String::new();
        for (index, section) in self.sections.iter().enumerate() {
            let mut items: Vec<_> = self.taken.iter().filter(|(of, ..)| *of == index).collect();
            if items.is_empty() {
                continue;
            }
            items.sort_by_key(|(_, position, ..)| *position);
            text.push_str(&heading(section.heading));
            items.iter().for_each(|(_, _, item, _)| text.push_str(&item.line()));
            text.push('\n');
        }
        text.push_str(&self.left_out());
        text.truncate(text.trim_end().len());
        text
    }

    /// The last line: what is missing.
    fn left_out(&self) -> String {
        let missing = self.sections.iter().enumerate().map(|(index, section)| {
            let n_taken = self.taken.iter().filter(|(of, ..)| *of == index).count();
            (section.items.len() - n_taken + section.n_forgotten, section.nouns)
        });
        let missing: Vec<(usize, (&str, &str))> = missing.filter(|(n, _)| *n > 0).collect();
        if missing.is_empty() {
            return String::new();
        }
        if self.budget.as_u64() < ROOM_FOR_DETAIL {
            let total: usize = missing.iter().map(|(n, _)| n).sum();
            return format!("Left out: {total} more.");
        }
        let parts: Vec<String> = missing
            .iter()
            .map(|(n, (one, many))| format!("{n} {}", if *n == 1 { one } else { many }))
            .collect();
        format!("Left out: {}.", parts.join(", "))
    }

    fn cost(&self, text: &str) -> Result<u64, CountError> {
        Ok(self.counter.count_text(text)?.as_u64())
    }
}

impl Queue {
    fn new(section: &Section) -> Self {
        let mut order: Vec<usize> = (0..section.items.len()).collect();
        order.sort_by_key(|&position| section.items[position].rank);
        Self { order, next: 0, spent: 0 }
    }
}

fn heading(name: &str) -> String {
    format!("## {name}\n")
}

/// One line for a budget that has no room for a list: the best item of the first section.
fn shortest(
    sections: &[Section],
    budget: TokenCount,
    counter: &dyn TokenCounter,
) -> Result<String, CountError> {
    const SHORTEST_CHARS: usize = 12;
    let best = sections.iter().find_map(|section| section.items.iter().min_by_key(|item| item.rank));
    let Some(best) = best else { return Ok(String::new()) };
    let mut n_chars = usize::try_from(budget.as_u64().saturating_mul(5)).unwrap_or(usize::MAX).min(2000);
    loop {
        let item = best.shortened(n_chars.max(SHORTEST_CHARS));
        let text = item.text();
        if n_chars <= SHORTEST_CHARS || counter.count_text(&text)? <= budget {
            return Ok(text);
        }
        n_chars = n_chars * 4 / 5;
    }
}
