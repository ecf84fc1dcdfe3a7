//! The lines of a checklist, and lists of them that stay bounded.

use crate::text::shorten;

/// One line: `lead`, the quoted `body`, which may be shortened, and `tail`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) lead: String,
    pub(super) body: String,
    pub(super) quote: Quote,
    pub(super) tail: String,
    /// Smaller is kept longer.
    pub(super) rank: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quote {
    #[default]
    None,
    Words,
    Code,
}

impl Item {
    pub(super) fn plain(body: impl Into<String>) -> Self {
        Self { body: body.into(), ..Self::default() }
    }

    pub(super) fn words(body: impl Into<String>) -> Self {
        Self { body: body.into(), quote: Quote::Words, ..Self::default() }
    }

    pub(super) fn code(body: &str) -> Self {
        Self { body: body.replace('`', "'"), quote: Quote::Code, ..Self::default() }
    }

    pub(super) fn lead(mut self, lead: impl Into<String>) -> Self {
        self.lead = lead.into();
        self
    }

    pub(super) fn tail(mut self, tail: impl Into<String>) -> Self {
        self.tail = tail.into();
        self
    }

    pub(super) fn rank(mut self, rank: usize) -> Self {
        self.rank = rank;
        self
    }

    /// The line without its list mark.
    pub(super) fn text(&self) -> String {
        let mark = match self.quote {
            Quote::None => "",
            Quote::Words => "\"",
            Quote::Code => "`",
        };
        format!("{}{mark}{}{mark}{}", self.lead, self.body, self.tail)
    }

    pub(super) fn line(&self) -> String {
        // The body is on one line already, and a mark at its beginning stands behind ours.
        format!("- {}\n", self.text())
    }

    /// The same with at most `max_chars` characters of body, and of tail.
    pub(super) fn shortened(&self, max_chars: usize) -> Self {
        let body = shorten(&self.body, max_chars).into_owned();
        let tail = shorten(&self.tail, max_chars.max(40)).into_owned();
        Self { body, tail, ..self.clone() }
    }
}

/// How often, behind a line; nothing for once.
pub(super) fn times(n: usize) -> String {
    if n > 1 { format!(" ({n}×)") } else { String::new() }
}

/// Items under a heading.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) heading: &'static str,
    /// What one and several of its items are called.
    pub(super) nouns: (&'static str, &'static str),
    /// Its share of the budget, relative to the others.
    pub(super) weight: u64,
    /// In the order in which they are read.
    pub(super) items: Vec<Item>,
    /// Items that were not even kept that long.
    pub(super) n_forgotten: usize,
}

/// The oldest few and the newest of what was pushed, so that a long history costs no more memory than
/// a short one.
#[derive(Clone, Debug)]
pub(super) struct Bounded<T> {
    items: Vec<T>,
    n_forgotten: usize,
}

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self { items: Vec::new(), n_forgotten: 0 }
    }
}

impl<T> Bounded<T> {
    const OLDEST: usize = 40;
    // Far more lines than any summary has room for.
    const MOST: usize = 600;

    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
        if self.items.len() > Self::MOST {
            let surplus = Self::MOST / 2;
            self.items.drain(Self::OLDEST..Self::OLDEST + surplus);
            self.n_forgotten += surplus;
        }
    }

    pub(super) fn n_forgotten(&self) -> usize {
        self.n_forgotten
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.items.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.items.retain(keep);
    }
}
