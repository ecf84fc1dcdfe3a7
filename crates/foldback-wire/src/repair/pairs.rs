//! Each call has one result, and each result one call.

use foldback_model::{CallGraph, RepairKind, repair, repair_finished};

use super::{Draft, Draught, EditKind};

impl Draft<'_> {
    /// Takes orphans out and answers calls; those at the end only if nothing can be running any more.
    pub(super) fn pair_results(&mut self, is_finished: bool) {
        let views = self.views();
        let graph = if is_finished { CallGraph::finished(&views) } else { CallGraph::new(&views, &[]) };
        if graph.orphans().is_empty() && graph.dangling().is_empty() {
            return;
        }
        let mut messages = self.plain();
        let repairs = if is_finished { repair_finished(&mut messages) } else { repair(&mut messages, &[]) };
        let old = std::mem::take(&mut self.messages);
        // An answer that was added stands behind the message that it belongs to, so that each new place
        // takes the origin of the nearest old one in front.
        let mut places = repairs.places.iter().zip(&old).peekable();
        let mut origin = 0;
        for (place, message) in messages.into_iter().enumerate() {
            while let Some((_, draught)) = places.next_if(|(at, _)| **at <= place) {
                origin = draught.origin;
            }
            self.messages.push(Draught::new(origin, message));
        }
        for done in repairs.done {
            let (kind, what) = match done.kind {
                RepairKind::AnsweredDangling => {
                    (EditKind::AnsweredCall, "had no result and was answered by a short error")
                }
                _ => (EditKind::DroppedResult, "was answered without being open: the result was taken out"),
            };
            let origin = old.get(done.message).map_or(0, |draught| draught.origin);
            self.edit(origin, kind, format!("the call `{}` {what}", done.call_id));
        }
    }
}
