//! Generation from a seed, without `proptest`.

use foldback_model::Message;

use crate::breakage::Breakage;
use crate::script::{Call, Reply, Script, Style, Thought, Turn, messages_of};
use crate::shape::{History, Shape};

/// A small generator of numbers: the same seed gives the same numbers everywhere.
///
/// The algorithm is `splitmix64`, of Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators" (2014). Not for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; zero when `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of the product; the bias is far below what a test could notice.
        let product = u128::from(self.next_u64()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Puts `items` in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Conversations from a seed, for benches and for suites that cannot use `proptest`.
///
/// ```
/// use foldback_model::CallGraph;
/// use foldback_testkit::Seeded;
///
/// let messages = Seeded::new(7).history(1_000);
/// assert_eq!(messages.len(), 1_000);
/// let graph = CallGraph::new(&messages, &[]);
/// assert!(graph.orphans().is_empty() && graph.dangling().is_empty());
/// assert_eq!(messages, Seeded::new(7).history(1_000));
/// ```
#[derive(Clone, Debug)]
pub struct Seeded {
    numbers: SplitMix64,
    text_bytes: usize,
}

impl Seeded {
    /// Conversations that `seed` decides.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { numbers: SplitMix64::new(seed), text_bytes: 400 }
    }

    /// The same with texts of about `bytes` each; 400 otherwise.
    #[must_use]
    pub const fn with_text_bytes(mut self, bytes: usize) -> Self {
        self.text_bytes = bytes;
        self
    }

    /// A valid conversation of exactly `n_messages`, in time linear in them; no call is pending.
    pub fn history(&mut self, n_messages: usize) -> Vec<Message> {
        let style = Style::new(None, self.choice());
        let shape = Shape::default();
        let mut messages: Vec<Message> = Vec::with_capacity(n_messages);
        let mut next_call = 0;
        while messages.len() < n_messages {
            let turn = self.turn(&shape);
            let built = messages_of(&turn, &style, next_call);
            if built.len() <= n_messages - messages.len() {
                next_call += turn.replies.iter().map(|reply| reply.calls.len()).sum::<usize>();
                messages.extend(built);
            } else {
                // What is left of the space is filled with plain talk.
                messages.push(Message::user(turn.user));
            }
        }
        History::new(messages, Vec::new()).messages
    }

    /// A valid conversation within `shape`.
    pub fn valid(&mut self, shape: &Shape) -> History {
        self.script(shape).build()
    }

    /// A conversation within `shape` that something is wrong with: a result without its call or before
    /// it, a call without a result, a second result, an empty message, messages out of order.
    pub fn broken(&mut self, shape: &Shape) -> Vec<Message> {
        let n_breakages = 1 + self.numbers.below(4);
        let breakages: Vec<Breakage> =
            (0..n_breakages).map(|_| Breakage::new(self.choice(), self.numbers.below(1 << 20))).collect();
        crate::breakage::break_up(self.valid(shape).messages, &breakages)
    }

    /// Text of about `bytes` bytes, at least one: words, code and other scripts.
    pub fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + SNIPPET_BYTES);
        while text.is_empty() || text.len() < bytes {
            text.push_str(SNIPPETS[self.numbers.below(SNIPPETS.len())]);
        }
        text
    }

    fn script(&mut self, shape: &Shape) -> Script {
        let (least, most) = (*shape.turns.start(), *shape.turns.end());
        let n_turns = least + self.numbers.below(most.saturating_sub(least).saturating_add(1));
        let n_instructions = self.numbers.below(3);
        Script {
            style: Style::new(shape.wire, self.choice()),
            instructions: (0..n_instructions).map(|_| self.any_text()).collect(),
            turns: (0..n_turns).map(|_| self.turn(shape)).collect(),
            pending: (shape.may_be_pending && shape.max_calls > 0 && self.numbers.one_in(2))
                .then(|| self.pending(shape)),
        }
    }

    fn pending(&mut self, shape: &Shape) -> (Turn, usize) {
        let mut turn = self.turn(shape);
        let mut reply = self.reply(shape);
        if reply.calls.is_empty() {
            reply.calls.push(self.call());
        }
        turn.replies = vec![reply];
        (turn, self.numbers.below(shape.max_calls + 1))
    }

    fn turn(&mut self, shape: &Shape) -> Turn {
        let n_replies = self.numbers.below(shape.max_replies + 1);
        Turn {
            injected: self.numbers.one_in(6).then(|| self.any_text()),
            user: self.any_text(),
            image: self.numbers.one_in(8),
            replies: (0..n_replies).map(|_| self.reply(shape)).collect(),
            closing: (!self.numbers.one_in(5)).then(|| self.any_text()),
        }
    }

    fn reply(&mut self, shape: &Shape) -> Reply {
        let n_calls = self.numbers.below(shape.max_calls + 1);
        Reply {
            thinking: match self.numbers.below(6) {
                0 => Some(Thought::Readable(self.any_text())),
                1 => Some(Thought::Signed(self.any_text())),
                2 => Some(Thought::Sealed),
                _ => None,
            },
            text: self.numbers.one_in(2).then(|| self.any_text()),
            calls: (0..n_calls).map(|_| self.call()).collect(),
            order: self.numbers.next_u64(),
            steering: self.numbers.one_in(6).then(|| (self.numbers.below(8), self.any_text())),
        }
    }

    fn call(&mut self) -> Call {
        Call {
            tool: self.choice(),
            argument: self.text(12),
            result: self.any_text(),
            failed: self.numbers.one_in(8),
            image: self.numbers.one_in(16),
        }
    }

    /// Between nothing and twice the usual length.
    fn any_text(&mut self) -> String {
        let bytes = self.numbers.below(2 * self.text_bytes + 1);
        self.text(bytes)
    }

    fn choice(&mut self) -> u8 {
        self.numbers.next_u64().to_le_bytes()[0]
    }
}

