//! Inputs from a seed: recorded pieces, changed; text that looks like JSON; plain bytes.

use foldback_testkit::SplitMix64;
use foldback_wire::Format;

use super::Target;
use super::mutate::mutate;
use super::seeds::{Seed, seeds};

/// A source of inputs. The same seed gives the same input as long as the transcripts stay the same.
pub struct Inputs {
    seeds: Vec<Seed>,
}

impl Default for Inputs {
    fn default() -> Self {
        Self::new()
    }
}

impl Inputs {
    /// Reads the transcripts.
    ///
    /// # Panics
    ///
    /// If they are not there.
    #[must_use]
    pub fn new() -> Self {
        Self { seeds: seeds() }
    }

    /// The pieces that inputs are made from, for a corpus.
    pub fn pieces(&self, target: Target) -> impl Iterator<Item = &[u8]> {
        let format = format_of(target);
        let fits = move |seed: &&Seed| format.is_none_or(|format| seed.format == format);
        self.seeds.iter().filter(fits).map(|seed| seed.bytes.as_slice())
    }

    /// Input number `index` of the run `seed` for `target`.
    #[must_use]
    pub fn input(&self, target: Target, seed: u64, index: u64) -> Vec<u8> {
        // Neighbouring numbers give unlike inputs, since the first output mixes them.
        let start = SplitMix64::new(seed).next_u64() ^ SplitMix64::new(index).next_u64();
        let mut numbers = SplitMix64::new(start);
        match numbers.below(16) {
            0 => random_bytes(&mut numbers),
            1 => json_like(&mut numbers),
            kind => {
                let mut bytes = self.pick(target, &mut numbers).to_vec();
                // One piece in a while goes through as it is, or as it would be after another editor.
                let n_changes = if kind == 2 { 0 } else { 1 + numbers.below(4) };
                for _ in 0..n_changes {
                    let other = self.pick(target, &mut numbers);
                    mutate(&mut bytes, other, &mut numbers);
                    if bytes.len() > MAX_BYTES {
                        break;
                    }
                }
                bytes
            }
        }
    }

    /// A piece of the target's format; one in eight is of any.
    fn pick(&self, target: Target, numbers: &mut SplitMix64) -> &[u8] {
        let format = format_of(target).filter(|_| !numbers.one_in(8));
        let own = || self.seeds.iter().filter(|seed| Some(seed.format) == format);
        let at = numbers.below(own().count());
        // A format without transcripts takes those of all.
        let seed = own().nth(at).or_else(|| self.seeds.get(numbers.below(self.seeds.len())));
        seed.map_or(b"{}", |seed| &seed.bytes)
    }
}

/// Beyond this size nothing is changed any more.
const MAX_BYTES: usize = 16 << 10;

fn format_of(target: Target) -> Option<Format> {
    match target {
        Target::Reader(format) => Some(format),
        Target::Detect | Target::Convert => None,
    }
}

fn random_bytes(numbers: &mut SplitMix64) -> Vec<u8> {
    let n = numbers.below(200);
    (0..n).map(|_| numbers.next_u64().to_le_bytes()[0]).collect()
}

/// Tokens of JSON in any order.
fn json_like(numbers: &mut SplitMix64) -> Vec<u8> {
    let n = numbers.below(80);
    (0..n).flat_map(|_| TOKENS[numbers.below(TOKENS.len())].bytes()).collect()
}

/// What texts of conversations are made of.
const TOKENS: [&str; 48] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    " ",
    "\"",
    "\\",
    "null",
    "true",
    "0",
    "-1e999",
    "\"\"",
    "\"type\":",
    "\"role\":",
    "\"content\":",
    "\"parts\":",
    "\"messages\":",
    "\"input\":",
    "\"contents\":",
    "\"id\":",
    "\"payload\":",
    "\"message\":",
    "\"uuid\":",
    "\"text\":",
    "\"output\":",
    "\"call_id\":",
    "\"user\"",
    "\"assistant\"",
    "\"tool\"",
    "\"model\"",
    "\"message\"",
    "\"session\"",
    "\"text\"",
    "\"tool_use\"",
    "\"tool_result\"",
    "\"function_call\"",
    "\"response_item\"",
    "\"compaction\"",
    "{\"role\":\"user\",\"content\":\"x\"}",
    "{\"type\":\"text\",\"text\":\"x\"}",
    "{\"type\":\"session\",\"id\":\"s\"}\n",
    "{\"role\":\"model\",\"parts\":[]}",
    "\"\\ud800\"",
    "\u{FEFF}",
    "\r\n",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_input_and_another_seed_another() {
        let inputs = Inputs::new();
        for target in Target::all() {
            let make = |seed| (0..50).map(|index| inputs.input(target, seed, index)).collect::<Vec<_>>();
            assert_eq!(make(7), make(7));
            assert_ne!(make(7), make(8));
        }
    }

    #[test]
    fn inputs_are_usually_small() {
        let inputs = Inputs::new();
        for target in Target::all() {
            let mut sizes: Vec<usize> = (0..400).map(|index| inputs.input(target, 1, index).len()).collect();
            sizes.sort_unstable();
            assert!(sizes[300] <= 4 << 10, "{}: {sizes:?}", target.as_str());
        }
    }
}