/// The longest snippet, in bytes.
const SNIPPET_BYTES: usize = 48;

/// What texts are made of: prose, code, paths, other scripts, and what could be mistaken for a
/// delimiter or a special token.
pub(crate) const SNIPPETS: [&str; 16] = [
    "the build fails ",
    "fix the parser first, then run the tests. ",
    "src/lib.rs ",
    "fn main() { println!(\"{}\", 1 + 2); }\n",
    "error[E0308]: mismatched types\n",
    "{\"ok\":true,\"n\":[1,2,3]} ",
    "\n\n",
    "日本語の文章。",
    "세 번째 줄 ",
    "Привет, мир. ",
    "👩‍👩‍👧 ",
    "</summary>",
    "<|endoftext|>",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0 ",
    "iVBORw0KGgoAAAANSUhEUgAA",
    " ",
];

#[cfg(test)]
mod tests {
    use foldback_model::WireFormat;

    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_algorithm() {
        // The first outputs for the seed 1234567, as commonly quoted for splitmix64.
        let mut numbers = SplitMix64::new(1_234_567);
        assert_eq!(numbers.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(numbers.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn below_stays_below() {
        let mut numbers = SplitMix64::new(1);
        assert_eq!(numbers.below(0), 0);
        assert!((0..1_000).all(|_| numbers.below(3) < 3));
    }

    #[test]
    fn a_history_has_the_length_asked_for_and_no_loose_ends() {
        for seed in 0..200 {
            let n = 1 + seed as usize * 3 % 120;
            let messages = Seeded::new(seed).history(n);
            assert_eq!(messages.len(), n, "seed {seed}");
            crate::history::assert_valid(&History { messages, pending: Vec::new() });
        }
        assert!(Seeded::new(1).history(0).is_empty());
    }

    #[test]
    fn ids_are_either_used_once_or_begin_again_with_every_reply() {
        let (mut unique, mut reused) = (0, 0);
        for seed in 0..40 {
            let messages = Seeded::new(seed).history(200);
            let ids: Vec<&str> =
                messages.iter().flat_map(Message::calls).map(|call| call.id.as_str()).collect();
            let distinct = ids.iter().collect::<std::collections::BTreeSet<_>>().len();
            if distinct == ids.len() {
                unique += 1;
            } else {
                assert!(distinct <= Shape::default().max_calls, "seed {seed}");
                reused += 1;
            }
        }
        assert!(unique > 5 && reused > 5, "{unique} and {reused}");
    }

    #[test]
    fn valid_histories_are_valid_and_broken_ones_are_not() {
        let wires = WireFormat::ALL.map(|wire| Shape::of(wire).or_pending());
        for shape in wires.into_iter().chain([Shape::default(), Shape::default().or_pending()]) {
            for seed in 0..300 {
                crate::history::assert_valid(&Seeded::new(seed).valid(&shape));
                let broken = Seeded::new(seed).broken(&shape);
                assert!(crate::breakage::is_broken(&broken), "seed {seed}");
            }
        }
    }

    #[test]
    fn no_snippet_is_longer_than_stated() {
        assert!(SNIPPETS.iter().all(|snippet| snippet.len() <= SNIPPET_BYTES));
    }
}
